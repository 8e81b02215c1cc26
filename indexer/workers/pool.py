"""Jobs → results in the same order, by several workers: few jobs ahead, and those of a worker that ended are done again.

What workers are is not known here. They are started as they are needed, and not at all for work that is done as soon here.
"""

from __future__ import annotations

import itertools
import logging
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from typing import Any, Generic

import schema
from indexer.workers.base import Answer, Job, Kept, Problem, Worker
from schema.errors import WorkersError

_log = logging.getLogger(__name__)

#: Jobs are sent together until they have this many bytes: sending costs as much as some hundred bytes of work.
SENT_BYTES = 256 << 10
#: Jobs that a worker holds: one that it does, and one that it can begin at once.
_QUEUED = 2
#: Jobs that are taken, for each worker: results wait for an earlier one, so that a long job stops nobody for long.
_AHEAD = 4
#: Most bytes of jobs that are sent and not yet answered, together.
MOST_BYTES = 64 << 20
#: How often a job is given to a worker that ends with it, and how often in a row workers may end before they are ready.
ATTEMPTS = 3
#: How long no worker may be ready (seconds): a process loads libraries, and a cluster may have to start a machine.
READY_SECONDS = 300.0
#: How often a pool that waits asks whether to stop (seconds).
LOOK_SECONDS = 0.2


class _StoppedError(Exception):
    """Raised to give up what workers do."""


@dataclass(slots=True, eq=False)
class _Task(Generic[Kept]):
    """Jobs that are sent together, in order, with what is kept beside each; the results once they are there."""

    kept: list[Kept]
    jobs: list[Job]
    size: int
    attempts: int = 0
    results: list[Any] | None = None


@dataclass(slots=True, eq=False)
class _Seat:
    """A worker and the tasks that it has, in the order in which it does them."""

    worker: Worker
    is_ready: bool = False
    tasks: list[tuple[_Task[Any], Future[Answer]]] = field(default_factory=list)


