"""Where an index keeps its files, who may write to it, and how a rebuilt one takes the old one's place.

An index folder holds `store/` (the table, the manifest and the statistics), locks, a `.gitignore` that keeps it out of
version control, `summaries.sqlite` (the summaries that a language model wrote), `converted` (what files of other formats
were converted to), and `identity`, by which the user's own memory knows the index again. An index that this user neither
made nor allowed is not continued, and no link in the folder is followed. A folder of the user, which is neither an index nor
empty, is never taken for an index folder.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from schema.errors import IndexAccessError, IndexNotFoundError, IndexUntrustedError
from schema.index_files.lance_manifests import read_manifests
from schema.index_files.leftovers import is_leftover
from schema.index_files.locks import access_errors, folder_lock
from schema.remote.folders import remote_of
from schema.remote.gate import begin_store, is_leased, leased, publish_store, refresh, writing
from schema.trust import CONFIG_VARIABLE, can_remember, forget, read_small_file, remember, remembered

#: Name of the index folder beside a project.
INDEX_FOLDER = ".sectionary"
_STORE, _NEW, _OLD, _LOCK, _SUMMARIZING = "store", "store.new", "store.old", "lock", "summaries.lock"
_IDENTITY = "identity"
_IDENTITY_TEXT = re.compile(r"[0-9a-f]{32}")
#: The file about the roots of an index (`schema.index_files.roots`).
ROOTS_FILE = "roots.json"
#: The folder of the table, in a store.
TABLE_FOLDER = "sections.lance"
#: Beginnings of the texts that are remembered about an index.
_STORE_ID, _OUTSIDE = "store ", "outside "
#: So many paths outside the project are remembered, the last ones.
MOST_OUTSIDE = 2000


def find_index(start: Path) -> Path | None:
    """The index folder of the project that `start` belongs to: in it or in the nearest folder above."""
    for folder in (start, *start.parents):
        if store_dir(folder / INDEX_FOLDER).is_dir():
            return folder / INDEX_FOLDER
    return None


def store_dir(index_dir: Path) -> Path:
    """Where the table and the manifest of an index are.

    In the moment in which a new store takes the old one's place, or when a process died in it, that is the new one. For an
    index in an object store, its files are copied here first if they are not the newest.
    """
    refresh(index_dir, _small_files)
    new, old, store = index_dir / _NEW, index_dir / _OLD, index_dir / _STORE
    if store.is_dir() or not old.is_dir():
        return store
    return new if new.is_dir() else old


def manifest_path(store: Path) -> Path:
    """The manifest beside the table in `store`."""
    return store / "ledger.sqlite"


def statistics_path(store: Path) -> Path:
    """The statistics of the table in `store`."""
    return store / "statistics.sqlite"


def links_path(store: Path) -> Path:
    """The links of the table in `store`."""
    return store / "links.sqlite"


def changes_path(store: Path) -> Path:
    """What was removed from the table in `store`, and when runs changed it."""
    return store / "changes.sqlite"


def _small_files(index_dir: Path, store: Path) -> dict[str, Path]:
    """The files that belong to the table in `store`, by the names that they have in an object store."""
    beside = (manifest_path(store), statistics_path(store), links_path(store), changes_path(store), index_dir / ROOTS_FILE)
    return {path.name: path for path in beside}


def _doubt(store: Path) -> None:
    """Let the files of a store that were written after its table count as older, so that all documents are read again."""
    from schema.index_files.changes import doubt_changes
    from schema.index_files.manifest import forget_files

    forget_files(manifest_path(store))
    doubt_changes(changes_path(store))


@contextlib.contextmanager
def writer_lock(
    index_dir: Path,
    *,
    wait: float = 0.0,
    give_up: Callable[[], bool] | None = None,
    is_checked: bool = True,
    is_single: bool = False,
) -> Iterator[None]:
    """Be the only writer of an index, making its folder if need be.

    Waits up to `wait` seconds for another writer (below 0: forever), and no longer than `give_up` says. The lock of a
    process that dies is free. Without `is_checked` the index need not be this user's, as when it is made again.
    `is_single`: nobody else ever writes it, so that an object store that cannot keep two writers apart will do.

    Raises:
        IndexLockedError: another process is writing.
        IndexAccessError: the folder cannot be made or written, or holds files of the user.
        IndexUntrustedError: the index is not this user's, or a link is in its folder.
    """
    refuse_other_files(index_dir)
    message = f"Another process is writing to the index in {index_dir}; try again when it is done, or use --wait."
    with (
        folder_lock(index_dir, _LOCK, message, wait=wait, give_up=give_up),
        writing(index_dir, _small_files, _doubt, wait=wait, give_up=give_up, is_single=is_single),
    ):
        if is_checked:
            require_own(index_dir)
        with access_errors(index_dir):
            if not has_store(index_dir) and not is_own(index_dir):
                summaries_path(index_dir).unlink(missing_ok=True)
                forget_converted(index_dir)
                for name in (_STORE, _NEW, _OLD):  # without a table, which somebody else may have left
                    shutil.rmtree(index_dir / name, ignore_errors=True)
                claim(index_dir)
            _finish_replacing(index_dir)
        yield


def has_table(store_dir: Path) -> bool:
    """Tell whether a table was ever created in the folder of a store; a folder stands for one in an object store."""
    return (store_dir / TABLE_FOLDER).is_dir()


def without_index(index_dir: Path) -> IndexNotFoundError:
    """The error for a folder without an index, which names the index of that folder if it is a project with one."""
    inside = index_dir / INDEX_FOLDER
    hint = f"the one of that folder is {inside}" if has_table(inside / _STORE) else "make one with `index FOLDER`"
    return IndexNotFoundError(f"There is no index in {index_dir}; {hint}.", index_dir=index_dir)


def has_store(index_dir: Path) -> bool:
    """Tell whether there is an index, or the remains of one that a process did not finish; without a table there is none."""
    refresh(index_dir, _small_files)
    return _has_any_table(index_dir)


def _has_any_table(index_dir: Path) -> bool:
    return any(has_table(index_dir / name) for name in (_STORE, _NEW, _OLD))


def refuse_other_files(index_dir: Path) -> None:
    """Make sure, before anything is made, written or deleted in a folder, that it is an index or as good as empty.

    Raises:
        IndexAccessError: it holds files of the user, or cannot be read.
    """
    with access_errors(index_dir):
        if holds_other_files(index_dir):
            advice = f"name an empty or a new folder, such as {index_dir / INDEX_FOLDER}"
            if index_dir.name == INDEX_FOLDER:
                advice = "move them away, or name another folder with --index"
            raise IndexAccessError(
                f"The folder {index_dir} holds other files and is no index; {advice}.", index_dir=index_dir
            )


def holds_other_files(index_dir: Path) -> bool:
    """Tell whether a folder is the user's: it is no index, and holds more than runs and servers leave where none was made.

    Raises:
        OSError: it cannot be read.
    """
    if index_dir.is_symlink() or not index_dir.is_dir() or remote_of(index_dir) is not None:
        return False
    if all(is_leftover(index_dir / name) for name in os.listdir(index_dir)):
        return False
    # looked for last: a run that makes the index meanwhile writes the identity before anything else
    return not (_has_any_table(index_dir) or _IDENTITY_TEXT.fullmatch(_identity(index_dir) or ""))


def is_own(index_dir: Path) -> bool:
    """Whether this user made the index on this machine, or allowed it, and the table in it is the one that was made."""
    known = _remembered(index_dir)
    return known is not None and _store_ids(index_dir) <= {text.removeprefix(_STORE_ID) for text in known}


def outside_paths(index_dir: Path) -> tuple[str, ...]:
    """Files and folders outside the project that the user led an index run to; later runs may read them again."""
    return remembered_texts(index_dir, _OUTSIDE)


def remember_outside(index_dir: Path, paths: Sequence[Path]) -> None:
    """Remember paths outside the project, which later runs may read again."""
    known = dict.fromkeys((*outside_paths(index_dir), *map(str, paths)))
    replace_remembered(index_dir, _OUTSIDE, list(known)[-MOST_OUTSIDE:])


def forget_outside(index_dir: Path, path: Path) -> None:
    """Forget a path outside the project and those in it, which later runs must not read."""
    replace_remembered(index_dir, _OUTSIDE, [one for one in outside_paths(index_dir) if not Path(one).is_relative_to(path)])


def remembered_texts(index_dir: Path, beginning: str) -> tuple[str, ...]:
    """Return the texts in the user's memory of this index that begin so, without their beginning."""
    known = _remembered(index_dir) or ()
    return tuple(text.removeprefix(beginning) for text in known if text.startswith(beginning))


