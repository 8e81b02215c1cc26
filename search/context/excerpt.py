"""Units of a section → the `Snippet` that shows them: its text, its offsets and lines, and the matches in it.

Of links only the texts are shown; blanks and line ends become one blank. Escaped signs (`\\_`) and entities
(`&lt;`) become the characters that they stand for, but in code.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache, partial
from itertools import takewhile

from schema.results import Snippet, Window
from schema.sections import Section, without_hidden
from schema.text.sentences import CODE_SPAN
from search.context.units import QUOTE, Unit

#: The longest snippet, except for a single sentence, which may have the second length (characters).
MAX_CHARACTERS, MAX_SENTENCE = 400, 480
#: So much is shown before the first match of a sentence that is too long to be shown whole (characters).
_BEFORE_MATCH = 80
_CLAUSE = re.compile(r"[、，,;；:：]\s*|\s+")
#: What stands between two parts of a snippet that do not follow each other.
LEFT_OUT = "\n…\n"
#: Blanks, with the marks of quotes among them; and without those that are shown as they are if nothing is hidden.
_GAPS = re.compile(r"\s*\n[ \t]{0,8}(?:>[ \t]?)+\s*|\s+")
_WIDE_GAPS = re.compile(r"\s*\n[ \t]{0,8}(?:>[ \t]?)+\s*|(?:[^\S ]|(?<!\s) (?=\s))\s*")
#: A mark that ends a sentence or a part of it, which a blank stands before only if something between is hidden.
_END_MARK = re.compile(r"[.,;:!?](?=\s|$)")
#: The address of a link, which may have brackets in it.
_ADDRESS = r"(?>(?:[^()\s]|\([^()\s]{0,300}\)){0,1000})"
#: A link or image, of which only the text is shown; the number of a footnote; or code, in which there are none.
_LINK = re.compile(
    CODE_SPAN + r"|(?P<note>\[\^\d{1,3}\])"
    r"|(?P<open>(?:\[?!)?\[(?!\^)\s{0,80}+)(?:[^\[\]`]|`[^`\n]{1,200}`){0,300}"
    rf"(?P<close>\](?:\({_ADDRESS}(?:\s{{1,9}}\"[^\"]{{0,300}}\")?\)|\[(?!\^)[^\[\]]{{0,200}}\])"
    rf"(?:(?:\{{[^{{}}\n]{{0,200}}\}})?[ \t]{{0,80}}\]\({_ADDRESS}\))?)"
)
#: The target of a link without a text, behind its scheme and signs: `guide/analytics` of `xref:guide/analytics`.
_TARGET = re.compile(r"\]\((?:[a-z]{1,20}:(?!//))?[#/.]{0,9}([^\s()]{1,200})")
#: A formula between dollar signs.
_MATH = r"\$\$[^$]{1,2000}+\$\$|\$(?![\s\d$])(?:[^$\n\\]|\\[^\n]){1,400}(?<!\s)\$(?!\d)"
#: Code and formulas, in which nothing is escaped; a sign behind a backslash; or an entity.
_ESCAPED = re.compile(
    rf"{CODE_SPAN}|{_MATH}"
    r"|\\(?P<sign>[!-/:-@\[-`{-~])|(?P<entity>&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});)"
)
#: What stands in a line before the text of an item of a list.
_MARK = re.compile(r"[ \t>]*([-*+]|\d{1,9}[.)]|[가나다라마바사아자차카타파하ㄱ-ㅎ][.)])[ \t]+")
#: A line that a book puts a file in place of, and one of closing brackets.
_PLACEHOLDER, _BRACKETS = re.compile(r"\s*\{\{#"), re.compile(r"[ \t]{0,80}(?:(?://|#)[ \t]*)?[)\]}]+[;,]?[ \t\r]*")
#: The line that opens a block in an example of Markdown.
_INNER_FENCE, _BLANKS_IN_LINE = re.compile(r"(`{3,}|~{3,}|:{3,})[ \t]{0,9}[^\s`]"), re.compile(r"[ \t\r>]+")
_OPENING = re.compile(r"[ \t]{0,80}[(\[{]+[ \t\r]*")
#: A unit's text, and a function that turns offsets into the content into offsets into it.
Plain = Callable[[int, int, bool], tuple[str, Callable[[int], int]]]
_WIDE = re.compile(r"[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]")


def excerpt_of(
    section: Section,
    chosen: Sequence[Unit],
    spans: Sequence[Window],
    *,
    apart: Collection[Unit] = (),
    answer: Unit | None = None,
    plain: Plain | None = None,
) -> Snippet:
    """The text of the units, with its offsets and lines in the section, and the spans of the matches in it.

    Before each of the units `apart` a line says that something is left out. `answer` is the one that answers, and `plain` is
    what `plain_of` the section gives, for who asks for several excerpts of it.
    """
    plain = plain or plain_of(section)
    content = section.text
    apart = {_around_matches(content, unit, spans) for unit in apart}
    chosen = [_around_matches(content, unit, spans) for unit in chosen]
    pieces: list[str] = []
    matches: list[Window] = []
    begins = [span.start for span in spans]
    least: dict[int, int] = {}  # the common indent of each block, which is not shown
    for unit in chosen:
        indents = [_indent(content, unit), *(len(line) - len(line.lstrip()) for line in _opening(content, unit))]
        least[unit.block] = min(*indents, least.get(unit.block, MAX_CHARACTERS))
    size = 0
    for i, unit in enumerate(chosen):
        is_next = i > 0 and unit.block == chosen[i - 1].block and unit not in apart
        joint = "\n" if i else ""
        if unit in apart and i:
            joint = LEFT_OUT
        elif is_next and unit.kind != "code":
            joint = _between(content, chosen[i - 1].end, unit.start)
        if unit.kind == "code":
            indent = least[unit.block]
            above = content[chosen[i - 1].end : unit.start].split("\n")[1:-1] if is_next else _opening(content, unit)
            joint += "".join(f"{line}\n" for line in _shown_code(content, unit, above, indent))
            joint += " " * max(0, _indent(content, unit) - indent) if i or above else ""
        pieces.append(joint)
        size += len(joint)
        if (mark := _mark_of(content, unit)) != "":
            pieces.append(mark)
            size += len(mark)
        end = min(unit.end, unit.start + MAX_SENTENCE)
        text, moved = plain(unit.start, end, unit.kind == "code")
        for span in spans[bisect_left(begins, unit.start) : bisect_left(begins, end)]:
            first, last = size + moved(span.start), size + moved(min(span.end, end))
            if first < last:
                matches.append(Window(first, last))
        if unit.kind == "code" and (i + 1 == len(chosen) or chosen[i + 1].block != unit.block):
            behind = content[unit.end : unit.end + MAX_CHARACTERS].split("\n")[1:-1]
            closing = _mark_that_closes(content, [other for other in chosen[: i + 1] if other.block == unit.block])
            for line in _shown_code(content, unit, behind, least.get(unit.block, 0)):
                if not (line.strip() == closing or _BRACKETS.fullmatch(line)):
                    break
                text += f"\n{line}"
        pieces.append(text)
        size += len(text)
    first, last = chosen[0].start, min(chosen[-1].end, chosen[-1].start + MAX_SENTENCE)
    return Snippet(
        text="".join(pieces),
        start=first,
        end=last,
        start_line=section.content_line + _line_ends(content, 0, first),
        end_line=section.content_line + _line_ends(content, 0, last),
        matches=tuple(matches),
        place=section.place_at(next((span.start for span in spans if first <= span.start < last), first)),
        answer=Window(answer.start, answer.end) if answer is not None and answer.end <= last else None,
    )


def _mark_that_closes(content: str, code: Sequence[Unit]) -> str | None:
    """The mark of the last block that opens in some lines of an example of Markdown, if none of them may close it."""
    for unit in reversed(code):
        if (found := _INNER_FENCE.match(content, unit.start, unit.end)) is not None:
            is_closed = f"\n{found[1]}\n" in _BLANKS_IN_LINE.sub("", content[unit.end : code[-1].end])
            return None if is_closed else found[1]
    return None


def _opening(content: str, unit: Unit) -> list[str]:
    """The lines of opening brackets right above a line of code, which say nothing by themselves; at most two."""
    if unit.kind != "code":
        return []
    begin = content.rfind("\n", 0, unit.start) + 1
    above = content[max(0, begin - MAX_CHARACTERS) : begin].expandtabs(4).split("\n")[:-1]
    return list(takewhile(_OPENING.fullmatch, above[:-3:-1]))[::-1]


def _shown_code(content: str, unit: Unit, lines: Sequence[str], indent: int) -> Iterator[str]:
    """Yield lines beside one of code that are no units since they say nothing, such as brackets and imports, without marks
    of quotes and the common indent; none that is blank, or that a book puts a file in place of."""
    is_quoted = content[content.rfind("\n", 0, unit.start) + 1 : unit.start].lstrip().startswith(">")
    for line in lines:
        written = (QUOTE.sub("", line, count=1) if is_quoted else line).expandtabs(4).rstrip()
        if written and not _PLACEHOLDER.match(written):
            yield written[min(indent, len(written) - len(written.lstrip())) :]


def _around_matches(content: str, unit: Unit, spans: Sequence[Window]) -> Unit:
    """The unit; of one that is too long what begins before its first match, if that would not be shown."""
    first = next((span.start for span in spans if unit.start <= span.start < unit.end), unit.start)
    if first < unit.start + MAX_SENTENCE - _BEFORE_MATCH:
        return unit
    marks = [mark.end() for mark in _CLAUSE.finditer(content, first - 2 * _BEFORE_MATCH, first)]
    begin = min((mark for mark in marks if mark >= first - _BEFORE_MATCH), default=first - _BEFORE_MATCH)
    return unit._replace(start=begin)


def plain_of(section: Section) -> Plain:
    """What gives the text of a unit, by its offsets and whether it is code, as `_plain` does; each is read once."""
    return cache(partial(_plain, section))


def _plain(section: Section, start: int, end: int, is_code: bool) -> tuple[str, Callable[[int], int]]:
    """A unit's text without the targets of links, with one blank for blanks, line ends and marks of quotes;
    and a function that turns offsets into the content into offsets into this text."""
    content = section.text
    if is_code:
        return content[start:end], lambda offset: offset - start
    pieces: list[str] = []
    kept: list[tuple[int, int, int]] = []  # where a piece begins and ends in the content, and where it begins in the text
    at, size = start, 0
    for first, last, shown in [*_replaced(section, start, end), (end, end, "")]:
        kept.append((at, first, size))
        pieces += content[at:first], shown
        size += first - at + len(shown)
        at = last

    def moved(offset: int) -> int:
        begin, stop, shifted = kept[bisect_right(kept, (offset, len(content) + 1, 0)) - 1]
        return shifted + min(offset, stop) - begin

    return "".join(pieces), moved


def _replaced(section: Section, start: int, end: int) -> list[tuple[int, int, str]]:
    """What is not shown of a part of the content, as offsets in order without overlaps, and what is shown in its place."""
    content = section.text
    marks: list[tuple[int, int, str]] = []
    if any(content.find(sign, start, end) >= 0 for sign in ("](", "][", "[^")):
        for link in _LINK.finditer(content, start, end):
            if link["open"] == "[" and (target := _TARGET.match(content, link.end("open"))) is not None:
                marks.append((*link.span(), target[1]))  # the page shows the title of what it leads to
            else:
                marks += [(*link.span(part), "") for part in ("note", "open", "close") if link[part] is not None]
    gaps = _GAPS if section.hidden else _WIDE_GAPS
    others = [(*gap.span(), _blank(section, *gap.span())) for gap in gaps.finditer(content, start, end)]
    others = _outside(marks, others)
    if content.find("\\", start, end) >= 0 or content.find("&", start, end) >= 0:
        signs = [(*sign.span(), _sign(sign)) for sign in _ESCAPED.finditer(content, start, end) if sign.lastgroup]
        others += _outside(sorted(marks + others), signs)
    return sorted(marks + others)


def _outside(taken: Sequence[tuple[int, int, str]], found: Sequence[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """What was found that does not begin within what is `taken`, which is in order."""
    begins = [begin for begin, _, _ in taken]
    befores = [bisect_right(begins, begin) - 1 for begin, _, _ in found]
    return [each for each, at in zip(found, befores, strict=True) if at < 0 or each[0] >= taken[at][1]]


def _blank(section: Section, first: int, last: int) -> str:
    """What is shown in place of blanks."""
    content = section.text
    hidden = _hidden_in(section, first, last) if section.hidden else ()
    if hidden and not without_hidden(section.content[first:last], hidden):
        return ""
    is_plain = content[first:last] == " "  # as typed: nothing is hidden in it
    return "" if _END_MARK.match(content, last) and not is_plain else _between(content, first, last)


def _sign(found: re.Match[str]) -> str:
    """The character that an escaped sign or an entity stands for; an entity of one that is not printed stays as typed."""
    if found["sign"]:
        return found["sign"]
    text = html.unescape(found["entity"]).replace("\xa0", " ")
    return text if text and text.isprintable() else found["entity"]


def _mark_of(content: str, unit: Unit) -> str:
    """The mark of a list item with a blank, "" for what begins no item."""
    if unit.kind != "item":
        return ""
    begin = max(content.rfind("\n", 0, unit.start), content.rfind("\r", 0, unit.start)) + 1
    found = _MARK.fullmatch(content, begin, unit.start)
    return "" if found is None else f"{found.group(1)} "


def _indent(content: str, unit: Unit) -> int:
    """The blanks before a unit in its line, up to `MAX_CHARACTERS`."""
    before = content[max(0, unit.start - MAX_CHARACTERS) : unit.start].expandtabs(4)
    return len(before) - len(before.rstrip(" "))


def _between(content: str, start: int, end: int) -> str:
    """What is shown for the blanks at `start`..`end`: one blank; "" for none, and a line's end in scripts without blanks."""
    is_wide = _WIDE.match(content[start - 1 : start]) and _WIDE.match(content[end : end + 1])
    return "" if start == end or (is_wide and any(sign in content[start:end] for sign in "\n\r")) else " "


def _hidden_in(section: Section, first: int, last: int) -> list[int]:
    """What is hidden within a part of a section, as offsets into the part."""
    hidden = section.hidden
    begin, end = bisect_left(hidden, first), bisect_right(hidden, last)
    begin += begin % 2  # what began before
    return [offset - first for offset in hidden[begin : end - end % 2]]


def _line_ends(content: str, start: int, end: int) -> int:
    """The number of line ends (LF, CR or CR LF) in a part of the content."""
    newlines, returns = content.count("\n", start, end), content.count("\r", start, end)
    return newlines + returns - content.count("\r\n", start, end) if returns else newlines
