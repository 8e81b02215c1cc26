"""The Markdown of a file, and where the file has its headings → where in the file each heading stands.

Reads only the Markdown that pandoc writes: a heading is a line that begins with `#` outside of a fence.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise

from indexer.convert.limits import Places

#: A line of the file (from 1) that may be a heading, and its text.
Candidates = Sequence[tuple[int, str]]
#: The target of a link, which is no text of the heading.
_TARGET = re.compile(r"(?<=\])\([^()\s]{0,2000}\)")


def lines_of_headings(markdown: str, candidates: Candidates) -> Places:
    r"""Return the line in the file at which each heading stands; one that is not found stands after the one before.

    >>> lines_of_headings("a\n\n# *One*\n\n# Two\n\n# Three\n", [(3, "One"), (9, "Three")])
    ((0, 'line 1'), (3, 'line 3'), (12, 'after line 3'), (19, 'line 9'))
    """
    lines: dict[str, list[int]] = {}
    for line, text in candidates:
        lines.setdefault(_letters(text), []).append(line)
    places = [(0, "line 1")]
    last = 0
    used: dict[str, int] = {}  # how many of the lines with a text belong to headings before
    for offset, text in _headings(markdown):
        letters = _letters(text)
        known = lines.get(letters, [])
        at = max(bisect_left(known, last), used.get(letters, 0))
        used[letters] = at + 1
        last = known[at] if at < len(known) else last
        label = f"line {last}" if at < len(known) else f"after line {max(last, 1)}"
        places.append((offset, label))
    return tuple(places)


def numbers_of_headings(markdown: str) -> Places:
    r"""Return the number of each heading, for a file that knows neither lines nor pages.

    >>> numbers_of_headings("a\n\n# One\n\n## Two\n")
    ((0, 'beginning'), (3, 'heading 1'), (10, 'heading 2'))
    """
    headings = enumerate(_headings(markdown), start=1)
    return ((0, "beginning"), *((offset, f"heading {number}") for number, (offset, _) in headings))


def candidates_of(kind: str, text: str) -> list[tuple[int, str]]:
    r"""Return the lines of a text in the format "rst" or "asciidoc" that may be headings.

    >>> candidates_of("rst", "One\n===\n\nnot one\n")
    [(1, 'One')]
    >>> candidates_of("asciidoc", "= One\n\nno = one\n")
    [(1, '= One')]
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if kind == "asciidoc":
        return [(number, line) for number, line in enumerate(lines, start=1) if line.startswith(("=", "#"))]
    return [
        (number, line)
        for number, (line, below) in enumerate(pairwise(lines), start=1)
        if _is_underline(below) and line.strip()
    ]


def _is_underline(line: str) -> bool:
    line = line.rstrip()
    return bool(line) and not line[0].isalnum() and not line[0].isspace() and line == line[0] * len(line)


def _headings(markdown: str) -> Iterator[tuple[int, str]]:
    """Yield the offset and the text of each heading."""
    offset, fence = 0, ""
    for line in markdown.split("\n"):
        if fence:
            if line.startswith(fence) and not line.strip("` "):
                fence = ""
        elif line.startswith("```"):
            fence = line[: len(line) - len(line.lstrip("`"))]
        elif line.startswith("#") and line.lstrip("#")[:1] == " ":
            yield offset, _TARGET.sub("", line.lstrip("#"))
        offset += len(line) + 1


def _letters(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())
