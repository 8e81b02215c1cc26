"""Sections that wait for vectors → commits: one pass by the first model over all of them, one by the second model.

Both begin with the oldest sections. A run that is stopped keeps its commits. Progress is reported several times for each.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from indexer.sync.embedding import commits_of, portions_of, with_second
from indexer.sync.jobs import EmbedAgain, EmbedRows
from indexer.sync.phases import FIRST, SECOND, Progress
from indexer.workers.base import Workers
from schema.protocols import Embedder, Vectors
from schema.reports import IndexReport
from schema.storage.read_sections import ReadSections
from schema.storage.rows import DirtySection, Embedding, StoredSection
from schema.storage.table import SectionTable

#: Vectors are committed after the portion that reaches this time, so that a run that is killed loses little (seconds).
COMMIT_SECONDS = 10.0


class Passes:
    """The passes over one table; `wrote` is called after each commit with the number of its rows."""

    def __init__(
        self,
        table: SectionTable,
        workers: Workers,
        *,
        progress: Progress,
        should_stop: Callable[[], bool],
        wrote: Callable[[int], None],
    ) -> None:
        self._table = table
        self._workers = workers
        self._progress = progress
        self._should_stop = should_stop
        self._wrote = wrote

    def nothing(self) -> IndexReport:
        """Return the report of a run that has nothing to do."""
        self._progress(FIRST, 0, 0)
        return IndexReport(timings={FIRST: 0.0})

    def first(self, embedder: Embedder, *, limit: int | None, ends: float | None) -> IndexReport:
        """Embed at most `limit` dirty sections; no portion is begun after `ends`, a time of `time.perf_counter`."""
        made, done = self._run(FIRST, partial(_First, self._table, embedder), limit=limit, ends=ends)
        made.sections_embedded = done - made.vectors_reused
        return made

    def second(self, embedder: Embedder, *, limit: int | None, ends: float | None) -> IndexReport:
        """Embed the sections that wait for the second model, with the same limits."""
        made, done = self._run(SECOND, lambda _waiting: _Second(embedder), limit=limit, ends=ends)
        made.sections_embedded_again = done
        return made

    def _run(
        self,
        phase: str,
        work_on: Callable[[Sequence[DirtySection]], _First | _Second],
        *,
        limit: int | None,
        ends: float | None,
    ) -> tuple[IndexReport, int]:
        """Return the report, with the number of reused vectors, and how many sections were written; `work_on` gives the work
        for the sections that wait."""
        started = time.perf_counter()
        report = IndexReport()
        total = self._table.count_dirty(second=phase == SECOND)
        total = total if limit is None else min(total, limit)
        # listed only once: a section that stays dirty would come first each time
        waiting = self._table.dirty(limit=total, second=phase == SECOND) if total else []
        work = work_on(waiting)
        batches = list(commits_of(waiting))
        done = written = 0

        def should_stop() -> bool:
            report.stopped = report.stopped or self._should_stop()
            return report.stopped

        def portions() -> Iterator[tuple[_Portion, EmbedRows | EmbedAgain]]:
            for batch in batches:
                read = self._table.read(batch)
                known = work.known(read.rows)
                left = len(read.rows)
                for rows in portions_of(read.rows):
                    if should_stop() or (ends is not None and time.perf_counter() >= ends):
                        return
                    self._progress(phase, done, total)
                    left -= len(rows)
                    yield _Portion(rows, read, known, is_last=not left), work.job(rows, known)

        clean: list[StoredSection] = []
        since = started
        for portion, result in self._workers.map(portions(), should_stop, is_timed=ends is not None):
            fresh, reused = work.finished(portion, result)
            clean += fresh
            report.vectors_reused += reused
            done += len(portion.rows)
            if portion.is_last or time.perf_counter() - since >= COMMIT_SECONDS:
                written += self._write(portion, clean)
                clean, since = [], time.perf_counter()
        if clean:
            written += self._write(portion, clean)
        self._progress(phase, done, total)
        report.timings[phase] = time.perf_counter() - started
        return report, written

    def _write(self, portion: _Portion, rows: Sequence[StoredSection]) -> int:
        """Commit these rows, which were read with those of a portion, and return their number."""
        if rows:
            self._table.embed(portion.read, rows)
            self._wrote(len(rows))
        return len(rows)


@dataclass(frozen=True, slots=True)
class _Portion:
    """Rows that are embedded together, those that were `read` with them, the table's embeddings by input hash, and whether
    their commit ends with them."""

    rows: Sequence[StoredSection]
    read: ReadSections
    known: Mapping[str, Embedding]
    is_last: bool


class _First:
    """What the pass of the first model asks for, and what it makes of the answers."""

    def __init__(self, table: SectionTable, embedder: Embedder, waiting: Sequence[DirtySection]) -> None:
        self._table = table
        self._embedder = embedder
        #: Which of the texts that wait have vectors in the table.
        self._embedded = self._table.embedded_among({section.input_hash for section in waiting})

    def known(self, stored: Sequence[StoredSection]) -> Mapping[str, Embedding]:
        """Return the table's embeddings of the texts of the rows of a commit, whose order is that of `commits_of`."""
        hashes = {row.input_hash for row in stored}
        found = self._table.embeddings(sorted(hashes & self._embedded))
        if stored:  # only the last text of a commit can have rows in the next one
            self._embedded.add(stored[-1].input_hash)
        return found

    def job(self, rows: Sequence[StoredSection], known: Mapping[str, Embedding]) -> EmbedRows:
        """Return the job for the rows whose text is not known, one for each text."""
        return EmbedRows.of(list(_first_of_each(rows, known).values()), self._embedder)

    def finished(self, portion: _Portion, made: Sequence[Embedding]) -> tuple[list[StoredSection], int]:
        """Return the rows with embeddings, and how many got theirs from another row or from the table.

        Raises:
            IndexIncompatibleError: the model makes vectors of another length than the table has.
        """
        first = _first_of_each(portion.rows, portion.known)
        if first:  # a server may have another model by now under the same name
            self._table.require_dimension(self._embedder.dimension)
        found = {**portion.known, **dict(zip(first, made, strict=True))}
        rows = [
            replace(row, section=replace(row.section, is_dirty=False), embedding=found[row.input_hash])
            for row in portion.rows
        ]
        return rows, len(portion.rows) - len(first)


class _Second:
    """The same for the pass of the second model, which reads again what the first has embedded."""

    def __init__(self, second: Embedder) -> None:
        self._second = second

    def known(self, _stored: Sequence[StoredSection]) -> Mapping[str, Embedding]:
        """Return nothing: all of these rows are read."""
        return {}

    def job(self, rows: Sequence[StoredSection], _known: Mapping[str, Embedding]) -> EmbedAgain:
        """Return the job for all rows."""
        return EmbedAgain.of(rows, self._second)

    def finished(self, portion: _Portion, made: Sequence[Vectors]) -> tuple[list[StoredSection], int]:
        """Return the rows with the second model's vectors, and that none was reused."""
        rows = [row for row in portion.rows if row.embedding is not None]
        return [with_second(row, vectors) for row, vectors in zip(rows, made, strict=True)], 0


def _first_of_each(rows: Sequence[StoredSection], known: Mapping[str, Embedding]) -> dict[str, StoredSection]:
    """Return the first row of each text that is not known, by its hash, as the job gets them."""
    return {row.input_hash: row for row in reversed(rows) if row.input_hash not in known}
