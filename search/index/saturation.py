"""How often a term stands in a text, and how long that is → what the term adds to the text's BM25.

BM25 is that of Robertson & Zaragoza, "The Probabilistic Relevance Framework" (2009). The terms of Japanese, Chinese and
Korean are characters and pairs of them. A text repeats many of them in other words, so repeats count less there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Scores = npt.NDArray[np.float32]

#: BM25's k1 (how soon repeats of a term stop counting) for words between blanks and for terms of Japanese, Chinese and
#: Korean, and b (how much length counts).
_K1_OF_WORDS, _K1_OF_PAIRS, _B = 1.2, 0.6, 0.75


def k1_of(term: str) -> float:
    """BM25's k1 for a term.

    >>> k1_of("search"), k1_of("検索"), k1_of("검색")
    (1.2, 0.6, 0.6)
    """
    return _K1_OF_PAIRS if "\u3040" <= term[:1] <= "\u9fff" or "가" <= term[:1] <= "힣" else _K1_OF_WORDS


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
