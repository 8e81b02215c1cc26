"""A section's text → its units: sentences of paragraphs, items of lists, rows of tables, lines of code.

Comments, definitions of links, imports, directives, lines of tags, rules and images are skipped.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from schema.text.sentences import CODE_SPAN, MARKDOWN_ABBREVIATION, MARKDOWN_STOP

#: Longer rows of tables are read by their sentences (characters).
_WHOLE_ROW = 400
#: The text before that part in which an open fence is looked for (characters).
_LOOKED_BACK = 50_000
_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})(.*)")
#: The language behind a fence with the source of a drawing.
_DRAWING = re.compile(r"[ \t{.]*(?:mermaid|plantuml|puml|graphviz|dot|d2|vega(?:-lite)?|svgbob)(?![\w-])")
#: The word behind a fence whose code the page does not show, and what stands there in quotes or braces.
_UNSEEN, _VALUES = re.compile(r"(?:^|\s)hidden(?:\s|$)"), re.compile(r"\"[^\"]*\"|'[^']*'|\{[^{}]*\}")
_FENCES = re.compile(r"^[ \t>]{0,20}(`{3,}|~{3,})(.*)", re.MULTILINE)
_SOME_BLANKS = re.compile(r"(?:\s*\n[ \t]{0,8}(?:>[ \t]?)+)?\s*")
#: Lines without own text: definitions of links, imports, directives, tags, rules, images, templates.
_NOISE = re.compile(
    r"\s*(?:\[(?!\^)[^\]\n]{1,200}\]:\s|import\s.{0,300}\sfrom\s|import\s+['\"]|export\s+(?:default|const|let|function)\b|:{3,}|\{\{[#%<]?|\{%"
    r"|</?[A-Za-z][^\n]{0,600}>\s*$|<[A-Za-z][\w.-]*\s*$|/?>\s*$|[-=*_|:\s>]+$|!\[[^\]\n]{0,500}\]\([^)\n]{0,1000}\)\s*$|\[\[?_?TOC_?\]?\]\s*$|\^[\w-]+\s*$)"
)
# lines of code that only prepare (imports, comments, brackets), and lines that a book puts a file in place of
_NO_CODE = re.compile(
    r"\s*(?:import\s|from\s\S+\simport\s|use\s[\w:]+|#include\b|['\"]use (?:client|server|strict)['\"]|require\(\s*['\"]"
    r"|\{\{#(?:rustdoc_)?include\s|[\W_]+$)"
)
_PLAIN = re.compile(r" {0,3}(?!import\b|export\b|[가나다라마바사아자차카타파하ㄱ-ㅎ][.)][ \t]|[①-⑳])[^\W\d_]")
_HEADING = re.compile(r"[ \t>]{0,8}#{1,6}\s")
_ITEM = re.compile(r"[ \t>]*(?:[-*+]|\d{1,9}[.)]|[가나다라마바사아자차카타파하ㄱ-ㅎ][.)])[ \t]+")
_FOOTNOTE = re.compile(r"[ \t]{0,3}\[\^[^\[\]\s]{1,200}\]:[ \t]+(?=\S)")
# what begins an item, and a title of one line, in documents that use no Markdown for them
_MARKED = re.compile(r"[ \t\u3000]*(?:[・•●○※①-⑳■□◆◇]|（?[０-９]{1,3}[．）]|【[^】\n]{1,60}】\s*$)")
_TITLE = re.compile(r"[ \t\u3000]*[■□◆◇【]")
# a line of a list of facts without marks of a list: `Date: 12 May`, `日 時：五月`
_FACT = re.compile(
    r"[ \t\u3000]{0,8}(?:\*\*|__)?[^\W_][^:：。．.,;`|<>\n]{0,15}(?:：|[ \t]?:(?:\*\*|__)?[ \t])[ \t]{0,8}[^\s]"
)
#: What a field of front matter begins with.
_FIELD = re.compile(r"[ \t]*(?:-[ \t]+)?[\"']?[\w.-]+(?: [\w.-]+){0,5}[\"']?[ \t]*[:=]")
_ROW = re.compile(r"[ \t>]*\|")
# the line below the first row of a table whose rows need no bars around them
_DELIMITERS = re.compile(
    r"[ \t>]{0,20}\|?[ \t]{0,9}:?-+:?[ \t]{0,80}(?:\|[ \t]{0,80}:?-+:?[ \t]{0,80})+\|?[ \t]{0,9}\r?$", re.MULTILINE
)
# marks of callouts, tabs and directives, which hide behind blanks and have a title behind them; and a title in a quotation
_CALLOUT = re.compile(r"[ \t>]*(?:!!!|\?\?\?|:::|///|===|```|~~~)")
_BOLD_TITLE = re.compile(r"(\*\*|__)[^*_\n]{1,60}\1[ \t]*$")
QUOTE = re.compile(r"[ \t]{0,3}(?:>[ \t]?)+")
_ALERT = re.compile(r"\s*\[![\w-]+\][-+]?\s*$")
_INLINE_CODE = re.compile(CODE_SPAN)
# what names a part of a page that unfolds, and the end of that part
_SUMMARY, _DETAILS_END = re.compile(r"<summary\b", re.IGNORECASE), re.compile(r"</details\b", re.IGNORECASE)


#: A sentence of more characters may be one of several lines that no full stop ends.
_LONG = 480


class Unit(NamedTuple):
    """A sentence or line: its offsets into the content, its kind and the number of its block.

    `heading` has the offsets of the heading (H4 to H6, or the `<summary>` of `<details>`) above it inside of the section;
    (0, 0) if there is none.
    """

    start: int
    end: int
    kind: str
    block: int
    heading: tuple[int, int]


class Fence(NamedTuple):
    """The mark of an open block of code, whether its code is shown, and whether it stands in a quotation."""

    mark: str
    is_shown: bool
    is_quoted: bool

    @classmethod
    def of(cls, line: str, *, shows_all: bool) -> Fence | None:
        """The fence that a line opens, if it does."""
        found = _FENCE.match(line)
        if found is None or "`" in found.group(2):
            return None
        about = found.group(2)
        is_unseen = _DRAWING.match(about) is not None or _UNSEEN.search(_VALUES.sub(" ", about)) is not None
        return cls(found.group(1), shows_all or not is_unseen, line.lstrip().startswith(">"))

    def is_closed_by(self, line: str) -> bool:
        """Whether a line closes the block."""
        found = _FENCE.match(line) if self.mark in line else None
        return found is not None and found.group(1).startswith(self.mark) and not found.group(2).strip()

    def code_in(self, line: str) -> tuple[int, int] | None:
        """Where the code of a line begins and ends, without the blanks and the marks of quotes around it; None for none."""
        quote = QUOTE.match(line) if self.is_quoted else None
        text = line[quote.end() :] if quote is not None else line
        if not self.is_shown or not text.strip() or _NO_CODE.match(text):
            return None
        return len(line) - len(text.lstrip()), len(line.rstrip())


def open_fence(content: str, offset: int) -> str:
    """The line of the fence that is open at an offset, empty for none; one that is far above is not seen."""
    fence, line = "", ""
    for mark in _FENCES.finditer(content[max(0, offset - _LOOKED_BACK) : offset]):
        if not fence:
            fence, line = mark.group(1), mark.group()
        elif mark.group(1).startswith(fence) and not mark.group(2).strip():
            fence, line = "", ""
    return line


def units(
    content: str,
    start: int,
    stop: int,
    *,
    fence: str = "",
    hidden: Sequence[int] = (),
    typed: str = "",
    shows_all: bool = False,
    is_fields: bool = False,
) -> Iterator[Unit]:
    """Yield the units of a part of the content, in order.

    `fence` is the line of a code fence that is open at its start, or "". Code that the page does not show is left out,
    unless `shows_all`. `hidden` as in `Section`: a line that begins with what is hidden, behind blanks or not, is no
    indented code. `typed` is the content with what is hidden, by which titles of callouts are known. `is_fields`: the
    content is front matter, each field of which is a unit.
    """
    starts, opened, block, heading = hidden[::2], Fence.of(fence, shows_all=shows_all), 0, (0, 0)
    paragraph: list[tuple[int, int]] = []
    # `inside`: the column where the text of the list item begins that a line may belong to
    kind, at, inside, is_fact, is_row, in_comment = "prose", start, 0, False, False, False

    def flush() -> Iterator[Unit]:
        nonlocal block
        if paragraph:
            block += 1
            for first, last in _parts(content, paragraph, kind):
                yield Unit(first, last, kind, block, heading)
            paragraph.clear()

    while at < min(stop, len(content)):
        end = _line_end(content, at, stop)
        line, here, at = content[at:end].rstrip("\r"), at, end + 1
        if not paragraph:
            kind, inside = "prose", 0 if line[:1].strip() else inside
        is_fact = (
            not (opened or in_comment)
            and (":" in line[:24] or "：" in line[:24])
            and _is_fact(line, content[at : at + 80], follows=is_fact, is_first=not paragraph)
        ) or (is_fields and _FIELD.match(typed, here) is not None and bool(line.strip()))
        is_row = "|" in line and not (opened or in_comment) and (is_row or _DELIMITERS.match(content, at) is not None)
        if opened is not None:
            if opened.is_closed_by(line):
                opened, block = None, block + 1
            elif (code := opened.code_in(line)) is not None:
                yield Unit(here + code[0], here + code[1], "code", block, heading)
        elif in_comment:
            in_comment = "-->" not in line
        elif not (is_fact or is_row) and _PLAIN.match(line):  # most lines: no sign of Markdown begins them
            paragraph.append((here, here + len(line)))
        elif (opened := Fence.of(line, shows_all=shows_all)) is not None:
            yield from flush()
            block += 1
        else:
            shift = here + (quote.end() if (quote := QUOTE.match(line)) else 0)
            text = content[shift : here + len(line)]
            in_comment = text.lstrip().startswith("<!--") and "-->" not in text
            if (named := _named(content, typed, here, shift, shift + len(text))) is not None:
                yield from flush()
                heading, inside = named, 0
            elif not text.strip() or text.lstrip().startswith("<!--") or _NOISE.match(text) or _ALERT.match(text):
                yield from flush()
            elif (begun := _begun(text, is_row=is_row, is_fact=is_fact)) or _is_title(
                text,
                typed[here : here + 80],
                hides=_hides(starts, here, shift, text),
                is_first=shift > here and not paragraph,
            ):
                yield from flush()
                kind, mark, is_alone = begun or ("title", 0, True)
                # so far further paragraphs of a footnote, and of an item, are indented
                inside = 4 if kind == "prose" else _columns(text[:mark]) if mark else inside
                paragraph.append((shift + mark, shift + len(text)))
                if is_alone:
                    yield from flush()
            elif not paragraph and _is_indented(text, inside) and not _hides(starts, here, shift, text):
                yield Unit(shift + len(text) - len(text.lstrip()), shift + len(text.rstrip()), "code", block, heading)
            else:
                paragraph.append((shift, shift + len(text)))
    yield from flush()


def _named(content: str, typed: str, start: int, shift: int, end: int) -> tuple[int, int] | None:
    """Where the heading stands that a line begins a part with; (0, 0) for the end of a part that unfolds, None for a line
    that is neither. The line begins at `start`, and its text at `shift`, behind the marks of quotes."""
    if _DETAILS_END.search(typed, start, end) and not content[shift:end].strip():
        return 0, 0
    return (shift, end) if _HEADING.match(content, shift, end) else summary_in(content, typed, start, end)


def summary_in(content: str, typed: str, start: int, end: int) -> tuple[int, int] | None:
    """Where the text of a `<summary>` stands in a line; None for a line without one. `typed` is the content with tags."""
    if _SUMMARY.search(typed, start, end) is None:
        return None
    line = content[start:end]
    text = line.strip()
    return (start + line.index(text), start + line.index(text) + len(text)) if text else None


def _line_end(content: str, at: int, stop: int) -> int:
    """Where the line ends that begins at an offset, before `stop` or there."""
    end = content.find("\n", at, stop)
    return min(stop, len(content)) if end < 0 else end


def _columns(text: str) -> int:
    return len(text.expandtabs(4))


def _is_indented(text: str, inside: int) -> bool:
    """Whether a line is indented code: by four columns more than the text of the list item that it may belong to."""
    return text[0] in " \t" and _columns(text[: len(text) - len(text.lstrip())]) >= inside + 4


def _is_fact(line: str, following: str, *, follows: bool, is_first: bool) -> bool:
    """Whether a line is one of a list of facts: `follows` another, or `is_first` of its paragraph with one below."""
    return _FACT.match(line) is not None and (follows or (is_first and _FACT.match(following) is not None))


def _begun(text: str, *, is_row: bool, is_fact: bool) -> tuple[str, int, bool] | None:
    """The kind of unit that a line begins, where its text does behind the mark, and whether no other line belongs to it;
    None for a line that may go on with a paragraph."""
    if (note := _FOOTNOTE.match(text)) is not None:
        return "prose", note.end(), False
    if (item := _ITEM.match(text)) is not None:
        return "item", item.end(), False
    if is_row or _ROW.match(text):
        return "row", 0, True
    if _TITLE.match(text):
        return ("title", 0, True) if is_fact or _MARKED.match(text) else None
    return ("item", 0, is_fact) if is_fact or _MARKED.match(text) else None


def _is_title(text: str, typed: str, *, hides: bool, is_first: bool) -> bool:
    """Whether a line is the title of a callout, which `hides` the mark of it before its text, or `is_first` in a quotation
    and hides something or is bold. `typed` is the line's beginning with what is hidden."""
    if is_first and (hides or _BOLD_TITLE.match(text)):
        return True
    return hides and _CALLOUT.match(typed) is not None


