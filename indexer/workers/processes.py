"""A worker that is a process of this machine: it gets jobs and sends results through a pipe, and ends with this process."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from typing import Any

from indexer.workers.base import Answer, Bench, Job, Setup, environment

#: How long a process whose pipe has ended may take to end (seconds).
_END_SECONDS = 2.0
#: Without it a process that starts, and one that Python starts beside it, takes modules from the working folder.
_SAFE = {"PYTHONSAFEPATH": "1"}


class _EndedError(Exception):
    """The process has ended."""


class ProcessWorker:
    """A process of this machine that may use `cores` processor cores.

    It is started afresh, not forked: threads of this process may hold locks. The setup, which may be large, is sent when it
    runs: Python waits for ever if a process ends before it has read all that it is started with.
    """

    def __init__(self, setup: Setup, cores: int) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, there = context.Pipe()
        self._process = context.Process(target=_serve, args=(there, cores), daemon=True, name="index worker")
        with environment(_SAFE), _uninterrupted():
            self._process.start()
        there.close()  # so that the end of the process ends the pipe
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="worker")
        self.ready: Future[str] = self._thread.submit(self._ask, setup)

    def submit(self, jobs: Sequence[Job]) -> Future[Answer]:
        """Begin to do jobs."""
        return self._thread.submit(self._ask, list(jobs))

    def why_lost(self, error: BaseException) -> str | None:
        """Return how the process has ended, None if it has not."""
        return str(error) if isinstance(error, _EndedError) else None

    def stop(self) -> None:
        """End the process, which holds nothing that is to be kept."""
        self._process.kill()
        self._process.join()
        self._thread.shutdown(cancel_futures=True)
        self._pipe.close()

    def _ask(self, message: Any) -> Any:
        try:
            self._pipe.send(message)
            return self._pipe.recv()
        except (EOFError, OSError) as error:
            raise self._ended() from error

    def _ended(self) -> _EndedError:
        self._process.join(_END_SECONDS)
        code = self._process.exitcode
        how = f"was ended by signal {-code}" if code is not None and code < 0 else f"ended with exit status {code}"
        return _EndedError(f"a worker process {how}")


@contextlib.contextmanager
def _uninterrupted() -> Iterator[None]:
    """Let processes that are started hold SIGINT back, which would end them with a traceback until `_serve` runs."""
    if os.name != "posix":
        yield
        return
    resource_tracker.ensure_running()  # else it is started with the first process, and lets the signal through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(pipe: Connection, cores: int) -> None:
    """Do what comes through the pipe, first the setup and then jobs, until nothing more can come."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that sends the jobs gets it too, and decides
    if os.name == "posix":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    with contextlib.suppress(EOFError, OSError):
        bench = Bench(pipe.recv(), cores)
        pipe.send(bench.version())
        while True:
            pipe.send(bench.perform(pipe.recv()))
