"""Hits of converted files in a terminal: they are at pages and cells, not at lines."""

from dataclasses import replace

import pytest

from schema.index_files.roots import IndexRoots, Root
from schema.results import SearchResult, SectionLink, SimilarSection, Snippet
from schema.sections import Section
from search.answers.formats import render_grep
from search.answers.paths import UserPaths
from search.answers.render import Style, render_outline, render_results

SECTION = Section(
    id="i", document_path="docs/a.pdf", heading="B", depth=2, content="## B\n\nline 1\n", token_count=9, parent_id="a", order=0,
    heading_path=("A", "B"), anchor="b", start_line=3, end_line=8, body_start=5, section_number=(1, 1), document_title="A", place="page 2",
)  # fmt: skip
SNIPPET = Snippet(text="line 1", start=6, end=12, start_line=5, end_line=5, place="page 3")
PLAIN = Style()
HIT = SearchResult(section=SECTION, score=0.5, relevance=0.714, snippet=SNIPPET)


def second_line(hit, style=PLAIN, **options):
    return render_results([hit], style, **options).split("\n")[1]


def test_hit_in_a_converted_file_has_the_place_of_its_snippet():
    assert second_line(HIT) == "   docs/a.pdf, page 3  section from page 2 on  relevance 0.71"


def test_place_of_the_section_is_told_once():
    told = "   docs/a.pdf, page 2  relevance 0.71"
    assert second_line(replace(HIT, snippet=replace(SNIPPET, place="page 2"))) == told
    assert second_line(replace(HIT, snippet=None)) == told


def test_whole_section_has_its_own_place():
    assert second_line(HIT, full=True) == "   docs/a.pdf, page 2  relevance 0.71"


def test_link_to_a_converted_file_has_no_line(tmp_path):
    told = second_line(HIT, Style(root=tmp_path))
    assert told.startswith(f"   \x1b]8;;{(tmp_path / 'docs/a.pdf').as_uri()}\x1b\\docs/a.pdf, page 3\x1b]8;;\x1b\\  ")


def test_similar_section_has_its_place():
    other = SimilarSection(id="s", document_path="b.pdf", heading="B", start_line=7, place="page 9")
    assert "   +2 similar: b.pdf (page 9), b.pdf:7" in render_results(
        [replace(HIT, similar=(other, replace(other, place="")))]
    )


def test_outline_of_a_converted_file_has_places():
    link = SectionLink(
        id="a", document_path="a.pdf", heading="A", depth=1, parent_id=None, order=0, position=0, anchor="a", start_line=1,
        end_line=2, token_count=3, section_number=(1,), place="page 4",
    )  # fmt: skip
    assert render_outline([link]) == "  A  page 4  3 tokens  a"


def test_link_to_a_converted_file_leads_to_the_line_of_its_place(tmp_path):
    hit = replace(HIT, snippet=replace(SNIPPET, place="after line 40"))
    told = render_results([hit], Style(root=tmp_path)).split("\n")[1]
    assert f"{(tmp_path / 'docs/a.pdf').as_uri()}#L40\x1b" in told


@pytest.mark.parametrize(("place", "line"), [("", 5), ("line 40", 40), ("page 3", 1), ("cell 4", 1)])
def test_place_for_an_editor_is_a_line_of_the_users_file(place, line):
    hit = replace(HIT, snippet=replace(SNIPPET, place=place), section=replace(HIT.section, place=place))
    assert render_grep([hit], Style()).startswith(f"docs/a.pdf:{line}:")


def test_folder_of_a_hit_is_told_where_the_index_has_several(tmp_path):
    def told(*roots):
        paths = UserPaths(IndexRoots(tmp_path, tuple(Root(path=path) for path in roots)), tmp_path)
        return second_line(replace(HIT, root="notes"), Style(paths=paths))

    assert told("docs", "notes").endswith("relevance 0.71  of notes")
    assert told("docs").endswith("relevance 0.71")


@pytest.mark.parametrize(
    ("score", "facts"), [(0.0, "section from page 2 on"), (0.5, "section from page 2 on  relevance 0.71")]
)
def test_relevance_is_told_of_a_hit_with_a_score_alone(score, facts):
    assert second_line(replace(HIT, score=score)) == f"   docs/a.pdf, page 3  {facts}"


def test_address_of_a_hit_stands_below_its_place():
    told = render_results([replace(HIT, url="https://docs.example/a")]).split("\n")
    assert told[2] == "   https://docs.example/a"


def test_id_of_a_hit_is_shown_where_it_is_asked_for():
    assert render_results([HIT], PLAIN, ids=True).split("\n")[2] == "   id i"
