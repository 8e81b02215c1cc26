"""Keeps the memory of a process small that makes and frees many large arrays, as a server and an index run do.

The functions set parameters of glibc's allocator for all that follows in the process; without glibc they do nothing.
"""

from __future__ import annotations

import contextlib
import ctypes

#: Parameters of glibc's mallopt: blocks of this many bytes are mapped by themselves and unmapped when they are free; so many
#: free bytes at the end of a heap are kept; and how many heaps the threads share.
_MMAP_THRESHOLD, _TRIM_THRESHOLD, _ARENA_MAX = -3, -1, -8
_LARGE_BYTES = 1 << 20
#: The same for a run, which would take a twentieth more time if it returned as much as a reader does.
_LARGE_BYTES_OF_RUN, _KEPT_BYTES_OF_RUN, _HEAPS_OF_RUN = 4 << 20, 64 << 20, 2


def return_large_blocks() -> None:
    """Make the allocator of a reader return blocks of `_LARGE_BYTES` and more to the system when they are freed.

    glibc does this too, but raises its threshold whenever such a block is freed, up to 32 MB. Then the arrays of each
    version that is read leave holes into which those of the next one do not fit: while an index changed, a reader grew from
    170 to 370 MB. With a fixed threshold it stays below 150.
    """
    _set(_MMAP_THRESHOLD, _LARGE_BYTES)


def share_heaps() -> None:
    """Make the allocator of an index run return large blocks too, and its threads share two heaps.

    glibc gives each thread a heap of its own, up to eight for each core, and keeps in each what was freed there; the
    table's library has many threads. Building an index of 100,000 sections took 2.1 GB with two heaps instead of 3.3, in the
    same time, and one of 350 sections with both default models 0.63 GB instead of 0.75.
    """
    _set(_MMAP_THRESHOLD, _LARGE_BYTES_OF_RUN)
    _set(_TRIM_THRESHOLD, _KEPT_BYTES_OF_RUN)
    _set(_ARENA_MAX, _HEAPS_OF_RUN)


def _set(parameter: int, value: int) -> None:
    with contextlib.suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).mallopt(parameter, value)