def replace_remembered(index_dir: Path, beginning: str, texts: Sequence[str]) -> None:
    """Let the user's memory of this index hold these texts with that beginning, in place of earlier ones."""
    identity, before = _identity(index_dir), _remembered(index_dir)
    if identity and before is not None:
        after = (*(text for text in before if not text.startswith(beginning)), *(f"{beginning}{text}" for text in texts))
        if after != before:
            remember(_subject(identity), after)


def disown(index_dir: Path) -> None:
    """Forget that an index is the user's own."""
    identity = _identity(index_dir)
    if identity:
        forget(_subject(identity))


def require_own(index_dir: Path) -> None:
    """Make sure that an index, if there is one, is this user's.

    Raises:
        IndexUntrustedError: it is not.
    """
    if has_store(index_dir) and not is_own(index_dir):
        advice = "make it again with `index FOLDER --rebuild`, or allow it with `index trust` if you know who made it"
        if not can_remember():
            advice = (
                f"nothing can be remembered in your configuration folder: set {CONFIG_VARIABLE} to a folder that can be "
                "written, or SECTIONARY_TRUST=1 to take every index as yours"
            )
        raise IndexUntrustedError(
            f"The index in {index_dir} was not made by you on this machine, so it is not continued; {advice}.",
            index_dir=index_dir,
        )


