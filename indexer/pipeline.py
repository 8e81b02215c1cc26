"""Folders of Markdown → an up-to-date index: scan what changed, write it, embed what is dirty, summarise, prove it true.

`Indexer.scan` is cheap and leaves new text searchable by its words; `Indexer.process_dirty` gives it vectors, in batches.
Both may be stopped at any moment: what was committed stays. A damaged index is made again with what can still be read.
"""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from indexer.discover import Discovery
from indexer.models.loading import embedder_of
from indexer.splitter import MarkdownSplitter
from indexer.summaries.sources import asks_model, make_summarizer
from indexer.summaries.upkeep import Batch, SummaryRequest, summarize_index
from indexer.sync.passes import Progress
from indexer.sync.plan import Summarized, TextKey
from indexer.sync.recovery import PreviousIndex, is_sound
from indexer.sync.roots import Roots
from indexer.sync.runs import Job, recorded
from indexer.sync.verify import find_differences
from indexer.sync.writer import PreviousEmbeddings, Writer
from indexer.tokens import TokenCounter
from schema.errors import IndexDamagedError, IndexLockedError, IndexNotFoundError, SectionaryError, SettingsError
from schema.index_files.layout import (
    atomic_rebuild,
    claim,
    is_own,
    manifest_path,
    require_own,
    store_dir,
    summaries_path,
    writer_lock,
)
from schema.index_files.manifest import Manifest
from schema.protocols import Embedder, Summarizer, second_of
from schema.reports import Difference, IndexReport, IndexStatus, VerifyReport
from schema.settings import Settings, load_settings
from schema.status import ROOT_KEY, read_status
from schema.storage.fingerprint import Fingerprint
from schema.storage.table import SectionTable

_log = logging.getLogger(__name__)
#: An index run asks again about a text whose summary failed only after so long (seconds).
_RETRY_AFTER = 6 * 3600.0


class _StoppedError(Exception):
    """A replacement was stopped before it was done: the old index stays."""


