"""Results → text for a terminal: one block for each hit, with its place, its path, its summary unless that only repeats the
text, and the best passage, matches in bold; paths are links where the terminal knows such.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

from schema.characters import one_line, printable
from schema.results import SearchResult, SectionLink

if TYPE_CHECKING:
    from search.evaluation import Evaluation

#: Stand around a match until the line is cut; Unicode keeps them free for such inner use.
_ON, _OFF = "\ufdd0", "\ufdd1"
_SIGNS = re.compile(f"[{_ON}{_OFF}]")
_BOLD, _DIM, _PATH, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[36m", "\x1b[0m"
_FENCE = re.compile(r"\s*(?:```|~~~)")
#: Such a line continues no paragraph; and such a one is continued by none.
_STARTS_BLOCK = re.compile(rf"[\s{_ON}]*(?:[-*+] |\d{{1,9}}[.)] |#{{1,6}} |[>|<:]|={{3}}|-{{3}}|\Z)| {{4}}|\t")
_KEEPS_LINE = re.compile(rf"[\s{_ON}]*(?:#{{1,6}} |[>|<:])| {{4}}|\t")
#: Lines of a section that are shown unless all of it is asked for.
PREVIEW_LINES = 6
#: Of the text that follows so much is laid out (characters): a line of a megabyte must not be wrapped for its beginning.
_PREVIEW_CHARACTERS = 20_000
#: Whether a section says its summary itself is looked for in so much of it (characters).
_SAID_CHARACTERS = 100_000
#: Text on wider lines is tiring to read (columns).
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

    def link(self, text: str, path: str) -> str:
        """The text as a link (OSC 8) to a document's file."""
        if self.root is None:
            return text
        return f"\x1b]8;;{(self.root / path).as_uri()}\x1b\\{text}\x1b]8;;\x1b\\"


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
    """A document's sections, indented by depth, in columns with lines, tokens and ids; headings give way to the width."""
    names = [f"{'  ' * link.depth}{one_line(link.heading) or '(before the first heading)'}" for link in links]
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
        where = style.link(style.paint(place, _PATH), link.document_path) + " " * (place_width - len(place))
        rows.append(f"{padded}  {where}  {count:>{count_width}}  {style.paint(link.id, _DIM)}")
    return "\n".join(rows)


def render_evaluation(evaluation: Evaluation, *, worst: int = 0) -> str:
    """The means of all measures, and the questions that went worst."""
    lines = [f"{len(evaluation.judged)} questions, {evaluation.mode}"]
    lines += [f"  {name:<11} {value:.3f}" for name, value in evaluation.means.items()]
    for judged in sorted(evaluation.judged, key=lambda one: one.score)[:worst]:
        places = ", ".join(f"{gold} at {place or 'none of the first 100'}" for gold, place in judged.places.items())
        lines.append(f"{judged.score:.2f}  {one_line(judged.question.query)}  ({one_line(places)})")
    return "\n".join(lines)


def _lines(number: int, hit: SearchResult, style: Style, full: bool, explain: bool) -> Iterator[str]:
    section = hit.section
    signs = "".join(f"  [{word}]" for word, holds in (("stale", hit.stale), ("not yet embedded", hit.is_dirty)) if holds)
    trail = " > ".join(section.heading_path)
    yield style.paint(clip(f"{number}. {one_line(trail)}{signs}", style.width), _BOLD)
    place = style.paint(one_line(f"{section.document_path}:{section.start_line}-{section.end_line}"), _PATH)
    yield f"   {style.link(place, section.document_path)}  {style.paint(f'score {hit.score:.3f}', _DIM)}"
    summary = hit.section.summary
    if summary and summary not in " ".join(section.content[:_SAID_CHARACTERS].split()):  # an extract stands below anyway
        yield clip(f"   = {printable(' '.join(summary.split()))}", style.width)
    if explain:
        for name in dict.fromkeys((*hit.parts, *hit.scores)):
            measured = f"  ({hit.scores[name]:.3f})" if name in hit.scores else ""
            yield f"     {name:<9} {hit.parts.get(name, 0.0):+.3f}{measured}"
    if full:
        text = printable(_marked(hit, 0, len(section.content))).strip("\n")
        is_open = False
        for line in text.split("\n"):
            shown, is_open = _set_marks(f"   | {line}".rstrip(), style.colour, is_open)
            yield shown
    else:
        start, end = _passage(hit)
        fences = sum(map(bool, map(_FENCE.match, section.content[:start].split("\n"))))
        cut = start + _PREVIEW_CHARACTERS
        cut = (section.content.rfind("\n", start, cut) + 1 or cut) if cut < end else end
        unseen = sum(map(bool, map(str.strip, section.content[cut:end].split("\n"))))
        text = printable(_marked(hit, start, cut)).strip("\n")
        yield from _preview(text, style, in_fence=fences % 2 == 1, unseen=unseen)


