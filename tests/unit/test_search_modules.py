"""Fusion, context, JSON and terminal text."""

import json
from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schema.commands import printable
from schema.results import Context, SearchResult, SectionLink, Window
from schema.sections import Section
from search.context import context_of
from search.fusion import fuse, trust
from search.render import clip, render_results
from search.wire import search_to_json


@dataclass(frozen=True)
class Found:
    id: str
    score: float
    coverage: float = 1.0


def ranked(*args, weight=0.5):
    return [(f.id, round(f.score, 3)) for f in fuse(*args, weight=weight)]


def test_each_list_counts_by_its_own_range():
    dense = [Found("a", 0.9), Found("b", 0.5), Found("c", 0.1)]
    lexical = [Found("b", 20), Found("d", 10)]
    assert ranked(dense, lexical) == [("b", 0.75), ("a", 0.5), ("d", 0.0), ("c", 0.0)]


def test_weight_moves_the_balance():
    dense, lexical = [Found("a", 2), Found("b", 1)], [Found("b", 2), Found("a", 1)]
    assert ranked(dense, lexical, weight=0.7)[0] == ("a", 0.7)
    assert ranked(dense, lexical, weight=0.3)[0] == ("b", 0.7)


def test_words_alone_decide_where_vectors_found_nothing():
    assert ranked([], [Found("a", 3), Found("b", 1)]) == [("a", 1.0), ("b", 0.0)]


def test_vectors_alone_decide_where_words_found_nothing():
    assert ranked([Found("a", 0.9), Found("b", 0.1)], []) == [("a", 1.0), ("b", 0.0)]


def test_vector_of_text_the_model_does_not_know_counts_nothing():
    assert ranked([Found("a", 0.9, coverage=0.1), Found("b", 0.8)], [Found("c", 1)]) == [("c", 0.5), ("b", 0.0)]


def test_raw_scores_are_kept():
    assert fuse([Found("a", 0.9)], [Found("a", 7.0)], weight=0.5)[0].scores == {"dense": 0.9, "lexical": 7.0}


def test_ties_go_by_place_then_by_id():
    assert [i for i, _ in ranked([], [Found("b", 1), Found("a", 1)])] == ["b", "a"]
    assert [i for i, _ in ranked([Found("b", 1)], [Found("a", 1)])] == ["a", "b"]


def test_asking_for_more_candidates_changes_no_score_and_only_appends():
    dense = [Found(f"d{i:03}", 300 - i) for i in range(300)]
    lexical = [Found(f"l{i:03}", 300 - i) for i in range(300)]
    few, many = ranked(dense[:100], lexical[:100]), ranked(dense, lexical)
    assert many[: len(few)] == few


@pytest.mark.parametrize("weight", [-0.1, 1.1])
def test_weight_out_of_range_is_refused(weight):
    with pytest.raises(ValueError, match="weight"):
        fuse([], [], weight=weight)


def test_trust_grows_with_coverage():
    assert [trust(c) for c in (0, 0.3, 0.5, 0.7, 1)] == [0, 0, 0.5, 1, 1]


CANDIDATES = st.lists(
    st.builds(Found, st.sampled_from("abcdef"), st.floats(-5, 50), st.floats(0, 1)), max_size=6, unique_by=lambda f: f.id
)


@given(CANDIDATES, CANDIDATES, st.floats(0, 1))
def test_fused_scores_lie_in_range_in_falling_order(dense, lexical, weight):
    scores = [f.score for f in fuse(dense, lexical, weight=weight)]
    assert all(0 <= s <= 1 for s in scores)
    assert scores == sorted(scores, reverse=True)


def link(identity, parent=None, position=0, depth=1):
    return SectionLink(
        id=identity, document_path="a.md", heading=identity.upper(), depth=depth, parent_id=parent, order=0, position=position,
        anchor=identity, start_line=1, end_line=2, token_count=3, section_number=(1,),
    )  # fmt: skip


OUTLINE = [link("a"), link("b", "a", 1, 2), link("c", "b", 2, 3), link("d", "b", 3, 3), link("e", "a", 4, 2)]


