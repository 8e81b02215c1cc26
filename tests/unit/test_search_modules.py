"""Fusion, context, JSON and terminal text."""

import json
import re
from dataclasses import replace
from unicodedata import east_asian_width

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schema.results import (
    Context,
    ContextPack,
    ContextPiece,
    ResultPage,
    SearchResult,
    SectionLink,
    SimilarSection,
    Snippet,
    Translation,
    Window,
)
from schema.sections import Section
from search.answers.formats import render_markdown
from search.answers.render import Style, clip, render_evaluation, render_outline, render_results, render_translations, wrap
from search.answers.wire import evaluation_to_json, pack_to_json, result_to_json, search_to_json
from search.context.outline import contexts_of
from search.evaluation import Evaluation, Judged, Question


def link(identity, parent=None, position=0, depth=1):
    return SectionLink(
        id=identity, document_path="a.md", heading=identity.upper(), depth=depth, parent_id=parent, order=0, position=position,
        anchor=identity, start_line=1, end_line=2, token_count=3, section_number=(1,),
    )  # fmt: skip


OUTLINE = [link("a"), link("b", "a", 1, 2), link("c", "b", 2, 3), link("d", "b", 3, 3), link("e", "a", 4, 2)]


def ids(links):
    return [entry.id for entry in links]


def test_context_of_a_section_in_the_middle():
    context = contexts_of(["b"], OUTLINE)["b"]
    assert (ids(context.ancestors), context.previous.id, context.next.id, ids(context.children)) == (
        ["a"],
        "a",
        "c",
        ["c", "d"],
    )


def test_context_at_the_ends():
    assert (contexts_of(["a"], OUTLINE)["a"].previous, contexts_of(["e"], OUTLINE)["e"].next) == (None, None)
    assert ids(contexts_of(["d"], OUTLINE)["d"].ancestors) == ["a", "b"]


def test_context_of_an_unknown_section_is_empty():
    assert contexts_of(["x"], OUTLINE)["x"] == Context()


def test_parents_in_a_ring_do_not_hang():
    assert ids(contexts_of(["a"], [link("a", "b"), link("b", "a", 1)])["a"].ancestors) == ["a", "b"]


SECTION = Section(
    id="i", document_path="docs/a.md", heading="B", depth=2, content="## B\n\nline 1\n\n\nline 2\x1b[31m\n", token_count=9, parent_id="a",
    order=0, heading_path=("A", "B\u202e"), anchor="b", start_line=3, end_line=8, body_start=5, section_number=(1, 1), document_title="A",
)  # fmt: skip
COLOUR = Style(colour=True)
SNIPPET = Snippet(text="line 1\nline 2\x1b[31m", start=6, end=25, start_line=5, end_line=8)
HIT = SearchResult(
    section=SECTION, score=0.5, relevance=0.714, scores={"lexical": 2.0}, context=contexts_of(["b"], OUTLINE)["b"], snippet=SNIPPET
)  # fmt: skip


def page(*hits):
    return ResultPage(results=hits, relevance=0.7, min_relevance=0.35)


def shown(text, *matches, **changed):
    """A hit with this snippet."""
    return replace(HIT, snippet=replace(SNIPPET, text=text, matches=matches), **changed)


def test_json_has_the_documented_keys_and_version_first():
    answer = search_to_json("q", "hybrid", page(HIT), took_ms=1.26)
    assert list(answer) == ["schema_version", "query", "mode", "took_ms", "answered", "min_relevance", "results"]
    assert (answer["schema_version"], answer["took_ms"]) == (1, 1.3)
    result = json.loads(json.dumps(answer))["results"][0]
    assert {"id", "document_path", "document_title", "heading", "heading_path", "depth", "anchor", "content", "token_count", "start_line",
            "end_line", "section_number", "trail", "relevance", "snippet", "similar", "score", "scores", "is_dirty", "is_pending", "stale",
            "summary", "document_summary", "context"} <= set(result)  # fmt: skip
    assert [a["heading"] for a in result["context"]["ancestors"]] == ["A"]
    assert (result["context"]["previous"]["id"], result["window"]) == ("a", None)


