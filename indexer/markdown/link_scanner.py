"""The inline source of a paragraph, a heading or a block of HTML → the links, ids and block ids in it, in linear time.

CommonMark's inline rules as far as links depend on them: escapes, code, comments, brackets that nest, definitions that are
written elsewhere. On top of them wikilinks, embeds, ids in braces, and the attributes of HTML and component tags.
"""

from __future__ import annotations

import html
import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from markdown_it.common.utils import normalizeReference

from indexer.markdown.html_tags import TagReader
from indexer.markdown.link_brackets import MAX_LABEL, MAX_TARGET, inline_target, label_end

Kind = Literal["markdown", "reference", "wiki", "embed", "image", "autolink", "html"]

#: Longer texts are cut (characters).
MAX_TEXT = 200
_STOPS = re.compile(r"[\\`<\[\]!{]|%%|(?<![^\s(])\^(?=[A-Za-z0-9])")
_STOPS_OF_HTML = re.compile(r"<")
_TICKS = re.compile(r"`+")
_AUTOLINK = re.compile(r"<([A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]{0,2000})>")
_WIKI_END = re.compile(r"[\[\]\n\r]")
_MARKDOWN_FOLLOWS = re.compile(r"\(|\[(?!\[)")
_ENTITY = re.compile(r"&[#\w]{1,32};")
#: {#id}, {: #id .class}, {#id .class key=value}
_ID_IN_BRACES = re.compile(r"\{:?[ \t]*(?:[.\w][^{}\n#]{0,200}[ \t])?#([^\s{}#.]{1,300})[^{}\n]{0,300}\}")
_BLOCK_ID = re.compile(r"\^([A-Za-z0-9-]{1,200})[ \t]*$", re.MULTILINE)
#: Not notes, though they look like one.
_NO_NOTES = frozenset({"toc", "_toc_"})
_PATH = re.compile(r"\.{0,2}/")
#: Elements whose `src` is a file that they show, and those whose `href` is no link.
_MEDIA = frozenset({"img", "video", "audio", "source"})
_NO_LINKS = frozenset({"link", "base", "use", "script"})


class ScannedLink(NamedTuple):
    """A link: the offset at which it begins, what kind it is, its target as written, and its text as written."""

    offset: int
    kind: Kind
    target: str
    text: str


@dataclass(slots=True)
class Scan:
    """What a source holds: its links, and ids and block ids with their offsets, each in no order.

    `has_components`: there are component tags without content, which may show anything.
    """

    links: list[ScannedLink] = field(default_factory=list)
    ids: list[tuple[int, str]] = field(default_factory=list)
    block_ids: list[tuple[int, str]] = field(default_factory=list)
    has_components: bool = False


class _Opener(NamedTuple):
    offset: int
    is_image: bool


class LinkScanner:
    """Scans the sources of one document.

    `references` are its definitions: the label as CommonMark compares it, and the target. `hidden` in `scan` are spans that
    hold no links.
    """

    def __init__(self, references: Mapping[str, str]) -> None:
        self._references = references
        self._tags = TagReader()

    def scan(self, source: str, *, is_html: bool = False, hidden: Sequence[tuple[int, int]] = ()) -> Scan:
        """Return the links and ids of a source; of HTML only those in tags."""
        return _Source(source, self._references, self._tags, hidden).scan(_STOPS_OF_HTML if is_html else _STOPS)


