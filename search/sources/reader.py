"""`IndexReader`: an index folder → its newest version as a source, which follows updates, rebuilds and removed versions."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from schema.errors import IndexDamagedError, IndexNotFoundError
from schema.index_files.layout import TABLE_FOLDER, is_own, store_dir
from schema.storage.table import SectionTable
from search.sources.base import Source
from search.sources.opening import renewed, source_of

#: Waits before a version of the table that went away while it was read is asked for again (seconds).
_PAUSES = (0.0, 0.02, 0.1)
_Answer = TypeVar("_Answer")


class IndexReader:
    """Reads the index in `index_dir`, whose table must have been made as `expected` says; for many threads at once.

    With `once`, for a process that asks once, less is read than what makes many questions fast (`search.sources.opening`).

    `held` is the source of the version that was read last, behind the table's id and version; `is_own` says whether this
    user made the index on this machine.

    Raises:
        IndexNotFoundError, IndexIncompatibleError, IndexDamagedError: the index cannot be read.
    """

    def __init__(self, index_dir: Path, *, expected: Mapping[str, str], once: bool = False) -> None:
        self._index_dir = index_dir
        self._once = once
        self._expected = expected
        self._opened: tuple[tuple[str, int, int], SectionTable] | None = None
        self._reading = threading.RLock()
        self.held: tuple[tuple[str, int], Source] | None = None
        self.is_own = False
        self.table()

    def source(self) -> Source:
        """Return the newest version of the index."""
        return self.read(lambda source: source)

    def read(self, what: Callable[[Source], _Answer]) -> _Answer:
        """Return what is read from the newest version of the index, or from the next one if its files go away meanwhile."""
        for pause in _PAUSES:
            source = None
            try:
                source = self._newest()
                return what(source)
            except (IndexDamagedError, IndexNotFoundError):
                self._forget(source)
                time.sleep(pause)
        return what(self._newest())

    def read_table(self, what: Callable[[SectionTable], _Answer]) -> _Answer:
        """Return what is read from the newest version of the table, as `read` does; no source is made of it."""
        for pause in _PAUSES:
            try:
                return what(self.table().snapshot())
            except (IndexDamagedError, IndexNotFoundError):
                self._forget(None)
                time.sleep(pause)
        return what(self.table().snapshot())

    def _forget(self, source: Source | None) -> None:
        """Forget what is open, unless another thread has read a newer version than the `source` that failed."""
        with self._reading:
            if source is None or self.held is None or self.held[1] is source:
                self._opened = self.held = None

    def table(self) -> SectionTable:
        """Return the open table; it is opened again when a rebuilt index has taken its place."""
        place = store_dir(self._index_dir)
        try:
            status = (place / TABLE_FOLDER).stat()
            identity = (place.name, status.st_ino, status.st_mtime_ns)
        except OSError:
            identity = (place.name, 0, 0)
        with self._reading:
            if self._opened is None or self._opened[0] != identity:
                self.is_own = is_own(self._index_dir)
                self._opened = (identity, SectionTable.open(place, expected=self._expected))
            return self._opened[1]

    def _newest(self) -> Source:
        """Return the source of the newest version: the one that is held, or one made of it if that is possible."""
        with self._reading:
            table = self.table()
            if self.held is None or self.held[0] != (table.store_id, table.version):
                still = table.snapshot()
                held, self.held = self.held, None
                source = (
                    renewed(held[1], still, once=self._once) if held is not None and held[0][0] == still.store_id else None
                )
                del held  # two versions read apart would take twice the memory
                self.held = (
                    (still.store_id, still.version),
                    source_of(still, once=self._once) if source is None else source,
                )
            return self.held[1]
