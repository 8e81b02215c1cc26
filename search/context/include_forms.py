"""A text → the includes that are written in it, as three kinds of sites write them; and which lines of a file each means.

`{{#include a.rs:2:5}}` is mdBook's and `--8<-- "a.md:part"` that of MkDocs; VitePress has `<<< @/a.ts#part` for code and
`<!--@include: ./a.md{1,9}-->` for Markdown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from textwrap import dedent
from typing import NamedTuple

#: The names of includes that are not those of mdBook: lines of MkDocs, code and Markdown of VitePress.
SNIPPET, CODE, PART = "snippet", "code", "part"
#: Files that one block of MkDocs names, at most.
_MOST_NAMED = 20
#: An include, from where it begins, as a verbose pattern.
FORMS = r"""
    \{\{[ \t]*+\#(?P<directive>include|rustdoc_include|playground|playpen)[ \t]++(?P<file>[^{}\r\n]{1,1000})\}\}
  | (?<!-)-{1,20}+8<-{1,20}+[ \t]*+
    (?:
      (?P<quote>["'])(?P<snippet>[^"'\r\n]{1,1000})(?P=quote)[ \t]*+(?=[\r\n]|\Z)
    | \r?\n(?P<snippets>(?:[^\r\n]{0,1000}\r?\n){1,20}?)[ \t]*+-{1,20}+8<-{1,20}+[ \t]*+(?=[\r\n]|\Z)
    )
  | <<<[ \t]++(?P<code>[^\r\n]{1,1000})
  | <!--[ \t]*+@include:[ \t]*+(?P<part>[^\r\n<>]{1,1000})-->
"""
_FORM = re.compile(FORMS, re.VERBOSE)
_BLANKS = re.compile(r"[ \t\r\n]*")
_ANCHOR_NAME = re.compile(r"[\w-]{1,100}")
_ANCHOR = re.compile(r"ANCHOR(_END)?:[ \t]*([\w-]+)")
_NUMBER = re.compile(r"[0-9]{1,9}")
_RANGES = re.compile(r"-?[0-9]{0,9}(?::-?[0-9]{0,9})?(?:,-?[0-9]{0,9}(?::-?[0-9]{0,9})?){0,50}")
_SNIPPET_MARK = re.compile(r"-8<-{1,20}[ \t]*\[[ \t]*(start|end)[ \t]*:[ \t]*([\w-]{1,100})[ \t]*\]")
_REGION = re.compile(
    r"[ \t]*+(?:[^\w\s]{1,5}+|REM\b)[ \t]*+(?:\#[ \t]*+)?(?:pragma[ \t]++)?(end[ ]?)?region\b[ \t]*+([\w*-]{0,100})",
    re.IGNORECASE,
)
_HEADING = re.compile(r"(#{1,6})[ \t]+(.{0,1000})")
_HEADING_ID = re.compile(r"\{[ \t]*#([^\s{}]+)[ \t]*\}[ \t]*\Z")
#: What stands behind a path of VitePress: `#region`, `{lines or language}`, `[title]`.
_VITEPRESS = re.compile(
    r"""
      (?P<path>[^\#{}\[\]\r\n]*+) (?>(?:\#(?P<region>[\w-]{1,100}+))?) [ \t]*+ (?>(?:\{(?P<braces>[^{}\r\n]*+)\})?) [ \t]*+
      (?>(?:\[(?P<title>[^\[\]\r\n]*+)\])?) [ \t]*+
    """,
    re.VERBOSE,
)
_LINES = re.compile(r"[ \t]*([0-9]{0,9})[ \t]*(,?)[ \t]*([0-9]{0,9})[ \t]*")
_LANGUAGE = re.compile(r"(?:^|[ \t])([A-Za-z][\w+#-]{0,30})")
_TICKS = re.compile(r"`{3,}")


class Directive(NamedTuple):
    """An include: where it begins and ends in a text, its name ("include", "rustdoc_include", "playground", "snippet",
    "code" or "part"), and what is to be included, as it is written."""

    start: int
    end: int
    name: str
    argument: str


def directive_of(found: re.Match[str]) -> Directive | None:
    """Return the include that a match of `FORMS`, or of a pattern with it, is; None for another match."""
    for group, name in (
        ("file", found["directive"]),
        ("snippet", SNIPPET),
        ("snippets", SNIPPET),
        (CODE, CODE),
        (PART, PART),
    ):
        if found[group] is not None:
            return Directive(found.start(), found.end(), name, found[group].strip())
    return None


def directives(text: str, hidden: Sequence[int]) -> Iterator[Directive]:
    """Yield the includes in a section's text, in order; `hidden` as in `Section`: what else looks like one is text."""
    for first, last in zip(hidden[::2], hidden[1::2], strict=True):
        at = first
        while at < last:
            begin = _BLANKS.match(text, at, last).end()  # type: ignore[union-attr]
            found = _FORM.match(text, begin)
            one = None if found is None else directive_of(found)
            if one is None or one.end > last:
                break
            yield one
            at = one.end


def written_in(text: str) -> Iterator[Directive]:
    """Yield the includes in a text whose markup was not read, in order: all but mdBook's begin a line."""
    for found in _FORM.finditer(text):
        one = directive_of(found)
        if one is None:
            continue
        line = max(text.rfind("\n", 0, one.start), text.rfind("\r", 0, one.start)) + 1
        if one.name in (SNIPPET, CODE, PART):
            if not text[line : one.start].strip(" \t>"):
                yield one
        elif text[one.start - 1 : one.start] != "\\":
            yield one


class Target(NamedTuple):
    """What an include means: the path as it is written, and what makes lines to show of the file's lines."""

    path: str
    choose: Callable[[list[str]], list[str] | None]


def targets(name: str, argument: str) -> list[Target]:
    """Return what an include means: several files for a block of MkDocs; none where that makes no sense."""
    if name == SNIPPET:
        named = [line.strip() for line in argument.splitlines() if line.strip() and not line.lstrip().startswith(";")]
        return [_snippet(line) for line in named[:_MOST_NAMED]]
    if name in (CODE, PART):
        found = _VITEPRESS.fullmatch(argument)
        if found is None:
            return []
        path, region, braces, title = found["path"].strip(), found["region"] or "", found["braces"] or "", found["title"]
        if name == PART:
            return [Target(path, lambda lines: part_lines(lines, region, braces))]
        return [Target(path, lambda lines: _as_code(lines, path, region, braces, title or ""))]
    path, _, part = argument.strip().partition(" ")[0].partition(":")
    return [Target(path, lambda lines: _of_book(lines, name, part))]


def _of_book(lines: list[str], name: str, part: str) -> list[str] | None:
    chosen = chosen_lines(lines, part)
    if chosen is not None and name == "rustdoc_include":
        return [line for line in chosen if not _HIDDEN_LINE.match(line)]
    return fenced(chosen, "rust") if chosen is not None and name in ("playground", "playpen") else chosen


#: A line of Rust that a book hides; two signs stand for one that is shown.
_HIDDEN_LINE = re.compile(r"[ \t]*#(?: |$)")


def chosen_lines(lines: list[str], part: str) -> list[str] | None:
    """Return the lines that mdBook means: "2", "2:", ":5", "2:5" or the name of an anchor; None if there are none.

    >>> chosen_lines(["a", "// ANCHOR: x", "b", "// ANCHOR_END: x"], "x"), chosen_lines(["a", "b", "c"], "2:")
    (['b'], ['b', 'c'])
    """
    first, _, last = part.partition(":")
    if not part.strip(":"):
        return lines
    if all(not one or _NUMBER.fullmatch(one) for one in (first, last)):
        begin = max(1, int(first or 1))
        end = int(last) if last else len(lines) if ":" in part else begin
        return lines[begin - 1 : end] or None
    if _ANCHOR_NAME.fullmatch(first) is None:
        return None
    found, is_inside = [], False
    for line in lines:
        anchor = _ANCHOR.search(line)
        if anchor is None:
            if is_inside:
                found.append(line)
        elif anchor.group(2) == first:
            is_inside = anchor.group(1) is None
            if not is_inside:
                break
    return found or None


def _snippet(named: str) -> Target:
    """Return what MkDocs means by a path with lines or the name of a section behind it."""
    path, colon, part = named.partition(":")
    if "://" in named:  # an address, which is never fetched
        return Target("", lambda _: None)
    return Target(path.strip(), lambda lines: snippet_lines(lines, part.strip() if colon else ""))


def snippet_lines(lines: list[str], part: str) -> list[str] | None:
    """Return the lines that MkDocs means: "2" (from there on), ":5", "2:5", "1:2,5:6", "-3:" or the name of a section.

    >>> snippet_lines(["a", "b", "c"], "2"), snippet_lines(["--8<-- [start:x]", "b", "--8<-- [end:x]"], "x")
    (['b', 'c'], ['b'])
    """
    marks = [_SNIPPET_MARK.search(line) for line in lines]
    found: list[str] = []
    if _RANGES.fullmatch(part):
        for each in part.split(","):
            first, _, last = each.partition(":")
            begin, end = (0 if one in ("", "-") else int(one) for one in (first, last))
            begin = max(0, len(lines) + begin if begin < 0 else begin - 1)
            end = len(lines) if not end else max(0, len(lines) + end + 1 if end < 0 else end)
            found += [line for line, mark in zip(lines[begin:end], marks[begin:end], strict=True) if mark is None]
            if len(found) > 2 * len(lines):
                return None
        return found or None
    is_inside = False
    for line, mark in zip(lines, marks, strict=True):
        if mark is None:
            if is_inside:
                found.append(line)
        elif mark[2] == part:
            is_inside = mark[1] == "start"
    return found or None


def _region_lines(lines: list[str], name: str) -> list[str] | None:
    """Return the lines of a region as editors mark them (`#region name`), without such marks; None if it is not there."""
    found, depth = [], 0
    for line in lines:
        mark = _REGION.match(line)
        if mark is None:
            if depth:
                found.append(line)
        elif mark[1]:
            depth -= depth > 0 and (depth > 1 or mark[2] in ("", name))
            if found and not depth:
                break
        elif depth or mark[2] == name:
            depth += 1
    return dedent("\n".join(found)).split("\n") if found else None


def _below_heading(lines: list[str], anchor: str) -> list[str] | None:
    """Return a heading and the lines below it, by its written id or its letters and digits."""
    wanted = _letters(anchor)
    found: list[str] = []
    level = 0
    for line in lines:
        heading = _HEADING.match(line)
        if heading is not None and level and len(heading[1]) <= level:
            break
        if heading is not None and not level:
            written = _HEADING_ID.search(heading[2])
            if anchor == written[1] if written is not None else _letters(heading[2]) == wanted:
                level = len(heading[1])
        if level:
            found.append(line)
    return found or None


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def part_lines(lines: list[str], region: str, braces: str) -> list[str] | None:
    """Return the lines of Markdown that VitePress means: of a region or below a heading, and of these "2,5", "2,", ",5".

    The front matter is left out.
    """
    if lines and lines[0].rstrip() == "---" and not region:
        end = next((i for i, line in enumerate(lines[1:], 1) if line.rstrip() == "---"), 0)
        lines = lines[end + 1 :] if end else lines
    found: list[str] | None = lines
    if region:
        found = _region_lines(lines, region) or _below_heading(lines, region)
    numbers = _LINES.fullmatch(braces)
    if found is None or numbers is None:
        return None
    first, comma, last = numbers.groups()
    begin = max(1, int(first or 1))
    end = int(last) if last else len(found) if comma or not first else begin
    return found[begin - 1 : end] or None


def _as_code(lines: list[str], path: str, region: str, braces: str, title: str) -> list[str] | None:
    """Return a fence with what VitePress shows of a file; numbers in braces are lines that it highlights."""
    chosen = _region_lines(lines, region) if region else [line for line in lines if _REGION.match(line) is None]
    if not chosen:
        return None
    language = _LANGUAGE.search(braces)
    ending = path.rpartition("/")[2].rpartition(".")[2] if "." in path.rpartition("/")[2] else ""
    info = language[1] if language is not None else ending if ending.isalnum() else ""
    return fenced(chosen, f"{info} [{title}]".strip() if title else info)


def fenced(lines: list[str], info: str) -> list[str]:
    """Return lines as a block of code, in a fence that is longer than any in them."""
    longest = max((len(run[0]) for line in lines for run in _TICKS.finditer(line)), default=2)
    fence = "`" * min(max(3, longest + 1), 1000)
    return [f"{fence}{info.replace('`', '')}", *lines, fence]
