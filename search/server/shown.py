"""A section's text and what of it is hidden → the Markdown that the page renders.

What is hidden is left out, except for markup that the page draws. `drawn_forms` has its patterns for all dialects; only
what the index calls markup is drawn.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from urllib.parse import quote

from schema.sections import is_within_words
from search.context.include_forms import Directive, directive_of, targets
from search.context.units import open_fence
from search.server.callouts import INCLUDED, TAB, closing, opening, without_private
from search.server.drawn_forms import (
    CALLOUTS,
    DRAWN,
    FOLDED_CLASS,
    PLAIN_CONTAINERS,
    TABS,
    TABSET_CLASS,
    TYPED,
    Open,
    container_name,
    first_line,
)

#: HTML that stays HTML: elements within lines, without attributes.
PLAIN_ELEMENT = re.compile(r"</?(?:b|em|i|kbd|s|strong|sub|sup)>|<br ?/?>", re.IGNORECASE)
#: Callouts in each other that are drawn, and components in each other that are kept in mind.
_DRAWN_DEPTH, _KNOWN_DEPTH = 8, 50
#: A longer tag is not drawn (characters).
_LONGEST_TAG = 5_000
_MAX_TITLE = 200
_BLANKS = re.compile(r"[ \t\r\n]*")
#: The definition of a link, which the links of the text need.
_DEFINITION = re.compile(r"\[(?!\[)[^\r\n]+?\]:")
#: A list of contents, whose first item is a link to a place on the page.
_CONTENTS = re.compile(r" {0,3}(?:[-*+]|\d{1,9}[.)])[ \t]{1,4}[*_]{0,2}\[(?:[^\n]|\n[ \t]++(?=\S)){1,1000}?\]\(#")
#: The brackets of a wikilink, with its target where another text is shown for it.
_WIKILINK = re.compile(r"!?\[\[(?P<target>[^\[\]\r\n]{1,400}?)(?:\\?\|[^\[\]\r\n]{0,400})?\]\]")
_ATTRIBUTE = re.compile(r"(?<![\w:@.-])(title|label|value|name|type)=(?:\{?\"([^\"{}]*)\"|\{?'([^'{}]*)')")
_MARKDOWN = re.compile(r"([\\`*_\[\]<>&!~|#])")
#: The blanks of the next line that has a text.
_NEXT_LINE = re.compile(r"[^\n]*+(?>(?:\n[ \t\r]*+(?=\n))*)\n?([ \t]*+)")
_LINE = re.compile(r"([ \t]*+)([^\n]*+)(?:\n|\Z)")
#: Columns that make no code yet of a line.
_MAX_INDENT = 3
_CODE_INDENT = re.compile(r"^(?: {4}| {0,3}\t)[ \t]*+(?=[^\s])", re.MULTILINE)
_BLANK_LINE = re.compile(r"^[ \t\r]*+\n", re.MULTILINE)
_ITEM = re.compile(r"^[ \t]*+(?:[-*+]|[0-9]{1,9}[.)])[ \t]", re.MULTILINE)
_FOUR_COLUMNS = re.compile(r"^(?: {1,4}|\t)", re.MULTILINE)
_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]+([^\r\n]*)", re.MULTILINE)
#: Headings in sets of tabs that are looked at.
_MOST_TABS = 50
#: Names of what is open: a set of tabs, and one of its tabs.
_SET, _OF_SET = "::: tabs", "::: tab"
_Included = Callable[[str, str], str | None]


def wiki_address(target: str) -> str:
    """Return the address that the link which stands for a wikilink has, by its target as written."""
    return f"wiki:{quote(target, safe='', errors='replace')}"


def shown_text(content: str, hidden: Sequence[Sequence[int]], start: int, *, included: _Included | None = None) -> str:
    r"""Return a section's text from `start` on as the page renders it; `hidden` are pairs of offsets, in order.

    Definitions of links stay, since links need them, and lists of contents. What is hidden on the lines before `start`, such
    as the mark of a callout, belongs to the text. A line that began with something hidden begins without blanks, so that it
    is no code. A wikilink becomes a link to its `wiki_address`. `included` returns what an include stands for, by its
    directive ("include") and argument ("a.rs:2:5"); without it, and if it returns None, the path is told.

    >>> shown_text("# A\n<Tab>\n    Press <kbd>F1</kbd>", [[4, 9], [10, 14], [20, 25], [27, 33]], 4)
    '\nPress <kbd>F1</kbd>'
    """
    start = first_line(content, hidden, start)
    text = _Text(without_private(content), start, frozenset(span[0] for span in hidden), included)
    for begin, last in hidden:
        if _DEFINITION.match(content, begin, last) or _CONTENTS.match(content, begin, last):
            continue
        first = max(begin, text.at)
        if last > first:
            text.copy(first)
            text.hide(max(first, text.at), last)
    text.copy(len(content))
    return "".join(text.pieces)


class _Text:
    """The text that is made: `pieces` so far, and `at`, the offset of `content` up to which it was read.

    `lead` has the blanks and marks of quotes with which the last line begins, `is_clear` tells that it has nothing else.
    """

    def __init__(self, content: str, start: int, starts: frozenset[int], included: _Included | None) -> None:
        self.pieces: list[str] = []
        self.at = start
        self._content = content
        self._starts = starts
        self._included = included
        self._lead, self._is_clear = "", True
        self._in_html = False
        self._wikilink = ""  # the target of the one that is open
        self._open: list[Open] = []
        self._count = self._tabs = self._tab_level = 0

    def copy(self, to: int) -> None:
        """Copy the text up to an offset, and close the blocks that end before it."""
        while (block := next((one for one in reversed(self._open) if one.end >= 0), None)) and block.end <= to:
            self._copy(block.end)
            self._close(block)
        self._copy(to)

    def _copy(self, to: int) -> None:
        if any(one.name == _SET for one in self._open):
            self._copy_tabs(to)
        self._copy_plain(to)

    def _copy_tabs(self, to: int) -> None:
        """Copy up to the last heading that is the title of a tab; those in a set are of the level of its first one."""
        for heading in _HEADING.finditer(self._content, self.at, to):
            self._tabs += 1
            if self._tabs > _MOST_TABS or not self._may_draw() or open_fence(self._content, heading.start()):
                continue
            self._tab_level = self._tab_level or len(heading[1])
            if len(heading[1]) != self._tab_level:
                continue
            self._copy_plain(heading.start())
            before = next((one for one in reversed(self._open) if one.name == _OF_SET), None)
            if before is not None:
                self._close(before)
            self._push(Open(self._number(), _OF_SET))
            self._line(f"{opening(TAB, self._count)} {heading[2].strip()}")
            self.at = heading.end()

    def _copy_plain(self, to: int) -> None:
        if to <= self.at:
            return
        piece = self._content[self.at : to]
        for one in self._open:
            if one.dedent:
                cut = 0 if self._is_clear and not self._lead else piece.find("\n") + 1 or len(piece)
                piece = piece[:cut] + _FOUR_COLUMNS.sub("", piece[cut:])
        self._write(self._within_html(piece) if self._in_html else piece)
        self.at = to

    def _within_html(self, piece: str) -> str:
        """Return a piece without the blanks that would make code of lines in a block of HTML, which a blank line ends."""
        first = 0 if self._is_clear and not self._lead else piece.find("\n") + 1 or len(piece)
        ended = _BLANK_LINE.search(piece, first) if first < len(piece) else None
        item = _ITEM.search(piece, first, ended.start() if ended is not None else len(piece))
        last = min(one.start() for one in (ended, item) if one is not None) if ended or item else len(piece)
        self._in_html = ended is None and item is None
        return piece[:first] + _CODE_INDENT.sub("", piece[first:last]) + piece[last:]

    def _unindent(self) -> None:
        """Take blanks that would make code of it from the line that has nothing else yet."""
        lead = self._lead
        if len(lead.expandtabs(4)) > _MAX_INDENT and not lead.strip() and self.pieces and self.pieces[-1].endswith(lead):
            self.pieces[-1] = self.pieces[-1].removesuffix(lead) + " " * _MAX_INDENT
            self._lead = " " * _MAX_INDENT

    def hide(self, first: int, last: int) -> None:
        """Leave out a part, except for what is drawn."""
        if self._draw_wikilink(first, last):
            self.at = last
            return
        while first < last:
            begin = min(last, _BLANKS.match(self._content, first).end())  # type: ignore[union-attr]
            found = DRAWN.match(self._content, begin, begin + _LONGEST_TAG) if begin < last else None
            end = None if found is None else self._draw(found, first, last)
            if end is None:
                break
            first = self.at = max(self.at, end)
        if first < last:
            self._leave_out(first, last)

    def _draw_wikilink(self, first: int, last: int) -> bool:
        """Write what stands for the brackets of a wikilink, if these are the part that is hidden."""
        if self._wikilink:
            if not self._content.startswith("]]", first):
                return False
            self._write(f"]({wiki_address(self._wikilink)})")
            self._wikilink = ""
            return True
        found = _WIKILINK.match(self._content, first)
        if found is None or last >= found.end():  # of a picture nothing is shown
            return False
        self._wikilink = found["target"].strip()
        self._write("[")
        return True

    def _leave_out(self, first: int, last: int) -> None:
        """Leave out a part; words that it kept apart stay apart, and a line begins without the blanks behind markup."""
        content = self._content
        is_first = first == 0 or content[first - 1] in "\r\n"
        lines = content.count("\n", first, last)
        if self._is_clear:
            self._unindent()
            self._in_html |= content.startswith("<", first)
        is_within = content[first - 1 : first].isalnum() and content[last : last + 1].isalnum()
        is_apart = not (is_within or is_within_words(content[first:last]))
        self._write("\n" * lines if is_first or lines else " " if is_apart and not self._is_clear else "")
        self.at = last
        if is_first and content[first:last].strip():
            while self.at < len(content) and content[self.at] in " \t":
                self.at += 1

    def _draw(self, found: re.Match[str], first: int, last: int) -> int | None:
        """Write what stands for markup, and return where it ends; None for what is not drawn.

        `first` and `last`: the part that is hidden; the blanks between `first` and the markup are of its line, or not.
        """
        if found["name"]:
            return self._tag(found, first, last)
        if (included := directive_of(found)) is not None:
            self._blank(first, found.start())
            self._write(self._include(included))
            return included.end
        if found["alert"]:
            self._write(" " + opening(found["alert"], 0, fold=found["fold"] or "=", is_quote=True) + " ")
            return last
        if not self._is_clear:
            return None
        self._blank(first, found.start())
        blanks = self._line_blanks(found.start()) if self._is_indented_below(found.start()) else ""
        if found["colons"]:
            self._container(found, blanks)
        elif self._may_draw():
            fold = {"???": "-", "???+": "+"}.get(found["admonition"] or "", "=")
            name = TAB if found["tab"] else found["kind"]
            end = self._block_end(found.start())
            self._push(Open(self._number(), name, end=end, blanks=blanks, dedent=bool(blanks)))
            self._write(blanks + opening(name, self._count, fold=fold) + " ")
        return last

    def _container(self, found: re.Match[str], blanks: str) -> None:
        """Open or close a container of colons, or a directive in a fence."""
        name, colons, mark = found["container"] or "", len(found["colons"]), found["colons"][:3]
        if found["classes"] is not None:
            name = container_name(found["classes"])
            if TABSET_CLASS.search(found["classes"]) is not None:
                self._tab_level = 0
                self._push(Open(0, _SET, colons=colons))
                return
        if not name:
            opened = (one for one in reversed(self._open) if 0 < one.colons <= colons and one.name.startswith(mark))
            closed = next(opened, None)
            if closed is not None:
                self._close(closed)
            return
        is_drawn = self._may_draw() and name.lower() not in PLAIN_CONTAINERS
        if is_drawn or mark == ":::":  # what ends another fence may be no markup
            self._push(Open(self._number() if is_drawn else 0, mark, colons=colons, blanks=blanks))
        if is_drawn:
            is_folded = name.lower() == "details" or FOLDED_CLASS.search(found["classes"] or "") is not None
            self._write(blanks + opening(name, self._count, fold="-" if is_folded else "=") + " ")

    def _tag(self, found: re.Match[str], first: int, last: int) -> int | None:
        """Open or close what a tag stands for."""
        name, end = found["name"], found.end()
        kind = name.lower()
        if PLAIN_ELEMENT.fullmatch(found.group()):
            self._blank(first, found.start())
            if not (self._is_clear and kind == "br"):  # a line of its own would be HTML, as would be what follows
                self._write(found.group())
            return end
        values = {one: text or other for one, text, other in _ATTRIBUTE.findall(found["attributes"])}
        title = values.get("title", "")
        if name in TYPED:
            kind = values.get("type", "note")
        elif name in TABS:
            kind, title = TAB, values.get("label") or title or values.get("value") or values.get("name") or ""
        elif name not in CALLOUTS:
            return self._skip(first, end, last)
        if found["slash"]:
            self._blank(first, found.start())
            closed = next((one for one in reversed(self._open) if one.name == name), None)
            if closed is not None:
                self._close(closed)
            return min(end, last)
        is_named = bool(title) if kind == TAB else re.fullmatch(r"[\w-]{1,40}", kind) is not None
        if found["attributes"].endswith("/") or not is_named or not self._is_clear or not self._may_draw():
            if not found["attributes"].endswith("/"):
                self._push(Open(0, name))
            return self._skip(first, end, last)
        self._blank(first, found.start())
        self._push(Open(self._number(), name))
        escaped = _MARKDOWN.sub(r"\\\1", " ".join(title.split())[:_MAX_TITLE])
        self._line(f"{opening(kind, self._count)} {escaped}")
        return end

    def _skip(self, first: int, end: int, last: int) -> int | None:
        """Leave out a tag that ends at `end`; None if some of it is shown."""
        if end <= last:
            self._leave_out(first, end)
        return end if end <= last else None

    def _include(self, include: Directive) -> str:
        """Return what an include stands for, each line with the lead of the include's own; itself if that cannot be had."""
        if self._included is None:
            path = next((target.path for target in targets(include.name, include.argument)), "")
            return f"(included from {path})"
        found = self._included(include.name, include.argument)
        if found is None:
            return self._content[include.start : include.end].replace("<!--", r"\<!--")
        text = without_private(found)
        if open_fence(self._content, include.start):  # elsewhere a mark could keep a block of Markdown from being one
            text = INCLUDED + text
        return text.replace("\n", f"\n{self._lead}") if self._is_clear else text

    # -- what is open --------------------------------------------------------------------------------------------------

    def _may_draw(self) -> bool:
        return len(self._open) < _KNOWN_DEPTH and sum(one.number > 0 for one in self._open) < _DRAWN_DEPTH

    def _number(self) -> int:
        self._count += 1
        return self._count

    def _push(self, opened: Open) -> None:
        if len(self._open) < _KNOWN_DEPTH:
            self._open.append(opened)

    def _close(self, opened: Open) -> None:
        """Close something, and with it what was opened in it."""
        while self._open:
            one = self._open.pop()
            if one.number:
                self._line(closing(one.number), one.blanks)
            if one is opened:
                break

    def _block_end(self, start: int) -> int:
        """Return where the indented block ends whose first line has its mark at `start`."""
        line = start - len(self._line_blanks(start))
        least = len(self._content[line:start].expandtabs(4)) + 4
        at = self._content.find("\n", start) + 1 or len(self._content)
        while at < len(self._content) and (read := _LINE.match(self._content, at)) is not None:
            if read[2].strip() and len(read[1].expandtabs(4)) < least:
                return at
            at = read.end()
        return len(self._content)

    def _line_blanks(self, offset: int) -> str:
        """Return the blanks that stand directly before an offset in its line."""
        begin = offset
        while begin > 0 and self._content[begin - 1] in " \t":
            begin -= 1
        return self._content[begin:offset]

    def _is_indented_below(self, start: int) -> bool:
        """Whether the next line with a text begins with blanks that are not hidden."""
        following = _NEXT_LINE.match(self._content, start)
        return following is not None and bool(following[1]) and following.start(1) not in self._starts

    # -- what is written -----------------------------------------------------------------------------------------------

    def _blank(self, first: int, last: int) -> None:
        """Write the line ends of a part that is left out."""
        self._write("\n" * self._content.count("\n", first, last))

    def _line(self, mark: str, blanks: str = "") -> None:
        """Write a mark as a line of its own."""
        lead = self._lead
        self._write(("" if self._is_clear else f"\n{lead}") + blanks + mark)
        self._write(f"\n{lead}")

    def _write(self, text: str) -> None:
        if not text:
            return
        self.pieces.append(text)
        cut = max(text.rfind("\n"), text.rfind("\r"))
        if cut >= 0:
            self._lead, self._is_clear, text = "", True, text[cut + 1 :]
        if self._is_clear:
            rest = text.lstrip(" \t>")
            self._lead += text[: len(text) - len(rest)]
            self._is_clear = not rest
