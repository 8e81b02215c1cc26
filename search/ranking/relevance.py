"""Hits → how likely each answers the question, 0..1: a figure that means the same for every question and every index.

A logistic regression of how much of the question's weight (idf) the section holds, as a share and in all, how near its
vector is to the question's (where the model knows both languages), and how far its heading is what was asked for. It was
fitted on question sets with and without answers; docs/retrieval.md has the figures.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from schema.storage.fingerprint import model_names
from search.index.snapshot import IndexSnapshot
from search.ranking.boosts import coverage
from search.ranking.query import Query
from search.ranking.rank import Ranking

#: The idf of an unknown word in the indexes that the weights were fitted on (about 1,500 sections).
_USUAL_IDF = 8.0
#: Weights of 1, the coverage by the best passage, the coverage anywhere, the logarithm of the mass, the name; of the cosine.
_WITH_VECTOR = np.array([-8.3, 1.9, 3.2, 0.25, 1.3, 10.5])
#: The same for models whose cosines mean something else.
_OF_MODEL = {"use-multilingual-v3": np.array([-4.7, 1.9, 1.9, 0.0, 2.9, 13.3])}
_WORDS_ALONE = np.array([-8.1, 0.85, 1.15, 2.9, 6.7])


def features(snapshot: IndexSnapshot, query: Query, ranking: Ranking, rows: Sequence[int]) -> np.ndarray:
    """Shape (rows, 5): the share held anywhere, that held by the best passage, the mass held, cosine or NaN, name."""
    places = np.asarray(rows, np.int64)
    anywhere, close = coverage(snapshot.inverted, query.weights, places, ranking.passages)
    asked = snapshot.inverted.mass(query.weights) or 1.0
    # words of few sections are rarer in a large index: compared with a word that none holds they are not
    rarity = _USUAL_IDF / snapshot.inverted.idf("")
    cosine = np.full(len(rows), np.nan)
    if "dense" in ranking.raw:
        near = np.maximum(ranking.raw["dense"][places], ranking.raw["section_vector"][places])
        cosine = np.where(np.isfinite(near) & (snapshot.dense_confidence[places] > 0), near, np.nan)
    by_second = _by_second(ranking, places)
    if by_second.any():
        cosine[by_second] = ranking.raw["second"][places][by_second]
    name = ranking.names[places] if ranking.names is not None else np.zeros(len(rows))
    return np.column_stack([anywhere / asked, close / asked, rarity * anywhere, cosine, name])


def _by_second(ranking: Ranking, places: np.ndarray) -> np.ndarray:
    """For which of these rows the second model speaks."""
    return np.isfinite(ranking.raw["second"][places]) if "second" in ranking.raw else np.zeros(len(places), np.bool_)


def relevance(
    snapshot: IndexSnapshot, query: Query, ranking: Ranking, rows: Sequence[int], *, model: str = ""
) -> list[float]:
    """The relevance of some rows of a ranking, 0..1; `model` is the name of the model or of both."""
    if not len(rows):
        return []
    found = features(snapshot, query, ranking, rows)
    anywhere, close, mass, cosine, name = found.T
    facts = np.column_stack([np.ones(len(rows)), close, anywhere, np.log1p(mass), np.minimum(name, 1.0)])
    told = np.column_stack([facts, np.nan_to_num(cosine)])
    first, second = (told @ _OF_MODEL.get(name, _WITH_VECTOR) for name in model_names(model))
    with_vector = np.where(_by_second(ranking, np.asarray(rows, np.int64)), second, first)
    logit = np.where(np.isnan(cosine), facts @ _WORDS_ALONE, with_vector)
    known = (mass > 0) | ~np.isnan(cosine)
    return [round(float(value), 4) for value in known / (1 + np.exp(-logit))]
