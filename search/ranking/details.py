"""A page that is first by its name → the section of it that has every word of the question before one that lacks some.

Who types "boiler 632" names the page "Boiler" and a detail in it: an error, a place, a number. The page's beginning has the
name alone, and the section with the detail has the name in the heading above it.
"""

from __future__ import annotations

from search.index.snapshot import IndexSnapshot
from search.ranking.boosts import coverage
from search.ranking.query import Query
from search.ranking.rank import Ranking

#: The best rows among which the section is looked for, the share of the question's weight that it has at least (with the
#: headings above it), and the share that the first section lacks at least.
_CLOSE_ROWS, _ALL, _LACKING = 10, 0.999, 0.25


def detail_first(snapshot: IndexSnapshot, query: Query, ranking: Ranking) -> Ranking:
    """Return the ranking in which the first section has given its place and score to the best one of its document that has
    all of the question, as the part "detail", if it lacks a quarter of it itself.

    It is the same ranking for a question in another language than the sections, of which they have a few words at most.
    """
    rows = ranking.order[:_CLOSE_ROWS]
    weights = query.counting(query.weights)
    whole = snapshot.inverted.mass(weights, query.synonyms)
    if ranking.names is None or query.is_foreign or not len(rows) or not whole:
        return ranking
    held = coverage(snapshot.inverted, weights, rows, {}, query.synonyms)[0] / whole
    has_all = (held >= _ALL) & (snapshot.document[rows] == snapshot.document[rows[0]])
    if held[0] > 1.0 - _LACKING or not has_all.any():
        return ranking
    chosen = int(has_all.argmax())
    return ranking.rearranged([rows[chosen], *rows[:chosen].tolist(), *rows[chosen + 1 :].tolist()], "detail")
