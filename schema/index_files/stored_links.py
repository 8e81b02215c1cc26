"""The file of links → the links of a section and to it, as readers see them; nothing is written."""

from __future__ import annotations

import contextlib
import logging
import sqlite3
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from schema.index_files.formats import LINKS
from schema.index_files.links import LINK_COLUMNS, TABLES, DocumentNames, to_link
from schema.index_files.sqlite import check_pages, holds, read_sqlite
from schema.links import BROKEN, SectionLinks
from schema.text.characters import one_line
from schema.text.names import caseless

_log = logging.getLogger(__name__)

#: Most links in each direction that are shown with a hit.
MOST_SHOWN = 20
#: Most links in each direction that are listed of a section, and of a document.
MOST_LISTED = 200
#: A reader's question may take so long (seconds).
_TIMEOUT = 5.0
#: The links from elsewhere to a section and to a document. The indexes of both columns leave out what leads nowhere, and are
#: used only where the condition does so too.
_TO_SECTION = "to_section = ? and to_section != '' and section != to_section"
_TO_DOCUMENT = "to_path = ? and to_path != '' and path != to_path"
_BROKEN = "status in ({})".format(", ".join(f"'{status}'" for status in BROKEN))


class StoredLinks:
    """The links in the file `path` of the table `store_id`, as readers see them; threads may ask at once.

    Where the file is missing or cannot be read there are no links.
    """

    def __init__(self, path: Path, *, store_id: str) -> None:
        self._path = path
        self._store_id = store_id
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._file: tuple[int, ...] = ()
        self._ends = 0.0
        #: Whether the file, if there is one, could be read when it was last asked.
        self.is_readable = True

    def of_section(self, section_id: str, most: int = MOST_SHOWN) -> SectionLinks:
        """The links of a section by line, without images, and the links to it from other sections by document and line; at
        most so many of each.

        Headings are left empty.
        """
        # sections of the index first, then the others
        order = "to_section = '', status = 'external', line, id"
        return self._read("section = ?", _TO_SECTION, section_id, order, most)

    def of_document(self, path: str) -> SectionLinks:
        """The links of all sections of a document by line, without images that are there, and the links to it from other
        documents by document and line. Where there are more than `MOST_LISTED`, those that are broken are kept first,
        then those to sections.

        Headings are left empty.
        """
        order = f"{_BROKEN} desc, to_section = '', status = 'external', line, id"
        return self._read("path = ?", _TO_DOCUMENT, path, order, MOST_LISTED, shown="line, id")

    def _read(self, own: str, back: str, of: str, order: str, most: int, *, shown: str = "") -> SectionLinks:
        """Read the first links by `order` that meet the condition `own`, in the order `shown` (else the same), those that
        meet `back`, and how many there are."""
        with self._lock:
            connection = self._open()
            self.is_readable = connection is not None or not self._path.exists()
            if connection is None:
                return SectionLinks()
            try:
                self._ends = time.monotonic() + _TIMEOUT
                own = f"from links where {own} and (kind != 'image' or to_section != '' or {_BROKEN})"
                back = f"from links where {back}"
                first = f"select id {own} order by {order} limit ?"
                links = connection.execute(
                    f"select {LINK_COLUMNS} from links where id in ({first}) order by {shown or order}", (of, most)
                ).fetchall()
                backlinks = connection.execute(
                    f"select {LINK_COLUMNS} {back} order by path, line, id limit ?", (of, most)
                ).fetchall()
                return SectionLinks(
                    links=tuple(map(to_link, links)),
                    backlinks=tuple(map(to_link, backlinks)),
                    link_count=_count(connection, own, of),
                    backlink_count=_count(connection, back, of),
                    broken_count=_count(connection, f"{own} and {_BROKEN}", of),
                )
            except (OSError, sqlite3.Error, ValueError) as error:
                _log.info("the links %s cannot be read (%s)", one_line(str(self._path)), one_line(str(error)))
                self.close()
                self.is_readable = False
                return SectionLinks()

    def holder_of(self, path: str, anchor: str) -> tuple[str, int] | None:
        """The id of the section of a document that holds an anchor which is no section's own, and the anchor's line: a
        heading H4 to H6, an id in HTML, a label, or a block (`^name`); also where it differs in case alone."""
        rows = self._rows("select names from documents where path = ?", (path,))
        try:
            names = DocumentNames.from_json(rows[0][0]) if rows else DocumentNames()
        except (TypeError, ValueError, RecursionError):
            return None
        is_block = anchor.startswith("^")
        wanted = anchor.removeprefix("^")
        for fold in (str, caseless):
            for each in names.anchors:
                if (each.kind == "block") is is_block and fold(each.name) == fold(wanted):
                    return next(((one.id, each.line) for one in reversed(names.sections) if one.line <= each.line), None)
        return None

    def backlink_counts(self) -> Mapping[str, int]:
        """How many other sections link to each section, by id; sections without any are left out."""
        rows = self._rows(
            "select to_section, count(distinct section) from links where to_section != '' and section != to_section "
            "group by to_section",
            (),
        )
        return {str(section): int(count) for section, count in rows}

    def backlink_count(self, section_id: str) -> int:
        """How many links of other sections lead to a section."""
        rows = self._rows(f"select count(*) from links where {_TO_SECTION}", (section_id,))
        return int(rows[0][0]) if rows else 0

    def _rows(self, query: str, values: Sequence[str]) -> list[tuple[Any, ...]]:
        """Return the rows of a query; none where the links cannot be read."""
        with self._lock:
            connection = self._open()
            if connection is None:
                return []
            try:
                self._ends = time.monotonic() + _TIMEOUT
                return connection.execute(query, values).fetchall()
            except (OSError, sqlite3.Error) as error:
                _log.info("the links %s cannot be read (%s)", one_line(str(self._path)), one_line(str(error)))
                self.close()
                return []

    def close(self) -> None:
        """Close the file; it is opened again when it is asked for."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def release(self) -> None:
        """Close the file as soon as no thread reads it."""
        with self._lock:
            self.close()

    def _open(self) -> sqlite3.Connection | None:
        """Return the open file, opened again if another one took its place."""
        try:
            status = self._path.stat()
            file = (status.st_dev, status.st_ino)
            if self._connection is not None and file == self._file:
                return self._connection
            self.close()
            connection = read_sqlite(self._path, is_shared=True)
        except (OSError, sqlite3.Error):
            self.close()
            return None
        try:
            facts = dict(connection.execute("select name, value from facts limit 100")) if holds(connection, TABLES) else {}
        except (OSError, sqlite3.Error):
            facts = {}
        if (facts.get("format"), facts.get("store")) != (LINKS, self._store_id):
            connection.close()
            return None
        connection.set_progress_handler(lambda: time.monotonic() > self._ends, 100_000)
        self._connection, self._file = connection, file
        return connection


def find_fault(path: Path, *, store_id: str) -> str | None:
    """What is wrong with the file of the links of a table that has rows, as the end of a sentence; None for nothing."""
    try:
        with contextlib.closing(read_sqlite(path)) as connection:
            if not holds(connection, TABLES):
                return "are in other tables than they should"
            check_pages(connection)
            facts = dict(connection.execute("select name, value from facts limit 100"))
            return None if (facts.get("format"), facts.get("store")) == (LINKS, store_id) else "are those of another index"
    except (OSError, sqlite3.Error) as error:
        return f"cannot be read ({one_line(str(error))})" if path.exists() else "are missing"


def _count(connection: sqlite3.Connection, condition: str, of: str) -> int:
    return int(connection.execute(f"select count(*) {condition}", (of,)).fetchone()[0])
