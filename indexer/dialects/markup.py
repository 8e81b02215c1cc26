"""A text and its dialects → what of it is markup alone, where no heading can begin, and what it is tagged with.

Offsets stay those of the text: what is hidden is replaced by blanks where the text is searched or shown.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from indexer.dialects.indentation import hidden_indents
from indexer.dialects.rules import expanded, rules_of
from indexer.dialects.scan import Scan, merged, run, within
from schema.sections import blank_out, plain_line_ends

#: A longer text is read as plain Markdown (characters): its markup is shown.
MAX_CHARACTERS = 5_000_000
_NO_BLANK = re.compile(r"[^ \t\r\n]")
#: A code that is no character, so that no text has it.
_FILLER = "\ufdd0"
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t][^\r\n]*", re.MULTILINE)
#: In a heading: a value of the front matter, or another expression of a site's templates.
_VALUE = re.compile(
    r"\{\{[ \t]*(?:\$?frontmatter|page\.meta|page)\.([\w-]+)[ \t]*\}\}|\{(?:frontMatter|frontmatter|props)\.([\w-]+)\}"
)

#: A shortcode in a heading; what it is given in quotes stands for what it would show.
_SHORTCODE = re.compile(r"\{\{[<%][ \t]*[\w./-]+(?:[ \t]+\"([^\"\r\n]*)\")?[^{}\r\n]*\}\}")


@dataclass(frozen=True, slots=True)
class Markup:
    """What the dialects of a text say about it; spans are pairs of offsets, merged and in order.

    `hidden`: markup alone; `definitions`: where those parts of it begin that define a link or list contents. `opaque`: no
    heading begins there. `unseen`: contents of elements that nobody sees, which hold no heading and are no part of one.
    `indents`: blanks that make no code of what is behind them. `tags`: names in the text that tag the document.
    """

    hidden: tuple[tuple[int, int], ...] = ()
    definitions: frozenset[int] = frozenset()
    opaque: tuple[tuple[int, int], ...] = ()
    unseen: tuple[tuple[int, int], ...] = ()
    indents: tuple[tuple[int, int], ...] = ()
    tags: tuple[str, ...] = ()
    _starts: tuple[int, ...] = field(default=(), repr=False)

    def hidden_in(self, start: int, end: int, *, with_definitions: bool = True) -> tuple[int, ...]:
        """Return what is hidden between two offsets, as `Section.hidden` has it."""
        spans = within(self.hidden, self._starts, start, end)
        if not with_definitions and self.definitions:
            spans = [span for span in spans if start + span[0] not in self.definitions]
        return _flat(spans)

    def for_headings(self, text: str) -> str:
        """Return the text with blanks where no heading begins, and without the indents; its lines stay where they are.

        Contents that nobody sees are filled with a mark, which `heading_source` takes out: with blanks in their place, a
        paragraph or HTML around them could end there.
        """
        shown = blank_out(text, _flat(self.opaque))
        ends = (0, *_flat(self.unseen), len(shown))
        parts = map(shown.__getitem__, map(slice, ends[:-1], ends[1:]))
        shown = "".join(_NO_BLANK.sub(_FILLER, part) if at % 2 else part for at, part in enumerate(parts))
        edges = (0, *_flat(self.indents), len(shown))
        return "".join(map(shown.__getitem__, map(slice, edges[::2], edges[1::2])))

    def heading_source(self, source: str) -> str:
        """Return the source of a heading that was read in `for_headings`, without the contents that nobody sees."""
        return source.replace(_FILLER, "")

    def shown(self, text: str) -> str:
        """Return the text with blanks in place of what is hidden, but for definitions: a section may consist of these."""
        return blank_out(text, self.hidden_in(0, len(text), with_definitions=False))


def read_markup(text: str, dialects: Collection[str]) -> Markup:
    """Return the markup of a Markdown text without its front matter; `dialects` as in `schema.settings`.

    Kinds of line ends make no difference: the rules see "\\n" alone.
    """
    if len(text) > MAX_CHARACTERS:
        return Markup()
    text, place = plain_line_ends(text)
    wanted = expanded(frozenset(dialects))
    scan = Scan(text, is_mdx="mdx" in wanted)
    run(scan, rules_of(frozenset(dialects)))
    opaque = list(scan.opaque)
    if "mdx" in wanted:  # a heading may follow a tag at once; in plain Markdown it would be part of the HTML
        opaque += scan.hidden
    headings = [match.span() for match in _HEADING.finditer(text)] if opaque else []
    is_indented = not wanted.isdisjoint(("mdx", "mkdocs"))
    indents = tuple(hidden_indents(text, scan.fences, is_mdx=scan.is_mdx)) if is_indented else ()
    hidden, no_headings, unseen, code_less = (
        tuple((place(start), place(end)) for start, end in spans)
        for spans in (
            merged((*scan.hidden, *indents)),
            _outside(merged(opaque), headings),
            merged([(element.inside, element.outside) for element in scan.unseen]),
            indents if "mdx" in wanted else (),
        )
    )
    tags = tuple(dict.fromkeys(scan.tags))
    definitions = frozenset(map(place, scan.definitions))
    return Markup(hidden, definitions, no_headings, unseen, code_less, tags, tuple(start for start, _ in hidden))


def with_front_matter(markup: Markup, raw: str, fields: Iterable[tuple[int, int]]) -> Markup:
    """Return the markup of a text with its front matter `raw` before it, of which the `fields` alone are shown."""
    edges = [0, *_flat(fields), len(raw)]
    around = [(first, last) for first, last in zip(edges[::2], edges[1::2], strict=True) if first < last]
    hidden = merged((*around, *((first + len(raw), last + len(raw)) for first, last in markup.hidden)))
    return Markup(tuple(hidden), tags=markup.tags, _starts=tuple(start for start, _ in hidden))


def _flat(spans: Iterable[tuple[int, int]]) -> tuple[int, ...]:
    return tuple(offset for span in spans for offset in span)


def _outside(spans: list[tuple[int, int]], lines: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the spans that are not within one of the lines, which are in order."""
    found, at = [], 0
    for start, end in spans:
        while at < len(lines) and lines[at][1] < end:
            at += 1
        if at == len(lines) or lines[at][0] > start:
            found.append((start, end))
    return found


def resolved(heading: str, front_matter: Mapping[str, Any]) -> str:
    """Return a heading with values of the front matter in place of the expressions that name them.

    >>> resolved("About {{ $frontmatter.title }}", {"title": "Keys"})
    'About Keys'
    """

    def value(match: re.Match[str]) -> str:
        found = front_matter.get(match.group(1) or match.group(2))
        return str(found) if isinstance(found, str | int | float) else match.group()

    if "{" not in heading:
        return heading
    shown = _SHORTCODE.sub(lambda match: match.group(1) or "", _VALUE.sub(value, heading))
    return " ".join(shown.split()) or heading
