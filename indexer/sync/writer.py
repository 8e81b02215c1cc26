"""One open index, its files and its embedder → commits: changed documents written whole, dirty sections embedded.

Readers may see the state after every commit, and a later run can go on from it: a document's sections change together, the
table first and the manifest after it. The writer asks whether to stop before each file and each portion of sections.
"""

from __future__ import annotations

import hashlib
import logging
import time
from collections import ChainMap
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Self

from indexer.found import Discovery
from indexer.reading import FoundFile, read_file
from indexer.splitter import SplitDocument
from indexer.summaries.upkeep import Batch
from indexer.sync.absences import find_resolved_failures, find_vanished
from indexer.sync.change_notes import ChangeNotes
from indexer.sync.documents import Documents
from indexer.sync.links import update_links
from indexer.sync.passes import Passes, Progress
from indexer.sync.plan import EarlierTimes, PreviousEmbeddings, Summarized, TextKey, input_hashes, plan_document
from schema.clock import now
from schema.errors import ConversionError
from schema.index_files.manifest import FileRecord, Manifest
from schema.index_files.roots import ROOT_KEY
from schema.protocols import Embedder, QueryPreparer, second_of
from schema.reports import Failure, IndexReport
from schema.sections import Section
from schema.status import DIALECTS_KEY, ROOTS_KEY, indexed_roots
from schema.storage.rows import Embedding, StoredSection
from schema.storage.table import SectionTable
from schema.tracing import report_attributes, traced

_log = logging.getLogger(__name__)

#: Files read and written in one commit while scanning: memory holds at most this many files of max_file_bytes.
_SCAN_FILES = 200
#: A commit while scanning is made at the latest when its files have this many bytes.
_SCAN_BYTES = 32 << 20
#: Commits after which the table is optimized if that pays: each adds a file to the table, and dozens slow queries down.
_COMMITS_BETWEEN_CARE = 8
#: Vectors of removed texts that are kept during a scan, since the texts may turn up in another file.
_REMOVED_VECTORS = 20_000
#: A file changed less than this before it was read may change again and keep its time: clocks of files are coarse (ns).
_RACY_NS = 2_000_000_000


@dataclass(frozen=True, slots=True)
class _Changed:
    """A file whose content is not in the index yet, and its sections."""

    record: FileRecord
    split: SplitDocument


