"""Which sections hold the phrases that a query has in quotes, by their terms first and then by their text.

Where a query has more than one phrase, the headings above and the document's title count too: 「給湯器」の電話 may mean the
page of that name, and a section of it that says the rest.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from schema.text.analyzer import terms
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
    is_alone = len(query.phrases) == 1 and query.weights.keys() <= set(terms(query.phrases[0]))
    texts = (snapshot.contents if is_alone else snapshot.words)(rows.tolist())
    for row, text in zip(rows.tolist(), texts, strict=True):
        holds[row] = all(map(phrase_finder(text), query.phrases))
    return holds if holds.any() else None
