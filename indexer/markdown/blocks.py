"""Markdown → its headings with their lines: CommonMark's block rules and GFM tables, no inline rules.

On 13,383 real files these rules give exactly the headings of commonmark.js and cmark, at half the cost of a full parse.
The rules are those of markdown-it-py. Some are wrapped here: to ask them only about lines where they can begin, to limit
what they cost, and to correct one of them (`definitions`).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, cast

from markdown_it import MarkdownIt, rules_block
from markdown_it.common.utils import mdTrim
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

from indexer.markdown.definitions import definitions, first_character
from schema.formats.quotes import BlockRule, in_portions

#: A text of more lines is kept as one section: the parser needs a few hundred bytes of memory for every line.
MAX_LINES = 1_000_000
#: How deep quotes, lists and list items may be nested. A line can be read once at each level, so the limit is lower for
#: texts of very many lines: lines times levels stay below `_MAX_READINGS`, but `_MIN_NESTING` levels are always read.
MAX_NESTING = 24
_MIN_NESTING = 4
_MAX_READINGS = 2_000_000

#: Addresses that begin so make a link, whatever follows; so do addresses without a colon.
_NEVER_REFUSED = ("https://", "http://", *(f"data:image/{kind};" for kind in ("gif", "png", "jpeg", "webp")))

_LINE_END = re.compile(r"\r\n|\r")
#: First characters of the row of dashes below the head of a table.
_DELIMITER_ROW_STARTS = frozenset("|-:")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading as written: `level` 1–6, its first line and the line after its last (0-based), its inline source.

    `is_nested`: it is inside a quote, a list item or another container.
    """

    level: int
    line: int
    end_line: int
    source: str
    is_nested: bool


def read_headings(text: str, env: dict[str, object]) -> tuple[list[Heading], tuple[str, ...]]:
    """Return every heading of a Markdown text in order, and warnings; the link definitions are added to `env`."""
    return read_blocks(text, env, BlockState)


def read_blocks(
    text: str, env: dict[str, object], new_state: Callable[[str, MarkdownIt, dict[str, object]], BlockState]
) -> tuple[list[Heading], tuple[str, ...]]:
    """Return what `read_headings` does; `new_state` makes the parser's state, which may keep more than headings."""
    lines = _LINE_END.sub("\n", text).replace("\0", "\ufffd")
    if lines.count("\n") > MAX_LINES:
        return [], (f"the text has more than {MAX_LINES:,} lines; its headings are not read and it is kept as one section",)
    if not lines.endswith("\n"):
        lines += "\n"  # or the parser may read beyond the end (markdown-it-py 4.2)
    parser = markdown()
    state = new_state(lines, parser, env)
    parser.block.tokenize(state, 0, state.lineMax)
    warning = f"quotes and lists are nested more than {state.max_nesting} deep; the deepest ones were taken as plain text"
    return _headings(state.tokens), (warning,) if state.is_cut else ()


