"""Results → text for a terminal.

Each hit is a block: its headings, the path and line of its answer, its summary unless the text contains it, and the
snippet with matches in bold. Paths are links if the terminal supports them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

from schema.results import SearchResult, SectionLink, SimilarSection, Translation, Window
from schema.sections import Section
from schema.text.characters import one_line, printable
from search.answers.paths import UserPaths, line_to_open

if TYPE_CHECKING:
    from search.evaluation import Evaluation

#: Mark the start and end of a match until lines are broken; Unicode reserves these characters for such internal use.
_ON, _OFF = "\ufdd0", "\ufdd1"
_MARKERS = re.compile(f"[{_ON}{_OFF}]")
_BOLD, _DIM, _PATH, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[36m", "\x1b[0m"
#: A summary is looked for in so much of its section's text (characters).
_COMPARED_CHARACTERS = 100_000
#: Name of the text before the first heading, in an outline.
_BEFORE = "(before the first heading)"
#: Characters that must not begin a line of Japanese, and characters that must not end one.
_NEVER_FIRST = frozenset("、。，．・：；！？）」』】〉》〕］｝ーぁぃぅぇぉっゃゅょァィゥェォッャュョ々")
_NEVER_LAST = frozenset("（「『【〈《〔［｛")
#: Columns that the headings above a hit have at least.
_LEAST_TRAIL = 20
#: Widest text of a snippet (columns), since longer lines are tiring to read.
_TEXT_WIDTH = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """What a terminal can show: `width` in columns, `colour`, and `root`, the folder of the documents that links lead to.

    Without `root` there are no links. `paths` says how documents' paths are shown; without it, as the index has them.
    """

    width: int = 80
    colour: bool = False
    root: Path | None = None
    paths: UserPaths | None = None

    def shown(self, path: str) -> str:
        """Return a document's path as the user who reads it can open it."""
        return path if self.paths is None else self.paths.shown(path)

    def mark(self, hit: SearchResult) -> str:
        """Return what is to be said of a hit's file: "gone", "stale" if it has changed since it was indexed, or ""."""
        return "gone" if hit.gone else "stale" if hit.stale else ""

    def paint(self, text: str, code: str) -> str:
        """Return the text with an escape code for its colour, if colours are shown."""
        return f"{code}{text}{_PLAIN}" if self.colour and text else text

    def link(self, text: str, path: str, line: int) -> str:
        """Return the text as a link (OSC 8) to a line of a document's file (0: to the file), if there is a `root`."""
        if self.root is None:
            return text
        place = self.root / path if self.paths is None else self.paths.roots.locate(path)
        fragment = f"#L{line}" if line else ""
        return text if place is None else f"\x1b]8;;{place.as_uri()}{fragment}\x1b\\{text}\x1b]8;;\x1b\\"


def render_results(
    results: Sequence[SearchResult],
    style: Style = Style(),
    *,
    full: bool = False,
    explain: bool = False,
    first: int = 1,
    ids: bool = False,
) -> str:
    """Return all hits, best first, separated by blank lines; no wider than the terminal unless `full`.

    `full` shows whole sections instead of snippets, `explain` adds the scores of each step, `first` is the first number,
    `ids` adds the id of each section.
    """
    blocks = [list(_lines(i, hit, style, full, explain)) for i, hit in enumerate(results, first)]
    for block, hit in zip(blocks, results if ids else (), strict=ids):
        block.insert(2, style.paint(f"   id {hit.section.id}", _DIM))
    return "\n\n".join("\n".join(block) for block in blocks)


