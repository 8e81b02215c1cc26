"""Keeps the memory of a process small that reads one version of an index after the other."""

from __future__ import annotations

import contextlib
import ctypes

#: The parameter of glibc's mallopt: blocks of this many bytes are mapped by themselves and unmapped when they are free.
_MMAP_THRESHOLD = -3
_LARGE_BYTES = 1 << 20


def return_large_blocks() -> None:
    """Make the allocator return blocks of `_LARGE_BYTES` and more to the system when they are freed.

    glibc does this too, but raises its threshold whenever such a block is freed, up to 32 MB. Then the arrays of each
    version that is read leave holes into which those of the next one do not fit: while an index changed, a reader grew from
    170 to 370 MB. With a fixed threshold it stays below 150. Without glibc this function does nothing.
    """
    with contextlib.suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, _LARGE_BYTES)
