"""Markdown whose fields have labels, table rows, quoted or escaped headings → the same Markdown with headings.

A label may be "name: text", a name alone or a name in brackets. Since a name may also stand in a text, only labels of one
style are taken together. The texts of fields stay as they are, except for marks of quoting and tables.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from indexer.llm.reply.headings import FENCE, FRONT_MATTER, MANY_LINES, meaning
from indexer.llm.reply.spec import ReplySpec

#: The most styles of labels; in a text with more the names are mentioned, not used as labels.
_MANY_STYLES = 5

_QUOTED = re.compile(r"^[ \t]{0,3}>[ \t]?", re.MULTILINE)
_UNQUOTED_LINE = re.compile(r"^[ \t]{0,3}[^\s>]", re.MULTILINE)
# a heading behind other characters: \## name, - ## name, an indented ## name, > ## name
_DRESSED_HEADING = re.compile(r"(?:[\\ \t>]|[-*+] |\d{1,3}[.)] ){1,20}(?P<heading>#{1,6}[ \t]*[^#\s][^\n]{0,100})")
_MARK = r"(?P<mark>[ \t]{0,9}(?:>[ \t]?)?(?:[-*+・•○◎※→][ \t]{0,3}|\(?\d{1,3}[.)][ \t]{0,3}|[①-⑳][ \t]{0,3})?)"
_NAME_ALONE = re.compile(rf"{_MARK}(?P<name>[^\n|]{{1,100}})\Z")
_NAME_AND_SEPARATOR = re.compile(
    rf"{_MARK}(?P<name>[^:：\t\n|]{{1,100}}?)(?P<separator>[ \t]{{0,9}}[:：]|\t|[ \t]{{1,9}}[-–—=](?=[ \t])|\u3000)"
)
_IN_BRACKETS = re.compile(
    rf"{_MARK}(?P<name>「[^」\n]{{1,40}}」|『[^』\n]{{1,40}}』|《[^》\n]{{1,40}}》|[〈＜<][^〉＞>\n]{{1,40}}[〉＞>]|[(\[][^)\]\n]{{1,40}}[)\]])"
)
_DEFINITION = re.compile(r"\A[ \t]{0,3}:[ \t]+(?=\S)")
_DIGITS = re.compile(r"\d+|[①-⑳]")
#: Characters that may stand around a name.
_AROUND_NAME = " \t*_`~#:：.。\"'「」『』《》〈〉＜＞<>()[]=|-–—＊"
#: The characters at the beginning of a line in which a label is looked for.
_LABEL_LENGTH = 160
_BLOCK = re.compile(r"[|>][+-]?")
#: A line with which an object of JSON begins.
_OBJECT_START = re.compile(r"\[?\s{0,9}\{\s{0,9}(?:\Z|[\"'][^\"']{0,100}[\"']\s{0,9}:)")
_IN_QUOTES = re.compile(r"\"([^\"]*)\",?")


@dataclass(frozen=True, slots=True)
class _Label:
    """A line that names a field, and the text that follows the name on it."""

    line: int
    field: int
    style: str
    text: str


def relabelled(text: str, names: Mapping[str, int], spec: ReplySpec) -> Iterator[str]:
    """Yield the text with headings in place of its labels, once for each way to read it: for each style of labels."""
    if text.count("\n") > MANY_LINES:
        return
    if not _UNQUOTED_LINE.search(text):
        text = _QUOTED.sub("", text)
    front = FRONT_MATTER.match(text)
    lines = _without_front(text, front.end(), names, spec) if front else _without_wrapper(_unescaped(text).split("\n"))
    shown = list(_shown(lines))
    for i in shown:
        dressed = _DRESSED_HEADING.fullmatch(lines[i]) if len(lines[i]) < _LABEL_LENGTH else None
        if dressed and (meaning(dressed["heading"], names) is not None or lines[i].startswith("\\")):
            lines[i] = dressed["heading"]
    yield "\n".join(lines)
    rows = _from_table(lines, names)
    if rows is not None:
        lines = rows
        shown = list(_shown(lines))
    styles: dict[str, list[_Label]] = {}
    for i in _outside_objects(lines, shown):
        label = _label(lines, i, names)
        if label:
            styles.setdefault(label.style, []).append(label)
    if len(styles) > _MANY_STYLES:
        return
    for labels in styles.values():
        if len({label.field for label in labels}) == len(labels):
            yield _with_labels(lines, labels, spec)


def _unescaped(text: str) -> str:
    """Return the text; if it is one line in which line ends are written as \\n, with real line ends."""
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
    """Return the lines with nothing of the front matter but the title; if there is only front matter, all of its lines."""
    front = text[:end].strip().split("\n")[1:-1]
    if not text[end:].strip():
        return front
    labels = [(i, _label(front, i, names)) for i in range(len(front))]
    return [
        *(front[i] for i, label in labels if label and spec.fields[label.field].source == "h1"),
        *text[end:].split("\n"),
    ]


def _without_wrapper(lines: list[str]) -> list[str]:
    """Return the lines without a code fence around all of them."""
    full = [i for i, line in enumerate(lines) if line.strip()]
    fences = [i for i in full if FENCE.fullmatch(lines[i])]
    return lines[full[0] + 1 : full[-1]] if len(fences) == 2 and fences == [full[0], full[-1]] else lines


def _shown(lines: list[str]) -> Iterator[int]:
    """Yield the indices of the lines outside code that are not blank."""
    marker = ""
    for i, line in enumerate(lines):
        fence = FENCE.fullmatch(line)
        if not fence:
            if not marker and line.strip():
                yield i
        elif not marker:
            marker = fence["marker"]
        elif fence["marker"].startswith(marker):
            marker = ""


def _outside_objects(lines: list[str], shown: list[int]) -> Iterator[int]:
    """Yield those of the shown lines that are not in an object of JSON: its keys are no labels of Markdown."""
    is_inside = False
    for i in shown:
        line = lines[i].strip()
        is_inside = is_inside or _OBJECT_START.match(line) is not None
        if not is_inside:
            yield i
        elif line.startswith("}"):
            is_inside = False


def _from_table(lines: list[str], names: Mapping[str, int]) -> list[str] | None:
    """Return the lines with a table as labels: one of a single record, or one with a field in each row; else None."""
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
    """Return whether a line divides the head of a table from its rows."""
    return "-" in line and "|" in line and set(line) <= set("|-: \t")


def _cells(line: str) -> list[str] | None:
    row = line.strip()
    return [cell.strip() for cell in row[1:-1].split("|")] if len(row) > 1 and row[0] == row[-1] == "|" else None


def _label(lines: list[str], i: int, names: Mapping[str, int]) -> _Label | None:
    line = lines[i]
    below = lines[i + 1] if i + 1 < len(lines) else ""
    for pattern in (_NAME_ALONE, _NAME_AND_SEPARATOR, _IN_BRACKETS):
        match = pattern.match(line[:_LABEL_LENGTH])
        field = meaning(match["name"], names) if match and not line.startswith("#") else None
        if match is None or field is None:
            continue
        text = line[match.end() :].strip()
        if _BLOCK.fullmatch(text):
            return None  # a text of several lines in YAML, which nothing here reads
        if not text and match["mark"].strip() and below.strip() and not line.rstrip().endswith((":", "：")):
            return None  # an item of a list
        return _Label(i, field, _style(match), text)
    return None


def _style(match: re.Match[str]) -> str:
    """Return the characters around the name of a label, with every number as 1, so that equal styles are equal."""
    name = match["name"]
    core = name.strip(_AROUND_NAME)
    begin = name.find(core)
    separator = match.groupdict().get("separator") or ""
    return _DIGITS.sub("1", f"{match['mark'].strip()}{name[:begin]}|{name[begin + len(core) :].strip()}{separator.strip()}")


def _with_labels(lines: list[str], labels: list[_Label], spec: ReplySpec) -> str:
    """Return the text with the labels as bold names, which are read as headings."""
    changed = list(lines)
    for label in labels:
        quoted = _IN_QUOTES.fullmatch(label.text)
        text = quoted[1] if quoted else label.text
        changed[label.line] = f"**{spec.fields[label.field].name}**" + (f": {text}" if text else "")
        below = label.line + 1
        if not text and below < len(changed):
            changed[below] = _DEFINITION.sub("", changed[below], count=1)
    return "\n".join(changed)
