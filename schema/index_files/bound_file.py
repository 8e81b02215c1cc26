"""A SQLite file of the index folder that is bound to one table: opened, or made again where it is damaged, and closed."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Self

from schema.index_files.sqlite import delete_sqlite, is_denied, transaction, write_denied


class BoundFile:
    """The file `path`. `connect` opens it, or raises sqlite3.Error for one that is damaged or of another table.

    `remade` is told this error while the damaged file is still there, and returns what opens the new one.

    Raises:
        IndexAccessError: it cannot be written, now or later.
    """

    def __init__(
        self,
        path: Path,
        connect: Callable[[], sqlite3.Connection],
        remade: Callable[[sqlite3.Error], Callable[[], sqlite3.Connection]],
    ) -> None:
        self._path = path
        try:
            self._connection = connect()
        except sqlite3.Error as error:
            if is_denied(error):
                raise write_denied(path, error) from error
            connect = remade(error)
            try:
                delete_sqlite(path)
                self._connection = connect()
            except (OSError, sqlite3.Error) as second:
                raise write_denied(path, second) from second

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        try:
            with transaction(self._connection):
                yield
        except sqlite3.Error as error:
            raise write_denied(self._path, error) from error
