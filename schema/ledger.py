"""The ledger of indexed files: what each file looked like when it was last read, so that unchanged files are not read.

It is a cache beside the table and always behind it: sections are committed first. A lost or damaged ledger costs one
full reading of the files and nothing else; one that belongs to another table is emptied.
"""

from __future__ import annotations

import contextlib
import json
import logging
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from schema.errors import IndexDamagedError
from schema.results import Failure

_log = logging.getLogger(__name__)

#: Raised when the tables below change; a ledger of another version is emptied.
_VERSION = "1"
_TABLES = """
create table if not exists facts (name text primary key, value text not null);
create table if not exists files (
    path text primary key, size integer not null, mtime_ns integer not null, hash text not null,
    title text not null, front_matter text not null, warnings text not null);
create table if not exists failures (path text primary key, reason text not null);
"""


@dataclass(frozen=True, slots=True)
class FileRecord:
    """A file as it was when last read: `size` in bytes, `mtime_ns` as the file system told it, `hash` of its bytes."""

    path: str
    size: int
    mtime_ns: int
    hash: str
    title: str = ""
    front_matter: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


class Ledger:
    """The ledger in the SQLite file `path`, bound to the table named `store_id`."""

    def __init__(self, path: Path, *, store_id: str) -> None:
        self._path = path
        try:
            self._connection = self._open(store_id)
        except sqlite3.OperationalError as error:
            index_dir = path.parent.parent
            raise IndexDamagedError(
                f"The index in {index_dir} cannot be written ({error}); check its folder's rights and the disk's space.",
                index_dir=index_dir,
            ) from error
        except sqlite3.DatabaseError as error:
            _log.warning("the ledger %s is damaged (%s) and is made anew; all files are read again", path, error)
            path.unlink(missing_ok=True)
            self._connection = self._open(store_id)

    def _open(self, store_id: str) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=30, isolation_level=None, check_same_thread=False)
        try:
            connection.executescript(_TABLES)
            # a write that changes nothing: a file that cannot be written is told now, not midway
            connection.execute("insert or replace into facts values ('opened', '')")
            bound = dict(connection.execute("select name, value from facts where name in ('store', 'version')"))
            if bound != {"store": store_id, "version": _VERSION}:
                with _transaction(connection):
                    for table in ("files", "failures", "facts"):
                        connection.execute(f"delete from {table}")
                    connection.executemany("insert into facts values (?, ?)", [("store", store_id), ("version", _VERSION)])
        except BaseException:
            connection.close()
            raise
        return connection

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def files(self) -> dict[str, FileRecord]:
        """Every file the index knows, by path."""
        rows = self._connection.execute("select * from files order by path")
        return {row[0]: _file_record(row) for row in rows}

    def record(self, files: Iterable[FileRecord]) -> None:
        """Note files whose sections are committed; an earlier failure of theirs is forgotten."""
        rows = [
            (f.path, f.size, f.mtime_ns, f.hash, f.title, json.dumps(f.front_matter), json.dumps(f.warnings)) for f in files
        ]
        with _transaction(self._connection):
            self._connection.executemany("insert or replace into files values (?, ?, ?, ?, ?, ?, ?)", rows)
            self._connection.executemany("delete from failures where path = ?", [(row[0],) for row in rows])

    def forget(self, paths: Iterable[str]) -> None:
        """Drop files whose sections were removed, and failures of paths that are gone."""
        rows = [(path,) for path in paths]
        with _transaction(self._connection):
            self._connection.executemany("delete from files where path = ?", rows)
            self._connection.executemany("delete from failures where path = ?", rows)

    def failures(self) -> list[Failure]:
        """Files that could not be read at their last visit, by path."""
        return [Failure(*row) for row in self._connection.execute("select path, reason from failures order by path")]

    def record_failures(self, failures: Iterable[Failure]) -> None:
        """Note files that could not be read; what was indexed of them before stays."""
        with _transaction(self._connection):
            self._connection.executemany(
                "insert or replace into failures values (?, ?)", [(f.path, f.reason) for f in failures]
            )

    def fact(self, name: str) -> str | None:
        """A fact about the index, e.g. where its root is."""
        row = self._connection.execute("select value from facts where name = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    def set_fact(self, name: str, value: str) -> None:
        """Store a fact about the index."""
        self._connection.execute("insert or replace into facts values (?, ?)", (name, value))


def read_ledger(path: Path, documents: Sequence[str]) -> tuple[dict[str, FileRecord], str | None]:
    """The records of these documents and the root fact, read without writing; empty where the ledger cannot be read."""
    try:
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=5)
    except sqlite3.Error:
        return {}, None
    try:
        files = {}
        for document in documents:
            row = connection.execute("select * from files where path = ?", (document,)).fetchone()
            if row is not None:
                files[document] = _file_record(row)
        root = connection.execute("select value from facts where name = 'root'").fetchone()
        return files, None if root is None else str(root[0])
    except (sqlite3.Error, ValueError):
        return {}, None
    finally:
        connection.close()


def _file_record(row: tuple[Any, ...]) -> FileRecord:
    path, size, mtime_ns, digest, title, front_matter, warnings = row
    return FileRecord(path, size, mtime_ns, digest, title, json.loads(front_matter), tuple(json.loads(warnings)))


@contextlib.contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("begin immediate")
    try:
        yield
    except BaseException:
        connection.execute("rollback")
        raise
    connection.execute("commit")
