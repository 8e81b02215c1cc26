"""Durations, signals to stop, and runs at intervals, for an `index` process that runs for a long time."""

from __future__ import annotations

import random
import re
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import FrameType
from typing import Any, Self

_UNITS = {"ms": 0.001, "": 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86_400.0, "w": 604_800.0}
_DURATION = re.compile(rf"(\d{{1,9}}(?:\.\d{{1,6}})?)\s*({'|'.join(_UNITS)})", re.ASCII)
#: Runs start up to this share of the interval earlier or later, so that many machines do not use one disk at once.
_JITTER = 0.1
#: How often a waiting process checks whether to stop (seconds).
_CHECK_EVERY = 0.1


def duration(text: str) -> float:
    """Return the seconds of a duration such as "90", "60s", "15m", "15min", "2h", "1d", "2w" or "500ms".

    >>> duration("15m"), duration("15min")
    (900.0, 900.0)

    Raises:
        ValueError: it is not a duration.
    """
    match = _DURATION.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is no duration; write a number with ms, s, m, h, d or w, as in 60s or 15m")
    return float(match[1]) * _UNITS[match[2]]


@dataclass(slots=True)
class LastRun:
    """Whether the last of many runs was done; it is not where it failed, or another one held the lock."""

    is_done: bool = True


class StopSignals(AbstractContextManager["StopSignals"]):
    """While open, the first SIGINT or SIGTERM asks to stop after the current step; a second one stops at once.

    `on_first` is called when the first arrives. Only the main thread may open it.
    """

    def __init__(self, on_first: Callable[[], None] | None = None) -> None:
        self._on_first = on_first
        self._is_set = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        for number in (signal.SIGINT, signal.SIGTERM):
            self._before[number] = signal.signal(number, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _handle(self, _number: int, _frame: FrameType | None) -> None:
        if self._is_set:
            raise KeyboardInterrupt
        self._is_set = True
        if self._on_first:
            self._on_first()

    def is_set(self) -> bool:
        """Whether somebody asked to stop."""
        return self._is_set

    def sleep(self, seconds: float) -> None:
        """Wait this long, or until somebody asks to stop."""
        until = time.monotonic() + seconds
        while not self._is_set and (left := until - time.monotonic()) > 0:
            time.sleep(min(left, _CHECK_EVERY))


def run_every(interval: float, stop: StopSignals) -> Iterator[None]:
    """Yield at once and then every `interval` seconds, up to a tenth earlier or later, until somebody asks to stop.

    Intervals are measured from start to start. A run that takes longer than its interval is followed at once by the next;
    two runs never overlap.
    """
    while not stop.is_set():
        started = time.monotonic()
        yield
        pause = interval * random.uniform(1 - _JITTER, 1 + _JITTER)  # noqa: S311 — no secret depends on it
        stop.sleep(started + pause - time.monotonic())
