"""A query that is an identifier leads to the section with a heading within of just this identifier."""

import numpy as np
import pytest

from search.ranking.names import name_match
from search.ranking.query import parse_query
from search.ranking.rank import rank
from tests.unit.test_relevance import ask, snapshot, source

OPTIONS = (
    "# Options\n\n## All of them\n\nWhat can be set.\n\n#### `{name}`\n\n* Default: 3\n\nHow often it is tried again.\n"
)
OTHERS = "# Command\n\n## Usage\n\nGive {name} and {name}, or {name} again. The {name} of a {name} is {name}.\n"


def first(query, *, name="fetch-retries", copies=0):
    """The path of the first section for a query."""
    more = {f"copy{number}": f"# Page {number}\n\n#### `{name}`\n\nText {number}.\n" for number in range(copies)}
    index = snapshot(options=OPTIONS.format(name=name), usage=OTHERS.format(name=name), **more)
    ranking = rank(index, parse_query(query), None, mode="lexical", dense_weight=0.0, allowed=np.ones(index.rows, np.bool_))
    return index.path(int(ranking.order[0]))


@pytest.mark.parametrize("query", ["fetch-retries", "--fetch-retries", "fetch-retries()"])
def test_heading_within_a_section_is_found_by_the_identifier_that_it_is(query):
    assert first(query) == "options.md"


@pytest.mark.parametrize("name", ["retryCount", "http.retries", "FETCH_RETRIES", "ns::retries"])
def test_identifiers_of_every_kind_are_names_of_headings_within(name):
    assert first(name, name=name) == "options.md"


@pytest.mark.parametrize("query", ["fetch-retries again", "retries of fetch"])
def test_query_of_more_words_than_the_identifier_is_none(query):
    assert first(query) == "usage.md"


def gains(query, **more):
    """What the sections with options gain by their names, and what the others do at most."""
    index = snapshot(options=OPTIONS.format(name="fetch-retries"), usage=OTHERS.format(name="fetch-retries"), **more)
    asked = parse_query(query)
    scores = name_match(index, asked, asked.weights)
    own = [score for row, score in enumerate(scores.tolist()) if index.path(row) == "options.md"]
    return max(own), max(score for row, score in enumerate(scores.tolist()) if index.path(row) != "options.md")


@pytest.mark.parametrize("query", ["what is fetch-retries for", "when to give --fetch-retries to it"])
def test_section_gains_where_a_rare_identifier_of_a_question_begins_a_line(query):
    own, others = gains(query)
    assert own >= others + 0.25


@pytest.mark.parametrize("signs", ["_.._", "__-._", "$___", "--_--_"])
def test_a_question_with_signs_that_look_like_an_identifier_is_answered_as_one_without(signs):
    assert gains(f"what is {signs} for")[0] == gains("what is it for")[0]


def test_section_gains_nothing_by_an_identifier_that_many_sections_have():
    more = {f"copy{number}": f"# Page {number}\n\nOf fetch-retries {number}.\n" for number in range(20)}
    own, others = gains("what is fetch-retries for", **more)
    assert own <= others + 0.05


def test_word_alone_is_no_identifier():
    assert first("retries", name="retries") == "usage.md"


def test_line_that_many_sections_have_leads_to_none_of_them():
    assert first("fetch-retries", copies=20) == "usage.md"


def test_section_with_the_identifier_goes_before_one_with_its_words():
    near = "# Page\n\n## Retries\n\nFetch: retries of a fetch, which retries and retries, and all fetch retries.\n"
    far = "# Settings\n\n## Names\n\nOf many names that were changed in the last version, one is FETCH_RETRIES now.\n"
    index = snapshot(near=near, far=far)

    def order(query):
        ranking = rank(
            index, parse_query(query), None, mode="lexical", dense_weight=0.0, allowed=np.ones(index.rows, np.bool_)
        )
        return [index.path(row) for row in ranking.order.tolist()][:1]

    assert order("fetch retries") == ["near.md"]
    assert order("FETCH_RETRIES") == ["far.md"]


API = (
    "# fs\n\n## `fs.rm(path[, options], callback)`\n\nRemoves files.\n\n## `fs.unlink(path)`\n\nSee\n`fs.rm()`\nfor folders.\n\n"
    "## `--title=title`\n\nSets the title of the process.\n\n## NODE_OPTIONS\n\n* `--title`\n* `--other`\n\n"
    "## Class: `fs.Rm`\n\nText on it.\n"
)


@pytest.mark.parametrize(
    ("query", "heading"),
    [
        ("fs.rm", "fs.rm(path[, options], callback)"),
        ("fs.rm()", "fs.rm(path[, options], callback)"),
        ("--title", "--title=title"),
        ("fs.unlink", "fs.unlink(path)"),
    ],
)
def test_heading_that_is_an_identifier_with_what_it_is_given_stands_before_lines_with_it(query, heading):
    headings, _ = ask(source(fs=API), query)
    assert headings[0] == heading


def test_copies_of_a_text_keep_the_names_that_their_headings_are():
    text = "Removes files and folders, as the command of this name does, and tells when that is done."
    sections = "".join(f"## fs.{name}(path)\n\n{text}\n\n" for name in ("rm", "rmdir", "unlink"))
    headings, _ = ask(source(fs=f"# fs\n\n{sections}", old="# Old\n\n- `fs.rmdir` is old.\n"), "fs.rmdir")
    assert headings[0] == "fs.rmdir(path)"