def test_json_has_null_where_there_is_no_neighbour():
    result = result_to_json(replace(HIT, context=Context(), window=Window(1, 2)))
    assert (result["context"]["previous"], result["context"]["next"], result["window"]) == (
        None,
        None,
        {"start": 1, "end": 2},
    )


def test_text_names_place_and_path_and_is_safe():
    assert render_results([HIT]) == (
        "1. A > B\\u202e\n   docs/a.md:5  section 3-8  relevance 0.71\n   | line 1\n   | line 2\\x1b[31m"
    )


def test_line_breaks_in_names_forge_no_line():
    section = replace(SECTION, document_path="docs/p\n1. Forged", heading_path=("A\r\n2. Forged", "B\tC"))
    told = render_results([replace(HIT, section=section)])
    assert told.splitlines()[:2] == [
        "1. A > A\\x0d\\x0a2. Forged > B\\x09C",
        "   docs/p\\x0a1. Forged:5  section 3-8  relevance 0.71",
    ]
    assert "Forged\\x0aC  L1-2" in render_outline([replace(OUTLINE[0], heading="Forged\nC")])


def test_the_place_is_the_line_of_the_answer_and_of_the_section_where_all_is_shown():
    assert "   docs/a.md:5  section 3-8" in render_results([HIT])
    assert "   docs/a.md:3  section 3-8" in render_results([HIT], full=True)
    assert "   docs/a.md:3  section 3-8" in render_results([replace(HIT, snippet=None)])


def test_a_section_by_its_id_has_no_relevance():
    assert render_results([replace(HIT, score=0.0)]).split("\n")[1] == "   docs/a.md:5  section 3-8"


def test_similar_sections_are_counted_and_named():
    others = tuple(SimilarSection(id=i, document_path=f"v{i}/a\n.md", heading="B", start_line=4) for i in "12")
    told = render_results([replace(HIT, similar=others)])
    assert told.split("\n")[2] == "   +2 similar: v1/a\\x0a.md:4, v2/a\\x0a.md:4"
    assert max(map(len, render_results([replace(HIT, similar=others * 9)], Style(width=60)).split("\n"))) <= 60


def test_a_summary_stands_below_the_place_on_one_safe_line():
    hit = replace(HIT, section=replace(HIT.section, summary="Says\nmore \x1b[31m."))
    assert render_results([hit]).split("\n")[2] == "   = Says more \\x1b[31m."


def test_a_summary_that_only_repeats_the_text_is_left_out():
    hit = replace(HIT, section=replace(HIT.section, summary="line 1"))
    assert "   = " not in render_results([hit])


def test_matches_are_bold_on_a_terminal_only():
    hit = shown("line 1 and line 2", Window(0, 4), Window(11, 15))
    assert "   | \x1b[1mline\x1b[0m 1 and \x1b[1mline\x1b[0m 2" in render_results([hit], COLOUR)
    assert "\x1b[" not in render_results([hit])


def test_bold_goes_on_in_the_next_line_and_ends_with_every_line():
    hit = shown("word " * 8, Window(0, 34))
    told = render_results([hit], replace(COLOUR, width=20)).split("\n")[2:]
    assert told == [
        f"   | \x1b[1m{'word word word'}\x1b[0m",
        f"   | \x1b[1m{'word word word'}\x1b[0m",
        "   | \x1b[1mword\x1b[0m word",
    ]


def test_the_lines_of_a_snippet_stay_lines():
    told = render_results([shown("one two\n- a b\n検索の しくみ\n    code()")]).split("\n")[2:]
    assert told == ["   | one two", "   | - a b", "   | 検索の しくみ", "   |     code()"]


@pytest.mark.parametrize("width", [80, 200])
def test_no_line_is_wider_than_the_terminal_nor_tiring(width):
    text = "検索 word and `code` " * 40 + "\n\n" + "x" * 500 + "\n"
    hit = shown(text, section=replace(SECTION, heading_path=("long " * 60,)))
    lines = render_results([hit], Style(width=width)).split("\n")
    assert max(columns(line) for line in lines) <= width
    assert max(columns(line) for line in lines[2:]) <= 100


