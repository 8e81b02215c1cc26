"""Results → text for a terminal: one block for each hit, with its headings, the place of its answer, its summary unless that
only repeats the text, and the snippet, matches in bold; places are links where the terminal knows such.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

from schema.results import SearchResult, SectionLink, Translation, Window
from schema.text.characters import one_line, printable

if TYPE_CHECKING:
    from search.evaluation import Evaluation

#: Stand around a match until the line is cut; Unicode keeps them free for such inner use.
_ON, _OFF = "\ufdd0", "\ufdd1"
_SIGNS = re.compile(f"[{_ON}{_OFF}]")
_BOLD, _DIM, _PATH, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[36m", "\x1b[0m"
#: Whether a section says its summary itself is looked for in so much of it (characters).
_SAID_CHARACTERS = 100_000
#: The text before the first heading, in an outline.
_BEFORE = "(before the first heading)"
#: Text on wider lines is tiring to read (columns).
#: Signs that begin no line, and that end none, in Japanese.
_NEVER_FIRST = frozenset("、。，．・：；！？）」』】〉》〕］｝ーぁぃぅぇぉっゃゅょァィゥェォッャュョ々")
_NEVER_LAST = frozenset("（「『【〈《〔［｛")
_TEXT_WIDTH = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How to write for a reader: columns of the terminal, whether it shows colours, and the folder that links lead into.

    Without `root` there are no links.
    """

    width: int = 80
    colour: bool = False
    root: Path | None = None

    def paint(self, text: str, sign: str) -> str:
        """The text in a colour, where there are colours."""
        return f"{sign}{text}{_PLAIN}" if self.colour and text else text

    def link(self, text: str, path: str, line: int) -> str:
        """The text as a link (OSC 8) to a line of a document's file."""
        if self.root is None:
            return text
        return f"\x1b]8;;{(self.root / path).as_uri()}#L{line}\x1b\\{text}\x1b]8;;\x1b\\"


def render_results(
    results: Sequence[SearchResult],
    style: Style = Style(),
    *,
    full: bool = False,
    explain: bool = False,
    first: int = 1,
) -> str:
    """All hits, best first, separated by blank lines; no wider than the terminal unless `full`.

    `explain` adds what each step gave, `first` is the first number.
    """
    blocks = (_lines(i, hit, style, full, explain) for i, hit in enumerate(results, first))
    return "\n\n".join("\n".join(block) for block in blocks)


def render_outline(links: Sequence[SectionLink], style: Style = Style()) -> str:
    """A document's sections, indented by depth, in columns with lines, tokens and ids; headings give way to the width.

    The text before the first heading is shown by the document's title, unless a heading says the same.
    """
    headings = {link.heading for link in links if link.depth}
    shown_as = [_BEFORE if not link.depth and link.heading in headings else link.heading for link in links]
    names = [f"{'  ' * link.depth}{one_line(name)}" for link, name in zip(links, shown_as, strict=True)]
    places = [f"L{link.start_line}-{link.end_line}" for link in links]
    counts = [f"{link.token_count:,} tokens" for link in links]
    place_width, count_width = max(map(len, places)), max(map(len, counts))
    rest = place_width + count_width + max(len(link.id) for link in links) + 6
    room = max(20, style.width - rest)
    name_width = min(room, max(map(_columns, names)))
    rows = []
    for link, name, place, count in zip(links, names, places, counts, strict=True):
        shown = clip(name, name_width)
        padded = shown + " " * (name_width - _columns(shown))
        where = style.link(style.paint(place, _PATH), link.document_path, link.start_line) + " " * (place_width - len(place))
        rows.append(f"{padded}  {where}  {count:>{count_width}}  {style.paint(link.id, _DIM)}")
    return "\n".join(rows)


def render_translations(translations: Sequence[Translation]) -> str:
    """Where the same page is in other languages: a line each, or nothing."""
    return "".join(f"\nAlso in {one.language or 'another language'}: {one_line(one.path)}" for one in translations)


def render_evaluation(evaluation: Evaluation, *, worst: int = 0) -> str:
    """The means of all measures, and the questions that went worst."""
    lines = [f"{len(evaluation.judged)} questions, {evaluation.mode}"]
    lines += [f"  {name:<11} {value:.3f}" for name, value in evaluation.means.items()]
    for judged in sorted(evaluation.judged, key=lambda one: one.score)[:worst]:
        places = ", ".join(f"{gold} at {place or 'none of the first 100'}" for gold, place in judged.places.items())
        lines.append(f"{judged.score:.2f}  {one_line(judged.question.query)}  ({one_line(places)})")
    return "\n".join(lines)


