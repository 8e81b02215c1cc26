"""An index and files that are as the last run left them → the report of a run that has nothing to do.

Opening the table takes a second of imports, and a run that finds nothing changed does not need it: a run that finished notes
in the manifest what the files of the index looked like (names, sizes, times, rights) and what they were made with. The note
counts while all of that is so, and while no document has another size, or another time and other bytes; else the table is
opened, and all of it is looked at.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from indexer.found import Discovery
from indexer.sync.absences import find_vanished, looks_the_same
from indexer.sync.documents import Documents
from indexer.sync.phases import FIRST, SCAN
from indexer.sync.runs import recorded
from indexer.sync.same_bytes import renewed_if_same
from schema import VERSION
from schema.errors import IndexAccessError
from schema.index_files import formats
from schema.index_files.lance_manifests import read_manifests
from schema.index_files.layout import TABLE_FOLDER, changes_path, links_path, manifest_path, statistics_path
from schema.index_files.manifest import FileRecord, Manifest, read_manifest
from schema.index_files.roots import ROOT_KEY
from schema.reports import IndexReport
from schema.status import DIALECTS_KEY, ROOTS_KEY, indexed_roots

#: The name of the note in the manifest's metadata.
_NOTE_KEY = "finished"
#: What this program writes; a file of another format is brought up to date by a run that opens the table.
FORMATS = (VERSION, formats.MANIFEST, formats.CHANGES, formats.LINKS, formats.STATISTICS)


def note_finished(store_dir: Path, store_id: str, made_with: Mapping[str, object]) -> None:
    """Note that a run left nothing to do in a store; the caller holds the writer's lock and has closed the table."""
    with contextlib.suppress(IndexAccessError), Manifest(manifest_path(store_dir), store_id=store_id) as manifest:
        manifest.set_metadata(_NOTE_KEY, _note(store_dir, made_with) or "")


def report_if_unchanged(
    store_dir: Path,
    found: Discovery,
    documents: Documents,
    *,
    root: str,
    made_with: Mapping[str, object],
    should_stop: Callable[[], bool],
) -> IndexReport | None:
    """Return the report of a run over the files found if nothing changed since a finished run, else None.

    `root` is what the manifest should say of where the documents are. The caller holds the writer's lock. Nothing is written
    to an index that the run may yet refuse. A run that is to stop while it reads files is left to what opens the table.
    """
    started = time.perf_counter()
    place = manifest_path(store_dir)
    noted = read_manifest(place, []).metadata
    store_id, note = noted.get("store", ""), noted.get(_NOTE_KEY)
    if not note or note != _note(store_dir, made_with) or read_manifests(store_dir / TABLE_FOLDER).store_ids != {store_id}:
        return None
    with Manifest(place, store_id=store_id) as manifest:
        if manifest.get_metadata(_NOTE_KEY) != note:
            return None
        renewed = _records_if_unchanged(manifest, place, found, documents, root, should_stop)
        if renewed is None:
            return None
        manifest.record(renewed)
        report = IndexReport(
            documents_unchanged=len(found.files), warnings=list(found.warnings), left_out=dict(found.left_out)
        )
        report.timings = {SCAN: time.perf_counter() - started, FIRST: 0.0}
        return recorded(lambda: report, manifest)


def _records_if_unchanged(
    manifest: Manifest, place: Path, found: Discovery, documents: Documents, root: str, should_stop: Callable[[], bool]
) -> list[FileRecord] | None:
    """Return new records of the files that only look changed if all that were found are those that the manifest, which is in
    `place`, knows; None if one could be another one."""
    known = manifest.looks()
    for file in found.files:  # first what costs least: after an edit, one file mostly has another size
        look = known.get(file.path)
        if look is None or look.size != file.size:
            return None
    before, dialects = manifest.get_metadata(ROOTS_KEY), manifest.get_metadata(DIALECTS_KEY)
    if (
        manifest.get_metadata(ROOT_KEY) != root
        or found.failed
        or manifest.failures()
        or "\n".join(sorted(found.paths_after(indexed_roots(before)))) != before
        or documents.dialects_noted(found, dialects) != dialects
        or find_vanished(found, known)
        or any(known[file.path].read_as != documents.read_as(file.path) for file in found.files)
    ):
        return None
    others = [file for file in found.files if not looks_the_same(file, known[file.path])]
    records = read_manifest(place, [file.path for file in others]).files if others else {}
    renewed = []
    for file in others:  # with the size of before, mostly touched, or read right after they were written
        record = records.get(file.path)
        new = None if record is None or should_stop() else renewed_if_same(file, record)
        if new is None:
            return None
        renewed.append(new)
    return renewed


def _note(store_dir: Path, made_with: Mapping[str, object]) -> str | None:
    """Return one text for how the files of a store look and what they were made with; None if one is no plain file."""
    digest = hashlib.sha256(json.dumps([FORMATS, dict(made_with)], sort_keys=True).encode())
    beside = (statistics_path(store_dir), links_path(store_dir), changes_path(store_dir))
    try:
        for look in sorted(_looks(store_dir / TABLE_FOLDER, *beside)):
            digest.update(f"{look}\0".encode("utf-8", "surrogateescape"))
    except (OSError, ValueError):
        return None
    return digest.hexdigest()


def _looks(*paths: Path) -> Iterator[tuple[str | int, ...]]:
    """Yield path, rights, bytes and times of each file at or below some paths; those that do not exist are left out."""
    waiting = [str(path) for path in paths if os.path.lexists(path)]
    while waiting:
        path = waiting.pop()
        status = os.lstat(path)
        if stat.S_ISDIR(status.st_mode):
            waiting += [entry.path for entry in os.scandir(path)]
        elif stat.S_ISREG(status.st_mode):
            yield path, status.st_mode, status.st_size, status.st_mtime_ns, status.st_ctime_ns
        else:
            raise ValueError("it is no plain file")
