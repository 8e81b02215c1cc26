"""Context packs: what is taken, in which order, within the budget."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.splitter import MarkdownSplitter
from indexer.tokens import TokenCounter
from schema.results import Context, SearchResult, SectionLink, Snippet, Window
from search.context.context_pack import build_context
from search.context.outline import contexts_of

COUNTER = TokenCounter()


def hits(documents, ranking=None, **changes):
    """The sections of Markdown documents as hits, in the order of `ranking` (numbers of sections) or as they stand."""
    found = []
    for path, text in documents.items():
        sections = MarkdownSplitter().split(text, path)
        outline = [
            SectionLink(
                id=s.id, document_path=path, heading=s.heading, depth=s.depth, parent_id=s.parent_id, order=s.order, position=s.position,
                anchor=s.anchor, start_line=s.start_line, end_line=s.end_line, token_count=s.token_count, section_number=s.section_number,
            )
            for s in sections
        ]  # fmt: skip
        found += [
            SearchResult(section=s, score=1.0, context=contexts_of([s.id], outline)[s.id], **changes) for s in sections
        ]
    order = range(len(found)) if ranking is None else ranking
    return [replace(found[i], score=1.0 - place / 1000) for place, i in enumerate(order)]


GUIDE = "# Guide\n\nWelcome.\n\n## Keys\n\nAbout keys.\n\n### Rotate\n\nTurn it.\n\n## Logs\n\nRead them.\n"


def test_whole_sections_come_in_document_order_under_their_headings():
    made = build_context(hits({"g.md": GUIDE}, [3, 2]), max_tokens=500, counter=COUNTER)
    assert made.text == (
        "# Guide\n## Keys\n[g.md#rotate:L9-L11]\n### Rotate\n\nTurn it.\n\n[g.md#logs:L13-L15]\n## Logs\n\nRead them."
    )
    assert made.token_count == COUNTER.count(made.text)
    assert made.left_out == ()


def test_document_with_the_best_hit_comes_first():
    made = build_context(hits({"a.md": "# A\n\nx\n", "b.md": "# B\n\ny\n"}, [1, 0]), max_tokens=500, counter=COUNTER)
    assert [piece.citation for piece in made.pieces] == ["b.md#b:L1-L3", "a.md#a:L1-L3"]


def test_section_too_long_gives_its_best_lines():
    long = "# Long\n\n" + "\n".join(f"Line {i} says nothing." for i in range(200)) + "\n"
    (hit,) = hits({"l.md": long})
    at = hit.section.content.index("Line 120")
    made = build_context([replace(hit, passage=Window(at, at + 8))], max_tokens=200, counter=COUNTER)
    (piece,) = made.pieces
    assert "Line 120 says" in piece.text
    assert not piece.is_whole
    assert made.text.startswith(f"[{piece.citation}] (part)\n")
    assert 100 < made.token_count <= 200


def test_what_found_no_room_is_named():
    documents = {f"{i}.md": f"# Title {i}\n\n" + f"Words of section {i}. " * 20 + "\n" for i in range(4)}
    made = build_context(hits(documents), max_tokens=260, counter=COUNTER)
    assert made.left_out
    assert f"Left out for want of room: {made.left_out[0]}" in made.text
    tight = build_context(hits(documents), max_tokens=made.token_count - 5, counter=COUNTER)
    assert f"Left out for want of room: {len(tight.left_out)} section" in tight.text


def test_weak_hits_are_no_evidence():
    found = hits({"a.md": "# A\n\nx\n", "b.md": "# B\n\ny\n"})
    assert len(build_context([found[0], replace(found[1], score=0.1)], max_tokens=500, counter=COUNTER).pieces) == 1


def test_summaries_give_orientation():
    (_, child) = hits({"a.md": "# A\n\nx\n\n## B\n\ny\n"})
    child = replace(
        child,
        section=replace(child.section, document_summary="All of it."),
        context=Context(ancestors=(replace(child.context.ancestors[0], summary="The whole."),)),
    )
    assert build_context([child], max_tokens=500, counter=COUNTER).text.startswith(
        "(All of it.)\n# A (The whole.)\n[a.md#b:"
    )


def test_a_pack_spells_out_what_hides_text():
    hidden = "\U000e006f\u202e"
    found = hits({f"a{hidden}.md": f"# A{hidden}\n\nx\n\n## B\n\nSee{hidden} it.\r\n"}, [1])
    made = build_context(found, max_tokens=500, counter=COUNTER)
    assert made.text == ("# A\\U000e006f\\u202e\n[a\\U000e006f\\u202e.md#b:L5-L7]\n## B\n\nSee\\U000e006f\\u202e it.")
    assert made.token_count == COUNTER.count(made.text)


def test_line_breaks_in_names_forge_no_citation():
    found = hits({"a\n[b.md:L1-L1]": "# A\n\nx\n\n## B\n\ny\n"})
    titled = [replace(hit, section=replace(hit.section, document_title="T\n[c.md:L1-L1]")) for hit in found]
    lines = build_context(titled, max_tokens=500, counter=COUNTER).text.splitlines()
    assert [line for line in lines if line.startswith("[")] == [
        "[a\\x0a[b.md:L1-L1]#a:L1-L3]",
        "[a\\x0a[b.md:L1-L1]#b:L5-L7]",
    ]
    assert lines[0] == "T\\x0a[c.md:L1-L1]"


@pytest.mark.parametrize("found", [[], hits({"a.md": "# A\n\n" + "word " * 50})])
def test_nothing_or_no_room_is_an_empty_pack(found):
    made = build_context(found, max_tokens=5, counter=COUNTER)
    assert (made.text, made.token_count, made.pieces) == ("", 0, ())


LINES = st.sampled_from(
    ["# A", "## B", "### C", "", "Some words here.", "もう一行。", "```", "- item", "x " * 40, "한국어 문장입니다."]
)
DOCUMENTS = st.lists(st.lists(LINES, min_size=1, max_size=14), min_size=1, max_size=3)


@given(DOCUMENTS, st.sampled_from(["\n", "\r\n"]), st.integers(1, 300), st.randoms(use_true_random=False))
def test_pack_keeps_its_budget_repeats_nothing_and_cites_exactly(documents, end, budget, random):
    files = {f"d{i}.md": end.join(lines) + end for i, lines in enumerate(documents)}
    found = hits(files)
    random.shuffle(found)
    found = [replace(hit, score=1 - i / 1000) for i, hit in enumerate(found)]
    made = build_context(found, max_tokens=budget, counter=COUNTER)
    assert COUNTER.count(made.text) == made.token_count <= budget
    cited = set()
    for piece in made.pieces:
        path, start, end_line = re.fullmatch(r"(d\d\.md)(?:#[^:]*)?:L(\d+)-L(\d+)", piece.citation).groups()
        lines = files[path].splitlines()[int(start) - 1 : int(end_line)]
        before, own, after = piece.text.partition("\n".join(lines))
        assert own
        assert re.fullmatch(r"(?:[ >]*[`~]{3,}.*\n)?", before)  # a block of code that is cut has both its fences
        assert re.fullmatch(r"(?:\n[`~]{3,})?", after)
        own = {(path, line) for line in range(int(start), int(end_line) + 1)}
        assert not own & cited
        cited |= own
        assert piece.text in made.text
    chosen = {piece.section_id for piece in made.pieces}
    assert len(chosen) == len(made.pieces)
    assert not set(made.left_out) & {piece.citation for piece in made.pieces if piece.is_whole}


def test_hit_without_any_passage_gives_its_beginning():
    long = "# Long\n\n" + "\n".join(f"Line {i} says nothing." for i in range(200)) + "\n"
    made = build_context(hits({"l.md": long}), max_tokens=100, counter=COUNTER)
    assert made.pieces[0].text.startswith("# Long\n\nLine 0 ")


class Grudging(TokenCounter):
    """Counts whole texts far above the sum of their parts."""

    def count(self, text):
        return super().count(text) * (3 if "\n\n[" in text else 1)


def test_pack_gives_up_pieces_until_the_whole_fits():
    documents = {f"{i}.md": f"# T{i}\n\nWords of it.\n" for i in range(3)}
    made = build_context(hits(documents), max_tokens=100, counter=Grudging())
    assert 1 <= len(made.pieces) < 3
    assert made.token_count <= 100


def test_heading_without_words_gives_no_orientation():
    made = build_context(hits({"a.md": "#\n\nx\n\n## B\n\ny\n"}, [1]), max_tokens=100, counter=COUNTER)
    assert made.text.startswith("a\n[a.md#b:")


def test_pack_grows_over_blank_lines_on_both_sides():
    text = "# A\n\nfirst\n\n\nsecond\n\nkey word\n\n\n\nthird\n" + "\nmore words here" * 400
    hit = hits({"a.md": text})[0]
    where = text.index("key word")
    made = build_context([replace(hit, passage=Window(where, where + 8))], max_tokens=40, counter=COUNTER)
    assert made.pieces[0].text.splitlines()[:4] == ["# A", "", "first", ""]
    assert (made.pieces[0].start_line, made.pieces[0].is_whole) == (1, False)


def test_part_of_a_section_of_blank_lines_is_its_lines_with_text():
    text = "# A\n\nkey" + "\n" * 50_000 + "end\n" + "word " * 5000
    hit = hits({"a.md": text})[0]
    made = build_context([replace(hit, passage=Window(5, 8))], max_tokens=100, counter=COUNTER)
    assert [(piece.text, piece.is_whole) for piece in made.pieces] == [("# A\n\nkey", False)]


def test_line_longer_than_any_room_is_left_out():
    hit = hits({"a.md": "# A\n\n" + "word " * 50_000})[0]
    made = build_context([replace(hit, passage=Window(5, 10))], max_tokens=100, counter=COUNTER)
    assert (made.pieces, made.left_out) == ((), ("a.md#a:L1-L3",))


def test_a_part_begins_from_the_snippet():
    long = "# Long\n\n" + "\n".join(f"Line {i} says nothing." for i in range(200)) + "\n"
    (hit,) = hits({"l.md": long})
    at, elsewhere = (hit.section.content.index(f"Line {i} ") for i in (150, 20))
    snippet = Snippet(text="Line 150", start=at, end=at + 8, start_line=153, end_line=153)
    made = build_context(
        [replace(hit, passage=Window(elsewhere, elsewhere + 8), snippet=snippet)], max_tokens=200, counter=COUNTER
    )
    (piece,) = made.pieces
    assert piece.start_line <= 153 <= piece.end_line
    assert "Line 150 says nothing." in piece.text
    assert "Line 20 says" not in piece.text


def test_snippet_that_is_too_long_for_the_budget_gives_its_first_lines():
    long = "# Long\n\n" + "\n".join(f"Line {i} says nothing." for i in range(200)) + "\n"
    (hit,) = hits({"l.md": long})
    begin, end = (hit.section.content.index(f"Line {i} ") for i in (150, 170))
    snippet = Snippet(text="Line 150", start=begin, end=end, start_line=153, end_line=172)
    made = build_context([replace(hit, snippet=snippet)], max_tokens=80, counter=COUNTER)
    (piece,) = made.pieces
    assert (piece.start_line, piece.text.split("\n")[0]) == (153, "Line 150 says nothing.")
    assert 40 < made.token_count <= 80


def test_snippet_that_is_too_long_for_the_budget_gives_the_passage_in_it():
    (hit,) = hits({"l.md": "# Long\n\n" + "\n".join(f"Line {i} says nothing." for i in range(200)) + "\n"})
    begin, at, end, elsewhere = (hit.section.content.index(f"Line {i} ") for i in (150, 165, 170, 20))
    snippet = Snippet(text="Line 150", start=begin, end=end, start_line=153, end_line=172)
    in_it, outside = (replace(hit, snippet=snippet, passage=Window(place, place + 8)) for place in (at, elsewhere))
    (piece,) = build_context([in_it], max_tokens=60, counter=COUNTER).pieces
    assert "Line 165 says nothing." in piece.text
    assert "Line 150 says nothing." not in piece.text
    (piece,) = build_context([outside], max_tokens=60, counter=COUNTER).pieces
    assert piece.text.startswith("Line 150 says nothing.")


def test_a_pack_of_what_is_only_near_says_so_within_its_budget():
    found = hits({"g.md": GUIDE}, [3, 2])
    made = build_context(found, max_tokens=500, counter=COUNTER, answered=False)
    assert made.answered is False
    assert made.text.startswith("No section answers this. The nearest are:\n\n# Guide\n")
    assert made.token_count == COUNTER.count(made.text)
    for budget in range(1, 60):
        small = build_context(found, max_tokens=budget, counter=COUNTER, answered=False)
        assert small.token_count <= budget
        assert not small.text or small.pieces
    assert build_context([], max_tokens=500, counter=COUNTER, answered=False).text == ""


def test_text_before_the_first_heading_stands_under_the_title():
    made = build_context(hits({"a.md": "Loose words.\n\n# A\n\nx\n"}, [0]), max_tokens=100, counter=COUNTER)
    assert made.text == "A\n[a.md:L1-L1]\nLoose words."


def test_a_passage_of_blank_lines_alone_gives_no_part():
    text = "# A\n\nfirst\n" + "\n" * 5 + "word " * 600 + "\n"
    hit = hits({"a.md": text})[0]
    assert build_context([replace(hit, passage=Window(13, 15))], max_tokens=3, counter=COUNTER).pieces == ()
    made = build_context([replace(hit, passage=Window(13, 15))], max_tokens=60, counter=COUNTER)
    assert made.pieces == ()


def test_each_piece_says_its_language():
    documents = {
        "a.md": "# A\n\nThe key of the house.\n",
        "b.md": "# 鍵\n\n鍵を回します。\n",
        "c.md": "# 열쇠\n\n열쇠를 돌립니다.\n",
    }
    made = build_context(hits(documents), max_tokens=500, counter=COUNTER)
    assert [piece.language for piece in made.pieces] == ["en", "ja", "ko"]


def test_pack_leaves_out_what_is_hidden():
    pack = build_context(hits({"a.md": "# A\n\n<b>one</b> two\n"}), max_tokens=100, counter=COUNTER)
    assert pack.pieces[0].text == "# A\n\none two"


def test_citation_in_a_converted_file_has_places_instead_of_lines():
    (hit,) = hits({"a.pdf": "# A\n\nOne.\n\n<!-- page 3 -->\n\nTwo.\n"})
    converted = replace(hit, section=replace(hit.section, place="page 2"))
    (piece,) = build_context([converted], max_tokens=200, counter=COUNTER).pieces
    assert (piece.citation, piece.place) == ("a.pdf#a, page 2 to page 3", "page 2 to page 3")


def test_what_found_no_room_of_a_converted_file_is_named_by_its_place():
    (hit,) = hits({"a.pdf": "# A\n\n" + "Words of the page. " * 50 + "\n"})
    converted = replace(hit, section=replace(hit.section, place="page 2"))
    assert build_context([converted], max_tokens=20, counter=COUNTER).left_out == ("a.pdf#a, page 2",)


def test_part_does_not_begin_with_the_line_below_a_heading():
    text = f"Rates of all {'long ' * 40}\n====\n\nOne.\n\nTwo.\n\n{'Three. ' * 400}\n"
    (hit,) = hits({"r.md": text})
    start = hit.section.content.index("Two.")
    made = build_context([replace(hit, passage=Window(start, start + 4))], max_tokens=100, counter=COUNTER)
    assert made.text.split("\n")[1:] == ["One.", "", "Two."]


@pytest.mark.parametrize("text", ["# T\n\nText <b\nclass='x'>bold</b> here.\n", "# T\n\n<a href='x'>\n\nText\n\n</a>"])
def test_markup_with_a_line_end_or_at_the_end_leaves_the_lines_as_they_are(text):
    made = build_context(hits({"t.md": text}), max_tokens=200, counter=COUNTER)
    assert made.pieces[0].start_line == 1
    assert "Text" in made.text


def test_part_that_would_be_a_heading_alone_is_left_out():
    (hit,) = hits({"r.md": f"# Rates\n\n#### A part\n\n{'One long line of text that goes on. ' * 40}\n"})
    start = hit.section.content.index("#### A part")
    made = build_context([replace(hit, passage=Window(start, start + 11))], max_tokens=60, counter=COUNTER)
    assert (made.text, made.left_out) == ("", ("r.md#rates:L1-L5",))


def test_small_pack_has_no_worse_section_in_place_of_the_best():
    found = hits({"a.md": f"# A\n\n{'One long line of text that goes on. ' * 40}\n", "b.md": "# B\n\nShort.\n"})
    assert build_context(found, max_tokens=100, counter=COUNTER).pieces == ()
    assert [piece.text for piece in build_context(found, max_tokens=250, counter=COUNTER).pieces] == ["# B\n\nShort."]
