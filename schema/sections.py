"""`Section`: a part of a document, before it is embedded."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from operator import itemgetter
from pathlib import PurePosixPath
from typing import Any

#: The heading shown for the text before the first H1–H3 of a document.
ROOT_HEADING = "(document root)"

#: 24 hex digits are 96 bits: with a million sections the odds of one collision are about 1 in 10^17.
ID_DIGITS, LEAST_DIGITS = 24, 6
#: Patterns of an id, and of an id or the beginning of one that names a section.
ID, ID_OR_BEGINNING = f"[0-9a-f]{{{ID_DIGITS}}}", f"[0-9a-f]{{{LEAST_DIGITS},{ID_DIGITS}}}"


#: What a line without text is made of.
BLANKS = " \t\r\n"
#: Most characters of a text in the `repr` of a record, and in its form for people.
REPR_CHARACTERS, SHOWN_CHARACTERS = 60, 480
_PLACE = re.compile(r"(?<!\\)<!-- ((?:page|cell) [0-9]{1,9}) -->")
LINE_END = re.compile(r"\r\n|\r|\n")
_NO_LINE_END = re.compile(r"[^\r\n]")
#: Files named after their folder's role are called by the folder.
_FOLDER_FILES = frozenset({"readme", "index", "_index"})


def text_hash(*parts: str) -> str:
    """SHA-256 over the parts as 64 hex digits; parts are framed, so ("a", "b") and ("ab",) differ."""
    encoded = [part.encode("utf-8", "surrogatepass") for part in parts]
    return hashlib.sha256(b"".join(b"%d:%b" % (len(part), part) for part in encoded)).hexdigest()


def is_id(text: str) -> bool:
    """Whether a text has the form of a section's id."""
    return re.fullmatch(ID, text) is not None


#: The line, or lines, behind a path or anchor, as results and citations show them; its group is the first line.
LINES_BEHIND = re.compile(r":L?(\d{1,9})(?:-L?\d{1,9})?\Z")


def looks_like_id(text: str) -> bool:
    """Whether a text could be an id, or the beginning of one that names a section.

    >>> looks_like_id("3f0c9a"), looks_like_id("guide.md"), looks_like_id("3f0c9")
    (True, False, False)
    """
    return re.fullmatch(ID_OR_BEGINNING, text) is not None


#: Elements of HTML that words are not set apart by.
INLINE_ELEMENTS = frozenset(
    "a abbr b code del em font i ins kbd mark q s samp small span strike strong sub sup tt u var".split()
)
#: Markup that words are not set apart by: of a wikilink, of a highlight, and tags of these elements.
_WITHIN_WORDS = re.compile(
    rf"(?:!?\[\[[^\[\]\r\n]{{0,1000}}|\]\]|==|</?(?:{'|'.join(sorted(INLINE_ELEMENTS))})(?:[ \t][^<>\r\n]{{0,1000}})?>)+",
    re.IGNORECASE,
)


def blank_out(text: str, spans: Sequence[int]) -> str:
    r"""Return a text with blanks in place of some parts; `spans` are offsets where these begin and end, in turn, in order.

    >>> blank_out("a<b>\nc", (1, 5))
    'a   \nc'
    """
    if not spans:
        return text
    pieces, done = [], 0
    for start, end in zip(spans[::2], spans[1::2], strict=True):
        part = text[start:end]
        has_lines = "\n" in part or "\r" in part
        pieces += [text[done:start], _NO_LINE_END.sub(" ", part) if has_lines else " " * len(part)]
        done = max(done, end)
    return "".join((*pieces, text[done:]))


def is_within_words(markup: str) -> bool:
    """Whether a part of a text is markup that words are not set apart by: that of a wikilink or of emphasis.

    >>> [is_within_words(part) for part in ("[[guide|", "]]", "==", "</b>", "<br>", "<Tabs>", "%% note %%")]
    [True, True, True, True, False, False, False]
    """
    return _WITHIN_WORDS.fullmatch(markup) is not None


def without_hidden(text: str, spans: Sequence[int]) -> str:
    r"""Return a text without what is hidden: with nothing in place of markup within words, and else as `blank_out` does.

    >>> without_hidden("See [[Key]]s<br>and.", (4, 6, 9, 11, 12, 16))
    'See Keys    and.'
    """
    inside = [span for span in zip(spans[::2], spans[1::2], strict=True) if is_within_words(text[slice(*span)])]
    blanked, pieces, done = blank_out(text, spans), [], 0
    for start, end in inside:
        pieces.append(blanked[done:start])
        done = max(done, end)
    return "".join((*pieces, blanked[done:]))


