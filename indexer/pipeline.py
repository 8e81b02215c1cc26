"""Folders of Markdown → an up-to-date index: scan what changed, write it, embed what is dirty.

`Indexer.scan` is cheap and leaves new text searchable by its words; `Indexer.process_dirty` gives it vectors, in
committed batches. Both may be stopped at any moment: what was committed stays, the rest is done by the next run.
"""

from __future__ import annotations

import hashlib
import logging
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from indexer.decoding import decode
from indexer.discover import Discovery, FoundFile, discover, read_file
from indexer.embedder import SentenceTransformerEmbedder
from indexer.embedding import embed_rows
from indexer.plan import child_headings, input_hash, plan_document
from indexer.splitter import MarkdownSplitter, SplitDocument
from indexer.tokens import TokenCounter
from schema.arrow import Embedding, StoredSection
from schema.clock import now
from schema.errors import IndexNotFoundError
from schema.fingerprint import Fingerprint
from schema.ledger import FileRecord, Ledger
from schema.protocols import Embedder
from schema.results import Failure, IndexReport
from schema.settings import Settings, load_settings
from schema.store import ledger_path, rebuilding, store_dir, writing
from schema.table import SectionTable

_log = logging.getLogger(__name__)

#: Called with the phase ("scan" or "embed"), how many files or sections are done, and how many there are.
Progress = Callable[[str, int, int], None]

#: Files read and written in one commit while scanning; bounds memory at this many files of max_file_bytes.
_SCAN_FILES = 200
#: Text held while scanning before it is written (bytes).
_SCAN_BYTES = 32 << 20
#: Sections embedded in one commit: enough to sort by length, few enough that a stopped run loses little.
_EMBED_SECTIONS = 256
#: Every commit leaves a file and a version behind, and some dozens of them slow queries down.
_OPTIMIZE_COMMITS = 40
#: A file changed this shortly before it was read may change again within the clock's grain: read it again next time.
_RACY_NS = 2_000_000_000


@dataclass(slots=True)
class _Changed:
    """A file whose content is new to the index, split."""

    record: FileRecord
    split: SplitDocument
    reusable: dict[str, Embedding] = field(default_factory=dict)


class Indexer:
    """Keeps the index in `index_dir` true to the Markdown files of a project.

    Document paths are relative to `root`. Settings come from the project's settings file unless given. `wait` is how
    many seconds to wait for another writer.
    """

    def __init__(
        self,
        index_dir: str | os.PathLike[str],
        *,
        root: str | os.PathLike[str] = ".",
        settings: Settings | None = None,
        embedder: Embedder | None = None,
        progress: Progress | None = None,
        wait: float = 0.0,
    ) -> None:
        self._index_dir = Path(index_dir)
        self._root = Path(root).resolve()
        self._settings = settings or load_settings(self._root, environ={})
        self._embedder: Embedder = embedder or SentenceTransformerEmbedder.of(self._settings)
        self._progress = progress or _no_progress
        self._wait = wait
        self._splitter = MarkdownSplitter(
            max_tokens_per_section=self._settings.max_tokens_per_section,
            token_counter=TokenCounter(self._settings.token_encoding),
        )

    # -- doors ---------------------------------------------------------------------------------------------------------

    def index(self, *paths: str | os.PathLike[str]) -> IndexReport:
        """Bring the index up to date with the files under `paths`: scan, then embed what is dirty.

        Raises:
            SourceError: a path does not exist or cannot be indexed.
            IndexIncompatibleError: the index was made with another model, encoding or schema version.
            IndexLockedError: another process is writing.
        """
        found = self._discover(paths)
        with writing(self._index_dir, wait=self._wait), self._open(store_dir(self._index_dir)) as store:
            report = store.scan(found)
            report += store.process_dirty()
            store.settle()
        return report

    def rebuild(self, *paths: str | os.PathLike[str]) -> IndexReport:
        """Build the index anew from `paths` and all paths indexed before; the old one is searched until it is done."""
        with writing(self._index_dir, wait=self._wait):
            known = self._known_scopes()
            found = self._discover([*paths, *(scope for scope in known if scope.exists())])
            with rebuilding(self._index_dir) as fresh, self._open(fresh) as store:
                report = store.scan(found)
                report += store.process_dirty()
                store.settle()
        return report

    def scan(self, *paths: str | os.PathLike[str]) -> IndexReport:
        """Write what is new or changed under `paths` as dirty sections, move and remove the rest; embeds nothing."""
        found = self._discover(paths)
        with writing(self._index_dir, wait=self._wait), self._open(store_dir(self._index_dir)) as store:
            report = store.scan(found)
            store.settle()
        return report

    def process_dirty(self, limit: int | None = None, time_budget: float | None = None) -> IndexReport:
        """Embed dirty sections, oldest first: at most `limit` of them, and start no batch after `time_budget` seconds.

        Raises:
            IndexNotFoundError: there is no index yet.
        """
        place = store_dir(self._index_dir)
        if not SectionTable.exists(place):
            raise IndexNotFoundError(
                f"There is no index in {self._index_dir}; make one with `index FOLDER`.", index_dir=self._index_dir
            )
        with writing(self._index_dir, wait=self._wait), self._open(place) as store:
            report = store.process_dirty(limit=limit, time_budget=time_budget)
            store.settle()
        return report

    # -- inside --------------------------------------------------------------------------------------------------------

    def _discover(self, paths: Sequence[str | os.PathLike[str]]) -> Discovery:
        if not paths:
            raise ValueError("give at least one path to index")
        s = self._settings
        return discover(
            [Path(path) for path in paths],
            root=self._root,
            include=s.include,
            exclude=s.exclude,
            max_file_bytes=s.max_file_bytes,
            hidden=s.hidden,
            gitignore=s.gitignore,
        )

    def _known_scopes(self) -> list[Path]:
        place = store_dir(self._index_dir)
        try:
            table = SectionTable.open(place)
        except Exception as error:  # noqa: BLE001 — whatever is wrong with the old index, it is being replaced
            _log.info("the old index gives no paths: %s", error)
            return []
        with Ledger(ledger_path(place), store_id=table.store_id) as ledger:
            return [self._root / scope for scope in _scopes(ledger)]

    def _open(self, place: Path) -> _Store:
        model, encoding = self._embedder.name, self._settings.token_encoding
        if SectionTable.exists(place):
            table = SectionTable.open(place, expected={"model": model, "token_encoding": encoding})
        else:
            table = SectionTable.create(
                place, Fingerprint(dimension=self._embedder.dimension, model=model, token_encoding=encoding)
            )
        ledger = Ledger(ledger_path(place), store_id=table.store_id)
        ledger.set_fact("root", os.path.relpath(self._root, self._index_dir.resolve()))
        return _Store(table, ledger, self._splitter, self._embedder, self._progress)


