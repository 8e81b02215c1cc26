"""Results → text for a terminal: one block for each hit, with its place, its path and the best passage."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import accumulate

from schema.commands import printable
from schema.results import SearchResult

_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n)+")
#: Lines of a section that are shown unless all of it is asked for.
PREVIEW_LINES = 6


def render_results(results: Sequence[SearchResult], *, width: int = 80, full: bool = False) -> str:
    """All hits, best first, separated by blank lines; at most `width` columns wide unless `full`."""
    return "\n\n".join("\n".join(_lines(i, hit, width, full)) for i, hit in enumerate(results, 1))


def _lines(number: int, hit: SearchResult, width: int, full: bool) -> Iterator[str]:
    section = hit.section
    marks = "".join(f"  [{word}]" for word, holds in (("stale", hit.stale), ("not yet embedded", hit.is_dirty)) if holds)
    trail = " > ".join(section.heading_path)
    yield clip(f"{number}. {printable(trail)}{marks}", width)
    yield printable(f"   {section.document_path}:{section.start_line}-{section.end_line}  score {hit.score:.3f}")
    text = printable(section.content if full else _passage(hit)).strip("\n")
    lines = text.split("\n") if full else _BLANK_LINES.sub("\n", text).split("\n")
    shown = lines if full else lines[:PREVIEW_LINES]
    for line in shown:
        yield f"   | {line}".rstrip() if full else clip(f"   | {line}", width).rstrip()
    if len(shown) < len(lines):
        yield f"   | … {len(lines) - len(shown)} more lines"


def _passage(hit: SearchResult) -> str:
    """The best matching part, or the text after the heading."""
    content = hit.section.content
    if hit.window is not None and hit.window.end > hit.window.start:
        return content[hit.window.start : hit.window.end]
    return hit.section.body or content


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
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
