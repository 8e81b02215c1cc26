"""The rule for quotes of markdown-it-py, in a time that does not grow with the square of the lines.

The library's rule gathers all lines up to the next blank one, since a line without a mark may continue the last paragraph
of a quote. A quote that does not end in a paragraph leaves them to the next one, which gathers them again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from markdown_it.rules_block import StateBlock

#: A rule of the parser. It gets the state, the line it is asked about, the end of the lines it may read, and "silent": that
#: it is only asked whether it would begin here. It returns whether it does; then `state.line` is the line after its last.
BlockRule = Callable[[StateBlock, int, int, bool], bool]

#: So many lines without a mark are gathered for each portion, at most.
MOST_WITHOUT = 32
#: Where the parser's environment notes how many portions quotes needed.
_PORTIONS = "portions of quotes"


def in_portions(rule: BlockRule) -> BlockRule:
    """Wrap the rule of quotes so that it gathers one portion: lines with a mark, and those without one that follow them.

    Where the quote goes on behind them, it is read again with twice as many portions. Quotes in quotes begin with as many as
    they needed before, so that each line is read a few times at each level, however many levels there are.

    >>> from markdown_it import MarkdownIt, rules_block
    >>> parser = MarkdownIt("commonmark")
    >>> parser.block.ruler.at("blockquote", in_portions(rules_block.blockquote), {"alt": ["paragraph", "reference", "list"]})
    >>> parser.render("> a\\nb\\n> c\\n").count("<blockquote>")
    1
    """

    def rule_in_portions(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        if silent:
            return rule(state, start, end, silent)
        needed: dict[tuple[int, int], int] = state.env.setdefault(_PORTIONS, {})
        place = start, state.level
        while True:
            portions = needed.get(place, 1)
            stop = _end_of(state, start, end, portions)
            before = _Mark(state)
            if not rule(state, start, stop, silent):
                return False
            if state.line < stop:
                return True
            needed[place] = 2 * portions  # also where the quote around it ends here, which may be read again
            if stop == end:
                return True
            before.restore()

    return rule_in_portions


def _end_of(state: StateBlock, start: int, end: int, portions: int) -> int:
    """Return the line behind so many portions of a quote; `end` if it has no more of them before a blank line."""
    left, without = portions, MOST_WITHOUT * portions
    is_marked = True
    for line in range(start + 1, end):
        first = state.bMarks[line] + state.tShift[line]
        if first >= state.eMarks[line]:
            return end
        was_marked, is_marked = is_marked, state.src[first] == ">" and state.sCount[line] >= state.blkIndent
        left -= is_marked and not was_marked
        without -= not is_marked
        if not left or without < 0:
            return line
    return end


class _Mark:
    """What a rule had found when this was made; `kept` is what a state of our own adds to its tokens."""

    def __init__(self, state: Any) -> None:
        self._state = state
        self._lengths = [len(found) for found in self._found()]
        self._references = len(state.env.get("references", ()))
        self._values = {name: getattr(state, name) for name in ("line", "level", "is_cut") if hasattr(state, name)}

    def _found(self) -> tuple[list[Any], ...]:
        state = self._state
        return state.tokens, state.env.get("duplicate_refs", []), getattr(state, "kept", [])

    def restore(self) -> None:
        """Forget what was found since."""
        for found, length in zip(self._found(), self._lengths, strict=True):
            del found[length:]
        env = self._state.env
        references = env.get("references", {})
        while len(references) > self._references:
            references.popitem()
        for name in ("references", "duplicate_refs"):
            if not env.get(name, True):
                del env[name]
        for name, value in self._values.items():
            setattr(self._state, name, value)