def render_outline(links: Sequence[SectionLink], style: Style = Style()) -> str:
    """Return a document's sections, indented by depth, in columns with lines, tokens and ids; long headings are clipped. A
    summary stands in a line of its own.

    The text before the first heading has the document's title, unless a heading is the same.
    """
    headings = {link.heading for link in links if link.depth}
    shown_as = [_BEFORE if not link.depth and link.heading in headings else link.heading for link in links]
    names = [f"{'  ' * link.depth}{one_line(name)}" for link, name in zip(links, shown_as, strict=True)]
    line_ranges = [one_line(link.place) or f"L{link.start_line}-{link.end_line}" for link in links]
    counts = [f"{link.token_count:,} tokens" for link in links]
    range_width, count_width = max(map(len, line_ranges)), max(map(len, counts))
    rest = range_width + count_width + max(len(link.id) for link in links) + 6
    room = max(20, style.width - rest)
    name_width = min(room, max(map(_columns, names)))
    rows = []
    for link, name, lines, count in zip(links, names, line_ranges, counts, strict=True):
        shown = clip(name, name_width)
        padded = shown + " " * (name_width - _columns(shown))
        shown_lines = style.link(style.paint(lines, _PATH), link.document_path, line_to_open(link.place, link.start_line))
        shown_lines += " " * (range_width - len(lines))
        rows.append(f"{padded}  {shown_lines}  {count:>{count_width}}  {style.paint(link.id, _DIM)}")
        if link.summary:
            rows.append(clip(f"{'  ' * link.depth}  = {printable(' '.join(link.summary.split()))}", style.width))
    return "\n".join(rows)


def render_translations(translations: Sequence[Translation], style: Style = Style()) -> str:
    """Return a line for each other language of the same page."""
    return "".join(
        f"\nAlso in {one.language or 'another language'}: {one_line(style.shown(one.path))}" for one in translations
    )


def render_evaluation(evaluation: Evaluation, *, worst: int = 0) -> str:
    """Return the means of all measures, and the `worst` questions with the lowest scores."""
    lines = [f"{len(evaluation.judged)} questions, {evaluation.mode}"]
    lines += [f"  {name:<11} {value:.3f}" for name, value in evaluation.means.items()]
    for judged in sorted(evaluation.judged, key=lambda one: one.score)[:worst]:
        ranks = ", ".join(f"{gold} at {rank or 'none of the first 100'}" for gold, rank in judged.places.items())
        lines.append(f"{judged.score:.2f}  {one_line(judged.question.query)}  ({one_line(ranks)})")
    return "\n".join(lines)


def _lines(number: int, hit: SearchResult, style: Style, full: bool, explain: bool) -> Iterator[str]:
    """Yield the lines of one hit."""
    section, snippet = hit.section, hit.snippet
    marks = (style.mark(hit), "not yet embedded" if hit.is_pending else "")
    flags = "".join(f"  [{mark}]" for mark in marks if mark)
    begin = f"{number}. "
    room = max(_LEAST_TRAIL, style.width - len(begin) - len(flags))
    yield style.paint(f"{begin}{_trail(list(map(one_line, hit.trail)), room)}{flags}", _BOLD)
    line = section.start_line if snippet is None or full else snippet.start_line
    place = section.place if snippet is None or full else snippet.place
    shown = style.shown(section.document_path)
    if place:  # the file was converted: its lines are others
        path = style.paint(one_line(f"{shown}, {place}"), _PATH)
        facts = "" if place == section.place else f"section from {one_line(section.place)} on"
    else:
        path = style.paint(one_line(f"{shown}:{line}"), _PATH)
        facts = f"section {section.start_line}-{section.end_line}"
    if hit.score:
        facts = f"{facts}  relevance {hit.relevance:.2f}".lstrip()
    if hit.root and style.paths is not None and len(style.paths.roots.roots) > 1:
        facts += f"  of {one_line(hit.root)}"
    yield f"   {style.link(path, section.document_path, line_to_open(place, line))}  {style.paint(facts, _DIM)}"
    if hit.url:
        yield style.paint(f"   {one_line(hit.url)}", _DIM)
    if hit.similar:
        others = ", ".join(one_line(f"{style.shown(one.document_path)}{_where(one)}") for one in hit.similar)
        yield style.paint(clip(f"   +{len(hit.similar)} similar: {others}", style.width), _DIM)
    for name, value in hit.properties.items():
        yield clip(f"   {one_line(name)}: {one_line(value)}", style.width)
    summary = section.summary
    if summary and summary not in " ".join(section.content[:_COMPARED_CHARACTERS].split()):
        yield clip(f"   = {printable(' '.join(summary.split()))}", style.width)
    if explain:
        for name in dict.fromkeys((*hit.parts, *hit.scores)):
            measured = f"  ({hit.scores[name]:.3f})" if name in hit.scores else ""
            yield f"     {name:<9} {hit.parts.get(name, 0.0):+.3f}{measured}"
    if snippet is None and hit.children and not any(map(str.isalnum, section.body)):  # a rule is no text
        below = ", ".join(one_line(child.heading) for child in hit.children)
        lines = wrap(f"Sections below it: {below}", min(style.width, _TEXT_WIDTH) - len("   | "))
    elif full or snippet is None:
        lines = printable("\n".join(_shown_lines(section, hit.matches))).strip("\n").split("\n")
    else:
        width = min(style.width, _TEXT_WIDTH) - len("   | ")
        text = printable(_marked(snippet.text, snippet.matches))
        lines = [part for line in text.split("\n") for part in wrap(line, width)]
    is_open = False
    for part in lines:
        shown, is_open = _set_marks(f"   | {part}".rstrip(), style.colour, is_open)
        yield shown


