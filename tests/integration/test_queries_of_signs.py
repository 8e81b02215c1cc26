"""Queries without a letter or a digit: signs that a section has, and those that none has."""

import json

import pytest

from schema.query_language import parse_fields
from search.sources.signs import may_have_signs

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
    assert indexed.engine().read(lambda source: may_have_signs(source, words)) is expected


def test_signs_of_a_large_index_are_taken_for_held(indexed, monkeypatch):
    monkeypatch.setattr("search.sources.signs.MOST_READ", 2)
    assert indexed.engine().read(lambda source: may_have_signs(source, "||")) is True


@pytest.mark.parametrize(
    ("query", "expected"), [("?", True), ("a?", False), ("に", False), ("tag:x", False), ("? tag:x", True)]
)
def test_words_without_a_letter_or_a_digit_are_signs(query, expected):
    assert parse_fields(query).is_of_signs is expected


@pytest.mark.parametrize("query", ['""', "!", "||", '"||" path:docs/'])
@pytest.mark.parametrize("options", [(), ("--json",), ("--files", "-q"), ("context",)])
def test_query_of_signs_that_no_section_has_is_an_empty_one(run, query, options):
    assert run(*options, query) == (2, "", EMPTY)


def test_query_of_signs_that_a_section_has_lists_the_nearest(run):
    assert json.loads(run("--json", "--mode", "dense", "&&")[1])["results"] != []
    assert run("--mode", "dense", "?")[0] == 0


def test_filters_that_leave_nothing_of_signs_are_told(run):
    assert "The filters leave nothing of what was found (path nowhere/)" in run("--mode", "dense", "&& path:nowhere/")[2]
