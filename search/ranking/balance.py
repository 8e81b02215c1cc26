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
#: What the share that a section holds counts where the question is in another language than the sections: only some of its
#: words are known in theirs, mostly names and not what is asked of them.
_FOREIGN = 0.25
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
    held = _largest_coverage(snapshot, query, bm25)
    return balanced(snapshot, vector, dense_weight, held=_FOREIGN * held if query.is_foreign else held)


def balanced(snapshot: IndexSnapshot, vector: QueryVectors, share: float, *, held: float) -> float:
    """Return the `share` of the vectors, 0..1, moved by what share of the query's weight the best section holds, 0..1."""
    if held < _FULL_WORDS:
        return 1.0 - (1.0 - share) * held / _FULL_WORDS
    is_of_several = snapshot.headings is not None and vector.second is None
    return share * (1.0 - _WORDS_DECIDE * (held - _FULL_WORDS) / (1.0 - _FULL_WORDS) * is_of_several)


def _largest_coverage(snapshot: IndexSnapshot, query: Query, bm25: npt.NDArray[np.floating]) -> float:
    """Return the largest share, 0..1, of the query's weight (idf) that one of the best sections by BM25 holds."""
    rows = best_rows(as_rows(bm25 > 0), bm25, _BEST_ROWS)
    rows = rows[np.argsort(-bm25[rows], kind="stable")][:_BEST_ROWS]  # many may tie with the last of them
    held = coverage(snapshot.inverted, query.counting(query.weights), rows, {}, query.synonyms)[0]
    asked = snapshot.inverted.mass(query.weights, query.synonyms, is_foreign=query.is_foreign)
    return float(held.max(initial=0.0)) / (asked or 1.0)
