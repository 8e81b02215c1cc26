"""`WorkPool`: blocking work → awaited results, by few threads over a short queue, each within a time limit."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

_T = TypeVar("_T")
#: How the names of its threads begin.
THREAD_PREFIX = "answer"


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

    Work that is past its limit while it waits is never begun; a thread that is at it cannot be stopped. So that slow work
    does not keep others waiting, a piece that takes longer than `slow_after` seconds gives its turn to the next one and goes
    on beside it, in one of `spare` more threads. Only when all of these are taken does the next piece wait for one to end.

    More workers than two make each other wait for the interpreter: 21 answers a second with four, 37 with two, 31 with one
    (16 clients, two cores).
    """

    def __init__(
        self, *, workers: int = 2, spare: int = 4, waiting: int = 32, time_limit: float = 20.0, slow_after: float = 2.0
    ) -> None:
        self._threads = ThreadPoolExecutor(workers + spare, thread_name_prefix=THREAD_PREFIX)
        self._turns = asyncio.Semaphore(workers)
        self._spare = spare
        self._room = workers + waiting
        self._inside = 0
        self._time_limit = time_limit
        self._slow_after = slow_after

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

        async with asyncio.timeout(self._time_limit):
            self._inside += 1
            try:
                await self._turns.acquire()
            except BaseException:
                self._inside -= 1
                raise
            waiter = asyncio.wrap_future(self._begin(timed))
            waiter.add_done_callback(_look_at)
            return await waiter

    def close(self) -> None:
        """Let what is being done end, and drop what waits."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _begin(self, work: Callable[[], _T]) -> Future[_T]:
        """Start work that has its turn."""
        loop = asyncio.get_running_loop()
        is_aside = False
        timer: asyncio.TimerHandle

        def step_aside() -> None:
            nonlocal is_aside, timer
            if self._spare > 0:
                is_aside = True
                self._spare -= 1
                self._inside -= 1
                self._turns.release()
            else:
                timer = loop.call_later(self._slow_after, step_aside)

        def end() -> None:
            timer.cancel()
            if is_aside:
                self._spare += 1
            else:
                self._inside -= 1
                self._turns.release()

        future = self._threads.submit(work)
        timer = loop.call_later(self._slow_after, step_aside)
        future.add_done_callback(lambda _: _in_loop(loop, end))
        return future


def _in_loop(loop: asyncio.AbstractEventLoop, action: Callable[[], None]) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(action)


def _look_at(done: asyncio.Future[Any]) -> None:
    """Fetch the outcome, or asyncio complains about an error that nobody waited for any more."""
    if not done.cancelled():
        done.exception()
