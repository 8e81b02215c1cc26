"""Offsets of windows in a section's body: with each line end as one character ↔ in the body as it is.

Texts that differ only in their line ends share an embedding, whose windows count each line end as one character; the table
holds offsets into the body as it is, where a line end may be two ("\\r\\n").
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from schema.results import Window


def in_body(windows: Sequence[Window], body: str) -> list[tuple[int, int]]:
    """Return start and end of each window in the body as it is.

    >>> in_body([Window(0, 4)], "a\\r\\nbc")
    [(0, 5)]
    """
    if "\r\n" not in body:
        return [(w.start, w.end) for w in windows]
    pairs = _long_line_ends(body)
    before = pairs - np.arange(len(pairs))
    return [(w.start + _count_below(before, w.start), w.end + _count_below(before, w.end)) for w in windows]


def in_plain_body(windows: Sequence[Window], body: str) -> tuple[Window, ...]:
    """Return windows of the body as it is with each line end counted as one character.

    >>> in_plain_body([Window(0, 5)], "a\\r\\nbc")
    (Window(start=0, end=4),)
    """
    if "\r\n" not in body:
        return tuple(windows)
    after = _long_line_ends(body) + 1
    return tuple(Window(w.start - _count_below(after, w.start), w.end - _count_below(after, w.end)) for w in windows)


def _long_line_ends(body: str) -> npt.NDArray[np.int64]:
    """Return the offsets of line ends of two characters."""
    return np.array([match.start() for match in re.finditer("\r\n", body)], np.int64)


def _count_below(offsets: npt.NDArray[np.int64], offset: int) -> int:
    return int(np.searchsorted(offsets, offset))
