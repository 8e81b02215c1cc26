"""Where an index keeps its files, who may write to it, and how a rebuilt one takes the old one's place.

An index folder holds `store/` (the table and the ledger), `lock`, and a `.gitignore` that keeps it out of version control.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import filelock

from schema.errors import IndexDamagedError, IndexLockedError

#: Name of the index folder beside a project.
INDEX_FOLDER = ".sectionary"
_STORE, _NEW, _OLD = "store", "store.new", "store.old"


def find_index(start: Path) -> Path | None:
    """The index folder of the project that `start` belongs to: in it or in the nearest folder above."""
    for folder in (start, *start.parents):
        if (folder / INDEX_FOLDER / _STORE).is_dir():
            return folder / INDEX_FOLDER
    return None


def store_dir(index_dir: Path) -> Path:
    """Where the table and the ledger of an index are."""
    return index_dir / _STORE


def ledger_path(store: Path) -> Path:
    """The ledger beside the table in `store`."""
    return store / "ledger.sqlite"


@contextlib.contextmanager
def writing(index_dir: Path, *, wait: float = 0.0) -> Iterator[None]:
    """Be the only writer of an index, making its folder if need be; waits up to `wait` seconds (below 0: forever).

    Raises:
        IndexLockedError: another process is writing.
        IndexDamagedError: the folder cannot be made or written.
    """
    try:
        index_dir.mkdir(parents=True, exist_ok=True)
        ignore = index_dir / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8")
        lock = filelock.FileLock(index_dir / "lock")
        lock.acquire(timeout=wait)
    except filelock.Timeout as error:
        raise IndexLockedError(
            f"Another process is writing to the index in {index_dir}; try again when it is done, or use --wait.",
            index_dir=index_dir,
        ) from error
    except OSError as error:
        raise IndexDamagedError(
            f"The index folder {index_dir} cannot be written: {error.strerror or error}. "
            "Choose another with --index, or correct its rights.",
            index_dir=index_dir,
        ) from error
    try:
        _finish_replacing(index_dir)
        yield
    finally:
        lock.release()


@contextlib.contextmanager
def rebuilding(index_dir: Path) -> Iterator[Path]:
    """A fresh store folder that takes the old one's place if the block ends well; until then the old one is searched."""
    new, old, store = index_dir / _NEW, index_dir / _OLD, index_dir / _STORE
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir()
    yield new
    if store.exists():
        os.rename(store, old)
    os.rename(new, store)
    shutil.rmtree(old, ignore_errors=True)


def _finish_replacing(index_dir: Path) -> None:
    """Clean up after a process that died while rebuilding: a finished store moves in, debris goes."""
    new, old, store = index_dir / _NEW, index_dir / _OLD, index_dir / _STORE
    if not store.exists() and old.exists():
        os.rename(new if new.exists() else old, store)
    for debris in (new, old):
        shutil.rmtree(debris, ignore_errors=True)
