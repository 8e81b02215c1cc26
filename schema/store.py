"""Where an index keeps its files, who may write to it, and how a rebuilt one takes the old one's place.

An index folder holds `store/` (the table and the ledger), locks, a `.gitignore` that keeps it out of version control,
`summaries.sqlite` (the summaries that a language model wrote), and `identity`, by which the user's own memory knows the
index again. An index that this user neither made nor allowed is not continued, and no link in the folder is followed.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from schema.errors import IndexAccessError, IndexLockedError, IndexUntrustedError
from schema.trust import CONFIG_VARIABLE, forget, read_small_file, remember, remembered

#: Name of the index folder beside a project.
INDEX_FOLDER = ".sectionary"
_STORE, _NEW, _OLD, _LOCK, _SUMMARIZING = "store", "store.new", "store.old", "lock", "summaries.lock"
_IDENTITY = "identity"

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
def writing(
    index_dir: Path, *, wait: float = 0.0, give_up: Callable[[], bool] | None = None, is_anew: bool = False
) -> Iterator[None]:
    """Be the only writer of an index, making its folder if need be.

    Waits up to `wait` seconds for another writer (below 0: forever), and no longer than `give_up` says. A process that dies
    lets go of the lock by that. `is_anew`: the index is made anew, so that nobody need have allowed the one that is
    there; `claim` it when that is done.

    Raises:
        IndexLockedError: another process is writing.
        IndexAccessError: the folder cannot be made or written.
        IndexUntrustedError: the index is not this user's, or a link is in its folder.
    """
    message = f"Another process is writing to the index in {index_dir}; try again when it is done, or use --wait."
    with _locked(index_dir, _LOCK, message, wait=wait, give_up=give_up):
        is_foreign = not is_own(index_dir)
        if not is_anew:
            require_own(index_dir)
        with _told(index_dir):
            if is_foreign:
                summaries_path(index_dir).unlink(missing_ok=True)
                if not has_store(index_dir):
                    claim(index_dir)
            _finish_replacing(index_dir)
        yield


def has_store(index_dir: Path) -> bool:
    """Whether there is an index, or what a process left of one."""
    return any((index_dir / name).exists() for name in (_STORE, _NEW, _OLD))


def is_own(index_dir: Path) -> bool:
    """Whether this user made the index on this machine, or allowed it."""
    return _remembered(index_dir) is not None


def outside_paths(index_dir: Path) -> tuple[str, ...]:
    """Files and folders outside the project that the user led an index run to; later runs may read them again."""
    return _remembered(index_dir) or ()


def remember_outside(index_dir: Path, paths: Sequence[Path]) -> None:
    """Let later runs read these again too."""
    before = outside_paths(index_dir)
    after = tuple(dict.fromkeys((*before, *map(str, paths))))
    identity = _identity(index_dir)
    if after != before and identity:
        remember(_subject(identity), after)


def disown(index_dir: Path) -> None:
    """Take back that an index is the user's own."""
    identity = _identity(index_dir)
    if identity:
        forget(_subject(identity))


def require_own(index_dir: Path) -> None:
    """Make sure that an index, if there is one, is this user's.

    Raises:
        IndexUntrustedError: it is not.
    """
    if has_store(index_dir) and not is_own(index_dir):
        raise IndexUntrustedError(
            f"The index in {index_dir} was not made by you on this machine, so it is not continued; make it anew with "
            "`index FOLDER --rebuild`, or allow it with `index trust` if you know who made it.",
            index_dir=index_dir,
        )


def claim(index_dir: Path) -> bool:
    """Make the index this user's own from now on; False where that cannot be remembered.

    Raises:
        OSError: the folder cannot be written.
    """
    identity = os.urandom(16).hex()
    place = index_dir / _IDENTITY
    place.unlink(missing_ok=True)
    with os.fdopen(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644), "w", encoding="ascii") as stream:
        stream.write(f"{identity}\n")
    if remember(_subject(identity)):
        return True
    import logging  # a search that a server answers needs none of it

    logging.getLogger(__name__).warning(
        "nothing can be remembered in the folder of your settings, so that the next run will not know the index in %s as "
        "yours; set %s to a folder that can be written",
        index_dir,
        CONFIG_VARIABLE,
    )
    return False


def _remembered(index_dir: Path) -> tuple[str, ...] | None:
    identity = _identity(index_dir)
    return remembered(_subject(identity)) if identity else None


def _identity(index_dir: Path) -> str | None:
    try:
        return read_small_file(index_dir / _IDENTITY, limit=100).decode("ascii").strip()
    except (OSError, ValueError):
        return None


def _subject(identity: str) -> str:
    return f"index {identity}"


def refuse_links(folder: Path, *, index_dir: Path) -> None:
    """Make sure that everything in a folder of the index is a plain file or a folder, so that nothing leads out of it.

    Raises:
        IndexUntrustedError: naming what is none.
    """
    waiting = [folder]
    while waiting:
        place = waiting.pop()
        if place.is_symlink():
            raise _leads_out(place, index_dir)
        try:
            entries = list(os.scandir(place))
        except OSError:  # not there, or not readable: who opens its files tells that
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                waiting.append(Path(entry.path))
            elif not entry.is_file(follow_symlinks=False) and os.path.lexists(entry.path):
                raise _leads_out(Path(entry.path), index_dir)


def _leads_out(place: Path, index_dir: Path) -> IndexUntrustedError:
    if place == index_dir:
        said = f"The index folder {index_dir} is a link, which is not followed; give the folder it leads to with --index."
    else:
        said = (
            f"The index folder {index_dir} holds {place.relative_to(index_dir)}, which is a link or no plain file and so is "
            "not used; delete the index folder and run `index FOLDER` again."
        )
    return IndexUntrustedError(said, index_dir=index_dir)


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

    refuse_links(index_dir, index_dir=index_dir)
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


def is_being_written(index_dir: Path) -> bool:
    """Whether a process holds the writer's lock at this moment; False where that cannot be told."""
    place = index_dir / _LOCK
    if not place.is_file() or place.is_symlink():
        return False
    import filelock

    lock = filelock.FileLock(place)
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
