"""A section of a snapshot → the other sections by how much they are like it, by words and vectors that the index holds.

Words: BM25 for the telling terms of the section (`telling_terms`). Vectors: the cosine of the mean of its
windows with the best window of each other section, by each model that has read both. As in a search, the scores are
stretched to 0..1 and added (`fusion`); where no vector has a say, the words have all of it. Nothing is embedded.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from schema.text.fields import FIXED_LINES, HEADING
from search.index.inverted_index import InvertedIndex
from search.index.ranges import best_rows
from search.index.snapshot import IndexSnapshot
from search.index.vectors import QueryVectors, as_rows
from search.ranking.fusion import Retrieved, fuse
from search.ranking.nearness import Mask
from search.ranking.query import Query
from search.ranking.rank import Ranking

#: Sections that words, and that each kind of vector, add to the ranking.
_ROWS = 300
#: A section with fewer different words may stand in a larger one by chance.
_FEW_WORDS = 12
#: Telling terms of a section, and how many times as many are looked up to find them.
_TELLING, _LOOKED_UP = 40, 10


def telling_terms(inverted: InvertedIndex, row: int, most: int = _TELLING) -> dict[str, float]:
    """Return the terms of a section's heading and sentences that tell it from others, with weights 0..1, heaviest first.

    They are the heaviest by BM25 in this section among those that another one holds too.
    """
    own, heading = inverted.codes_of(row, FIXED_LINES), inverted.codes_of(row, HEADING, HEADING + 1)
    codes, counts = np.unique(np.concatenate([own, heading]), return_counts=True)
    saturation = counts / (counts + 1.0)
    heaviest = np.argsort(-inverted.idf_of(codes) * saturation, kind="stable")[: _LOOKED_UP * most]
    terms = inverted.terms_of(codes[heaviest])
    inverted.look_up(terms)
    found = [
        (inverted.idf(term) * weight, term, weight)
        for term, weight in zip(terms, saturation[heaviest].tolist(), strict=True)
        if inverted.frequency(term) > 1
    ]
    found.sort(key=lambda each: (-round(each[0], 6), each[1]))
    return {term: weight for _, term, weight in found[:most]}


def rank_like(
    snapshot: IndexSnapshot, row: int, query: Query, vector: QueryVectors | None, *, dense_weight: float, allowed: Mask
) -> tuple[Ranking, npt.NDArray[np.float64]]:
    """Rank the allowed rows (a mask of shape (rows,)) by how much they are like the section in `row`.

    `query` has its telling terms, `vector` its mean vectors, and `dense_weight`, 0..1, is the share of these. Also returned:
    how alike every row is, 0..1, of shape (rows,), which means the same for every section: its share of the section's own
    BM25, and the cosine, by the same shares.
    """
    bm25 = snapshot.inverted.bm25(query.weights)
    own = float(bm25[row])
    bm25 = np.where(allowed, bm25, 0.0)
    cosines = {} if vector is None else _cosines(snapshot, vector, allowed)
    share = dense_weight if cosines else 0.0
    found = {"lexical": Retrieved(np.where(bm25 > 0, bm25, -np.inf), 1.0 - share)}
    found |= {name: Retrieved(scores, share, confidence) for name, (scores, confidence) in cosines.items()}
    fusion = fuse(found)

    alike = np.asarray((1.0 - share) * np.clip(bm25 / own if own > 0 else bm25, 0.0, 1.0), np.float64)
    is_candidate = np.zeros(snapshot.rows, np.bool_)
    is_candidate[best_rows(as_rows(bm25 > 0), bm25, _ROWS)] = True
    for scores, confidence in cosines.values():
        near = np.where(np.isfinite(scores), np.clip(scores, 0.0, 1.0), 0.0)
        alike += share * confidence * near
        is_candidate[best_rows(as_rows(confidence * near > 0), near, _ROWS)] = True
    rows = as_rows(is_candidate)
    order = rows[np.lexsort((rows, -fusion.tie_breaker[rows], -fusion.total[rows]))]
    best = np.sort(order[:_ROWS])
    passages = snapshot.inverted.passages(query.weights, best)
    ends = dict(zip(best.tolist(), zip(passages.first.tolist(), passages.last.tolist(), strict=True), strict=True))
    ends = {each: span for each, span in ends.items() if bm25[each] > 0}
    raw = {name: one.scores for name, one in found.items()}
    return Ranking(order, fusion.total, raw, fusion.parts, query.weights, ends), alike


def holds_whole(snapshot: IndexSnapshot, row: int, other: int) -> bool:
    """Whether a section only adds to another one: it holds every sentence of the section in `row`."""
    sentences = snapshot.inverted.sentences(row)
    is_long = len(snapshot.inverted.words(row)) >= _FEW_WORDS
    return is_long and sentences <= snapshot.inverted.sentences(other)


def _cosines(
    snapshot: IndexSnapshot, vector: QueryVectors, allowed: Mask
) -> dict[str, tuple[npt.NDArray[np.floating], npt.NDArray[np.float64]]]:
    """Return the cosines of each model with every row, and how much they count there, 0..1; both of shape (rows,)."""
    found = {}
    confidence = snapshot.dense_confidence * snapshot.vectors.present * ~snapshot.is_dirty
    if vector.second is not None and snapshot.second is not None:
        is_read = (snapshot.second.present & ~snapshot.is_dirty).astype(np.float64)
        found["second"] = (np.where(allowed, snapshot.second.cosines(vector.second)[1], -np.inf), is_read)
        confidence = confidence * (1.0 - is_read)
    if vector.first is not None:
        found["dense"] = (np.where(allowed, snapshot.vectors.cosines(vector.first)[1], -np.inf), confidence)
    return found
