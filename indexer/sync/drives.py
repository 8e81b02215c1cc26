"""The drive that each root was on → the roots whose drive is away now: an empty folder stands in the place of its files.

A drive is told by the device number of the folder. An empty folder on the same drive was emptied; one on another drive than
when it had documents is most likely the place where that drive is mounted.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from indexer.found import Discovery
from schema.index_files.roots import and_above
from schema.reports import Failure

#: The name of the note in the manifest's metadata.
DRIVES_KEY = "drives"


def failures_of_drives(found: Discovery, noted: str | None) -> list[Failure]:
    """Return a failure for each walked root that is empty and on another drive than `noted`, so that its documents stay."""
    drives = _read(noted)
    return [
        Failure(path, "the folder is empty, since its drive seems to be away; its documents stay in the index")
        for path, place in _places(found).items()
        if path in drives and _drive(place) not in (None, drives[path]) and _is_empty(place)
    ]


def drives_noted(found: Discovery, noted: str | None) -> str:
    """Return the text for the manifest: the drives of the walked roots that have files, and of others as it was `noted`."""
    before = _read(noted)
    drives = {path: before[path] for path in found.paths_after(before) if path in before}
    places = _places(found)
    for path in _with_files(found, places):
        drive = _drive(places[path])
        if drive is not None:
            drives[path] = drive
    return json.dumps(drives, sort_keys=True)


def _places(found: Discovery) -> dict[str, Path]:
    """The walked roots and where they are, as far as that may be looked at."""
    places = {path: found.after.locate(path) for path in found.roots} if found.after is not None else {}
    return {path: place for path, place in places.items() if place is not None}


def _with_files(found: Discovery, roots: Mapping[str, Path]) -> set[str]:
    """The roots that have a file."""
    empty, names = set(roots), found.after.folders if found.after is not None else {}
    for file in found.files:
        if not empty:
            break
        empty.difference_update(and_above(file.path, names))
    return set(roots) - empty


def _read(noted: str | None) -> dict[str, int]:
    """The drives in the text of the manifest; none if it makes no sense."""
    try:
        drives = json.loads(noted or "{}")
    except (ValueError, RecursionError):
        return {}
    return {path: drive for path, drive in drives.items() if isinstance(drive, int)} if isinstance(drives, dict) else {}


def _drive(place: Path) -> int | None:
    try:
        return place.stat().st_dev
    except (OSError, ValueError):
        return None


def _is_empty(folder: Path) -> bool:
    try:
        return folder.is_dir() and not any(folder.iterdir())
    except (OSError, ValueError):
        return False
