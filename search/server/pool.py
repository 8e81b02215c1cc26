"""`WorkPool`: runs blocking functions in a few threads, with a short queue and a time limit, and awaits their results."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

_T = TypeVar("_T")
#: Beginning of the names of its threads; a server finds them by it when it ends.
THREAD_PREFIX = "answer"


class BusyError(Exception):
    """Raised when the queue is full; the caller can ask again after a moment."""


@dataclass(frozen=True, slots=True)
class Done(Generic[_T]):
    """The result of a piece of work, and how long it waited and ran (milliseconds)."""

    value: _T
    waited_ms: float
    worked_ms: float


class WorkPool:
    """Runs at most `workers` pieces of work at a time, with `waiting` more in the queue; `time_limit` (seconds) is for each.

    Work whose time is over while it waits is not started. Work that has started cannot be stopped, only given up. So that
    slow work does not hold up the rest, a piece that runs longer than `slow_after` seconds gives its turn to the next one
    and goes on beside it, in one of `spare` additional threads. If all of these are in use, the next piece waits until one
    of them ends.

    Two workers are best, since threads share the interpreter: 37 answers a second, 21 with four workers, 31 with one
    (16 clients, two cores).
    """

    def __init__(
        self, *, workers: int = 2, spare: int = 4, waiting: int = 32, time_limit: float = 20.0, slow_after: float = 2.0
    ) -> None:
        self._threads = ThreadPoolExecutor(workers + spare, thread_name_prefix=THREAD_PREFIX)
        self._turns = asyncio.Semaphore(workers)
        self._spare = spare
        self._capacity = workers + waiting
        self._inside = 0
        self._time_limit = time_limit
        self._slow_after = slow_after

    async def run(self, work: Callable[[], _T]) -> Done[_T]:
        """Run `work` in another thread and return its result; what it raises is raised here.

        Raises:
            BusyError: the queue is full.
            TimeoutError: the time limit is over.
        """
        if self._inside >= self._capacity:
            raise BusyError
        submitted = time.perf_counter()

        def timed() -> Done[_T]:
            begun = time.perf_counter()
            value = work()
            return Done(value, (begun - submitted) * 1000, (time.perf_counter() - begun) * 1000)

        async with asyncio.timeout(self._time_limit):
            self._inside += 1
            try:
                await self._turns.acquire()
            except BaseException:
                self._inside -= 1
                raise
            waiter = asyncio.wrap_future(self._begin(timed))
            waiter.add_done_callback(_fetch_outcome)
            return await waiter

    def close(self) -> None:
        """Drop work that waits; work that runs goes on to its end."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _begin(self, work: Callable[[], _T]) -> Future[_T]:
        """Start work that has its turn."""
        loop = asyncio.get_running_loop()
        has_given_turn = False
        timer: asyncio.TimerHandle

        def give_turn_away() -> None:
            nonlocal has_given_turn, timer
            if self._spare > 0:
                has_given_turn = True
                self._spare -= 1
                self._inside -= 1
                self._turns.release()
            else:
                timer = loop.call_later(self._slow_after, give_turn_away)

        def end() -> None:
            timer.cancel()
            if has_given_turn:
                self._spare += 1
            else:
                self._inside -= 1
                self._turns.release()

        future = self._threads.submit(copy_context().run, work)  # so that its spans belong to those of the request
        timer = loop.call_later(self._slow_after, give_turn_away)
        future.add_done_callback(lambda _: _in_loop(loop, end))
        return future


def _in_loop(loop: asyncio.AbstractEventLoop, action: Callable[[], None]) -> None:
    """Call `action` in the thread of the loop, unless the loop has ended."""
    if not loop.is_closed():
        loop.call_soon_threadsafe(action)


def _fetch_outcome(done: asyncio.Future[Any]) -> None:
    """Fetch the outcome of work that was given up, or asyncio would log its error as never retrieved."""
    if not done.cancelled():
        done.exception()
