"""Lines of Markdown → paragraphs, without the markers of quotes and lists: no code, tables, headings or tags.

CommonMark's containers and leaf blocks, and those of MDX, VitePress and MkDocs. Every string is read without an error: a
block that is never closed is text, or goes on to the end where HTML says so.

A line is read in three steps. It may belong to a block that lasts over many lines (`_read`); else the quotes and list items
that it begins are opened (`_read_block`), and what follows their markers goes to the rules of `prose_leaves`.
"""

from __future__ import annotations

from collections.abc import Iterator

import regex as re  # the possessive groups of re match wrongly before Python 3.11.5 (cpython#106052)

from indexer.markdown.prose_leaves import take_leaf
from indexer.markdown.prose_patterns import ITEM, TASK, is_thematic_break
from indexer.markdown.prose_state import MAX_CONTAINERS, QUOTE, Block, Fence, State

__all__ = ["Block", "read_blocks"]


def read_blocks(text: str) -> Iterator[Block]:
    """Yield the paragraphs of a Markdown text whose lines end in a line feed, in order.

    >>> [block.source for block in read_blocks("# Title\\n\\nOne\\ntwo\\n> - three")]
    ['One\\ntwo', 'three']
    """
    state = State(text)
    for line in text.split("\n"):
        state.next_line += len(line) + 1
        _read(state, line.expandtabs(4) if "\t" in line else line)
        if state.done:
            yield from state.done
            state.done.clear()
    state.end_paragraph()
    yield from state.done


def _read(state: State, line: str) -> None:
    """Read a line: as part of what is open, as a blank one, or as one that may begin blocks."""
    if state.skipping_to is not None:
        _skip_line(state, line, state.skipping_to)
        return
    start, matched = _continued(state, line) if state.containers else (0, 0)
    text = line[start:].rstrip()
    if state.fence is not None and _is_code(state, text, matched, state.fence):
        return
    if state.statement_depth is not None:
        state.read_statement(text, state.statement_depth)
    elif not text:
        state.end_paragraph()
        state.is_markup = False
        del state.containers[matched:]
    else:
        _read_block(state, text, matched)


def _skip_line(state: State, line: str, end: re.Pattern[str]) -> None:
    """Leave out a line up to the end of what is skipped, and add the rest of it to the paragraph."""
    found = end.search(line)
    if found is not None:
        state.skipping_to = None
        state.add(line[found.end() :])


def _is_code(state: State, text: str, matched: int, fence: Fence) -> bool:
    """Whether a line is in the open fence, or closes it; the end of the fence's container ends the fence too."""
    if matched < fence.depth:
        state.fence = None
        return False
    marks = text.lstrip(" ")
    if len(marks) >= fence.length and not marks.strip(fence.character) and len(text) - len(marks) < 4:
        state.fence = None
    return True


def _continued(state: State, line: str) -> tuple[int, int]:
    """Return where the line's own text begins, after the markers of open containers, and how many it continues."""
    start = 0
    for i, width in enumerate(state.containers):
        rest = line[start:].lstrip(" ")
        indent = len(line) - start - len(rest)
        if width:
            if rest and indent < width:
                return start, i
            start += min(indent, width)
        elif indent < 4 and rest.startswith(">"):
            start += indent + (2 if rest.startswith("> ") else 1)
        else:
            return start, i
    return start, len(state.containers)


def _read_block(state: State, text: str, matched: int) -> None:
    """Read a line that is not blank: open the containers it begins, then take what is left of it."""
    if text[0].isalpha() and not state.containers and not state.is_table and (state.lines or text[0] not in "ei"):
        # half of all lines of prose: it begins no block, and no statement of MDX ("export", "import")
        if not state.lines:
            state.begin_block(0)
        state.lines.append(text)
        return
    for _ in range(MAX_CONTAINERS):
        body = text.lstrip(" ")
        indent = len(text) - len(body)
        if indent >= 4 and not state.is_markup:
            break
        if _takes_underline(state, body, matched) or _takes_thematic_break(state, body, matched):
            return
        inside = _open_container(state, body, indent, matched)
        if inside is None:
            break
        text, matched = inside, len(state.containers)
        if not text.strip(" "):
            return
    body = text.lstrip(" ")
    if len(text) - len(body) < 4 or state.is_markup:
        take_leaf(state, body, matched)
    elif state.lines:
        state.lines.append(text)
    else:  # indented code
        state.begin_block(matched)


def _takes_underline(state: State, body: str, matched: int) -> bool:
    """Take a setext underline: the open paragraph is a heading."""
    if not (state.lines and body[0] in "=-" and matched == len(state.containers) and not body.strip(body[0])):
        return False
    state.lines = []
    state.part += 1
    state.end_paragraph()
    return True


def _takes_thematic_break(state: State, body: str, matched: int) -> bool:
    if not is_thematic_break(body):
        return False
    state.end_paragraph()
    del state.containers[matched:]
    return True


def _open_container(state: State, body: str, indent: int, matched: int) -> str | None:
    """Open a quote or an item, and return what follows its marker; None if the line begins none."""
    if body[0] == ">":
        state.open(QUOTE, matched)
        return body[2 if body.startswith("> ") else 1 :]
    item = ITEM.match(body)
    if item is None or not _may_begin(state, item, body):
        return None
    after = body[item.end() :]
    blanks = len(after) - len(after.lstrip(" "))
    width = item.end() + (blanks if after and blanks <= 4 else 1)
    state.open(indent + width, matched)
    state.is_item = True
    inside = body[width:]
    return inside[4:] if TASK.match(inside) else inside


def _may_begin(state: State, item: re.Match[str], body: str) -> bool:
    """Whether a list marker begins an item here: in a paragraph outside of lists only 1 does, and no empty item."""
    if not state.lines or any(state.containers):
        return True
    return item.group(1) in (None, "1") and item.end() < len(body)
