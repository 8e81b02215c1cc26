"""Commits of the sections table → its statistics, updated after each commit, or counted again if a commit was missed.

Statistics are written after the table's own commit, with the version of the table that they count, so a writer that is
killed in between leaves statistics that lag. In an index of at most 10,000 sections every change is written at once; in a
larger one changes are gathered until a twentieth of the sections beyond these (at most 20,000) has changed, or the writer is
done.

When a writer begins, all sections are counted again, in one pass over the column `terms` in bounded memory, if

* there are no statistics that can be used, or
* they are of another version, and the table has at most 20,000 sections (this takes a second or two), or
* they are of another version, and the number of sections differs by more than 1 % and more than 10.

A smaller difference is left: it hardly changes a ranking, and `index verify` reports it. An error here is logged and fails
no run, since the table is complete without statistics; the next writer tries again.
"""

from __future__ import annotations

import contextlib
import logging
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from schema.errors import IndexAccessError, IndexStoreError
from schema.index_files.layout import statistics_path
from schema.index_files.sqlite import is_denied
from schema.index_files.statistics import Statistics, open_statistics
from schema.index_files.term_counts import Change
from schema.storage import lance
from schema.storage.library_errors import translate_storage_errors
from schema.text.characters import one_line

_log = logging.getLogger(__name__)

#: Sections up to which every change is written at once, and beyond which the share below is gathered.
WRITTEN_AT_ONCE = 10_000
_GATHERED_SHARE, MAX_GATHERED = 0.05, 20_000
#: Sections that are counted again for any commit that was missed, and by how far others may be off.
QUICKLY_COUNTED = 20_000
_DRIFT_SHARE, _DRIFT = 0.01, 10
_SCAN_ROWS = 1000
#: Errors of the statistics' file, of its folder, and of the table where it is read for them.
_FAULTS = (OSError, sqlite3.Error, IndexStoreError)


