"""`terms` strings of sections → statistics of all sections for ranking, in an SQLite file beside the table.

It holds the numbers of sections and of their terms, and how many sections each term and each sentence is in. The file is a
cache: it is written after the table and may lag behind it. If it is damaged, or of another table or version, a writer counts
again (see `schema.storage.statistics_upkeep`) and a reader ignores it.
"""

from __future__ import annotations

import contextlib
import logging
import operator
import os
import sqlite3
import threading
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from schema.index_files.formats import STATISTICS
from schema.index_files.sqlite import check_pages, delete_sqlite, holds, open_sqlite, read_sqlite, transaction
from schema.index_files.term_counts import TOTALS, Change, Sums, Totals, checksum
from schema.text.characters import encodable, one_line

_log = logging.getLogger(__name__)

_TABLES = """
create table if not exists facts (name text primary key, value not null);
create table if not exists terms (term text primary key, sections integer not null) without rowid;
create table if not exists sentences (hash integer primary key, sections integer not null);
create index if not exists repeated on sentences (sections) where sections >= 2;
"""
#: Pages are checked when a writer opens a file of up to so many bytes, which takes some 20 ms.
_LARGEST_CHECK = 8 << 20
#: Pages kept in memory by a writer (KiB): more than a change touches in an index of 100,000 sections.
_WRITER_CACHE = 64 << 10
#: Sections whose counts are gathered in memory before they are written (some 30 MB).
GATHERED = 20_000
#: A reader's question may take so long (seconds); a file whose pages name each other could hold it for ever.
_TIMEOUT = 10.0
#: Terms asked for in one statement.
_ASKED_AT_ONCE = 500
#: The first character after the surrogates, which no stored term holds.
_AFTER_SURROGATES = "\ue000"

Hashes = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Column:
    """A table of counts: its name, and name and type of the column of the things that are counted."""

    table: str
    key: str
    kind: type


_TERMS, _SENTENCES = _Column("terms", "term", str), _Column("sentences", "hash", int)


class Statistics:
    """The file `path`, opened to be changed; `table_version` is the version of the table that it last counted.

    Raises:
        OSError: it is not there.
        sqlite3.OperationalError: it cannot be opened, read or written.
        sqlite3.DatabaseError: it is damaged, or of another table or version.
    """

    def __init__(self, path: Path, *, store_id: str) -> None:
        with contextlib.closing(read_sqlite(path)) as connection:
            if not holds(connection, _TABLES):  # opening the file would make a missing one, empty
                raise sqlite3.DatabaseError("they hold other tables than they should")
        self._connection = open_sqlite(path, _TABLES, largest_check=_LARGEST_CHECK)
        try:
            self._connection.execute(f"pragma cache_size = -{_WRITER_CACHE}")
            self.totals, self.table_version = _facts(self._connection, store_id)
        except BaseException:
            self.close()
            raise

    @classmethod
    def recount(cls, path: Path, texts: Iterable[str | None], *, store_id: str, table_version: int = 0) -> Self:
        """Count all sections, by their `terms` strings, into a new file that replaces an older one.

        Raises:
            sqlite3.Error: it cannot be written.
            OSError: it cannot replace the older one.
        """
        fresh = path.with_name(f"{path.name}.new")
        delete_sqlite(fresh)
        try:
            connection = open_sqlite(fresh, _TABLES)
            with contextlib.closing(connection):
                # nobody reads it before it is whole, and one that is not is deleted
                connection.execute("pragma journal_mode = off")
                connection.execute("pragma synchronous = off")
                connection.execute(f"pragma cache_size = -{_WRITER_CACHE}")
                facts = {"format": STATISTICS, "store": store_id, "table_version": table_version, **asdict(Totals())}
                connection.executemany("insert into facts values (?, ?)", facts.items())
                for change in _gathered(texts):
                    with transaction(connection):
                        _write(connection, change, table_version)
            with fresh.open("rb+") as stream:
                os.fsync(stream.fileno())
            delete_sqlite(path)  # a journal that a killed process left would be applied to the new file
            fresh.replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                delete_sqlite(fresh)
            raise
        return cls(path, store_id=store_id)

    def change(self, removed: Iterable[str | None], added: Iterable[str | None], *, table_version: int = 0) -> None:
        """Subtract some sections and add others, by their `terms` strings, in one transaction."""
        change = Change()
        change.replace(removed, added)
        self.apply(change, table_version=table_version)

    def apply(self, change: Change, *, table_version: int) -> None:
        """Write what was gathered, in one transaction."""
        with transaction(self._connection):
            _write(self._connection, change, table_version)
            self.totals, self.table_version = _totals(self._connection), table_version

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


