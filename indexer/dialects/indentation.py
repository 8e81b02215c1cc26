"""Indented text that is no code, in a component of MDX or a block of MkDocs → the blanks before it, which are hidden."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_LINE = re.compile(r"([ \t]*)([^\n]*)(?:\n|\Z)")
_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]")
_BLOCK = re.compile(r"(?:!!!|\?\?\?\+?|===)[ \t]")
#: Blanks before a line that make it code in plain Markdown.
_CODE_INDENT = 4


def hidden_indents(text: str, fences: Sequence[tuple[int, int]], *, is_mdx: bool) -> Iterator[tuple[int, int]]:
    """Yield where the blanks before each such line of a text begin and end, whose line ends are "\\n".

    `fences`: the offsets of fenced code, in order; its lines lose as much as its first one has. Lists keep their blanks. In
    MDX all indented text is meant, else what stands in blocks that begin with `!!!`, `???` or `===`.
    """
    item: int | None = None
    block: int | None = 0 if is_mdx else None
    at = 0
    for first, last in [*fences, (len(text), len(text))]:
        begins = text.rfind("\n", at, first) + 1 or at
        for line in _LINE.finditer(text, at, begins):
            width = len(line[1].expandtabs(4))
            if not line[2]:
                continue
            if item is not None and width < item:
                item = None
            if block is not None and not is_mdx and width < block:
                block = None
            if item is None and _ITEM.match(line[2]):
                item = width + 2
            elif item is None and block is not None and width >= max(block, _CODE_INDENT):
                yield line.span(1)
            if not is_mdx and block is None and _BLOCK.match(line[2]):
                block = width + _CODE_INDENT
        lead = _LINE.match(text, begins)
        width = len(lead[1].expandtabs(4)) if lead is not None else 0
        if item is None and block is not None and width >= max(block, _CODE_INDENT):
            for line in _LINE.finditer(text, begins, last):
                end = min(line.end(1), line.start() + len(lead[1]) if lead is not None else 0)
                if line.start() < end:
                    yield line.start(), end
        at = last
