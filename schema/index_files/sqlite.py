"""A small SQLite file of the index folder, opened if it has the tables it should have; otherwise it counts as damaged.

All that these files hold can be made again, so their owners delete a damaged one and open a new one.
"""

from __future__ import annotations

import contextlib
import sqlite3
import stat
import time
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from schema.errors import IndexAccessError

#: Longer rows, which we never write, are not read into memory (bytes).
MAX_ROW = 64 << 20
#: How long another process may hold the file (seconds).
TIMEOUT = 30
#: A reader waits this long for a lock (seconds) and may read twice as long, plus the time of a large file (bytes a second).
READ_TIMEOUT = 5
_SLOWEST_READ = 1_000_000
#: More tables and indexes than any file of ours has.
_MAX_DEFINITIONS = 100


def open_sqlite(path: Path, tables: str, *, largest_check: int | None = None) -> sqlite3.Connection:
    """The file `path`, made if there is none, with the tables that the statements `tables` make.

    All of it is read, to see whether its pages fit together, unless it has more than `largest_check` bytes.

    Raises:
        sqlite3.OperationalError: it cannot be opened, read or written.
        sqlite3.DatabaseError: it is damaged, or holds other tables, indexes or triggers.
    """
    connection = sqlite3.connect(path, timeout=TIMEOUT, isolation_level=None, check_same_thread=False)
    try:
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_ROW)
        connection.execute("pragma trusted_schema = off")
        connection.executescript(tables)
        if _definitions(connection) != _expected(tables):
            raise sqlite3.DatabaseError("it does not hold the tables it should")
        if largest_check is None or path.stat().st_size <= largest_check:
            check_pages(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def check_pages(connection: sqlite3.Connection) -> None:
    """Read all of a file.

    Raises:
        sqlite3.DatabaseError: its pages do not fit together.
    """
    if connection.execute("pragma integrity_check(1)").fetchone() != ("ok",):
        raise sqlite3.DatabaseError("its pages do not fit together")


def read_sqlite(path: Path, *, is_shared: bool = False) -> sqlite3.Connection:
    """The file `path`, opened for reading alone, for some seconds; `holds` tells which of its tables may be read.

    One that `is_shared` may be used by any thread, one at a time.

    Raises:
        sqlite3.Error: it cannot be opened.
        OSError: it is not there, or no plain file.
    """
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):  # a pipe would be waited for
        raise OSError(f"{path} is no file")
    end = time.monotonic() + 2 * READ_TIMEOUT + status.st_size / _SLOWEST_READ
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=READ_TIMEOUT, check_same_thread=not is_shared
    )
    try:
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_ROW)
        connection.set_progress_handler(lambda: time.monotonic() > end, 100_000)
        connection.execute("pragma trusted_schema = off")
    except BaseException:
        connection.close()
        raise
    return connection


def holds(connection: sqlite3.Connection, tables: str) -> bool:
    """Whether the file has the tables that the statements `tables` make; a view in the place of one could run for ever.

    Raises:
        sqlite3.Error: it cannot be read.
    """
    return set(_expected(tables)) <= set(_definitions(connection))


def change_sqlite(path: Path, statement: str, *values: object) -> None:
    """Run one statement over a file, if there is one; a damaged file is deleted, one that is locked is waited for.

    Raises:
        IndexAccessError: it cannot be written, or stayed locked.
        OSError: it is damaged and cannot be deleted.
    """
    if path.is_file():
        try:
            with contextlib.closing(sqlite3.connect(path, timeout=TIMEOUT)) as connection, connection:
                connection.execute(statement, values)
        except sqlite3.Error as error:
            if is_denied(error):
                raise write_denied(path, error) from error
            delete_sqlite(path)


def require_writable(connection: sqlite3.Connection) -> None:
    """Write what changes nothing, so that a file that cannot be written raises now and not midway; it has a table `facts`.

    Raises:
        sqlite3.Error: it cannot be written.
    """
    connection.execute("insert into facts values ('opened', '') on conflict (name) do update set value = ''")


def write_denied(path: Path, error: Exception) -> IndexAccessError:
    """Return the error that says why a file of the index folder cannot be written, and what to do."""
    index_dir = path.parent.parent
    if getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        advice = f"another program uses its file {path.name}; try again when that is done"
        return IndexAccessError(f"The index in {index_dir} cannot be written: {advice}.", index_dir=index_dir)
    return IndexAccessError(
        f"The index in {index_dir} cannot be written ({error}); check its folder's rights and the disk's space.",
        index_dir=index_dir,
    )


def delete_sqlite(path: Path) -> None:
    """Delete a damaged file, and its journal, which would be applied to a new one.

    Raises:
        OSError: it cannot be deleted.
    """
    for file in (path, *(path.with_name(path.name + ending) for ending in ("-journal", "-wal", "-shm"))):
        file.unlink(missing_ok=True)


def is_denied(error: sqlite3.Error) -> bool:
    """Tell whether rights, space or another process caused an error, and not the file's content."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)  # errors that Python itself raises have none
    return isinstance(error, sqlite3.OperationalError) and code & 0xFF != sqlite3.SQLITE_ERROR


@contextlib.contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All changes of the block, or none of them."""
    connection.execute("begin immediate")
    try:
        yield
        connection.execute("commit")
    except BaseException:
        with contextlib.suppress(sqlite3.Error):  # a full disk may have ended the transaction already
            connection.execute("rollback")
        raise


@lru_cache
def _expected(tables: str) -> list[tuple[str, ...]]:
    connection = sqlite3.connect(":memory:")
    try:
        connection.executescript(tables)
        return _definitions(connection)
    finally:
        connection.close()


def _definitions(connection: sqlite3.Connection) -> list[tuple[str, ...]]:
    # a damaged file could repeat a page without end
    some = f"(select type, name, sql from sqlite_master limit {_MAX_DEFINITIONS})"
    return connection.execute(f"select * from {some} order by type, name").fetchall()
