"""The locks in an index folder, which die with the process that holds them; errors of the system there → one sentence."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

from schema.errors import IndexAccessError, IndexLockedError
from schema.index_files.plain_files import refuse_links

#: `is_being_written` holds the lock for a moment, so a writer waits at least this long for it (seconds).
_GLANCE = 0.2


@contextlib.contextmanager
def folder_lock(
    index_dir: Path, name: str, message: str, *, wait: float, give_up: Callable[[], bool] | None
) -> Iterator[None]:
    """Hold the lock `name` of an index folder, making the folder if need be.

    Raises:
        IndexLockedError: another process has it, with this message.
        IndexAccessError: the folder cannot be made or written.
        IndexUntrustedError: a link is in the folder.
    """
    import filelock

    refuse_links(index_dir, index_dir=index_dir)
    if index_dir.exists() and not index_dir.is_dir():
        raise IndexAccessError(
            f"{index_dir} is a file, not an index folder; move it away, or choose another folder with --index.",
            index_dir=index_dir,
        )
    try:
        index_dir.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError), (index_dir / ".gitignore").open("x", encoding="utf-8") as ignore:
            ignore.write("*\n")
        lock = filelock.FileLock(index_dir / name)
        lock.acquire(timeout=wait if wait < 0 else max(wait, _GLANCE), poll_interval=_GLANCE / 4, cancel_check=give_up)
    except filelock.Timeout as error:
        raise IndexLockedError(message, index_dir=index_dir) from error
    except OSError as error:
        raise _denied(index_dir, error) from error
    try:
        yield
    finally:
        lock.release()


@contextlib.contextmanager
def access_errors(index_dir: Path) -> Iterator[None]:
    """Turn errors of the system in an index folder into one that says what to do.

    Raises:
        IndexAccessError: the folder cannot be written.
    """
    try:
        yield
    except OSError as error:
        raise _denied(index_dir, error) from error


def _denied(index_dir: Path, error: OSError) -> IndexAccessError:
    return IndexAccessError(
        f"The index folder {index_dir} cannot be written: {error.strerror or error}. "
        "Choose another with --index, or correct its rights.",
        index_dir=index_dir,
    )
