"""Snippets: which passage of a section is shown, and where it stands in the file."""

import unicodedata
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.splitter import MarkdownSplitter
from schema.results import Window
from schema.text.query_words import query_terms
from search.context.highlight import find_matches
from search.context.snippet import MAX_CHARACTERS, MAX_SENTENCE, snippet_of
from search.context.units import units

FILLER = "Nothing of interest is said in this plain sentence here. " * 8


def section_of(body, heading="Guide"):
    return MarkdownSplitter().split(f"# {heading}\n\n{body}", "a.md")[0]


def ask(body, query="buffer", *, heading="Guide", near=None, **weights):
    section = section_of(body, heading)
    weights = weights or {query: 1.0}
    return snippet_of(section, query, weights, find_matches(section.content, weights), near=near)


def kinds(body):
    section = section_of(body)
    found = units(section.content, section.body_offset, len(section.content))
    return [(unit.kind, section.content[unit.start : unit.end]) for unit in found]


def test_sentence_with_the_terms_is_shown():
    found = ask(f"{FILLER}\n\nThe buffer holds ten lines.\n\n{FILLER}")
    assert "The buffer holds ten lines." in found.text


def test_paragraph_is_shown_from_its_beginning_where_there_is_room():
    found = ask("Rollback brings back the image. The buffer is not rolled back.\n")
    assert (found.text, found.start_line) == ("Rollback brings back the image. The buffer is not rolled back.", 3)


def test_paragraph_that_is_too_long_is_shown_from_the_sentence_with_the_terms_on():
    found = ask(f"{FILLER}The buffer is not rolled back.\n")
    assert found.text.endswith("The buffer is not rolled back.")
    assert len(found.text) <= MAX_CHARACTERS


@pytest.mark.parametrize(
    ("query", "begins"), [("what is a buffer", "A buffer is a queue"), ("empty buffer", "The buffer must be empty")]
)
def test_sentence_that_says_what_a_thing_is_is_shown_where_that_is_asked(query, begins):
    full = "The buffer must be empty when the empty buffer of the buffer pool is closed."
    found = ask(f"{full}\n\n{FILLER}\n\nA buffer is a queue of lines.\n\n{FILLER}", query, buffer=1.0, empti=1.0)
    assert found.text.startswith(begins)


def test_title_of_a_callout_is_on_a_line_of_its_own():
    body = "> [!warning] Partial refunds\n> Write a note by hand.\n"
    content = body.replace(" [!warning]", " " * 11)
    found = [(unit.kind, content[unit.start : unit.end]) for unit in units(content, 0, len(content), hidden=(1, 12))]
    assert found == [("title", "Partial refunds"), ("prose", "Write a note by hand.")]


def test_lines_of_the_file_are_told():
    found = ask("One.\n\nTwo two.\n\n#### Part\n\nThe buffer holds\nten lines.\n\n#### Rest\n\nEnd.\n")
    assert (found.text, found.start_line, found.end_line) == ("Part\nThe buffer holds ten lines.", 7, 10)


@pytest.mark.parametrize(
    ("sentence", "query"),
    [
        ("接続先はＯＡＵＴＨ２です。", "OAUTH2"),
        (unicodedata.normalize("NFD", "데이터베이스 비밀번호를 바꿉니다."), "데이터베이스 비밀번호"),
    ],
)
def test_sentence_that_is_written_in_another_form_is_shown_with_its_matches(sentence, query):
    found = ask(f"{FILLER}\n\n{FILLER.replace('. ', ', ') * 8}\n\n{sentence}\n", query, **query_terms(query))
    assert (found.text, found.start_line) == (sentence, 7)
    shown = {unicodedata.normalize("NFKC", found.text[match.start : match.end]) for match in found.matches}
    assert shown == set(query.split())


def test_passage_is_shown_where_no_word_can_be_marked():
    section = section_of(f"{FILLER}\n\n{FILLER}\n\n書が一つある。\n\n{FILLER}\n")
    weights = {"書": 1.0, "索引": 1.0}
    matches = find_matches(section.content, weights)
    assert matches == ()
    start = section.content.index("書が")
    found = snippet_of(section, "書 索引", weights, matches, passage=Window(start, start + 7))
    assert found.text.startswith("書が一つある。")


