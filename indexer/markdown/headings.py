"""The source of a heading → its plain text, and the anchor for links to it."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

import regex
from markdown_it import MarkdownIt
from markdown_it.token import Token

from schema.text.sentences import CODE_SPAN

#: Longer headings are kept as they are written: the inline rules take more than linear time.
_MAX_INLINE_CHARACTERS = 2000
#: The inline rules read the rest of a heading for every bracket. For a heading of more than `_FREE_BRACKETS`, its brackets
#: times its characters are counted; all headings of a document together may have this many.
_FREE_BRACKETS = 4
_MAX_BRACKET_READINGS = 1_000_000
#: Characters that the inline rules may change; a heading without them is plain text already.
_INLINE_MARKS = re.compile(r"[\\`*_\[\]!<>&\n\r]")
_CUSTOM_ID = re.compile(r"\{[ \t]*#([^\s{}#]+)[ \t]*\}|\{/\*([^*{}]*)\*/\}")
_ITEM = r"""(?:#[^\s{}#.=][^\s{}#]{0,300}|\.[\w-]{1,99}|[\w-]{1,99}=(?:"[^"{}]{0,300}"|'[^'{}]{0,300}'|[^\s"'{}]{0,300}))"""
_ITEM_OR_WORD = rf"(?:{_ITEM}|[\w-]{{1,99}}(?=[ \t}}]))"
#: Attributes of Python-Markdown, kramdown and Pandoc: {: #id .class key="value" }; behind a colon also words alone.
_ATTRIBUTES = re.compile(
    rf"\{{(?:[ \t]*(?P<items>{_ITEM}(?:[ \t]+{_ITEM})*)"
    rf"|(?P<colon>:)[ \t]*(?P<more>{_ITEM_OR_WORD}(?:[ \t]+{_ITEM_OR_WORD})*))[ \t]*\}}"
)
#: The hashes that close a heading, where they stand before its id.
_CLOSING_HASHES = re.compile(r"[ \t]+#{1,6}\Z")
# GitHub keeps letters, marks, decimal digits, connectors (such as _), hyphens and blanks
_NOT_SLUG = regex.compile(r"[^\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\- ]")
#: Code, which stays as it is; or a wikilink. Not `[[ -f file ]]`, and no number of a source.
_WIKILINK = re.compile(CODE_SPAN + r"|!?\[\[(?!\d{1,3}\]\])(?P<target>[^\s\[\]|][^\[\]|]*)(?:\|(?P<text>[^\[\]]+))?\]\]")
_BREAK_TAG = re.compile(r"<br\s*/?>", re.IGNORECASE)


class HeadingReader:
    """Reads the headings of one document; `env` holds its link definitions, for links by label.

    `is_cut`: the headings had so many brackets that some of them are kept as they are written.
    """

    def __init__(self, inline: MarkdownIt, env: dict[str, object]) -> None:
        self.is_cut = False
        self._inline = inline
        self._env = env
        self._readings_left = _MAX_BRACKET_READINGS

    def read(self, source: str) -> tuple[str, str | None]:
        """Return the plain text of a heading's inline source, and the id that is written at its end, if any.

        Text, code and image descriptions stay, line breaks become blanks, other HTML is left out, entities are decoded, and
        several blanks become one.
        """
        source, anchor = _cut_custom_id(source)
        text = source
        if len(source) <= _MAX_INLINE_CHARACTERS and _INLINE_MARKS.search(source) and self._can_afford(source):
            tokens: list[Token] = []
            with contextlib.suppress(RecursionError):  # hundreds of nested brackets: the heading is kept as it is written
                self._inline.inline.parse(source, self._inline, self._env, tokens)
                text = _plain(tokens)
        return " ".join(_split_blanks(text)), anchor

    def _can_afford(self, source: str) -> bool:
        brackets = source.count("[")
        if brackets > _FREE_BRACKETS:
            self._readings_left -= brackets * len(source)
            self.is_cut = self.is_cut or self._readings_left < 0
            return self._readings_left >= 0
        return True


class NamedHeading(NamedTuple):
    """A heading's plain text, its anchor, and whether its author wrote that."""

    text: str
    anchor: str
    is_written: bool


class HeadingNamer:
    """Names the headings of one document, which are given in order: the numbers in anchors depend on those before.

    `resolve` returns a text with values in place of the expressions that stand for them.
    """

    def __init__(self, reader: HeadingReader, resolve: Callable[[str], str]) -> None:
        self._reader = reader
        self._resolve = resolve
        self._slugger = Slugger()

    def name(self, source: str, shown: str) -> NamedHeading:
        """Return the name of a heading by its inline source; `shown` is its line without what is hidden: if that hides
        brackets, they are those of wikilinks."""
        is_linked = source.count("[[") > shown.count("[[")
        plain, anchor = self._reader.read(without_wikilinks(source) if is_linked else source)
        plain = self._resolve(plain)  # before it is slugged, as the site does
        if anchor is None:
            return NamedHeading(plain, self._slugger.slug(plain), is_written=False)
        self._slugger.reserve(anchor)
        return NamedHeading(plain, anchor, is_written=True)


def without_wikilinks(source: str) -> str:
    """Return a heading's source with the text of each `[[note|text]]`, or else its target, in its place."""
    return _WIKILINK.sub(lambda link: (link["text"] or link["target"] or link.group()).strip(), source)


def _cut_custom_id(source: str) -> tuple[str, str | None]:
    """Return a heading's source without the id at its end, and that id."""
    ended = source.rstrip(" \t")
    start = ended.rfind("{")
    if not ended.endswith("}") or start < 0 or ended[:start].endswith("\\"):
        return source, None
    anchor = _custom_id(ended, start)
    return (source, None) if anchor is None else (_CLOSING_HASHES.sub("", ended[:start].rstrip(" \t")), anchor or None)


def _custom_id(source: str, start: int) -> str | None:
    """Return the id from an offset to the end, "" for attributes without an id; None for what is part of the heading."""
    found = _CUSTOM_ID.fullmatch(source, start)
    if found is not None:
        return found.group(1) or found.group(2).strip(" \t").removeprefix("#") or None
    attributes = _ATTRIBUTES.fullmatch(source, start)
    if attributes is None:
        return None
    ids = [item for item in re.findall(_ITEM, attributes["items"] or attributes["more"]) if item.startswith("#")]
    return ids[0][1:] if ids else "" if attributes["colon"] else None


def _split_blanks(text: str) -> list[str]:
    # only what Markdown calls blanks: str.split() would also take U+2028, U+3000 and U+00A0
    return [part for part in re.split(r"[ \t\r\n]+", text) if part]


def _plain(tokens: Sequence[Token]) -> str:
    parts = []
    for token in tokens:
        if token.type in ("text", "code_inline", "text_special"):
            parts.append(token.content)
        elif token.type == "image":
            parts.append(_plain(token.children or ()))
        elif token.type in ("softbreak", "hardbreak") or (token.type == "html_inline" and _BREAK_TAG.match(token.content)):
            parts.append(" ")
    return "".join(parts)


class Slugger:
    """Gives every heading of one document its anchor, as GitHub does: repeats get -1, -2, …"""

    def __init__(self) -> None:
        self._uses: dict[str, int] = {}

    def slug(self, text: str) -> str:
        """Return the next free anchor for a heading text."""
        base: str = _NOT_SLUG.sub("", text.lower()).replace(" ", "-")
        slug = base
        while slug in self._uses:
            self._uses[base] += 1
            slug = f"{base}-{self._uses[base]}"
        self._uses[slug] = 0
        return slug

    def reserve(self, anchor: str) -> None:
        """Note an anchor that the author chose, so that no other heading gets it."""
        self._uses.setdefault(anchor, 0)
