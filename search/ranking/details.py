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
#: The share of the first section's cosine with the question that the section has at least.
_AS_NEAR = 0.6
#: The words of a section that says nothing itself, at most.
_NO_PROSE = 2


def detail_first(snapshot: IndexSnapshot, query: Query, ranking: Ranking) -> Ranking:
    """Return the ranking in which the first section has given its place and score to the best one of its document that has
    all of the question, as the part "detail", if it lacks a quarter of it itself and is not much nearer to the question.

    It is the same ranking for a question in another language than the sections, of which they have a few words at most.
    """
    rows = ranking.order[:_CLOSE_ROWS]
    weights = query.counting(query.weights)
    whole = snapshot.inverted.mass(weights, query.synonyms)
    if ranking.names is None or query.is_foreign or not len(rows) or not whole:
        return ranking
    held = coverage(snapshot.inverted, weights, rows, {}, query.synonyms)[0] / whole
    has_all = (held >= _ALL) & (snapshot.document[rows] == snapshot.document[rows[0]])
    if "dense" in ranking.raw:
        near = ranking.raw["dense"][rows]
        has_all &= ~(near < _AS_NEAR * near[0])
    if held[0] > 1.0 - _LACKING or not has_all.any():
        return ranking
    return ranking.led_by(int(has_all.argmax()), "detail")


def text_first(snapshot: IndexSnapshot, query: Query, ranking: Ranking) -> tuple[Ranking, dict[int, int]]:
    """Return the ranking in which the beginning of a page that says nothing itself, such as a title with another name of it,
    has given the first place and its score to the best section of that page, as the part "text"; and by the row of that
    section the one that was first.

    It is the same ranking where the beginning has the question as its name.
    """
    rows = ranking.order[:_CLOSE_ROWS]
    written, named, _ = snapshot.inverted.named(query.text)
    if not len(rows) or snapshot.position[rows[0]] or rows[0] in {*written.tolist(), *named.tolist()}:
        return ranking, {}
    says = (snapshot.document[rows] == snapshot.document[rows[0]]) & (snapshot.prose[rows] > _NO_PROSE)
    if says[0] or not says.any():
        return ranking, {}
    chosen = int(says.argmax())
    return ranking.led_by(chosen, "text"), {int(rows[chosen]): int(rows[0])}