def test_matches_are_offsets_into_the_text():
    found = ask("#### Part\n\nA  large\n> buffer <!-- no buffer --> holds.\n")
    assert [found.text[match.start : match.end] for match in found.matches] == ["buffer"]
    assert found.text == "Part\nA large buffer holds."


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ('See [the buffer](../a b.md "The buffer") there.', 'See [the buffer](../a b.md "The buffer") there.'),
        ('See [the buffer](../buffer.md "The buffer") there.', "See the buffer there."),
        ("See [`buffer[0]`][buffer] and [net][].", "See `buffer[0]` and net."),
        ("See ![the buffer](buffer.png).", "See the buffer."),
        ("Take `buffer[i](x)` or a buffer[^1][^2], [^a].", "Take `buffer[i](x)` or a buffer, [^a]."),
        ("Take the [buffer](https://a.b/c_(d)) of it.", "Take the buffer of it."),
        ("Take the [![buffer](a.svg) ](https://a.b) of [](c.md).", "Take the buffer of c.md."),
        ("- [ ] Fill the buffer [x].", "- [ ] Fill the buffer [x]."),
        ("See [two\n> buffers](b.md), too.", "See two buffers, too."),
    ],
)
def test_links_are_shown_by_their_texts(written, shown):
    assert ask(f"{written}\n").text == shown


def test_matches_behind_and_in_a_link_are_offsets_into_the_text():
    found = ask("See [its](buffer.md) [buffer][b], a buffer.\n")
    assert found.text == "See its buffer, a buffer."
    assert [match.start for match in found.matches] == [8, 18]


def test_snippet_is_not_longer_than_its_bound():
    assert MAX_CHARACTERS < len(ask("The buffer is one. " * 100).text) <= MAX_SENTENCE


def test_one_long_sentence_is_cut():
    assert len(ask("buffer " * 1000).text) == MAX_SENTENCE


def test_prose_goes_before_output():
    found = ask(f"```text\nbuffer buffer error\n```\n\n{FILLER}\n\nA buffer is full.\n")
    assert found.text.endswith("A buffer is full.")


def test_window_of_the_vector_decides_where_words_do_not():
    body = f"{FILLER}\n\nHere it is said with other words.\n\n{FILLER}"
    start = section_of(body).content.index("Here it")
    assert "Here it is said" in ask(body, "unknown", near=Window(start, start + 33)).text


def test_section_without_text_has_none():
    assert ask("<!-- nothing -->\n") is None


def test_what_stands_under_another_small_heading_is_left_out():
    assert ask("#### One\n\nThe buffer.\n\n#### Two\n\nOther.\n").text == "One\nThe buffer."


def test_very_long_section_is_read_around_its_passage():
    body = f"{'Plain words here. ' * 3000}\n\nThe buffer holds ten lines.\n\n{FILLER}"
    section = section_of(body)
    start = section.content.index("The buffer")
    matches = find_matches(section.content, {"buffer": 1.0})
    found = snippet_of(section, "buffer", {"buffer": 1.0}, matches, passage=Window(start, start + 27))
    assert "The buffer holds ten lines." in found.text


@pytest.mark.parametrize(
    "noise",
    [
        "[ref]: https://example.org/ 'x'",
        "import Tabs from '@theme/Tabs'",
        "export default Layout",
        ":::tip",
        "{{#include a.rs}}",
        "{% raw %}",
        "<Tabs groupId='os'>",
        "</details>",
        "---",
        "|---|---|",
        "![a picture](a.png)",
        "<!-- hidden -->",
        "> [!NOTE]",
        "[[_TOC_]]",
    ],
)
def test_line_without_text_of_its_own_is_no_unit(noise):
    assert kinds(f"One.\n\n{noise}\n\nTwo.\n") == [("prose", "One."), ("prose", "Two.")]


def test_units_are_sentences_items_rows_and_lines_of_code():
    body = "One, e.g. This. Two.\n\n- item one\n  goes on\n1. second\n\n| a | b |\n\n    indented code\n\n~~~py\nimport os\nx = 1\n\n~~~\n"
    assert kinds(body) == [
        ("prose", "One, e.g. This."),
        ("prose", "Two."),
        ("item", "item one\n  goes on"),
        ("item", "second"),
        ("row", "| a | b |"),
        ("code", "indented code"),
        ("code", "x = 1"),
    ]


def test_comment_over_several_lines_is_no_unit():
    assert kinds("<!-- one\ntwo\nthree -->\nText.\n") == [("prose", "Text.")]


def test_mark_of_a_quote_begins_no_sentence():
    assert kinds("> One here.\n> Two here.\n") == [("prose", "One here."), ("prose", "Two here.")]


def test_japanese_sentences_need_no_blanks():
    assert kinds("これは一文。次の文。\n") == [("prose", "これは一文。"), ("prose", "次の文。")]


LINES = st.sampled_from(
    ["Plain buffer.", "> quoted buffer", "- an item", "```", "x = buffer", "", "<!-- c", "c -->", "| r |", "#### H"]
)


