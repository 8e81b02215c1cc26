"""The manifest of indexed files: what each file looked like when it was last read, so that unchanged files are not read.

It is a cache beside the table, written after the sections are committed. A lost or damaged manifest costs one
full reading of the files and nothing else; one that belongs to another table is emptied.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import logging
import os
import sqlite3
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from schema.index_files.bound_file import BoundFile
from schema.index_files.formats import MANIFEST
from schema.index_files.sqlite import change_sqlite, holds, open_sqlite, read_sqlite, require_writable
from schema.text.characters import one_line

if TYPE_CHECKING:
    from schema.reports import Failure

_log = logging.getLogger(__name__)

_METADATA = "create table if not exists facts (name text primary key, value text not null);"
_TABLES = f"""
{_METADATA}
create table if not exists files (
    path text primary key, size integer not null, mtime_ns integer not null, ctime_ns integer not null,
    hash text not null,
    title text not null, front_matter text not null, warnings text not null, read_as text not null);
create table if not exists failures (path text primary key, reason text not null);
"""
_ALL_METADATA = "select name, value from facts"
_ALL_FILES = "select * from files order by path"
_ALL_LOOKS = "select path, size, mtime_ns, ctime_ns, read_as from files"
_OTHER_TYPES = "select 1 from files where {} limit 1".format(
    " or ".join(
        f"typeof({column}) != '{kind}'"
        for kind, columns in {
            "text": ("path", "hash", "title", "front_matter", "warnings", "read_as"),
            "integer": ("size", "mtime_ns", "ctime_ns"),
        }.items()
        for column in columns
    )
)
_SOME_PATHS = "select path from files where path >= ? and path < ? order by path limit ?"
_LAST_CHARACTER = "\U0010ffff"
#: Longest time for the paths that a shell offers (seconds).
_MOMENT = 1
_ALL_FAILURES = "select path, reason from failures order by path"
_Row = tuple[Any, ...]
#: Errors of reading records that make no sense.
_NONSENSE = (sqlite3.Error, ValueError, TypeError, RecursionError)


@dataclass(frozen=True, slots=True)
class FileRecord:
    """A file as it was when last read: `size` in bytes, times as the file system gave them, `hash` of its bytes.

    `ctime_ns` is -1 if the file was too new for its times to show a later change: then its bytes are compared. `read_as`
    says in which dialects it was read, or that it was converted.
    """

    path: str
    size: int
    mtime_ns: int
    ctime_ns: int
    hash: str
    title: str = ""
    front_matter: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    read_as: str = ""


class FileLook(NamedTuple):
    """How a file looked when it was last read, and how it was read: fields of its `FileRecord`."""

    size: int
    mtime_ns: int
    ctime_ns: int
    read_as: str


class Manifest(BoundFile):
    """The manifest in the SQLite file `path`, bound to the table named `store_id`."""

    def __init__(self, path: Path, *, store_id: str) -> None:
        metadata = {"store": store_id, "version": MANIFEST}

        def remade(error: sqlite3.Error) -> Callable[[], sqlite3.Connection]:
            name = one_line(str(path))
            _log.warning("the manifest %s cannot be used (%s) and is made again; all files are read again", name, error)
            # the roots are kept: an index run without paths reads these
            known = {name: value for name, value in read_manifest(path, []).metadata.items() if name == "scopes"}
            return partial(_open, path, metadata | known)

        super().__init__(path, partial(_open, path, metadata), remade)

    def files(self) -> dict[str, FileRecord]:
        """Every file the index knows, by path; none where a record makes no sense, and all files are read again."""
        try:
            rows = self._connection.execute(_ALL_FILES).fetchall()  # a cursor left midway would keep the file locked
            return {row[0]: _file_record(row) for row in rows}
        except _NONSENSE as error:
            _log.warning("the manifest %s is damaged (%s); all files are read again", self._path, error)
            self._clear("files")
            return {}

    def looks(self) -> dict[str, FileLook]:
        """How every file looked that the index knows, by path, in less than half of the time that `files` takes.

        None of a damaged manifest.
        """
        try:
            if self._connection.execute(_OTHER_TYPES).fetchone() is not None:
                return {}
            return {path: FileLook(*look) for path, *look in self._connection.execute(_ALL_LOOKS).fetchall()}
        except sqlite3.Error:
            return {}

    def record(self, files: Iterable[FileRecord]) -> None:
        """Note files whose sections are committed; an earlier failure of theirs is forgotten."""
        rows = [
            (
                f.path,
                f.size,
                f.mtime_ns,
                f.ctime_ns,
                f.hash,
                f.title,
                *map(json.dumps, (f.front_matter, f.warnings)),
                f.read_as,
            )
            for f in files
        ]
        with self._transaction():
            self._connection.executemany("insert or replace into files values (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
            self._connection.executemany("delete from failures where path = ?", [(row[0],) for row in rows])

    def forget(self, paths: Iterable[str]) -> None:
        """Drop files whose sections were removed, and failures of paths that are gone."""
        rows = [(path,) for path in paths]
        with self._transaction():
            self._connection.executemany("delete from files where path = ?", rows)
            self._connection.executemany("delete from failures where path = ?", rows)

    def failures(self) -> list[Failure]:
        """Files that could not be read at their last visit, by path."""
        try:
            return _failures(self._connection.execute(_ALL_FAILURES).fetchall())
        except _NONSENSE:
            self._clear("failures")
            return []

    def record_failures(self, failures: Iterable[Failure]) -> None:
        """Note files that could not be read; what was indexed of them before stays."""
        with self._transaction():
            self._connection.executemany(
                "insert or replace into failures values (?, ?)", [(f.path, f.reason) for f in failures]
            )

    def get_metadata(self, name: str) -> str | None:
        """Return what is noted about the index under a name, such as where its root is."""
        try:
            row = self._connection.execute("select value from facts where name = ?", (name,)).fetchone()
        except sqlite3.Error:
            return None
        return row[0] if row is not None and _is_text(row[0]) else None

    def set_metadata(self, name: str, value: str) -> None:
        """Note something about the index under a name."""
        with self._transaction():
            self._connection.execute("insert or replace into facts values (?, ?)", (name, value))

    def _clear(self, table: str) -> None:
        with self._transaction():
            self._connection.execute(f"delete from {table}")


@dataclass(frozen=True, slots=True)
class ManifestContents:
    """What a reader finds in a manifest: files by path, failures, and metadata by name."""

    files: Mapping[str, FileRecord]
    failures: tuple[Failure, ...]
    metadata: Mapping[str, str]


def read_manifest(path: Path, documents: Sequence[str] | None = None) -> ManifestContents:
    """The records of these documents (by default all), read without writing; empty where the manifest cannot be read.

    Without any document it is the metadata alone, which manifests of other versions have too.
    """
    empty = ManifestContents({}, (), {})
    try:
        connection, size = read_sqlite(path), path.stat().st_size
    except (OSError, sqlite3.Error):
        return empty
    is_metadata_alone = documents is not None and not documents
    try:
        if not holds(connection, _METADATA if is_metadata_alone else _TABLES):
            return empty
        texts: dict[str, Any] = dict(_within(size, connection.execute(_ALL_METADATA)))
        metadata = {name: value for name, value in texts.items() if _is_text(value)}
        if is_metadata_alone:
            return ManifestContents({}, (), metadata)
        if documents is None:
            found: Iterable[Iterable[_Row]] = [connection.execute(_ALL_FILES)]
        else:
            found = (connection.execute("select * from files where path = ?", (document,)) for document in documents)
        files = {row[0]: _file_record(row) for row in _within(size, itertools.chain.from_iterable(found))}
        return ManifestContents(files, tuple(_failures(_within(size, connection.execute(_ALL_FAILURES)))), metadata)
    except _NONSENSE:
        return empty
    finally:
        connection.close()


def forget_files(path: Path) -> None:
    """Drop all files of a manifest, if there is one, so that they are read again; what it notes about the index is kept.

    Raises:
        IndexAccessError: it cannot be written.
        OSError: it is damaged and cannot be deleted.
    """
    change_sqlite(path, "delete from files")


def paths_beginning(path: Path, beginning: str, *, most: int) -> list[str]:
    """Return at most so many paths of files that begin so, in order; none where the manifest cannot be read in a second."""
    end = time.monotonic() + _MOMENT
    with contextlib.suppress(OSError, *_NONSENSE):
        if not path.is_file():
            return []
        with contextlib.closing(read_sqlite(path)) as connection:
            connection.execute(f"pragma busy_timeout = {1000 * _MOMENT}")
            connection.set_progress_handler(lambda: time.monotonic() > end, 10_000)
            if holds(connection, _TABLES):
                found = connection.execute(_SOME_PATHS, (beginning, f"{beginning}{_LAST_CHARACTER}", most))
                return [name for (name,) in found if _is_path(name)]
    return []


def is_changed(location: Path, record: FileRecord, *, max_bytes: int = 10_000_000) -> bool:
    """Whether the file is no longer what the record says, or gone.

    If its times do not show it, its bytes are compared, up to `max_bytes` of them.
    """
    try:
        status = location.stat()
        if status.st_size != record.size:
            return True
        if (status.st_mtime_ns, status.st_ctime_ns) == (record.mtime_ns, record.ctime_ns):
            return False
        if not stat.S_ISREG(status.st_mode) or status.st_size > max_bytes:
            return True
        content = _beginning(location, record.size + 1)  # no more: a system file may say it is empty and have no end
        return content is None or hashlib.sha256(content).hexdigest() != record.hash
    except (OSError, ValueError):  # a path that no file can have is a ValueError
        return True


def _beginning(location: Path, count: int) -> bytes | None:
    """The first bytes of a plain file; None of what has become something else."""
    descriptor = os.open(location, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(descriptor, "rb") as stream:
        return stream.read(count) if stat.S_ISREG(os.fstat(descriptor).st_mode) else None


def _open(path: Path, metadata: Mapping[str, str]) -> sqlite3.Connection:
    """The manifest in a file, with these metadata if it is new.

    Raises:
        sqlite3.Error: it cannot be used, or is one of another table or version.
    """
    connection = open_sqlite(path, _TABLES)
    try:
        require_writable(connection)
        bound = dict(connection.execute(_ALL_METADATA))
        if len(bound) == 1:
            connection.executemany("insert into facts values (?, ?)", metadata.items())
        elif any(bound.get(name) != value for name, value in metadata.items()):
            raise sqlite3.DatabaseError("it is of another table or version")
    except BaseException:
        connection.close()
        raise
    return connection


def _within(size: int, rows: Iterable[_Row]) -> Iterator[_Row]:
    """The rows of a file of so many bytes; a damaged one could give the same pages again and again."""
    left = 2 * size + 1_000_000  # it may grow while it is read
    for row in rows:
        left -= sum(len(value) for value in row if isinstance(value, str | bytes)) + 1
        if left < 0:
            raise sqlite3.DatabaseError("its rows hold more than the file")
        yield row


def _is_text(value: object) -> bool:
    return isinstance(value, str) and "\0" not in value


def _is_path(value: object) -> bool:
    return _is_text(value) and value != ""


def _failures(rows: Iterable[_Row]) -> list[Failure]:
    from schema.reports import Failure  # a search reads the manifest too, and needs no report

    failures = [Failure(*row) for row in rows]
    if not all(_is_path(failure.path) and isinstance(failure.reason, str) for failure in failures):
        raise ValueError("a failure is of no file")
    return failures


def _file_record(row: _Row) -> FileRecord:
    path, size, mtime_ns, ctime_ns, digest, title, front_matter, warnings, read_as = row
    fields = {} if front_matter == "{}" else json.loads(front_matter)
    texts = [] if warnings == "[]" else json.loads(warnings)
    are_texts = _is_path(path) and all(isinstance(value, str) for value in (digest, title, read_as, *texts))
    are_numbers = all(isinstance(value, int) for value in (size, mtime_ns, ctime_ns)) and size >= 0
    if not (are_texts and are_numbers and isinstance(fields, dict) and isinstance(texts, list)):
        raise ValueError("a record says what no file has")
    return FileRecord(path, size, mtime_ns, ctime_ns, digest, title, fields, tuple(texts), read_as)
