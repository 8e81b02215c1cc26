"""Sections that wait for vectors → commits: one pass by the first model over all of them, one by the second model.

Both begin with the oldest sections. A run that is stopped keeps its commits. Progress is reported several times for each.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from indexer.sync.embedding import commits_of, embed_again, embed_rows, portions_of
from schema.protocols import Embedder
from schema.reports import IndexReport
from schema.storage.rows import Embedding, StoredSection
from schema.storage.table import SectionTable

#: Called with the phase ("scan", "embed" or "embed again"), how many files or sections are done, and how many there are.
Progress = Callable[[str, int, int], None]

#: Rows, and the table's embeddings by input hash → the rows with embeddings, and how many of these were not made now.
_Work = Callable[[Sequence[StoredSection], Mapping[str, Embedding]], tuple[list[StoredSection], int]]

#: Vectors are committed after the portion that reaches this time, so that a run that is killed loses little (seconds).
_COMMIT_SECONDS = 10.0

FIRST, SECOND = "embed", "embed again"


class Passes:
    """The passes over one table; `wrote` is called after each commit with the number of its rows."""

    def __init__(
        self,
        table: SectionTable,
        *,
        progress: Progress,
        should_stop: Callable[[], bool],
        wrote: Callable[[int], None],
    ) -> None:
        self._table = table
        self._progress = progress
        self._should_stop = should_stop
        self._wrote = wrote

    def nothing(self) -> IndexReport:
        """Return the report of a run that has nothing to do."""
        self._progress(FIRST, 0, 0)
        return IndexReport(timings={FIRST: 0.0})

    def first(self, embedder: Embedder, *, limit: int | None, ends: float | None) -> IndexReport:
        """Embed at most `limit` dirty sections; no portion is begun after `ends`, a time of `time.perf_counter`."""
        made, done = self._run(FIRST, partial(self._embedded, embedder), limit=limit, ends=ends)
        made.sections_embedded = done - made.vectors_reused
        return made

    def second(self, embedder: Embedder, *, limit: int | None, ends: float | None) -> IndexReport:
        """Embed the sections that wait for the second model, with the same limits."""
        made, done = self._run(SECOND, lambda rows, _: (embed_again(rows, embedder), 0), limit=limit, ends=ends)
        made.sections_embedded_again = done
        return made

    def _run(
        self,
        phase: str,
        work: _Work,
        *,
        limit: int | None,
        ends: float | None,
    ) -> tuple[IndexReport, int]:
        """Return the report, with the number of reused vectors, and how many sections were written."""
        started = time.perf_counter()
        report = IndexReport()
        total = self._table.count_dirty(second=phase == SECOND)
        total = total if limit is None else min(total, limit)
        # listed only once: a section that stays dirty would come first each time
        batches = list(commits_of(self._table.dirty(limit=total, second=phase == SECOND))) if total else []
        done = written = 0
        is_over = False
        for batch in batches:
            stored = self._table.stored_by_id(batch)
            known = self._table.embeddings(sorted({row.input_hash for row in stored})) if phase == FIRST else {}
            clean: list[StoredSection] = []
            since = time.perf_counter()
            for rows in portions_of(stored):
                report.stopped = self._should_stop()
                is_over = report.stopped or (ends is not None and time.perf_counter() >= ends)
                if is_over:
                    break
                self._progress(phase, done, total)
                fresh, reused = work(rows, known)
                clean += fresh
                report.vectors_reused += reused
                done += len(rows)
                if time.perf_counter() - since >= _COMMIT_SECONDS:
                    written += self._write(clean)
                    clean, since = [], time.perf_counter()
            written += self._write(clean)
            if is_over:
                break
        self._progress(phase, done, total)
        report.timings[phase] = time.perf_counter() - started
        return report, written

    def _write(self, rows: Sequence[StoredSection]) -> int:
        """Commit these rows and return their number."""
        if rows:
            self._table.update(rows, is_reworded=False)
            self._wrote(len(rows))
        return len(rows)

    def _embedded(
        self, embedder: Embedder, dirty: Sequence[StoredSection], known: Mapping[str, Embedding]
    ) -> tuple[list[StoredSection], int]:
        """Return the rows with embeddings, and how many got theirs from another row or from the table."""
        first = {row.input_hash: row for row in reversed(dirty) if row.input_hash not in known}
        fresh = {row.input_hash: row.embedding for row in embed_rows(list(first.values()), embedder)}
        if fresh:  # a server may have another model by now under the same name
            self._table.require_dimension(embedder.dimension)
        made = {**known, **{key: embedding for key, embedding in fresh.items() if embedding is not None}}
        rows = [replace(row, section=replace(row.section, is_dirty=False), embedding=made[row.input_hash]) for row in dirty]
        return rows, len(dirty) - len(first)
