"""Results → text for a terminal: one block for each hit, with its place, its path, its summary unless that only repeats the
text, and the best passage, matches in bold.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from schema.commands import printable
from schema.results import SearchResult, SectionLink

if TYPE_CHECKING:
    from search.evaluation import Evaluation

_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n)+")
#: Stand around a match until the line is cut; Unicode keeps them free for such inner use.
_ON, _OFF = "\ufdd0", "\ufdd1"
_SIGNS = re.compile(f"[{_ON}{_OFF}]")
_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"
#: Lines of a section that are shown unless all of it is asked for.
PREVIEW_LINES = 6


def render_results(
    results: Sequence[SearchResult],
    *,
    width: int = 80,
    full: bool = False,
    explain: bool = False,
    marks: bool = False,
    first: int = 1,
) -> str:
    """All hits, best first, separated by blank lines; at most `width` columns wide unless `full`.

    `marks` sets matched words in bold (for terminals), `explain` adds what each step gave, `first` is the first number.
    """
    blocks = (_lines(i, hit, width, full, explain, marks) for i, hit in enumerate(results, first))
    return "\n\n".join("\n".join(block) for block in blocks)


def render_outline(links: Sequence[SectionLink]) -> str:
    """A document's sections, indented by depth, with lines and ids."""
    return "\n".join(
        f"{'  ' * link.depth}{printable(link.heading) or '(before the first heading)'}  "
        f"L{link.start_line}-{link.end_line}  {link.token_count} tokens  {link.id}"
        for link in links
    )


def render_evaluation(evaluation: Evaluation, *, worst: int = 0) -> str:
    """The means of all measures, and the questions that went worst."""
    lines = [f"{len(evaluation.judged)} questions, {evaluation.mode}"]
    lines += [f"  {name:<11} {value:.3f}" for name, value in evaluation.means.items()]
    for judged in sorted(evaluation.judged, key=lambda one: one.score)[:worst]:
        places = ", ".join(f"{gold} at {place or 'none of the first 100'}" for gold, place in judged.places.items())
        lines.append(f"{judged.score:.2f}  {printable(judged.question.query)}  ({printable(places)})")
    return "\n".join(lines)


def _lines(number: int, hit: SearchResult, width: int, full: bool, explain: bool, marks: bool) -> Iterator[str]:
    section = hit.section
    signs = "".join(f"  [{word}]" for word, holds in (("stale", hit.stale), ("not yet embedded", hit.is_dirty)) if holds)
    trail = " > ".join(section.heading_path)
    yield clip(f"{number}. {printable(trail)}{signs}", width)
    yield printable(f"   {section.document_path}:{section.start_line}-{section.end_line}  score {hit.score:.3f}")
    summary = hit.section.summary
    if summary and summary not in " ".join(section.content.split()):  # an extract stands below anyway
        yield clip(f"   = {printable(' '.join(summary.split()))}", width)
    if explain:
        for name in dict.fromkeys((*hit.parts, *hit.scores)):
            measured = f"  ({hit.scores[name]:.3f})" if name in hit.scores else ""
            yield f"     {name:<9} {hit.parts.get(name, 0.0):+.3f}{measured}"
    start, end = (0, len(section.content)) if full else _passage(hit)
    text = printable(_marked(hit, start, end)).strip("\n")
    lines = text.split("\n") if full else _BLANK_LINES.sub("\n", text).split("\n")
    shown = lines if full else lines[:PREVIEW_LINES]
    for line in shown:
        cut = f"   | {line}".rstrip() if full else clip(f"   | {line}", width).rstrip()
        yield _set_marks(cut, marks)
    if len(shown) < len(lines):
        yield f"   | … {len(lines) - len(shown)} more lines"


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


def _set_marks(line: str, marks: bool) -> str:
    if not marks:
        return _SIGNS.sub("", line)
    is_cut = line.count(_ON) > line.count(_OFF)
    return line.replace(_ON, _BOLD).replace(_OFF, _PLAIN) + (_PLAIN if is_cut else "")


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
