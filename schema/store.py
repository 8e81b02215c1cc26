"""Where an index keeps its files, who may write to it, and how a rebuilt one takes the old one's place.

An index folder holds `store/` (the table and the ledger), locks, a `.gitignore` that keeps it out of version control, and
`summaries.sqlite`, the summaries that a language model wrote.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from schema.errors import IndexAccessError, IndexLockedError

#: Name of the index folder beside a project.
INDEX_FOLDER = ".sectionary"
_STORE, _NEW, _OLD, _LOCK, _SUMMARIZING = "store", "store.new", "store.old", "lock", "summaries.lock"

#: Who only looks whether the lock is held holds it for a moment itself (seconds).
_GLANCE = 0.2


def find_index(start: Path) -> Path | None:
    """The index folder of the project that `start` belongs to: in it or in the nearest folder above."""
    for folder in (start, *start.parents):
        if store_dir(folder / INDEX_FOLDER).is_dir():
            return folder / INDEX_FOLDER
    return None


def store_dir(index_dir: Path) -> Path:
    """Where the table and the ledger of an index are.

    In the moment in which a new store takes the old one's place, or when a process died in it, that is the new one.
    """
    new, old, store = index_dir / _NEW, index_dir / _OLD, index_dir / _STORE
    if store.is_dir() or not old.is_dir():
        return store
    return new if new.is_dir() else old


def ledger_path(store: Path) -> Path:
    """The ledger beside the table in `store`."""
    return store / "ledger.sqlite"


@contextlib.contextmanager
def writing(index_dir: Path, *, wait: float = 0.0, give_up: Callable[[], bool] | None = None) -> Iterator[None]:
    """Be the only writer of an index, making its folder if need be.

    Waits up to `wait` seconds for another writer (below 0: forever), and no longer than `give_up` says. A process that dies
    lets go of the lock by that.

    Raises:
        IndexLockedError: another process is writing.
        IndexAccessError: the folder cannot be made or written.
    """
    message = f"Another process is writing to the index in {index_dir}; try again when it is done, or use --wait."
    with _locked(index_dir, _LOCK, message, wait=wait, give_up=give_up):
        with _told(index_dir):
            _finish_replacing(index_dir)
        yield


@contextlib.contextmanager
def summarizing(index_dir: Path, *, wait: float = 0.0, give_up: Callable[[], bool] | None = None) -> Iterator[None]:
    """Be the only one who makes summaries for an index, while others may write it; raises as `writing` does."""
    message = f"Another process is summarising the index in {index_dir}; try again when it is done, or use --wait."
    with _locked(index_dir, _SUMMARIZING, message, wait=wait, give_up=give_up):
        yield


def summaries_path(index_dir: Path) -> Path:
    """The cache of summaries that a language model wrote."""
    return index_dir / "summaries.sqlite"


@contextlib.contextmanager
def _locked(index_dir: Path, name: str, message: str, *, wait: float, give_up: Callable[[], bool] | None) -> Iterator[None]:
    import filelock

    try:
        index_dir.mkdir(parents=True, exist_ok=True)
        ignore = index_dir / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8")
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


def is_being_written(index_dir: Path) -> bool:
    """Whether a process holds the writer's lock at this moment; False where that cannot be told."""
    if not (index_dir / _LOCK).exists():
        return False
    import filelock

    lock = filelock.FileLock(index_dir / _LOCK)
    try:
        lock.acquire(timeout=0)
    except filelock.Timeout:
        return True
    except OSError:
        return False
    lock.release()
    return False


@contextlib.contextmanager
def replacing(index_dir: Path) -> Iterator[Path]:
    """A fresh store folder that takes the old one's place if the block ends well; until then the old one is searched."""
    new, old, store = index_dir / _NEW, index_dir / _OLD, index_dir / _STORE
    with _told(index_dir):
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir()
    try:
        yield new
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        raise
    with _told(index_dir):
        if store.exists():
            os.rename(store, old)
        os.rename(new, store)
    shutil.rmtree(old, ignore_errors=True)


def _finish_replacing(index_dir: Path) -> None:
    """Clean up after a process that died while replacing: a finished store moves in, debris goes."""
    new, old, store = index_dir / _NEW, index_dir / _OLD, index_dir / _STORE
    if not store.exists() and old.exists():
        os.rename(new if new.exists() else old, store)
    for debris in (new, old):
        shutil.rmtree(debris, ignore_errors=True)


@contextlib.contextmanager
def _told(index_dir: Path) -> Iterator[None]:
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
