"""A section whose heading says no gains for a question that says so too."""

import numpy as np
import pytest

from search.ranking.negation import saying_no_first
from search.ranking.query import parse_query
from search.ranking.rank import rank
from tests.unit.test_relevance import snapshot

RENT = """# Rent

## Paying

Pay the rent by card.

## If you can't pay

Tell us before the rent is due.

## No electricity

Look at the fuses.

## If you can pay by card

Pay the rent early.

## No rent in the month of the move

Pay nothing.
"""


def gained(query):
    """The headings of the sections that gain, by the place of their section."""
    index = snapshot(rent=RENT)
    asked = parse_query(query)
    ranking = rank(index, asked, None, mode="lexical", dense_weight=0.0, allowed=np.ones(index.rows, np.bool_))
    after = saying_no_first(index, asked, ranking)
    headings = [
        "Rent",
        "Paying",
        "If you can't pay",
        "No electricity",
        "If you can pay by card",
        "No rent in the month of the move",
    ]
    return [headings[row] for row in np.flatnonzero(after.parts.get("negation", np.zeros(index.rows)) > 0)]


@pytest.mark.parametrize(
    "query",
    [
        *("I can't pay the rent", "i cant pay rent", "what if I can not pay", "tenants who are unable to pay"),
        *("cannot pay the rent", 'never "pay"  the rent, not pay'),
    ],
)
def test_heading_that_says_no_to_what_is_asked_gains(query):
    assert gained(query) == ["If you can't pay"]


@pytest.mark.parametrize(
    "query",
    [
        "how do I pay the rent",
        "why not pay the rent",
        "don't I pay the rent",
        'how to "not pay" the rent',
        "the lift does not move",  # no heading that says no has a word of it
    ],
)
def test_question_that_says_no_such_thing_changes_nothing(query):
    assert gained(query) == []


def test_scores_stay_within_one_and_parts_add_up():
    index = snapshot(rent=RENT)
    asked = parse_query("I can't pay the rent")
    ranking = rank(index, asked, None, mode="lexical", dense_weight=0.0, allowed=np.ones(index.rows, np.bool_))
    after = saying_no_first(index, asked, ranking)
    assert after.total.max() <= 1.0
    assert after.total == pytest.approx(sum(after.parts.values()))