def _hides(starts: Sequence[int], begin: int, shift: int, text: str) -> bool:
    """Whether something hidden begins among the marks of quotes and blanks before a line's text.

    `starts` are where hidden parts begin, `begin` is where the line does, and `shift` where its text does behind the marks.
    """
    at = bisect_left(starts, begin)
    return at < len(starts) and starts[at] < shift + len(text) - len(text.lstrip())


def _parts(content: str, lines: Sequence[tuple[int, int]], kind: str) -> Iterator[tuple[int, int]]:
    """Yield the offsets of the sentences of some lines, or of a row of a table as a whole, without blanks around them."""
    start, end = lines[0][0], lines[-1][1]
    if kind != "row" or end - start > _WHOLE_ROW:
        yield from _sentences(content, lines)
    else:
        row = content[start:end]
        yield start + len(row) - len(row.lstrip()), start + len(row.rstrip())


def _sentences(content: str, lines: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the offsets of the sentences of a paragraph; `lines` has the offsets of its lines.

    What is longer than any snippet and ends nowhere else is taken line by line, as in minutes without full stops.
    """
    for first, last in _stopped(content, lines):
        if last - first <= _LONG:
            yield first, last
            continue
        begin = max(0, bisect_right(lines, (first, len(content))) - 1)
        for start, end in lines[begin : bisect_left(lines, (last, 0))]:
            yield max(first, start), min(last, end)


def _stopped(content: str, lines: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the offsets of what full stops and the like end in a paragraph."""
    start, end = lines[0][0], lines[-1][1]
    text = content[start:end]
    begin = len(text) - len(text.lstrip())
    code = [match.span() for match in _INLINE_CODE.finditer(text)] if "`" in text else []
    for stop in MARKDOWN_STOP.finditer(text):
        while code and code[0][1] <= stop.start():
            del code[0]
        if code and code[0][0] < stop.start():
            continue
        if MARKDOWN_ABBREVIATION.search(text, max(0, stop.start() - 8), stop.start() + 1):
            continue
        yield start + begin, start + stop.end()
        begin = _SOME_BLANKS.match(text, stop.end()).end()  # type: ignore[union-attr]
    if text[begin:].strip():
        yield start + begin, start + len(text.rstrip())
