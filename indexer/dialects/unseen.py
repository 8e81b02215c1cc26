"""Which elements of HTML no reader sees, and how far one reaches into the Markdown around it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from indexer.dialects.elements import BLOCKS, is_block
from indexer.dialects.scan import Scan

#: Attributes of a template that is shown: it fills a slot of Vue, also as Vue 2 has it, or is the shadow tree of an element.
_SHOWN_TEMPLATE = frozenset({"slot", "slot-scope", "scope", "shadowrootmode"})
_NO_CODE = re.compile(r"/\*.*?(?:\*/|\Z)|\"(?:[^\"\\]|\\.)*(?:\"|\Z)|'(?:[^'\\]|\\.)*(?:'|\Z)", re.DOTALL)
_IMPORTANT = re.compile(r"\s*!\s*important\Z")
_UNSEEN = {"display": frozenset({"none"}), "visibility": frozenset({"hidden", "collapse"})}
#: An object of JSX that is always the same, and the style in it of an element that no reader sees.
_OBJECT = re.compile(r"\{\s*\{([^{}?&|.]*)\}\s*\}")
_UNSEEN_IN_OBJECT = re.compile(
    r"(?<![\w-])(?:display[\"']?\s{0,9}:\s{0,9}([\"'`])none\1|visibility[\"']?\s{0,9}:\s{0,9}([\"'`])(?:hidden|collapse)\2)"
)

#: The marks of quotes and items of lists before the text of a line, and the blanks behind them.
_PREFIX = re.compile(r"((?:[ \t]{0,20}(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]))){0,24})[ \t]{0,200}")
#: More blanks behind a mark make code of a line.
_CODE_INDENT = 4
#: A line in an item of a list is indented by as many blanks, or more.
_LEAST_ITEM = 2
_HEADING = re.compile(r"#{1,6}[ \t]")
_CELL_END = re.compile(r"[|\n]")
_RAW = frozenset({"pre", "script", "style", "textarea"})
_HTML = rf"(?i:<(?:{'|'.join(sorted(BLOCKS))})|</(?:{'|'.join(sorted(BLOCKS - _RAW))}))(?=[\s/>])"
_BEGINS_HTML = re.compile(_HTML)
#: The line end behind a paragraph: before a blank line, or one that begins something else, in a quote and outside of one.
_NEXT_BLOCK = (
    r"(?:\n|\Z|#{1,6}(?:[ \t]|$)|```|~~~|(?:[-*+]|1[.)])(?:[ \t]|$)|(?:=+|-+|(?:[*_-][ \t]*){3,})$"
    rf"|{_HTML})"
)
_IN_QUOTE = re.compile(rf"\n[ \t>]*{_NEXT_BLOCK}", re.MULTILINE)
_OUTSIDE = re.compile(rf"\n[ \t]*(?:>|{_NEXT_BLOCK})", re.MULTILINE)


def is_unseen(name: str, given: Mapping[str, str], *, is_mdx: bool) -> bool:
    """Whether a browser shows nothing of an element with these attributes; one without a value has its name as value."""
    if name == "template":
        return not any(attribute.startswith(("#", "v-", ":")) or attribute in _SHOWN_TEMPLATE for attribute in given)
    return _is_hidden(given.get("hidden"), is_mdx=is_mdx) or _is_unseen_style(given.get("style", ""))


def _is_hidden(value: str | None, *, is_mdx: bool) -> bool:
    if value is None or (is_mdx and not value):  # React takes an empty text for false
        return False
    return value[1:-1].strip() == "true" if value.startswith("{") else value.lower() != "until-found"


def _is_unseen_style(style: str) -> bool:
    """Whether an element of this style is not shown; of several values of a property, the last one counts."""
    if style.startswith("{"):
        given = _OBJECT.fullmatch(style)
        return given is not None and _UNSEEN_IN_OBJECT.search(given[1]) is not None
    found: dict[str, str] = {}
    firm: set[str] = set()
    for declaration in _NO_CODE.sub(" ", style).lower().split(";"):
        name, _, value = (part.strip() for part in declaration.partition(":"))
        plain = _IMPORTANT.sub("", value)
        if name in _UNSEEN and (plain != value or name not in firm):
            found[name] = plain
            firm |= {name} if plain != value else set()
    return any(value in _UNSEEN[name] for name, value in found.items())


def reach_of(scan: Scan, name: str, start: int, end: int) -> int:
    """Return the offset up to which a closing tag may end an element, whose opening tag is given.

    Markdown ends a heading, a cell of a table, a paragraph, a quote and an item of a list, and all that is open in it.
    """
    first, last = scan.line(start)
    marks, begins = _text_of_line(scan, first)
    if marks and begins - first - len(marks) > _CODE_INDENT:
        return -1
    if _HEADING.match(scan.text, begins):
        return last
    is_html = _BEGINS_HTML.match(scan.text, begins) is not None
    if not is_html and scan.next(_CELL_END, first) < start:
        return scan.next(_CELL_END, end)
    container = len(scan.text) if scan.is_mdx else _container_end(scan, first, marks, begins)
    if is_html and is_block(name):
        return container if name != "p" or scan.is_mdx else min(container, scan.paragraph_end(end))
    if begins == start and _is_alone(scan, first, end):
        return container
    return min(container, scan.next(_IN_QUOTE if ">" in marks else _OUTSIDE, end))


def html_end(scan: Scan, start: int) -> int:
    """Return where the block of HTML ends that the line of a tag begins, in which nothing is Markdown; -1 without one."""
    begins = _text_of_line(scan, scan.line(start)[0])[1]
    return scan.paragraph_end(start) if not scan.is_mdx and _BEGINS_HTML.match(scan.text, begins) else -1


def _text_of_line(scan: Scan, first: int) -> tuple[str, int]:
    """Return the marks of quotes and items that a line begins with, and where its text begins."""
    prefix = _PREFIX.match(scan.text, first)
    return ("", first) if prefix is None else (prefix[1], prefix.end())  # it matches everywhere


def _container_end(scan: Scan, first: int, marks: str, begins: int) -> int:
    """Return where the quote or the item of a list ends that a line is in; else the end of the text."""
    if marks.lstrip(" \t").startswith(">"):
        return scan.next(_end_of_quote(marks.count(">")), begins)
    width = begins - first
    if not width or (not marks and (width < _LEAST_ITEM or scan.elements.is_in_block(first))):
        return len(scan.text)
    is_tabbed = "\t" in scan.text[first:begins]
    return scan.next(_end_of_item(1 if is_tabbed else min(width, 40)), begins)


@lru_cache(maxsize=64)
def _end_of_quote(depth: int) -> re.Pattern[str]:
    return re.compile(rf"\n(?!(?:[ \t]{{0,3}}>){{{depth}}})")


@lru_cache(maxsize=64)
def _end_of_item(width: int) -> re.Pattern[str]:
    return re.compile(rf"\n(?! {{{width}}}| {{0,3}}\t|[ \t]*(?:\n|\Z))")


def _is_alone(scan: Scan, first: int, end: int) -> bool:
    """Whether nothing stands behind a tag in its line, and nothing in the line above: so it begins a block of HTML."""
    above = scan.text.rfind("\n", 0, max(0, first - 1)) + 1
    return _is_blank(scan.text, end, scan.line(end)[1]) and (not first or _is_blank(scan.text, above, first - 1))


def _is_blank(text: str, start: int, end: int) -> bool:
    """Whether only blanks stand between two offsets."""
    while start < end and text[start] in " \t":
        start += 1
    return start >= end
