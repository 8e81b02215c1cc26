"""PDF files → Markdown: paragraphs, headings by bookmarks, pages."""

from indexer.convert.pdf import read_pdf
from indexer.splitter import MarkdownSplitter
from tests.attached import NEEDS_CONVERT, pdf

TWO_COLUMNS_OF_TEXT = "The buffer keeps what was sent until the other side has said that it came, which\nmay take a while."


@NEEDS_CONVERT
def test_lines_of_a_paragraph_are_joined():
    text, _ = read_pdf(pdf(f"{TWO_COLUMNS_OF_TEXT}\nShort."), "")
    assert text == f"{TWO_COLUMNS_OF_TEXT.replace(chr(10), ' ')}\n\nShort.\n\n"


@NEEDS_CONVERT
def test_lines_of_japanese_are_joined_without_blanks():
    text, _ = read_pdf(pdf("証明書は九十日ごとに更新され、\n失敗すると通知が来ます。"), "")
    assert text == "証明書は九十日ごとに更新され、失敗すると通知が来ます。\n\n"


@NEEDS_CONVERT
def test_korean_is_read():
    assert read_pdf(pdf("버퍼 용량을 늘립니다."), "")[0] == "버퍼 용량을 늘립니다.\n\n"


@NEEDS_CONVERT
def test_a_pdf_without_bookmarks_has_a_heading_for_each_page():
    text, places = read_pdf(pdf("One.", "", "Three."), "report")
    assert text == "# report\n\n## Page 1\n\nOne.\n\n## Page 3\n\nThree.\n\n"
    assert places == ((0, "page 1"), (text.index("## Page 3"), "page 3"))


@NEEDS_CONVERT
def test_bookmarks_become_headings_where_their_text_stands():
    data = pdf("Preface.", "Keys\nUse them.\nLocks\nTurn them.", outline=[(0, "Keys", 2), (1, "Locks", 2)], title="Doors")
    text, places = read_pdf(data, "report")
    assert text == "# Doors\n\nPreface.\n\n## Keys\n\nUse them.\n\n### Locks\n\nTurn them.\n\n"
    assert places == ((0, "page 1"), (text.index("## Keys"), "page 2"))


@NEEDS_CONVERT
def test_text_in_a_font_of_fixed_width_is_code_with_its_indents():
    text, _ = read_pdf(pdf("Turn it:\n\tdef turn(key):\n\t    return key\n- and\n• then go on"), "")
    assert text == "Turn it:\n\n```\ndef turn(key):\n    return key\n```\n\n\\- and\n\n- then go on\n\n"


@NEEDS_CONVERT
def test_the_top_of_a_bookmark_tells_its_line_if_its_text_does_not():
    data = pdf("One.\nTwo.", outline=[(0, "Hidden", 1)]).replace(b"/XYZ 0 null 0", b"/XYZ 0 690 0 ")
    assert read_pdf(data, "a")[0] == "# a\n\nOne.\n\n## Hidden\n\nTwo.\n\n"


@NEEDS_CONVERT
def test_a_bookmark_whose_text_is_nowhere_stands_at_the_top_of_its_page():
    text, _ = read_pdf(pdf("One.", "Two."), "report")
    assert "## Hidden" not in text
    text, _ = read_pdf(pdf("One.", "Two.", outline=[(0, "Hidden", 2)]), "report")
    assert text == "# report\n\nOne.\n\n## Hidden\n\nTwo.\n\n"


@NEEDS_CONVERT
def test_a_page_within_a_section_is_marked():
    data = pdf("Keys\nOne.", "Two.", outline=[(0, "Keys", 1)])
    text, places = read_pdf(data, "report")
    section = MarkdownSplitter().parse(text, "report.pdf", dialects=(), places=places).sections[-1]
    assert section.content == "## Keys\n\nOne.\n\n<!-- page 2 -->\n\nTwo.\n\n"
    assert [section.place_at(section.content.index(word)) for word in ("One", "Two")] == ["page 1", "page 2"]
    assert "page" not in section.text


@NEEDS_CONVERT
def test_titles_that_programs_make_up_are_not_used():
    assert read_pdf(pdf("x", title="Microsoft Word - plan.docx"), "a")[0].startswith("# a\n")
    assert read_pdf(pdf("x", title="Untitled"), "a")[0].startswith("# a\n")
    assert read_pdf(pdf("x", title="Microsoft Word - The plan"), "a")[0].startswith("# The plan\n")


@NEEDS_CONVERT
def test_text_of_a_page_is_no_markup():
    text, _ = read_pdf(pdf("# not a heading", "<div> is shown", "--- is no line", "<!-- page 9 -->"), "")
    shown = [part for part in text.split("\n\n") if part]
    assert shown == ["\\# not a heading", "\\<div> is shown", "\\--- is no line", "\\<!-- page 9 -->"]


@NEEDS_CONVERT
def test_numbers_of_pages_and_dots_before_them_are_left_out():
    text, _ = read_pdf(pdf("Keys . . . . . . . . . . 7\nLocks . . . . . . . . . . 9\n12"), "")
    assert text == "Keys … 7\n\nLocks … 9\n\n"


@NEEDS_CONVERT
def test_a_circle_of_bookmarks_ends():
    data = pdf("One.", outline=[(0, "One", 1), (0, "Two", 1)])
    last = data.rindex(b"/Prev")
    number = data[last:].split()[1]
    circle = data[:last] + b"/Next " + number + data[last + 6 + len(number) :]
    assert len(circle) == len(data)
    assert read_pdf(circle, "a")[0].count("# One") >= 1
