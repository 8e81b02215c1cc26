"""Some lines of a section → the same without cut sentences at their ends, and the marks that a cut block of code lacks.

Lines are numbered from 0. A paragraph, an item of a list, a row of a table and a line of code are blocks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from search.context.units import Fence

#: A line that begins a block wherever it stands: an item, a row, a heading, a quotation with a mark, a fence.
_BEGINS = re.compile(r"[ \t>]*(?:[-*+][ \t]|\d{1,9}[.)][ \t]|\||#{1,6}[ \t]|\[!|`{3}|~{3})")
_HEADING = re.compile(r"[ \t>]*#{1,6}[ \t]")
_WORD = re.compile(r"\w")
_CALLOUT = re.compile(r"[ \t]{0,3}>[ \t]*\[![\w-]+\]|[ \t>]*(?:!!!|\?\?\?\+?|:::+|===)[ \t]*[\w\"']")
#: The line below the names of the columns of a table.
BELOW_NAMES = re.compile(r"\|?(?:[ \t]*:?-+:?[ \t]*\|)+(?:[ \t]*:?-+:?)?")
#: The end of a line that ends a sentence.
_STOP = re.compile(r"""[.!?。！？…:：]["'”’」』)\]*_`]{0,3}\s*\Z""")


class Blocks:
    """The blocks of a section's lines: where its fences open and close."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        #: Of each line inside a block of code, the line of the fence that opens it; -1 for the others and for fences.
        self._opened: list[int] = []
        #: The lines of fences that open a block, and by each of these the line of the one which closes it.
        self._openers: set[int] = set()
        self._closed: dict[int, int] = {}
        fence, opened = None, -1
        for at, line in enumerate(lines):
            if fence is None and (fence := Fence.of(line, shows_all=True)) is not None:
                opened = at
                self._openers.add(at)
                self._opened.append(-1)
            elif fence is not None and fence.is_closed_by(line):
                self._closed[opened] = at
                fence, opened = None, -1
                self._opened.append(-1)
            else:
                self._opened.append(opened)

    @property
    def longest_fence(self) -> str:
        """The longest line that opens a block of code which has lines; "" for none."""
        opening = {at for at in self._opened if at >= 0}
        return max((self._lines[at].strip() for at in opening), key=len, default="")

    def begins(self, at: int) -> bool:
        """Whether a line begins a block or follows the end of a sentence, or is blank."""
        line, before = self._lines[at], self._lines[at - 1] if at else ""
        if not before.strip() or not line.strip() or self._opened[at] >= 0:
            return True
        return bool(
            _BEGINS.match(line) or _HEADING.match(before) or Fence.of(before, shows_all=True) or _STOP.search(before[-20:])
        )

    def uncut(self, first: int, last: int, *, least: tuple[int, int]) -> tuple[int, int]:
        """The lines `first`..`last` without the rest of a sentence or block that begins before them, and the beginning of
        one that ends behind them, as far as these are not among the `least` (first and last) that have to stay. A block of
        code does not begin with brackets alone, or end with its fence alone."""
        low, high = least
        while first < low and not self.begins(first):
            first += 1
        closed = self._closed.get(self._opened[first], low)
        if closed < low and not any(_WORD.search(line) for line in self._lines[first:closed]):
            first = closed + 1
        while last > high and last + 1 < len(self._lines) and not self.begins(last + 1):
            last -= 1
        while last > high and (last in self._openers or not self._lines[last].strip()):
            last -= 1
        return first, last

    def with_text(self, first: int, last: int) -> tuple[int, int] | None:
        """The lines `first`..`last` without what says nothing at their ends: at the last one a heading, the title of a
        callout, the names of a table's columns or a fence that opens; at the first one the line below such names or a fence
        that closes. None if nothing is left."""
        closing = self._closed.values()
        while first <= last and (not self._lines[first].strip() or self._is_rule(first) or first in closing):
            first += 1
        while first <= last and self._says_nothing(last):
            last -= 1
        return (first, last) if first <= last else None

    def _says_nothing(self, last: int) -> bool:
        line = self._lines[last]
        if self._opened[last] >= 0:
            return not line.strip()
        is_opening = not line.strip() or last in self._openers or _HEADING.match(line) or _CALLOUT.match(line)
        has_rule = last + 1 < len(self._lines) and self._is_rule(last + 1)
        return bool(is_opening) or self._is_rule(last) or (has_rule and line.lstrip("> \t").startswith("|"))

    def _is_rule(self, at: int) -> bool:
        """Whether a line is the one below the names of a table's columns."""
        return self._opened[at] < 0 and BELOW_NAMES.fullmatch(self._lines[at].strip()) is not None

    def fences(self, first: int, last: int) -> tuple[str, str]:
        """The fence that opens the block of code which the line `first` is in, and one that closes what the lines up to
        `last` leave open; "" for none."""
        opened, at_end = self._opened[first], last if last in self._openers else self._opened[last]
        before = self._lines[opened].strip() if opened >= 0 else ""
        fence = Fence.of(self._lines[at_end], shows_all=True) if at_end >= 0 else None
        return before, fence.mark if fence is not None else ""
