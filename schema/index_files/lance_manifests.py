"""The manifests of a table on the disk → which table they belong to, and whether they lead out of its folder.

They are read before the library opens the table, and without it: a manifest can name folders elsewhere, on the disk or on a
server, and the library would read those at once.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from schema.formats.protobuf import read_fields
from schema.remote.gate import read_remote_manifests

#: The stamp that a table carries in its schema (see `schema.storage.table`).
_STORE_ID = re.compile(rb'"store_id": "([0-9a-f]{32})"')
_STAMP = re.compile(rb'\{[^{}]{0,2000}"store_id": "[0-9a-f]{32}"[^{}]{0,200}\}')
#: Field of a manifest that names other folders with the table's files (lance 13, `Manifest.base_paths` of table.proto).
_BASE_PATHS = 18
_MAGIC = b"LANC"
#: Larger manifests count as unreadable (bytes): one of a table with 10,000 files has about a megabyte.
_MAX_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class Manifests:
    """What the manifests of a table say: the ids of their tables, and the name of one that leads out, makes no sense, or is
    refused by the system, with the reason."""

    store_ids: frozenset[str] = frozenset()
    leads_out: str = ""
    unreadable: str = ""
    refused: str = ""


#: What was read of manifests, by name and digest of the bytes, and how many are kept.
_KEPT: dict[tuple[str, bytes], Manifests] = {}
_MOST_KEPT = 1000


def read_manifests(table: Path) -> Manifests:
    """Read the manifests of all versions of the table in a folder; empty if there is no table."""
    found = read_remote_manifests(table, _read, limit=_MAX_BYTES)
    if found is None:
        found = list(_read_files(table))
    ids = frozenset(one for each in found for one in each.store_ids)
    leads_out = next((each.leads_out for each in reversed(found) if each.leads_out), "")
    unreadable = next((each.unreadable for each in reversed(found) if each.unreadable), "")
    return Manifests(ids, leads_out, unreadable, next((each.refused for each in reversed(found) if each.refused), ""))


def read_stamp(table: Path) -> Mapping[str, Any]:
    """Return what the table in a folder says of how it was made, as one of its manifests has it; empty if none does."""
    for path in sorted(table.glob("_versions/*.manifest")):
        with contextlib.suppress(OSError, ValueError):
            found = _STAMP.search(path.read_bytes() if path.stat().st_size <= _MAX_BYTES else b"")
            if found is not None:
                return dict(json.loads(found.group()))
    return {}


def _read_files(table: Path) -> Iterator[Manifests]:
    for path in sorted(table.glob("_versions/*.manifest")):
        try:
            data = path.read_bytes() if path.stat().st_size <= _MAX_BYTES else b""
        except FileNotFoundError:  # an old version, removed by the writer at this moment
            continue
        except OSError as error:
            yield Manifests(refused=f"{path.name}: {error.strerror or error}")
            continue
        yield _read(path.name, data)


def _read(name: str, data: bytes) -> Manifests:
    """Read the manifest of one version; a run asks several times, so what the same bytes said is kept."""
    key = (name, hashlib.sha256(data).digest())
    found = _KEPT.get(key)
    if found is None:
        if len(_KEPT) >= _MOST_KEPT:
            _KEPT.clear()
        found = _KEPT[key] = _parsed(name, data)
    return found


def _parsed(name: str, data: bytes) -> Manifests:
    ids = frozenset(found.decode() for found in _STORE_ID.findall(data))
    try:
        fields = {number for number, _ in read_fields(_message(data))}
    except (ValueError, struct.error):
        return Manifests(ids, unreadable=name)
    return Manifests(ids, leads_out=name if _BASE_PATHS in fields else "")


def _message(data: bytes) -> bytes:
    """Return the protobuf message of a manifest file; its offset is near the end, before version and magic."""
    if data[-4:] != _MAGIC:
        raise ValueError("no manifest")
    (start,) = struct.unpack("<Q", data[-16:-8])
    (length,) = struct.unpack("<I", data[start : start + 4])
    message = data[start + 4 : start + 4 + length]
    if len(message) != length:
        raise ValueError("cut off")
    return message
