"""What the code of an index asks of an object store, if the index is in one; for one in a folder nothing is even imported.

Each function does nothing, or returns what stands for nothing, for an index in a folder.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

from schema.remote.folders import remote_of, store_name

#: Files of the index by the name that they have in the object store, for an index folder and a store folder in it.
Places = Callable[[Path, Path], Mapping[str, Path]]
#: Lets the files of a store folder count as older than its table.
Doubt = Callable[[Path], None]
_Read = TypeVar("_Read")


def refresh(index_dir: Path, places: Places) -> None:
    """Copy the small files that are newer in the object store, if nobody looked a moment ago.

    Raises:
        IndexAccessError: the object store cannot be reached.
        IndexDamagedError: what it holds makes no sense.
    """
    if remote_of(index_dir) is not None:
        from schema.remote import caches

        caches.refresh(index_dir, places)


@contextlib.contextmanager
def writing(
    index_dir: Path,
    places: Places,
    doubt: Doubt,
    *,
    wait: float,
    give_up: Callable[[], bool] | None,
    is_single: bool,
) -> Iterator[None]:
    """Be the only writer of an index; `doubt` is called if the last writer ended before its files were published.

    `is_single`: the user says that no other process ever writes it, so that a store without conditional writes will do.

    Raises:
        IndexLockedError: another process has the lease.
        IndexAccessError: the object store cannot be used, or does not guard against two writers.
    """
    remote = remote_of(index_dir)
    if remote is None:
        yield
        return
    from schema.remote import session

    with session.writing(remote, places, doubt, wait=wait, give_up=give_up, is_single=is_single):
        yield


@contextlib.contextmanager
def leased(
    index_dir: Path, name: str, doing: str, *, wait: float, give_up: Callable[[], bool] | None, is_single: bool
) -> Iterator[None]:
    """Hold another lease of an index than that of its writer, as for making summaries; `is_single` as for `writing`.

    Raises:
        IndexLockedError: another process has it.
        IndexAccessError: the object store cannot be used, or does not guard against two holders.
    """
    remote = remote_of(index_dir)
    if remote is None:
        yield
        return
    from schema.remote import session

    with session.leased(remote, name, doing, wait=wait, give_up=give_up, is_single=is_single):
        yield


def is_leased(index_dir: Path) -> bool:
    """Tell whether some process writes the index; False if nothing shows it."""
    remote = remote_of(index_dir)
    if remote is None:
        return False
    from schema.remote import session

    return session.is_leased(remote)


def require_lease(store_dir: Path) -> None:
    """Make sure, before a commit, that this process may still write.

    Raises:
        IndexLockedError: it lost its lease.
    """
    remote = remote_of(store_dir.parent)
    if remote is not None:
        from schema.remote import session

        session.require_lease(remote)


def begin_store(index_dir: Path, new: Path) -> None:
    """Let a new store folder stand for a new folder of the object store."""
    if remote_of(index_dir) is not None:
        from schema.remote import session

        session.begin_store(new)


def publish_store(index_dir: Path, new: Path) -> None:
    """Make a complete new store the one that everybody reads.

    Raises:
        IndexLockedError: another process changed the index meanwhile.
        IndexAccessError: the object store cannot be reached.
    """
    remote = remote_of(index_dir)
    if remote is not None:
        from schema.remote import session

        session.publish_store(remote, new)


def read_remote_manifests(table: Path, read: Callable[[str, bytes], _Read], *, limit: int) -> list[_Read] | None:
    """Return what `read` makes of each manifest of a table, by its name and bytes; None for a table in a folder.

    A manifest of more than `limit` bytes is read as none.

    Raises:
        IndexAccessError: the object store cannot be reached.
    """
    remote = remote_of(table.parent.parent)
    name = store_name(table.parent) if remote is not None else None
    if remote is None or name is None:
        return None
    from schema.remote import tables

    return tables.read_manifests(remote, f"stores/{name}/{table.name}/_versions/", read, limit=limit)


def remote_bytes(store_dir: Path, *, older_than: float = 0.0) -> int:
    """Return the bytes of the objects of a store that were written so many seconds ago; 0 for a store in a folder."""
    remote, name = remote_of(store_dir.parent), store_name(store_dir)
    if remote is None or name is None:
        return 0
    from schema.remote import tables

    return tables.stored_bytes(remote, f"stores/{name}/", older_than=older_than)
