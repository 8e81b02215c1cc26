"""The names of all documents → look-ups by page, by note and by anchor."""

from __future__ import annotations

import bisect
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from schema.index_files.links import DocumentNames

#: Files that stand for their folder.
FOLDER_FILES = frozenset({"index", "readme", "_index"})
#: Folders of what is published without their name.
_SOURCES = frozenset({"src", "docs", "content"})
#: Docusaurus: numbers that order files and are no part of an address.
_NUMBER = re.compile(r"(?:^|(?<=/))\d{1,6}[-_. ]{1,3}(?=[^/\d])")
_MAX_NAME = 400


class Pages:
    """Documents by the paths under which links can name them: with their ending and without, as a page and as a folder."""

    def __init__(self, names: Mapping[str, DocumentNames]) -> None:
        self._by_key: dict[str, list[str]] = {}
        #: Every folder with a document in it or below it, and those with a document directly in them.
        self.folders: set[str] = set()
        self.homes: set[str] = set()
        self._by_address: dict[str, list[str]] = {}
        self._published: dict[str, list[str]] = {}
        self._numbered: dict[str, list[str]] = {}
        for path in sorted(names):
            folder = path.rpartition("/")[0]
            self.homes.add(folder)
            while folder not in self.folders:
                self.folders.add(folder)
                folder = folder.rpartition("/")[0]
            for key in _keys(path):
                self._by_key.setdefault(key, []).append(path)
                plain = _NUMBER.sub("", key)
                if plain != key:
                    self._numbered.setdefault(plain, []).append(path)
            place = published(without_ending(path))
            if place != without_ending(path):
                self._published.setdefault(place.casefold(), []).append(path)
            for address in names[path].addresses:
                self._by_address.setdefault(address.strip("/").casefold(), []).append(path)

    def at(self, path: str) -> str | None:
        """Return the document that a path of the form a/b means, whether or not it has an ending."""
        trimmed = path.strip("/")
        found = self._by_key.get(trimmed.casefold())
        if found is None and trimmed.casefold().endswith((".html", ".htm")):
            found = self._by_key.get(trimmed.rpartition(".")[0].casefold())
        if found is None and self._numbered:
            found = self._numbered.get(without_ending(trimmed).casefold())
        return None if found is None else _nearest_spelling(found, trimmed)

    def at_published(self, path: str) -> list[str]:
        """Return the documents that a book has at a path without an ending."""
        return self._published.get(path.casefold(), [])

    def at_address(self, address: str) -> str | None:
        """Return the document whose front matter gives this address."""
        found = self._by_address.get(address.strip("/").casefold())
        return found[0] if found else None


def published(path: str) -> str:
    """Return where a book has what is written at a path: without the folders of its sources.

    >>> published("second/src/keys/new")
    'second/keys/new'
    """
    return "/".join(part for part in path.split("/") if part not in _SOURCES)


def _keys(path: str) -> Iterable[str]:
    folded = path.casefold()
    yield folded
    stem = without_ending(folded)
    yield stem
    folder, _, name = stem.rpartition("/")
    if name in FOLDER_FILES:
        if folder:
            yield folder
        if name != "index":
            yield f"{folder}/index".lstrip("/")


def _nearest_spelling(paths: list[str], asked: str) -> str:
    """Return the path as it was asked for, else the one without a folder file, else the first."""
    if len(paths) == 1:
        return paths[0]
    plain = (asked, without_ending(asked))
    return min(paths, key=lambda path: (path != asked, without_ending(path) not in plain, path))


def without_ending(path: str) -> str:
    """Return a path without the ending of its file's name."""
    folder, slash, name = path.rpartition("/")
    stem, dot, ending = name.rpartition(".")
    return f"{folder}{slash}{stem}" if dot and stem and ending.isalnum() else path