@given(st.lists(LINES, max_size=25), st.sampled_from(["\n", "\r\n"]))
def test_snippet_stands_where_it_says(lines, end):
    source = "# Guide" + end + end.join(lines)
    section = MarkdownSplitter().split(source, "a.md")[0]
    matches = find_matches(section.content, {"buffer": 1.0})
    found = snippet_of(section, "buffer", {"buffer": 1.0}, matches)
    if found is None:
        return
    assert 0 <= found.start <= found.end <= len(section.content)
    assert 1 <= found.start_line <= found.end_line <= section.end_line
    first = source.split(end)[found.start_line - 1]
    assert section.content[found.start : found.start + 1] in first
    ends = [place for match in found.matches for place in (match.start, match.end)]
    assert ends == sorted(ends)
    assert all(found.text[m.start : m.end].lower().startswith("buffer") for m in found.matches)


def test_lines_count_from_the_beginning_of_the_content():
    section = MarkdownSplitter().split("---\na: 1\n---\n\n\n# Guide\n\nThe buffer.\n", "a.md")[0]
    found = snippet_of(section, "buffer", {"buffer": 1.0}, find_matches(section.content, {"buffer": 1.0}))
    assert (section.start_line, found.start_line) == (6, 8)
    assert replace(section, content=section.content.lstrip()).content_line == 6


def test_part_of_a_long_section_that_begins_inside_of_a_fence_is_code_up_to_its_end():
    body = "```\n~~~\n" + "x = 1\n" * 5000 + "the buffer\n```\n\nAfter.\n"
    section = section_of(body)
    matches = find_matches(section.content, {"buffer": 1.0})
    near = Window(section.content.index("the buffer"), section.content.index("the buffer") + 10)
    found = snippet_of(section, "buffer", {"buffer": 1.0}, matches, passage=near)
    assert found.text == "the buffer\nAfter."


def test_closed_fence_before_the_part_that_is_read_is_closed():
    body = "```\nx\n```\n\n" + "Plain words here. " * 1500 + "\n\nThe buffer.\n"
    section = section_of(body)
    start = section.content.index("The buffer")
    found = snippet_of(
        section, "buffer", {"buffer": 1.0}, find_matches(section.content, {"buffer": 1.0}), passage=Window(start, start + 11)
    )
    assert found.text.endswith("The buffer.")


def test_stops_without_words_are_one_unit():
    assert kinds("。\n") == [("prose", "。")]
    assert kinds("。 。\n") == [("prose", "。"), ("prose", "。")]


def test_indented_cell_of_a_table_in_html_is_no_code():
    (section,) = MarkdownSplitter().split(
        "# A\n\n<table>\n  <tr>\n    <td><kbd>Ctrl</kbd> + <kbd>C</kbd></td>\n  </tr>\n</table>\n", "a.md"
    )
    (unit,) = units(section.text, section.body_offset, len(section.text), hidden=section.hidden)
    assert (unit.kind, section.text[unit.start : unit.end].split()) == ("prose", ["Ctrl", "+", "C"])


def test_stop_inside_of_code_ends_no_sentence():
    assert kinds("Type `go. Now` here. Then `wait`. Rest. End.\n") == [
        ("prose", "Type `go. Now` here."), ("prose", "Then `wait`."), ("prose", "Rest."), ("prose", "End.")
    ]  # fmt: skip


@pytest.mark.parametrize(
    "marks",
    ["・・", "①②", "●●", "※※", "１．２．", "（１）（２）"],
    ids=["dot", "circled", "bullet", "note", "digits", "brackets"],
)
def test_line_with_a_mark_of_an_old_list_is_an_item_of_its_own(marks):
    first, second = marks[: len(marks) // 2], marks[len(marks) // 2 :]
    assert kinds(f"{first}電気を止める\n{second}転入届\n") == [("item", f"{first}電気を止める"), ("item", f"{second}転入届")]


@pytest.mark.parametrize("marks", ["가나", "ㄱㄴ"])
def test_line_with_a_korean_mark_is_an_item_without_its_mark(marks):
    assert kinds(f"{marks[0]}. 화요일에 배포\n{marks[1]}. 금요일은 금지\n") == [
        ("item", "화요일에 배포"),
        ("item", "금요일은 금지"),
    ]


@pytest.mark.parametrize("title", ["■交通費", "◆ 議題１", "【定例会議　議事録】"])
def test_line_that_is_a_title_without_markdown_is_not_joined_with_the_text_below(title):
    assert kinds(f"{title}\n履歴を添付する。\n") == [("title", title), ("prose", "履歴を添付する。")]


def test_japanese_snippet_has_blanks_only_where_the_file_has_them_within_a_line():
    assert ask("会議は　第３会議室で\n開く。　次回は未定。", "会議").text == "会議は 第３会議室で開く。 次回は未定。"
    assert ask("会議は3階です。4階は`kai`です。", "会議").text == "会議は3階です。4階は`kai`です。"


def test_items_of_an_old_list_are_shown_on_lines_of_their_own():
    assert ask("①buffer を開く\n②buffer を閉じる\n").text == "①buffer を開く\n②buffer を閉じる"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("日 時：２０２６年１０月１５日", "場 所：第３会議室"),
        ("Date: 12 May, 10:00", "Place: Room 3"),
        ("**작성자:** 김민수", "**참석자:** 이지은"),
    ],
)
def test_lines_that_state_facts_are_shown_on_lines_of_their_own(first, second):
    assert kinds(f"{first}\n{second}\n") == [("item", first), ("item", second)]