def columns(text):
    return sum(2 if east_asian_width(c) in "WF" else 1 for c in text)


def test_the_path_is_a_link_where_there_is_a_folder(tmp_path):
    told = render_results([HIT], Style(root=tmp_path))
    assert f"\x1b]8;;{(tmp_path / 'docs/a.md').as_uri()}#L5\x1b\\docs/a.md:5\x1b]8;;\x1b\\" in told
    assert "\x1b]" not in render_results([HIT])


@given(st.text(alphabet="ab 検索검\t", max_size=60), st.integers(4, 30))
def test_wrapping_loses_nothing_but_blanks_and_is_never_too_wide(text, width):
    parts = wrap(text, width)
    assert "".join("".join(parts).split()) == "".join(text.split())
    assert all(columns(part) <= width for part in parts)


def test_what_is_left_of_a_line_is_broken_again_where_it_is_still_too_wide():
    assert wrap("a検a検", 4) == ["a検a", "検"]
    assert wrap("a bc検、", 4) == ["a bc", "検、"]


def test_no_line_begins_with_a_closing_sign_or_ends_with_an_opening_one():
    assert wrap("検索する、「答え」を", 10) == ["検索する、", "「答え」を"]
    assert wrap("あ「答えを出す", 4) == ["あ", "「答", "えを", "出す"]


def test_explanation_names_every_step():
    hit = replace(HIT, parts={"lexical": 0.4, "heading": 0.1})
    assert "     lexical   +0.400  (2.000)\n     heading   +0.100\n" in render_results([hit], explain=True)


def test_numbers_go_on_from_the_first():
    assert render_results([HIT], first=11).startswith("11. ")


def test_outline_is_indented_by_depth():
    assert render_outline(OUTLINE[:2]) == "  A    L1-2  3 tokens  a\n    B  L1-2  3 tokens  b"


def test_outline_has_the_summary_below_a_section():
    rows = [replace(OUTLINE[0], summary="On\nA.\x1b[31m"), OUTLINE[1]]
    expected = "  A    L1-2  3 tokens  a\n    = On A.\\x1b[31m\n    B  L1-2  3 tokens  b"
    assert render_outline(rows) == expected


def test_an_outline_calls_the_text_before_the_first_heading_by_the_title():
    root = replace(link("r", depth=0), heading="Manual")
    assert render_outline([root, OUTLINE[0]]).split("\n")[0] == "Manual  L1-2  3 tokens  r"
    same = replace(root, heading="A")
    assert render_outline([same, OUTLINE[0]]).split("\n")[0].startswith("(before the first heading)  L1-2")


def test_the_same_page_in_other_languages_stands_below_an_outline():
    assert render_translations([]) == ""
    others = [Translation(path="ja/a\nb.md", title="", language="ja"), Translation(path="x.md", title="", language="")]
    assert render_translations(others) == "\nAlso in ja: ja/a\\x0ab.md\nAlso in another language: x.md"


def test_text_says_what_is_stale_however_long_the_headings_are():
    hit = replace(HIT, stale=True, section=replace(SECTION, heading="L" * 90, heading_path=("A", "Middle", "L" * 90)))
    assert re.fullmatch(r"1\. … > L+…  \[stale\]", render_results([hit], Style(width=60)).split("\n")[0])


def test_a_list_in_markdown_says_what_is_stale():
    lines = render_markdown([replace(HIT, stale=True), HIT], Style()).split("\n")
    assert [line for line in lines if line.startswith("- ")] == ["- [B](docs/a.md#b) (stale)", "- [B](docs/a.md#b)"]


def test_headings_in_the_middle_give_way_to_the_last_one():
    hit = replace(HIT, section=replace(SECTION, heading="End", heading_path=("A", "Middle " * 12, "End")))
    assert render_results([hit], Style(width=40)).split("\n")[0] == "1. A > … > End"


def test_text_says_what_is_stale_or_not_embedded():
    hit = replace(HIT, stale=True, is_pending=True)
    assert "[stale]  [not yet embedded]" in render_results([hit])