def ids(links):
    return [entry.id for entry in links]


def test_context_of_a_section_in_the_middle():
    context = context_of("b", OUTLINE)
    assert (ids(context.ancestors), context.previous.id, context.next.id, ids(context.children)) == (
        ["a"],
        "a",
        "c",
        ["c", "d"],
    )


def test_context_at_the_ends():
    assert (context_of("a", OUTLINE).previous, context_of("e", OUTLINE).next) == (None, None)
    assert ids(context_of("d", OUTLINE).ancestors) == ["a", "b"]


def test_context_of_an_unknown_section_is_empty():
    assert context_of("x", OUTLINE) == Context()


def test_parents_in_a_ring_do_not_hang():
    assert ids(context_of("a", [link("a", "b"), link("b", "a", 1)]).ancestors) == ["a", "b"]


SECTION = Section(
    id="i", document_path="docs/a.md", heading="B", depth=2, content="## B\n\nline 1\n\n\nline 2\x1b[31m\n", token_count=9, parent_id="a",
    order=0, heading_path=("A", "B\u202e"), anchor="b", start_line=3, end_line=8, body_start=5, section_number=(1, 1), document_title="A",
)  # fmt: skip
HIT = SearchResult(section=SECTION, score=0.5, scores={"lexical": 2.0}, context=context_of("b", OUTLINE))


def test_json_has_the_documented_keys_and_version_first():
    answer = search_to_json("q", "hybrid", [HIT], took_ms=1.26)
    assert list(answer) == ["schema_version", "query", "mode", "took_ms", "results"]
    assert (answer["schema_version"], answer["took_ms"]) == (1, 1.3)
    result = json.loads(json.dumps(answer))["results"][0]
    assert {"id", "document_path", "document_title", "heading", "heading_path", "depth", "anchor", "content", "token_count", "start_line",
            "end_line", "section_number", "score", "scores", "is_dirty", "stale", "summary", "document_summary", "context"} <= set(result)  # fmt: skip
    assert [a["heading"] for a in result["context"]["ancestors"]] == ["A"]
    assert (result["context"]["previous"]["id"], result["window"]) == ("a", None)


def test_json_has_null_where_there_is_no_neighbour():
    result = search_to_json("q", "hybrid", [replace(HIT, context=Context(), window=Window(1, 2))], took_ms=0)["results"][0]
    assert (result["context"]["previous"], result["context"]["next"], result["window"]) == (
        None,
        None,
        {"start": 1, "end": 2},
    )


def test_text_names_place_and_path_and_is_safe():
    assert render_results([HIT]) == ("1. A > B\\u202e\n   docs/a.md:3-8  score 0.500\n   | line 1\n   | line 2\\x1b[31m")


def test_text_shows_the_best_window():
    assert render_results([replace(HIT, window=Window(6, 12))]).endswith("   | line 1")


def test_text_says_what_is_stale_or_not_embedded():
    hit = replace(HIT, stale=True, section=replace(SECTION, is_dirty=True))
    assert "[stale]  [not yet embedded]" in render_results([hit])


def test_heading_alone_is_shown_itself():
    assert render_results([replace(HIT, section=replace(SECTION, content="## B\n"))]).endswith("   | ## B")


def test_long_section_is_cut_unless_full():
    hit = replace(HIT, section=replace(SECTION, content="## B\n\n" + "\n".join(map(str, range(9)))))
    assert render_results([hit]).endswith("   | 5\n   | … 3 more lines")
    assert render_results([hit], full=True).endswith("   | 8")


@pytest.mark.parametrize(
    ("text", "cut"),
    [("short", "short"), ("a longer text", "a lon…"), ("検索エンジン", "検索…"), ("e\u0301" * 6, "e\u0301" * 6)],
)
def test_text_is_cut_by_columns(text, cut):
    assert clip(text, 6) == cut


@given(st.text(max_size=50))
def test_printable_text_has_no_control_or_bidi_sign(text):
    assert not any(c in "\x1b\x9b\u202e\u2066\r\x07" for c in printable(text))
