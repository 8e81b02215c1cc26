"""An object store → whether it takes conditional writes, found out by trying, and what time it has.

Without them two writers could both believe that they hold the lease, and the table's own commits could overwrite each
other. Some stores ignore the conditions without a word, so nothing is believed that was not tried. That a store passed is
remembered for a day, in the local folder that stands for the index.
"""

from __future__ import annotations

import json
import re
import time
import uuid
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from schema.errors import IndexAccessError
from schema.remote.folders import write_whole
from schema.remote.objects import ConflictError, Objects, Version, endpoint
from schema.trust import read_small_file

#: An e_tag that no object has.
_NOBODYS = '"00000000000000000000000000000000"'
_PROBE = re.compile(r"probes/[0-9a-f]{32}")
#: No process tries for so long.
LONG = timedelta(hours=1)
_PASSED, _MAX_BYTES, _DAY = "conditions.json", 10_000, 86_400


@dataclass(frozen=True, slots=True)
class Probe:
    """What came of trying: which condition the store ignores or refuses ("" for none), and what time it has."""

    fault: str
    time: datetime


def tried_lately(objects: Objects) -> bool:
    """Tell whether the store of an index passed within a day, tried from this machine."""
    try:
        held = json.loads(read_small_file(objects.remote.folder / _PASSED, limit=_MAX_BYTES))
        return bool(held["store"] == _store_of(objects) and 0 <= time.time() - held["at"] < _DAY)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return False


def note_passed(objects: Objects) -> None:
    """Remember that the store of an index passed."""
    with suppress(OSError):
        write_whole(objects.remote.folder / _PASSED, json.dumps({"store": _store_of(objects), "at": time.time()}))


def _store_of(objects: Objects) -> str:
    return f"{endpoint()} {objects.remote.address.uri}"


def probe(objects: Objects) -> Probe:
    """Try both kinds of conditional write with an object of its own, and delete it, also those of killed processes.

    Raises:
        IndexAccessError: the store cannot be written at all.
    """
    name = f"probes/{uuid.uuid4().hex}"
    fault = ""
    try:
        version = objects.create(name, b"1")
    except IndexAccessError as error:
        # where even a plain write fails, that is the reason; otherwise the store refuses the condition
        version = objects.put(name, b"1")
        fault = f"it refuses to write an object only if there is none ({error.__cause__})".split("\n", 1)[0]
    moment = objects.written_at(name)
    if not fault:
        fault = _ignored(objects, name, version)
    with suppress(IndexAccessError):
        there = [one for one in objects.entries("probes") if _PROBE.fullmatch(one.name) and moment - one.modified > LONG]
        objects.delete([name, *(one.name for one in there)])
    return Probe(fault, moment)


def _ignored(objects: Objects, name: str, version: Version) -> str:
    try:
        objects.create(name, b"2")
    except ConflictError:
        pass
    else:
        return "it overwrites an object that was to be written only if there is none"
    try:
        objects.replace(
            name, b"3", {**version, "e_tag": _NOBODYS} if "version" not in version else {**version, "version": "1"}
        )
    except ConflictError:
        return ""
    except IndexAccessError as error:
        return f"it refuses to write an object only over a certain version ({error.__cause__})".split("\n", 1)[0]
    return "it overwrites another version of an object than the one that was to be replaced"
