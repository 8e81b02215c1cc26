"""Link definitions, as CommonMark reads them: at the beginning of a paragraph, whose rest stays a paragraph.

The rule of markdown-it-py is right about what a definition is, but it takes a paragraph's underline into one, and leaves
what follows the definition to all rules, also to those that end no paragraph.
"""

from __future__ import annotations

import re
from collections.abc import MutableMapping
from typing import Any

from markdown_it.rules_block import StateBlock

from schema.formats.quotes import BlockRule

#: A link definition of more lines is text: the parser copies the whole title again for each of its lines.
_MAX_LINES = 1000
_UNDERLINE = re.compile(r"(?:=+|-+)[ \t]*\Z")


def first_character(state: StateBlock, line: int) -> str:
    """Return the first character of a line that is no blank; empty at the end of the text."""
    start = state.bMarks[line] + state.tShift[line]
    return state.src[start : start + 1]


def definitions(rule: BlockRule, heading: BlockRule, paragraph: BlockRule) -> BlockRule:
    """Return the rule for the definitions that a paragraph begins with, and for the rest of that paragraph.

    `rule` is the parser's for one definition; `heading` takes a paragraph with an underline, `paragraph` any other one.
    """
    define = _before_underline(rule)

    def definitions_and_rest(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        if not define(state, start, end, silent):
            return False
        while not silent and state.line < state.lineMax and _continues(state, state.line, end):
            line = state.line
            if define(state, line, end, silent):
                continue
            indent = state.sCount[line]
            state.sCount[line] = min(indent, state.blkIndent)  # no code, however far it is indented
            try:
                _ = heading(state, line, end, silent) or paragraph(state, line, end, silent)
            finally:
                state.sCount[line] = indent
            break
        return True

    return definitions_and_rest


def _continues(state: StateBlock, line: int, end: int) -> bool:
    """Whether a line goes on with a paragraph: it is not blank, and begins nothing that may end one."""
    if state.isEmpty(line):
        return False
    if not 0 <= state.sCount[line] <= state.blkIndent + 3:  # a line below zero belongs to a quote already
        return True
    parent_type, state.parentType = state.parentType, "paragraph"
    ends = any(rule(state, line, end, True) for rule in state.md.block.ruler.getRules("paragraph"))
    state.parentType = parent_type
    return not ends


def _before_underline(rule: BlockRule) -> BlockRule:
    """Wrap the rule of link definitions so that none contains a setext underline.

    CommonMark ends the paragraph at the underline and only then looks for definitions in it, so `[b]:` above `===` is
    a heading. markdown-it-py 4.3 reads `===` as the link's address; this wrapper can go when it no longer does.

    The rule ignores `end` and reads up to `state.lineMax`, the end of the text or of its container. So `lineMax` is lowered
    while the rule runs and set back afterwards, whatever happens, since all other rules use it too.
    """

    def before_underline(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        if first_character(state, start) != "[":
            return False
        line_max = state.lineMax
        state.lineMax = min(line_max, start + _MAX_LINES)
        try:
            return _define(rule, state, start, end, silent)
        finally:
            state.lineMax = line_max

    return before_underline


def _define(rule: BlockRule, state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Take the link definition at line `start`, if there is one.

    If it contains an underline, it is forgotten, and the lines above the underline are read again on their own. That lowers
    `state.lineMax`, which the caller sets back.
    """
    known = len(state.env.get("references", ()))
    if not rule(state, start, end, silent):
        return False
    underline = next((line for line in range(start + 1, state.line) if _is_underline(state, line)), None)
    if underline is None:
        return True
    _forget_last_definition(state.env, known)
    state.line = start  # the rule had moved it behind the definition
    state.lineMax = underline
    return rule(state, start, end, silent)


def _forget_last_definition(env: MutableMapping[str, Any], known: int) -> None:
    """Remove the definition that the rule has just added to `env`, which held `known` labels before.

    The rule adds a new label at the end of `references`. A label that is there already keeps its first definition, and the
    rule adds the later one at the end of `duplicate_refs`.
    """
    if len(env["references"]) > known:
        env["references"].popitem()
    else:
        env["duplicate_refs"].pop()


def _is_underline(state: StateBlock, line: int) -> bool:
    """Whether a line is a setext underline: `===` or `---`, indented by less than four columns in its container."""
    if not state.blkIndent <= state.sCount[line] < state.blkIndent + 4:
        return False
    first = state.bMarks[line] + state.tShift[line]
    return _UNDERLINE.match(state.src[first : state.eMarks[line]]) is not None
