"""How often a term stands in a text, and how long that is → what the term adds to the text's BM25.

BM25 is that of Robertson & Zaragoza, "The Probabilistic Relevance Framework" (2009). In scripts without blanks between words
terms are characters and pairs of them, and in Korean pairs of syllables too. A text repeats many of them in other words, so
repeats count less there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from schema.text.analyzer import sets_blanks
from search.index.passages import Scores

#: BM25's k1 (how soon repeats of a term stop counting) for words and for pairs of letters, and b (how much length counts).
_K1_OF_WORDS, _K1_OF_PAIRS, _B = 1.2, 0.6, 0.75


def k1_of(term: str) -> float:
    """BM25's k1 for a term.

    >>> k1_of("search"), k1_of("検索"), k1_of("검색")
    (1.2, 0.6, 0.6)
    """
    return _K1_OF_WORDS if sets_blanks(term[:1]) else _K1_OF_PAIRS


def relative(lengths: npt.NDArray[Any], mean: float) -> Scores:
    """How much the length of each of n texts counts, shape (n,): 1 for a text of the mean length; lengths are in terms."""
    counts: Scores = (1 - _B + _B * lengths / mean).astype(np.float32)
    return counts


def saturated(weight: float, k1: float, times: npt.NDArray[Any], lengths: Scores) -> Scores:
    """What a term adds to BM25 that occurs this many times in each of n texts, shape (n,).

    `weight` is its weight times idf, and `lengths` are the `relative` ones.
    """
    scores: Scores = (weight * times * (k1 + 1) / (times + np.float32(k1) * lengths)).astype(np.float32)
    return scores