def _preview(text: str, style: Style, *, in_fence: bool, unseen: int) -> Iterator[str]:
    """The first lines of a text, paragraphs flowing, and how many of the file's lines are left.

    `in_fence` says that it begins inside of fenced code, `unseen` how many lines follow the text.
    """
    width = min(style.width, _TEXT_WIDTH) - len("   | ")
    left, is_open = PREVIEW_LINES, False
    lines = text.split("\n")
    told, every = 0, unseen + sum(map(bool, map(str.strip, lines)))
    for line, count in _flowing(lines, in_fence):
        parts = wrap(line, width)
        for part in parts[:left]:
            shown, is_open = _set_marks(f"   | {part}".rstrip(), style.colour, is_open)
            yield shown
        told += count if len(parts) <= left else 1  # what is left of a paragraph counts as lines that are left
        left -= min(left, len(parts))
        if not left:
            break
    rest = every - told
    if rest > 0:
        yield style.paint(f"   | … {rest} more line{'s' * (rest > 1)}", _DIM)


def _flowing(lines: Sequence[str], in_fence: bool) -> Iterator[tuple[str, int]]:
    """The lines with those of a paragraph joined, and how many each was, blank ones left out.

    Code, tables, lists and headings keep their lines.
    """
    joined, count = "", 0
    for line in lines:
        if not line.strip():
            if count:
                yield joined, count
            joined, count = "", 0
            continue
        is_fence = _FENCE.match(line) is not None
        is_prose = not in_fence and not is_fence and _STARTS_BLOCK.match(line) is None
        if joined and is_prose and not joined.endswith("  ") and not _KEEPS_LINE.match(joined):
            blank = "" if _is_wide(joined.rstrip(_OFF)[-1:]) and _is_wide(line.lstrip(f" {_ON}")[:1]) else " "
            joined, count = joined.rstrip() + blank + line.strip(), count + 1
            continue
        if count:
            yield joined, count
        joined, count = line, 1
        if in_fence or is_fence:
            yield joined, count
            joined, count = "", 0
        in_fence ^= is_fence
    if count:
        yield joined, count


def _is_wide(character: str) -> bool:
    return bool(character) and unicodedata.east_asian_width(character) in "WF" and not "가" <= character <= "힣"


def _passage(hit: SearchResult) -> tuple[int, int]:
    """From the first line of the best matching part on, or the text after the heading."""
    section, best = hit.section, hit.passage or hit.window
    if best is None or best.end <= best.start:
        return section.body_offset if section.body else 0, len(section.content)
    return section.content.rfind("\n", 0, best.start) + 1, len(section.content)


def _marked(hit: SearchResult, start: int, end: int) -> str:
    """A part of the content with signs around the matches."""
    content = hit.section.content
    pieces, at = [], start
    for match in hit.matches:
        if start <= match.start and match.end <= end:
            pieces += [content[at : match.start], _ON, content[match.start : match.end], _OFF]
            at = match.end
    return "".join((*pieces, content[at:end]))


def _set_marks(line: str, colour: bool, is_open: bool) -> tuple[str, bool]:
    """The line with its matches in bold, and whether one goes on in the next line; `is_open`: one began before it."""
    goes_on = is_open + line.count(_ON) - line.count(_OFF) > 0
    if not colour:
        return _SIGNS.sub("", line), goes_on
    begins = f"{line[:5]}{_BOLD}{line[5:]}" if is_open else line
    return begins.replace(_ON, _BOLD).replace(_OFF, _PLAIN) + (_PLAIN if goes_on else ""), goes_on


def wrap(text: str, width: int) -> list[str]:
    """The text in lines of at most `width` terminal columns, broken at blanks or between wide letters, else anywhere.

    >>> wrap("find 検索エンジン", 11)
    ['find 検索', 'エンジン']
    """
    if _columns(text) <= width:
        return [text]
    lines, line, used, breaks = [], "", 0, 0
    for character in text:
        wide = _width(character)
        if used + wide > width:
            cut = breaks or len(line)
            lines.append(line[:cut].rstrip())
            line = line[cut:].lstrip(" ")
            used, breaks = _columns(line), 0
        if character == " " or wide == 2:
            breaks = len(line) + (character == " ")
        line += character
        used += wide
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