def _gathered(texts: Iterable[str | None]) -> Iterator[Change]:
    change = Change()
    for text in texts:
        change.add((text,))
        if change.sections >= GATHERED:
            yield change
            change = Change()
    yield change


def _write(connection: sqlite3.Connection, change: Change, table_version: int) -> None:
    """Add a change to the file; counts that fall to 0 (or below it, if the statistics lag) are deleted."""
    _add(connection, _TERMS, change.terms())
    _add(connection, _SENTENCES, change.sentences())
    sums = [(value, name) for name, value in change.totals.items()]
    connection.executemany("update facts set value = max(0, value + ?) where name = ?", sums)
    connection.execute("update facts set value = ? where name = 'table_version'", (table_version,))


def _add(connection: sqlite3.Connection, into: _Column, changes: Mapping[Any, int]) -> None:
    table, key = into.table, into.key
    # in the order of the tree, each of whose pages is then touched once
    ordered = sorted(changes.items(), key=operator.itemgetter(0))
    more = [(name, sections) for name, sections in ordered if sections > 0]
    less = [(name, -sections) for name, sections in ordered if sections < 0]
    connection.executemany(
        f"insert into {table} values (?, ?) on conflict ({key}) do update set sections = sections + excluded.sections", more
    )
    connection.executemany(f"delete from {table} where {key} = ? and sections <= ?", less)
    connection.executemany(f"update {table} set sections = sections - ?2 where {key} = ?1", less)


def open_statistics(path: Path, *, store_id: str) -> StoredStatistics | None:
    """The statistics of the table `store_id` for a reader; None where there are none that can be used."""
    try:
        connection = read_sqlite(path, is_shared=True)
    except (OSError, sqlite3.Error):
        return None
    try:
        if holds(connection, _TABLES):
            totals, version = _facts(connection, store_id)
            return StoredStatistics(connection, totals, table_version=version, size=path.stat().st_size)
    except (OSError, sqlite3.Error):
        pass
    connection.close()
    return None


class StoredStatistics:
    """The statistics as a reader sees them, for one version of the table; several threads may ask at once.

    The totals are those of the moment it was opened; counts follow the file, which a writer may change meanwhile. Where the
    file cannot be read any more nothing is known: every answer is empty, which is logged once.
    """

    def __init__(self, connection: sqlite3.Connection, totals: Totals, *, table_version: int, size: int) -> None:
        self.totals = totals
        self.table_version = table_version
        self._connection = connection
        self._most = size + 1_000_000  # no file has more rows than bytes; it may grow while it is read
        self._lock = threading.Lock()
        self._ends = 0.0
        self._is_logged = False
        self._repeated: dict[int, Hashes] = {}
        connection.set_progress_handler(lambda: time.monotonic() > self._ends, 100_000)

    @property
    def rows(self) -> int:
        """Number of sections."""
        return self.totals.rows

    def frequencies(self, terms: Collection[str]) -> dict[str, int]:
        """Return how many sections each of these terms is in, without terms that are in none."""
        wanted = [term for term in dict.fromkeys(terms) if encodable(term) == term]
        found: dict[str, int] = {}
        for start in range(0, len(wanted), _ASKED_AT_ONCE):
            some = wanted[start : start + _ASKED_AT_ONCE]
            marks = ",".join("?" * len(some))
            rows = self._ask(f"select term, sections from terms where term in ({marks})", some, len(some))
            found.update((term, sections) for term, sections in rows or () if type(sections) is int and sections > 0)
        return found

    def beginning_with(self, prefix: str, most: int) -> list[str]:
        """The first `most` terms that begin with `prefix`, in the order of their code points."""
        if encodable(prefix) != prefix:
            return []
        terms = self._terms("term >= ?", [prefix], most)
        return [term for term in terms if term.startswith(prefix)]

    def between(self, first: str, last: str, most: int) -> list[str]:
        """The terms from `first` up to, not including, `last`, in order of code points; none if more than `most`."""
        terms = self._terms("term >= ? and term < ?", [_bound(first), _bound(last)], most + 1)
        return terms if len(terms) <= most else []

    def repeated(self, least: int) -> Hashes:
        """Return the hashes of the sentences that are in at least `least` sections, ascending."""
        if least not in self._repeated:
            indexed = "sections >= 2 and " if least >= 2 else ""  # the index is of those
            rows = self._ask(f"select hash from sentences where {indexed}sections >= ?", [least], self._most)
            if rows is None:
                return np.zeros(0, np.int64)
            self._repeated[least] = np.sort(np.array([row[0] for row in rows if type(row[0]) is int], np.int64))
        return self._repeated[least]

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def _terms(self, condition: str, bounds: Sequence[str], most: int) -> list[str]:
        rows = self._ask(f"select term from terms where {condition} order by term", bounds, most)
        return [row[0] for row in rows or () if isinstance(row[0], str)]

    def _ask(self, question: str, values: Sequence[str | int], most: int) -> list[tuple[Any, ...]] | None:
        try:
            with self._lock:
                self._ends = time.monotonic() + _TIMEOUT
                return self._connection.execute(f"{question} limit ?", [*values, most]).fetchall()
        except sqlite3.Error as error:
            if not self._is_logged:
                _log.warning("the statistics of the index cannot be read (%s); ranking does without", one_line(str(error)))
            self._is_logged = True
            return None


