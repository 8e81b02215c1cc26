"""What an embedder gave → the same vectors, refused where they are none: the protocol lets anybody write an embedder."""

from __future__ import annotations

from typing import Any

from schema.errors import ModelError
from schema.protocols import Embedder, Vectors

#: How far from 1 the square of a vector's length may be: models of 8 or 16 bits round.
_ROUNDED = 0.05


def checked_vectors(embedder: Embedder, given: Any, count: int) -> Vectors:
    """Return the vectors that an embedder gave for `count` texts: float32, shape (count, dimension).

    Each has unit length, or is zero for a text that the model knows nothing of.

    Raises:
        ModelError: they are of another shape, no numbers, or of another length.
    """
    import numpy as np

    shape = (count, embedder.dimension)
    try:
        vectors = np.asarray(given, np.float32)
    except (TypeError, ValueError):
        vectors = np.zeros(0, np.float32)
    if vectors.shape != shape:
        told = vectors.shape if vectors.ndim == len(shape) else type(given).__name__
        raise _wrong(embedder, f"an array of shape {shape} for {count} texts, not {told}")
    squares = np.einsum("ij,ij->i", vectors, vectors)
    if not np.isfinite(squares).all():
        raise _wrong(embedder, "finite numbers")
    off = (squares != 0) & (abs(squares - 1) > _ROUNDED)
    if off.any():
        raise _wrong(embedder, f"vectors of unit length, not of length {float(squares[off][0]) ** 0.5:.3g}")
    return vectors


def checked_vector(embedder: Embedder, given: Any) -> Vectors:
    """Return the vector that an embedder gave for a query: float32, shape (dimension,); see `checked_vectors`."""
    import numpy as np

    if np.shape(given) != (embedder.dimension,):
        told = np.shape(given) or type(given).__name__
        raise _wrong(embedder, f"an array of shape ({embedder.dimension},) for a query, not {told}")
    vector: Vectors = checked_vectors(embedder, [given], 1)[0]
    return vector


def _wrong(embedder: Embedder, what: str) -> ModelError:
    return ModelError(f"The embedder {embedder.name!r} must give {what}; correct its embed_sections or embed_query.")
