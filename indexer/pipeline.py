"""Folders of Markdown → an up-to-date index: write what changed, embed what is dirty, make summaries, verify the index.

`Indexer.scan` is cheap and makes new text searchable by its words; `Indexer.process_dirty` gives it vectors, in batches.
Both may be stopped at any moment: what was committed stays. A damaged index is made again with all that can still be read.
"""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from indexer.dialects.folders import Dialects
from indexer.discover import Discovery
from indexer.models.loading import embedder_of
from indexer.splitter import MarkdownSplitter
from indexer.summaries.sources import asks_model, make_summarizer
from indexer.summaries.upkeep import Batch, SummaryRequest, summarize_index
from indexer.sync.documents import Documents
from indexer.sync.passes import Progress
from indexer.sync.recovery import PreviousIndex, is_sound
from indexer.sync.roots import Roots
from indexer.sync.runs import Job, recorded
from indexer.sync.store import Store
from indexer.sync.verify import find_differences
from indexer.sync.writer import PreviousEmbeddings, Writer
from indexer.tokens import TokenCounter
from schema.errors import IndexDamagedError, IndexLockedError, SectionaryError, SettingsError
from schema.index_files.layout import atomic_rebuild, claim, is_own, summaries_path
from schema.protocols import Embedder, Summarizer
from schema.reports import Difference, IndexReport, IndexStatus, VerifyReport
from schema.settings import Settings, load_settings
from schema.status import read_status

_log = logging.getLogger(__name__)
#: An index run tries a summary that failed again only after this time (seconds).
_RETRY_AFTER = 6 * 3600.0


class _StoppedError(Exception):
    """Raised to keep the old index when the making of a new one was stopped."""


