"""Found files → those whose content is not in the index yet, read and split, in batches of bounded size."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from indexer.found import Discovery
from indexer.reading import read_file
from indexer.splitter import SplitDocument
from indexer.sync.absences import looks_the_same
from indexer.sync.documents import Documents
from indexer.sync.jobs import SplitFault, SplitText
from indexer.sync.phases import SCAN, Progress
from indexer.sync.same_bytes import record_of, renewed
from indexer.workers.base import Workers
from schema.errors import ConversionError
from schema.index_files.manifest import FileRecord, Manifest
from schema.reports import Failure, IndexReport

_log = logging.getLogger(__name__)

#: Files read and written in one commit while scanning: memory holds at most this many files of max_file_bytes.
SCAN_FILES = 200
#: A commit while scanning is made at the latest when its files have this many bytes.
SCAN_BYTES = 32 << 20


@dataclass(frozen=True, slots=True)
class Changed:
    """A file whose content is not in the index yet, and its sections."""

    record: FileRecord
    split: SplitDocument


class ChangedFiles:
    """Reads files in this process, which alone needs to see them, and has `workers` split their texts."""

    def __init__(
        self,
        manifest: Manifest,
        documents: Documents,
        workers: Workers,
        *,
        progress: Progress,
        should_stop: Callable[[], bool],
    ) -> None:
        self._manifest = manifest
        self._documents = documents
        self._workers = workers
        self._progress = progress
        self._should_stop = should_stop

    def batches(
        self, found: Discovery, known: Mapping[str, FileRecord], stored: set[str], report: IndexReport
    ) -> Iterator[list[Changed]]:
        """Read the files that may have changed and split those that did, in the order in which they were found.

        `known` says how files were when they were read last, `stored` which documents the table has. Counts, warnings and
        failures go into `report`, which also says whether the reading was stopped.
        """
        batch: list[Changed] = []
        held = 0
        same: list[FileRecord] = []

        def should_stop() -> bool:
            report.stopped = report.stopped or self._should_stop()
            return report.stopped

        jobs = self._read(found, known, same, report, should_stop)
        for (record, is_known, size), split in self._workers.map(jobs, should_stop):
            if isinstance(split, SplitFault):
                self._fail_by_fault(record.path, split, report)
                continue
            report.warnings.extend(split.warnings)
            whole = replace(record, title=split.title, front_matter=split.front_matter, warnings=split.warnings)
            batch.append(Changed(whole, split))
            if not is_known and record.path not in stored:
                report.documents_added += 1
            else:
                report.documents_updated += 1
            held += size
            if len(batch) >= SCAN_FILES or held >= SCAN_BYTES:
                yield batch
                batch, held = [], 0
        self._progress(SCAN, len(found.files), len(found.files))
        if same:
            self._manifest.record(same)
        if batch:
            yield batch

    def _read(
        self,
        found: Discovery,
        known: Mapping[str, FileRecord],
        same: list[FileRecord],
        report: IndexReport,
        should_stop: Callable[[], bool],
    ) -> Iterator[tuple[tuple[FileRecord, bool, int], SplitText]]:
        """Yield the record of each file that changed, whether it was known, its bytes, and the job that splits it.

        Records of files that only look changed are added to `same`.
        """
        for i, file in enumerate(found.files):
            self._progress(SCAN, i, len(found.files))
            before = known.get(file.path)
            if before is not None and looks_the_same(file, before):
                report.documents_unchanged += 1
                continue
            if should_stop():
                return
            try:
                data = read_file(file)
            except (OSError, ValueError) as error:
                self._fail(file.path, error, report)
                continue
            record = record_of(file, data, read_as=self._documents.read_as(file.path))
            if before is not None and (kept := renewed(before, record)) is not None:
                same.append(kept)
                report.documents_unchanged += 1
                continue
            try:
                job = self._documents.read(file.path, data)
            except ConversionError as error:
                self._fail(file.path, ValueError(f"it {error.reason}"), report)
                continue
            except Exception as error:  # noqa: BLE001 — a fault of ours in one file must not stop the run
                self._fail_by_fault(file.path, SplitFault.of(error), report)
                continue
            yield (record, before is not None, len(data)), job

    def _fail_by_fault(self, path: str, fault: SplitFault, report: IndexReport) -> None:
        _log.error("splitting %s failed\n%s", path, fault.traceback)
        self._fail(path, ValueError(f"it cannot be split, which is a fault of Sectionary: {fault.error}"), report)

    def _fail(self, path: str, error: Exception, report: IndexReport) -> None:
        reason = (error.strerror or str(error)).lower() if isinstance(error, OSError) else str(error)
        failure = Failure(path, f"it cannot be read: {reason}" if isinstance(error, OSError) else reason)
        report.failed.append(failure)
        self._manifest.record_failures([failure])
