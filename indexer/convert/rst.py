"""reStructuredText as docutils reads it → the same as pandoc reads it.

Pandoc knows no doctest blocks (a session of Python between blank lines): they become blocks of code. A title with a shorter
line below it is none to pandoc, while docutils only warns of it: the line becomes longer. Pandoc reads no file that has more
anonymous references (`text`__) than targets for them: the others become named ones or text. A mark of code that a blank
stands before (`See: ::`) is not shown, but pandoc leaves a colon: the mark gets a line of its own. Everything else stays,
but for what Sphinx adds (`sphinx`).
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, pairwise

from indexer.convert.sphinx import ROLE, shown, titles_of_labels, with_known_directive

_PROMPT = re.compile(r"[ \t]*>>>(?: |$)")
#: A directive, those whose contents are no reStructuredText, and a comment, note or target, which begin like one.
_DIRECTIVE = re.compile(r"[ \t]*\.\.[ \t]+[\w:+.-]{1,100}::(?:[ \t]|$)")
_VERBATIM = re.compile(r"[ \t]*\.\.[ \t]+(?:code|code-block|sourcecode|parsed-literal|raw|math|highlight)::")
#: Where code begins behind a text that ends with a blank; and what begins an item of a list, where this is left.
_CODE_BEHIND = re.compile(r"([ \t]*)(?![ \t]|\.\.[ \t])(.*\S)[ \t]+::[ \t]*")
_ITEM = re.compile(r"[ \t]*(?:[-*+•‣⁃]|\(?\w{1,9}[.)]|#\.)[ \t]")
#: A reference without a name: `text`__, or `text <address>`__ with its own address; and a target for one without.
_ANONYMOUS = re.compile(r"(?<![`\w:])`(?![`\s])((?:[^`\n]|\n(?![ \t]*\n)){1,2000})`__(?![\w`])")
_HAS_ADDRESS = re.compile(r"(?:^|\s)<[^<>]+>\Z")
_TARGET = re.compile(r"^[ \t]*\.\.[ \t]+_`?([^`\n:]{1,500})`?:", re.MULTILINE)
_ANONYMOUS_TARGET = re.compile(r"[ \t]*(?:__[ \t]|\.\.[ \t]+__:)")
_MARKED = re.compile(r"[ \t]*\.\.(?:[ \t]|$)")
#: The line below a title: one mark, four times or more.
_BELOW = re.compile(r"([!-/:-@\[-`{-~])\1{3,}[ \t]*")


def as_pandoc_reads(text: str) -> str:
    r"""Return a text with its doctest blocks as blocks of code, whole lines below its titles, and so on, as said above.

    >>> as_pandoc_reads("Greeting\n----\n")
    'Greeting\n--------\n'
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    lines = [
        line if is_code else with_known_directive(line) for line, is_code in zip(lines, list(_are_code(lines)), strict=True)
    ]
    titles = titles_of_labels(lines)
    lines = _rewritten(lines, ROLE, lambda role: shown(role, titles))
    lines = list(_with_marks_of_code(_with_named_references(lines)))
    return "\n".join(_with_titles(list(_with_sessions(lines))))


def _with_named_references(lines: list[str]) -> list[str]:
    """The lines, with a name for each reference that lacks one and a target, or with its text if no target has that name."""
    if not any("`__" in line for line in lines):
        return lines
    targets = sum(_ANONYMOUS_TARGET.match(line) is not None for line in lines)
    names = {_name(each[1]) for each in _TARGET.finditer("\n".join(lines))}

    def named(reference: re.Match[str]) -> str:
        nonlocal targets
        if _HAS_ADDRESS.search(reference[1]):
            return reference[0]
        targets -= 1
        if targets >= 0:
            return reference[0]
        return f"`{reference[1]}`_" if _name(reference[1]) in names else reference[1]

    return _rewritten(lines, _ANONYMOUS, named)


def _rewritten(lines: list[str], pattern: re.Pattern[str], new: Callable[[re.Match[str]], str]) -> list[str]:
    """The lines, with what is `new` in place of each match outside of code."""
    text, is_code = "\n".join(lines), list(_are_code(lines))
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))

    def written(found: re.Match[str]) -> str:
        return found[0] if is_code[bisect_right(starts, found.start()) - 1] else new(found)

    return pattern.sub(written, text).split("\n")


def _name(text: str) -> str:
    return " ".join(text.split()).casefold()


def _with_marks_of_code(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines, with a line of its own for each mark of code that a blank stands before."""
    for line, is_code in zip(lines, _are_code(lines), strict=True):
        behind = None if is_code or "::" not in line or _ITEM.match(line) else _CODE_BEHIND.fullmatch(line)
        yield from (line,) if behind is None else (behind[1] + behind[2], "", behind[1] + "::")


def _with_sessions(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines, and before each session of Python outside of code that a block of code begins, indenting it."""
    before = ""
    session: int | None = None
    for line, is_code in zip(lines, _are_code(lines), strict=True):
        is_blank, indent = not line.strip(), _indent(line)
        if session is not None and (is_blank or indent < session):
            session = None
            if not is_blank:
                yield ""
        if session is None and not is_code and _PROMPT.match(line) and (not before.strip() or _indent(before) < indent):
            session = indent
            if _DIRECTIVE.match(before):  # right below it, this would be an argument of the directive
                yield ""
            yield from (line[:indent] + ".. code:: pycon", "")
        yield line if session is None else f"{line[:session]}   {line[session:]}"
        before = line


def _are_code(lines: Sequence[str]) -> Iterator[bool]:
    """Yield of each line whether it stays as it is: in a block of code or a comment, but not in a session of Python."""
    begun = -1  # more indented lines are code; -1 outside of such a block
    for line in lines:
        is_blank, indent = not line.strip(), _indent(line)
        if not is_blank and indent <= begun:
            begun = -1
        yield begun >= 0
        if begun < 0 and not is_blank and not _PROMPT.match(line) and _begins_code(line):
            begun = indent


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
