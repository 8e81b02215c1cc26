"""The links of an index, in an SQLite file beside its table: where each one stands, and to which section it leads.

It is a cache: it is written after the table and may lag behind it. If it is lost, damaged or of another table or version, a
writer reads the links from the table again (see `indexer.sync.links`), and readers find no links until then.
"""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Self, get_args

from schema.index_files.bound_file import BoundFile
from schema.index_files.formats import LINKS
from schema.index_files.sqlite import open_sqlite, require_writable
from schema.links import STATUSES, Link, LinkKind, LinkStatus
from schema.text.characters import encodable, one_line

_log = logging.getLogger(__name__)

TABLES = """
create table if not exists facts (name text primary key, value not null);
create table if not exists documents (path text primary key, hash text not null, names text not null) without rowid;
create table if not exists links (
    id integer primary key, path text not null, section text not null, line integer not null, kind text not null,
    target text not null, text text not null, status text not null, to_path text not null, to_section text not null,
    place text not null);
create index if not exists links_of on links (path);
create index if not exists links_into on links (to_path) where to_path != '';
create index if not exists links_from on links (section);
create index if not exists links_to on links (to_section) where to_section != '';
"""
LINK_COLUMNS = "path, section, line, kind, target, text, status, to_path, to_section, place"
#: Pages are checked when a writer opens a file of up to so many bytes.
_LARGEST_CHECK = 8 << 20
_KINDS = frozenset(get_args(LinkKind))
_Row = tuple[Any, ...]


class NamedSection(NamedTuple):
    """A section as links name it: its id, the line in which it begins, its anchor and its heading."""

    id: str
    line: int
    anchor: str
    heading: str


class NamedAnchor(NamedTuple):
    """A further anchor of a document: its name, its line, and whether it is a heading, an id or a block id."""

    name: str
    line: int
    kind: str


