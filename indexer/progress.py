"""How far a run is: bars on a terminal, and a line now and then elsewhere, as in the log of a scheduled run."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from schema.commands import called, print_error
from schema.logs import is_json

if TYPE_CHECKING:
    from indexer.sync.phases import Progress

#: Without a terminal: after so many seconds of a phase, and of each line, the next line (seconds).
_EVERY = 30.0
_PHASES = {
    "scan": "Reading files",
    "embed": "Embedding sections",
    "embed again": "Embedding again for English",
    "summarize": "Summarising sections",
    "extract": "Asking the language model",
}
#: What the phases before one have reached.
_REACHED = {
    "embed": "Every section can be found by its words now.",
    "embed again": "Every section can be found by its meaning now.",
}
_STOPPING = "Stopping after what is being done; interrupt again to stop at once."


def say_stopping() -> None:
    """Say that the command stops soon; for `StopSignals`."""
    # os.write, since this runs in a signal handler, maybe while something else is being printed
    if not is_json():
        with contextlib.suppress(OSError):
            os.write(2, f"{called('index')}: {_STOPPING}\n".encode())


@contextlib.contextmanager
def shown_progress(*, quiet: bool) -> Iterator[Progress | None]:
    """Yield a function that shows on stderr how far a run is; None with --quiet and where logs are JSON."""
    if quiet or is_json():
        yield None
    elif sys.stderr.isatty():
        with _bars() as show:
            yield show
    else:
        yield progress_lines(lambda line: print_error("index", line))


def progress_lines(say: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> Progress:
    """Return a function that says how far a phase is after each 30 seconds of it; a short run says nothing."""
    current, last, next_at, is_told = "", 0, 0.0, False

    def show(phase: str, done: int, total: int) -> None:
        nonlocal current, last, next_at, is_told
        if phase != current or done < last:
            current, next_at, is_told = phase, clock() + _EVERY, False
        last = done
        if clock() >= next_at:
            reached = "" if is_told or phase not in _REACHED else f"{_REACHED[phase]} "
            say(f"{reached}{_PHASES.get(phase, phase)}: {done:,} of {total:,}")
            next_at, is_told = clock() + _EVERY, True

    return show


@contextlib.contextmanager
def _bars() -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        tasks: dict[str, Any] = {}

        def show(phase: str, done: int, total: int) -> None:
            if phase not in tasks:
                if total and phase in _REACHED:
                    bars.console.print(_REACHED[phase], highlight=False)
                tasks[phase] = bars.add_task(_PHASES.get(phase, phase), total=total)
            bars.update(tasks[phase], completed=done, total=total)

        yield show
