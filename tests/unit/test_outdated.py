"""A section that its heading calls deprecated stands behind the one beside it that answers about as well."""

from dataclasses import replace

import numpy as np
import pytest

from search.ranking.outdated import current_first
from search.ranking.query import parse_query
from search.ranking.rank import rank
from tests.unit.test_relevance import snapshot

PAGE = """# Cancelling

## CancelToken (deprecated)

Cancel a request with a token.

## AbortController

Cancel a request with a signal.

## Deprecating a token

Write a note.
"""


def after(query, *, first="CancelToken (deprecated)", page=PAGE, answers=0.9, score=0.8):
    """The heading of the first section, where one was first and the section "AbortController" has a relevance and a score."""
    index = snapshot(page=page)
    asked = parse_query(query)
    ranking = rank(index, asked, None, mode="lexical", dense_weight=0.0, allowed=np.ones(index.rows, np.bool_))
    headings = [text.splitlines()[0].lstrip("# ") for text in index.contents(range(index.rows))]
    total = np.array([{first: 0.9, "AbortController": score}.get(heading, 0.5) for heading in headings])
    ranking = replace(ranking, total=total, order=np.argsort(-total, kind="stable"))
    relevance = [
        0.9 if headings[row] == first else answers if headings[row] == "AbortController" else 0.0
        for row in range(index.rows)
    ]
    return headings[current_first(index, asked, ranking, lambda rows: [relevance[row] for row in rows]).order[0]]


def test_section_beside_the_deprecated_one_takes_its_place():
    assert after("cancel an axios request") == "AbortController"
    for heading in (
        "CancelToken - deprecated",
        "Deprecated: CancelToken",
        "CancelToken (legacy API)",
        "CancelToken [지원 종료]",
    ):
        page = PAGE.replace("CancelToken (deprecated)", heading)
        assert after("cancel an axios request", first=heading, page=page) == "AbortController"
    japanese = PAGE.replace("(deprecated)", "（非推奨）")
    assert after("cancel an axios request", first="CancelToken （非推奨）", page=japanese) == "AbortController"


@pytest.mark.parametrize(
    ("query", "given"),
    [
        ("CancelToken", {}),  # its name
        ("how does the old way to cancel work", {}),
        ("cancel an axios request", {"answers": 0.7}),
        ("cancel an axios request", {"score": 0.6}),
        (
            "cancel an axios request",
            {"first": "Deprecated tokens", "page": PAGE.replace("CancelToken (deprecated)", "Deprecated tokens")},
        ),
        ("cancel an axios request", {"page": PAGE.replace("## AbortController", "# AbortController")}),  # of another part
        ("cancel an axios request", {"first": "Deprecating a token"}),
        ("cancel an axios request", {"first": "AbortController"}),
    ],
)
def test_first_section_stays(query, given):
    assert after(query, **given) == given.get("first", "CancelToken (deprecated)")
