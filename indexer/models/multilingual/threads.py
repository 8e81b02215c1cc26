"""Work in parts → done by a few threads, while the library of linear algebra that numpy calls keeps to one thread each.

That library's own threads wait for each other by spinning: on two busy cores a query of ten tokens took .08 s of CPU with
them, and .003 without.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from indexer.models.cores import usable_cores

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

#: More threads take more memory, and the other work of a run has no use for so many vectors at once.
_MAX_THREADS = 4

_Part = TypeVar("_Part")
_Result = TypeVar("_Result")


def mapped(work: Callable[[_Part], _Result], parts: Sequence[_Part]) -> list[_Result]:
    """What `work` makes of each part, in order; an error of one is raised."""
    with _limit:
        count = min(_MAX_THREADS, usable_cores(), len(parts))
        if count < 2:
            return [work(part) for part in parts]
        with ThreadPoolExecutor(count, thread_name_prefix="vectors") as pool:
            return list(pool.map(work, parts))


class _Limit:
    """While at least one thread is inside, linear algebra runs on the thread that asks for it; then as before."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._limits: Any = None

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._limits = _controller().limit(limits=1, user_api="blas")
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                _give_up_control()
                self._limits.restore_original_limits()
                _give_up_control()


_limit = _Limit()


def _give_up_control() -> None:
    """Let any thread set the limit: threadpoolctl 3.8 heeds only the one that set it first, which need not be the last."""
    for library in _controller().lib_controllers:
        if hasattr(library, "clear_controlling_thread"):
            library.clear_controlling_thread(force=True)


@cache
def _controller() -> ThreadpoolController:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