def _lines(number: int, hit: SearchResult, style: Style, full: bool, explain: bool) -> Iterator[str]:
    section, snippet = hit.section, hit.snippet
    signs = "".join(f"  [{word}]" for word, holds in (("stale", hit.stale), ("not yet embedded", hit.is_pending)) if holds)
    yield style.paint(clip(f"{number}. {one_line(' > '.join(hit.trail))}{signs}", style.width), _BOLD)
    line = section.start_line if snippet is None or full else snippet.start_line
    place = style.paint(one_line(f"{section.document_path}:{line}"), _PATH)
    facts = f"section {section.start_line}-{section.end_line}"
    if hit.score:
        facts += f"  relevance {hit.relevance:.2f}"
    yield f"   {style.link(place, section.document_path, line)}  {style.paint(facts, _DIM)}"
    if hit.similar:
        others = ", ".join(one_line(f"{one.document_path}:{one.start_line}") for one in hit.similar)
        yield style.paint(clip(f"   +{len(hit.similar)} similar: {others}", style.width), _DIM)
    summary = section.summary
    if summary and summary not in " ".join(section.content[:_SAID_CHARACTERS].split()):  # an extract stands below anyway
        yield clip(f"   = {printable(' '.join(summary.split()))}", style.width)
    if explain:
        for name in dict.fromkeys((*hit.parts, *hit.scores)):
            measured = f"  ({hit.scores[name]:.3f})" if name in hit.scores else ""
            yield f"     {name:<9} {hit.parts.get(name, 0.0):+.3f}{measured}"
    if full or snippet is None:
        lines = printable(_marked(section.content, hit.matches)).strip("\n").split("\n")
    else:
        width = min(style.width, _TEXT_WIDTH) - len("   | ")
        text = printable(_marked(snippet.text, snippet.matches))
        lines = [part for line in text.split("\n") for part in wrap(line, width)]
    is_open = False
    for part in lines:
        shown, is_open = _set_marks(f"   | {part}".rstrip(), style.colour, is_open)
        yield shown


def _marked(text: str, matches: Sequence[Window]) -> str:
    """The text with signs around the matches."""
    pieces, at = [], 0
    for match in matches:
        pieces += [text[at : match.start], _ON, text[match.start : match.end], _OFF]
        at = match.end
    return "".join((*pieces, text[at:]))


def _set_marks(line: str, colour: bool, is_open: bool) -> tuple[str, bool]:
    """The line with its matches in bold, and whether one goes on in the next line; `is_open`: one began before it."""
    goes_on = is_open + line.count(_ON) - line.count(_OFF) > 0
    if not colour:
        return _SIGNS.sub("", line), goes_on
    begins = f"{line[:5]}{_BOLD}{line[5:]}" if is_open else line
    return begins.replace(_ON, _BOLD).replace(_OFF, _PLAIN) + (_PLAIN if goes_on else ""), goes_on


def wrap(text: str, width: int) -> list[str]:
    """The text in lines of at most `width` terminal columns, broken at blanks or between wide letters, else anywhere;
    before a closing and behind an opening sign of Japanese only where nothing else will do.

    >>> wrap("find 検索エンジン", 11)
    ['find 検索エ', 'ンジン']
    """
    if _columns(text) <= width:
        return [text]
    lines, line, used, breaks = [], "", 0, 0
    for character in text:
        wide = _width(character)
        if wide == 2 and line and character not in _NEVER_FIRST and line[-1] not in _NEVER_LAST:
            breaks = len(line)
        while line and used + wide > width:
            cut = breaks or len(line)
            lines.append(line[:cut].rstrip())
            line = line[cut:].lstrip(" ")
            used, breaks = _columns(line), 0
        line += character
        used += wide
        if character == " ":
            breaks = len(line)
    return [*lines, line] if line.strip() else lines


def clip(text: str, width: int) -> str:
    """The text cut to `width` terminal columns, with an ellipsis where something is missing.

    >>> clip("検索エンジン", 7)
    '検索エ…'
    """
    if _columns(text) <= width:
        return text
    ends = accumulate(map(_columns, text))
    return "".join(character for character, end in zip(text, ends, strict=True) if end < width) + "…"


def _columns(text: str) -> int:
    return sum(map(_width, text))


def _width(character: str) -> int:
    if unicodedata.combining(character) or character in (_ON, _OFF):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
