"""The brackets of a link in CommonMark → its label, or its target in parentheses; in linear time."""

from __future__ import annotations

import re

from markdown_it.common.utils import unescapeAll

#: Longer targets and labels are none (characters).
MAX_TARGET = 2000
MAX_LABEL = 999
_ANGLE_TARGET = re.compile(r"<((?:[^<>\\\n]|\\.){0,2000})>")
_TITLE = re.compile(r""""(?:[^"\\]|\\.){0,500}"|'(?:[^'\\]|\\.){0,500}'|\((?:[^()\\]|\\.){0,500}\)""", re.DOTALL)
_PLAIN_TARGET = re.compile(r"[^\s\x00-\x1f\x7f()\\]+")
_BLANKS = re.compile(r"[ \t]*\n?[ \t]*")
#: Hugo: {{< ref "page.md" >}} as a link's target.
_SHORTCODE_TARGET = re.compile(r"""\{\{[<%][ \t]*(?:rel)?ref[ \t]+["'`]([^"'`\n]{1,1000})["'`][ \t]*[>%]\}\}""")
_LABEL_STOP = re.compile(r"[\\\[\]]")


def label_end(text: str, start: int) -> int | None:
    """Return the offset of the bracket that closes a label, None if there is none."""
    offset, limit = start, start + MAX_LABEL
    while True:
        found = _LABEL_STOP.search(text, offset, limit)
        if found is None or found[0] == "[":
            return None
        if found[0] == "]":
            return found.start()
        offset = found.end() + 1


def inline_target(text: str, start: int) -> tuple[str | None, int]:
    """Return the target in the parentheses at an offset, and the offset after them; None if there is no target there."""
    if not text.startswith("(", start):
        return None, start
    offset = _after_blanks(text, start + 1)
    shortcode = _SHORTCODE_TARGET.match(text, offset)
    angle = _ANGLE_TARGET.match(text, offset)
    if shortcode is not None:
        target, offset = shortcode[1], shortcode.end()
    elif angle is not None:
        target, offset = unescapeAll(angle[1]), angle.end()
    elif text.startswith("<", offset):
        return None, start
    else:
        end = _plain_end(text, offset)
        target, offset = unescapeAll(text[offset:end]), end
    after = _after_blanks(text, offset)
    if after > offset:
        title = _TITLE.match(text, after)
        after = _after_blanks(text, title.end()) if title else after
    return (target, after + 1) if text.startswith(")", after) else (None, start)


def _after_blanks(text: str, start: int) -> int:
    found = _BLANKS.match(text, start)
    return found.end() if found else start


def _plain_end(text: str, start: int) -> int:
    """Return the end of a target that is not in angle brackets: up to a blank, its parentheses balanced."""
    depth, offset, limit = 0, start, min(len(text), start + MAX_TARGET)
    while offset < limit:
        run = _PLAIN_TARGET.match(text, offset, limit)
        offset = run.end() if run else offset
        character = text[offset : offset + 1]
        if character == "\\" and not text.startswith(" ", offset + 1):
            offset += 2
        elif character == "(" and depth < 32:
            depth, offset = depth + 1, offset + 1
        elif character == ")" and depth:
            depth, offset = depth - 1, offset + 1
        else:
            break
    return min(offset, len(text))
