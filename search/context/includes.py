"""An include in a document, such as `{{#include listings/main.rs:2:5}}` → the lines of the file that it means.

Files are read when a section is shown, and only those that the index's own documents could be: regular files of text inside
its folder, not hidden, and not behind a link out of it. What is stored and searched stays as it is written.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from schema.index_files.layout import is_own, manifest_path, store_dir
from schema.index_files.manifest import read_manifest
from schema.index_files.roots import IndexRoots, roots_of
from schema.results import SearchResult, Window
from schema.sections import Section
from schema.trust import read_small_file
from search.context.include_forms import CODE, PART, SNIPPET, Directive, directives, targets, written_in

#: Includes of one section that are read, the largest file (bytes), and the longest text of them all (characters).
MAX_INCLUDES, MAX_BYTES, MAX_CHARACTERS = 20, 1_000_000, 40_000
#: Includes within includes, and folders above a document in which a path is looked for.
_MAX_DEPTH, _MAX_FOLDERS = 5, 20
#: What is read as Markdown, so that includes in it count; what they may be.
_NESTED = {"include": ("include", "rustdoc_include"), SNIPPET: (SNIPPET,), PART: (PART, CODE)}
_LEAD = re.compile(r"[ \t>]*")


class Includes:
    """Reads what one section of the index in `index_dir` includes; what is beyond the limits is not read."""

    def __init__(self, index_dir: Path) -> None:
        self._index_dir = index_dir
        self._roots: IndexRoots | None = None
        self._count = self._characters = 0

    def text(self, document_path: str, name: str, argument: str) -> str | None:
        """Return the lines that an include in a document means, without the last line end; None if they cannot be had.

        `name` and `argument` are those of a `Directive`: ("include", "a.rs:2:5"). A file that includes itself cannot be had.
        """
        return self._text(document_path, name, argument, ((document_path, ""),))

    def _text(self, document: str, name: str, argument: str, above: tuple[tuple[str, str], ...]) -> str | None:
        """Return the same; `above` are the documents and the arguments of the includes around it."""
        found = []
        for path, choose in targets(name, argument):
            self._count += 1
            if not path or self._count > MAX_INCLUDES:
                return None
            read = self._first(document, name, path)
            part = argument.partition(path)[2]
            chosen = None if read is None or (read[0], part) in above else choose(read[1])
            if read is None or chosen is None:
                return None
            self._characters += sum(map(len, chosen)) + len(chosen)
            if self._characters > MAX_CHARACTERS:
                return None
            found.append(self._with_nested(read[0], name, "\n".join(chosen), (*above, (read[0], part))))
        return "\n".join(found) if found else None

    def _with_nested(self, path: str, name: str, text: str, above: tuple[tuple[str, str], ...]) -> str:
        """Return an included text with what it includes itself; what cannot be had stays as it is written."""
        if name not in _NESTED or len(above) > _MAX_DEPTH:
            return text
        pieces, done = [], 0
        for one in written_in(text):
            if one.name in _NESTED[name]:
                included = self._text(path, one.name, one.argument, above)
                if included is not None:
                    pieces += [text[done : one.start], _led(text, one.start, included)]
                    done = one.end
        return "".join((*pieces, text[done:]))

    # -- files ---------------------------------------------------------------------------------------------------------

    def _first(self, document: str, name: str, path: str) -> tuple[str, list[str]] | None:
        """Return the path in the index and the lines of the first file that a path in a document may mean."""
        roots = self._known_roots()
        outside, _, rest = document.partition("/")
        if outside in roots.folders:
            folder, document = roots.folders[outside], rest
        else:
            outside, folder = "", roots.project
        if folder is None:
            return None
        for place in _places(document, name, path):
            inside = f"{outside}/{place}" if outside else place
            lines = self._lines(folder, place) if not outside or roots.root_of(inside) is not None else None
            if lines is not None:
                return inside, lines
        return None

    def _lines(self, folder: Path, path: str) -> list[str] | None:
        """Return the lines of a file in a folder of documents."""
        if posixpath.isabs(path) or any(part.startswith(".") for part in path.split("/")):
            return None
        try:
            root = Path(os.path.realpath(folder))
            location = Path(os.path.realpath(root / path))
            inside = location.relative_to(root).parts
            if not inside or any(part.startswith(".") for part in inside):
                return None
            text = read_small_file(location, limit=MAX_BYTES).decode("utf-8-sig")
        except (OSError, ValueError):
            return None
        return None if "\0" in text else re.sub(r"\r\n?", "\n", text).removesuffix("\n").split("\n")

    def _known_roots(self) -> IndexRoots:
        """Return the folders that the index's documents are in."""
        if self._roots is None:
            metadata = read_manifest(manifest_path(store_dir(self._index_dir)), ()).metadata
            self._roots = roots_of(self._index_dir, metadata, is_own=is_own(self._index_dir))
        return self._roots


