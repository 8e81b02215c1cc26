"""A command → its seconds of wall and CPU time, its peak memory and what it printed; it is stopped after a limit."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


class StoppedError(Exception):
    """Raised when a process took longer than it may."""


class FailedError(Exception):
    """Raised when a process ended with an error, with its last line."""


@dataclass(slots=True)
class Measured:
    """A process that has ended, and what it printed; its last line says its memory (MB of 10^6 bytes)."""

    wall_s: float = 0.0
    cpu_s: float = 0.0
    lines: list[dict[str, Any]] = field(default_factory=list)

    def figures(self) -> dict[str, float]:
        """Return what was measured, without what it printed."""
        return {
            "wall_s": round(self.wall_s, 3),
            "cpu_s": round(self.cpu_s, 3),
            "peak_mb": round(self.lines[-1]["peak_mb"], 1),
        }


class Process:
    """A process in a group of its own, that is asked by lines of JSON and answers each with one."""

    def __init__(self, command: Sequence[str], environ: Mapping[str, str], folder: Path, limit_s: float) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed by `end`)
        self._begun = time.perf_counter()
        self._process = subprocess.Popen(
            command, cwd=folder, env=dict(environ), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors,
            text=True, encoding="utf-8", start_new_session=True,
        )  # fmt: skip
        self._is_late = False
        self._timer = threading.Timer(limit_s, self._stop)
        self._timer.daemon = True
        self._timer.start()

    def _stop(self) -> None:
        self._is_late = True
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    @property
    def age_s(self) -> float:
        """Seconds since it was started."""
        return time.perf_counter() - self._begun

    def read(self) -> dict[str, Any]:
        """Return the next line.

        Raises:
            StoppedError, FailedError: there is none any more.
        """
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line.endswith("\n"):  # it has ended, perhaps in the middle of a line
            self.end()
            raise FailedError("it ended without an answer")
        return _told(line)

    def ask(self, line: Mapping[str, Any]) -> dict[str, Any]:
        """Send a line and return its answer."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # why, is told by reading
            self._process.stdin.write(json.dumps(line) + "\n")
            self._process.stdin.flush()
        return self.read()

    def end(self) -> Measured:
        """Close its input, wait until it ends, and return what it took.

        Raises:
            StoppedError: it was stopped, as it took too long.
            FailedError: it ended with an error.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        lines = [line for line in self._process.stdout if line.endswith("\n")]
        _, status, usage = os.wait4(self._process.pid, 0)
        wall = self.age_s
        self._timer.cancel()
        self._process.returncode = os.waitstatus_to_exitcode(status)
        self._process.stdout.close()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)  # what it left behind
        self._errors.seek(0)
        said = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        self._errors.close()
        if self._is_late:
            raise StoppedError("it took longer than the limit and was stopped")
        if self._process.returncode:
            raise FailedError(_last(said) or f"exit status {self._process.returncode}")
        return Measured(wall, usage.ru_utime + usage.ru_stime, [_told(line) for line in lines])

    def kill(self) -> None:
        """End it at once, if it still runs."""
        self._timer.cancel()
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(self._process.pid, 0)
            self._process.returncode = -signal.SIGKILL


def run(command: Sequence[str], environ: Mapping[str, str], folder: Path, limit_s: float) -> Measured:
    """Run a process that is not asked anything to its end.

    Raises:
        StoppedError, FailedError: as `Process.end`.
    """
    with process(command, environ, folder, limit_s) as one:
        return one.end()


@contextlib.contextmanager
def process(command: Sequence[str], environ: Mapping[str, str], folder: Path, limit_s: float) -> Iterator[Process]:
    """Start a process; in the end it is gone, whatever happened."""
    one = Process(command, environ, folder, limit_s)
    try:
        yield one
    finally:
        one.kill()


def _told(line: str) -> dict[str, Any]:
    """Return a line of JSON.

    Raises:
        FailedError: it is none.
    """
    try:
        told: dict[str, Any] = json.loads(line)
    except ValueError:
        raise FailedError(f"it printed what is no JSON: {line[:100]!r}") from None
    return told


def _last(said: Sequence[str]) -> str:
    """Return the last line of standard error that names an error, else the last one, shortened."""
    named = [line.strip() for line in said if "error" in line.lower()]
    line = named[-1] if named else said[-1].strip() if said else ""
    return line if len(line) <= 300 else f"{line[:220]} … {line[-70:]}"
