"""What the table cannot tell of earlier changes, in a SQLite file beside it: the runs that changed something, and what was
removed.

It holds the last 100 such runs and the last 10,000 removed sections, some 2 MB at most with usual paths and headings. It is
a record for people: a lost or damaged file is made again empty, and says from when on it is complete. Readers never write.
"""

from __future__ import annotations

import itertools
import logging
import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from schema.changes import ChangedSection
from schema.clock import now
from schema.index_files.bound_file import BoundFile
from schema.index_files.formats import CHANGES
from schema.index_files.sqlite import change_sqlite, holds, open_sqlite, read_sqlite, require_writable
from schema.text.characters import encodable, one_line

_log = logging.getLogger(__name__)

#: Runs and removed sections that are kept, the newest, and characters of a heading.
MAX_RUNS, MAX_REMOVED, _MAX_HEADING = 100, 10_000, 300
#: Longer texts (characters) and deeper sections are none of ours.
_MAX_TEXT, _MAX_DEPTH = 10_000, 3
_TABLES = """
create table if not exists facts (name text primary key, value not null);
create table if not exists runs (started integer primary key);
create table if not exists removed (
    id text primary key, path text not null, heading text not null, depth integer not null, at integer not null)
    without rowid;
create index if not exists removed_at on removed (at);
"""
_REMOVED = "select id, path, heading, depth, at from removed where at >= ? order by at desc, id limit ?"


@dataclass(frozen=True, slots=True)
class RecordedChanges:
    """What the file says: when the runs began that changed something, the removed sections, both newest first.

    `complete_since`: no section that was removed later is missing; None where there is no file.
    """

    runs: tuple[datetime, ...] = ()
    removed: tuple[ChangedSection, ...] = ()
    complete_since: datetime | None = None


class ChangeFile(BoundFile):
    """The file `path`, opened to be written, bound to the table `store_id`; a damaged one is made again empty.

    Raises:
        IndexAccessError: it cannot be written.
    """

    def __init__(self, path: Path, *, store_id: str) -> None:
        def remade(error: sqlite3.Error) -> Callable[[], sqlite3.Connection]:
            _log.info("the changes %s cannot be used (%s) and are noted from now on", one_line(str(path)), error)
            return connect

        connect = partial(_open, path, store_id)
        super().__init__(path, connect, remade)

    def note(self, run: datetime, removed: Iterable[ChangedSection] = ()) -> None:
        """Note a run that changes something, by when it began, and sections that it removes, all or nothing."""
        rows = [_row(section, section.at or run) for section in itertools.islice(removed, MAX_REMOVED + 1)]
        with self._transaction():
            self._connection.execute("insert or ignore into runs values (?)", (_milliseconds(run),))
            self._insert(rows)

    def take_over(self, earlier: RecordedChanges) -> None:
        """Add what the file of an earlier table said."""
        with self._transaction():
            runs = [(_milliseconds(run),) for run in earlier.runs]
            self._connection.executemany("insert or ignore into runs values (?)", runs)
            if earlier.complete_since is not None:
                self._set_complete_since(_milliseconds(earlier.complete_since))
            self._insert([_row(section, section.at or now()) for section in earlier.removed])

    def _insert(self, rows: list[tuple[Any, ...]]) -> None:
        self._connection.executemany("insert or replace into removed values (?, ?, ?, ?, ?)", rows)
        old = "select started from runs order by started desc limit -1 offset ?"
        self._connection.execute(f"delete from runs where started in ({old})", (MAX_RUNS,))
        lost = self._connection.execute("select id, at from removed order by at desc, id limit -1 offset ?", (MAX_REMOVED,))
        beyond = lost.fetchall()
        if beyond:
            self._connection.executemany("delete from removed where id = ?", [(each[0],) for each in beyond])
            self._set_complete_since(max(each[1] for each in beyond) + 1)

    def _set_complete_since(self, milliseconds: int) -> None:
        self._connection.execute("insert or replace into facts values ('complete_since', ?)", (milliseconds,))


def doubt_changes(path: Path) -> None:
    """Note in a file, if there is one, that sections may be missing in it that were removed until now.

    Raises:
        IndexAccessError: it cannot be written.
        OSError: it is damaged and cannot be deleted.
    """
    change_sqlite(path, "update facts set value = ? where name = 'complete_since'", _milliseconds(now()))


def read_changes(path: Path, *, store_id: str, since: datetime | None = None) -> RecordedChanges:
    """Return what the file says, of removed sections those since a moment; nothing where it cannot be read."""
    try:
        connection = read_sqlite(path)
    except (OSError, sqlite3.Error):
        return RecordedChanges()
    try:
        if not holds(connection, _TABLES):
            return RecordedChanges()
        connection.text_factory = lambda text: text.decode("utf-8", "replace")  # one damaged text hides no others
        facts = dict(connection.execute("select name, value from facts limit 100"))
        if (facts.get("format"), facts.get("store")) != (CHANGES, store_id):
            return RecordedChanges()
        least = 0 if since is None else _milliseconds(since)
        runs = connection.execute("select started from runs order by started desc limit ?", (MAX_RUNS,))
        return RecordedChanges(
            runs=tuple(moment for row in runs if (moment := _moment(row[0])) is not None),
            removed=tuple(filter(None, map(_section, connection.execute(_REMOVED, (least, MAX_REMOVED))))),
            complete_since=_moment(facts.get("complete_since")),
        )
    except (sqlite3.Error, ValueError):
        return RecordedChanges()
    finally:
        connection.close()


def _open(path: Path, store_id: str) -> sqlite3.Connection:
    """The file, with these facts if it is new.

    Raises:
        sqlite3.Error: it cannot be used, or is of another table or version.
    """
    connection = open_sqlite(path, _TABLES)
    try:
        require_writable(connection)
        facts = dict(connection.execute("select name, value from facts limit 100"))
        if len(facts) == 1:
            first = [("format", CHANGES), ("store", store_id), ("complete_since", _milliseconds(now()))]
            connection.executemany("insert into facts values (?, ?)", first)
        elif (facts.get("format"), facts.get("store"), type(facts.get("complete_since"))) != (CHANGES, store_id, int):
            raise sqlite3.DatabaseError("they are of another table or version")
    except BaseException:
        connection.close()
        raise
    return connection


def _row(section: ChangedSection, at: datetime) -> tuple[Any, ...]:
    heading = encodable(section.heading[:_MAX_HEADING])
    return (section.id, section.document_path, heading, section.depth, _milliseconds(at))


def _section(row: tuple[Any, ...]) -> ChangedSection | None:
    """The removed section of a row, None for one that makes no sense."""
    identity, path, heading, depth, at = row
    are_texts = all(isinstance(text, str) and len(text) <= _MAX_TEXT for text in (identity, path, heading))
    if not are_texts or type(depth) is not int or not 0 <= depth <= _MAX_DEPTH:
        return None
    moment = _moment(at)
    if moment is None:
        return None
    return ChangedSection(
        id=identity, document_path=path, heading=heading[:_MAX_HEADING], kind="removed", at=moment, depth=depth
    )


def _milliseconds(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)


def _moment(milliseconds: Any) -> datetime | None:
    """The time of a number of milliseconds since 1970; None for what is none."""
    try:
        return datetime.fromtimestamp(milliseconds / 1000, UTC) if type(milliseconds) is int else None
    except (ValueError, OSError, OverflowError):
        return None