class Writer(AbstractContextManager["Writer"]):
    """Writes to one table and its manifest; the caller holds the writer's lock."""

    def __init__(
        self,
        table: SectionTable,
        manifest: Manifest,
        *,
        documents: Documents,
        embedder: Embedder,
        progress: Progress,
        should_stop: Callable[[], bool],
        earlier: PreviousEmbeddings | None = None,
        summaries: Mapping[TextKey, Summarized] | None = None,
        times: EarlierTimes | None = None,
    ) -> None:
        self.table = table
        self.manifest = manifest
        self._documents = documents
        self._embedder = embedder
        self._progress = progress
        self._should_stop = should_stop
        self._earlier = earlier
        self._summaries = summaries or {}
        self._times = times
        self.notes = ChangeNotes(table)
        self._commits = 0
        self._written = 0  # rows since the table was optimized

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            self.table.upkeep.finish(is_failed=kind is not None)
        finally:
            self.manifest.close()

    def optimize_if_changed(self) -> None:
        """Optimize the table if anything was committed since it last was."""
        if self._commits:
            self._optimize()

    def _optimize(self) -> None:
        self.table.optimize()
        self._commits = self._written = 0

    # -- scanning ------------------------------------------------------------------------------------------------------

    @traced("index.scan", report_attributes)
    def scan(self, found: Discovery, *, distrusted: Collection[str] = (), unsound: Collection[str] = ()) -> IndexReport:
        """Make the table hold what the files hold; embeds nothing.

        `distrusted` documents are read again even if the manifest says that they did not change. Of `unsound` sections
        (ids), nothing that the table holds is used again.
        """
        started = time.perf_counter()
        report = IndexReport(failed=list(found.failed), warnings=list(found.warnings), left_out=dict(found.left_out))
        before = self.manifest.get_metadata(ROOTS_KEY)
        walked = "\n".join(sorted(found.paths_after(indexed_roots(before))))
        if walked != before:
            self.manifest.set_metadata(ROOTS_KEY, walked)
        if found.failed:
            self.manifest.record_failures(found.failed)
        known = self.manifest.files()
        stored_paths = self.table.paths()
        vanished = find_vanished(found, {*known, *stored_paths})
        noted = self.manifest.get_metadata(DIALECTS_KEY)
        dialects = self._documents.dialects_noted(found, noted)
        paths = known.keys() & {file.path for file in found.files} - set(distrusted)
        # read in another way, the same bytes are another text
        trusted = {path: known[path] for path in paths if known[path].read_as == self._documents.read_as(path)}
        removed: dict[str, Embedding] = {}
        for batch in self._changed(found, trusted, stored_paths, report):
            self._write(batch, stored_paths, removed, unsound, report)
        self._documents.trim_cache()
        if not report.stopped:
            # last, so that vectors of text that moved to another file are still in the table when it is written
            self._remove(vanished & stored_paths, report)
            self.manifest.forget(vanished | find_resolved_failures(self.manifest.failures(), found, report.failed))
            report.documents_removed = len(vanished)
            if dialects != noted:
                self.manifest.set_metadata(DIALECTS_KEY, dialects)
            update_links(self.table, self.manifest.get_metadata(ROOT_KEY))
        report.timings["scan"] = time.perf_counter() - started
        return report

    def _remove(self, paths: set[str], report: IndexReport) -> None:
        if paths:
            gone = [link for links in self.table.links(sorted(paths)).values() for link in links]
            report.sections_removed += len(gone)
            self.notes.changed(gone)
            self.table.remove_documents(sorted(paths))
            self._committed(0)

    def _changed(
        self, found: Discovery, known: Mapping[str, FileRecord], stored: set[str], report: IndexReport
    ) -> Iterator[list[_Changed]]:
        """Read the files that may have changed and split those that did, in batches of bounded size."""
        batch: list[_Changed] = []
        held = 0
        same: list[FileRecord] = []
        for i, file in enumerate(found.files):
            self._progress("scan", i, len(found.files))
            before = known.get(file.path)
            if before is not None and _looks_the_same(file, before):
                report.documents_unchanged += 1
                continue
            if self._should_stop():
                report.stopped = True
                break
            try:
                data = read_file(file)
            except (OSError, ValueError) as error:
                self._fail(file, error, report)
                continue
            digest = hashlib.sha256(data).hexdigest()
            how = self._documents.read_as(file.path)
            record = FileRecord(file.path, file.size, _trusted_time(file), file.ctime_ns, digest, read_as=how)
            if before is not None and before.hash == record.hash:
                same.append(replace(record, title=before.title, front_matter=before.front_matter, warnings=before.warnings))
                report.documents_unchanged += 1
                continue
            try:
                split = self._documents.split(file.path, data)
            except ConversionError as error:
                self._fail(file, ValueError(f"it {error.reason}"), report)
                continue
            except Exception as error:  # noqa: BLE001 — a fault of ours in one file must not stop the run
                _log.exception("splitting %s failed", file.path)
                self._fail(file, ValueError(f"it cannot be split, which is a fault of Sectionary: {error!r}"), report)
                continue
            report.warnings.extend(split.warnings)
            record = replace(record, title=split.title, front_matter=split.front_matter, warnings=split.warnings)
            batch.append(_Changed(record, split))
            if before is None and file.path not in stored:
                report.documents_added += 1
            else:
                report.documents_updated += 1
            held += len(data)
            if len(batch) >= _SCAN_FILES or held >= _SCAN_BYTES:
                yield batch
                batch, held = [], 0
        self._progress("scan", len(found.files), len(found.files))
        if same:
            self.manifest.record(same)
        if batch:
            yield batch

    def _fail(self, file: FoundFile, error: Exception, report: IndexReport) -> None:
        reason = (error.strerror or str(error)).lower() if isinstance(error, OSError) else str(error)
        failure = Failure(file.path, f"it cannot be read: {reason}" if isinstance(error, OSError) else reason)
        report.failed.append(failure)
        self.manifest.record_failures([failure])

    def _write(
        self,
        batch: Sequence[_Changed],
        stored_paths: set[str],
        removed: dict[str, Embedding],
        unsound: Collection[str],
        report: IndexReport,
    ) -> None:
        """Commit the rows of changed documents: new ones are appended, known ones replaced as a whole."""
        known = [change.record.path for change in batch if change.record.path in stored_paths]
        stored: dict[str, dict[str, StoredSection]] = {path: {} for path in known}
        for row in self.table.stored(known):
            if row.section.id not in unsound:
                stored[row.section.document_path][row.section.id] = row
        reusable = ChainMap(self._reusable(batch, unsound), removed)
        added: list[StoredSection] = []
        replaced: list[StoredSection] = []
        moment = now()
        times = self._times([change.record.path for change in batch]) if self._times else None
        gone: list[Section] = []
        for change in batch:
            path = change.record.path
            plan = plan_document(
                change.split.sections,
                front_matter=change.split.front_matter,
                stored=stored.get(path, {}),
                reusable=reusable,
                now=moment,
                summaries=self._summaries,
                times=times,
            )
            (replaced if path in stored_paths else added).extend(plan.rows)
            report.sections_added += plan.added
            report.sections_updated += plan.updated
            report.sections_unchanged += plan.unchanged
            report.sections_removed += plan.removed
            report.vectors_reused += plan.reused
            kept, ids = {row.input_hash for row in plan.rows}, {row.section.id for row in plan.rows}
            gone += [row.section for row in stored.get(path, {}).values() if row.section.id not in ids]
            for row in stored.get(path, {}).values():  # text that was removed from this file may be in a later one
                if row.embedding is not None and not row.section.is_dirty and row.input_hash not in kept:
                    removed[row.input_hash] = row.embedding
                    if len(removed) > _REMOVED_VECTORS:
                        del removed[next(iter(removed))]
        if gone or any(row.section.updated_at == moment for row in (*added, *replaced)):
            self.notes.changed(gone)
        if added:
            self.table.add(added)
        if known:
            self.table.replace_documents(known, replaced)
        self.manifest.record(change.record for change in batch)
        self._committed(len(added) + len(replaced))

    def _reusable(self, batch: Sequence[_Changed], unsound: Collection[str]) -> dict[str, Embedding]:
        """Return vectors that were made of these documents' texts before, from all of the table and the earlier index."""
        wanted = sorted({key for change in batch for key in input_hashes(change.split.sections)})
        found = dict(self._earlier(wanted)) if self._earlier else {}
        found.update(self.table.embeddings(wanted, without=unsound))
        return found

    # -- embedding -----------------------------------------------------------------------------------------------------

    @traced("index.embed", report_attributes)
    def process_dirty(self, *, limit: int | None = None, time_budget: float | None = None) -> IndexReport:
        """Embed dirty sections, oldest first, in committed batches; equal texts are embedded once.

        Sections that wait for a second model are next, once no section is dirty any more.
        """
        ends = None if time_budget is None else time.perf_counter() + time_budget
        passes = Passes(self.table, progress=self._progress, should_stop=self._should_stop, wrote=self._committed)
        if not self.table.count_dirty() + self.table.count_dirty(second=True):
            return passes.nothing()
        self.optimize_if_changed()  # so that the indexes of the table find what was just written
        report = passes.first(self._embedder, limit=limit, ends=ends)
        second = second_of(self._embedder)
        if second is not None and not report.stopped and not self.table.count_dirty():
            self.optimize_if_changed()
            limit = None if limit is None else limit - report.sections_embedded - report.vectors_reused
            report += passes.second(second, limit=limit, ends=ends)
        # only here, since the model is loaded already: a run that embeds nothing must not load it
        made = report.sections_embedded + report.sections_embedded_again
        is_done = not self.table.count_dirty() + self.table.count_dirty(second=True)
        if made and is_done and isinstance(self._embedder, QueryPreparer):
            self._embedder.prepare_queries()
        return report

    def _committed(self, rows: int) -> None:
        self._commits += 1
        self._written += rows
        if self._commits >= _COMMITS_BETWEEN_CARE and self.table.is_worn(self._written):
            self._optimize()

    # -- summaries -----------------------------------------------------------------------------------------------------

    def write_summaries(self, batch: Batch) -> None:
        """Write summaries, in one commit, to the rows that still have the texts they were made from."""
        rows = {row.section.id: row for row in self.table.stored(sorted(batch.documents))}
        rows.update((row.section.id, row) for row in self.table.stored_by_id(sorted(set(batch.sections) - set(rows))))
        changed = []
        for row in rows.values():
            section, source, whole_source = row.section, row.summary_source, row.document_summary_source
            own, whole = batch.sections.get(section.id), batch.documents.get(section.document_path)
            if own is not None and own.text_hash == section.content_hash:
                section, source = replace(section, summary=own.summary), batch.source
            if whole is not None and whole.text_hash == section.document_hash:
                section, whole_source = replace(section, document_summary=whole.summary), batch.source
            if section is not row.section or (source, whole_source) != (row.summary_source, row.document_summary_source):
                fresh = replace(
                    row, section=section, terms=None, summary_source=source, document_summary_source=whole_source
                )
                changed.append(fresh)
        if changed:
            self.table.update(changed)
            self._committed(len(changed))

    def copy_documents(self, rows: Iterable[StoredSection]) -> None:
        """Add documents as they were in an earlier table; without a usable vector a section is dirty."""
        kept = [
            row if row.embedding is not None else replace(row, section=replace(row.section, is_dirty=True)) for row in rows
        ]
        if kept:
            self.table.add(kept)
            self._committed(len(kept))


def _looks_the_same(file: FoundFile, record: FileRecord) -> bool:
    return (record.size, record.mtime_ns, record.ctime_ns) == (file.size, file.mtime_ns, file.ctime_ns)


def _trusted_time(file: FoundFile) -> int:
    """Return the file's modification time, or -1 (never equal) if the next change could leave it the same."""
    age = time.time_ns() - max(file.mtime_ns, file.ctime_ns)
    # a time in the far future is left from before the clock was set back; the next change will have another one
    return -1 if -_RACY_NS < age < _RACY_NS else file.mtime_ns