def test_a_vector_that_would_have_no_say_is_not_missed():
    assert "not yet embedded" not in render_results([replace(HIT, section=replace(SECTION, is_dirty=True))])


@pytest.mark.parametrize("body", ["", "\n-----\n"])
def test_heading_alone_or_with_a_rule_shows_the_headings_below_it(body):
    alone = replace(HIT, section=replace(SECTION, content=f"## B\n{body}", body_start=5), snippet=None)
    assert render_results([alone]).splitlines()[2:] == ["   | Sections below it: C, D"]


def test_heading_alone_with_nothing_below_is_shown_itself():
    alone = replace(HIT, section=replace(SECTION, content="## B\n", body_start=5), snippet=None, context=Context())
    assert render_results([alone]).splitlines()[2:] == ["   | ## B"]


def test_a_long_section_is_shown_in_full_where_that_is_asked_for():
    hit = replace(HIT, section=replace(SECTION, content="## B\n\n" + "".join(f"- {i}\n" for i in range(9))))
    assert render_results([hit]).endswith("   | line 1\n   | line 2\\x1b[31m")
    assert render_results([hit], full=True).endswith("   | - 7\n   | - 8")


@pytest.mark.parametrize(
    ("text", "cut"),
    [("short", "short"), ("a longer text", "a lon…"), ("検索エンジン", "検索…"), ("e\u0301" * 6, "e\u0301" * 6)],
)
def test_text_is_cut_by_columns(text, cut):
    assert clip(text, 6) == cut


def test_pack_as_json_has_its_pieces():
    piece = ContextPiece(
        section_id="i", citation="a.md#b:L1-L2", text="t", start_line=1, end_line=2, is_whole=True, token_count=1
    )
    made = pack_to_json("q", ContextPack(text="t", token_count=9, max_tokens=10, pieces=(piece,), left_out=("x",)))
    assert (made["schema_version"], made["query"], made["token_count"], made["max_tokens"]) == (1, "q", 9, 10)
    assert made["answered"] is True
    assert made["pieces"][0]["citation"] == "a.md#b:L1-L2"
    assert made["left_out"] == ["x"]


def test_evaluation_as_text_and_json():
    judged = (Judged(Question("q\x1b", ("a.md",)), 0.5, {"a.md": 2}), Judged(Question("r", ("b.md",)), 0.0, {"b.md": None}))
    found = Evaluation("hybrid", {"nDCG@10": 0.25}, judged, ("b.md",))
    assert render_evaluation(found, worst=1) == (
        "2 questions, hybrid\n  nDCG@10     0.250\n0.00  r  (b.md at none of the first 100)"
    )
    made = evaluation_to_json(found)
    assert (made["means"], made["unknown"]) == ({"nDCG@10": 0.25}, ["b.md"])
    assert made["questions"][0] == {"query": "q\x1b", "nDCG@10": 0.5, "places": {"a.md": 2}}


def test_matches_of_a_whole_section_are_those_of_its_content():
    hit = replace(HIT, matches=(Window(6, 10),))
    assert "   | \x1b[1mline\x1b[0m 1" in render_results([hit], COLOUR, full=True)


def test_of_very_many_children_the_first_thousand_are_told():
    outline = [link("top"), *(link(f"c{i}", "top", i + 1, 2) for i in range(1200))]
    found = contexts_of(["top", "c7"], outline)
    assert (len(found["top"].children), found["top"].children[-1].id) == (1000, "c999")
    assert (found["c7"].previous.id, found["c7"].next.id, ids(found["c7"].ancestors)) == ("c6", "c8", ["top"])


def test_whole_section_is_shown_without_what_is_hidden():
    content = "## B\n\n<Tab>\none <b>line</b> two\n</Tab>\n    code\n"
    hidden = (6, 11, 16, 19, 23, 27, 32, 38)
    hit = replace(HIT, section=replace(SECTION, content=content, hidden=hidden), matches=())
    assert render_results([hit], full=True).splitlines()[2:] == ["   | ## B", "   |", "   | one line two", "   |     code"]