def _trail(names: Sequence[str], room: int) -> str:
    """The names of a section's headings, outermost first, in so many columns; those in the middle give way to the last."""
    text = " > ".join(names)
    if len(names) > 2 and _columns(text) > room:
        text = f"{names[0]} > … > {names[-1]}"
    if len(names) > 1 and _columns(text) > room:
        text = f"… > {names[-1]}"
    return clip(text, room)


def _shown_lines(section: Section, matches: Sequence[Window]) -> Iterator[str]:
    """Yield the lines of a section with its matches marked, without what is hidden; a line of which nothing is left goes."""
    marked = _marked(section.text, matches).split("\n")
    for written, text, shown in zip(section.content.split("\n"), section.text.split("\n"), marked, strict=True):
        if text == written:
            yield shown
        elif text.strip():
            yield " ".join(shown.split())


def _where(similar: SimilarSection) -> str:
    return f" ({similar.place})" if similar.place else f":{similar.start_line}"


def _marked(text: str, matches: Sequence[Window]) -> str:
    """Return the text with `_ON` before and `_OFF` after each match."""
    pieces, done = [], 0
    for match in matches:
        pieces += [text[done : match.start], _ON, text[match.start : match.end], _OFF]
        done = match.end
    return "".join((*pieces, text[done:]))


def _set_marks(line: str, colour: bool, is_open: bool) -> tuple[str, bool]:
    """Return the line with its matches in bold, and whether a match goes on in the next line.

    `is_open` tells whether a match that began in an earlier line goes on in this one.
    """
    goes_on = is_open + line.count(_ON) - line.count(_OFF) > 0
    if not colour:
        return _MARKERS.sub("", line), goes_on
    begins = f"{line[:5]}{_BOLD}{line[5:]}" if is_open else line
    return begins.replace(_ON, _BOLD).replace(_OFF, _PLAIN) + (_PLAIN if goes_on else ""), goes_on


def wrap(text: str, width: int) -> list[str]:
    """Return the text in lines of at most `width` terminal columns, broken at blanks or between wide letters.

    It is broken elsewhere only if there is no other way; so also before closing and after opening punctuation of Japanese,
    and within Korean words.

    >>> wrap("find 検索エンジン", 11), wrap("키를 회전합니다", 11)
    (['find 検索エ', 'ンジン'], ['키를', '회전합니다'])
    """
    if _columns(text) <= width:
        return [text]
    lines, line, used, breaks = [], "", 0, 0
    for character in text:
        wide = _width(character)
        is_hangul = "\uac00" <= character <= "\ud7a3"  # Korean has blanks between words
        if wide == 2 and line and not is_hangul and character not in _NEVER_FIRST and line[-1] not in _NEVER_LAST:
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
    """Return the text cut to `width` terminal columns, with an ellipsis if something is missing.

    >>> clip("検索エンジン", 7)
    '検索エ…'
    """
    if _columns(text) <= width:
        return text
    ends = accumulate(map(_columns, text))
    return "".join(character for character, end in zip(text, ends, strict=True) if end < width) + "…"


def _columns(text: str) -> int:
    """Return how many columns of a terminal a text fills."""
    return sum(map(_width, text))


def _width(character: str) -> int:
    if unicodedata.combining(character) or character in (_ON, _OFF):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
