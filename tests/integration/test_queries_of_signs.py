"""Queries without a letter or a digit: signs that a section has, and those that none has."""

import json

import pytest

from schema.query_language import parse_fields
from search.sources.signs import sections_with_signs

EMPTY = "search: The query is empty; ask a question or give some words.\n"
OPERATORS = "# Rust\n\n## The `?` operator\n\nIt hands errors on. Why?! That is shorter.\n\n## Both\n\nBuild `a && b`, wait ... and go 🙂.\n"


@pytest.fixture
def indexed(project):
    project.write("docs/rust.md", OPERATORS)
    project.write("docs/plain.md", "# Plain\n\nWhat is said here? Nothing, really!\n")
    project.index()
    return project


@pytest.fixture
def run(indexed, command_in, monkeypatch, tmp_path):
    monkeypatch.setenv("SECTIONARY_STATE_DIR", str(tmp_path / "state"))
    return command_in(indexed)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("?", True), ('"?"', True), ("&&", True), ("...", True), ("🙂", True), ("? &&", False), ("&& ...", True), ("!", False),
        (".", False), (",", False), ("||", False), ("??", False), ('""', False), ("“”", False), ("「」", False), ("'", False),
    ],
)  # fmt: skip
def test_signs_are_held_where_a_section_has_all_of_them_not_as_the_end_of_a_word(indexed, words, expected):
    found = indexed.engine().read(lambda source: sections_with_signs(source, words, source.first_keys(10)))
    assert bool(found) is expected


def test_sections_of_a_large_index_are_not_read_for_signs(indexed, monkeypatch):
    monkeypatch.setattr("search.sources.signs.MOST_READ", 2)
    assert indexed.engine().read(lambda source: sections_with_signs(source, "||", source.first_keys(10))) is None
    assert len(indexed.engine().search("||", mode="dense")) == 3


def test_signs_find_the_sections_that_have_them_and_no_others(indexed):
    page = indexed.engine().page("&&")
    assert [(hit.section.heading, hit.relevance) for hit in page.results] == [("Both", 0.5)]
    assert page.answered


def test_section_with_the_sign_in_its_heading_comes_first(project):
    project.write("docs/a.md", "# Errors\n\nWrite `?` or `?` or `?`.\n\n## The `?` operator\n\nIt hands errors on.\n")
    project.index()
    hits = project.engine().search("?")
    assert [(hit.section.heading, hit.relevance) for hit in hits] == [("The ? operator", 1.0), ("Errors", 0.5)]
    assert [hit.section.heading for hit in project.engine().search("?", limit=1, offset=1)] == ["Errors"]


def test_snippet_and_marks_show_the_signs(project):
    filler = "A line that says nothing of it.\n\n" * 40
    project.write("docs/a.md", f"# Shell\n\n{filler}Chain them with `a && b`.\n\n{filler}")
    project.index()
    (hit,) = project.engine().search("&&")
    assert "Chain them with `a && b`." in hit.snippet.text
    assert [hit.section.text[match.start : match.end] for match in hit.matches] == ["&&"]
    assert [hit.snippet.text[match.start : match.end] for match in hit.snippet.matches] == ["&&"]


@pytest.mark.parametrize(
    ("query", "expected"), [("?", True), ("a?", False), ("に", False), ("tag:x", False), ("? tag:x", True)]
)
def test_words_without_a_letter_or_a_digit_are_signs(query, expected):
    assert parse_fields(query).is_of_signs is expected


@pytest.mark.parametrize("query", ['""', "!", "||", '"||" path:docs/'])
@pytest.mark.parametrize("options", [(), ("--json",), ("--files", "-q"), ("context",)])
def test_query_of_signs_that_no_section_has_is_an_empty_one(run, query, options):
    assert run(*options, query) == (2, "", EMPTY)


@pytest.mark.parametrize("mode", ["hybrid", "lexical", "dense"])
def test_every_mode_finds_signs(run, mode):
    assert [hit["heading"] for hit in json.loads(run("--json", "--mode", mode, "&&")[1])["results"]] == ["Both"]


def test_filters_that_leave_nothing_of_signs_are_told(run):
    assert "The filters leave nothing of what was found (path nowhere/)" in run("--mode", "dense", "&& path:nowhere/")[2]