class Indexer:
    """Keeps the index in `index_dir` up to date with the Markdown files of a project.

    Document paths are relative to `root`. Settings come from the project's settings file unless given. `summarizer` is used
    instead of what the settings `summaries` and `summary_language` describe. `wait` is how many seconds to wait for another
    writer (below 0: forever). `should_stop` is called every few seconds: once it returns true, the run ends and keeps what
    it made. An index that this user neither made nor allowed on this machine is not continued, unless `is_trusted` is true;
    it can always be rebuilt.
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
        splitter = MarkdownSplitter(
            max_tokens_per_section=self._settings.max_tokens_per_section, token_counter=self._counter
        )
        self._documents = Documents(splitter, Dialects(self._root, self._settings.dialects))
        self._store = Store(
            self._index_dir,
            self._root,
            token_encoding=self._settings.token_encoding,
            documents=self._documents,
            embedder=self._embedder,
            progress=self._progress,
            wait=wait,
            should_stop=self._should_stop,
            is_trusted=is_trusted,
        )

    # -- what users call -----------------------------------------------------------------------------------------------

    def index(self, *paths: str | os.PathLike[str], summary_budget: float | None = None) -> IndexReport:
        """Bring the index up to date with the files under `paths`: scan, embed what is dirty, make missing summaries.

        Summaries come last, if the settings or `summarizer` ask for them, and none is begun after `summary_budget` seconds
        of making them. A summary that cannot be made is only reported.

        Raises:
            SettingsError: summaries by a language model are asked for, and the settings do not say by which.
            SourceError: a path does not exist or cannot be indexed.
            IndexIncompatibleError: the index was made with another model, encoding or schema version.
            IndexLockedError: another process is writing.
            IndexAccessError: rights or disk space are missing; everything that was searchable still is.
            IndexUntrustedError: the index is not this user's, or there is a link in its folder.
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
        """Write what is new or changed under `paths` as dirty sections, and remove what is gone; embeds nothing.

        Without paths, those that were indexed before are scanned; if one of them is gone, its documents are removed.
        """
        found = self._roots.discover(paths) if paths else self._known_files()
        return self._run(lambda writer: writer.scan(found), found, is_named=bool(paths))

    def process_dirty(self, limit: int | None = None, time_budget: float | None = None) -> IndexReport:
        """Embed dirty sections, oldest first: at most `limit` of them; no portion is begun after `time_budget` seconds.

        Raises:
            IndexNotFoundError: there is no index yet.
        """
        self._store.require()
        return self._run(lambda writer: writer.process_dirty(limit=limit, time_budget=time_budget), None)

    def summarize(self, *, refresh: bool = False, limit: int | None = None, time_budget: float | None = None) -> IndexReport:
        """Make the summaries that are missing, of at most `limit` sections; none is begun after `time_budget` seconds.

        With `refresh`, summaries by another version, model or language of the source are made again. Other processes may
        write to the index meanwhile. Summaries by a language model are stored with their texts and survive a rebuild.

        Raises:
            IndexNotFoundError: there is no index yet.
            SettingsError: the settings ask for no summaries, or do not say by which language model.
            IndexLockedError: another process is making summaries.
        """
        self._store.require()
        summarizer = self._given_summarizer()
        if summarizer is None:
            raise SettingsError("No source of summaries is set; set summaries to extractive or llm, or use --source.")
        return self._summarize(summarizer, SummaryRequest(refresh=refresh, limit=limit, time_budget=time_budget))

    def rebuild(self, *paths: str | os.PathLike[str]) -> IndexReport:
        """Build the index again from `paths` and all paths indexed before; searches use the old one until it is done.

        Every section is embedded again. Files that cannot be read now keep the sections they had. If the run is stopped
        before the end, nothing changes.
        """
        summarizer = self._given_summarizer()
        with self._store.locked(is_rebuild=True):
            is_known = self._is_trusted or is_own(self._index_dir)
            known = PreviousIndex(self._store.folder if is_known else None, self._store.fingerprint)
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
        """Return what the index holds, how up to date it is and what it takes on the disk.

        Raises:
            IndexNotFoundError: there is no index yet.
        """
        return read_status(self._index_dir)

    def verify(self, *, repair: bool = False) -> VerifyReport:
        """Compare every file, every row and every index with each other; with `repair`, correct what differs.

        Raises:
            IndexNotFoundError: there is no index yet.
        """
        self._store.require()
        if not repair:
            return self._verify(self._known_files())
        with self._store.locked():
            before = self._verify(self._known_files(), is_alone=True)
            if not before.differences:
                return before
            return self._repair(before)

    def optimize(self) -> tuple[IndexStatus, IndexStatus]:
        """Merge the table's files, refresh its indexes, remove older versions; return the status before and after."""
        self._store.require()
        with self._store.locked(), self._store.open() as writer:
            before = self.status()
            writer.table.indexes.mend()
            writer.table.optimize(force=True)
        return before, self.status()

    # -- runs ----------------------------------------------------------------------------------------------------------

    def _run(self, job: Job, found: Discovery | None, *, is_named: bool = False) -> IndexReport:
        """Do a job as the only writer, or make a damaged index again. `is_named`: the user gave the paths of `found`."""
        with self._store.locked():
            if found is not None and is_named:
                self._roots.remember(found)
            try:
                self._store.create_if_missing()
                with self._store.open() as writer:
                    healed = writer.table.indexes.mend()
                    report = recorded(job, writer)
            except IndexDamagedError as error:
                if is_sound(self._store.folder):
                    raise
                return self._recover(error, found)
        report.warnings.extend(f"the index of {column} was damaged and was made again" for column in healed)
        return report

    def _recover(self, error: IndexDamagedError, found: Discovery | None) -> IndexReport:
        """Make a damaged index again from the files, with every vector that can still be read."""
        _log.warning("%s", error)
        earlier = PreviousIndex(self._store.folder, self._store.fingerprint)
        walked = (found or self._known_files()).roots
        everything = self._roots.discover(self._roots.existing([*walked, *earlier.roots]))
        everything.warnings.extend(self._roots.left_out([*walked, *earlier.roots]))
        report = self._replace(everything, earlier, earlier.embeddings)
        report.warnings.insert(0, f"the index was damaged and was made again from the files ({error.__cause__ or error})")
        return report

    def _replace(self, found: Discovery, known: PreviousIndex, embeddings: PreviousEmbeddings | None = None) -> IndexReport:
        """Make the index again from the files found, with what is `known` of the old one and the `embeddings` given."""

        def job(writer: Writer) -> IndexReport:
            report = writer.scan(found)
            writer.copy_documents(known.documents(sorted({failure.path for failure in report.failed})))
            if not report.stopped:
                report += writer.process_dirty()
            return report

        with contextlib.suppress(_StoppedError), atomic_rebuild(self._index_dir) as new:
            with self._store.open(new, embeddings, known.summaries()) as writer:
                report = recorded(job, writer)
            if report.stopped:
                raise _StoppedError
        return report

    def _repair(self, before: VerifyReport) -> VerifyReport:
        """Correct what differs in the index; if that is not enough, make it again, first with its vectors, then without."""
        unreadable = [difference.detail for difference in before.differences if difference.kind == "unreadable"]
        reason = IndexDamagedError(next(iter(unreadable), "its vectors or indexes"), index_dir=self._index_dir)
        ways: list[Callable[[], IndexReport]] = [
            lambda: self._mend(before.differences),
            lambda: self._recover(reason, None),
            lambda: self._replace(self._known_files(), PreviousIndex(self._store.folder, self._store.fingerprint)),
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
        """Make again the indexes and the documents that differ."""
        with self._store.open() as writer:
            for column in {difference.column for difference in differences if difference.kind == "index"}:
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

    def _known_files(self) -> Discovery:
        self._store.require()
        return self._roots.discover_known()

    def _verify(self, found: Discovery, *, is_alone: bool = False) -> VerifyReport:
        return find_differences(self._store.folder, found, self._documents, is_alone=is_alone)

    # -- summaries -----------------------------------------------------------------------------------------------------

    def _given_summarizer(self) -> Summarizer | None:
        return self._summarizer or make_summarizer(self._settings, self._counter)

    def _and_summaries(self, report: IndexReport, summarizer: Summarizer | None, budget: float | None = None) -> IndexReport:
        """Make summaries after a run, and return its report with theirs; what fails here is only a warning."""
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
        self._store.check()  # before anything is paid for
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
        """Commit summaries as soon as no other process writes; wait without a limit, since they may have cost money."""
        with self._store.locked(wait=-1), self._store.open() as writer:
            writer.write_summaries(batch)
            writer.optimize_if_changed()


def _no_progress(_phase: str, _done: int, _total: int) -> None:
    """Report progress to nobody."""


def _never() -> bool:
    return False
