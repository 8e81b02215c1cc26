"""An include of mdBook, such as `{{#include listings/main.rs:2:5}}` → the lines of the file that it means.

Files are read when a section is shown, and only those that the index's own documents could be: regular files of text inside
its folder, not hidden, and not behind a link out of it.
"""

from __future__ import annotations

import os
import posixpath
import re
from pathlib import Path

from schema.index_files.layout import is_own, manifest_path, store_dir
from schema.index_files.manifest import read_manifest
from schema.status import documents_root
from schema.trust import read_small_file

#: Includes of one section that are read, the largest file (bytes), and the longest text of them all (characters).
MAX_INCLUDES, MAX_BYTES, MAX_CHARACTERS = 20, 1_000_000, 40_000
_ANCHOR_NAME = re.compile(r"[\w-]{1,100}")
_ANCHOR = re.compile(r"ANCHOR(_END)?:[ \t]*([\w-]+)")
_NUMBER = re.compile(r"[0-9]{1,9}")
#: A line of Rust that a book hides; two signs stand for one that is shown.
_HIDDEN_LINE = re.compile(r"[ \t]*#(?: |$)")


class Includes:
    """Reads what one section of the index in `index_dir` includes; what is beyond the limits is not read."""

    def __init__(self, index_dir: Path) -> None:
        self._index_dir = index_dir
        self._root: Path | None = None
        self._count = self._characters = 0

    def text(self, document_path: str, directive: str, argument: str) -> str | None:
        """Return the lines that an include in a document means, without the last line end; None if they cannot be had.

        `directive` is "include", "rustdoc_include" or "playground", `argument` a path relative to the document, with lines
        ("a.rs:2:5") or an anchor ("a.rs:main").
        """
        name, _, part = argument.strip().partition(" ")[0].partition(":")
        self._count += 1
        if not name or self._count > MAX_INCLUDES:
            return None
        lines = self._lines(document_path, name)
        lines = None if lines is None else chosen_lines(lines, part)
        if lines is None:
            return None
        if directive == "rustdoc_include":
            lines = [line for line in lines if not _HIDDEN_LINE.match(line)]
        elif directive in ("playground", "playpen"):
            lines = ["```rust", *lines, "```"]
        self._characters += sum(map(len, lines)) + len(lines)
        return "\n".join(lines) if self._characters <= MAX_CHARACTERS else None

    def _lines(self, document_path: str, name: str) -> list[str] | None:
        """Return the lines of a file beside a document."""
        path = posixpath.normpath(posixpath.join(posixpath.dirname(document_path), name))
        try:
            root = Path(os.path.realpath(self._documents()))
            location = Path(os.path.realpath(root / path))
            inside = location.relative_to(root).parts
            is_allowed = not posixpath.isabs(name) and not any(
                part.startswith(".") or part == ".." for part in (*path.split("/"), *inside)
            )
            data = read_small_file(location, limit=MAX_BYTES) if is_allowed and inside else b"\0"
            text = data.decode("utf-8-sig")
        except (OSError, ValueError):
            return None
        return None if "\0" in text else re.sub(r"\r\n?", "\n", text).removesuffix("\n").split("\n")

    def _documents(self) -> Path:
        """Return the folder that the index's documents are in."""
        if self._root is None:
            metadata = read_manifest(manifest_path(store_dir(self._index_dir)), ()).metadata
            self._root = documents_root(self._index_dir, metadata, is_ours=is_own(self._index_dir))
        return self._root


def chosen_lines(lines: list[str], part: str) -> list[str] | None:
    """Return the lines that a part means: "2", "2:", ":5", "2:5" or the name of an anchor; None if there are none.

    >>> chosen_lines(["a", "// ANCHOR: x", "b", "// ANCHOR_END: x"], "x"), chosen_lines(["a", "b", "c"], "2:")
    (['b'], ['b', 'c'])
    """
    first, _, last = part.partition(":")
    if not part.strip(":"):
        return lines
    if all(not one or _NUMBER.fullmatch(one) for one in (first, last)):
        begin = max(1, int(first or 1))
        end = int(last) if last else len(lines) if ":" in part else begin
        return lines[begin - 1 : end] or None
    if _ANCHOR_NAME.fullmatch(first) is None:
        return None
    found, is_inside = [], False
    for line in lines:
        anchor = _ANCHOR.search(line)
        if anchor is None:
            if is_inside:
                found.append(line)
        elif anchor.group(2) == first:
            is_inside = anchor.group(1) is None
            if not is_inside:
                break
    return found or None
