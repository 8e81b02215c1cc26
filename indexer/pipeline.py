"""Folders of Markdown → an up-to-date index: write what changed, embed what is dirty, make summaries, verify the index.

`Indexer.scan` is cheap and makes new text searchable by its words; `Indexer.process_dirty` gives it vectors, in batches.
Both may be stopped at any moment: what was committed stays. A damaged index is made again with all that can still be read.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec

from indexer.found import Discovery, WalkStoppedError
from indexer.run_arguments import check_bounds, check_parts
from indexer.sync.calling import Calling
from indexer.sync.documents import Documents
from indexer.sync.phases import Progress
from indexer.sync.roots import Roots
from indexer.sync.runs import Job, done, scan_and_embed
from indexer.sync.status import status_of
from indexer.sync.store import Store
from indexer.sync.summarizing import Summaries
from indexer.sync.tools import RunTools
from schema import arguments
from schema.errors import IndexDamagedError, SettingsError
from schema.index_files.layout import claim, forget_converted, is_own, summaries_path
from schema.index_files.roots import FileChoice
from schema.kept import kept_settings
from schema.lifetime import Closable
from schema.protocols import Embedder, Summarizer
from schema.remote.folders import index_place
from schema.reports import IndexReport, IndexStatus, VerifyReport
from schema.settings import Settings, load_settings
from schema.status import read_status

if TYPE_CHECKING:
    from indexer.sync.mending import Mender


_P = ParamSpec("_P")


def _ends_where_stopped(run: Callable[_P, IndexReport]) -> Callable[_P, IndexReport]:
    """Return a run whose report says that it was stopped where it is stopped while it looks for files."""

    @functools.wraps(run)
    def call(*args: _P.args, **given: _P.kwargs) -> IndexReport:
        try:
            return run(*args, **given)
        except WalkStoppedError:
            return IndexReport(stopped=True)

    return call


class Indexer(Closable):
    """Keeps the index in `index_dir` up to date with the Markdown files of a project; `with` closes it in the end.

    `index_dir` is a folder or address as `s3://bucket/prefix`. Document paths are relative to `root`. Settings come from
    the project's settings file unless given. `summarizer` replaces what the settings `summaries` and `summary_language`
    describe. `wait`: seconds for another writer to end (below 0: forever). `should_stop` is called every few seconds; once
    true, the run ends and keeps what it made. An index that this user neither made nor allowed here is not continued,
    unless `is_trusted`; it can always be rebuilt. `files` says which files are documents; it is kept for later runs, and
    what it leaves open is as an earlier run kept it, or as the settings say. Wrong arguments: `ArgumentError`.
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
        files: FileChoice | None = None,
    ) -> None:
        check_parts(
            settings=settings, embedder=embedder, summarizer=summarizer, progress=progress, wait=wait,
            should_stop=should_stop, is_trusted=is_trusted, files=files,
        )  # fmt: skip
        cache_dir = settings.cache_dir if settings is not None else ""
        self._index_dir = index_place(arguments.path("index_dir", index_dir), cache_dir=cache_dir)
        self._is_trusted = is_trusted
        self._root = Path(arguments.path("root", root)).resolve()
        # paths of documents would begin elsewhere; the folder of a new index is made with it
        if not (self._root.is_dir() or Path(index_dir).resolve().is_relative_to(self._root)):
            raise arguments.wrong("root", "a folder that is there", root)
        self._settings = settings or load_settings(self._root, environ={}, kept=kept_settings(self._index_dir))
        tools = RunTools(self._settings, embedder)
        progress = progress or (lambda _phase, _done, _total: None)
        should_stop = self._should_stop = should_stop or (lambda: False)
        self._roots = Roots(
            self._index_dir, self._root, self._settings, is_trusted=is_trusted, files=files, should_stop=should_stop
        )
        self._documents = Documents.of(lambda: tools.splitter, self._index_dir, self._root, self._settings)
        self._store = Store(
            self._index_dir,
            self._root,
            documents=self._documents,
            tools=tools,
            progress=progress,
            wait=wait,
            should_stop=should_stop,
            is_trusted=is_trusted,
            is_single=self._settings.single_writer,
        )
        self._summaries = Summaries(
            self._index_dir, self._store, self._settings, given=summarizer, tools=tools, progress=progress, wait=wait,
            should_stop=should_stop,
        )  # fmt: skip

    # -- what users call -----------------------------------------------------------------------------------------------

    @_ends_where_stopped
    def index(self, *paths: str | os.PathLike[str], summary_budget: float | None = None) -> IndexReport:
        """Bring the index up to date with the files under `paths`: scan, embed what is dirty, make missing summaries.

        Without paths, those that were indexed before are looked at; if one of them is gone, its documents are removed.
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
        check_bounds(time_budget=summary_budget, name="summary_budget")
        return self._index(self._found(paths), summary_budget)

    @_ends_where_stopped
    def add_root(self, path: str | os.PathLike[str], *, name: str = "", description: str | None = None) -> IndexReport:
        """Index a folder or file, which has this name and description in the index from now on.

        The name of a folder outside the project is what the paths of its documents begin with.

        Raises:
            SettingsError: the name cannot be one, or stands for something else; also as `index`.
        """
        arguments.text("description", description or "")
        self._roots.calling = Calling(Path(arguments.path("path", path)), arguments.text("name", name), description)
        try:
            return self._index(self._roots.discover([path]))
        finally:
            self._roots.calling = None

    @_ends_where_stopped
    def remove_root(self, root: str) -> IndexReport:
        """Remove a root, by its name or path, and its documents from the index, except those that a root around it takes.

        Raises:
            SettingsError: there is no such root.
            IndexNotFoundError: there is no index yet.
        """
        self._store.require()
        found = self._roots.without(arguments.text("root", root, "the name or path of a root"))
        return self._run(lambda writer: writer.scan(found), found)

    @property
    def roots(self) -> Roots:
        """The folders and files that the index was made from.

        Raises:
            IndexNotFoundError: there is no index yet.
        """
        self._store.require()
        return self._roots

    @_ends_where_stopped
    def scan(self, *paths: str | os.PathLike[str]) -> IndexReport:
        """Write what is new or changed under `paths` as dirty sections, and remove what is gone; embeds nothing.

        Without paths, those that were indexed before are scanned; if one of them is gone, its documents are removed.
        """
        found = self._found(paths)
        return self._run(lambda writer: writer.scan(found), found)

    def process_dirty(self, limit: int | None = None, time_budget: float | None = None) -> IndexReport:
        """Embed dirty sections, oldest first: at most `limit` of them; no portion is begun after `time_budget` seconds.

        Raises:
            IndexNotFoundError: there is no index yet.
        """
        check_bounds(limit=limit, time_budget=time_budget)
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
        check_bounds(limit=limit, time_budget=time_budget)
        arguments.flag("refresh", refresh)
        from indexer.summaries.upkeep import SummaryRequest

        self._store.require()
        summarizer = self._summaries.source()
        if summarizer is None:
            raise SettingsError("No source of summaries is set; set summaries to extractive or llm, or use --source.")
        return self._summaries.make(summarizer, SummaryRequest(refresh=refresh, limit=limit, time_budget=time_budget))

    @_ends_where_stopped
    def rebuild(self, *paths: str | os.PathLike[str]) -> IndexReport:
        """Build the index again from `paths` and all paths indexed before; searches use the old one until it is done.

        Every section is embedded again. Files that cannot be read now keep the sections they had. If the run is stopped
        before the end, nothing changes.
        """
        summarizer = self._summaries.source()
        with self._store.locked(is_rebuild=True):
            is_known = self._is_trusted or is_own(self._index_dir)
            known = self._mender.previous(is_known=is_known)
            roots = self._roots.load(is_replaced=True) if is_known else self._roots.empty()
            found = self._roots.with_known(paths, roots)
            if not is_known:
                forget_converted(self._index_dir)
            report = self._mender.replace(found, known)
            if not is_known and not report.stopped:
                summaries_path(self._index_dir).unlink(missing_ok=True)
                claim(self._index_dir)
            if not report.stopped:
                self._roots.remember(found)
        return self._summaries.add(report, summarizer)

    def status(self) -> IndexStatus:
        """Return what the index holds, how up to date it is and what it takes on the disk.

        Raises:
            IndexNotFoundError: there is no index yet.
        """
        return status_of(self._index_dir, self._roots)

    def verify(self, *, repair: bool = False) -> VerifyReport:
        """Compare every file, every row and every index with each other; with `repair`, correct what differs.

        If it is stopped, the report says so and has what was found until then; nothing is repaired then.

        Raises:
            IndexNotFoundError: there is no index yet.
        """
        self._store.require()
        try:
            if not arguments.flag("repair", repair):
                return self._mender.verify(self._found())
            with self._store.locked():
                before = self._mender.verify(self._found(), is_alone=True)
                return before if before.stopped or not before.differences else self._mender.repair(before)
        except WalkStoppedError:
            return VerifyReport(documents=0, sections=0, dirty=0, stopped=True)

    def optimize(self) -> tuple[IndexStatus, IndexStatus]:
        """Merge the table's files, refresh its indexes, remove older versions; return the status before and after."""
        self._store.require()
        with self._store.locked(), self._store.open() as writer:
            before = read_status(self._index_dir)
            writer.table.indexes.mend()
            writer.table.optimize(force=True)
        return before, read_status(self._index_dir)

    def _shown(self) -> str:
        return f"Indexer({str(self._index_dir)!r}, root={str(self._root)!r})"

    @functools.cached_property
    def _mender(self) -> Mender:
        from indexer.sync.mending import Mender

        return Mender(self._index_dir, self._store, self._roots, self._documents, should_stop=self._should_stop)

    # -- runs ----------------------------------------------------------------------------------------------------------

    def _index(self, found: Discovery, summary_budget: float | None = None) -> IndexReport:
        summarizer = self._summaries.source()
        with self._store.locked():
            self._roots.keep(found)
            report = self._store.report_if_unchanged(found)
            if report is None:
                report = self._write(lambda writer: scan_and_embed(writer, found), found, is_whole=self._store.is_local)
        return self._summaries.add(report, summarizer, summary_budget)

    def _run(self, job: Job, found: Discovery | None) -> IndexReport:
        """Do a job as the only writer; `found` is what the job reads."""
        with self._store.locked():
            if found is not None:
                self._roots.keep(found)
            return self._write(job, found)

    def _write(self, job: Job, found: Discovery | None, *, is_whole: bool = False) -> IndexReport:
        """Do a job, or make a damaged index again; one that `is_whole` notes where it leaves nothing to do."""
        try:
            self._store.create_if_missing()
            with self._store.open() as writer:
                healed = writer.table.indexes.mend()
                report = done(job, writer)
                is_finished = is_whole and writer.is_finished(report)
            if is_finished and not writer.table.upkeep.is_given_up:
                self._store.note_finished(writer.table.store_id)
        except IndexDamagedError as error:
            return self._mender.recover(error, found)
        report.warnings.extend(f"the index of {column} was damaged and was made again" for column in healed)
        return report

    def _found(self, paths: Sequence[str | os.PathLike[str]] = ()) -> Discovery:
        """Return the files under these paths, or under those that were indexed before."""
        if paths:
            return self._roots.discover(paths)
        self._store.require()
        return self._roots.discover_known()