def claim(index_dir: Path) -> bool:
    """Make the index this user's own from now on; False where that cannot be remembered.

    An identity that is there is kept, since it may be another user's own too.

    Raises:
        OSError: the folder cannot be written.
    """
    identity = _identity(index_dir)
    if not identity:
        identity = os.urandom(16).hex()
        path = index_dir / _IDENTITY
        path.unlink(missing_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644), "w", encoding="ascii") as stream:
            stream.write(f"{identity}\n")
    if remember(_subject(identity), [f"{_STORE_ID}{one}" for one in sorted(_store_ids(index_dir))]):
        return True
    import logging  # a search that a server answers needs none of it

    logging.getLogger(__name__).warning(
        "nothing can be remembered in your configuration folder, so that the next run will not know the index in %s as "
        "yours; set %s to a folder that can be written",
        index_dir,
        CONFIG_VARIABLE,
    )
    return False


def _remember_store(index_dir: Path, store: Path) -> None:
    """Remember the table in a new store as the user's own, if the index is; until it takes its place, that one is too."""
    current = _store_ids(index_dir).intersection(remembered_texts(index_dir, _STORE_ID))
    replace_remembered(index_dir, _STORE_ID, sorted(current | read_manifests(store / TABLE_FOLDER).store_ids))


def _store_ids(index_dir: Path) -> frozenset[str]:
    """The ids of the table of an index, from its manifests; without a store that a killed process left unfinished."""
    return read_manifests(store_dir(index_dir) / TABLE_FOLDER).store_ids


def _remembered(index_dir: Path) -> tuple[str, ...] | None:
    identity = _identity(index_dir)
    return remembered(_subject(identity)) if identity else None


def _identity(index_dir: Path) -> str | None:
    try:
        found = read_small_file(index_dir / _IDENTITY, limit=100).decode("ascii").strip()
    except (OSError, ValueError):
        return None
    return found or None


def _subject(identity: str) -> str:
    return f"index {identity}"


@contextlib.contextmanager
def summarizer_lock(
    index_dir: Path, *, wait: float = 0.0, give_up: Callable[[], bool] | None = None, is_single: bool = False
) -> Iterator[None]:
    """Be the only one who makes summaries for an index, while others may write it; raises as `writer_lock` does."""
    refuse_other_files(index_dir)
    message = f"Another process is summarising the index in {index_dir}; try again when it is done, or use --wait."
    with (
        folder_lock(index_dir, _SUMMARIZING, message, wait=wait, give_up=give_up),
        leased(index_dir, "summaries", "summarising", wait=wait, give_up=give_up, is_single=is_single),
    ):
        yield


def summaries_path(index_dir: Path) -> Path:
    """The cache of summaries that a language model wrote."""
    return index_dir / "summaries.sqlite"


def converted_path(index_dir: Path) -> Path:
    """The folder of the documents that were converted to Markdown, a cache."""
    return index_dir / "converted"


def forget_converted(index_dir: Path) -> None:
    """Delete that cache, whose texts somebody else may have written."""
    shutil.rmtree(converted_path(index_dir), ignore_errors=True)


def is_being_written(index_dir: Path) -> bool:
    """Tell whether a process holds the writer's lock at this moment; False if nothing shows it."""
    if is_leased(index_dir):
        return True
    lock_file = index_dir / _LOCK
    if not lock_file.is_file() or lock_file.is_symlink():
        return False
    import filelock

    lock = filelock.FileLock(lock_file)
    try:
        lock.acquire(timeout=0)
    except filelock.Timeout:
        return True
    except OSError:
        return False
    lock.release()
    return False


@contextlib.contextmanager
def atomic_rebuild(index_dir: Path) -> Iterator[Path]:
    """A fresh store folder that takes the old one's place if the block ends well; until then the old one is searched."""
    new, old, store = index_dir / _NEW, index_dir / _OLD, index_dir / _STORE
    with access_errors(index_dir):
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir()
        begin_store(index_dir, new)
    try:
        yield new
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        raise
    with access_errors(index_dir):
        _remember_store(index_dir, new)
        publish_store(index_dir, new)
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
