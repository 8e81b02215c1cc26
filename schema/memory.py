"""Keeps the memory of a process small that makes and frees many large arrays, as a server and an index run do."""

from __future__ import annotations

import contextlib
import ctypes

#: Parameters of glibc's mallopt: blocks of this many bytes are mapped by themselves and unmapped when they are free; so many
#: free bytes at the end of a heap are kept; and how many heaps the threads share.
_MMAP_THRESHOLD, _TRIM_THRESHOLD, _ARENA_MAX = -3, -1, -8
#: Blocks from 1 MB on cost a server a third of its time: each was mapped and cleared anew.
_LARGE_BYTES, _KEPT_BYTES, _HEAPS = 4 << 20, 64 << 20, 2


def share_heaps() -> None:
    """Make this process's threads share two heaps, and its allocator return large blocks to the system when they are free.

    It holds for all that follows in the process; without glibc it does nothing. glibc gives each thread a heap of its own,
    up to eight for each core, and keeps in each what was freed there; the table's library has many threads. And it raises
    its threshold for large blocks whenever such a block is freed, up to 32 MB: then the arrays of each version that a server
    reads leave holes into which those of the next one do not fit. docs/scaling.md has what this saves and what it costs.
    """
    for parameter, value in ((_MMAP_THRESHOLD, _LARGE_BYTES), (_TRIM_THRESHOLD, _KEPT_BYTES), (_ARENA_MAX, _HEAPS)):
        with contextlib.suppress(OSError, AttributeError, TypeError):
            ctypes.CDLL(None).mallopt(parameter, value)
