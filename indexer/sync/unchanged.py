"""An index and files that are as the last run left them → the report of a run that has nothing to do.

Opening the table takes a second of imports, and a run that finds nothing changed does not need it: a run that finished notes
in the manifest what the files of the index looked like (names, sizes, times) and what they were made with. The note counts
while all of that is so; else the table is opened and looked at as a whole.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from indexer.found import Discovery
from indexer.reading import FoundFile, read_file
from indexer.sync.absences import find_vanished
from indexer.sync.changed import looks_the_same, record_of, seen_again
from indexer.sync.documents import Documents
from indexer.sync.passes import FIRST, SCAN
from indexer.sync.runs import recorded
from schema.index_files.lance_manifests import read_manifests
from schema.index_files.layout import TABLE_FOLDER, changes_path, links_path, manifest_path, statistics_path
from schema.index_files.manifest import FileRecord, Manifest
from schema.index_files.roots import ROOT_KEY
from schema.reports import IndexReport
from schema.status import DIALECTS_KEY, ROOTS_KEY, indexed_roots

#: The name of the note in the manifest's metadata.
_NOTE_KEY = "finished"


def note_finished(store_dir: Path, store_id: str, made_with: Mapping[str, object]) -> None:
    """Note that a run left nothing to do in a store; the caller holds the writer's lock and has closed the table."""
    with Manifest(manifest_path(store_dir), store_id=store_id) as manifest:
        manifest.set_metadata(_NOTE_KEY, _note(store_dir, made_with) or "")


def report_if_unchanged(
    store_dir: Path, found: Discovery, documents: Documents, *, root: str, made_with: Mapping[str, object]
) -> IndexReport | None:
    """Return the report of a run over the files found if nothing changed since a finished run, else None.

    `root` is what the manifest should say of where the documents are. The caller holds the writer's lock.
    """
    started = time.perf_counter()
    store_ids = list(read_manifests(store_dir / TABLE_FOLDER).store_ids)
    if len(store_ids) != 1:
        return None
    with Manifest(manifest_path(store_dir), store_id=store_ids[0]) as manifest:
        known = _known_if_finished(manifest, _note(store_dir, made_with), found, documents, root)
        records = None if known is None else _same_records(found, known, documents)
        if records is None:
            return None
        if records:
            manifest.record(records)
        report = IndexReport(
            documents_unchanged=len(found.files), warnings=list(found.warnings), left_out=dict(found.left_out)
        )
        report.timings = {SCAN: time.perf_counter() - started, FIRST: 0.0}
        return recorded(lambda: report, manifest)


def _known_if_finished(
    manifest: Manifest, note: str | None, found: Discovery, documents: Documents, root: str
) -> Mapping[str, FileRecord] | None:
    """Return the files that the last run knew if it finished over the same folders; else None."""
    before, dialects = manifest.get_metadata(ROOTS_KEY), manifest.get_metadata(DIALECTS_KEY)
    known = manifest.files()
    is_finished = (
        note is not None
        and manifest.get_metadata(_NOTE_KEY) == note
        and manifest.get_metadata(ROOT_KEY) == root
        and not found.failed
        and not manifest.failures()
        and "\n".join(sorted(found.paths_after(indexed_roots(before)))) == before
        and documents.dialects_noted(found, dialects) == dialects
        and not find_vanished(found, known)
    )
    return known if is_finished else None


def _same_records(found: Discovery, known: Mapping[str, FileRecord], documents: Documents) -> list[FileRecord] | None:
    """Return the records of files that only look changed, as they are now; None if one is another."""
    seen: list[FileRecord] = []
    for file in found.files:
        before = known.get(file.path)
        record = _same(file, before, documents)
        if record is None:
            return None
        if record is not before:
            seen.append(record)
    return seen


def _same(file: FoundFile, before: FileRecord | None, documents: Documents) -> FileRecord | None:
    """Return the record of a file that has the same bytes as before, and is read in the same way; else None."""
    if before is None or before.read_as != documents.read_as(file.path):
        return None
    if looks_the_same(file, before):
        return before
    if file.size != before.size:
        return None
    try:
        record = record_of(file, read_file(file), before.read_as)
    except (OSError, ValueError):  # the run that follows says so
        return None
    return seen_again(record, before) if record.hash == before.hash else None


def _note(store_dir: Path, made_with: Mapping[str, object]) -> str | None:
    """Return one text for how the files of a store look and what they were made with; None if one is no plain file."""
    digest = hashlib.sha256(json.dumps(dict(made_with), sort_keys=True).encode())
    beside = (statistics_path(store_dir), links_path(store_dir), changes_path(store_dir))
    try:
        for name, size, mtime_ns in sorted(_looks(store_dir / TABLE_FOLDER, *beside)):
            digest.update(f"{name}\0{size}\0{mtime_ns}\0".encode("utf-8", "surrogateescape"))
    except (OSError, ValueError):
        return None
    return digest.hexdigest()


def _looks(*paths: Path) -> Iterator[tuple[str, int, int]]:
    """Yield path, bytes and time of each file at or below some paths; those that do not exist are left out."""
    waiting = [str(path) for path in paths if os.path.lexists(path)]
    while waiting:
        path = waiting.pop()
        status = os.lstat(path)
        if stat.S_ISDIR(status.st_mode):
            waiting += [entry.path for entry in os.scandir(path)]
        elif stat.S_ISREG(status.st_mode):
            yield path, status.st_size, status.st_mtime_ns
        else:
            raise ValueError("it is no plain file")
