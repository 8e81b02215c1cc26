"""Folders → a moment to look at them again: after changes there, and at intervals in any case.

What the operating system tells of changes is a hint, never the truth: some are lost, and some file systems tell nothing.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import watchfiles

from indexer.daemon.schedule import StopSignals
from indexer.discover import NEVER_INDEXED

_log = logging.getLogger(__name__)

#: How often the watcher comes back to see whether a folder was replaced or a full look is due (milliseconds).
_TICK_MS = 500
#: Between looks at folders that tell of nothing (milliseconds).
_POLL_MS = 1000


def watch_changes(
    paths: Sequence[Path],
    *,
    stop: StopSignals,
    settle: float = 0.4,
    full_every: float = 600.0,
    poll: bool = False,
    on_fallback: Callable[[str], None] | None = None,
) -> Iterator[None]:
    """Yield once at the start, after each burst of changes under `paths`, and every `full_every` seconds.

    A burst has ended when nothing has changed for `settle` / 4 seconds, and is cut after `settle`. With `poll`, or where the
    operating system cannot watch (`on_fallback` is told why), files are looked at every second instead.
    """
    due = 0.0  # the first look comes when the watch is on, so that nothing is lost in between
    while not stop.is_set():
        there = [path for path in paths if path.exists()]
        before = _identities(paths)
        if not there:
            yield
            stop.sleep(_TICK_MS / 1000)
            continue
        changes = watchfiles.watch(
            *there,
            watch_filter=_is_of_interest,
            debounce=max(50, int(settle * 1000)),
            step=max(10, int(settle * 250)),
            stop_event=stop,
            rust_timeout=_TICK_MS,
            yield_on_timeout=True,
            raise_interrupt=False,
            force_polling=poll,
            poll_delay_ms=_POLL_MS,
            ignore_permission_denied=True,
        )
        try:
            for changed in changes:
                if changed or time.monotonic() >= due:
                    yield
                    due = time.monotonic() + full_every
                if _identities(paths) != before:
                    due = 0.0
                    break
        except (OSError, RuntimeError) as error:  # too many files for the system's watches, or a file system without
            if poll:
                raise
            _log.info("watching failed: %s", error)
            poll = True
            if on_fallback:
                on_fallback(str(error))


def _identities(paths: Sequence[Path]) -> list[int | None]:
    """Which folders stand at these paths: a watch on one that was replaced tells of nothing any more."""
    found: list[int | None] = []
    for path in paths:
        try:
            found.append(path.stat().st_ino)
        except OSError:
            found.append(None)
    return found


def _is_of_interest(_change: watchfiles.Change, path: str) -> bool:
    # our own writes among them would never let it rest
    return NEVER_INDEXED.isdisjoint(Path(path).parts)