class WorkerPool:
    """At most `count` workers that `start` returns, one each time it is called; `tools` are for what is done here.

    Neither is called before there is more than one task.
    """

    def __init__(self, start: Callable[[], Worker], count: Callable[[], int], *, tools: Any) -> None:
        self._start = start
        self._count = count
        self._tools = tools
        self._most = 1
        self._seats: list[_Seat] = []
        self._unsent: deque[_Task[Any]] = deque()
        self._failed_starts = 0

    def map(
        self, jobs: Iterable[tuple[Kept, Any]], should_stop: Callable[[], bool] = lambda: False, *, is_timed: bool = False
    ) -> Iterator[tuple[Kept, Any]]:
        """Yield for each job, in order, what was kept beside it and its result; see `Workers.map`."""
        tasks = _grouped(jobs)
        first = list(itertools.islice(tasks, 2))
        if len(first) < 2:  # starting a process takes longer
            for task in first:
                yield from zip(task.kept, (job.do(self._tools) for job in task.jobs), strict=True)
            return
        try:
            self._most = self._count()
            yield from self._spread(itertools.chain(first, tasks), should_stop, _QUEUED if is_timed else _AHEAD)
        except _StoppedError:
            self.close()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Stop all workers, also within a job; if that is interrupted, the next call stops those that are left."""
        self._unsent.clear()
        self._failed_starts = 0
        while self._seats:
            self._seats[-1].worker.stop()
            self._seats.pop()

    def _spread(
        self, tasks: Iterable[_Task[Kept]], should_stop: Callable[[], bool], ahead: int
    ) -> Iterator[tuple[Kept, Any]]:
        order: deque[_Task[Kept]] = deque()
        held = 0
        for task in tasks:
            while order and (len(order) >= ahead * self._most or held + task.size > MOST_BYTES):
                held -= order[0].size
                yield from self._first_of(order, should_stop)
            order.append(task)
            held += task.size
            self._unsent.append(task)
            self._look()
            while order and order[0].results is not None:
                held -= order[0].size
                yield from self._first_of(order, should_stop)
        while order:
            yield from self._first_of(order, should_stop)

    def _first_of(self, order: deque[_Task[Kept]], should_stop: Callable[[], bool]) -> Iterator[tuple[Kept, Any]]:
        """Wait for the results of the first task, remove it, and yield them."""
        while order[0].results is None:
            self._wait(should_stop)
        task = order.popleft()
        yield from zip(task.kept, task.results or (), strict=True)

    def _wait(self, should_stop: Callable[[], bool]) -> None:
        """Wait until a worker has done something, and give it more to do."""
        began = time.monotonic()
        while True:
            if should_stop():
                raise _StoppedError
            self._send()
            waited_for: list[Future[Any]] = [future for seat in self._seats for _, future in seat.tasks]
            waited_for += [seat.worker.ready for seat in self._seats if not seat.is_ready]
            done, _ = wait(waited_for, timeout=LOOK_SECONDS, return_when=FIRST_COMPLETED)
            if done:
                self._look()
                return
            if not any(seat.is_ready for seat in self._seats) and time.monotonic() - began >= READY_SECONDS:
                raise WorkersError(
                    f"No worker could be started within {READY_SECONDS:.0f} seconds; see whether the machines have "
                    "processors and memory that are not in use."
                )

    def _look(self) -> None:
        """Take what workers have done since, and give them more to do."""
        for seat in list(self._seats):
            if not seat.is_ready and seat.worker.ready.done():
                self._greet(seat)
            while seat in self._seats and seat.tasks and seat.tasks[0][1].done():
                self._take(seat)
        self._send()

    def _greet(self, seat: _Seat) -> None:
        error = seat.worker.ready.exception()
        if error is None:
            version = seat.worker.ready.result()
            if version != schema.VERSION:
                raise WorkersError(
                    f"A worker has Sectionary {version} and this process {schema.VERSION}; install the same version on all "
                    "machines."
                )
            seat.is_ready = True
            self._failed_starts = 0
            return
        self._failed_starts += 1
        reason = self._lose(seat, error)
        if self._failed_starts < ATTEMPTS:
            return
        ready = sum(each.is_ready for each in self._seats)
        if not ready:
            raise WorkersError(f"Workers cannot be started ({reason}).") from error
        _log.warning("only %d of %d workers can be started: %s", ready, self._most, reason)
        self._most, self._failed_starts = ready, 0

    def _take(self, seat: _Seat) -> None:
        """Take the answer to the first task of a worker; the tasks of one that has ended are to be sent again."""
        task, future = seat.tasks[0]
        error = future.exception()
        if error is None:
            seat.tasks.pop(0)
            found = future.result()
            if isinstance(found, Problem):
                raise found.raised()
            task.results = found
            return
        task.attempts += 1
        reason = self._lose(seat, error)
        if task.attempts >= ATTEMPTS:
            raise WorkersError(
                f"{ATTEMPTS} workers ended one after the other in the same work ({reason}); give them more memory, or start "
                "fewer of them."
            ) from error

    def _lose(self, seat: _Seat, error: BaseException) -> str:
        """Give up a worker that has ended and return why; another one is started when there is something to do."""
        reason = seat.worker.why_lost(error)
        if reason is None:
            raise error
        self._seats.remove(seat)
        self._unsent.extendleft(task for task, _ in reversed(seat.tasks))
        seat.worker.stop()
        _log.info("a worker was lost: %s", reason)
        return reason

    def _send(self) -> None:
        """Give tasks to workers that can take one, and start one more where none is free."""
        while self._unsent:
            free = [seat for seat in self._seats if seat.is_ready and len(seat.tasks) < _QUEUED]
            is_starting = sum(not seat.is_ready for seat in self._seats)
            is_idle = any(not seat.tasks for seat in free)
            if not is_idle and len(self._seats) < self._most and is_starting < len(self._unsent):
                self._seats.append(_Seat(self._start()))
                continue
            if not free:
                return
            seat = min(free, key=lambda each: len(each.tasks))
            task = self._unsent.popleft()
            seat.tasks.append((task, seat.worker.submit(task.jobs)))


def _grouped(jobs: Iterable[tuple[Kept, Job]]) -> Iterator[_Task[Kept]]:
    """Yield jobs in tasks of about `SENT_BYTES`, in order."""
    task: _Task[Kept] = _Task([], [], 0)
    for kept, job in jobs:
        task.kept.append(kept)
        task.jobs.append(job)
        task.size += job.size
        if task.size >= SENT_BYTES:
            yield task
            task = _Task([], [], 0)
    if task.jobs:
        yield task