class Namesakes:
    """The documents that one name means, in order of their paths."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._by_folder: dict[str, list[str]] = {}
        for path in paths:
            self._by_folder.setdefault(path.rpartition("/")[0], []).append(path)
        least = min((path.count("/") for path in paths), default=0)
        self._shallowest = [path for path in paths if path.count("/") == least]

    def near(self, document: str) -> list[str]:
        """Return those in the folder of a document or, if there is none, those in the fewest folders."""
        return list(self._by_folder.get(document.rpartition("/")[0], self._shallowest))


class Notes:
    """Documents as wikilinks name them: by the end of their path, an alias or a title."""

    def __init__(self, names: Mapping[str, DocumentNames]) -> None:
        self._by_name: dict[str, list[str]] = {}
        self._by_end: dict[str, list[str]] = {}
        self._by_alias: dict[str, list[str]] = {}
        self._asked: dict[str, Namesakes] = {}
        for path in sorted(names):
            *folders, name = without_ending(path).casefold().split("/")
            self._by_name.setdefault(name, []).append(path)
            if folders:
                self._by_end.setdefault(f"{folders[-1]}/{name}", []).append(path)
                if name in FOLDER_FILES:
                    self._by_name.setdefault(folders[-1], []).append(path)
            for alias in names[path].aliases:
                self._by_alias.setdefault(alias.casefold()[:_MAX_NAME], []).append(path)

    def named(self, name: str, *, near: str) -> list[str]:
        """Return the documents that a note's name means, nearest to the document `near` first.

        More than one: they are equally near. A name may have folders before it and an ending.
        """
        asked = name.replace("\\", "/").strip("/").casefold()
        if asked not in self._asked:
            self._asked[asked] = Namesakes(self._meant(asked))
        return self._asked[asked].near(near)

    def with_name(self, name: str) -> list[str]:
        """Return the documents whose file has this name, without its ending."""
        return self._by_name.get(name.casefold(), [])

    def _meant(self, asked: str) -> list[str]:
        found = self._with_path(asked)
        stem = without_ending(asked)
        if not found and stem != asked:
            found = [path for path in self._with_path(stem) if path.casefold().endswith(asked.rpartition("/")[2])]
        return found or self._by_alias.get(asked, [])

    def _with_path(self, asked: str) -> list[str]:
        if "/" not in asked:
            return self._by_name.get(asked, [])
        found = self._by_end.get("/".join(asked.split("/")[-2:]), [])
        ends = [path for path in found if f"/{without_ending(path).casefold()}".endswith(f"/{asked}")]
        exact = [path for path in ends if without_ending(path).casefold() == asked]
        return exact or ends


class Anchors:
    """The anchors of one document → the sections that hold them."""

    def __init__(self, names: DocumentNames) -> None:
        self.has_includes = names.has_includes
        self.first = names.sections[0].id if names.sections else ""
        self._blocks: dict[str, str] = {}
        self._tables: tuple[dict[str, str], ...] = ({}, {}, {}, {})
        self._written: list[str] = []
        starts = [section.line for section in names.sections]
        for section in names.sections:
            if section.anchor:
                self._written.append(section.anchor)
            for name in (section.anchor, section.heading):
                self._add(name, section.id)
        for anchor in names.anchors:
            index = bisect.bisect_right(starts, anchor.line) - 1
            holder = names.sections[max(index, 0)].id if names.sections else ""
            if anchor.kind == "block":
                self._blocks.setdefault(anchor.name.casefold(), holder)
            else:
                self._written.append(anchor.name)
                self._add(anchor.name, holder)

    def __eq__(self, other: object) -> bool:
        """Whether every link leads to the same section in both."""
        return isinstance(other, Anchors) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]

    def _add(self, name: str, section: str) -> None:
        for table, spelling in zip(self._tables, _spellings(name), strict=True):
            if spelling:
                table.setdefault(spelling, section)

    def find(self, fragment: str) -> str | None:
        """Return the section that holds an anchor: as written, else whatever its case, else whatever its signs."""
        for table, spelling in zip(self._tables, _spellings(fragment), strict=True):
            if spelling in table:
                return table[spelling]
        return None

    def block(self, name: str) -> str | None:
        """Return the section that holds the block with an id."""
        return self._blocks.get(name.casefold())

    @property
    def written(self) -> list[str]:
        """Every anchor and id, without those of blocks."""
        return self._written


@lru_cache(1 << 16)
def _spellings(name: str) -> tuple[str, str, str, str]:
    """A name as written, without regard to case, by its letters and digits alone, and without accents too."""
    name = name[:_MAX_NAME]
    letters = "".join(filter(str.isalnum, unicodedata.normalize("NFKC", name).casefold()))
    bare = "".join(filter(str.isalnum, unicodedata.normalize("NFKD", letters)))
    return name, name.casefold(), letters, bare
