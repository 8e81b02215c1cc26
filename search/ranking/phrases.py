"""Which sections hold the phrases that a query has in quotes, by their terms first and then by their text."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from search.index.ranges import best_rows
from search.index.snapshot import IndexSnapshot
from search.index.vectors import as_rows
from search.ranking.query import Query, phrase_finder, sure_terms

#: Sections whose text is read for a phrase, at most, and how many tokens of them together: the best by BM25 first.
_PHRASE_ROWS = 20_000
PHRASE_TOKENS = 5_000_000


def rows_with_phrases(snapshot: IndexSnapshot, query: Query, bm25: npt.NDArray[np.floating]) -> npt.NDArray[np.bool_] | None:
    """Which rows hold every phrase of a query, a mask of shape (rows,); None if no row does.

    `bm25` has the score of each row; rows with 0 are not read.
    """
    sure = frozenset().union(*map(sure_terms, query.phrases))
    rows = best_rows(as_rows((bm25 > 0) & snapshot.inverted.holds_all(sure)), bm25, _PHRASE_ROWS)
    holds = np.zeros(snapshot.rows, np.bool_)
    tokens = snapshot.token_count[rows].astype(np.int64)
    if tokens.sum() > PHRASE_TOKENS:
        order = np.argsort(-bm25[rows], kind="stable")
        rows = rows[order][np.cumsum(tokens[order]) - tokens[order] < PHRASE_TOKENS]
    for row, content in zip(rows.tolist(), snapshot.contents(rows.tolist()), strict=True):
        holds[row] = all(map(phrase_finder(content), query.phrases))
    return holds if holds.any() else None
