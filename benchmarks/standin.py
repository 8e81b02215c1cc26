"""An embedder that costs nothing, for benchmarks of everything but embedding."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

import numpy as np

from schema.protocols import Vectors
from schema.settings import DEFAULT_MODEL


class StandIn:
    """An embedder as fast as hashing, under the default model's name and with its dimension."""

    name, max_tokens = DEFAULT_MODEL, 256

    def __init__(self, dimension: int = 512) -> None:
        self.dimension = dimension

    def token_spans(self, texts: Sequence[str]) -> list[list[tuple[int, int]]]:
        """Words and signs."""
        return [[match.span() for match in re.finditer(r"\w+|[^\w\s]", text)] for text in texts]

    def coverage(self, text: str) -> float:
        """Everything is covered."""
        return float(bool(text)) or 1.0

    def embed_sections(self, texts: Sequence[str]) -> Vectors:
        """One random direction for each text, of shape (len(texts), dimension)."""
        return np.stack([self.embed_query(text) for text in texts]) if texts else np.zeros((0, self.dimension), np.float32)

    def embed_query(self, text: str) -> Vectors:
        """The direction of this text."""
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
        vector: Vectors = np.random.default_rng(seed).standard_normal(self.dimension).astype(np.float32)
        return vector / np.float32(np.linalg.norm(vector))


class StandInPair(StandIn):
    """Two of them in the place of the default's two models."""

    def __init__(self) -> None:
        super().__init__()
        self.second = StandIn(384)
