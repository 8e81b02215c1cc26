"""`Origin`: what an extracted document was made of, and how ↔ the front matter in which it says so.

A user may edit these documents, so whatever is read here is checked, and what makes no sense belongs to no origin.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from indexer.llm.documents import front_matter, safe_text, safe_title
from indexer.markdown.frontmatter import read_front_matter
from indexer.reading import FoundFile, read_file
from schema.text.characters import encodable, one_line

#: Raised when documents are written in another form.
FORMAT = 1
_CHARACTERS = re.compile(r"(\d{1,12})-(\d{1,12})")
#: Larger files in the folder are not documents that were made here (bytes).
_MAX_BYTES = 20_000_000
_MARK = b"source_sha256:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The source of a document and how it was made.

    `kind` is what was made, as "knowledge"; `source` the path of the source relative to the project's root, on one line;
    `sha256` the hash of its bytes in hex digits; `prompt` the name and version of the prompt; `date` in ISO 8601; `language`
    a code or "". Of a source that was cut, `part` is the number of the part, 1..`parts`, and `characters` its (start, end)
    offsets in the source's text.
    """

    kind: str
    source: str
    sha256: str
    prompt: str
    language: str
    model: str = ""
    date: str = ""
    part: int = 1
    parts: int = 1
    characters: tuple[int, int] = (0, 0)

    @property
    def made_of(self) -> tuple[object, ...]:
        """What another document needs not be made of again: bytes, part, kind, prompt and language."""
        return (self.sha256, self.kind, self.prompt, self.language, self.part, self.parts, self.characters)


@dataclass(frozen=True, slots=True)
class MadeDocument:
    """An extracted document in a folder; `is_edited`: its text is not as it was written."""

    path: Path
    origin: Origin
    is_edited: bool


def document_text(origin: Origin, *, title: str, tags: list[str], body: str) -> str:
    """Return a whole document: front matter with its origin, the title as H1, and the text below it.

    `title` and `body` may hold anything; neither can end the front matter or add to it.
    """
    title = safe_title(title)
    text = f"\n# {title}\n\n{safe_text(body)}\n"
    values: dict[str, Any] = {"title": title, "tags": tags}
    if origin.language:
        values["language"] = origin.language
    values["source"] = origin.source
    values["source_sha256"] = origin.sha256
    if origin.parts > 1:
        values |= {"source_part": origin.part, "source_parts": origin.parts}
        values["source_characters"] = "{}-{}".format(*origin.characters)
    values |= {"date": origin.date, "model": one_line(encodable(origin.model)), "prompt": origin.prompt}
    values |= {"format": f"{origin.kind}/{FORMAT}", "text_sha256": sha256(text.encode())}
    return front_matter(values) + text


class MadeDocuments:
    """The extracted documents in a folder, by what they were made of; other files are left alone, links are not followed.

    Raises:
        OSError: the folder is there and cannot be read.
    """

    def __init__(self, folder: Path) -> None:
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except FileNotFoundError:
            entries = []
        #: The names of all files in the folder, in small letters, since some systems see no difference.
        self.names = {entry.name.casefold() for entry in entries}
        self._of_bytes: dict[tuple[str, str, str], list[MadeDocument]] = {}
        self._of_source: dict[tuple[str, str], list[MadeDocument]] = {}
        for entry in entries:
            made = read_made(Path(entry.path)) if entry.name.endswith(".md") else None
            if made is not None:
                origin = made.origin
                self._of_bytes.setdefault((origin.sha256, origin.kind, origin.prompt), []).append(made)
                self._of_source.setdefault((origin.source, origin.kind), []).append(made)

    def whole(self, *, sha256: str, kind: str, prompt: str, language: str) -> list[MadeDocument]:
        """Return the documents of all parts of a source, however it was cut, in one language ("" for any); [] if not all."""
        cuts: dict[tuple[str, int], dict[int, MadeDocument]] = {}
        for made in self._of_bytes.get((sha256, kind, prompt), []):
            if not language or made.origin.language == language:
                cuts.setdefault((made.origin.language, made.origin.parts), {})[made.origin.part] = made
        for (_, parts), found in cuts.items():
            own = [found[part] for part in sorted(found)]
            is_joined = all(a.origin.characters[1] == b.origin.characters[0] for a, b in itertools.pairwise(own))
            if (min(found), max(found), len(found)) == (1, parts, parts) and is_joined:
                return own
        return []

    def same(self, origin: Origin) -> MadeDocument | None:
        """Return a document that was made of the same text by the same prompt."""
        found = self._of_bytes.get((origin.sha256, origin.kind, origin.prompt), [])
        return next((made for made in found if made.origin.made_of == origin.made_of), None)

    def outdated(self, *, source: str, kind: str, sha256: str, prompt: str) -> list[MadeDocument]:
        """Return the documents of a source that were made of other bytes or by another prompt."""
        found = self._of_source.get((source, kind), [])
        return [made for made in found if (made.origin.sha256, made.origin.prompt) != (sha256, prompt)]


def read_made(path: Path) -> MadeDocument | None:
    """Return the extracted document that a file is; None if it is none, or cannot be read."""
    try:
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > _MAX_BYTES:
            return None
        data = read_file(FoundFile(path.name, str(path), status.st_size, status.st_mtime_ns, status.st_ctime_ns))
        text = data.decode("utf-8") if _MARK in data else ""
    except (OSError, ValueError):  # it stays where it is, and is no reason to make no other
        return None
    front = read_front_matter(text)
    origin = _origin(front.values)
    if origin is None:
        return None
    own = sha256(text[len(front.raw) :].encode())
    return MadeDocument(path, origin, is_edited=front.values.get("text_sha256") != own)


def _origin(values: Mapping[str, Any]) -> Origin | None:
    """Return the origin that front matter tells; None if it tells none."""
    texts = {name: values.get(name, "") for name in ("source", "source_sha256", "prompt", "format", "language")}
    if not all(isinstance(text, str) for text in texts.values()) or not texts["source_sha256"]:
        return None
    kind, _, version = texts["format"].partition("/")
    if version != str(FORMAT):
        return None
    part, parts = values.get("source_part", 1), values.get("source_parts", 1)
    characters = _CHARACTERS.fullmatch(str(values.get("source_characters", "0-0")))
    if not isinstance(part, int) or not isinstance(parts, int) or characters is None:
        return None
    return Origin(
        kind=kind,
        source=texts["source"],
        sha256=texts["source_sha256"],
        prompt=texts["prompt"],
        language=texts["language"],
        part=part,
        parts=parts,
        characters=(int(characters[1]), int(characters[2])),
    )


def sha256(data: bytes) -> str:
    """Return the hash of a file's bytes, as 64 hex digits."""
    return hashlib.sha256(data).hexdigest()
