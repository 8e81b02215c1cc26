"""The table of an index in an object store: its address and options for LanceDB, its manifests, and what it takes there."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import TypeVar

from schema.remote.folders import RemoteIndex
from schema.remote.objects import CONNECT_SECONDS, REQUEST_SECONDS, RETRIES, RETRY_SECONDS, Entry, objects_of

_Read = TypeVar("_Read")
#: What was read of a manifest, which never changes, by its object and version.
known_manifests: dict[tuple[str, str, str], object] = {}
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


def read_manifests(remote: RemoteIndex, folder: str, read: Callable[[str, bytes], _Read], *, limit: int) -> list[_Read]:
    """Return what `read` makes of each manifest in a folder, as `schema.remote.gate.read_remote_manifests` says."""
    objects, address = objects_of(remote), remote.address.uri
    entries = [one for one in objects.entries(folder) if _is_manifest(one)]
    lacking = [one for one in entries if (address, one.name, one.e_tag) not in known_manifests]
    if len(known_manifests) + len(lacking) > _MOST_KNOWN:
        known_manifests.clear()
        lacking = entries
    made: dict[str, _Read] = {}

    def fetch(entry: Entry) -> None:
        found = objects.get(entry.name, limit=limit) if entry.size <= limit else None
        if found is not None or entry.size > limit:  # else an old version, removed by the writer at this moment
            made[entry.name] = read(entry.name.rpartition("/")[2], found.data if found is not None else b"")

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        list(pool.map(fetch, lacking))
    known_manifests.update({(address, one.name, one.e_tag): made[one.name] for one in lacking if one.name in made})
    keys = [(address, one.name, one.e_tag) for one in entries]
    return [known_manifests[key] for key in keys if key in known_manifests]  # type: ignore[misc]


def stored_bytes(remote: RemoteIndex, folder: str, *, older_than: float) -> int:
    """Return the bytes of the objects in a folder that were written so many seconds before the newest one, or earlier."""
    entries = objects_of(remote).entries(folder)
    newest = max((one.modified for one in entries), default=None)
    return sum(one.size for one in entries if newest and (newest - one.modified).total_seconds() >= older_than)


def _is_manifest(entry: Entry) -> bool:
    return entry.name.endswith(".manifest")
