"""`WorkPool`: blocking work → awaited results, by few threads over a short queue, each within a time limit."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

_T = TypeVar("_T")
#: How the names of its threads begin.
THREADS = "answer"


class BusyError(Exception):
    """The queue is full: ask again after a moment."""


@dataclass(frozen=True, slots=True)
class Done(Generic[_T]):
    """What a piece of work gave; how long it waited and worked, in milliseconds."""

    value: _T
    waited_ms: float
    worked_ms: float


class WorkPool:
    """At most `workers` pieces of work at a time and `waiting` more in the queue; `time_limit` in seconds for each.

    Work that is past its limit while it waits is never begun; a thread that is at it cannot be stopped, so its place in the
    pool is free only when it ends. More workers than two make each other wait for the interpreter: 21 answers a second with
    four, 37 with two, 31 with one (16 clients, two cores).
    """

    def __init__(self, *, workers: int = 2, waiting: int = 32, time_limit: float = 20.0) -> None:
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix=THREADS)
        self._room = workers + waiting
        self._inside = 0
        self._time_limit = time_limit

    async def run(self, work: Callable[[], _T]) -> Done[_T]:
        """The result of `work`, which runs in another thread; what it raises is raised here.

        Raises:
            BusyError: the queue is full.
            TimeoutError: the time limit is over.
        """
        if self._inside >= self._room:
            raise BusyError
        asked = time.perf_counter()

        def timed() -> Done[_T]:
            begun = time.perf_counter()
            value = work()
            return Done(value, (begun - asked) * 1000, (time.perf_counter() - begun) * 1000)

        loop = asyncio.get_running_loop()
        self._inside += 1
        future = self._threads.submit(timed)
        future.add_done_callback(lambda _: _in_loop(loop, self._leave))
        waiter = asyncio.wrap_future(future)
        waiter.add_done_callback(_look_at)
        async with asyncio.timeout(self._time_limit):
            return await waiter

    def close(self) -> None:
        """Let what is being done end, and drop what waits."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _leave(self) -> None:
        self._inside -= 1


def _in_loop(loop: asyncio.AbstractEventLoop, action: Callable[[], None]) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(action)


def _look_at(done: asyncio.Future[Any]) -> None:
    """Fetch the outcome, or asyncio complains about an error that nobody waited for any more."""
    if not done.cancelled():
        done.exception()