class Indexer:
    """Keeps the index in `index_dir` true to the Markdown files of a project.

    Document paths are relative to `root`. Settings come from the project's settings file unless given. `summarizer` takes
    the place of what the settings `summaries` and `summary_language` describe. `wait` is how many seconds to wait for
    another writer (below 0: forever). `should_stop` is asked every few seconds: once it says yes, a run ends and keeps what
    it made. An index that this user neither made nor allowed here is not continued, unless `is_trusted` says that the user
    allows it; it can always be rebuilt.
    """

    def __init__(
        self,
        index_dir: str | os.PathLike[str],
        *,
        root: str | os.PathLike[str] = ".",
        settings: Settings | None = None,
        embedder: Embedder | None = None,
        summarizer: Summarizer | None = None,
        progress: Progress | None = None,
        wait: float = 0.0,
        should_stop: Callable[[], bool] | None = None,
        is_trusted: bool = False,
    ) -> None:
        self._index_dir = Path(index_dir)
        self._is_trusted = is_trusted
        self._root = Path(root).resolve()
        self._settings = settings or load_settings(self._root, environ={})
        self._embedder: Embedder = embedder or embedder_of(self._settings)
        self._summarizer = summarizer
        self._progress = progress or _no_progress
        self._wait = wait
        self._should_stop = should_stop or _never
        self._roots = Roots(self._index_dir, self._root, self._settings, is_trusted=is_trusted)
        self._counter = TokenCounter(self._settings.token_encoding)
        self._splitter = MarkdownSplitter(
            max_tokens_per_section=self._settings.max_tokens_per_section, token_counter=self._counter
        )

    # -- doors ---------------------------------------------------------------------------------------------------------

    def index(self, *paths: str | os.PathLike[str], summary_budget: float | None = None) -> IndexReport:
        """Bring the index up to date with the files under `paths`: scan, embed what is dirty, make missing summaries.

        Summaries come last, only where the settings or `summarizer` ask for them, and none is begun after `summary_budget`
        seconds of making them; what fails there fails nothing else.

        Raises:
            SettingsError: summaries by a language model are asked for, and the settings do not say by which.
            SourceError: a path does not exist or cannot be indexed.
            IndexIncompatibleError: the index was made with another model, encoding or schema version.
            IndexLockedError: another process is writing.
            IndexAccessError: rights or disk space are missing; what was searchable still is.
            IndexUntrustedError: the index is not this user's, or a link is in its folder.
        """
        if not paths:
            raise ValueError("give at least one path to index")
        summarizer = self._given_summarizer()
        found = self._roots.discover(paths)

        def job(writer: Writer) -> IndexReport:
            report = writer.scan(found)
            if not report.stopped:
                report += writer.process_dirty()
            return report

        return self._and_summaries(self._run(job, found, is_named=True), summarizer, summary_budget)

    def scan(self, *paths: str | os.PathLike[str]) -> IndexReport:
        """Write what is new or changed under `paths` as dirty sections, move and remove the rest; embeds nothing.

        Without paths, those that were indexed before are scanned; of one that is gone the documents are removed.
        """
        found = self._roots.discover(paths) if paths else self._known_files()
        return self._run(lambda writer: writer.scan(found), found, is_named=bool(paths))

    def process_dirty(self, limit: int | None = None, time_budget: float | None = None) -> IndexReport:
        """Embed dirty sections, oldest first: at most `limit` of them, and begin no portion after `time_budget` seconds.

        Raises:
            IndexNotFoundError: there is no index yet.
        """
        self._require_index()
        return self._run(lambda writer: writer.process_dirty(limit=limit, time_budget=time_budget), None)

    def summarize(self, *, refresh: bool = False, limit: int | None = None, time_budget: float | None = None) -> IndexReport:
        """Make the summaries that are missing: of `limit` sections at most, none begun after `time_budget` seconds.

        With `refresh`, those made by another version, model or language of the source are made again. Others may write to
        the index meanwhile. Summaries that a language model wrote are kept by their texts, also when the index is rebuilt.

        Raises:
            IndexNotFoundError: there is no index yet.
            SettingsError: the settings ask for no summaries, or do not say by which language model.
            IndexLockedError: another process is making summaries.
        """
        self._require_index()
        summarizer = self._given_summarizer()
        if summarizer is None:
            raise SettingsError("No source of summaries is set; set summaries to extractive or llm, or use --source.")
        return self._summarize(summarizer, SummaryRequest(refresh=refresh, limit=limit, time_budget=time_budget))

    def rebuild(self, *paths: str | os.PathLike[str]) -> IndexReport:
        """Build the index again from `paths` and all paths indexed before; the old one is searched until it is done.

        Every section is embedded again. Files that cannot be read at this moment keep the sections they had. Told to stop
        before the end, it changes nothing.
        """
        summarizer = self._given_summarizer()
        with self._writing(is_rebuild=True):
            is_known = self._is_trusted or is_own(self._index_dir)
            known = PreviousIndex(store_dir(self._index_dir) if is_known else None, self._made())
            given = self._roots.discover(paths)
            found = self._roots.discover([*paths, *self._roots.existing(known.roots)])
            found.warnings.extend(self._roots.left_out(known.roots))
            report = self._replace(found, known)
            if not is_known and not report.stopped:
                summaries_path(self._index_dir).unlink(missing_ok=True)
                claim(self._index_dir)
            self._roots.remember(given)
        return self._and_summaries(report, summarizer)

    def status(self) -> IndexStatus:
        """What the index holds, how true it is and what it takes on the disk.

        Raises:
            IndexNotFoundError: there is no index yet.
        """
        return read_status(self._index_dir)

    def verify(self, *, repair: bool = False) -> VerifyReport:
        """Compare every file, every row and every index with each other; with `repair`, set right what differs.

        Raises:
            IndexNotFoundError: there is no index yet.
        """
        self._require_index()
        if not repair:
            return self._verify(self._known_files())
        with self._writing():
            before = self._verify(self._known_files(), is_alone=True)
            if not before.differences:
                return before
            return self._repair(before)

    def optimize(self) -> tuple[IndexStatus, IndexStatus]:
        """Merge the table's files, refresh its indexes, remove versions older than a second; the status before and after."""
        self._require_index()
        with self._writing(), self._open(store_dir(self._index_dir)) as writer:
            before = self.status()
            writer.table.indexes.mend()
            writer.table.optimize(force=True)
        return before, self.status()

    # -- runs ----------------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _writing(self, *, is_rebuild: bool = False, wait: float | None = None) -> Iterator[None]:
        is_checked = not (is_rebuild or self._is_trusted)
        wait = self._wait if wait is None else wait
        with writer_lock(self._index_dir, wait=wait, give_up=self._should_stop, is_checked=is_checked):
            yield

    def _run(self, job: Job, found: Discovery | None, *, is_named: bool = False) -> IndexReport:
        """Do a job as the only writer; on a damaged index, after it was made again. `is_named`: by the user."""
        with self._writing():
            if found is not None and is_named:
                self._roots.remember(found)
            try:
                with self._open(self._store()) as writer:
                    healed = writer.table.indexes.mend()
                    report = recorded(job, writer)
            except IndexDamagedError as error:
                if is_sound(store_dir(self._index_dir)):
                    raise
                return self._recover(error, found)
        report.warnings.extend(f"the index of {column} was damaged and was made again" for column in healed)
        return report

    def _recover(self, error: IndexDamagedError, found: Discovery | None) -> IndexReport:
        """Make a damaged index again from the files, with every vector that can still be read."""
        _log.warning("%s", error)
        earlier = PreviousIndex(store_dir(self._index_dir), self._made())
        walked = (found or self._known_files()).roots
        everything = self._roots.discover(self._roots.existing([*walked, *earlier.roots]))
        everything.warnings.extend(self._roots.left_out([*walked, *earlier.roots]))
        report = self._replace(everything, earlier, earlier.embeddings)
        report.warnings.insert(0, f"the index was damaged and was made again from the files ({error.__cause__ or error})")
        return report

    def _replace(self, found: Discovery, known: PreviousIndex, embeddings: PreviousEmbeddings | None = None) -> IndexReport:
        def job(writer: Writer) -> IndexReport:
            report = writer.scan(found)
            writer.copy_documents(known.documents(sorted({failure.path for failure in report.failed})))
            if not report.stopped:
                report += writer.process_dirty()
            return report

        with contextlib.suppress(_StoppedError), atomic_rebuild(self._index_dir) as fresh:
            with self._open(fresh, embeddings, known.summaries()) as writer:
                report = recorded(job, writer)
            if report.stopped:
                raise _StoppedError
        return report

    def _repair(self, before: VerifyReport) -> VerifyReport:
        """Correct what differs in the index; if that is not enough, make it again, in the last resort with no old vector."""
        place = store_dir(self._index_dir)
        unreadable = [difference.detail for difference in before.differences if difference.kind == "unreadable"]
        reason = IndexDamagedError(next(iter(unreadable), "its vectors or indexes"), index_dir=self._index_dir)
        ways: list[Callable[[], IndexReport]] = [
            lambda: self._mend(before.differences),
            lambda: self._recover(reason, None),
            lambda: self._replace(self._known_files(), PreviousIndex(place, self._made())),
        ]
        for way in ways[1:] if unreadable else ways:
            try:
                report = way()
                after = self._verify(self._known_files(), is_alone=True)
            except IndexDamagedError:
                if way is ways[-1]:
                    raise
                continue
            if not any(each.kind == "unreadable" or each in before.differences for each in after.differences):
                break  # what differs now has changed since
        return replace(after, repaired=before.differences, failed=tuple({*after.failed, *report.failed}))

    def _mend(self, differences: Sequence[Difference]) -> IndexReport:
        """Make the indexes and the documents again that differ."""
        with self._open(store_dir(self._index_dir)) as writer:
            for column in {difference.detail.split(" ", 1)[0] for difference in differences if difference.kind == "index"}:
                writer.table.indexes.make(column)
            if any(difference.kind == "statistics" for difference in differences):
                writer.table.upkeep.recount()
            wrong = {difference.path for difference in differences if difference.path}
            unsound = {link.id for links in writer.table.links(sorted(wrong)).values() for link in links}

            def job(writer: Writer) -> IndexReport:
                report = writer.scan(self._known_files(), distrusted=wrong, unsound=unsound)
                report += writer.process_dirty()
                return report

            return recorded(job, writer)

    def _verify(self, found: Discovery, *, is_alone: bool = False) -> VerifyReport:
        return find_differences(store_dir(self._index_dir), found, self._splitter, is_alone=is_alone)

    # -- summaries -----------------------------------------------------------------------------------------------------

    def _given_summarizer(self) -> Summarizer | None:
        return self._summarizer or make_summarizer(self._settings, self._counter)

    def _and_summaries(self, report: IndexReport, summarizer: Summarizer | None, budget: float | None = None) -> IndexReport:
        """The report of a run with that of the summaries made after it, whose failures fail nothing else."""
        if summarizer is not None and not report.stopped:
            try:
                made = self._summarize(summarizer, SummaryRequest(time_budget=budget, retry_after=_RETRY_AFTER))
            except IndexLockedError:
                report.warnings.insert(0, "another process is making summaries at this moment; this run made none")
            except SectionaryError as error:
                report.warnings.insert(0, f"no summaries were made: {error}")
            else:
                report.warnings[:0], made.warnings = made.warnings, []
                report += made
        return report

    def _summarize(self, summarizer: Summarizer, request: SummaryRequest) -> IndexReport:
        # before anything is paid for
        if not self._is_trusted:
            require_own(self._index_dir)
        SectionTable.open(store_dir(self._index_dir), expected=self._expected())
        is_costly = self._summarizer is not None or asks_model(self._settings)
        return summarize_index(
            self._index_dir,
            summarizer,
            is_costly=is_costly,
            concurrency=self._settings.llm_concurrency if is_costly else 1,
            commit=self._write_summaries,
            wait=self._wait,
            should_stop=self._should_stop,
            progress=self._progress,
            request=request,
        )

    def _write_summaries(self, batch: Batch) -> None:
        """Commit as soon as no other process writes: what was made must not be lost to somebody's long run."""
        with self._writing(wait=-1), self._open(store_dir(self._index_dir)) as writer:
            writer.write_summaries(batch)
            writer.optimize_if_changed()

    # -- inside --------------------------------------------------------------------------------------------------------

    def _known_files(self) -> Discovery:
        self._require_index()
        return self._roots.discover_known()

    def _require_index(self) -> None:
        if not SectionTable.exists(store_dir(self._index_dir)):
            raise IndexNotFoundError(
                f"There is no index in {self._index_dir}; make one with `index FOLDER`.", index_dir=self._index_dir
            )

    def _store(self) -> Path:
        """The store, made if there is none: whole or not at all, so that no reader meets half a store."""
        place = store_dir(self._index_dir)
        if not SectionTable.exists(place):
            with atomic_rebuild(self._index_dir) as fresh:
                SectionTable.create(fresh, self._made())
        return store_dir(self._index_dir)

    def _expected(self) -> dict[str, str]:
        return {"model": self._embedder.name, "token_encoding": self._settings.token_encoding}

    def _made(self) -> Fingerprint:
        second = second_of(self._embedder)
        return Fingerprint(
            model=self._embedder.name,
            dimension=self._embedder.dimension,
            second_dimension=second.dimension if second else 0,
            token_encoding=self._settings.token_encoding,
        )

    def _open(
        self,
        place: Path,
        earlier: PreviousEmbeddings | None = None,
        summaries: Mapping[TextKey, Summarized] | None = None,
    ) -> Writer:
        if SectionTable.exists(place):
            table = SectionTable.open(place, expected=self._expected())
        else:
            table = SectionTable.create(place, self._made())
        manifest = Manifest(manifest_path(place), store_id=table.store_id)
        root = os.path.relpath(self._root, self._index_dir.resolve())
        if manifest.get_metadata(ROOT_KEY) != root:
            manifest.set_metadata(ROOT_KEY, root)
        return Writer(
            table,
            manifest,
            splitter=self._splitter,
            embedder=self._embedder,
            progress=self._progress,
            should_stop=self._should_stop,
            earlier=earlier,
            summaries=summaries,
        )


def _no_progress(_phase: str, _done: int, _total: int) -> None:
    """What is called where nobody watches."""


def _never() -> bool:
    return False
