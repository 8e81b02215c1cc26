"""Paths as a user types and reads them in a terminal ↔ paths in the index.

In a folder of the project, paths are shown relative to it, so that they open from there. What was shown is taken as it is;
so are absolute paths, paths relative to the working folder, and those of the index.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from schema.filters import is_glob
from schema.index_files.roots import IndexRoots
from schema.sections import LINES_BEHIND

#: The place of a section in a converted file that has lines.
_LINE_PLACE = re.compile(r"(?:after )?line (\d{1,9})")


@dataclass(frozen=True, slots=True)
class UserPaths:
    """The paths of an index with these roots, for a user who stands in the folder `here`."""

    roots: IndexRoots
    here: Path

    @property
    def _base(self) -> str:
        """The path in the index of the working folder; "." where it makes no difference."""
        return self.roots.spell(self.here) or "."

    def shown(self, path: str) -> str:
        """Return a document's path as it opens from the working folder, if that is in the same folder of the index."""
        base = self._base
        if base == "." or path.startswith("../") or self._place(base) != self._place(path):
            return path
        shown = posixpath.relpath(path, base)
        return f"./{shown}" if self._place(shown) else shown

    def _place(self, path: str) -> str:
        """Return the name of the folder outside of the project that a path is in; "" for the project."""
        name = path.partition("/")[0]
        return name if name in self.roots.folders else ""

    def is_gone(self, path: str) -> bool:
        """Whether a document's file is not there any more, as far as it can be looked at."""
        location = self.roots.locate(path)
        try:
            return location is not None and not location.is_file()
        except (OSError, ValueError):  # a path that no file can have is a ValueError
            return False

    def documents(self, typed: str) -> list[str]:
        """Return the paths in the index that may be meant by a document's path, the likeliest first."""
        found = [self._inside(spelt, self.here / typed) for spelt in (os.path.normpath, os.path.realpath)]
        literal = posixpath.normpath(typed) if typed and not typed.startswith("/") else typed.lstrip("/")
        found.insert(0 if self._place(typed) else len(found), literal)
        return list(dict.fromkeys(path for path in found if path and path != "." and not path.startswith("../")))

    def _inside(self, spelt: Callable[[Path], str], location: Path) -> str | None:
        try:
            return self.roots.spell(Path(spelt(location)))
        except ValueError:  # a path that no file can have
            return None

    def pattern(self, typed: str) -> str:
        """Return what a filter of paths means in the index; "" for all documents."""
        text = typed.strip()
        wild = next((number for number, character in enumerate(text) if is_glob(character)), len(text))
        is_whole = wild == len(text)
        head = text if is_whole else text[: text.rfind("/", 0, wild) + 1]
        rest = text[len(head) :]
        if not head or self._place(text) or not self._is_from_here(head):
            return text
        location = Path(os.path.normpath(self.here / head))
        found = self._inside(os.path.normpath, location) or self._inside(os.path.realpath, location)
        if found is None:
            return text
        is_folder = location.is_dir() or head.endswith("/")
        if found == ".":
            return rest
        return f"{found}/{rest}" if is_folder else f"{found}{rest}"

    def _is_from_here(self, head: str) -> bool:
        """Whether the beginning of a filter is a path from the working folder, or an absolute one."""
        if head.startswith(("./", "../")) or head in (".", ".."):
            return True
        return (head.startswith("/") or self._base != ".") and os.path.lexists(self.here / head)


def split_place(typed: str) -> tuple[str, str, int | None]:
    """Return the path, anchor and line of a place in a document, as results show places.

    >>> split_place("docs/a.md#install"), split_place("docs/a.md:22")
    (('docs/a.md', 'install', None), ('docs/a.md', '', 22))
    >>> split_place("docs/#1.md"), split_place("docs/C#.md:3"), split_place("docs/#1.md#install")
    (('docs/#1.md', '', None), ('docs/C#.md', '', 3), ('docs/#1.md', 'install', None))
    """
    path, _, anchor = typed.rpartition("#")
    is_name = not path or path.endswith("/") or "." in anchor  # the sign is in the name of a file
    if "#" in typed and not is_name:
        return path, anchor, None
    match = LINES_BEHIND.search(typed)
    return (typed[: match.start()], "", int(match[1])) if match else (typed, "", None)


def places(typed: str) -> list[tuple[str, str, int | None]]:
    """Return what a place in a document may be read as, the likeliest first; see `split_place`.

    An anchor may also have a dot in it, and lines behind it as in the citations of a context.

    >>> places("docs/log.md#v1.2")
    [('docs/log.md#v1.2', '', None), ('docs/log.md', 'v1.2', None)]
    >>> places("docs/a.md#keys:L12-L15")
    [('docs/a.md', 'keys:L12-L15', None), ('docs/a.md', 'keys', None)]
    """
    path, _, anchor = LINES_BEHIND.sub("", typed).rpartition("#")
    cited = [(path, anchor, None)] if path and anchor and not path.endswith("/") else []
    return list(dict.fromkeys([split_place(typed), *cited]))


def line_to_open(place: str, line: int) -> int:
    """Return the line of its file (1-based) at which to open a hit with a `place`, "" for Markdown, and a line of its text.

    A converted file is opened at the line that its place names; 0 if it names none, as a page or a cell.

    >>> line_to_open("", 22), line_to_open("line 40", 22), line_to_open("page 3", 22)
    (22, 40, 0)
    """
    if not place:
        return line
    named = _LINE_PLACE.fullmatch(place)
    return int(named[1]) if named else 0