def _places(document: str, name: str, path: str) -> Iterator[str]:
    """Yield the paths that a path in a document may mean: from its folder, or from a folder above that is the site's."""
    folder = posixpath.dirname(document)
    is_of_site = name == SNIPPET or (name in (CODE, PART) and path.startswith("@/"))
    if posixpath.isabs(path):
        return
    if not is_of_site:
        yield posixpath.normpath(posixpath.join(folder, path))
        return
    for _ in range(_MAX_FOLDERS):
        yield posixpath.normpath(posixpath.join(folder, path.removeprefix("@/").lstrip("/")))
        if not folder:
            break
        folder = posixpath.dirname(folder)


def _led(text: str, offset: int, included: str) -> str:
    """Return an included text whose lines begin as the one does that it is put into, if only blanks stand there."""
    lead = _LEAD.fullmatch(text, max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1, offset)
    return included.replace("\n", f"\n{lead[0]}") if lead is not None else included


def with_includes(hit: SearchResult, includes: Includes) -> SearchResult:
    """Return a hit to be shown whole, with the lines that its section includes in place of the includes.

    Its matches move with their words. An include that cannot be had is shown as it is written. The content is no slice of
    the file any more: it is for the eyes of a reader alone.
    """
    section = hit.section
    edits = []
    for one, found in _read(section, includes):
        shown = section.content[one.start : one.end] if found is None else _led(section.content, one.start, found)
        edits.append((one.start, one.end, shown))
    if not edits:
        return hit
    matches = tuple(
        Window(match.start + by, match.end + by) for match in hit.matches for by in (_shift(edits, match.start),)
    )
    return replace(hit, section=_edited(section, edits), matches=matches)


def included_texts(section: Section, includes: Includes) -> list[tuple[str, str]]:
    """Return the includes of a section as they are written, each with its lines; without those that cannot be had."""
    read = _read(section, includes)
    return [(section.content[one.start : one.end], found) for one, found in read if found is not None]


def _read(section: Section, includes: Includes) -> Iterator[tuple[Directive, str | None]]:
    for one in directives(section.content, section.hidden):
        yield one, includes.text(section.document_path, one.name, one.argument)


def _edited(section: Section, edits: Sequence[tuple[int, int, str]]) -> Section:
    """Return a section with other texts in some places, which are not hidden any more."""
    pieces: list[str] = []
    hidden: list[int] = []
    done = 0
    for start, end, text in (*edits, (len(section.content), len(section.content), "")):
        for first, last in zip(section.hidden[::2], section.hidden[1::2], strict=True):
            if max(first, done) < min(last, start):
                by = _shift(edits, done)
                hidden += [max(first, done) + by, min(last, start) + by]
        pieces += [section.content[done:start], text]
        done = end
    return replace(section, content="".join(pieces), hidden=tuple(hidden))


def _shift(edits: Iterable[tuple[int, int, str]], offset: int) -> int:
    """Return by how much the text at an offset moves."""
    return sum(len(text) - (end - start) for start, end, text in edits if end <= offset)
