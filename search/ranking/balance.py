"""How much words and vectors count for a query, by how much of it the sections hold."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from search.index.ranges import best_rows
from search.index.snapshot import IndexSnapshot
from search.index.vectors import QueryVectors, as_rows
from search.ranking.boosts import coverage
from search.ranking.query import Query

#: Where no section holds this share of the query's weight, the words count less: the query is in another language or in
#: other words. Where one holds more, a model of several languages counts less, and by this share less where one holds all.
_FULL_WORDS, _WORDS_DECIDE = 0.3, 0.5
#: It counts less too where a section holds more than the weight of so many words that no other section has, and not at all
#: from the second number on: a long question in the words of its answer.
_MANY_WORDS = (3.0, 5.0)
#: Sections, the best by BM25, of which the one that holds most of the query is looked for.
_BEST_ROWS = 50


def vector_share(
    snapshot: IndexSnapshot,
    query: Query,
    vector: QueryVectors | None,
    bm25: npt.NDArray[np.floating],
    dense_weight: float,
) -> float:
    """Return the share, 0..1, of the vectors in the scores where words were found."""
    if vector is None or not 0 < dense_weight < 1:
        return 0.0 if vector is None else dense_weight
    most = _most_held(snapshot, query, bm25)
    asked = snapshot.inverted.mass(query.weights, query.synonyms, is_foreign=query.is_foreign)
    rarest = snapshot.inverted.idf("")
    return balanced(snapshot, vector, dense_weight, held=most / (asked or 1.0), words=most / rarest)


def balanced(snapshot: IndexSnapshot, vector: QueryVectors, share: float, *, held: float, words: float) -> float:
    """Return the `share` of the vectors, 0..1, moved by what the best section holds of the query: the share `held` of its
    weight, 0..1, which is that of so many `words` of the rarest kind."""
    if held < _FULL_WORDS:
        return 1.0 - (1.0 - share) * held / _FULL_WORDS
    is_of_several = snapshot.headings is not None and vector.second is None
    if not is_of_several:
        return share
    few, many = _MANY_WORDS
    by_share = _WORDS_DECIDE * (held - _FULL_WORDS) / (1.0 - _FULL_WORDS)
    return share * (1.0 - min(1.0, max(by_share, (words - few) / (many - few))))


def _most_held(snapshot: IndexSnapshot, query: Query, bm25: npt.NDArray[np.floating]) -> float:
    """Return the most of the query's weight (idf) that one of the best sections by BM25 holds."""
    rows = best_rows(as_rows(bm25 > 0), bm25, _BEST_ROWS)[:_BEST_ROWS]
    held = coverage(snapshot.inverted, query.counting(query.weights), rows, {}, query.synonyms)[0]
    return float(held.max(initial=0.0))
