"""The units of a section and a passage of it → the line or two of code nearby that show what the passage says.

Documentation explains in a sentence and answers in code: the command to type, the call to write. A line of code counts by
the names in it that the prose of the section has too, written as code there.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from search.context.units import Unit

#: Most lines of code that are added to a passage, and how far from it they may stand (characters).
_MOST_LINES, _NEAR = 2, 400
#: A name in code.
_NAME = re.compile(r"[^\W\d_][\w-]{2,63}")
#: Code within prose.
_INLINE_CODE = re.compile(r"(?<!`)(`{1,8})(?!`)([^`\n]{1,80})\1(?!`)")
#: What a name in a line of code counts if code in the passage has it, or code in the heading or other prose.
_IN_PASSAGE, _IN_PROSE = 1.0, 0.5
#: What is added for code right before or right behind the passage, and what is taken for each character between them.
#: Code that the passage begins with is continued upwards only by a line with such a name.
_NEXT, _FOR_DISTANCE = 0.8, 0.00025
#: By how much each further name in a line lowers its score, and the score that a line needs.
_FOR_LENGTH, _LEAST = 0.05, 0.3
#: What a command begins with where its output follows in the same block.
_PROMPT = "$ "


def code_beside(content: str, units: Sequence[Unit], first: int, last: int, *, room: int) -> range:
    """Return which of the units are the code to show with the passage `units[first:last]`; an empty range for none.

    They are at most two lines of one block, below the same heading as the passage and near it, with at most `room`
    characters. Where a line of a block begins with a prompt, the lines without one are output and not code.
    """
    begin, end = units[first].start, units[last - 1].end
    own = [i for i, unit in enumerate(units) if unit.kind == "code" and unit.heading == units[first].heading]
    lines = {i: content[units[i].start : units[i].end] for i in own}
    typed = {units[i].block for i, line in lines.items() if line.startswith(_PROMPT)}
    lines = {i: line for i, line in lines.items() if units[i].block not in typed or line.startswith(_PROMPT)}
    near = [i for i in lines if not first <= i < last and _gap(units[i], begin, end) <= _NEAR and len(lines[i]) <= room]
    if not near:
        return range(0)
    names = {i: set(_NAME.findall(line)) for i, line in lines.items()}
    counts = Counter(name for each in names.values() for name in each)
    worth = _worth_of_names(content, begin, end)

    def score(i: int) -> float:
        found = sum(worth.get(name, 0.0) / math.sqrt(counts[name]) for name in names[i])
        is_next = i == last or (i == first - 1 and (found > 0 or units[first].kind != "code"))
        return found / (1 + _FOR_LENGTH * len(names[i])) + _NEXT * is_next - _FOR_DISTANCE * _gap(units[i], begin, end)

    best = max(near, key=lambda i: (score(i), -i))
    if score(best) <= _LEAST:
        return range(0)
    stop, size = best + 1, len(lines[best])
    while stop - best < _MOST_LINES and stop in lines and stop != first and units[stop].block == units[best].block:
        size += 1 + len(lines[stop])
        if size > room:
            break
        stop += 1
    return range(best, stop)


def _worth_of_names(content: str, begin: int, end: int) -> dict[str, float]:
    """What each name in the code within prose counts; the passage is `content[begin:end]`."""
    worth: dict[str, float] = {}
    for found in _INLINE_CODE.finditer(content):
        value = _IN_PASSAGE if begin <= found.start() < end else _IN_PROSE
        for name in _NAME.findall(found[2]):
            worth[name] = max(value, worth.get(name, 0.0))
    return worth


def _gap(unit: Unit, begin: int, end: int) -> int:
    """How many characters stand between a unit and the passage."""
    return unit.start - end if unit.start >= end else begin - unit.end