def _bound(text: str) -> str:
    """Return a bound without lone surrogates that has the same stored terms below it."""
    valid = encodable(text)
    first = next((i for i, (one, other) in enumerate(zip(text, valid, strict=True)) if one != other), None)
    return text if first is None else text[:first] + _AFTER_SURROGATES


def find_fault(path: Path, sums: Sums, *, store_id: str) -> str | None:
    """Compare the statistics in a file with the sums of all sections; return the end of a sentence, None if they agree."""
    try:
        with contextlib.closing(read_sqlite(path)) as connection:
            if not holds(connection, _TABLES):
                return "hold other tables than they should"
            check_pages(connection)
            totals, _ = _facts(connection, store_id)
            for name in TOTALS:
                if getattr(totals, name) != sums.totals[name]:
                    return (
                        f"give {getattr(totals, name)} for {name.replace('_', ' ')} where the rows give {sums.totals[name]}"
                    )
            for counted, sum_of_rows in ((_TERMS, sums.terms), (_SENTENCES, sums.sentences)):
                rows = connection.execute(f"select {counted.key}, sections from {counted.table}")
                if checksum(_plausible(rows, counted.kind)) != sum_of_rows:
                    return f"do not count all {counted.table} as the rows do"
    except (OSError, sqlite3.Error) as error:
        if path.exists():
            return f"cannot be used ({one_line(str(error))})"
        return "are missing" if sums.totals["rows"] else None
    return None


def _plausible(rows: Iterable[tuple[Any, Any]], kind: type) -> Iterator[tuple[Any, int]]:
    for row in rows:
        if type(row[0]) is not kind or type(row[1]) is not int:  # a column may hold values of any kind
            raise sqlite3.DatabaseError("they hold what is no count")
        yield row


def _facts(connection: sqlite3.Connection, store_id: str) -> tuple[Totals, int]:
    """The totals, and the version of the table that they are of.

    Raises:
        sqlite3.DatabaseError: they are of another table or version, or make no sense.
    """
    facts = dict(connection.execute("select name, value from facts limit 100"))
    if (facts.get("format"), facts.get("store")) != (STATISTICS, store_id):
        raise sqlite3.DatabaseError("they are of another table or version")
    version = facts.get("table_version")
    if type(version) is not int:
        raise sqlite3.DatabaseError("they do not say of which version of the table they are")
    return _totals(connection), version


def _totals(connection: sqlite3.Connection) -> Totals:
    facts = dict(connection.execute("select name, value from facts limit 100"))
    found: dict[str, Any] = {name: facts.get(name) for name in TOTALS}
    if not all(type(value) is int and value >= 0 for value in found.values()):
        raise sqlite3.DatabaseError("their totals make no sense")
    return Totals(**found)