def plain_line_ends(text: str) -> tuple[str, Callable[[int], int]]:
    r"""Return a text with each line end as "\n", and what turns an offset in it into the offset in the text as it is.

    >>> plain, place = plain_line_ends("a\r\nb")
    >>> plain, place(2)
    ('a\nb', 3)
    """
    doubled = [match.start() - i for i, match in enumerate(re.finditer("\r\n", text))]
    return text.replace("\r\n", "\n").replace("\r", "\n"), lambda offset: offset + bisect_left(doubled, offset)


def beginning(text: str, most: int = REPR_CHARACTERS) -> str:
    """Return the beginning of a text on one line, cut with "…" if there is more of it.

    >>> beginning("two\\n  words", 6)
    'two w…'
    """
    line = " ".join(text[: 4 * most].split())  # blanks that are joined leave room for more
    return line if len(line) <= most and len(text) <= 4 * most else f"{line[: most - 1].rstrip()}…"


def shortened(text: str, most: int = SHOWN_CHARACTERS) -> str:
    """Return a text of at most so many characters, cut with "…" if there is more of it."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def _spelt(text: str) -> str:
    """Return a text with what Python's `repr` would escape spelt out; line ends, tabs and wide blanks stay."""
    return "".join(each if each.isprintable() or each in "\n\t\u3000" else repr(each)[1:-1] for each in text)


#: One section's text is asked for a dozen times in a row. Longer ones are not kept (characters).
_blanked_out = lru_cache(maxsize=16)(blank_out)
_LONGEST_KEPT = 200_000


def file_name(document_path: str) -> str:
    """What a document is called after its file: the name without its ending, or the folder's for a file such as README.

    >>> file_name("guide/cherry-picks.md"), file_name("guide/index.md")
    ('cherry-picks', 'guide')
    """
    path = PurePosixPath(document_path)
    return path.parent.name or path.stem if is_folder_file(document_path) else path.stem


def is_folder_file(document_path: str) -> bool:
    """Whether a file's name says nothing of its document, since it stands for its folder, as README.md does."""
    return PurePosixPath(document_path).stem.lower() in _FOLDER_FILES


def trail_of(document_title: str, heading_path: Iterable[str]) -> tuple[str, ...]:
    """Document title and headings from the outermost to a section's own, each once, blanks left out."""
    trail = (document_title, *heading_path)
    return tuple(part for i, part in enumerate(trail) if part and part not in trail[:i])


