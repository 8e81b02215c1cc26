"""The section with the remedy stands before the one with the problem beside it."""

from dataclasses import replace

import numpy as np
import pytest

from search.ranking.query import parse_query
from search.ranking.rank import rank
from search.ranking.remedies import remedy_first
from tests.unit.test_relevance import snapshot

PAGE = """# Maximum depth exceeded

## Issue

The page says that the maximum depth is exceeded.

## Cause

Each chunk draws the page again.

## Solution

Throttle the stream.
"""


def after(query, page=PAGE, *, first="Issue"):
    """The heading of the first section where `first` was first, and whether that section's relevance is lent to another."""
    index = snapshot(page=page, other="# Other\n\n## Solution\n\nNothing of the kind.\n")
    asked = parse_query(query)
    ranking = rank(index, asked, None, mode="lexical", dense_weight=0.0, allowed=np.ones(index.rows, np.bool_))
    headings = {row: index.contents([row])[0].splitlines()[0].lstrip("# ") for row in range(index.rows)}
    begin = next(row for row, heading in headings.items() if heading == first)
    total = np.array([0.9 if row == begin else 0.5 for row in range(index.rows)])
    ranking = replace(ranking, total=total, order=np.argsort(-total, kind="stable"))
    found, lent = remedy_first(index, asked, ranking)
    moved = int(found.order[0])
    assert lent == ({moved: begin} if moved != begin else {})
    return headings[moved], index.path(moved)


@pytest.mark.parametrize("query", ["maximum depth exceeded", "the page says maximum depth is exceeded"])
def test_solution_beside_the_problem_takes_its_place(query):
    assert after(query) == ("Solution", "page.md")


def test_who_asks_why_gets_the_cause():
    assert after("why is the maximum depth exceeded") == ("Cause", "page.md")


def test_cause_gives_its_place_to_the_solution_too():
    assert after("chunk draws the page again", first="Cause") == ("Solution", "page.md")


@pytest.mark.parametrize(
    ("query", "given"),
    [
        ("issue with the maximum depth", {}),  # which it names
        ("solution for the maximum depth", {}),
        ("maximum depth exceeded", {"page": PAGE.replace("## Solution", "# Solution")}),  # beside the page
        ("maximum depth exceeded", {"page": PAGE.replace("## Solution", "## Next steps")}),
    ],
)
def test_problem_stays_first_where_it_is_named_or_has_no_solution_beside_it(query, given):
    assert after(query, **given) == ("Issue", "page.md")


def test_solution_of_the_next_problem_is_not_that_of_this_one():
    page = PAGE.replace("## Cause", "## Issue\n\nAnother one.\n\n## Cause")
    assert after("the page says maximum depth", page) == ("Issue", "page.md")


def test_japanese_page_shows_what_to_do():
    page = "# 接続できない\n\n## 症状\n\n画面に接続できないと出る。\n\n## 対処方法\n\n再起動する。\n"
    assert after("接続できないと出る", page, first="症状") == ("対処方法", "page.md")


def test_other_headings_stay_first():
    assert after("maximum depth exceeded", first="Maximum depth exceeded") == ("Maximum depth exceeded", "page.md")