class _Source:
    """One source while it is scanned."""

    def __init__(self, text: str, references: Mapping[str, str], tags: TagReader, hidden: Sequence[tuple[int, int]]) -> None:
        self._text = text
        self._references = references
        self._tags = tags
        self._hidden = deque(hidden)
        self._found = Scan()
        self._openers: list[_Opener] = []
        #: Openers below this one are inside of no link any more: a link holds no link.
        self._first_active = 0
        #: The offset of the last bracket, which tells whether a pair of brackets holds another one.
        self._last_bracket = -1
        self._ticks: dict[int, list[int]] | None = None
        self._has_comment_end = self._has_brace_end = True

    def scan(self, stops: re.Pattern[str]) -> Scan:
        text, offset = self._text, 0
        while True:
            found = stops.search(text, offset)
            if found is None:
                return self._found
            start = found.start()
            while self._hidden and self._hidden[0][1] <= start:
                self._hidden.popleft()
            if self._hidden and self._hidden[0][0] <= start:
                offset = self._hidden[0][1]
                continue
            offset = self._at(start, found[0])

    def _at(self, start: int, stop: str) -> int:
        """Take what begins at an offset; return where to go on."""
        text = self._text
        if stop == "\\":
            return start + 2
        if stop == "`":
            return self._after_code(start)
        if stop == "<":
            return self._after_angle(start)
        if stop == "{":
            return self._after_brace(start)
        if stop == "^":
            self._found.block_ids.extend((start, found[1]) for found in [_BLOCK_ID.match(text, start)] if found)
            return start + 1
        if stop == "]":
            return self._after_closing(start)
        is_image = stop == "!"
        bracket = start + is_image
        if not text.startswith("[", bracket):
            return start + 1
        after = self._after_wiki(start, bracket)
        if after is not None:
            return after
        self._openers.append(_Opener(start, is_image))
        self._last_bracket = bracket
        return bracket + 1

    def _after_code(self, start: int) -> int:
        """Return the offset after a code span, or after the ticks where there is none."""
        if self._ticks is None:
            self._ticks = {}
            for found in _TICKS.finditer(self._text):
                self._ticks.setdefault(len(found[0]), []).append(found.start())
            for starts in self._ticks.values():
                starts.reverse()  # so that those which are behind are taken off the end
        opening = _TICKS.match(self._text, start)
        count = len(opening[0]) if opening else 1
        starts = self._ticks.get(count, [])
        while starts and starts[-1] < start + count:
            starts.pop()
        return starts[-1] + count if starts else start + count

    def _after_angle(self, start: int) -> int:
        text = self._text
        if text.startswith("<!--", start):
            end = text.find("-->", start + 4) if self._has_comment_end else -1
            self._has_comment_end = end >= 0
            return end + 3 if end >= 0 else start + 4
        autolink = _AUTOLINK.match(text, start)
        if autolink is not None:
            self._found.links.append(ScannedLink(start, "autolink", autolink[1], autolink[1]))
            return autolink.end()
        tag = self._tags.read(text, start)
        if tag is None:
            return start + 1
        name, attributes = tag.name.lower(), tag.attributes
        ids = [attributes.get("id", ""), attributes.get("name", "") if name == "a" else ""]
        self._found.ids.extend((start, _decoded(one)) for one in ids if one and not one.startswith("{"))
        if name in _MEDIA:
            self._attribute(start, "image", attributes.get("src", ""), attributes.get("alt", ""))
        elif name not in _NO_LINKS:
            is_component = tag.name[0].isupper() or "-" in name
            if is_component:
                # a component may make an anchor of its name or of what it is given
                named = (one for one in (tag.name, *attributes.values()) if one and len(one) <= MAX_TEXT)
                self._found.ids.extend((start, one) for one in named if not one.startswith(("{", "/", ".", "http")))
                self._found.has_components |= tag.is_empty
            target = attributes.get("href", "")
            if not target and is_component and _PATH.match(attributes.get("to", "")):  # others are names or selectors
                target = attributes["to"]
            if target:
                self._attribute(start, "html", target, attributes.get("title", "") or self._element_text(tag.end))
        return tag.end

    def _attribute(self, start: int, kind: Kind, value: str, text: str) -> None:
        target = _decoded(value).strip()
        if target and not target.startswith("{") and len(target) <= MAX_TARGET:
            self._found.links.append(ScannedLink(start, kind, target, text[:MAX_TEXT]))

    def _element_text(self, start: int) -> str:
        """Return the text between a tag and the next one."""
        end = self._text.find("<", start, start + MAX_TEXT)
        return self._text[start : end if end >= 0 else start + MAX_TEXT].strip()

    def _after_brace(self, start: int) -> int:
        text = self._text
        if text.startswith("{/*", start):
            end = text.find("*/}", start + 3) if self._has_brace_end else -1
            self._has_brace_end = end >= 0
            return end + 3 if end >= 0 else start + 3
        found = _ID_IN_BRACES.match(text, start)
        if found is None:
            return start + 1
        self._found.ids.append((start, found[1]))
        return found.end()

    def _after_wiki(self, start: int, bracket: int) -> int | None:
        """Take a wikilink or an embed; return the offset after it, or None if there is none."""
        text = self._text
        if not text.startswith("[[", bracket):
            return None
        end = _WIKI_END.search(text, bracket + 2)
        if end is None or not text.startswith("]]", end.start()):
            return None
        inside = text[bracket + 2 : end.start()]
        after = end.start() + 2
        # [[1]](url) and [[text]][label] are Markdown, as is [[label]] with a definition
        is_markdown = (
            _MARKDOWN_FOLLOWS.match(text, after) is not None or normalizeReference(inside[:MAX_LABEL]) in self._references
        )
        target, _, shown = inside.replace("\\|", "|").partition("|")
        target = target.strip()
        if is_markdown or not target or len(inside) > MAX_TARGET or target.lower() in _NO_NOTES:
            return None
        kind: Kind = "embed" if bracket > start else "wiki"
        self._found.links.append(ScannedLink(start, kind, target, (shown.strip() or target)[:MAX_TEXT]))
        return after

    def _after_closing(self, start: int) -> int:
        """Take the link whose text ends at a bracket; return the offset after it, or after the bracket."""
        text = self._text
        last_bracket, self._last_bracket = self._last_bracket, start
        if not self._openers:
            return start + 1
        opener = self._openers.pop()
        holds_brackets = last_bracket > opener.offset + opener.is_image
        is_active = opener.is_image or len(self._openers) >= self._first_active
        self._first_active = min(self._first_active, len(self._openers))
        if not is_active:
            return start + 1
        begin = opener.offset + opener.is_image + 1
        target, after = inline_target(text, start + 1)
        kind: Kind = "image" if opener.is_image else "markdown"
        if target is None:
            target, after = self._referenced(begin, start, holds_brackets=holds_brackets)
            kind = "image" if opener.is_image else "reference"
        if target is None:
            return start + 1
        if target and len(target) <= MAX_TARGET:
            shown = " ".join(text[begin : min(start, begin + MAX_TEXT)].split())
            self._found.links.append(ScannedLink(opener.offset, kind, target, shown))
        if not opener.is_image:
            self._first_active = len(self._openers)
        return after

    def _referenced(self, begin: int, end: int, *, holds_brackets: bool) -> tuple[str | None, int]:
        """Return the target of a link by label and the offset after it: [text][label], [label][] or [label]."""
        text = self._text
        if not self._references:
            return None, end + 1
        if text.startswith("[", end + 1):
            closing = label_end(text, end + 2)
            if closing is not None:
                label = text[end + 2 : closing]
                if label.strip():
                    target = self._references.get(normalizeReference(label))
                    return target, closing + 1
                if not label:
                    return self._shortcut(begin, end, holds_brackets), closing + 1
        return self._shortcut(begin, end, holds_brackets), end + 1

    def _shortcut(self, begin: int, end: int, holds_brackets: bool) -> str | None:
        label = "" if holds_brackets or end - begin > MAX_LABEL else self._text[begin:end]
        is_footnote = label.startswith("^")
        return None if is_footnote or not label.strip() else self._references.get(normalizeReference(label))


def _decoded(value: str) -> str:
    """Return an attribute's value with its entities decoded; one without a semicolon is none."""
    return _ENTITY.sub(lambda found: html.unescape(found[0]), value) if "&" in value else value


def comments(sources: Sequence[str]) -> Iterator[list[tuple[int, int]]]:
    """Yield the spans of each source that are in %% comments %%, which may begin in one and end in another."""
    marks = [[found.start() for found in re.finditer("%%", source)] if "%%" in source else [] for source in sources]
    left = sum(map(len, marks)) // 2 * 2  # the last one of an odd number begins nothing
    is_open = False
    for source, starts in zip(sources, marks, strict=True):
        spans, begin = [], 0
        for start in starts[:left]:
            if is_open:
                spans.append((begin, start + 2))
            begin, is_open = start, not is_open
        left -= len(starts[:left])
        if is_open:
            spans.append((begin, len(source)))
        yield spans
