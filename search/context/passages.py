"""The units of a section and a passage of it → what belongs to the passage: the whole of a short part, what begins its first
paragraph, and what follows a unit that only opens it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from schema.results import Snippet
from search.context.excerpt import MAX_CHARACTERS, MAX_SENTENCE
from search.context.tables import names_columns
from search.context.units import Unit

#: The longest section, or part of one below a heading, that is shown whole, and the longest passage with code beside it
#: (characters).
SHORT = 480
#: So far above a line of code is looked for the one that it belongs to (characters).
_NEAR = 160
#: What ends a sentence, or a line of code, that opens what follows; marks of emphasis may stand behind it.
_COLONS, _BRACKETS, _EMPHASIS = (":", "："), ("(", "[", "{"), "*_ "


def whole_part(found: Sequence[Unit], first: int, last: int) -> tuple[int, int] | None:
    """The units of the section, or of its part below one heading, that hold a passage; None if they are too long."""
    heading = found[first].heading
    while first and found[first - 1].heading == heading and found[last - 1].end - found[first - 1].start <= SHORT:
        first -= 1
    if first and found[first - 1].heading == heading:
        return None
    while last < len(found) and found[last].heading == heading and found[last].end - found[first].start <= SHORT:
        last += 1
    return None if last < len(found) and found[last].heading == heading else (first, last)


def with_lead(found: Sequence[Unit], first: int, last: int) -> tuple[int, int]:
    """The first unit of a passage with the sentences of its paragraph or item that stand before it, and a title above them,
    as far as there is room, and the one after its last: what follows an item gives way to its beginning, which names what it
    tells of."""
    block, is_item = found[first].block, found[first].kind == "item"
    while first and found[first - 1].block == block and found[first].kind in ("prose", "item"):
        begin, stop = found[first - 1].start, last
        while is_item and found[stop - 1].block != block and found[stop - 1].end - begin > MAX_CHARACTERS:
            stop -= 1
        if found[stop - 1].end - begin > MAX_CHARACTERS:
            break
        first, last = first - 1, stop
    if first and found[first - 1].kind == "title" and found[first - 1].heading == found[first].heading:
        first -= found[last - 1].end - found[first - 1].start <= MAX_SENTENCE
    return first, last


def with_code_above(content: str, found: Sequence[Unit], first: int) -> int:
    """The line of code that a passage begins with if it holds line `first`: the one around that, as far as it is near, since
    a body says little without the call or the key that it belongs to."""
    begin, column, at = first, _column(content, found[first]), first
    while column and at and found[at - 1].block == found[first].block and found[first].start - found[at - 1].start <= _NEAR:
        at -= 1
        above = _column(content, found[at])
        begin, column = (at, above) if above < column else (begin, column)
    return begin


def fitting(
    excerpt: Callable[[Sequence[int]], Snippet], chosen: Sequence[int], *, least: int = 1
) -> tuple[Sequence[int], Snippet]:
    """The chosen units without the last ones as long as their snippet is too long, down to the `least`, and the snippet:
    indents of code can be longer than they are written."""
    while len((snippet := excerpt(chosen)).text) > MAX_SENTENCE and len(chosen) > least:
        chosen = chosen[:-1]
    return chosen, snippet


def filled(
    found: Sequence[Unit],
    excerpt: Callable[[Sequence[int]], Snippet],
    chosen: Sequence[int],
    snippet: Snippet,
) -> tuple[Sequence[int], Snippet]:
    """The chosen units, if they follow each other, with the text behind them below the same heading and then what is before
    them, as far as there is room, and the snippet: the answer is often beside the sentence that has the words.

    A block of code before them is added as a whole, and none where they have code: it may be that of another step.
    """
    first, stop = chosen[0], chosen[-1] + 1
    if len(chosen) < stop - first:
        return chosen, snippet
    behind = range(first, _end_behind(found, first, stop, MAX_SENTENCE - len(snippet.text)))
    if len(behind) > len(chosen) and len((longer := excerpt(behind)).text) <= MAX_SENTENCE:
        chosen, snippet = behind, longer
    stop = chosen[-1] + 1
    before = range(_begin_before(found, first, stop, MAX_CHARACTERS - len(snippet.text)), stop)
    if len(before) > len(chosen) and len((longer := excerpt(before)).text) <= MAX_CHARACTERS:
        chosen, snippet = before, longer
    return chosen, snippet


def _end_behind(found: Sequence[Unit], first: int, stop: int, room: int) -> int:
    """The unit before which a passage can end at the latest: below the same heading, before code, and with room for what is
    written behind it."""
    end = stop
    while end < len(found) and found[end].heading == found[first].heading and found[end].kind != "code":
        if found[end].end - found[stop - 1].end > room:
            break
        end += 1
    return end


def _begin_before(found: Sequence[Unit], first: int, stop: int, room: int) -> int:
    """The unit with which a passage can begin at the earliest: below the same heading, with room for what is written before
    it, and not inside of a block of code; behind all code if the passage has some."""
    has_code = any(unit.kind == "code" for unit in found[first:stop])
    begin = first
    for at in range(first - 1, -1, -1):
        unit = found[at]
        is_code = unit.kind == "code"
        if unit.heading != found[first].heading or (is_code and has_code) or found[first].start - unit.start > room:
            break
        if not (is_code and at and found[at - 1].block == unit.block):
            begin = at
    return begin


def closed(
    content: str,
    found: Sequence[Unit],
    answer: Unit | None,
    excerpt: Callable[[Sequence[int]], Snippet],
    chosen: Sequence[int],
    snippet: Snippet,
) -> Snippet:
    """The snippet of the chosen units, with what follows those that only open it (`run:`, a title) where nothing does, or
    without them where there is no room for that, but for the first one and the `answer`."""
    shown = list(chosen)
    for end in [at for at in chosen if at + 1 not in chosen and (found[at].kind != "row" or at == chosen[-1])]:
        at = end
        while at + 1 not in shown and _opens(content, found, at):
            with_next = excerpt(more := sorted((*shown, at + 1)))
            if len(with_next.text) > MAX_SENTENCE:
                break
            shown, snippet, at = more, with_next, at + 1
        least = len(shown)
        while at in shown[1:] and at + 1 not in shown and found[at] != answer and _opens(content, found, at):
            shown.remove(at)
            at -= 1
        snippet = snippet if len(shown) == least else excerpt(shown)
    return snippet


def _opens(content: str, found: Sequence[Unit], at: int) -> bool:
    """Whether a unit says little without the next one: a title, what a colon or an opening bracket ends, or the row that
    names the columns of a table."""
    unit = found[at]
    if at + 1 == len(found) or found[at + 1].heading != unit.heading:
        return False
    behind = found[at + 1]
    if unit.kind == "code":
        last = content[unit.end - 1 : unit.end]
        is_deeper = content.startswith("-", behind.start) or _column(content, behind) > _column(content, unit)
        return behind.block == unit.block and (last in _BRACKETS or (last in _COLONS and is_deeper))
    if unit.kind == "row":
        return names_columns(content, found, at)
    return unit.kind == "title" or content[unit.start : unit.end].rstrip(_EMPHASIS).endswith(_COLONS)


def _column(content: str, unit: Unit) -> int:
    """The column in which a unit begins."""
    return len(content[content.rfind("\n", 0, unit.start) + 1 : unit.start].expandtabs(4))
