"""An index that is damaged or differs from its files → one that agrees with them, made again with all that can be read.

A new index is made in a folder beside the old one, which is searched until the new one is done.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Sequence
from pathlib import Path

from indexer.found import Discovery
from indexer.sync.documents import Documents
from indexer.sync.plan import PreviousEmbeddings
from indexer.sync.recovery import PreviousIndex, is_sound
from indexer.sync.roots import Roots
from indexer.sync.runs import done, scan_and_embed
from indexer.sync.store import Store
from indexer.sync.verify import find_differences, repaired
from indexer.sync.writer import Writer
from schema.errors import IndexDamagedError
from schema.index_files.layout import atomic_rebuild
from schema.reports import Difference, IndexReport, VerifyReport

_log = logging.getLogger(__name__)


class _StoppedError(Exception):
    """Raised to keep the old index when the making of a new one was stopped."""


class Mender:
    """Makes the index in `index_dir` again, or parts of it; the caller holds the writer's lock."""

    def __init__(
        self, index_dir: Path, store: Store, roots: Roots, documents: Documents, *, should_stop: Callable[[], bool]
    ) -> None:
        self._index_dir = index_dir
        self._should_stop = should_stop
        self._store = store
        self._roots = roots
        self._documents = documents

    def previous(self, *, is_known: bool = True) -> PreviousIndex:
        """Return what can still be read of the index; nothing of one that is not `is_known`."""
        return PreviousIndex(self._store.folder if is_known else None, self._store.fingerprint)

    def recover(self, error: IndexDamagedError, found: Discovery | None) -> IndexReport:
        """Make a damaged index again from the files, with every vector that can still be read.

        Raises:
            IndexDamagedError: this one, if its table can be read.
        """
        if is_sound(self._store.folder):
            raise error
        return self._again(error, found)

    def replace(self, found: Discovery, known: PreviousIndex, embeddings: PreviousEmbeddings | None = None) -> IndexReport:
        """Make the index again from the files found, with what is `known` of the old one and the `embeddings` given."""

        def job(writer: Writer) -> IndexReport:
            report = writer.scan(found)
            writer.copy_documents(known.documents(known.documents_at(failure.path for failure in report.failed)))
            writer.notes.carry(known.table)
            if not report.stopped:
                report += writer.process_dirty()
            return report

        with contextlib.suppress(_StoppedError), atomic_rebuild(self._index_dir) as new:
            with self._store.open(new, embeddings, known.summaries(), known.times) as writer:
                report = done(job, writer)
            if report.stopped:
                raise _StoppedError
        return report

    def repair(self, before: VerifyReport) -> VerifyReport:
        """Correct what differs in the index; if that is not enough, make it again, first with its vectors, then without."""
        unreadable = [difference.detail for difference in before.differences if difference.kind == "unreadable"]
        reason = IndexDamagedError(next(iter(unreadable), "its vectors or indexes"), index_dir=self._index_dir)
        ways: list[Callable[[], IndexReport]] = [
            lambda: self._mend(before.differences),
            lambda: self._again(reason, None),
            lambda: self.replace(self._found(), self.previous()),
        ][bool(unreadable) :]
        return repaired(before, ways, lambda: self.verify(self._found(), is_alone=True))

    def verify(self, found: Discovery, *, is_alone: bool = False) -> VerifyReport:
        """Compare the files found, the rows and the indexes with each other; `is_alone`: no other process writes."""
        return find_differences(self._store.folder, found, self._documents, should_stop=self._should_stop, is_alone=is_alone)

    def _again(self, error: IndexDamagedError, found: Discovery | None) -> IndexReport:
        _log.warning("%s", error)
        earlier = self.previous()
        found = found or self._found()  # which raises where nothing is known any more
        report = self.replace(self._roots.with_known(found.given, self._roots.load()), earlier, earlier.embeddings)
        report.warnings.insert(0, f"the index was damaged and was made again from the files ({error.__cause__ or error})")
        return report

    def _mend(self, differences: Sequence[Difference]) -> IndexReport:
        """Make again the indexes and the documents that differ."""
        with self._store.open() as writer:
            for column in {difference.column for difference in differences if difference.kind == "index"}:
                writer.table.indexes.make(column)
            if any(difference.kind == "statistics" for difference in differences):
                writer.table.upkeep.recount()
            wrong = {difference.path for difference in differences if difference.path}
            unsound = {link.id for links in writer.table.links(sorted(wrong)).values() for link in links}
            return done(lambda writer: scan_and_embed(writer, self._found(), distrusted=wrong, unsound=unsound), writer)

    def _found(self) -> Discovery:
        self._store.require()
        return self._roots.discover_known()
