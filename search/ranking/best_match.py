"""How much an index has to say to a text: the nearest vector, and the words that one section holds."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from search.index.snapshot import IndexSnapshot
from search.index.vectors import QueryVectors


def best_match(snapshot: IndexSnapshot, weights: Mapping[str, float], vector: QueryVectors) -> tuple[float, float]:
    """The greatest cosine of a vector with a window of some sections, at least 0, and how much of the weight (idf) of some
    terms the section holds that holds most of it."""
    inverted = snapshot.inverted
    held = np.zeros(snapshot.rows)
    for term, weight in weights.items():
        if inverted.code(term) is not None:
            held += weight * inverted.idf(term) * inverted.holds_all([term])
    space, own = (snapshot.vectors, vector.first) if vector.second is None else (snapshot.second, vector.second)
    nearest = 0.0 if space is None or own is None else float(space.cosines(own)[1].max(initial=0.0))
    return nearest, float(held.max(initial=0.0))
