"""The index of a project on the disk, as its settings and its embedder write it: locked, created and opened for writing."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.found import Discovery
from indexer.sync.documents import Documents
from indexer.sync.phases import FIRST, SCAN, Progress
from indexer.sync.tools import RunTools
from indexer.sync.unchanged import note_finished, report_if_unchanged
from schema.index_files.layout import (
    atomic_rebuild,
    has_table,
    manifest_path,
    require_own,
    store_dir,
    without_index,
    writer_lock,
)
from schema.index_files.manifest import Manifest
from schema.index_files.roots import ROOT_KEY
from schema.protocols import second_of
from schema.remote.folders import note_project, remote_of
from schema.reports import IndexReport
from schema.storage.fingerprint import Fingerprint

if TYPE_CHECKING:
    from indexer.sync.plan import EarlierTimes, PreviousEmbeddings, Summarized, TextKey
    from indexer.sync.writer import Writer


class Store:
    """The index in `index_dir`, whose document paths are relative to `root`.

    `wait` is how many seconds to wait for another writer (below 0: forever). `is_trusted`: an index that another user made
    is continued. `is_single`: no other process ever writes the index.
    """

    def __init__(
        self,
        index_dir: Path,
        root: Path,
        *,
        documents: Documents,
        tools: RunTools,
        progress: Progress,
        wait: float,
        should_stop: Callable[[], bool],
        is_trusted: bool,
        is_single: bool = False,
    ) -> None:
        self._index_dir = index_dir
        self._root = root
        self._documents = documents
        self._tools = tools
        self._progress = progress
        self._wait = wait
        self._should_stop = should_stop
        self._is_trusted = is_trusted
        self._is_single = is_single

    @property
    def folder(self) -> Path:
        """The folder of the table and the manifest."""
        return store_dir(self._index_dir)

    @property
    def fingerprint(self) -> Fingerprint:
        """What the index is made with, if it is made now."""
        embedder = self._tools.embedder
        second = second_of(embedder)
        return Fingerprint(
            model=embedder.name,
            dimension=embedder.dimension,
            second_dimension=second.dimension if second else 0,
            token_encoding=self._tools.token_encoding,
        )

    @property
    def _relative_root(self) -> str:
        return os.path.relpath(self._root, self._index_dir.resolve())

    @property
    def is_local(self) -> bool:
        """Whether the table is in the index folder, and not in an object store."""
        return remote_of(self._index_dir) is None

    def report_if_unchanged(self, found: Discovery) -> IndexReport | None:
        """Return the report of a run over the files found if it has nothing to do; None if the table has to be opened.

        The caller holds the writer's lock.
        """
        if not self.is_local:
            return None
        report = report_if_unchanged(
            self.folder,
            found,
            self._documents,
            root=self._relative_root,
            made_with=self._tools.made_with,
            should_stop=self._should_stop,
        )
        if report is not None:
            self._progress(SCAN, len(found.files), len(found.files))
            self._progress(FIRST, 0, 0)
        return report

    def note_finished(self, store_id: str) -> None:
        """Note that the last run left nothing to do; the caller holds the writer's lock and has closed the table."""
        note_finished(self.folder, store_id, self._tools.made_with)

    def require(self) -> None:
        """Refuse to go on without an index.

        Raises:
            IndexNotFoundError: there is no index yet.
        """
        if not has_table(self.folder):
            raise without_index(self._index_dir)

    def check(self) -> None:
        """Refuse an index that cannot be continued, before any work is done for it.

        Raises:
            IndexUntrustedError: the index is not this user's.
            IndexIncompatibleError: the index was made with another model, encoding or schema version.
        """
        if not self._is_trusted:
            require_own(self._index_dir)
        from schema.storage.table import SectionTable

        SectionTable.open(self.folder, expected=self._tools.expected)

    @contextmanager
    def locked(self, *, is_rebuild: bool = False, wait: float | None = None) -> Iterator[None]:
        """Hold the writer's lock. An index that is only replaced (`is_rebuild`) may be another user's."""
        is_checked = not (is_rebuild or self._is_trusted)
        wait = self._wait if wait is None else wait
        with writer_lock(
            self._index_dir, wait=wait, give_up=self._should_stop, is_checked=is_checked, is_single=self._is_single
        ):
            yield

    def create_if_missing(self) -> None:
        """Create an empty index if there is none, in one step, so that no reader finds half of one."""
        if not has_table(self.folder):
            from schema.storage.table import SectionTable

            with atomic_rebuild(self._index_dir) as new:
                SectionTable.create(new, self.fingerprint)

    def open(
        self,
        folder: Path | None = None,
        earlier: PreviousEmbeddings | None = None,
        summaries: Mapping[TextKey, Summarized] | None = None,
        times: EarlierTimes | None = None,
    ) -> Writer:
        """Return a writer of the index, or of the one that is made in another folder.

        `earlier`, `summaries` and `times` are what an index that is replaced still holds. The caller holds the writer's
        lock.
        """
        from indexer.sync.writer import Writer
        from schema.storage.table import SectionTable

        folder = folder or self.folder
        if has_table(folder):
            table = SectionTable.open(folder, expected=self._tools.expected, is_alone=True)
        else:
            table = SectionTable.create(folder, self.fingerprint)
        manifest = Manifest(manifest_path(folder), store_id=table.store_id)
        root = "." if note_project(self._index_dir, self._root) else self._relative_root
        if manifest.get_metadata(ROOT_KEY) != root:
            manifest.set_metadata(ROOT_KEY, root)
        return Writer(
            table,
            manifest,
            documents=self._documents,
            embedder=self._tools.embedder,
            workers=self._tools.workers,
            progress=self._progress,
            should_stop=self._should_stop,
            earlier=earlier,
            summaries=summaries,
            times=times,
        )
