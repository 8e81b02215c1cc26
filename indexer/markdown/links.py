"""Markdown → its links as written, and what other documents' links can name in it: headings, ids and block ids.

Code and comments hold no links. Time is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from indexer.markdown.blocks import Heading, markdown
from indexer.markdown.headings import HeadingNamer, HeadingReader
from indexer.markdown.link_scanner import Kind, LinkScanner, Scan, comments
from indexer.markdown.text_blocks import read_text_blocks
from schema.sections import plain_line_ends

#: Links and anchors of one document that are kept.
MAX_LINKS = 50_000
#: A text that takes parts from other files, whose anchors are not known here.
_INCLUDES = re.compile(
    r"\{\{ ?#(?:rustdoc_)?include|<!--\s{0,9}@include|-8<-|^import\s[^\n]{0,300}\.mdx?[\"']|\{%-?\s{0,9}include"
    r"|\{\{[<%]\s{0,9}(?:include|readfile|snippet|embed)|^```\{(?:include|eval-rst|auto\w{1,20})\}"
    r"|^::: \w{1,99}\.\w|^::: [\w-]{1,99}[ \t]*\n[ \t]+:\w|^:::?\s{0,9}include|^\.\. include::",
    re.MULTILINE,
)
_INDENT = re.compile(r"^[ \t]{4,}", re.MULTILINE)
#: In HTML: what some dialects read as a heading.
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+([^\n]{1,300})$", re.MULTILINE)
_MYST_LABEL = re.compile(r"^\(([\w:.-]{1,200})\)=[ \t]*$", re.MULTILINE)


AnchorKind = Literal["heading", "id", "block", "label"]


@dataclass(frozen=True, slots=True)
class RawLink:
    """A link as written: its line (1-based), kind, target and text."""

    line: int
    kind: Kind
    target: str
    text: str


@dataclass(frozen=True, slots=True)
class Anchor:
    """What a link's target can name after `#`, and its line (1-based).

    That is the slug or the text of a heading, an id, a block id, or a label of MyST.
    """

    name: str
    line: int
    kind: AnchorKind


@dataclass(frozen=True, slots=True)
class DocumentLinks:
    """The links of a document and its anchors, by line; `has_includes`: it takes parts from other files
    or shows components."""

    links: tuple[RawLink, ...] = ()
    anchors: tuple[Anchor, ...] = ()
    has_includes: bool = False


def read_links(
    text: str,
    *,
    first_line: int = 1,
    is_mdx: bool = False,
    shown: str | None = None,
    resolve: Callable[[str], str] = str,
) -> DocumentLinks:
    """Return the links and anchors of a document's text, whose front matter is left out and ends above `first_line`.

    In MDX, Markdown stands between tags, too. `shown` is the text with blanks in place of what is hidden, by default the
    text, and `resolve` is for expressions in headings, as `HeadingNamer` takes it.
    """
    text, _ = plain_line_ends(text)  # so that lines are counted, and end, as they do in the blocks
    shown_lines = (text if shown is None else plain_line_ends(shown)[0]).split("\n")
    if is_mdx:  # indented text is no code there
        text = _INDENT.sub("   ", text)
    env: dict[str, Any] = {}
    headings, blocks = read_text_blocks(text, env)
    definitions: Mapping[str, Any] = env.get("references", {})
    scanner = LinkScanner({label: definition["href"] for label, definition in definitions.items()})
    links: list[RawLink] = []
    anchors: list[Anchor] = []
    has_includes = _INCLUDES.search(text) is not None
    hidden = comments([block.source for block in blocks])
    for block, spans in zip(blocks, hidden, strict=True):
        if len(links) + len(anchors) > MAX_LINKS:
            break
        scan = scanner.scan(block.source, is_html=block.is_html and not is_mdx, hidden=spans)
        has_includes = has_includes or scan.has_components
        if block.is_html:
            lines = _LineCounter(block.source, first_line + block.line)
            anchors.extend(Anchor(each[1], lines.at(each.start()), "heading") for each in _HEADING.finditer(block.source))
        if scan.links or scan.ids or scan.block_ids:
            _place(scan, block.source, first_line + block.line, links, anchors)
    namer = HeadingNamer(HeadingReader(markdown(), env), resolve)
    anchors.extend(_heading_anchors(headings, shown_lines, namer, first_line))
    lines = _LineCounter(text, first_line)
    anchors.extend(Anchor(found[1], lines.at(found.start()), "label") for found in _MYST_LABEL.finditer(text))
    links.sort(key=_line)
    anchors.sort(key=_line)
    return DocumentLinks(tuple(links[:MAX_LINKS]), tuple(anchors[:MAX_LINKS]), has_includes)


def _heading_anchors(
    headings: Sequence[Heading], shown_lines: Sequence[str], namer: HeadingNamer, first_line: int
) -> Iterator[Anchor]:
    """Yield the anchors of the headings that are shown, and their texts, which a link may name too."""
    for heading in headings:
        shown = "\n".join(shown_lines[heading.line : heading.end_line])
        if heading.source and not shown.strip():
            continue  # it is in a comment
        named, line = namer.name(heading.source, shown), first_line + heading.line
        yield Anchor(named.anchor, line, "heading")
        if named.is_written or named.text != heading.source:
            # a written id takes the place of the slug, but older links may name that
            yield Anchor(named.text, line, "heading")


def _place(scan: Scan, source: str, first_line: int, links: list[RawLink], anchors: list[Anchor]) -> None:
    """Add what was found in a block that begins in a line, with the lines in which it stands."""
    lines = _LineCounter(source, first_line)
    ordered = sorted(scan.links)
    links.extend(RawLink(lines.at(link.offset), link.kind, link.target, link.text) for link in ordered)
    kinds: tuple[tuple[AnchorKind, list[tuple[int, str]]], ...] = (("id", scan.ids), ("block", scan.block_ids))
    for kind, found in kinds:
        lines = _LineCounter(source, first_line)
        anchors.extend(Anchor(name, lines.at(offset), kind) for offset, name in sorted(found))


class _LineCounter:
    """Gives the lines of offsets that only grow."""

    def __init__(self, text: str, first_line: int) -> None:
        self._text, self._line, self._offset = text, first_line, 0

    def at(self, offset: int) -> int:
        """Return the line of an offset, no smaller than the one before."""
        self._line += self._text.count("\n", self._offset, offset)
        self._offset = offset
        return self._line


def _line(found: RawLink | Anchor) -> int:
    return found.line