def section_id(document_path: str, heading_path: tuple[str, ...], ordinal: int) -> str:
    """The identity of a section, 24 hex digits: the same after every rebuild and after edits elsewhere in the file.

    `ordinal` counts, from 0, the sections of the document that have this very heading path.
    """
    return text_hash(document_path, *heading_path, str(ordinal))[:ID_DIGITS]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Section:
    """A heading of depth 1–3 and the text up to the next one, or the text before the first (depth 0).

    `content` is the exact slice `source[start:end]` of the decoded file, heading line included; `start` and `end` are
    character offsets, `start_line` and `end_line` are 1-based and inclusive; `start_line` is that of the heading, or of the
    first text. `body_start` is the offset inside `content` at which the text after the heading begins. `order` counts
    siblings from 0, `position` counts the sections of the document from 0. `section_number` is the 1-based path of sibling
    counts ("2.1" is `(2, 1)`), empty for depth 0. `token_count` is in tokens of the encoding named in the index. A section
    that was never stored has no times.

    `hidden` are offsets into `content`, in order, at which parts that are markup alone (component tags, comments of a
    dialect) begin and end, in turn. `place` is where the section begins in a file that was converted to Markdown, such as
    "page 3"; empty for a file that is Markdown.
    """

    id: str
    document_path: str
    heading: str
    depth: int
    content: str
    token_count: int
    parent_id: str | None
    order: int
    is_dirty: bool = False
    document_hash: str = ""
    created_at: datetime | None = None
    updated_at: datetime | None = None
    summary: str | None = None
    document_summary: str | None = None
    heading_path: tuple[str, ...] = ()
    anchor: str = ""
    start_line: int = 1
    end_line: int = 1
    start: int = 0
    end: int = 0
    body_start: int = 0
    position: int = 0
    section_number: tuple[int, ...] = ()
    content_hash: str = ""
    document_title: str = ""
    tags: tuple[str, ...] = ()
    hidden: tuple[int, ...] = ()
    place: str = ""

    @property
    def text(self) -> str:
        """The content with blanks in place of what is hidden: of the same length, with the same line ends."""
        make = _blanked_out if self.hidden and len(self.content) <= _LONGEST_KEPT else blank_out
        return make(self.content, self.hidden)

    @property
    def body(self) -> str:
        """The text after the heading, without what is hidden and outer blanks; empty for a heading that stands alone."""
        return self.text[self.body_start :].strip()

    @property
    def body_offset(self) -> int:
        """Where `body` begins in `content` (characters)."""
        tail = self.text[self.body_start :]
        return self.body_start + len(tail) - len(tail.lstrip())

    def place_at(self, offset: int) -> str:
        """Return the place of an offset into `content` in the file that was converted, such as "page 4"; "" for Markdown."""
        places = self.places()
        return places[bisect_right(places, offset, key=itemgetter(0)) - 1][1] if places else ""

    def places(self) -> list[tuple[int, str]]:
        """Return the places in `content`, each with the offset at which it begins, in order; none for Markdown.

        Comments such as `<!-- page 4 -->` in a converted text say where the next page or cell begins.
        """
        marks = ((match.end(), match[1]) for match in _PLACE.finditer(self.content)) if self.place else ()
        return [(0, self.place), *marks] if self.place else []

    @property
    def name(self) -> str:
        """What a reader is shown for the section: its heading, or the document's title for the text before the first."""
        return self.heading if self.depth else self.document_title or self.document_path

    @property
    def content_line(self) -> int:
        """The line of the file at which `content` begins: blank lines may stand before the heading of a first section."""
        text = self.text
        begin = len(text) - len(text.lstrip(BLANKS))
        return self.start_line - len(LINE_END.findall(self.content, 0, begin))

    def line_at(self, offset: int) -> int:
        """The line of the file, 1-based, in which an offset into `content` is."""
        return self.content_line + len(LINE_END.findall(self.content, 0, offset))

    @property
    def breadcrumb(self) -> tuple[str, ...]:
        """Document title and headings from the outermost to this one, each once, blanks left out."""
        return trail_of(self.document_title, self.heading_path if self.depth else ())

    @property
    def location(self) -> str:
        """Where it is: "docs/keys.md:10-31", or "docs/a.pdf, page 3" in a file that was converted."""
        if self.place:
            return f"{self.document_path}, {self.place}"
        return f"{self.document_path}:{self.start_line}-{self.end_line}"

    def __repr__(self) -> str:
        return f"Section({self.location!r}, {beginning(self.name)!r}, {beginning(self.body)!r})"

    def __str__(self) -> str:
        head = f"{self.location}  {beginning(' > '.join(self.breadcrumb), SHOWN_CHARACTERS)}".rstrip()
        return f"{_spelt(head)}\n{_spelt(shortened(self.body))}".rstrip()

    def to_dict(self) -> dict[str, Any]:
        """The section as plain values, by the names of the JSON of a search; lines are 1-based and inclusive.

        `heading` is the document's title for the text before the first heading; `hidden` are pairs of offsets.
        """
        return {
            "id": self.id,
            "document_path": self.document_path,
            "document_title": self.document_title,
            "heading": self.name,
            "heading_path": list(self.heading_path) if self.depth else [self.name],
            "trail": list(self.breadcrumb),
            "depth": self.depth,
            "anchor": self.anchor,
            "content": self.content,
            "body_start": self.body_offset,
            "hidden": [list(span) for span in zip(self.hidden[::2], self.hidden[1::2], strict=True)],
            "place": self.place,
            "token_count": self.token_count,
            "start_line": self.start_line,
            "end_line": self.end_line,
            "section_number": list(self.section_number),
            "tags": list(self.tags),
            "is_dirty": self.is_dirty,
            "summary": self.summary,
            "document_summary": self.document_summary,
        }

    def to_metadata(self) -> dict[str, str | int]:
        """What the section is and where it is, as the metadata of documents in other programs.

        It is flat, since many stores take no lists: `path`, `title`, `heading_path` ("Keys > Rotate", or the document's
        title before the first heading), `anchor`, `start_line` and `end_line` (1-based, inclusive), `section_id`, and
        `place` if the file was converted.
        """
        return {
            "path": self.document_path,
            "title": self.document_title,
            "heading_path": " > ".join(self.heading_path) if self.depth else self.name,
            "anchor": self.anchor,
            "start_line": self.start_line,
            "end_line": self.end_line,
            "section_id": self.id,
            **({"place": self.place} if self.place else {}),
        }
