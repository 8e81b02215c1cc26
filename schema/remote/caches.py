"""The small files of an index in an object store ↔ their copies in the local folder that stands for the index.

Copies are made anew where the store has newer ones, by one process at a time. `published.json` says what they were made
from. A process on this machine that writes the index has the newest files itself, so nothing is copied over them while it
does, nor after it died, until another session wrote the index.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from schema.errors import IndexAccessError, IndexDamagedError, IndexLockedError
from schema.remote.current import Current, SmallFile, read_current
from schema.remote.folders import RemoteIndex, point_to, remote_of, store_name, write_whole
from schema.remote.gate import Places
from schema.remote.objects import Objects, UnchangedError, objects_of
from schema.trust import read_small_file

#: How long copies are taken for the newest (seconds).
FRESH_SECONDS = 0.5
_STORE, _OLD, _TABLE, _IDENTITY, _STATE = "store", "store.old", "sections.lance", "identity", "published.json"
_COPIES_LOCK = "copies.lock"
#: What the names of folders begin with that exist for a moment.
TEMPORARY = "passing-"
_MAX_BYTES = 100_000
_PIECE = 1 << 20
#: How often files may be replaced while they are copied.
_OVERTAKEN = 2
#: Bytes of the header of a SQLite file, and where it counts changes (https://www.sqlite.org/fileformat2.html).
_SQLITE_HEADER, _SQLITE_COUNTERS = 100, (24, 92)
#: How long a file may be locked by who writes it (seconds).
_LOCKED_SECONDS = 30

_looked: dict[Path, float] = {}
_looking = threading.Lock()
_writers: set[Path] = set()


def refresh(index_dir: Path, places: Places) -> None:
    """Copy what is newer in the object store, if nobody looked a moment ago.

    Raises:
        IndexAccessError: the object store cannot be reached.
        IndexDamagedError: what it holds makes no sense.
    """
    remote = remote_of(index_dir)
    if remote is None or remote.folder in _writers:
        return
    if not _looking.acquire(blocking=remote.folder not in _looked):
        return  # another thread looks at this moment, and what is here was the newest a moment ago
    try:
        is_fresh = time.monotonic() - _looked.get(remote.folder, -FRESH_SECONDS) < FRESH_SECONDS
        if is_fresh and (remote.folder / _STORE).is_dir():  # or somebody removed the cache
            return
        with contextlib.suppress(UnchangedError):
            _copy_newer(objects_of(remote), places)
        _looked[remote.folder] = time.monotonic()
    finally:
        _looking.release()


def forget(index_dir: Path) -> None:
    """Let the next `refresh` look at the object store, however short ago the last one was."""
    _looked.pop(Path(os.path.realpath(index_dir)), None)


@contextlib.contextmanager
def left_to_writer(remote: RemoteIndex, *, give_up: Callable[[], bool] | None) -> Iterator[None]:
    """Let nobody copy files into the folder but this process, which writes the index; waits for who copies now.

    Raises:
        IndexLockedError: it took longer than `give_up` says.
    """
    folder = remote.folder
    with _copies_lock(remote, wait=-1, give_up=give_up) as is_held:
        if not is_held:
            raise IndexLockedError(
                f"Another process copies the files of the index in {folder}; try again.", index_dir=folder
            )
        _writers.add(folder)
        try:
            yield
        finally:
            _writers.discard(folder)


def _copy_newer(objects: Objects, places: Places) -> None:
    """Copy what is newer, unless another process does; waits for that one if there is nothing here yet.

    Raises:
        UnchangedError: there is nothing newer.
    """
    folder = objects.remote.folder
    known = known_e_tag(objects.remote)
    current = read_current(objects, unless=known)

    def is_here() -> bool:
        return not current.store or (folder / _STORE).is_dir()

    with _copies_lock(objects.remote, wait=0 if is_here() else -1, give_up=is_here) as is_held:
        if not is_held:
            return
        if known_e_tag(objects.remote) != known:  # another process was faster
            current = read_current(objects)
        _copy(objects, current, places)


def _copy(objects: Objects, current: Current, places: Places, *, again: int = _OVERTAKEN) -> None:
    """Copy what `current` says, or what it says by then if a writer replaced the files meanwhile."""
    try:
        copy_current(objects, current, places)
    except IndexDamagedError:
        newer = read_current(objects)
        if not again or newer.e_tag == current.e_tag:
            raise
        _copy(objects, newer, places, again=again - 1)


def copy_current(objects: Objects, current: Current, places: Places) -> None:
    """Let the local folder hold what `current` says; the caller holds the lock of the copies."""
    folder = objects.remote.folder
    known = read_state(folder)
    if is_newest(folder, current):
        return
    is_same = store_name(folder / _STORE) == current.store
    with cache_errors(objects.remote), temporary_folder(folder) as fetched:
        wanted: dict[str, Path] = {}
        gone: list[Path] = []
        for name, place in places(folder, folder / _STORE).items():
            file = current.files.get(name)
            is_there = place.is_file() and (is_same or place.parent == folder) and known.get(name) == file
            if file is None:
                gone.append(place)
            elif not is_there:
                objects.download(file.name_in(current.store, name), fetched / name, size=file.size, sha256=file.sha256)
                wanted[name] = place
        _put_in_place(folder, current, fetched, wanted, gone, is_same=is_same)


@contextlib.contextmanager
def cache_errors(remote: RemoteIndex) -> Iterator[None]:
    """Turn errors of the system and of SQLite in the local folder into one that says what to do.

    Raises:
        IndexAccessError: the folder cannot be read or written.
    """
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise IndexAccessError(
            f"The copies of the index in {remote.address.uri} cannot be read or written in {remote.folder.parent}: {reason}"
            "; free some space, or correct its rights.",
            index_dir=remote.folder,
        ) from error


def _put_in_place(
    folder: Path, current: Current, fetched: Path, wanted: Mapping[str, Path], gone: Sequence[Path], *, is_same: bool
) -> None:
    store = folder / _STORE
    (folder / _STATE).unlink(missing_ok=True)  # a process that dies here leaves files that are of no version
    if not is_same:
        shutil.rmtree(folder / _OLD, ignore_errors=True)
        with contextlib.suppress(FileNotFoundError):
            os.rename(store, folder / _OLD)
    if not current.store:
        shutil.rmtree(folder / _OLD, ignore_errors=True)
        return
    for place in gone:
        place.unlink(missing_ok=True)
    for place in (*gone, *wanted.values()):
        for ending in ("-journal", "-wal", "-shm"):  # it would be applied to the new file
            place.with_name(place.name + ending).unlink(missing_ok=True)
    if not is_same:
        (fetched / _TABLE).mkdir()
        point_to(fetched, current.store)
        for name, place in wanted.items():
            if place.parent == folder:
                (fetched / name).replace(place)
        os.rename(fetched, store)
        shutil.rmtree(folder / _OLD, ignore_errors=True)
    else:
        for name, place in wanted.items():
            (fetched / name).replace(place)
    if _identity(folder) != current.identity:
        (folder / _IDENTITY).unlink(missing_ok=True)
        (folder / _IDENTITY).write_text(f"{current.identity}\n", encoding="ascii")
    write_state(folder, current)


def is_newest(folder: Path, current: Current) -> bool:
    """Tell whether the files in a folder are those that `current` names, or newer ones of the session that wrote it."""
    state = _state(folder)
    is_whole = bool(current.store) and store_name(folder / _STORE) == current.store and _identity(folder) is not None
    return is_whole and (
        state.get("e_tag") == current.e_tag or (bool(current.session) and state.get("session") == current.session)
    )


def read_state(folder: Path) -> dict[str, SmallFile]:
    """Return which files of the object store the copies in a folder are; none where a session here may have changed them."""
    state = _state(folder)
    try:
        return {} if state.get("session") else {name: SmallFile(*values) for name, values in state.get("files", {}).items()}
    except (ValueError, TypeError, AttributeError):
        return {}


def write_state(folder: Path, current: Current, *, session: str = "") -> None:
    """Note which files of the object store the copies in a folder are, and which `session` may change them from now on."""
    files = {name: [one.size, one.sha256] for name, one in current.files.items()}
    state = {"e_tag": current.e_tag, "store": current.store, "session": session, "files": files}
    write_whole(folder / _STATE, json.dumps(state))


def snapshot(path: Path, copy: Path) -> SmallFile | None:
    """Copy a file of the index, of a SQLite file one whole state; None where there is none, or a damaged one.

    Raises:
        OSError, sqlite3.Error: it cannot be read, or the copy cannot be written.
    """
    try:
        if path.suffix == ".sqlite":
            path.stat()
            readable = f"{path.absolute().as_uri()}?mode=ro"
            with (
                contextlib.closing(sqlite3.connect(readable, uri=True, timeout=_LOCKED_SECONDS)) as source,
                contextlib.closing(sqlite3.connect(copy)) as target,
            ):
                source.backup(target)
            _set_counters(copy)
        else:
            copy.write_bytes(read_small_file(path, limit=4 * _PIECE))
    except FileNotFoundError:
        return None
    except sqlite3.DatabaseError as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
            return None
        raise
    digest = hashlib.sha256()
    with copy.open("rb") as stream:
        while piece := stream.read(_PIECE):
            digest.update(piece)
    return SmallFile(copy.stat().st_size, digest.hexdigest())


def _set_counters(path: Path) -> None:
    """Set the numbers of changes in the header of a SQLite file, so that one that was only opened has the same bytes."""
    if path.stat().st_size > _SQLITE_HEADER:
        with path.open("r+b") as stream:
            for offset in _SQLITE_COUNTERS:
                stream.seek(offset)
                stream.write(b"\0\0\0\1")


def local_identity(folder: Path) -> str | None:
    """Return the identity in an index folder; None if there is none."""
    return _identity(folder)


def _identity(folder: Path) -> str | None:
    try:
        return read_small_file(folder / _IDENTITY, limit=100).decode("ascii").strip() or None
    except (OSError, ValueError):
        return None


def known_e_tag(remote: RemoteIndex) -> str:
    """Return the e_tag of `current` that the copies are of; "" where they have to be made again in any case."""
    state = _state(remote.folder)
    is_whole = state and state.get("store") == store_name(remote.folder / _STORE) and _identity(remote.folder)
    return str(state.get("e_tag", "")) if is_whole else ""


def _state(folder: Path) -> dict[str, Any]:
    try:
        held = json.loads(read_small_file(folder / _STATE, limit=_MAX_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    return held if isinstance(held, dict) else {}


@contextlib.contextmanager
def temporary_folder(folder: Path) -> Iterator[Path]:
    """A folder in an index folder for the time of a block; only who has the lock of the copies may make one."""
    with tempfile.TemporaryDirectory(prefix=TEMPORARY, dir=folder, ignore_cleanup_errors=True) as made:
        yield Path(made)


def _clear(folder: Path) -> None:
    """Delete what killed processes left."""
    for path in folder.glob(f"{TEMPORARY}*"):
        shutil.rmtree(path, ignore_errors=True)


@contextlib.contextmanager
def _copies_lock(remote: RemoteIndex, *, wait: float, give_up: Callable[[], bool] | None) -> Iterator[bool]:
    """Hold the lock of the copies on this machine; False where another process has it and `wait` or `give_up` ended."""
    import filelock

    lock = filelock.FileLock(remote.folder / _COPIES_LOCK)
    with cache_errors(remote), contextlib.suppress(filelock.Timeout):
        lock.acquire(timeout=wait, cancel_check=give_up)
    try:
        if lock.is_locked:
            _clear(remote.folder)
        yield lock.is_locked
    finally:
        lock.release()
