"""One open index, its files and its embedder → commits: changed documents written whole, dirty sections embedded.

Readers may see the state after every commit, and a later run can go on from it: a document's sections change together, the
table first and the manifest after it. The writer asks whether to stop before each file and each portion of sections.
"""

from __future__ import annotations

import contextlib
import time
from collections import ChainMap
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Self

from indexer.found import Discovery
from indexer.summaries.upkeep import Batch
from indexer.sync.absences import find_resolved_failures, find_vanished
from indexer.sync.change_notes import ChangeNotes
from indexer.sync.changed import Changed, ChangedFiles
from indexer.sync.documents import Documents
from indexer.sync.drives import DRIVES_KEY, drives_noted, failures_of_drives
from indexer.sync.links import update_links
from indexer.sync.passes import Passes
from indexer.sync.phases import SCAN, Progress
from indexer.sync.plan import EarlierTimes, PreviousEmbeddings, Summarized, TextKey, input_hashes, plan_document
from indexer.workers.base import Workers
from schema.clock import now
from schema.index_files.manifest import Manifest
from schema.index_files.roots import ROOT_KEY
from schema.protocols import Embedder, QueryPreparer, second_of
from schema.reports import IndexReport
from schema.sections import Section
from schema.status import DIALECTS_KEY, ROOTS_KEY, indexed_roots
from schema.storage.rows import Embedding, StoredSection
from schema.storage.table import SectionTable
from schema.tracing import report_attributes, traced

#: Commits after which the table is optimized if that pays: each adds a file to the table, and dozens slow queries down.
COMMITS_BETWEEN_CARE = 8
#: Vectors of removed texts that are kept during a scan, since the texts may turn up in another file.
_REMOVED_VECTORS = 20_000


class Writer(AbstractContextManager["Writer"]):
    """Writes to one table and its manifest; the caller holds the writer's lock."""

    def __init__(
        self,
        table: SectionTable,
        manifest: Manifest,
        *,
        documents: Documents,
        embedder: Embedder,
        workers: Workers,
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
        self._workers = workers
        self._progress = progress
        self._should_stop = should_stop
        self._earlier = earlier
        self._summaries = summaries or {}
        self._times = times
        self.notes = ChangeNotes(table)
        self._commits = 0
        self._written = 0  # rows since the table was optimized
        self._is_known = False  # whether the manifest knows each document, and the links are up to date

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with contextlib.ExitStack() as stack:  # in reverse, each although another is interrupted
            stack.callback(self.manifest.close)
            stack.callback(self.table.upkeep.finish, is_failed=kind is not None)
            stack.callback(self._workers.close)

    def optimize_if_changed(self) -> None:
        """Optimize the table if anything was committed since it last was."""
        if self._commits:
            self._optimize()

    def is_finished(self, report: IndexReport) -> bool:
        """Tell whether a run that scanned, and gave this report, leaves nothing for the next one to do."""
        return (
            self._is_known
            and not (report.stopped or report.failed or self.manifest.failures())
            and not self.table.count_dirty(second=None)
            and not self.table.indexes.missing()
        )

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
        drives = self.manifest.get_metadata(DRIVES_KEY)
        found.failed.extend(failures_of_drives(found, drives))
        report = IndexReport(failed=list(found.failed), warnings=list(found.warnings), left_out=dict(found.left_out))
        roots = self.manifest.get_metadata(ROOTS_KEY)
        walked = "\n".join(sorted(found.paths_after(indexed_roots(roots))))
        if walked != roots:
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
        changed = ChangedFiles(
            self.manifest, self._documents, self._workers, progress=self._progress, should_stop=self._should_stop
        )
        for batch in changed.batches(found, trusted, stored_paths, report):
            self._write(batch, stored_paths, removed, unsound, report)
        self._documents.trim_cache()
        if not report.stopped:
            # last, so that vectors of text that moved to another file are still in the table when it is written
            # the manifest before the table: see `_write`
            self.manifest.forget(vanished | find_resolved_failures(self.manifest.failures(), found, report.failed))
            self._remove(vanished & stored_paths, report)
            report.documents_removed = len(vanished)
            if dialects != noted:
                self.manifest.set_metadata(DIALECTS_KEY, dialects)
            if (now_on := drives_noted(found, drives)) != drives:
                self.manifest.set_metadata(DRIVES_KEY, now_on)
            has_links = update_links(self.table, self.manifest.get_metadata(ROOT_KEY))
            self._is_known = has_links and stored_paths - vanished <= known.keys() | {file.path for file in found.files}
        report.timings[SCAN] = time.perf_counter() - started
        return report

    def _remove(self, paths: set[str], report: IndexReport) -> None:
        if paths:
            gone = [link for links in self.table.links(sorted(paths)).values() for link in links]
            report.sections_removed += len(gone)
            self.notes.changed(gone)
            self.table.remove_documents(sorted(paths))
            self._committed(0)

    def _write(
        self,
        batch: Sequence[Changed],
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
        own = [row for rows in stored.values() for row in rows.values() if not row.section.is_dirty]
        known_vectors = {row.input_hash: row.embedding for row in own if row.embedding is not None}
        reusable = ChainMap(known_vectors, self._reusable(batch, unsound, known_vectors), removed)
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
        # Before the table has the new text: a run that is stopped between the two must not leave a record of the old one, or
        # a file that becomes what it was, as by `git checkout`, would count as unchanged. Without a record it is read again.
        if known:
            self.manifest.forget(known)
        if added:
            self.table.add(added)
        if known:
            self.table.replace_documents(known, replaced)
        self.manifest.record(change.record for change in batch)
        self._committed(len(added) + len(replaced))

    def _reusable(self, batch: Sequence[Changed], unsound: Collection[str], known: Collection[str]) -> dict[str, Embedding]:
        """Return vectors that were made of these documents' texts before, from all of the table and the earlier index.

        Those of the `known` inputs are not looked for.
        """
        wanted = sorted({key for change in batch for key in input_hashes(change.split.sections)} - set(known))
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
        passes = Passes(
            self.table, self._workers, progress=self._progress, should_stop=self._should_stop, wrote=self._committed
        )
        if not self.table.count_dirty(second=None):
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
        if made and isinstance(self._embedder, QueryPreparer) and not self.table.count_dirty(second=None):
            self._embedder.prepare_queries()
        return report

    def _committed(self, rows: int) -> None:
        self._commits += 1
        self._written += rows
        if self._commits >= COMMITS_BETWEEN_CARE and self.table.is_worn(self._written):
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
