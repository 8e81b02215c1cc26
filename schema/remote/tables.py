"""The table of an index in an object store: its address and options for LanceDB, its manifests, and what it takes there."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import TypeVar

from schema.remote.folders import remote_of, store_address, store_name
from schema.remote.objects import CONNECT_SECONDS, REQUEST_SECONDS, RETRIES, RETRY_SECONDS, Entry, objects_of

_Read = TypeVar("_Read")
#: What was read of a manifest, which never changes, by its object and version.
_known: dict[tuple[str, str, str], object] = {}
_MOST_KNOWN = 10_000
#: Manifests that are read at the same time.
_AT_ONCE = 8
#: A reader of a table in an object store sees a commit after this long (seconds); each look costs a request.
FOLLOWS_AFTER = timedelta(seconds=0.5)


def storage_options() -> dict[str, str]:
    """Return LanceDB's options for object stores: how long it waits; credentials come from the environment."""
    return {
        "timeout": f"{REQUEST_SECONDS}s",
        "connect_timeout": f"{CONNECT_SECONDS}s",
        "client_max_retries": str(RETRIES),
        "client_retry_timeout": str(RETRY_SECONDS),
    }


def read_remote_manifests(table: Path, read: Callable[[str, bytes], _Read], *, limit: int) -> list[_Read] | None:
    """Return what `read` makes of each manifest of a table, by its name and bytes; None for a table in a folder.

    A manifest of more than `limit` bytes is read as none.

    Raises:
        IndexAccessError: the object store cannot be reached.
    """
    remote = remote_of(table.parent.parent) if store_name(table.parent) else None
    if remote is None:
        return None
    objects, address = objects_of(remote), store_address(table.parent) or ""
    entries = [
        one for one in objects.entries(f"stores/{store_name(table.parent)}/{table.name}/_versions/") if _is_manifest(one)
    ]
    lacking = [one for one in entries if (address, one.name, one.e_tag) not in _known]
    if len(_known) + len(lacking) > _MOST_KNOWN:
        _known.clear()
        lacking = entries
    made: dict[str, _Read] = {}

    def fetch(entry: Entry) -> None:
        found = objects.get(entry.name, limit=limit) if entry.size <= limit else None
        if found is not None or entry.size > limit:  # else an old version, removed by the writer at this moment
            made[entry.name] = read(entry.name.rpartition("/")[2], found.data if found is not None else b"")

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        list(pool.map(fetch, lacking))
    _known.update({(address, one.name, one.e_tag): made[one.name] for one in lacking if one.name in made})
    keys = [(address, one.name, one.e_tag) for one in entries]
    return [_known[key] for key in keys if key in _known]  # type: ignore[misc]


def remote_bytes(store_dir: Path) -> int:
    """Return the bytes of all objects of a store; 0 for a store in a folder."""
    remote, name = remote_of(store_dir.parent), store_name(store_dir)
    return 0 if remote is None or name is None else sum(one.size for one in objects_of(remote).entries(f"stores/{name}/"))


def _is_manifest(entry: Entry) -> bool:
    return entry.name.endswith(".manifest")
