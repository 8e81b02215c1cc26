"""The units of a section and a passage of it → the line or two of code that show what the passage says.

Documentation explains in a sentence and answers in code: the command to type, the call to write. A line of code counts by
the names in it that the prose of the section has too, written as code there. It stands near the passage; a command to type
is looked for farther away too, since a page often explains first and tells what to type at its end.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from search.context.units import Unit, open_fence

#: Most lines of code that are added to a passage, how far from it they may stand, and how far a command may (characters).
_MOST_LINES, _NEAR, _FAR = 2, 400, 1600
#: A name in code.
_NAME = re.compile(r"[^\W\d_][\w-]{2,63}")
#: Code within prose.
_INLINE_CODE = re.compile(r"(?<!`)(`{1,8})(?!`)([^`\n]{1,80})\1(?!`)")
#: What a name in a line of code counts if code in the passage has it, or code in other prose.
_IN_PASSAGE, _IN_PROSE = 1.0, 0.5
#: What is added for code right behind the passage, and the score that a line needs.
_NEXT, _LEAST = 0.8, 0.3
#: The score that a command far away needs, if no name in it is written with a sign, as options are (`test-threads`).
_SURE = 1.0
#: What a command begins with where its output follows in the same block; what ends a line that goes on in the next one; and
#: what says that text for the command follows, which is no use without the text.
_PROMPT, _GOES_ON, _TEXT_FOLLOWS = "$ ", "\\", re.compile(r"<<-?['\"]?[A-Za-z_]")
#: The line above a block of commands to type.
_SHELL = re.compile(
    r"[ \t>]*(?:`{3,}|~{3,})[ \t{.]*"
    r"(?:bash|sh|shell|zsh|fish|console|shell-?session|powershell|pwsh|ps1|batch|bat|cmd|terminal)\b",
    re.IGNORECASE,
)


def code_beside(content: str, units: Sequence[Unit], first: int, last: int, *, room: int) -> range:
    """Return which of the units are the code to show with the passage `units[first:last]`; an empty range for none.

    They are at most two lines of one block, or one command over several lines, below the same heading as the passage, with
    at most `room` characters. Code before the passage needs a name that the passage has: it mostly belongs to what is said
    before it, such as the last step. It is a command, or the whole of its block: lines out of a longer one say little there.
    """
    begin, end = units[first].start, units[last - 1].end
    lines = _lines_of_code(content, units, units[first].heading)
    gaps = {i: _gap(units[i], begin, end) for i in lines if not first <= i < last and len(lines[i]) <= room}
    above = [i for i in gaps if i < first and gaps[i] <= _FAR and units[i].block != units[first].block]
    for i in _torn_out(content, units, lines, above):
        del gaps[i]
    if not gaps:
        return range(0)
    worth = _worth_of_names(content, units, first, last)

    def score(i: int) -> float:
        values = [worth.get(name, 0.0) for name in set(_NAME.findall(lines[i]))]
        if i < first and _IN_PASSAGE not in values:
            return 0.0
        return sum(values) + _NEXT * (i == last)

    def is_sure(i: int) -> bool:
        names = worth.keys() & _NAME.findall(lines[i])
        return score(i) > _LEAST and (score(i) >= _SURE or not all(map(str.isalpha, names)))

    near = {i: score(i) for i, gap in gaps.items() if gap <= _NEAR}
    best = max(near, key=lambda i: (near[i], -gaps[i]), default=None)
    if best is None or near[best] <= _LEAST:
        far = _commands(content, units, lines, (i for i, gap in gaps.items() if _NEAR < gap <= _FAR and is_sure(i)))
        best = min(far, key=lambda i: gaps[i], default=None)
    if best is None:
        return range(0)
    stop, size = best + 1, len(lines[best])
    while stop in lines and stop != first and units[stop].block == units[best].block:
        size += 1 + len(lines[stop])
        if size > room or (stop - best >= _MOST_LINES and not lines[stop - 1].endswith(_GOES_ON)):
            break
        stop += 1
    return range(best, stop)


def _lines_of_code(content: str, units: Sequence[Unit], heading: tuple[int, int]) -> dict[int, str]:
    """The lines of code below a heading, by the number of their unit.

    Where a line of a block begins with a prompt, the lines without one are output and not code.
    """
    own = {
        i: content[unit.start : unit.end] for i, unit in enumerate(units) if unit.kind == "code" and unit.heading == heading
    }
    typed = {units[i].block for i, line in own.items() if line.startswith(_PROMPT)}
    found: dict[int, str] = {}
    for i, line in own.items():
        is_code = units[i].block not in typed or line.startswith(_PROMPT) or found.get(i - 1, "").endswith(_GOES_ON)
        if is_code and not _TEXT_FOLLOWS.search(line):
            found[i] = line
    return found


def _commands(content: str, units: Sequence[Unit], lines: Mapping[int, str], among: Iterable[int]) -> list[int]:
    """Those of some lines of code that are commands to type: behind a prompt, or in a block of a shell."""
    is_shell: dict[int, bool] = {}
    found = []
    for i in among:
        block = units[i].block
        if not lines[i].startswith(_PROMPT) and block not in is_shell:
            is_shell[block] = _SHELL.match(open_fence(content, units[i].start)) is not None
        if lines[i].startswith(_PROMPT) or is_shell[block]:
            found.append(i)
    return found


def _torn_out(content: str, units: Sequence[Unit], lines: Mapping[int, str], among: Sequence[int]) -> set[int]:
    """Those of some lines of code that say little out of their block: it has more lines than are shown, and they are no
    commands to type."""
    sizes = Counter(units[i].block for i in lines)
    inside = [i for i in among if sizes[units[i].block] > _MOST_LINES]
    return set(inside).difference(_commands(content, units, lines, inside))


def _worth_of_names(content: str, units: Sequence[Unit], first: int, last: int) -> dict[str, float]:
    """What each name counts that the prose of the section has as code."""
    worth: dict[str, float] = {}
    for i, unit in enumerate(units):
        if unit.kind == "code":
            continue
        value = _IN_PASSAGE if first <= i < last else _IN_PROSE
        for found in _INLINE_CODE.finditer(content, unit.start, unit.end):
            for name in _NAME.findall(found[2]):
                worth[name] = max(value, worth.get(name, 0.0))
    return worth


def _gap(unit: Unit, begin: int, end: int) -> int:
    """How many characters stand between a unit and the passage."""
    return unit.start - end if unit.start >= end else begin - unit.end
