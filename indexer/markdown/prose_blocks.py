"""Lines of Markdown → paragraphs, without the signs of quotes and lists: no code, tables, headings or tags.

CommonMark's containers and leaf blocks, and those of MDX, VitePress and MkDocs. Refuses nothing: what is never closed is
text, or lasts to the end where HTML says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import regex as re  # the possessive groups of re match wrongly before Python 3.11.5 (cpython#106052)

from indexer.markdown.prose_tags import CLOSING, COMMENT_END, JSX_COMMENT_END, TAG

#: Deeper containers are text: with many of them open every blank line would be compared with all.
_MAX_CONTAINERS = 40
#: A footnote or an admonition of MkDocs goes on in lines indented by as much.
_HANGING = 4

_FENCE = re.compile(r"(?:(`{3,})[^`]*|(~{3,}).*)\Z")
_HEADING = re.compile(r"#{1,6}(?:[ \t]|\Z)")
_ITEM = re.compile(r"(?:[-+*]|(\d{1,9})[.)])(?= |\Z)")
_TASK = re.compile(r"\[[ xX]\] ")
_CONTAINER_MARKER = re.compile(r":{3,}")
_ADMONITION = re.compile(r"\[![A-Za-z-]+\][+-]?")
_HANGING_MARKER = re.compile(r"(?:!!!|\?\?\?\+?|===) +\S")
_FOOTNOTE = re.compile(r"\[\^[^\[\]\s]{1,100}\]:")
_TITLE = r"(?:\"[^\"]*\"|'[^']*'|\([^()]*\))"
_DEFINITION = re.compile(rf"\[(?!\^)(?:[^\[\]\\]|\\.){{1,999}}+\]:(?: *(?:<[^<>]*>|\S+)(?: +{_TITLE})?)? *\Z")
_DEFINITION_TITLE = re.compile(rf"{_TITLE} *\Z")
_KRAMDOWN = re.compile(r"\{:[^{}]*\} *\Z")
_ESM = re.compile(
    r"""import\ +(?:["'][^"']+["']|\{[^{}]*\Z|[\w*{$][^"']*\ from\ +["'])"""
    r"""|export\ +(?:\{|\*\ +from\b|default\ +(?:async\b|function\b|class\b|[({\[]|[\w.$]+;?\ *\Z)"""
    r"""|(?:const|let|var)\ +(?:[{\[]|[\w$]+\ *[=:])|(?:async\ +)?function\b[ *]+[\w$]+\ *\("""
    r"""|class\ +[\w$]+\ *(?:\{|extends\b))""",
    re.VERBOSE,
)
_RULE_SIGNS = frozenset("*-_")
_TABLE_SIGNS = frozenset("|-: ")
_GRID_SIGNS = frozenset("+-=|: ")
_TAG_ALONE = re.compile(rf"(?:{TAG.pattern}|\s)+\Z")
_RAW_START = re.compile(
    r"<(script|style|pre|textarea|svg|table|template|iframe|video|audio|select|math)(?=[\s/>]|\Z)", re.IGNORECASE
)
#: Their closing tag may be missing: then the rest of the text is theirs (CommonMark, HTML blocks, type 1).
_RAW_TO_END = frozenset({"script", "style", "pre", "textarea"})
_MATH_END = re.compile(r"\$\$")


class Block(NamedTuple):
    """A paragraph as it is written, its lines without the signs of quotes and lists.

    `part` counts the headings before it. An aside is a quote or a footnote.
    """

    source: str
    part: int
    is_item: bool
    is_aside: bool


@dataclass(frozen=True, slots=True)
class _Fence:
    """An open code fence: its sign, how many of them, and how many containers it stands in."""

    sign: str
    length: int
    depth: int


def read_blocks(text: str) -> Iterator[Block]:
    """The paragraphs of a Markdown text whose lines end in a line feed, in order.

    >>> [block.source for block in read_blocks("# Title\\n\\nOne\\ntwo\\n> - three")]
    ['One\\ntwo', 'three']
    """
    return _Reader(text).blocks()


class _Reader:
    """One pass over the lines of a text, with what is open at the line it has come to."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._place = 0  # where the line after this one begins
        self._done: list[Block] = []
        self._lines: list[str] = []  # of the open paragraph
        self._containers: list[int] = []  # a quote is 0, an item the columns its lines are indented by
        self._fence: _Fence | None = None
        self._until: re.Pattern[str] | None = None  # the end of a comment or an element that is left out
        self._missing: set[re.Pattern[str]] = set()  # ends that do not come any more
        self._is_table = self._is_markup = self._is_defined = False
        self._esm_depth: int | None = None
        self._is_item = self._is_aside = False
        self._part = 0

    def blocks(self) -> Iterator[Block]:
        for line in self._text.split("\n"):
            self._place += len(line) + 1
            self._read(line.expandtabs(4) if "\t" in line else line)
            if self._done:
                yield from self._done
                self._done.clear()
        self._flush()
        yield from self._done

    def _flush(self) -> None:
        """End the open paragraph, table and HTML."""
        if self._lines:
            is_aside = self._is_aside or 0 in self._containers
            self._done.append(Block("\n".join(self._lines), self._part, self._is_item, is_aside))
            self._lines = []
        self._is_table = self._is_defined = False

    def _read(self, line: str) -> None:
        if self._until is not None:
            end = self._until.search(line)
            if end is not None:
                self._until = None
                self._add(line[end.end() :])
            return
        place, matched = self._continued(line) if self._containers else (0, 0)
        rest = line[place:].rstrip()
        if self._fence is not None:
            if matched >= self._fence.depth:
                signs = rest.lstrip(" ")
                if len(signs) >= self._fence.length and not signs.strip(self._fence.sign) and len(rest) - len(signs) < 4:
                    self._fence = None
                return
            self._fence = None
        if self._esm_depth is not None:
            self._read_esm(rest)
        elif not rest:
            self._flush()
            self._is_markup = False
            del self._containers[matched:]
        else:
            self._read_block(rest, matched)

    def _continued(self, line: str) -> tuple[int, int]:
        """Where the line's own text begins after the signs of the open containers, and how many it continues."""
        place = 0
        for i, width in enumerate(self._containers):
            rest = line[place:].lstrip(" ")
            indent = len(line) - place - len(rest)
            if width:
                if rest and indent < width:
                    return place, i
                place += min(indent, width)
            elif indent < 4 and rest.startswith(">"):
                place += indent + (2 if rest.startswith("> ") else 1)
            else:
                return place, i
        return place, len(self._containers)

    def _read_block(self, rest: str, matched: int) -> None:
        """Read a line that is not blank: open its containers, then take its leaf."""
        if rest[0].isalpha() and not self._containers and not self._is_table and (self._lines or rest[0] not in "ei"):
            if not self._lines:
                self._close(0)
            self._lines.append(rest)  # half of all lines of prose: no sign of a block
            return
        for _ in range(_MAX_CONTAINERS):
            body = rest.lstrip(" ")
            indent = len(rest) - len(body)
            if indent >= 4 and not self._is_markup:
                break
            if body.startswith(">"):
                self._open(0, matched)
                rest = body[2 if body.startswith("> ") else 1 :]
            else:
                is_underline = matched == len(self._containers) and self._is_underline(body)
                if is_underline or _is_rule(body):
                    if is_underline:
                        self._lines = []
                        self._part += 1
                    self._flush()
                    del self._containers[matched:]
                    return
                item = _ITEM.match(body)
                if item is None or not self._may_begin(item, body):
                    break
                after = body[item.end() :]
                blanks = len(after) - len(after.lstrip(" "))
                width = item.end() + (blanks if after and blanks <= 4 else 1)
                self._open(indent + width, matched)
                self._is_item = True
                rest = body[width:]
                rest = rest[4:] if _TASK.match(rest) else rest
            matched = len(self._containers)
            if not rest.strip(" "):
                return
        if len(rest) - len(rest.lstrip(" ")) < 4 or self._is_markup:
            self._read_leaf(rest.lstrip(" "), matched)
        elif self._lines:
            self._lines.append(rest)
        else:  # indented code
            self._close(matched)

    def _open(self, width: int, matched: int) -> None:
        self._close(matched)
        if len(self._containers) < _MAX_CONTAINERS:
            self._containers.append(width)

    def _close(self, matched: int) -> None:
        """Begin a new block: end the paragraph and the containers that the line does not continue."""
        self._flush()
        if matched < len(self._containers):
            del self._containers[matched:]
        if not any(self._containers):
            self._is_item = self._is_aside = False

    def _is_underline(self, body: str) -> bool:
        return bool(self._lines) and body[0] in "=-" and not body.strip(body[0])

    def _may_begin(self, item: re.Match[str], body: str) -> bool:
        """Whether a list marker begins an item here: in a paragraph outside of lists only 1 does, and no empty one."""
        if not self._lines or any(self._containers):
            return True
        return item.group(1) in (None, "1") and item.end() < len(body)

    def _read_leaf(self, body: str, matched: int) -> None:
        """Take a line without the signs of its containers that begins with no blank."""
        first = body[0]
        if first in "`~" and (fence := _FENCE.match(body)):
            self._close(matched)
            self._fence = _Fence(first, len(fence.group(1) or fence.group(2)), len(self._containers))
        elif first == "#" and _HEADING.match(body):
            self._close(matched)
            self._part += 1
        elif first == ":" and _CONTAINER_MARKER.match(body):
            self._close(matched)
        elif not (
            self._is_table
            or (first in "|-:+=" and self._begins_table(body))
            or (first in "<{$" and self._left_out(body, matched))
            or (not self._lines and self._is_no_paragraph(body, matched))
        ):
            if not self._lines:
                self._close(matched)
            self._lines.append(body)

    def _begins_table(self, body: str) -> bool:
        """Whether the line is of a table: the row below its head (taken back), a row with edges, or a grid's line."""
        signs = frozenset(body)
        if signs <= _TABLE_SIGNS and "-" in signs and "|" in signs and self._lines:
            if "|" in self._lines[-1]:
                self._lines.pop()
            self._flush()
            self._is_table = True
            return True
        # a table that is broken in two goes on without a head
        self._is_table = not self._lines and len(body) > 1 and body[0] == body[-1] == "|"
        return self._is_table or (len(body) > 2 and signs <= _GRID_SIGNS)

    def _left_out(self, body: str, matched: int) -> bool:
        """Whether the line begins a comment, an element or a formula that is left out, or is nothing but tags."""
        if body.startswith("<!--"):
            return self._skip(body, 4, COMMENT_END, to_end=True)
        if body.startswith("{/*"):
            return self._skip(body, 3, JSX_COMMENT_END)
        if body.startswith("$$"):
            return self._skip(body, 2, _MATH_END)
        raw = _RAW_START.match(body)
        if raw is not None:
            name = raw.group(1).lower()
            if not (tag := TAG.match(body)) or not tag.group(3).endswith("/"):
                return self._skip(body, raw.end(), CLOSING[name], to_end=name in _RAW_TO_END)
        elif (tag := TAG.match(body)) and _TAG_ALONE.match(body):
            self._close(matched)
            self._is_markup = True
            return True
        return False

    def _skip(self, body: str, place: int, end: re.Pattern[str], *, to_end: bool = False) -> bool:
        found = end.search(body, place)
        if found is not None:
            rest = body[found.end() :].strip()
            if rest:  # the inline rules take it out
                return False
            self._is_markup = self._is_markup or end is not _MATH_END
            return True
        if not to_end and (end in self._missing or not end.search(self._text, self._place)):
            self._missing.add(end)
            return False
        self._until = end
        if end is not COMMENT_END:
            self._flush()
        return True

    def _is_no_paragraph(self, body: str, matched: int) -> bool:
        """Whether a line where a paragraph would begin is a definition, a statement of MDX or a marker."""
        if body[0] == "[":
            if _DEFINITION.match(body):
                self._close(matched)
                self._is_defined = True
                return True
            if note := _FOOTNOTE.match(body):
                self._open(_HANGING, matched)
                self._is_aside = True
                self._add(body[note.end() :])
                return True
            if mark := _ADMONITION.match(body):
                self._add(body[mark.end() :])
                self._flush()
                return True
        elif self._is_defined and _DEFINITION_TITLE.match(body):
            self._flush()
            return True
        elif body[0] in "!?=" and _HANGING_MARKER.match(body):
            self._open(_HANGING, matched)
            return True
        elif body[0] in "ei" and not self._containers and _ESM.match(body):
            self._esm_depth = 0
            self._read_esm(body)
            return True
        return body[0] == "{" and _KRAMDOWN.match(body) is not None

    def _read_esm(self, line: str) -> None:
        """Go past a line of a statement of MDX: it ends at a blank line outside of brackets."""
        depth = self._esm_depth or 0
        if not line and depth <= 0:
            self._esm_depth = None
        else:
            self._esm_depth = depth + sum(map(line.count, "{([")) - sum(map(line.count, "})]"))

    def _add(self, line: str) -> None:
        line = line.strip()
        if line:
            self._lines.append(line)


def _is_rule(body: str) -> bool:
    sign = body[0]
    return sign in _RULE_SIGNS and body.count(sign) >= 3 and not body.replace(" ", "").strip(sign)