class BlockState(StateBlock):
    """The parser's state, which keeps only the tokens of headings: all tokens of a megabyte can take half a gigabyte.

    The text ends with a line end, and all its line ends are line feeds. `is_cut`: some quotes or lists were nested deeper
    than `max_nesting` and were read as plain text.
    """

    def __init__(self, text: str, parser: MarkdownIt, env: dict[str, object]) -> None:
        super().__init__("", parser, env, [])
        self._mark_lines(text)
        self.max_nesting = max(_MIN_NESTING, min(MAX_NESTING, _MAX_READINGS // (self.lineMax + 1)))
        self.is_cut = False
        self._unused = Token("", "", 0)
        self._is_heading = False

    def push(self, ttype: str, tag: str, nesting: Literal[-1, 0, 1]) -> Token:
        if nesting < 0:
            self.level -= 1
        token = self._unused
        if ttype == "heading_open" or self._is_heading:
            token = Token(ttype, tag, nesting, level=self.level)
            self.tokens.append(token)
        self._is_heading = ttype == "heading_open"
        if nesting > 0:
            self.level += 1
        return token

    def keep_rows(self, first: int, end: int) -> None:
        """Note the lines of a table, of which nothing is kept here."""

    def keep_paragraph(self, first: int, end: int) -> None:
        """Note the lines of a paragraph, of which nothing is kept here."""

    def _mark_lines(self, text: str) -> None:
        """Note where the lines begin and end and how far they are indented, as the library does, in half its time."""
        self.src = text
        lines = text.split("\n")
        blanks = [len(line) - len(line.lstrip(" \t")) if line[:1] in (" ", "\t") else 0 for line in lines]
        self.bMarks = list(itertools.accumulate((len(line) + 1 for line in lines[:-1]), initial=0))
        self.eMarks = [start - 1 for start in self.bMarks[1:]] + [len(text)]
        self.tShift = blanks
        self.sCount = [len(a[:n].expandtabs(4)) if n else 0 for a, n in zip(lines, blanks, strict=True)]
        self.bsCount = [0] * len(lines)
        self.lineMax = len(lines) - 1


def _headings(tokens: list[Token]) -> list[Heading]:
    """Return the headings of pairs of tokens: the opening one and its text."""
    found = []
    for opening, text in zip(tokens[::2], tokens[1::2], strict=True):
        first, end = opening.map or (0, 0)
        found.append(Heading(int(opening.tag[1]), first, end, text.content, opening.level > 0))
    return found


class _Parser(MarkdownIt):
    """The parser, which encodes only addresses that may be refused: the encoded form is not used, and costs time."""

    def normalizeLink(self, url: str) -> str:  # noqa: N802 — the name is the library's
        """Return the address as a page would have it, or as it is written if no address of its kind is refused."""
        return url if ":" not in url or url.startswith(_NEVER_REFUSED) else super().normalizeLink(url)


@lru_cache(maxsize=1)
def markdown() -> MarkdownIt:
    """Return the parser: CommonMark with GFM tables. Rules are asked only about lines with a first character of theirs."""
    parser = _Parser("commonmark", {"maxNesting": 10**6}).enable("table")  # headings after a deeper nesting would be lost
    ruler = parser.block.ruler
    paragraphs = ["paragraph", "reference"]
    ruler.at("table", _above_delimiter_row(_table), {"alt": paragraphs})
    # one rule that stands for the rules disabled below, and for itself
    ruler.at("fence", _by_first_character(_BEGINNINGS), {"alt": [*paragraphs, "blockquote"]})
    ruler.at("blockquote", _only_silent(_by_first_character(_BEGINNINGS[:3])), {"alt": ["list"]})
    heading = _with_possible_underline(rules_block.lheading)
    ruler.at("reference", definitions(rules_block.reference, heading, _paragraph))
    ruler.at("lheading", heading)
    ruler.at("paragraph", _paragraph)
    return parser.disable(["hr", "list", "html_block", "heading"])


def _by_first_character(beginnings: Iterable[tuple[str, str, BlockRule]]) -> BlockRule:
    """Return one rule that stands for several: each is asked only about lines that begin as it needs them."""
    rules: dict[str, list[tuple[Callable[[str, int, int], object], BlockRule]]] = {}
    for characters, pattern, rule in beginnings:
        for character in characters:
            rules.setdefault(character, []).append((re.compile(pattern).match, rule))

    def by_first_character(state: StateBlock, line: int, end: int, silent: bool) -> bool:
        start = state.bMarks[line] + state.tShift[line]
        for begins, rule in rules.get(state.src[start : start + 1], ()):  # any() would cost twice as much
            if begins(state.src, start, state.eMarks[line]) and rule(state, line, end, silent):
                return True
        return False

    return by_first_character


def _only_silent(rule: BlockRule) -> BlockRule:
    """Wrap a rule so that it is only ever asked whether it would interrupt another block."""

    def silently(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        return silent and rule(state, start, end, silent)

    return silently


def _to_depth(rule: BlockRule) -> BlockRule:
    """Wrap the rule of quotes or lists so that none begins below the deepest level; its lines are paragraphs there."""

    def limited(state: Any, start: int, end: int, silent: bool) -> bool:
        if silent or state.level < state.max_nesting:
            return rule(state, start, end, silent)
        state.is_cut = state.is_cut or rule(state, start, end, True)
        return False

    return limited


#: First characters of a line, what must match there, and the rule. The first three end a list, all of them a paragraph.
_BEGINNINGS: tuple[tuple[str, str, BlockRule], ...] = (
    ("`~", "```|~~~", rules_block.fence),
    (">", "", _to_depth(in_portions(rules_block.blockquote))),
    ("*-_", r"([*_-])[ \t]*+(?>(?:\1[ \t]*+){2,})\Z", rules_block.hr),
    ("*+-0123456789", r"(?:[*+-]|[0-9]{1,9}[.)])(?:[ \t]|\Z)", _to_depth(rules_block.list_block)),
    ("<", "", rules_block.html_block),
    ("#", "", rules_block.heading),
)
#: First characters of lines that may end a paragraph or make it a heading.
_PARAGRAPH_ENDS = frozenset("".join(characters for characters, *_ in _BEGINNINGS)) | _DELIMITER_ROW_STARTS | {"="}


def _above_delimiter_row(rule: BlockRule) -> BlockRule:
    """Wrap the rule of tables so that it is asked only about lines above one that can be a row of dashes.

    Dashes alone underline a heading, also one between bars.
    """

    def above_delimiter_row(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        below = start + 1
        if below >= end or first_character(state, below) not in _DELIMITER_ROW_STARTS:
            return False
        is_underline = (
            not state.src[state.bMarks[below] + state.tShift[below] : state.eMarks[below]].rstrip(" \t").strip("-")
        )
        return not is_underline and rule(state, start, end, silent)

    return above_delimiter_row


def _table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Take a table, by the parser's rule for its beginning and by `is_row` for its end.

    The parser's own rule would make tokens for every cell, also for cells that rows lack.
    """
    if not rules_block.table(state, start, end, True):
        return False
    if silent:
        return True
    interrupting = state.md.block.ruler.getRules("blockquote")
    parent_type, state.parentType = state.parentType, "table"

    def is_row(line: int) -> bool:
        if state.sCount[line] < state.blkIndent or state.is_code_block(line):
            return False
        is_blank = not mdTrim(state.src[state.bMarks[line] : state.eMarks[line]])
        return not is_blank and not any(rule(state, line, end, True) for rule in interrupting)

    lines_below = (line for line in range(start + 2, end) if not is_row(line))
    state.line = next(lines_below, end)
    state.parentType = parent_type
    cast("BlockState", state).keep_rows(start, state.line)  # the state that read_blocks made
    return True


def _paragraph(state: StateBlock, start: int, end: int, _: bool) -> bool:
    """Take a paragraph, as the parser's rule does, but without a copy of its text."""
    rules = state.md.block.ruler.getRules("paragraph")
    parent_type, state.parentType = state.parentType, "paragraph"
    end = state.lineMax
    line = start + 1
    while line < end and not state.isEmpty(line):
        # a line below zero belongs to a quote already
        if 0 <= state.sCount[line] <= state.blkIndent + 3 and any(rule(state, line, end, True) for rule in rules):
            break
        line += 1
    state.parentType, state.line = parent_type, line
    cast("BlockState", state).keep_paragraph(start, line)
    return True


def _with_possible_underline(rule: BlockRule) -> BlockRule:
    """Wrap the rule of setext headings so that it is asked only about paragraphs with a line that can be an underline.

    The search ends at the first line that may end the paragraph. So no line is looked at again for each line above it.
    """

    def with_possible_underline(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        for line in range(start + 1, end):
            if state.isEmpty(line):
                return False
            if first_character(state, line) in _PARAGRAPH_ENDS:
                return rule(state, start, end, silent)
        return False

    return with_possible_underline
