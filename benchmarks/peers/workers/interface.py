"""What an adapter of a peer is: a folder of Markdown → an index, kept up to date → answers to questions.

Runs in the environment of the peer, so it needs the standard library alone.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_HEADING = re.compile(r"(#{1,3})[ \t]+(\S.*)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


@dataclass(frozen=True, slots=True)
class Found:
    """One hit: a file's path under the folder (POSIX), the chunk's text, and its first line (from 1) if it is told."""

    path: str
    text: str = ""
    line: int | None = None


class Peer:
    """Base of the adapters: an index in `store` of the Markdown files under `docs`, by the model in the folder `model`."""

    #: Ways to search; the first one is what is timed.
    modes: tuple[str, ...] = ("vectors",)

    def __init__(self, store: Path, docs: Path, model: Path) -> None:
        self.store, self.docs, self.model = store, docs, model

    def index(self) -> None:
        """Make the index of all files."""
        raise NotImplementedError

    def update(self) -> None:
        """Bring the index up to date after files have changed."""
        raise NotImplementedError

    def query(self, text: str, limit: int, mode: str) -> list[Found]:
        """Return the best chunks, best first."""
        raise NotImplementedError


def load(file: Path) -> type[Peer]:
    """Return the class `Adapter` of a module, by its file: its name may be that of the library it uses."""
    spec = importlib.util.spec_from_file_location(f"adapter_{file.stem}", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    adapter: type[Peer] = module.Adapter
    return adapter


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a file: its first line (from 1), the heading that it stands under ("" for none), and its text."""

    line: int
    heading: str
    text: str


def markdown_files(docs: Path) -> list[tuple[str, Path]]:
    """Return path under the folder and file of every Markdown file, sorted."""
    return [(file.relative_to(docs).as_posix(), file) for file in sorted(docs.rglob("*.md"))]


def read(file: Path) -> str:
    """Return the text of a file, with what is not UTF-8 replaced."""
    return file.read_text(encoding="utf-8", errors="replace")


def parts_of(text: str) -> list[Part]:
    """Cut a text before every heading of level 1 to 3 that stands in no code: what a careful user writes in ten lines."""
    parts: list[Part] = []
    begin, heading, fence = 1, "", ""
    held: list[str] = []
    for number, line in enumerate(text.splitlines(keepends=True), start=1):
        if match := _FENCE.match(line):
            mark = match.group(1)
            if not fence:
                fence = mark
            elif mark[0] == fence[0] and len(mark) >= len(fence):
                fence = ""
        elif not fence and (match := _HEADING.match(line)):
            if "".join(held).strip():
                parts.append(Part(begin, heading, "".join(held)))
            begin, heading, held = number, match.group(2).strip(), []
        held.append(line)
    if "".join(held).strip():
        parts.append(Part(begin, heading, "".join(held)))
    return parts


def cut(part: Part, most: int) -> Iterator[Part]:
    """Cut a part at ends of lines into pieces of at most `most` characters; a longer line is cut within."""
    line, begin, held = part.line, part.line, ""
    for row in part.text.splitlines(keepends=True):
        for start in range(0, len(row), most):
            piece = row[start : start + most]
            if held and len(held) + len(piece) > most:
                if held.strip():
                    yield Part(begin, part.heading, held)
                begin, held = line, ""
            held += piece
        line += 1
    if held.strip():
        yield Part(begin, part.heading, held)


class Digests:
    """Which files an index was made of: paths and SHA-256 of their bytes, in a JSON file beside the index.

    For peers that have no such thing themselves: only files that changed are indexed again.
    """

    def __init__(self, store: Path) -> None:
        self._file = store / "digests.json"
        self._known: dict[str, str] = json.loads(self._file.read_text(encoding="utf-8")) if self._file.exists() else {}

    def changes(self, docs: Path) -> tuple[list[tuple[str, Path]], list[str]]:
        """Return files that are new or changed, and the paths of those that are changed or gone; note what there is now."""
        files = markdown_files(docs)
        now = {path: hashlib.sha256(file.read_bytes()).hexdigest() for path, file in files}
        new = [(path, file) for path, file in files if self._known.get(path) != now[path]]
        old = [path for path, digest in self._known.items() if now.get(path) != digest]
        self._known = now
        return new, old

    def save(self) -> None:
        """Write what was noted."""
        self._file.write_text(json.dumps(self._known), encoding="utf-8")