def test_one_line_with_a_colon_in_a_paragraph_is_no_fact():
    body = "We have chosen this for one\nreason: it is small.\nAnd another: it is fast.\n"
    assert kinds(body) == [
        ("prose", "We have chosen this for one\nreason: it is small."),
        ("prose", "And another: it is fast."),
    ]


def test_items_of_a_list_with_colons_are_items_without_their_marks():
    assert kinds("* Default: false\n* Type: Boolean\n") == [("item", "Default: false"), ("item", "Type: Boolean")]


def test_word_with_a_sign_is_shown_where_it_stands_as_it_is_typed():
    body = f"A type is sized or not. {FILLER}\n\n{FILLER}\n\nThe bound `?Sized` lifts this rule.\n\n{FILLER}"
    found = ask(body, "?Sized", heading="The Sized Trait", size=1.0)
    assert "The bound `?Sized` lifts this rule." in found.text


def test_word_of_signs_alone_is_found_beside_other_words():
    body = f"A condition is shown by `if`, too. {FILLER}\n\n{FILLER}\n\nWith `&&` a condition may print 0.\n"
    assert "With `&&` a condition" in ask(body, "&& condition", condit=1.0).text


def test_what_stands_under_an_inner_heading_that_is_asked_for_is_shown_from_its_beginning():
    body = (
        f"{FILLER}\n\n#### Other\n\n{FILLER} The cache-size holds more.\n\n"
        f"#### `cache-size`\n\n- Default: 4\n- Type: number\n\nHow many lines are kept. {FILLER}\n\nThe cache-size may be large.\n"
    )
    found = ask(body, "cache-size", **query_terms("cache-size"))
    assert found.text.startswith("`cache-size`\n- Default: 4\n- Type: number\nHow many lines are kept.")


def test_short_section_is_shown_whole():
    body = "Peel them.\n\nWash them.\n\nThe buffer is emptied.\n\nServe.\n"
    assert ask(body).text == "Peel them.\nWash them.\nThe buffer is emptied.\nServe."


def test_shortest_of_several_inner_headings_that_are_asked_for_is_shown():
    long = "\n\n#### The cache-size and what else there is\n\nNot this one.\n"
    body = f"{'Plain words here. ' * 1500}{long}\n\n#### `cache-size`\n\nHow many lines are kept.\n{long}{FILLER * 30}"
    assert ask(body, "cache-size", **query_terms("cache-size")).text.startswith("`cache-size`\nHow many lines are kept.")


def test_short_part_below_an_inner_heading_is_shown_whole():
    body = f"{FILLER}\n\n#### Part\n\nFirst this.\n\nThen the buffer.\n\nEnd.\n\n#### Rest\n\n{FILLER}"
    assert ask(body).text == "Part\nFirst this.\nThen the buffer.\nEnd."


def test_words_of_grammar_choose_no_passage():
    body = f"{'何もない。' * 90}\n\nメークインは崩れない。\n\n{'何もない。' * 90}\n\n味を薄くしたいときは水を足す。\n\n{'何もない。' * 90}"
    found = ask(body, "メークインにしたい", メークイン=1.0, した=1.0, たい=1.0)
    assert "メークインは崩れない" in found.text


def test_text_in_quotes_is_shown_as_it_is_typed():
    apart = "Words that say nothing of it stand here. " * 20
    body = (
        f"The logger instance logs what the instance of the logger has.\n\n{apart}\n\nPass loggerInstance to it.\n\n{apart}"
    )
    assert "loggerInstance" in ask(body, '"loggerInstance"', logger=1.0, instanc=1.0).text
    assert "loggerInstance" not in ask(body, "logger instance", logger=1.0, instanc=1.0).text
