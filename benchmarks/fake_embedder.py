"""Embedders that cost next to nothing, for benchmarks of everything but embedding."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from schema.protocols import Vectors
from schema.settings import DEFAULT_MODEL


class FakeEmbedder:
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


class FakeEmbedderPair(FakeEmbedder):
    """Two of them in the place of the default's two models."""

    def __init__(self) -> None:
        super().__init__()
        self.second = FakeEmbedder(384)


#: A letter or digit of ASCII, or a byte of any other character, belongs to a word; a character of East Asia is one.
_SEPARATOR, _LETTER, _WORD = 0, 1, 2
_KINDS = np.array(
    [
        _WORD if 0xE3 <= byte <= 0xED else _LETTER if byte >= 0x80 or chr(byte).isalnum() else _SEPARATOR
        for byte in range(256)
    ],
    np.uint8,
)
#: Each word has this many places in a vector, and weighs by its length up to this many bytes: short words say little.
_PLACES, _LONG = 4, 8
_MIXER = np.uint64(0x9E3779B97F4A7C15)
_BYTE_CODES = np.random.default_rng(1).integers(1, 1 << 63, 256, np.uint64)
_POSITION_CODES = np.random.default_rng(2).integers(1, 1 << 62, 32, np.uint64) * np.uint64(2) + np.uint64(1)
_AT_ONCE = 512
_TOKENS = re.compile(r"[\u3040-\ud7ff]{1,2}|[^\W\u3040-\ud7ff]+|[^\w\s]")


class HashedWords(FakeEmbedder):
    """An embedder whose vectors are sums of the fixed random vectors of words: texts that share words are near each other.

    A text takes some microseconds and nothing is kept between texts, so that neither time nor memory of a run are its own.
    """

    is_multilingual = True

    def __init__(self, dimension: int = 512, *, is_english: bool = False) -> None:
        super().__init__(dimension)
        self._is_english = is_english

    def token_spans(self, texts: Sequence[str]) -> list[list[tuple[int, int]]]:
        """Words and signs; two characters of East Asia are a token."""
        return [[match.span() for match in _TOKENS.finditer(text)] for text in texts]

    def coverage(self, text: str) -> float:
        """Everything is covered, or only ASCII by an English model."""
        return len(text.encode("ascii", "ignore")) / len(text) if text and self._is_english else 1.0

    def embed_sections(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts, of unit length, shape (len(texts), dimension)."""
        parts = [self._embedded(texts[start : start + _AT_ONCE]) for start in range(0, len(texts), _AT_ONCE)]
        return np.concatenate(parts) if parts else np.zeros((0, self.dimension), np.float32)

    def embed_query(self, text: str) -> Vectors:
        """The vector of a query, of unit length, shape (dimension,)."""
        vector: Vectors = self.embed_sections([text])[0]
        return vector

    def _embedded(self, texts: Sequence[str]) -> Vectors:
        codes, weights, rows = _words(texts)
        size = len(texts) * self.dimension
        total = np.zeros(size)
        for place in range(_PLACES):
            column = (codes >> np.uint64(12 * place)) % np.uint64(self.dimension)
            sign = 1.0 - 2.0 * ((codes >> np.uint64(59 + place)) & np.uint64(1)).astype(np.float64)
            total += np.bincount(rows * self.dimension + column.astype(np.int64), sign * weights, size)
        vectors = total.reshape(len(texts), self.dimension)
        vectors[~vectors.any(axis=1), 0] = 1.0
        found: Vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
        return found


class HashedWordsPair(HashedWords):
    """Two of them in the place of the default's two models, the second for English alone."""

    def __init__(self) -> None:
        super().__init__()
        self.second = HashedWords(384, is_english=True)


def _words(texts: Sequence[str]) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """For each word of the texts its code, its weight and the number of its text."""
    encoded = [text.lower().encode("utf-8", "replace") for text in texts]
    signs = np.frombuffer(b"\0".join(encoded), np.uint8)
    kinds = _KINDS[signs]
    is_start = kinds == _WORD
    is_start[1:] |= (kinds[1:] == _LETTER) & (kinds[:-1] == _SEPARATOR)
    is_start[:1] |= kinds[:1] == _LETTER
    starts = np.flatnonzero(is_start)
    if not len(starts):
        return np.zeros(0, np.uint64), np.zeros(0), np.zeros(0, np.int64)
    lengths = np.diff(starts, append=len(signs))
    position = np.arange(len(signs) - starts[0]) - np.repeat(starts - starts[0], lengths)
    values = _BYTE_CODES[signs[starts[0] :]] * _POSITION_CODES[position % len(_POSITION_CODES)]
    is_letter = kinds[starts[0] :] != _SEPARATOR
    codes = np.add.reduceat(np.where(is_letter, values, np.uint64(0)), starts - starts[0])
    codes = (codes ^ (codes >> np.uint64(31))) * _MIXER
    weights = np.minimum(np.add.reduceat(is_letter.astype(np.int64), starts - starts[0]), _LONG) / _LONG
    ends = np.cumsum([len(each) + 1 for each in encoded])
    return codes ^ (codes >> np.uint64(29)), weights, np.searchsorted(ends, starts, "right")
