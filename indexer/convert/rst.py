"""reStructuredText as docutils reads it → the same as pandoc reads it.

Pandoc knows no doctest blocks (a session of Python between blank lines): they become blocks of code. A title with a shorter
line below it is none to pandoc, while docutils only warns of it: the line becomes longer. Everything else stays as it is.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import pairwise

_PROMPT = re.compile(r"[ \t]*>>>(?: |$)")
#: A directive, those whose contents are no reStructuredText, and a comment, note or target, which begin like one.
_DIRECTIVE = re.compile(r"[ \t]*\.\.[ \t]+[\w:+.-]{1,100}::(?:[ \t]|$)")
_VERBATIM = re.compile(r"[ \t]*\.\.[ \t]+(?:code|code-block|sourcecode|parsed-literal|raw|math|highlight)::")
_MARKED = re.compile(r"[ \t]*\.\.(?:[ \t]|$)")
#: The line below a title: one mark, four times or more.
_BELOW = re.compile(r"([!-/:-@\[-`{-~])\1{3,}[ \t]*")


def as_pandoc_reads(text: str) -> str:
    r"""Return a text with its doctest blocks as blocks of code, and with whole lines below its titles.

    >>> as_pandoc_reads("Greeting\n----\n")
    'Greeting\n--------\n'
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(_with_titles(list(_with_sessions(lines))))


def _with_sessions(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines, and before each session of Python outside of code that a block of code begins, indenting it."""
    verbatim = -1  # more indented lines are code; -1 outside of such a block
    before = ""
    session: int | None = None
    for line in lines:
        is_blank, indent = not line.strip(), _indent(line)
        if session is not None and (is_blank or indent < session):
            session = None
            if not is_blank:
                yield ""
        if not is_blank and indent <= verbatim:
            verbatim = -1
        if session is None and verbatim < 0 and _PROMPT.match(line) and (not before.strip() or _indent(before) < indent):
            session = indent
            if _DIRECTIVE.match(before):  # right below it, this would be an argument of the directive
                yield ""
            yield from (line[:indent] + ".. code:: pycon", "")
        if session is None and verbatim < 0 and not is_blank and _begins_code(line):
            verbatim = indent
        yield line if session is None else f"{line[:session]}   {line[session:]}"
        before = line


def _begins_code(line: str) -> bool:
    """Whether the more indented lines that follow stay as they are: code, or what a comment holds."""
    if _DIRECTIVE.match(line):
        return bool(_VERBATIM.match(line))
    return bool(_MARKED.match(line)) or line.rstrip().endswith("::")


def _with_titles(lines: list[str]) -> list[str]:
    """The lines, with those below titles, and those above them, as long as the title."""
    found = list(lines)
    for at, (title, below) in enumerate(pairwise(lines)):
        mark = _BELOW.fullmatch(below)
        if mark is None or not title.strip() or title[0].isspace() or _BELOW.fullmatch(title):
            continue
        width = _width(title.rstrip())
        above = lines[at - 1] if at else ""
        if len(below.rstrip()) >= width or (above.strip() and above.rstrip() != below.rstrip()):
            continue
        found[at + 1] = mark[1] * width
        if above.strip():
            found[at - 1] = found[at + 1]
    return found


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def _width(text: str) -> int:
    """How many columns a text takes: two for a wide letter."""
    return sum(1 + (unicodedata.east_asian_width(letter) in "WF") for letter in text)
