"""Arrays of indices: runs of them one after the other, and the rows with the highest scores."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Indices = npt.NDArray[np.int64]
_Number = TypeVar("_Number", bound=np.generic)


def offsets(lengths: npt.NDArray[Any]) -> Indices:
    """Where each of several runs begins, and where the last one ends, shape (runs + 1,).

    >>> offsets(np.array([2, 0, 3])).tolist()
    [0, 2, 2, 5]
    """
    bounds: Indices = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return bounds


def ranges(starts: Indices, counts: Indices) -> Indices:
    """Runs of consecutive numbers, one run after the other: run i has `counts[i]` of them and begins with `starts[i]`.

    >>> ranges(np.array([7, 3]), np.array([2, 1])).tolist()
    [7, 8, 3]
    """
    begins = offsets(counts)
    numbers: Indices = np.repeat(starts - begins[:-1], counts) + np.arange(begins[-1])
    return numbers


def stretches(starts: Indices, ends: Indices) -> tuple[list[int], list[int]]:
    """Runs of consecutive indices, each from a start up to its end, with those that follow each other made one.

    >>> stretches(np.array([2, 4, 0]), np.array([4, 5, 1]))
    ([2, 0], [5, 1])
    """
    is_first = np.ones(len(starts), np.bool_)
    is_first[1:] = starts[1:] != ends[:-1]
    is_last = np.append(is_first[1:], True)[: len(starts)]
    return starts[is_first].tolist(), ends[is_last].tolist()


def joined(values: npt.NDArray[_Number], starts: Indices, counts: Indices) -> npt.NDArray[_Number]:
    """The values of runs of consecutive indices, one run after the other; fastest where most runs follow each other.

    >>> joined(np.array([5, 6, 7, 8]), np.array([2, 0, 1]), np.array([2, 1, 1])).tolist()
    [7, 8, 5, 6]
    """
    parts = [values[a:b] for a, b in zip(*stretches(starts, starts + counts), strict=True)]
    return np.concatenate(parts) if parts else values[:0]


def distinct_pairs(first: npt.NDArray[np.integer], second: npt.NDArray[np.integer]) -> tuple[Indices, Indices]:
    """Each pair of the numbers at one place of two arrays, once, in their order; numbers are below 2**31.

    >>> [each.tolist() for each in distinct_pairs(np.array([1, 0, 1, 1]), np.array([5, 2, 5, 3]))]
    [[0, 1, 1], [2, 3, 5]]
    """
    both = np.unique((first.astype(np.int64) << 32) | second)
    return both >> 32, both & 0xFFFFFFFF


def best_rows(rows: Indices, scores: npt.NDArray[np.floating], most: int) -> Indices:
    """Those of the rows with the `most` highest scores, in the order given, and all that tie with the last of these.

    >>> best_rows(np.array([0, 2, 3]), np.array([0.5, 0.9, 0.1, 0.5]), 2).tolist()
    [0, 3]
    >>> best_rows(np.array([0, 2, 3]), np.array([0.5, 0.9, 0.1, 0.7]), 1).tolist()
    [3]
    """
    if len(rows) <= most:
        return rows
    found = scores[rows]
    kept: Indices = rows[found >= np.partition(found, -most)[-most]]
    return kept


def stable_order(codes: npt.NDArray[np.int32]) -> Indices:
    """The indices that sort codes, stable; by their lower and upper 16 bits, which numpy sorts ten times as fast."""
    order: Indices = np.argsort((codes & 0xFFFF).astype(np.uint16), kind="stable")
    high = (codes >> 16).astype(np.uint16)
    return order[np.argsort(high[order], kind="stable")] if high.any() else order
