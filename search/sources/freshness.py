"""The files of an index as they are now → which documents are no longer what was indexed, and how old documents are."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from schema.clock import now
from schema.index_files.layout import manifest_path, store_dir
from schema.index_files.manifest import FileRecord, is_changed, read_manifest
from schema.index_files.roots import ROOT_KEY, is_gone, roots_of
from schema.settings import Settings
from schema.status import DIALECTS_KEY, ROOTS_KEY, indexed_roots, noted_dialects
from search.index.snapshot import IndexSnapshot
from search.ranking.recency import date_in
from search.sources.addresses import page_address

#: Dates of so many documents are kept, at most.
_MOST_DATES = 200_000
#: Of fewer documents the records are looked up, of more all are read.
_FEW = 1000


def modified_since(index_dir: Path, earliest: datetime, *, is_own: bool) -> list[str]:
    """The documents whose files were modified at `earliest` or later; for a file that is gone, the stored time counts."""
    manifest = read_manifest(manifest_path(store_dir(index_dir)))
    roots = roots_of(index_dir, manifest.metadata, is_own=is_own)
    found = []
    for path, record in manifest.files.items():
        location = roots.locate(path)
        try:
            modified = changed_at(record) if location is None else location.stat().st_mtime
        except OSError:
            modified = changed_at(record)
        if modified >= earliest.timestamp():
            found.append(path)
    return found


@dataclass(frozen=True, slots=True)
class DocumentStates:
    """What the files and the manifest say about some documents.

    `stale`: those whose files are gone or no longer what was indexed, as far as they may be looked at; `gone`: those of them
    whose files are gone. `addresses`: those of their pages on the published site, none without the setting `base_url`.
    """

    stale: frozenset[str] = frozenset()
    gone: frozenset[str] = frozenset()
    addresses: Mapping[str, str] = field(default_factory=dict)


def states_of(index_dir: Path, paths: Sequence[str], *, is_own: bool, settings: Settings) -> DocumentStates:
    """Return the states of these documents; the manifest may not know some of them."""
    manifest = read_manifest(manifest_path(store_dir(index_dir)), paths)
    if ROOT_KEY not in manifest.metadata:
        return DocumentStates()
    roots = roots_of(index_dir, manifest.metadata, is_own=is_own)
    places = {path: roots.locate(path) for path in manifest.files}
    changed = frozenset(
        path
        for path, record in manifest.files.items()
        if (location := places[path]) is not None and is_changed(location, record, max_bytes=settings.max_file_bytes)
    )
    gone = frozenset(path for path in changed if (location := places[path]) is not None and not _is_there(location))
    if not settings.base_url:
        return DocumentStates(changed, gone)
    shown = {folder: name for folder, name in noted_dialects(manifest.metadata.get(DIALECTS_KEY)).items() if folder != "*"}
    walked = dict.fromkeys(indexed_roots(manifest.metadata.get(ROOTS_KEY)), "")
    addresses = {}
    for path, record in manifest.files.items():
        folder, dialect = _nearest(path, shown) or _nearest(path, walked) or ("", "")
        addresses[path] = page_address(
            path,
            base_url=settings.base_url,
            style=settings.url_style,
            folder=folder,
            dialect=dialect,
            front_matter=record.front_matter,
        )
    return DocumentStates(changed, gone, addresses)


def _is_there(location: Path) -> bool:
    """Whether there is something at a place, or nobody can tell."""
    try:
        return not is_gone(location)
    except OSError:
        return True


def _nearest(path: str, folders: Mapping[str, str]) -> tuple[str, str] | None:
    """Return the longest of these folders that holds a document, with its value; "" holds all."""
    holders = [folder for folder in folders if not folder or path.startswith(f"{folder}/")]
    found = max(holders, key=len, default=None)
    return None if found is None else (found, folders[found])


def changed_at(record: FileRecord) -> float:
    """When a file was modified, in seconds since 1970. Earlier versions noted the last change of any kind for a new file."""
    return (record.mtime_ns if record.mtime_ns != -1 else record.ctime_ns) / 1e9


def written_at(record: FileRecord) -> float:
    """The date of a document by its front matter, or else by its file."""
    written = date_in(record.front_matter)
    return changed_at(record) if written is None else written.timestamp()


class DocumentDates:
    """When documents were written or changed, as `date_of` reads it from what the manifest has of their files.

    What was read is kept until the manifest changes; threads may ask at once.
    """

    def __init__(self, index_dir: Path, date_of: Callable[[FileRecord], float] = written_at) -> None:
        self._index_dir = index_dir
        self._date_of = date_of
        self._lock = threading.Lock()
        self._read: tuple[Any, dict[str, float]] = (None, {})

    def of(self, paths: Sequence[str]) -> dict[str, float]:
        """The dates of these documents by path, in seconds since 1970; a document without one is left out."""
        place = manifest_path(store_dir(self._index_dir))
        try:
            status = place.stat()
        except OSError:
            return {}
        version = (status.st_dev, status.st_ino, status.st_mtime_ns, status.st_size)
        with self._lock:
            held = self._read[1] if self._read[0] == version and len(self._read[1]) <= _MOST_DATES else {}
        lacking = [path for path in paths if path not in held]
        if lacking:
            files = read_manifest(place, lacking if len(lacking) < _FEW else None).files
            held = {**held, **dict.fromkeys(lacking, math.nan), **{path: self._date_of(one) for path, one in files.items()}}
            with self._lock:
                self._read = (version, held)
        return {path: held[path] for path in paths if not math.isnan(held[path])}

    def ages(self, snapshot: IndexSnapshot) -> npt.NDArray[np.float64]:
        """How old the document of each row of a snapshot is, in days, NaN for an unknown date; shape (rows,)."""
        _, firsts = np.unique(snapshot.document, return_index=True)
        paths = [snapshot.path(row) for row in firsts.tolist()]
        dates, moment = self.of(paths), now().timestamp()
        by_document = np.array([(moment - dates.get(path, math.nan)) / 86_400 for path in paths], np.float64)
        ages: npt.NDArray[np.float64] = by_document[snapshot.document]
        return ages
