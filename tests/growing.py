"""Measures how the time of a job grows with its input: each size is timed several times in one process, the best counts."""

import functools
import gc
import itertools
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

#: Twice the input may take this many times as long.
MOST_GROWTH = 2.6
#: The largest input may take this long (seconds of CPU).
MOST_SECONDS = 10.0
#: Below this a time says more about the machine than about the job (seconds).
_NOISE = 0.02
#: How often a size is timed before a growth is believed.
_ROUNDS = 8
#: One run of a job is ended after this long (seconds of wall time).
_GIVE_UP = 60


@dataclass(frozen=True, slots=True)
class Family:
    """Inputs of one shape, of any size: `make(size)` gives the input, of about `size` characters or items, `job` is timed.

    Timed at a quarter, a half and all of `size`; by default a megabyte of characters. `is_longest`: no larger input exists.
    """

    name: str
    make: Callable[[int], Any]
    job: Callable[[Any], object]
    size: int = 1_000_000
    is_longest: bool = False

    def __str__(self):
        return self.name


def fill(unit: str, size: int) -> str:
    """`unit` repeated to about `size` characters."""
    return unit * max(1, size // len(unit))


def assert_grows_linearly(family: Family) -> None:
    """Fail if doubling the input takes more than `MOST_GROWTH` times as long, or all of it more than `MOST_SECONDS`.

    Other work on the machine only ever makes a time longer, so that the best time of each size is compared.
    """
    set_aside_what_is_loaded()
    sizes = [family.size // 4, family.size // 2, family.size]
    inputs = [family.make(size) for size in sizes]
    best = [float("inf")] * len(sizes)
    for _ in range(_ROUNDS):
        for i, given in enumerate(inputs):
            best[i] = min(best[i], seconds_of(family, given, sizes[i]))
        if best[-1] <= MOST_SECONDS and all(growth <= MOST_GROWTH for growth in _growths(best)):
            return
    told = ", ".join(f"{size:,}: {seconds:.3f} s" for size, seconds in zip(sizes, best, strict=True))
    assert best[-1] <= MOST_SECONDS, f"{family} takes too long: {told}"
    raise AssertionError(f"{family} grows {', '.join(f'{g:.2f}' for g in _growths(best))} times at each doubling: {told}")


@functools.cache
def set_aside_what_is_loaded() -> None:
    """Spare the collections between the timings the walk through all modules, which takes longer than most jobs."""
    gc.collect()
    gc.freeze()


def _growths(best: list[float]) -> list[float]:
    return [later / max(earlier, _NOISE) for earlier, later in itertools.pairwise(best)]


def seconds_of(family: Family, given: Any, size: int) -> float:
    """Seconds of CPU that the job takes; an error after `_GIVE_UP` seconds."""

    def give_up(*_):
        raise AssertionError(f"{family} takes more than {_GIVE_UP} s for {size:,}")

    gc.collect()
    gc.disable()  # what a collection costs depends on all that is alive, not on the job
    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(_GIVE_UP)
    try:
        started = time.process_time()
        family.job(given)
        return time.process_time() - started
    finally:
        gc.enable()
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