class StatisticsUpkeep:
    """Keeps the statistics in `store_dir` true to the LanceDB table `table`; opens nothing before the first commit."""

    def __init__(self, store_dir: Path, table: Any, store_id: str) -> None:
        self._dir = store_dir
        self._path = statistics_path(store_dir)
        self._table = table
        self._store_id = store_id
        self._statistics: Statistics | None = None
        self._change = Change()
        self._true_to = -1  # the version of the table that the statistics and the change together are of
        self._is_given_up = False

    @contextlib.contextmanager
    def adding(self) -> Iterator[Change | None]:
        """Wrap a commit of new sections, whose `terms` the caller adds to the change that is yielded, if any."""
        if not self._is_open():
            yield None
            return
        change = Change()
        with self._commit():
            yield change
            self._change.include(change)

    @contextlib.contextmanager
    def replacing(
        self, old: Sequence[lance.Expr], fresh: pa.Table | None = None, *, is_update: bool = False
    ) -> Iterator[None]:
        """Wrap a commit that replaces the sections that meet a condition by the `fresh` ones.

        With `is_update`, only those of the fresh sections count whose ids are in the table.
        """
        removed: list[tuple[str, str | None]] = []
        if self._is_open():
            try:
                removed = [row for condition in old for row in self._terms(condition)]
            except _FAULTS as error:
                self._give_up(error)
        if self._statistics is None:
            yield
            return
        with self._commit():
            yield
            added = {} if fresh is None else dict(zip(fresh["id"].to_pylist(), fresh["terms"].to_pylist(), strict=True))
            new = [added[id_] for id_, _ in removed if id_ in added] if is_update else list(added.values())
            self._change.replace([terms for _, terms in removed], new)

    def recount(self) -> None:
        """Count all sections again.

        Raises:
            IndexAccessError: the statistics cannot be written.
            IndexDamagedError: the table cannot be read.
        """
        try:
            self._recount()
        except (OSError, sqlite3.Error) as error:
            index_dir = self._dir.parent
            raise IndexAccessError(
                f"The statistics of the index in {index_dir} cannot be written ({error}); check its folder's rights and the "
                "disk's space.",
                index_dir=index_dir,
            ) from error

    @property
    def is_given_up(self) -> bool:
        """Whether the statistics could not be written, so that the next writer has to."""
        return self._is_given_up

    def finish(self, *, is_failed: bool = False) -> None:
        """Write the gathered changes and, unless `is_failed`, those that an earlier writer missed."""
        try:
            if self._statistics is not None:
                self._write(self._true_to if is_failed else self._version())
            elif not is_failed and not self._is_current() and self._is_open():
                self._write(self._version())
        except _FAULTS as error:
            self._give_up(error)
        self._close()

    # -- inside --------------------------------------------------------------------------------------------------------

    def _recount(self) -> None:
        self._close()
        version = self._version()
        terms = (terms for _, terms in self._terms(None))
        self._statistics = Statistics.recount(self._path, terms, store_id=self._store_id, table_version=version)
        self._true_to = version

    def _is_open(self) -> bool:
        """Open the statistics at the first commit, counting again if needed; return whether they can be written."""
        if self._statistics is None and not self._is_given_up:
            try:
                self._statistics = self._usable()
                if self._statistics is None or self._lags(self._statistics):
                    self._recount()
                self._true_to = self._version()
            except _FAULTS as error:
                self._give_up(error)
        return self._statistics is not None

    def _usable(self) -> Statistics | None:
        if not self._path.exists():
            return None
        try:
            return Statistics(self._path, store_id=self._store_id)
        except sqlite3.Error as error:
            if is_denied(error):
                raise
            _log.info("the statistics %s cannot be used (%s) and are counted again", one_line(str(self._path)), error)
            return None

    def _lags(self, statistics: Statistics) -> bool:
        if statistics.table_version == self._version():
            return False
        with translate_storage_errors(self._dir):
            rows = int(self._table.count_rows())
        return rows <= QUICKLY_COUNTED or abs(rows - statistics.totals.rows) > max(_DRIFT, _DRIFT_SHARE * rows)

    def _is_current(self) -> bool:
        stored = open_statistics(self._path, store_id=self._store_id)
        if stored is None:
            return False
        stored.close()
        return stored.table_version == self._version()

    @contextlib.contextmanager
    def _commit(self) -> Iterator[None]:
        try:
            yield
        except BaseException:  # it may have landed or not, so the statistics stay those of the version before
            self._write(self._true_to)
            self._close()
            self._is_given_up = True
            raise
        try:
            self._true_to = self._version()
        except IndexStoreError as error:
            self._give_up(error)
        beyond = 0.0 if self._statistics is None else self._statistics.totals.rows - WRITTEN_AT_ONCE
        if self._change.sections >= min(_GATHERED_SHARE * beyond, MAX_GATHERED):
            self._write(self._true_to)

    def _write(self, version: int) -> None:
        if self._statistics is None:
            return
        try:
            if self._change.sections or version != self._statistics.table_version:
                try:
                    self._statistics.apply(self._change, table_version=version)
                except sqlite3.Error as error:
                    if is_denied(error):
                        raise
                    _log.info("the statistics %s are damaged (%s) and are counted again", one_line(str(self._path)), error)
                    self._recount()
            self._change = Change()
        except _FAULTS as error:
            self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        _log.warning("the statistics of the index were not brought up to date (%s)", one_line(str(error)))
        self._is_given_up = True
        self._close()

    def _close(self) -> None:
        if self._statistics is not None:
            self._statistics.close()
            self._statistics = None
        self._change = Change()

    def _version(self) -> int:
        with translate_storage_errors(self._dir):
            return int(self._table.version)

    def _terms(self, condition: lance.Expr | None) -> Iterable[tuple[str, str | None]]:
        """The ids and terms of the sections that meet a condition, or of all, in no order."""
        with translate_storage_errors(self._dir):
            query = self._table.search() if condition is None else self._table.search().where(condition)
            for batch in query.select(["id", "terms"]).limit(lance.EVERYTHING).to_batches(_SCAN_ROWS):
                yield from zip(batch["id"].to_pylist(), batch["terms"].to_pylist(), strict=True)
