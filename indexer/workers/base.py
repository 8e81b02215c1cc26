"""What jobs, and those who do them, have to offer; `Here` does them in this process.

A job is a pure function of what it holds and of the tools of who does it, so that it may be done anywhere, and again.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import schema
from schema.errors import SectionaryError, WorkersError

#: What the caller keeps beside a job, and gets back with its result.
Kept = TypeVar("Kept")


class Job(Protocol):
    """One piece of work. It can be pickled, and so can its result."""

    @property
    def size(self) -> int:
        """About how many bytes it takes to send; small ones are sent together."""
        ...

    @property
    def is_for_gpu(self) -> bool:
        """Whether a GPU does it faster."""
        ...

    def do(self, tools: Any) -> Any:
        """Return the result; errors are only those that every other job would meet too."""
        ...


class Setup(Protocol):
    """What a worker is started with; it can be pickled."""

    def tools(self, cores: int) -> Any:
        """Return the tools of jobs in a process that may use so many processor cores."""
        ...


class Workers(Protocol):
    """Who does jobs."""

    def map(
        self, jobs: Iterable[tuple[Kept, Any]], should_stop: Callable[[], bool] = ..., *, is_timed: bool = ...
    ) -> Iterator[tuple[Kept, Any]]:
        """Yield for each job, in the order given, what was kept beside it and its result.

        Jobs are taken a bounded number ahead of the results, and fewer if `is_timed`: then a clock ends them, and those that
        were taken are done after that. Once `should_stop` returns true, jobs that other processes do are given up.

        Raises:
            WorkersError: no worker can be started, or a job ended several of them.
            SectionaryError: what a job raised.
        """
        ...

    def close(self) -> None:
        """Stop all processes; the next `map` starts them again."""
        ...


@dataclass(frozen=True, slots=True)
class Problem:
    """An error of a job as it is sent back: itself if a caller can act on it, else its traceback."""

    error: SectionaryError | None
    text: str

    @classmethod
    def of(cls, error: Exception) -> Problem:
        """Return the problem of an error; one that cannot be pickled and read again is sent as text."""
        if isinstance(error, SectionaryError):
            try:
                pickle.loads(pickle.dumps(error))  # noqa: S301 — it was made here
            except Exception:  # noqa: BLE001 — whatever a class of errors does when it is pickled
                return cls(SectionaryError(str(error)), "")
            return cls(error, "")
        return cls(None, "".join(traceback.format_exception(error)))

    def raised(self) -> Exception:
        """Return what the caller of the job is to raise."""
        return self.error or RuntimeError(f"a worker met a fault of Sectionary:\n{self.text}")


#: The results of jobs, or the error of the first that failed.
Answer = list[Any] | Problem


class Worker(Protocol):
    """One process that does jobs, one after the other."""

    @property
    def ready(self) -> Future[str]:
        """Done when it can be given jobs: the version of Sectionary that it has."""
        ...

    def submit(self, jobs: Sequence[Job]) -> Future[Answer]:
        """Begin to do jobs; their results."""
        ...

    def why_lost(self, error: BaseException) -> str | None:
        """Return why the process has ended, if an error of `ready` or `submit` says that, and else None."""
        ...

    def stop(self) -> None:
        """End the process, also within a job."""
        ...


@dataclass(frozen=True, slots=True)
class Packed:
    """A setup as bytes, so that what cannot be sent is noticed before anything is started."""

    data: bytes

    @classmethod
    def of(cls, setup: Setup) -> Packed:
        """Return a setup as bytes.

        Raises:
            WorkersError: it cannot be pickled.
        """
        try:
            return cls(pickle.dumps(setup))
        except Exception as error:
            raise WorkersError(
                f"The embedder cannot be sent to other processes ({error}); use one worker, or name its model in the "
                "settings."
            ) from error

    def tools(self, cores: int) -> Any:
        """Return the tools of the setup."""
        setup: Setup = pickle.loads(self.data)  # noqa: S301 — it comes from the process that started this one
        return setup.tools(cores)


@contextlib.contextmanager
def environment(values: Mapping[str, str]) -> Iterator[None]:
    """Set variables of this process's environment, and put back at the end what they were."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


class Here:
    """Does jobs in this process, each when its result is asked for."""

    def __init__(self, tools: Any) -> None:
        self._tools = tools

    def map(
        self, jobs: Iterable[tuple[Kept, Any]], should_stop: Callable[[], bool] = lambda: False, *, is_timed: bool = False
    ) -> Iterator[tuple[Kept, Any]]:
        """Yield for each job what was kept beside it and its result."""
        del should_stop, is_timed  # who gives the jobs gives no more then
        for kept, job in jobs:
            yield kept, job.do(self._tools)

    def close(self) -> None:
        """Do nothing: there is no process to stop."""


class Bench:
    """The tools of one worker process, made at its first jobs: what is wrong with them is an error of those jobs."""

    def __init__(self, setup: Setup, cores: int) -> None:
        self._setup, self._cores = setup, cores
        self._tools: Any = None

    def version(self) -> str:
        """Return the version of Sectionary in this process."""
        return schema.VERSION

    def perform(self, jobs: Sequence[Job]) -> Answer:
        """Return the results of jobs, or the error of the first that fails."""
        try:
            if self._tools is None:
                self._tools = self._setup.tools(self._cores)
            return [job.do(self._tools) for job in jobs]
        except Exception as error:  # noqa: BLE001 — it is raised again in the process that sent the jobs
            return Problem.of(error)
