"""Markdown whose fields stand as labels, table rows, quoted or escaped headings → the same with headings.

Lines of one style are taken for labels together ("name: text", a name alone, a name in brackets), since a name may stand in
a text as well. No text of a field is changed except for marks of quoting and tables.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from indexer.llm.reply.headings import FENCE, FRONT_MATTER, MANY_LINES, meaning
from indexer.llm.reply.spec import ReplySpec

#: Labels in more styles are a text that speaks of the names.
_MANY_STYLES = 5

_QUOTED = re.compile(r"^[ \t]{0,3}>[ \t]?", re.MULTILINE)
_UNQUOTED_LINE = re.compile(r"^[ \t]{0,3}[^\s>]", re.MULTILINE)
# \## name, - ## name, an indented ## name, > ## name
_DRESSED_HEADING = re.compile(r"(?:[\\ \t>]|[-*+] |\d{1,3}[.)] ){1,20}(?P<heading>#{1,6}[ \t]*[^#\s][^\n]{0,100})")
_MARK = r"(?P<mark>[ \t]{0,9}(?:>[ \t]?)?(?:[-*+・•○◎※→][ \t]{0,3}|\(?\d{1,3}[.)][ \t]{0,3}|[①-⑳][ \t]{0,3})?)"
_NAME_ALONE = re.compile(rf"{_MARK}(?P<name>[^\n|]{{1,100}})\Z")
_NAME_AND_SIGN = re.compile(
    rf"{_MARK}(?P<name>[^:：\t\n|]{{1,100}}?)(?P<sign>[ \t]{{0,9}}[:：]|\t|[ \t]{{1,9}}[-–—=](?=[ \t])|\u3000)"
)
_IN_BRACKETS = re.compile(
    rf"{_MARK}(?P<name>「[^」\n]{{1,40}}」|『[^』\n]{{1,40}}』|《[^》\n]{{1,40}}》|[〈＜<][^〉＞>\n]{{1,40}}[〉＞>]|[(\[][^)\]\n]{{1,40}}[)\]])"
)
_DEFINITION = re.compile(r"[ \t]{0,3}:[ \t]+(?=\S)")
_DIGITS = re.compile(r"\d+|[①-⑳]")
#: What may stand around a name.
_SIGNS = " \t*_`~#:：.。\"'「」『』《》〈〉＜＞<>()[]=|-–—＊"
#: Characters at the beginning of a line in which a label stands.
_LONGEST = 160
_BLOCK = re.compile(r"[|>][+-]?")
_IN_QUOTES = re.compile(r"\"([^\"]*)\",?")


@dataclass(frozen=True, slots=True)
class _Label:
    """A line that names a field, and the text that follows the name on it."""

    line: int
    field: int
    style: str
    text: str


def relabelled(text: str, names: Mapping[str, int], spec: ReplySpec) -> Iterator[str]:
    """The texts that a text may be meant as, with headings that can be read; each with labels of another style."""
    if text.count("\n") > MANY_LINES:
        return
    if not _UNQUOTED_LINE.search(text):
        text = _QUOTED.sub("", text)
    front = FRONT_MATTER.match(text)
    lines = _without_front(text, front.end(), names, spec) if front else _without_wrapper(_unescaped(text).split("\n"))
    shown = list(_shown(lines))
    for i in shown:
        dressed = _DRESSED_HEADING.fullmatch(lines[i]) if len(lines[i]) < _LONGEST else None
        if dressed and (meaning(dressed["heading"], names) is not None or lines[i].startswith("\\")):
            lines[i] = dressed["heading"]
    yield "\n".join(lines)
    rows = _from_table(lines, names)
    if rows is not None:
        lines = rows
        shown = list(_shown(lines))
    styles: dict[str, list[_Label]] = {}
    for i in shown:
        label = _label(lines, i, names)
        if label:
            styles.setdefault(label.style, []).append(label)
    if len(styles) > _MANY_STYLES:
        return
    for labels in styles.values():
        if len({label.field for label in labels}) == len(labels):
            yield _with_labels(lines, labels, spec)


def _unescaped(text: str) -> str:
    """The text; if it stands on one line with its line ends written as \\n, with line ends."""
    line = text.strip()
    if "\n" in line or "\\n" not in line:
        return text
    if line.startswith('"') and line.endswith('"'):
        try:
            return str(json.loads(line))
        except ValueError:
            return text
    return line.replace("\\n", "\n")


def _without_front(text: str, end: int, names: Mapping[str, int], spec: ReplySpec) -> list[str]:
    """The lines, with no more of the front matter than the title; all of it if nothing else is there."""
    front = text[:end].strip().split("\n")[1:-1]
    if not text[end:].strip():
        return front
    labels = [(i, _label(front, i, names)) for i in range(len(front))]
    return [
        *(front[i] for i, label in labels if label and spec.fields[label.field].source == "h1"),
        *text[end:].split("\n"),
    ]


def _without_wrapper(lines: list[str]) -> list[str]:
    """The lines, without a fence around all of them."""
    full = [i for i, line in enumerate(lines) if line.strip()]
    fences = [i for i in full if FENCE.fullmatch(lines[i])]
    return lines[full[0] + 1 : full[-1]] if len(fences) == 2 and fences == [full[0], full[-1]] else lines


def _shown(lines: list[str]) -> Iterator[int]:
    """The lines outside code."""
    sign = ""
    for i, line in enumerate(lines):
        fence = FENCE.fullmatch(line)
        if not fence:
            if not sign and line.strip():
                yield i
        elif not sign:
            sign = fence["sign"]
        elif fence["sign"].startswith(sign):
            sign = ""


def _from_table(lines: list[str], names: Mapping[str, int]) -> list[str] | None:
    """The lines, with a table of one record or of a field in each row as labels; None if there is no such table."""
    for i, line in enumerate(lines[1:-1], start=1):
        above = _cells(lines[i - 1]) if _is_ruler(line) else None
        if above is None:
            continue
        end = next((j for j in range(i + 1, len(lines)) if _cells(lines[j]) is None), len(lines))
        rows = [_cells(row) or [] for row in lines[i + 1 : end]]
        if len(rows) == 1 and len(rows[0]) == len(above) and all(meaning(cell, names) is not None for cell in above):
            rows = [list(pair) for pair in zip(above, rows[0], strict=True)]
        elif not rows or not all(len(row) == 2 for row in rows):
            return None
        return [*lines[: i - 1], *(f"{name}: {text}" for name, text in rows), *lines[end:]]
    return None


def _is_ruler(line: str) -> bool:
    """Whether a line divides the head of a table from its rows."""
    return "-" in line and "|" in line and set(line) <= set("|-: \t")


def _cells(line: str) -> list[str] | None:
    row = line.strip()
    return [cell.strip() for cell in row[1:-1].split("|")] if len(row) > 1 and row[0] == row[-1] == "|" else None


def _label(lines: list[str], i: int, names: Mapping[str, int]) -> _Label | None:
    line = lines[i]
    below = lines[i + 1] if i + 1 < len(lines) else ""
    for pattern in (_NAME_ALONE, _NAME_AND_SIGN, _IN_BRACKETS):
        match = pattern.match(line[:_LONGEST])
        place = meaning(match["name"], names) if match and not line.startswith("#") else None
        if match is None or place is None:
            continue
        text = line[match.end() :].strip()
        if _BLOCK.fullmatch(text):
            return None  # YAML: the lines below would have to be taken apart
        if not text and match["mark"].strip() and below.strip() and not line.rstrip().endswith((":", "：")):
            return None  # an item of a list
        return _Label(i, place, _style(match), text)
    return None


def _style(match: re.Match[str]) -> str:
    """What stands around the name of a label, numbers taken as one."""
    name = match["name"]
    core = name.strip(_SIGNS)
    begin = name.find(core)
    sign = match.groupdict().get("sign") or ""
    return _DIGITS.sub("1", f"{match['mark'].strip()}{name[:begin]}|{name[begin + len(core) :].strip()}{sign.strip()}")


def _with_labels(lines: list[str], labels: list[_Label], spec: ReplySpec) -> str:
    """The text with the labels in bold, as the reader of Markdown knows them."""
    changed = list(lines)
    for label in labels:
        quoted = _IN_QUOTES.fullmatch(label.text)
        text = quoted[1] if quoted else label.text
        changed[label.line] = f"**{spec.fields[label.field].name}**" + (f": {text}" if text else "")
        below = label.line + 1
        if not text and below < len(changed):
            changed[below] = _DEFINITION.sub("", changed[below], count=1)
    return "\n".join(changed)
