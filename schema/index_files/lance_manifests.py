"""The manifests of a table on the disk → which table they belong to, and whether they lead out of its folder.

They are read before the library opens the table, and without it: a manifest can name places elsewhere, on the disk or on a
server, that the library would read at once.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from pathlib import Path

from schema.formats.protobuf import read_fields

#: The stamp that a table carries in its schema (see `schema.storage.table`).
_STORE_ID = re.compile(rb'"store_id": "([0-9a-f]{32})"')
#: Field of a manifest that names other folders with the table's files (lance 13, `Manifest.base_paths` of table.proto).
_BASE_PATHS = 18
_MAGIC = b"LANC"
#: A larger manifest is none of ours (bytes): 10,000 files of a table take about a megabyte.
_MAX_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class Manifests:
    """What the manifests of a table say: the ids of their tables, and the name of one that leads out or is unreadable."""

    store_ids: frozenset[str] = frozenset()
    leads_out: str = ""
    unreadable: str = ""


def read_manifests(table: Path) -> Manifests:
    """The manifests of the table in a folder, of all versions; nothing for a table that is not there."""
    ids: set[str] = set()
    leads_out = unreadable = ""
    for place in sorted(table.glob("_versions/*.manifest")):
        try:
            data = place.read_bytes() if place.stat().st_size <= _MAX_BYTES else b""
        except FileNotFoundError:  # an old version, removed by the writer at this moment
            continue
        except OSError:  # who opens the table tells why
            data = b""
        ids.update(found.decode() for found in _STORE_ID.findall(data))
        try:
            fields = {number for number, _ in read_fields(_message(data))}
        except (ValueError, struct.error):
            unreadable = place.name
        else:
            leads_out = place.name if _BASE_PATHS in fields else leads_out
    return Manifests(frozenset(ids), leads_out, unreadable)


def _message(data: bytes) -> bytes:
    """The protobuf message in a manifest file: its place stands before version and magic at the end."""
    if data[-4:] != _MAGIC:
        raise ValueError("no manifest")
    (start,) = struct.unpack("<Q", data[-16:-8])
    (length,) = struct.unpack("<I", data[start : start + 4])
    message = data[start + 4 : start + 4 + length]
    if len(message) != length:
        raise ValueError("cut off")
    return message
