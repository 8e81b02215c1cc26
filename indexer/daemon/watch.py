"""Folders → when to scan them again: after changes in them, and at intervals.

The operating system may miss changes, and some file systems report none; so all files are scanned at intervals too.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path

import watchfiles
from watchfiles._rust_notify import WatchfilesRustInternalError

from indexer.daemon.schedule import LastRun, StopSignals
from indexer.discover import NEVER_INDEXED

_log = logging.getLogger(__name__)

#: How long after a run that failed, or where the index is gone, the next one is due (seconds).
RETRY = 10.0
#: How often to check whether a folder was replaced or a scan of all files is due (milliseconds).
_TICK_MS = 500
#: Time between looks at files in file systems that report no changes (milliseconds).
_POLL_MS = 1000


def watch_changes(
    paths: Sequence[Path],
    *,
    stop: StopSignals,
    settle: float = 0.4,
    full_every: float = 600.0,
    poll: bool = False,
    on_fallback: Callable[[str], None] | None = None,
    index_dir: Path | None = None,
    last: LastRun | None = None,
) -> Iterator[None]:
    """Yield once at the start, after each burst of changes under `paths`, and every `full_every` seconds.

    Changes in `index_dir`, which each run makes, are left out. Where that is gone, or the `last` run failed, the next one is
    due after `RETRY` seconds.

    A burst ends when nothing has changed for `settle` / 4 seconds, at the latest after `settle` seconds. With `poll`, or if
    the operating system cannot watch (`on_fallback` is called with the reason), files are checked every second instead.
    """
    due = 0.0  # the first scan is made once the watch is on, so that no change is missed between them
    done = 0.0

    def is_due() -> bool:
        is_lost = index_dir is not None and not os.path.exists(index_dir)  # noqa: PTH110 — as below
        is_soon = is_lost or (last is not None and not last.is_done)
        return time.monotonic() >= (min(due, done + RETRY) if is_soon else due)

    while not stop.is_set():
        existing = [path for path in paths if os.path.exists(path)]  # noqa: PTH110 — Path.exists raises where rights are missing
        before = identities(paths)
        if not existing:
            if is_due():
                yield
                done = time.monotonic()
                due = done + full_every
            stop.sleep(_TICK_MS / 1000)
            if any(map(os.path.exists, paths)):
                due = 0.0
            continue
        # as the operating system reports them: some report paths without links
        watched = {place for path in existing for place in (path.absolute(), path.resolve())}
        changes = watchfiles.watch(
            *existing,
            watch_filter=interest_in(watched, index_dir),
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
                if changed or is_due():
                    yield
                    done = time.monotonic()
                    due = done + full_every
                # a folder that was removed and made again may have the same inode
                is_gone = any(
                    what == watchfiles.Change.deleted and Path(path).absolute() in watched for what, path in changed
                )
                if is_gone or identities(paths) != before:
                    due = 0.0
                    break
        except WatchfilesRustInternalError as error:  # the name of a changed file cannot be read: look at all files
            _log.info("changes were missed: %s", error)
            stop.sleep(_POLL_MS / 1000)
            due = 0.0
        except (OSError, RuntimeError) as error:  # too many files to watch, or a file system that cannot be watched
            if poll:
                raise
            _log.info("watching failed: %s", error)
            poll = True
            if on_fallback:
                on_fallback(str(error))


def identities(paths: Sequence[Path]) -> list[int | None]:
    """Return the inodes of these paths: a watch on a folder that was replaced reports nothing any more."""
    found: list[int | None] = []
    for path in paths:
        try:
            found.append(path.stat().st_ino)
        except OSError:
            found.append(None)
    return found


def interest_in(watched: Collection[Path], index_dir: Path | None = None) -> Callable[[watchfiles.Change, str], bool]:
    """Return the test whether a change below one of these absolute paths, not in `index_dir`, may change the index."""
    own = () if index_dir is None else (index_dir.absolute(), index_dir.resolve())

    def is_of_interest(_change: watchfiles.Change, changed: str) -> bool:
        path = Path(changed).absolute()
        if any(map(path.is_relative_to, own)):
            return False
        below = [path.relative_to(place).parts for place in watched if path.is_relative_to(place)] or [path.parts]
        # without the folders of indexes: each run writes there, and would cause the next one
        return any(NEVER_INDEXED.isdisjoint(parts) for parts in below)

    return is_of_interest
