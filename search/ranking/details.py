"""A section that has every word of the question → before the first one, if that lacks some of them.

Who types "boiler 632" names the page "Boiler" and a detail in it: an error, a place, a number. The page's beginning has the
name alone, and the section with the detail has the name in the heading above it. And of other pages one that has all that is
asked for, and is about as near, stands before one that has only most of it.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from search.index.ranges import Indices
from search.index.snapshot import IndexSnapshot
from search.ranking.boosts import coverage
from search.ranking.nearest import are_near
from search.ranking.query import Query
from search.ranking.rank import Ranking

#: The best rows among which the section is looked for, the share of the question's weight that it has at least (with the
#: headings above it), the share that its best passage has of it, since a section of thousands of words may have all of them
#: by chance, and the share that the first section lacks at least.
_CLOSE_ROWS, _ALL, _IN_PASSAGE, _LACKING = 10, 0.999, 0.5, 0.25
#: The share of the first section's cosine with the question that the section has at least.
_AS_NEAR = 0.6
#: The same for sections of other pages: how many of the best are looked at, what the first one lacks, and how near they are.
_FIRST_ROWS, _LACKING_MOST, _AS_NEAR_ELSEWHERE = 3, 0.2, 0.8


def detail_first(snapshot: IndexSnapshot, query: Query, ranking: Ranking) -> Ranking:
    """Return the ranking in which the first section has given its place and score, as the part "detail", to the best one of
    its document that has all of the question, if it lacks a quarter of it itself and is not much nearer to the question; or
    to the second or third section, if it lacks a fifth and is hardly nearer.

    Where the first section is the beginning of its page, the other one of the page needs only the words that it lacks.
    It is the same ranking for a question in another language than the sections, of which they have a few words at most.
    """
    rows = ranking.order[:_CLOSE_ROWS]
    weights = query.counting(query.weights)
    whole = snapshot.inverted.mass(weights, query.synonyms)
    if ranking.names is None or query.is_foreign or not len(rows) or not whole:
        return ranking
    if snapshot.in_other_languages(query.text)[rows[0]]:
        return ranking
    held, close = coverage(snapshot.inverted, weights, rows, ranking.passages, query.synonyms) / whole
    if held[0] > 1.0 - _LACKING_MOST:
        return ranking
    has_all = (held >= _ALL) & (close >= _IN_PASSAGE)
    complete = has_all & are_near(ranking, rows, _AS_NEAR_ELSEWHERE)
    complete[_FIRST_ROWS:] = False
    if held[0] <= 1.0 - _LACKING:
        is_beside = snapshot.document[rows] == snapshot.document[rows[0]]
        has_rest = has_all if snapshot.position[rows[0]] else has_all | _has_rest(snapshot, query, weights, rows)
        detail = has_rest & is_beside & are_near(ranking, rows, _AS_NEAR)
        complete = detail if detail.any() else complete
    lost = ranking.parts.get("release", np.zeros(len(ranking.total)))[rows] < 0
    complete &= ~lost | lost[0]  # what lost its place to descriptions does not get it back
    return ranking.led_by(int(complete.argmax()), "detail") if complete.any() else ranking


def _has_rest(snapshot: IndexSnapshot, query: Query, weights: Mapping[str, float], rows: Indices) -> npt.NDArray[np.bool_]:
    """Which of these rows hold every word of the question that the first of them lacks, of those that some section has; none
    if it lacks none of these, or all."""
    inverted = snapshot.inverted
    known = [term for term, some in inverted.readings(weights, query.synonyms).items() if inverted.frequencies(some)]
    each = [coverage(inverted, {term: weights[term]}, rows, {}, query.synonyms)[0] > 0 for term in known]
    holds = np.array(each, np.bool_).reshape(len(known), len(rows))
    lacks = ~holds[:, 0]
    return np.asarray((0 < lacks.sum() < len(known)) & holds[lacks].all(axis=0), np.bool_)