def _no_progress(_phase: str, _done: int, _total: int) -> None:
    """What is called where nobody watches."""


def _scopes(ledger: Ledger) -> list[str]:
    return [scope for scope in (ledger.fact("scopes") or "").split("\n") if scope]


class _Store:
    """One open index being written."""

    def __init__(
        self, table: SectionTable, ledger: Ledger, splitter: MarkdownSplitter, embedder: Embedder, progress: Progress
    ) -> None:
        self._table = table
        self._ledger = ledger
        self._splitter = splitter
        self._embedder = embedder
        self._progress = progress
        self._commits = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._ledger.close()

    def settle(self) -> None:
        """Merge what this run's commits left behind, if there were any."""
        if self._commits:
            self._table.optimize()
            self._commits = 0

    def scan(self, found: Discovery) -> IndexReport:
        started = time.perf_counter()
        report = IndexReport(failed=list(found.failed), warnings=list(found.warnings))
        self._ledger.set_fact("scopes", "\n".join(sorted({*_scopes(self._ledger), *found.scopes})))
        self._ledger.record_failures(found.failed)
        known = self._ledger.files()
        stored_paths = self._table.paths()
        removed: dict[str, Embedding] = {}
        vanished = self._vanished(found, {*known, *stored_paths})
        for batch in self._changed(found, known, stored_paths, report):
            self._write(batch, stored_paths, removed, report)
        # last, so that text that moved to another file finds its vectors
        gone = sorted(vanished & stored_paths)
        if gone:
            report.sections_removed += sum(len(links) for links in self._table.links(gone).values())
            self._table.remove_documents(gone)
            self._commits += 1
        self._ledger.forget(vanished | self._mended(found.scopes, report))
        report.documents_removed = len(vanished)
        report.timings["scan"] = time.perf_counter() - started
        return report

    def process_dirty(self, *, limit: int | None = None, time_budget: float | None = None) -> IndexReport:
        started = time.perf_counter()
        report = IndexReport()
        total = self._table.count(dirty=True)
        total = total if limit is None else min(total, limit)
        # the order is fixed once: sections that fail to change would come first again and again
        rows = self._table.dirty_ids(limit=total)
        for first in range(0, total, _EMBED_SECTIONS):
            if time_budget is not None and time.perf_counter() - started >= time_budget:
                break
            self._progress("embed", first, total)
            dirty = self._table.stored_by_id(rows[first : first + _EMBED_SECTIONS])
            self._table.update(embed_rows(dirty, self._embedder))
            self._committed()
            report.sections_embedded += len(dirty)
        self._progress("embed", report.sections_embedded, total)
        report.timings["embed"] = time.perf_counter() - started
        return report

    def _committed(self) -> None:
        self._commits += 1
        if self._commits >= _OPTIMIZE_COMMITS:
            self.settle()

    def _mended(self, scopes: Sequence[str], report: IndexReport) -> set[str]:
        """Paths under the walked ones that failed in an earlier run, are no documents and did not fail in this one."""
        earlier = {failure.path for failure in self._ledger.failures()} - {failure.path for failure in report.failed}
        return {path for path in earlier if any(_is_under(path, scope) for scope in scopes)}

    def _vanished(self, found: Discovery, known: set[str]) -> set[str]:
        """Documents under the walked paths that are there no more; a file that failed is still there."""
        present = {file.path for file in found.files} | {failure.path for failure in found.failed}
        unseen = tuple(failure.path + "/" for failure in found.failed)  # of a folder that cannot be read nothing is known
        return {
            path
            for path in known - present
            if any(_is_under(path, scope) for scope in found.scopes) and not path.startswith(unseen)
        }

    def _changed(
        self, found: Discovery, known: dict[str, FileRecord], stored: set[str], report: IndexReport
    ) -> Iterator[list[_Changed]]:
        """Read the files that may have changed and split those that did, in batches of bounded size."""
        batch: list[_Changed] = []
        held = 0
        same: list[FileRecord] = []
        for i, file in enumerate(found.files):
            self._progress("scan", i, len(found.files))
            before = known.get(file.path)
            if before is not None and (before.size, before.mtime_ns) == (file.size, file.mtime_ns):
                report.documents_unchanged += 1
                continue
            try:
                data = read_file(file)
            except (OSError, ValueError) as error:
                self._fail(file, error, report)
                continue
            digest = hashlib.sha256(data).hexdigest()
            record = FileRecord(file.path, file.size, _trusted_time(file), digest)
            if before is not None and before.hash == digest:
                same.append(_with(record, before.title, before.front_matter, before.warnings))
                report.documents_unchanged += 1
                continue
            try:
                decoded = decode(data)
                split = self._splitter.parse(decoded.text, file.path)
            except Exception as error:  # noqa: BLE001 — a fault of ours in one file must not stop the run
                _log.exception("splitting %s failed", file.path)
                self._fail(file, ValueError(f"it cannot be split, which is a fault of Sectionary: {error!r}"), report)
                continue
            warnings = (*(f"{file.path}: {w}" for w in decoded.warnings), *split.warnings)
            report.warnings.extend(warnings)
            batch.append(_Changed(_with(record, split.title, split.front_matter, warnings), split))
            if before is None and file.path not in stored:
                report.documents_added += 1
            else:
                report.documents_updated += 1
            held += len(data)
            if len(batch) >= _SCAN_FILES or held >= _SCAN_BYTES:
                yield batch
                batch, held = [], 0
        self._progress("scan", len(found.files), len(found.files))
        self._ledger.record(same)
        if batch:
            yield batch

    def _fail(self, file: FoundFile, error: Exception, report: IndexReport) -> None:
        reason = (error.strerror or str(error)).lower() if isinstance(error, OSError) else str(error)
        failure = Failure(file.path, f"it cannot be read: {reason}" if isinstance(error, OSError) else reason)
        report.failed.append(failure)
        self._ledger.record_failures([failure])

    def _write(
        self, batch: list[_Changed], stored_paths: set[str], removed: dict[str, Embedding], report: IndexReport
    ) -> None:
        """Commit the rows of changed documents: new ones are appended, known ones replaced as a whole."""
        known = [change.record.path for change in batch if change.record.path in stored_paths]
        stored: dict[str, dict[str, StoredSection]] = {path: {} for path in known}
        for row in self._table.stored(known):
            stored[row.section.document_path][row.section.id] = row
        wanted = [_input_hashes(change.split) for change in batch]
        reusable = {**removed, **self._table.embeddings(sorted({h for hashes in wanted for h in hashes}))}
        added: list[StoredSection] = []
        replaced: list[StoredSection] = []
        moment = now()
        for change in batch:
            path = change.record.path
            plan = plan_document(
                change.split.sections,
                front_matter=change.split.front_matter,
                stored=stored.get(path, {}),
                reusable=reusable,
                now=moment,
            )
            (replaced if path in stored_paths else added).extend(plan.rows)
            report.sections_added += plan.added
            report.sections_updated += plan.updated
            report.sections_unchanged += plan.unchanged
            report.sections_removed += plan.removed
            report.vectors_reused += plan.reused
            kept = {row.input_hash for row in plan.rows}
            for row in stored.get(path, {}).values():  # text that left this file may turn up in a later one
                if row.embedding is not None and not row.section.is_dirty and row.input_hash not in kept:
                    removed[row.input_hash] = row.embedding
        self._table.add(added)
        if known:
            self._table.replace_documents(known, replaced)
        self._commits += 1
        self._ledger.record(change.record for change in batch)


def _input_hashes(split: SplitDocument) -> set[str]:
    headings = child_headings(split.sections)
    return {input_hash(section, headings.get(section.id, ())) for section in split.sections}


def _with(record: FileRecord, title: str, front_matter: Any, warnings: tuple[str, ...]) -> FileRecord:
    return FileRecord(record.path, record.size, record.mtime_ns, record.hash, title, front_matter, warnings)


def _trusted_time(file: FoundFile) -> int:
    """The file's modification time, or -1 (never equal) if it is too fresh to tell the next change by it."""
    return file.mtime_ns if time.time_ns() - file.mtime_ns > _RACY_NS else -1


def _is_under(path: str, scope: str) -> bool:
    if scope == ".":
        return path != ".." and not path.startswith("../")
    return path == scope or path.startswith(scope + "/")
