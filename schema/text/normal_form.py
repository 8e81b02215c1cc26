"""A text → its form NFKC, in which terms are found, and where in the text as it is written each part of that stands."""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Callable

import regex

#: What the form may write in another way, with what may become one with it: marks, parts of syllables, half-width sound
#: marks. Of a longer row of them each part is taken by itself, since Unicode orders a row in quadratic time.
_CHANGING = regex.compile(
    r"\P{NFKC_QC=Y}[\p{NFKC_QC=M}\P{ccc=0}\u3133-\u3163\uff9e\uff9f\uffa3-\uffdc]{0,32}+",
)
#: A row of marks, and of characters that become marks.
_LONG_ROW = regex.compile(r"[\P{ccc=0}\u0f73\u0f75\u0f81\uff9e\uff9f]{33}")


def compatible(text: str) -> str:
    """Return the text in Unicode's form NFKC, in linear time: of more than 32 marks in a row, each 32 by themselves.

    >>> compatible("ＯＡｕｔｈで㎏")
    'OAuthでkg'
    """
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", text) if _LONG_ROW.search(text) is None else normal_form(text)[0]


def normal_form(text: str) -> tuple[str, Callable[[int, int], tuple[int, int]]]:
    """Return the text in Unicode's form NFKC, and a function from start and end there to those in the text; what begins or
    ends inside of characters that were changed as one is moved to their ends.

    >>> plain, written = normal_form("ＯＡｕｔｈで㎏")
    >>> plain, written(0, 5), written(6, 7)
    ('OAuthでkg', (0, 5), (6, 7))
    """
    parts: list[str] = []
    begins: list[int] = []  # where in the form stands what several characters became, or one became several
    ends: list[tuple[int, int, int]] = []  # where it ends, and where it begins and ends in the text
    at = size = 0
    for match in () if text.isascii() else _CHANGING.finditer(text):
        end = match.end()
        start = max(at, match.start() - 1)  # a mark joins the character before it
        normal = unicodedata.normalize("NFKC", text[start:end])
        if start < match.start() and normal[0] == text[start]:
            start, normal = start + 1, normal[1:]
        parts += (text[at:start], normal)
        size += start - at + len(normal)
        if not len(normal) == end - start == 1:
            begins.append(size - len(normal))
            ends.append((size, start, end))
        at = end

    def moved(offset: int, shift: int) -> int:
        """Where the character at an offset of the form begins in the text (`shift` 0) or ends (1)."""
        number = bisect_right(begins, offset) - 1
        if number < 0:
            return offset + shift
        stop, start, end = ends[number]
        return (start, end)[shift] if offset < stop else end + offset - stop + shift

    return "".join((*parts, text[at:])), lambda start, end: (moved(start, 0), moved(end - 1, 1))
