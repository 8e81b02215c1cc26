"""Runs of places in an array: where each begins, and the places of all of them one after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Places = npt.NDArray[np.int64]


def offsets(lengths: npt.NDArray[Any]) -> Places:
    """Where each of several runs begins, and where the last ends.

    >>> offsets(np.array([2, 0, 3])).tolist()
    [0, 2, 2, 5]
    """
    bounds: Places = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return bounds


def ranges(starts: Places, counts: Places) -> Places:
    """The numbers from each start on, so many of each, one run after the other.

    >>> ranges(np.array([7, 3]), np.array([2, 1])).tolist()
    [7, 8, 3]
    """
    begins = offsets(counts)
    places: Places = np.repeat(starts - begins[:-1], counts) + np.arange(begins[-1])
    return places
