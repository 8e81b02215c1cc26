"""The object `current` of an index: which store is the index now, which small files belong to it, and who wrote it last.

It is the only object that changes in place, always as a whole and on condition that nobody else changed it. All that it
names is written before it, under names of its own, so a reader never finds half of a store or a file. A writer that begins
writes it too: from then on, nothing that an earlier writer sent late can replace it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from schema.remote.folders import STORE_NAME
from schema.remote.objects import ConflictError, Found, Objects, Version

_NAME = "current"
_FORMAT = 1
_MAX_BYTES = 100_000
#: A small file of a larger index than any that was seen (bytes).
_MAX_FILE = 16 << 30
_DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class SmallFile:
    """A file beside the table, as it is in the object store."""

    size: int
    sha256: str

    def name_in(self, store: str, file: str) -> str:
        """The name of its object."""
        return f"stores/{store}/files/{file}.{self.sha256[:32]}"


@dataclass(frozen=True, slots=True)
class Current:
    """What `current` says; `store` is "" where there is no index.

    `session` is the writer that wrote it last. While `is_open`, that one has not ended well, and the table may be newer than
    the files. `number` grows with each change; `version` is that of the object, None before it is written.
    """

    store: str = ""
    identity: str = ""
    files: Mapping[str, SmallFile] = field(default_factory=dict)
    session: str = ""
    is_open: bool = False
    number: int = 0
    version: Version | None = None

    @property
    def e_tag(self) -> str:
        """What the store calls the object's version; "" before it is written."""
        return str((self.version or {}).get("e_tag") or "")


def read_current(objects: Objects, *, unless: str = "") -> Current:
    """Return what `current` says.

    Raises:
        UnchangedError: it still has the e_tag `unless`.
        IndexDamagedError: it makes no sense.
        IndexAccessError: the store cannot be reached.
    """
    found = objects.get(_NAME, limit=_MAX_BYTES, unless=unless)
    if found is None:
        return Current()
    current = _parsed(found)
    if current is None:
        raise objects.damaged(
            f"its object {_NAME} makes no sense",
            advice="delete that object and those in stores/, if they are yours, and index again, or choose another prefix",
        )
    return current


def write_current(objects: Objects, current: Current, *, is_conditional: bool) -> Current:
    """Write `current` in place of the version that it was made from; return it with its new version.

    A version that the same session wrote, without learning of it, is replaced too.

    Raises:
        ConflictError: another process changed it.
        IndexAccessError: the store cannot be reached.
    """
    try:
        return _written(objects, current, is_conditional=is_conditional)
    except ConflictError:
        there = read_current(objects)
        if there.version is None or there.session != current.session:
            raise
        return _written(objects, replace(current, number=there.number, version=there.version), is_conditional=True)


def _written(objects: Objects, current: Current, *, is_conditional: bool) -> Current:
    fresh = replace(current, number=current.number + 1)
    held = {
        "format": _FORMAT,
        "store": fresh.store,
        "identity": fresh.identity,
        "session": fresh.session,
        "is_open": fresh.is_open,
        "number": fresh.number,
        "files": {name: {"size": one.size, "sha256": one.sha256} for name, one in sorted(fresh.files.items())},
    }
    data = json.dumps(held).encode("ascii")
    if not is_conditional:
        version = objects.put(_NAME, data)
    elif current.version is None:
        version = objects.create(_NAME, data)
    else:
        version = objects.replace(_NAME, data, current.version)
    return replace(fresh, version=version)


def _parsed(found: Found) -> Current | None:
    try:
        held = json.loads(found.data)
        files = {str(name): SmallFile(one["size"], one["sha256"]) for name, one in held["files"].items()}
        names = held["store"], held["identity"], held["session"]
        current = Current(*names[:2], files, names[2], held["is_open"], held["number"], found.version)
        is_sound = (
            held["format"] == _FORMAT
            and all(name == "" or STORE_NAME.fullmatch(name) for name in names)
            and bool(current.store) == bool(current.identity)
            and type(current.is_open) is bool
            and type(current.number) is int
            and all(type(one.size) is int and 0 <= one.size <= _MAX_FILE for one in files.values())
            and all(_DIGEST.fullmatch(one.sha256) for one in files.values())
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return current if is_sound else None
