"""reStructuredText as Sphinx reads it → forms that pandoc knows; `sphinx.lua` goes on with what pandoc makes of them.

Pandoc takes a directive with a domain (py:function) for a comment, and the class that is described by `.. class::` for one
of a style sheet. Of a role with a target (:ref:`text <target>`) the text stays, and a reference to a label of the same file
becomes the title that stands below it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_DOMAIN = re.compile(r"([ \t]*\.\.[ \t]+)[A-Za-z]{1,20}:(?=[\w-]{1,60}::(?:[ \t]|$))")
#: The name of a class in code; one of a style sheet has small letters and dashes.
_CLASS = re.compile(r"([ \t]*\.\.[ \t]+)class::[ \t]+(?=[\w.]*[A-Z.(])")
_SIGNATURE = re.compile(r"[ \t]*\.\.[ \t]+[\w-]{1,60}::[ \t]+[\w.: ]{1,300}\(")
#: A role with the text of its link, such as ref in :ref:`text <target>`; and one with a label alone.
ROLE = re.compile(
    r"(?<![\w`:]):(?P<role>[A-Za-z][\w:+.-]{0,60}):`(?![`\s])"
    r"(?:(?P<text>(?:[^`<>\n]|\n(?![ \t]*\n)){1,2000}?)\s{1,99}<[^`<>]{1,500}>|(?P<label>[^`<>\n]{1,300}))`(?![\w`])"
)
_LABEL = re.compile(r"[ \t]*\.\.[ \t]+_`?([^`:]{1,300})`?:[ \t]*")
_MARKS = re.compile(r"([!-/:-@\[-`{-~])\1{2,}[ \t]*")
#: Lines below a label in which its title is looked for.
_NEAR = 8


def with_known_directive(line: str) -> str:
    r"""Return a line with a directive that pandoc knows in place of one of Sphinx's, and no emphasis in a signature.

    >>> with_known_directive(".. py:function:: run(*tasks)")
    '.. function:: run(\\*tasks)'
    >>> with_known_directive(".. class:: Spider(name)")
    '.. describe:: class Spider(name)'
    """
    known = _CLASS.sub(r"\1describe:: class ", _DOMAIN.sub(r"\1", line))
    return known.replace("*", r"\*") if "*" in known and _SIGNATURE.match(known) else known


def titles_of_labels(lines: Sequence[str]) -> dict[str, str]:
    """The titles that have a label above them, by label in small letters."""
    found: dict[str, str] = {}
    for at, line in enumerate(lines):
        label = _LABEL.fullmatch(line)
        title = "" if label is None else _title_below(lines, at + 1)
        if label is not None and title:
            found[_key(label[1])] = title
    return found


def _title_below(lines: Sequence[str], at: int) -> str:
    near = [line for line in lines[at : at + _NEAR] if line.strip() and not _LABEL.fullmatch(line)]
    if near and _MARKS.fullmatch(near[0]):
        del near[0]
    return near[0].strip() if len(near) > 1 and _MARKS.fullmatch(near[1]) else ""


def shown(role: re.Match[str], titles: Mapping[str, str]) -> str:
    """What a page shows of a `ROLE`, if that is its text or a title; else the role as it is."""
    if role["text"] is not None:
        return role["text"]
    return titles.get(_key(role["label"]), role[0]) if role["role"].endswith("ref") else role[0]


def _key(label: str) -> str:
    return " ".join(label.split()).lower()
