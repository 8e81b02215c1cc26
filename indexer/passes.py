"""Sections that await vectors → commits: a first pass that makes everything searchable by meaning, a second for what the
second model knows better.

Both go oldest first, in commits that a stopped run keeps; progress is told several times within each.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from indexer.embedding import commits_of, embed_again, embed_rows, portions_of
from schema.arrow import StoredSection
from schema.protocols import Embedder
from schema.reports import IndexReport
from schema.table import SectionTable

#: Called with the phase ("scan", "embed" or "embed again"), how many files or sections are done, and how many there are.
Progress = Callable[[str, int, int], None]

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
        """The report of a run for which nothing is left."""
        self._progress(FIRST, 0, 0)
        return IndexReport(timings={FIRST: 0.0})

    def first(self, embedder: Embedder, *, limit: int | None, ends: float | None) -> IndexReport:
        """Embed dirty sections: at most `limit`, and begin no commit after the clock says `ends`."""
        made, done = self._run(FIRST, partial(self._embedded, embedder), limit=limit, ends=ends)
        made.sections_embedded = done - made.vectors_reused
        return made

    def second(self, embedder: Embedder, *, limit: int | None, ends: float | None) -> IndexReport:
        """Let the second model read what awaits it."""
        made, done = self._run(SECOND, lambda rows: (embed_again(rows, embedder), 0), limit=limit, ends=ends)
        made.sections_embedded_again = done
        return made

    def _run(
        self,
        phase: str,
        work: Callable[[Sequence[StoredSection]], tuple[list[StoredSection], int]],
        *,
        limit: int | None,
        ends: float | None,
    ) -> tuple[IndexReport, int]:
        """The report, with what was reused, and how many sections were written."""
        started = time.perf_counter()
        report = IndexReport()
        total = self._table.count_dirty(second=phase == SECOND)
        total = total if limit is None else min(total, limit)
        # the order is fixed once: sections that fail to change would come first again and again
        batches = list(commits_of(self._table.dirty(limit=total, second=phase == SECOND))) if total else []
        done = written = 0
        for batch in batches:
            if ends is not None and time.perf_counter() >= ends:
                break
            if self._should_stop():
                report.stopped = True
                break
            clean: list[StoredSection] = []
            for rows in portions_of(self._table.stored_by_id(batch)):
                self._progress(phase, done + len(clean), total)
                fresh, reused = work(rows)
                clean += fresh
                report.vectors_reused += reused
            self._table.update(clean)
            self._wrote(len(clean))
            done += len(batch)
            written += len(clean)
        self._progress(phase, done, total)
        report.timings[phase] = time.perf_counter() - started
        return report, written

    def _embedded(self, embedder: Embedder, dirty: Sequence[StoredSection]) -> tuple[list[StoredSection], int]:
        """The rows with embeddings, and how many of them share one that another of them, or the table, has."""
        known = self._table.embeddings(sorted({row.input_hash for row in dirty}))
        first = {row.input_hash: row for row in reversed(dirty) if row.input_hash not in known}
        fresh = {row.input_hash: row.embedding for row in embed_rows(list(first.values()), embedder)}
        if fresh:  # a server may have another model by now under the same name
            self._table.require_dimension(embedder.dimension)
        made = {**known, **{key: embedding for key, embedding in fresh.items() if embedding is not None}}
        rows = [replace(row, section=replace(row.section, is_dirty=False), embedding=made[row.input_hash]) for row in dirty]
        return rows, len(dirty) - len(first)
