"""`QueryEmbedder`: the words of a query → its vectors by the models of an index, and their share in the ranking."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from schema.protocols import Embedder, Vectors, second_of
from schema.requests import Mode
from schema.sections import Section
from search.index.vectors import QueryVectors, dense_confidence
from search.sources.base import Source

#: The language of a section shows in so much of it (characters).
_COVERAGE_CHARACTERS = 2000
#: Queries whose vectors are kept: people page through results, and agents ask again (2 KB each, 3.6 KB with both models).
_KEPT_QUERIES = 1024


class QueryEmbedder:
    """Embeds queries with `embedder`, and the second model that it may have.

    `dense_weight`, 0..1, is the share of vectors in hybrid mode; `check` refuses the length of a vector by the first model
    that does not fit the index.
    """

    def __init__(self, embedder: Embedder, *, dense_weight: float, check: Callable[[int], None]) -> None:
        self._embedder = embedder
        self._dense_weight = dense_weight
        self._check = check
        self.vector = lru_cache(_KEPT_QUERIES)(self._embed)

    def of(self, words: str, mode: Mode, source: Source) -> tuple[QueryVectors | None, float]:
        """The query's vectors, and their share in the ranking; a model that would have no say is not even loaded."""
        weight = {"hybrid": self._dense_weight, "dense": 1.0, "lexical": 0.0}[mode]
        if not weight:
            return None, 0.0
        second = second_of(self._embedder) if source.has_second else None
        by_second = None
        if second is not None and dense_confidence(second.coverage(words)) >= 1:
            by_second = self.vector(words, True)
            if by_second is not None and source.second_has_all:
                return QueryVectors(second=by_second), weight
        if mode == "hybrid" and by_second is None:
            weight *= float(dense_confidence(self._embedder.coverage(words)))
        first = self.vector(words, False) if weight else None
        return (None, 0.0) if first is None and by_second is None else (QueryVectors(first, by_second), weight)

    def is_lacking(self, section: Section, mode: Mode) -> bool:
        """Whether a vector of the section's text is missing that would have had a say."""
        if not section.is_dirty or mode == "dense":
            return section.is_dirty
        text = " ".join((*section.breadcrumb, section.body[:_COVERAGE_CHARACTERS]))
        return bool(dense_confidence(self._embedder.coverage(text)) > 0)

    def _embed(self, words: str, by_second: bool) -> Vectors | None:
        embedder = second_of(self._embedder) if by_second else self._embedder
        vector = None if embedder is None else embedder.embed_query(words)
        if vector is not None and not by_second:
            self._check(len(vector))
        return vector if np.any(vector) else None
