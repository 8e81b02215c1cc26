"""`SummaryCache`: summaries of a language model by a hash of what they were made from, so that none is asked for twice.

It lies in the index folder beside the store and survives a rebuild. Losing it only costs requests, so a damaged cache is
replaced by an empty one. A text that needs no summary is kept as None.
"""

from __future__ import annotations

import contextlib
import logging
import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Self

from schema.errors import IndexAccessError
from schema.index_files.sqlite import delete_sqlite, is_denied, open_sqlite

_log = logging.getLogger(__name__)
_TABLES = """
create table if not exists summaries (key text primary key, summary text, used integer not null);
create table if not exists failures (key text primary key, at integer not null);
"""
#: Entries that were not used for so many seconds are deleted, since texts change and their old summaries are useless.
_KEPT = 180 * 24 * 3600


class SummaryCache:
    """The cache in the SQLite file `path`; may be used by several threads."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        try:
            self._connection = open_sqlite(path, _TABLES)
        except sqlite3.Error as error:
            if is_denied(error):
                raise self._denied(error) from error
            _log.warning("the cache of summaries %s is damaged (%s) and is made again", path, error)
            try:
                delete_sqlite(path)
                self._connection = open_sqlite(path, _TABLES)
            except (OSError, sqlite3.Error) as second:
                raise self._denied(second) from second

    def get(self, key: str) -> tuple[bool, str | None]:
        """Return whether the cache has this key, and its summary."""
        with self._guarded():
            row = self._connection.execute("select summary from summaries where key = ?", (key,)).fetchone()
            if row is not None:
                self._connection.execute("update summaries set used = ? where key = ?", (int(time.time()), key))
        if row is None or not isinstance(row[0], str | None):
            return False, None
        return True, row[0]

    def put(self, key: str, summary: str | None) -> None:
        """Keep a summary; it is on the disk when this returns."""
        with self._guarded():
            self._connection.execute("insert or replace into summaries values (?, ?, ?)", (key, summary, int(time.time())))

    def note_failure(self, key: str) -> None:
        """Remember that a text got no summary although its source could be asked."""
        with self._guarded():
            self._connection.execute("insert or replace into failures values (?, ?)", (key, int(time.time())))

    def failures(self) -> dict[str, float]:
        """Return the keys of texts that got no summary, and how many seconds ago that was."""
        with self._guarded():
            rows = self._connection.execute("select key, at from failures")
            return {key: time.time() - at for key, at in rows.fetchall() if isinstance(key, str) and isinstance(at, int)}

    def close(self) -> None:
        """Delete what was not used for half a year, and close the file."""
        with self._lock, contextlib.suppress(sqlite3.Error):
            self._connection.execute("delete from summaries where used < ?", (int(time.time()) - _KEPT,))
            self._connection.execute("delete from failures where at < ?", (int(time.time()) - _KEPT,))
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextlib.contextmanager
    def _guarded(self) -> Iterator[None]:
        with self._lock:
            try:
                yield
            except sqlite3.Error as error:
                raise self._denied(error) from error

    def _denied(self, error: Exception) -> IndexAccessError:
        return IndexAccessError(
            f"The cache of summaries {self._path} cannot be used ({error}); check its folder's rights and the disk's space.",
            index_dir=self._path.parent,
        )
