"""Hits → how likely each answers the question, 0..1: a figure that means the same for every question and every index.

A logistic regression of three facts: the share of the question's weight that the section holds, how near its vector is to
the question's (where the model knows both languages), and how far its heading is what was asked for. It was fitted on
question sets with and without answers; docs/retrieval.md has the figures.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from search.collection import Collection
from search.query import Query
from search.ranking import Ranking


def features(collection: Collection, query: Query, ranking: Ranking, rows: Sequence[int]) -> np.ndarray:
    """Shape (rows, 5): coverage anywhere, coverage by the best passage, its mass, cosine (NaN without one), name."""
    places = np.asarray(rows, np.int64)
    anywhere, close = collection.lexicon.coverage(query.weights, places, ranking.passages)
    asked = collection.lexicon.mass(query.weights) or 1.0
    cosine = np.full(len(rows), np.nan)
    if "dense" in ranking.raw:
        near = np.maximum(ranking.raw["dense"][places], ranking.raw["lead"][places])
        cosine = np.where(np.isfinite(near) & (collection.worth[places] > 0), near, np.nan)
    name = ranking.names[places] if ranking.names is not None else np.zeros(len(rows))
    return np.column_stack([anywhere / asked, close / asked, anywhere, cosine, name])


def relevance(collection: Collection, query: Query, ranking: Ranking, rows: Sequence[int]) -> list[float]:
    """The relevance of some rows of a ranking, 0..1."""
    if not len(rows):
        return []
    covered, close, _mass, cosine, name = features(collection, query, ranking, rows).T
    with_vector = -4.0 + 2.0 * covered + 2.0 * close + 6.0 * np.nan_to_num(cosine) + 2.0 * name
    without = -4.0 + 3.0 * covered + 5.0 * close + 3.0 * name
    logit = np.where(np.isnan(cosine), without, with_vector)
    return [round(float(value), 4) for value in 1 / (1 + np.exp(-logit))]