@dataclass(frozen=True, slots=True)
class DocumentNames:
    """By what links can name a document and its sections.

    `aliases` are other names of a note, with its title; `addresses` are paths on a site that its front matter gives.
    `has_includes`: parts of it come from other files, with anchors that are not known.
    """

    sections: tuple[NamedSection, ...] = ()
    anchors: tuple[NamedAnchor, ...] = ()
    aliases: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    has_includes: bool = False

    def to_json(self) -> str:
        """Return it as the text that the file holds."""
        value = [self.sections, self.anchors, self.aliases, self.addresses, self.has_includes]
        return json.dumps(value, ensure_ascii=True, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what `to_json` gave.

        Raises:
            ValueError, TypeError: the text is something else.
        """
        sections, anchors, aliases, addresses, has_includes = json.loads(text)
        return cls(
            tuple(NamedSection(str(i), int(n), str(a), str(h)) for i, n, a, h in sections),
            tuple(NamedAnchor(str(name), int(line), str(kind)) for name, line, kind in anchors),
            tuple(map(str, aliases)),
            tuple(map(str, addresses)),
            bool(has_includes),
        )


@dataclass(frozen=True, slots=True)
class LinkedDocument:
    """What the file holds of a document: `hash` is that of the text and the sections whose links these are."""

    path: str
    hash: str
    names: DocumentNames
    links: tuple[Link, ...]


class Resolution(NamedTuple):
    """Where the link with the number `id` leads."""

    status: LinkStatus
    to_path: str
    to_section: str
    id: int


class LinkFile(BoundFile):
    """The links in the file `path`, opened to be changed, bound to the table `store_id`; a damaged file is made again.

    Raises:
        IndexAccessError: it cannot be written.
    """

    def __init__(self, path: Path, *, store_id: str) -> None:
        def remade(error: sqlite3.Error) -> Callable[[], sqlite3.Connection]:
            _log.info("the links %s cannot be used (%s) and are read again", one_line(str(path)), error)
            return connect

        connect = partial(_open, path, store_id)
        super().__init__(path, connect, remade)

    @property
    def table_version(self) -> int:
        """The version of the table whose links these are, -1 if they are not resolved yet."""
        row = self._connection.execute("select value from facts where name = 'table_version'").fetchone()
        return row[0] if row is not None and type(row[0]) is int else -1

    def hashes(self) -> dict[str, str]:
        """The hash of every document, by path."""
        return dict(self._connection.execute("select path, hash from documents"))

    def names(self, paths: Sequence[str] | None = None) -> Iterator[tuple[str, DocumentNames]]:
        """Yield every document, or each of `paths` (up to some hundreds) that the file has, and its names.

        Raises:
            ValueError: what is stored makes no sense.
        """
        chosen = "" if paths is None else f" where path in ({', '.join('?' * len(paths))})"
        for path, names in self._connection.execute(f"select path, names from documents{chosen}", paths or ()):
            try:
                yield path, DocumentNames.from_json(names)
            except (TypeError, RecursionError) as error:
                raise ValueError("the names of a document make no sense") from error

    def links(self) -> Iterator[tuple[int, Link]]:
        """Yield every link with its number, without those to external addresses."""
        yield from self._links("status != 'external'", ())

    def links_of(self, path: str) -> Iterator[tuple[int, Link]]:
        """Yield the links of a document and those to it, with their numbers, without those to external addresses."""
        yield from self._links("path = ? and status != 'external'", (path,))
        yield from self._links("to_path = ? and to_path != '' and path != ?", (path, path))

    def _links(self, condition: str, values: Sequence[str]) -> Iterator[tuple[int, Link]]:
        for row in self._connection.execute(f"select id, {LINK_COLUMNS} from links where {condition}", values):
            yield row[0], to_link(row[1:])

    def replace(self, documents: Iterable[LinkedDocument], *, gone: Iterable[str] = ()) -> None:
        """Write documents with their links and forget those that are `gone`, all or nothing; `resolve` has to follow."""
        with self._transaction():
            self._connection.execute("delete from facts where name = 'table_version'")
            for path in gone:
                self._forget(path)
            for document in documents:
                self._forget(document.path)
                self._connection.execute(
                    "insert into documents values (?, ?, ?)", (document.path, document.hash, document.names.to_json())
                )
                marks = f"insert into links ({LINK_COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
                self._connection.executemany(marks, map(_row, document.links))

    def verdicts(self) -> dict[str, bool]:
        """What was noted with the last `resolve`.

        Raises:
            ValueError: it makes no sense.
        """
        row = self._connection.execute("select value from facts where name = 'verdicts'").fetchone()
        noted = json.loads(row[0]) if row is not None and isinstance(row[0], str) else {}
        return {str(name): value is True for name, value in dict(noted).items()}

    def resolve(self, resolutions: Iterable[Resolution], *, table_version: int, verdicts: Mapping[str, bool]) -> None:
        """Note where links lead, what was learnt of all, and the version of the table that the file is true to now."""
        with self._transaction():
            self._connection.executemany(
                "update links set status = ?, to_path = ?, to_section = ? where id = ?", resolutions
            )
            facts = [("verdicts", json.dumps(dict(verdicts))), ("table_version", table_version)]
            self._connection.executemany("insert or replace into facts values (?, ?)", facts)

    def _forget(self, path: str) -> None:
        self._connection.execute("delete from documents where path = ?", (path,))
        self._connection.execute("delete from links where path = ?", (path,))


def _open(path: Path, store_id: str) -> sqlite3.Connection:
    """The file of links, with these facts if it is new.

    Raises:
        sqlite3.Error: it cannot be used, or is of another table or version.
    """
    connection = open_sqlite(path, TABLES, largest_check=_LARGEST_CHECK)
    try:
        require_writable(connection)
        facts = dict(connection.execute("select name, value from facts limit 100"))
        if len(facts) == 1:
            connection.executemany("insert into facts values (?, ?)", [("format", LINKS), ("store", store_id)])
        elif (facts.get("format"), facts.get("store")) != (LINKS, store_id):
            raise sqlite3.DatabaseError("they are of another table or version")
    except BaseException:
        connection.close()
        raise
    return connection


def _row(link: Link) -> Sequence[str | int]:
    return (
        link.document_path, link.section_id, link.line, link.kind, encodable(link.target), encodable(link.text), link.status,
        link.to_path, link.to_id, encodable(link.place),
    )  # fmt: skip


def to_link(row: _Row) -> Link:
    path, section, line, kind, target, text, status, to_path, to_section, place = row
    texts = (path, section, target, text, to_path, to_section, place)
    if kind not in _KINDS or status not in STATUSES or type(line) is not int or not all(isinstance(t, str) for t in texts):
        raise ValueError("a stored link makes no sense")
    return Link(
        document_path=path,
        section_id=section,
        line=line,
        kind=kind,
        target=target,
        text=text,
        status=status,
        to_path=to_path,
        to_id=to_section,
        place=place,
    )
