"""`Space`: the vectors that one model made of the windows of sections, held in memory; immutable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from schema.protocols import Vectors
from search.index.ranges import Indices, offsets, ranges

#: A model does not know a text of which its vocabulary covers at most the first share, and knows it fully from the second.
UNKNOWN_COVERAGE, _FULL_COVERAGE = 0.3, 0.7
#: Beyond so many blocks, all but the first one become one; beyond so many times the vectors in use, all of these do.
_MOST_BLOCKS, _MOST_UNUSED = 16, 1.3
#: Vectors of some sections that are taken together and compared: so many stay in a processor's cache.
_AT_ONCE = 256


@dataclass(frozen=True, slots=True)
class QueryVectors:
    """A query's vectors, of unit length, by the first model and by the second: None where a model does not know it."""

    first: Vectors | None = None
    second: Vectors | None = None


def dense_confidence(coverage: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """How much the vectors of texts count, 0..1; `coverage`, 0..1, is the share of each that the model's vocabulary covers.

    >>> dense_confidence([0.0, 0.3, 0.5, 0.7, 1.0]).tolist()
    [0.0, 0.0, 0.5, 1.0, 1.0]
    """
    share = (np.asarray(coverage, np.float64) - UNKNOWN_COVERAGE) / (_FULL_COVERAGE - UNKNOWN_COVERAGE)
    return np.asarray(np.round(np.clip(share, 0.0, 1.0), 6), np.float64)


class Space:
    """Vectors of windows, of unit length, shape (windows, dimension), in one or more `blocks`, and their sections.

    Section i has the `counts[i]` vectors from index `starts[i]` on, counted through all blocks, and all in one block.
    """

    def __init__(self, blocks: Sequence[Vectors], starts: Indices, counts: Indices) -> None:
        self.blocks = blocks
        self._starts = starts
        self.counts = counts
        #: Which sections have vectors.
        self.present: npt.NDArray[np.bool_] = counts > 0
        in_order = len(blocks) == 1 and len(blocks[0]) == counts.sum() and np.array_equal(starts, offsets(counts)[:-1])
        self._indices = None if in_order else ranges(starts, counts)

    @classmethod
    def of(cls, flat: Vectors, starts: Indices, counts: Indices) -> Space:
        """Return a space with a copy of the vectors that the sections have, in the order of sections."""
        return cls((flat[ranges(starts, counts)],), offsets(counts)[:-1], counts)

    def renewed(self, flat: Vectors, counts: Indices, source: Indices) -> Space:
        """Return the space of some of these sections and of new ones; new section i has `counts[i]` of the vectors `flat`.

        `source`, shape (rows,): where each row comes from: a row of this one or, counted on from its last, a new section.
        Only the new vectors are copied, until too many of the old ones belong to sections that are gone.
        """
        held = sum(map(len, self.blocks))
        starts = np.concatenate([self._starts, held + offsets(counts)[:-1]])[source]
        new_counts = np.concatenate([self.counts, counts])[source]
        blocks = (*self.blocks, flat.copy())
        if len(blocks) > _MOST_BLOCKS:  # the first one is mostly by far the largest, and need not be copied
            blocks = (blocks[0], np.concatenate(blocks[1:]))
        space = Space(blocks, starts, new_counts)
        if held + len(flat) <= _MOST_UNUSED * max(1, int(new_counts.sum())):
            return space
        return Space((space._taken(ranges(starts, new_counts)),), offsets(new_counts)[:-1], new_counts)

    def cosines(
        self, vector: Vectors, rows: Indices | None = None
    ) -> tuple[npt.NDArray[np.floating], npt.NDArray[np.floating]]:
        """Cosine of each section's first window, and of its best one, with a unit vector of shape (dimension,).

        Both have the shape (sections,), -inf without a vector; with `rows`, the others are -inf.
        """
        section_vector = np.full(len(self.counts), -np.inf)
        best = section_vector.copy()
        filled = as_rows(self.present) if rows is None else rows[self.present[rows]]
        if not len(filled):
            return section_vector, best
        counts = self.counts[filled]
        firsts = offsets(counts)[:-1]
        if rows is None:
            near = np.concatenate([products(block, vector) for block in self.blocks])
            near = near if self._indices is None else near[self._indices]
        else:
            indices = ranges(self._starts[filled], counts)
            parts = (indices[begin : begin + _AT_ONCE] for begin in range(0, len(indices), _AT_ONCE))
            near = np.concatenate([products(self._taken(part), vector) for part in parts])
        section_vector[filled] = near[firsts]
        best[filled] = np.maximum.reduceat(near, firsts)
        return section_vector, best

    def best_window(self, row: int, vector: Vectors) -> int | None:
        """The index, among a section's windows, of the one that is nearest to a query; None without a vector."""
        own = self._own(row)
        return int(np.argmax(products(own, vector))) if len(own) else None

    def best_window_vector(self, row: int, vector: Vectors) -> Vectors | None:
        """The vector of the window that is nearest to a query; None without a vector."""
        own = self._own(row)
        return own[int(np.argmax(products(own, vector)))] if len(own) else None

    def mean(self, row: int) -> Vectors | None:
        """The mean of a section's vectors, of unit length; None without a vector, or where they add up to nothing."""
        own = self._own(row)
        total = own.sum(axis=0) if len(own) else np.zeros(1, np.float32)
        length = float(np.linalg.norm(total))
        return (total / length).astype(np.float32) if length > 0 else None

    def of_beginnings(self, rows: Indices) -> Vectors:
        """The vectors of the first windows of these sections, which all have some; shape (rows, dimension)."""
        return self._taken(self._starts[rows])

    def _own(self, row: int) -> Vectors:
        return self._taken(np.arange(self._starts[row], self._starts[row] + self.counts[row]))

    def _taken(self, indices: Indices) -> Vectors:
        """The vectors with these indices, counted through all blocks."""
        if len(self.blocks) == 1:
            only: Vectors = self.blocks[0][indices]
            return only
        taken = np.empty((len(indices), self.blocks[0].shape[1]), np.float32)
        begin = 0
        for block in self.blocks:
            is_here = (indices >= begin) & (indices < begin + len(block))
            taken[is_here] = block[indices[is_here] - begin]
            begin += len(block)
        return taken


def products(vectors: Vectors, vector: Vectors) -> Vectors:
    """The product of each of some vectors with one, shape (vectors,), by this thread alone.

    `vectors @ vector` has a thread on each core, and these wait for more work by keeping their cores busy: a question then
    takes half as much CPU again, and is slower on a machine that does something else too. `einsum` takes up to twice the
    time of `vecdot`.
    """
    products: Vectors = np.vecdot(vectors, vector)
    return products


def as_rows(mask: npt.NDArray[np.bool_]) -> Indices:
    """The rows that a mask allows, ascending."""
    return np.flatnonzero(mask).astype(np.int64)
