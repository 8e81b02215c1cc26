"""`Space`: the vectors that one model made of the windows of sections, held in memory; immutable."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from schema.protocols import Vectors
from search.lexicon import Places, offsets


@dataclass(frozen=True, slots=True)
class QueryVectors:
    """A query's vectors, of unit length, by the first model and by the second: None where a model says nothing of it."""

    first: Vectors | None = None
    second: Vectors | None = None


class Space:
    """Vectors of windows, of unit length, shape (windows, dimension), section after section.

    Those of section i are the `counts[i]` vectors of `flat` from `starts[i]` on.
    """

    def __init__(self, flat: Vectors, starts: Places, counts: Places) -> None:
        self.counts = counts
        self._start = offsets(counts)
        self._flat = flat[_ranges(starts, counts)]
        #: Which sections have vectors.
        self.present: npt.NDArray[np.bool_] = self.counts > 0

    def cosines(
        self, vector: Vectors, rows: Places | None = None
    ) -> tuple[npt.NDArray[np.floating], npt.NDArray[np.floating]]:
        """Cosine of each section's beginning, and of its best window, with a unit vector of shape (dimension,).

        Both have the shape (sections,), -inf without a vector; with `rows`, the others are -inf.
        """
        lead = np.full(len(self.counts), -np.inf)
        best = lead.copy()
        filled = as_rows(self.present) if rows is None else rows[self.present[rows]]
        if not len(filled):
            return lead, best
        counts = self.counts[filled]
        starts = offsets(counts)[:-1]
        near = (self._flat if rows is None else self._flat[_ranges(self._start[filled], counts)]) @ vector
        lead[filled] = near[starts]
        best[filled] = np.maximum.reduceat(near, starts)
        return lead, best

    def best_window(self, row: int, vector: Vectors) -> int | None:
        """The place, among a section's windows, of the one that is nearest to a query; None without a vector."""
        own = self._own(row)
        return int(np.argmax(own @ vector)) if len(own) else None

    def best_window_vector(self, row: int, vector: Vectors) -> Vectors | None:
        """The vector of that window."""
        own = self._own(row)
        return own[int(np.argmax(own @ vector))] if len(own) else None

    def of_beginnings(self, rows: Places) -> Vectors:
        """The vectors of the first windows of these sections, which all have some; shape (rows, dimension)."""
        beginnings: Vectors = self._flat[self._start[rows]]
        return beginnings

    def _own(self, row: int) -> Vectors:
        own: Vectors = self._flat[self._start[row] : self._start[row + 1]]
        return own


def as_rows(mask: npt.NDArray[np.bool_]) -> Places:
    """The rows that a mask allows, ascending."""
    return np.flatnonzero(mask).astype(np.int64)


def _ranges(starts: Places, counts: Places) -> Places:
    """The numbers from each start on, so many of each, one run after the other."""
    begins = offsets(counts)
    ranges: Places = np.repeat(starts - begins[:-1], counts) + np.arange(begins[-1])
    return ranges
