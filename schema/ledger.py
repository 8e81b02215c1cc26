"""The ledger of indexed files: what each file looked like when it was last read, so that unchanged files are not read.

It is a cache beside the table and always behind it: sections are committed first. A lost or damaged ledger costs one
full reading of the files and nothing else; one that belongs to another table is emptied.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import sqlite3
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from schema.errors import IndexAccessError
from schema.reports import Failure

_log = logging.getLogger(__name__)

#: Raised when the tables below change; a ledger of another version is emptied.
_VERSION = "2"
_TABLES = """
create table if not exists facts (name text primary key, value text not null);
create table if not exists files (
    path text primary key, size integer not null, mtime_ns integer not null, ctime_ns integer not null,
    hash text not null,
    title text not null, front_matter text not null, warnings text not null);
create table if not exists failures (path text primary key, reason text not null);
"""


@dataclass(frozen=True, slots=True)
class FileRecord:
    """A file as it was when last read: `size` in bytes, times as the file system told them, `hash` of its bytes.

    `mtime_ns` is -1 where the file was too fresh to tell a later change by its time: then only its bytes can tell.
    """

    path: str
    size: int
    mtime_ns: int
    ctime_ns: int
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
            raise _denied(path, error) from error
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
                # what was indexed stays known: it says what an index run without paths looks at
                kept = connection.execute("select name, value from facts where name = 'scopes'").fetchall()
                with _transaction(connection):
                    for table in ("files", "failures", "facts"):
                        connection.execute(f"drop table {table}")
                    for statement in _TABLES.split(";"):
                        connection.execute(statement)
                    facts = [("store", store_id), ("version", _VERSION), *kept]
                    connection.executemany("insert into facts values (?, ?)", facts)
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
            (f.path, f.size, f.mtime_ns, f.ctime_ns, f.hash, f.title, json.dumps(f.front_matter), json.dumps(f.warnings))
            for f in files
        ]
        with self._transaction():
            self._connection.executemany("insert or replace into files values (?, ?, ?, ?, ?, ?, ?, ?)", rows)
            self._connection.executemany("delete from failures where path = ?", [(row[0],) for row in rows])

    def forget(self, paths: Iterable[str]) -> None:
        """Drop files whose sections were removed, and failures of paths that are gone."""
        rows = [(path,) for path in paths]
        with self._transaction():
            self._connection.executemany("delete from files where path = ?", rows)
            self._connection.executemany("delete from failures where path = ?", rows)

    def failures(self) -> list[Failure]:
        """Files that could not be read at their last visit, by path."""
        return [Failure(*row) for row in self._connection.execute("select path, reason from failures order by path")]

    def record_failures(self, failures: Iterable[Failure]) -> None:
        """Note files that could not be read; what was indexed of them before stays."""
        with self._transaction():
            self._connection.executemany(
                "insert or replace into failures values (?, ?)", [(f.path, f.reason) for f in failures]
            )

    def fact(self, name: str) -> str | None:
        """A fact about the index, e.g. where its root is."""
        row = self._connection.execute("select value from facts where name = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    def set_fact(self, name: str, value: str) -> None:
        """Store a fact about the index."""
        with self._transaction():
            self._connection.execute("insert or replace into facts values (?, ?)", (name, value))

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        try:
            with _transaction(self._connection):
                yield
        except sqlite3.OperationalError as error:
            raise _denied(self._path, error) from error


@dataclass(frozen=True, slots=True)
class LedgerContents:
    """What a reader finds in a ledger: files by path, failures, and facts by name."""

    files: Mapping[str, FileRecord]
    failures: tuple[Failure, ...]
    facts: Mapping[str, str]


def read_ledger(path: Path, documents: Sequence[str] | None = None) -> LedgerContents:
    """The records of these documents (by default all), read without writing; empty where the ledger cannot be read."""
    empty = LedgerContents({}, (), {})
    try:
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=5)
    except sqlite3.Error:
        return empty
    try:
        if documents is None:
            rows = connection.execute("select * from files order by path").fetchall()
        else:
            found = (connection.execute("select * from files where path = ?", (document,)) for document in documents)
            rows = [row for cursor in found for row in cursor]
        return LedgerContents(
            files={row[0]: _file_record(row) for row in rows},
            failures=tuple(Failure(*row) for row in connection.execute("select * from failures order by path")),
            facts=dict(connection.execute("select name, value from facts")),
        )
    except (sqlite3.Error, ValueError, TypeError):
        return empty
    finally:
        connection.close()


def is_changed(location: Path, record: FileRecord, *, max_bytes: int = 10_000_000) -> bool:
    """Whether the file is no longer what the record says, or gone.

    Where its times cannot tell, its bytes do, up to `max_bytes` of them.
    """
    try:
        status = location.stat()
        if status.st_size != record.size:
            return True
        if (status.st_mtime_ns, status.st_ctime_ns) == (record.mtime_ns, record.ctime_ns):
            return False
        if not stat.S_ISREG(status.st_mode) or status.st_size > max_bytes:
            return True
        return hashlib.sha256(location.read_bytes()).hexdigest() != record.hash
    except OSError:
        return True


def _denied(path: Path, error: sqlite3.OperationalError) -> IndexAccessError:
    index_dir = path.parent.parent
    return IndexAccessError(
        f"The index in {index_dir} cannot be written ({error}); check its folder's rights and the disk's space.",
        index_dir=index_dir,
    )


def _file_record(row: tuple[Any, ...]) -> FileRecord:
    path, size, mtime_ns, ctime_ns, digest, title, front_matter, warnings = row
    return FileRecord(path, size, mtime_ns, ctime_ns, digest, title, json.loads(front_matter), tuple(json.loads(warnings)))


@contextlib.contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("begin immediate")
    try:
        yield
        connection.execute("commit")
    except BaseException:
        with contextlib.suppress(sqlite3.Error):  # a full disk may have ended the transaction already
            connection.execute("rollback")
        raise
