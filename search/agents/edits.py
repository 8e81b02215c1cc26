"""The text of a client's configuration → the same text with one more server; every other byte stays.

JSON is edited between the bytes of its members, TOML at its end or in the table of this name. Refuses texts that are not
plain JSON or TOML, such as JSON with comments, and whatever would not read back as what was meant.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from schema.formats.toml import read_toml

_BLANK = re.compile(r"[ \t\r\n]*")
_MARK = "\ufeff"
_HEADER = re.compile(r"^[ \t]*\[", re.MULTILINE)


class EditError(ValueError):
    """The text cannot be edited safely; the message says why, for the middle of a sentence."""


@dataclass(frozen=True, slots=True)
class _Member:
    """A member of a JSON object: where its name begins, and where its value begins and ends."""

    begin: int
    start: int
    end: int


def with_server(
    text: str, form: Literal["json", "toml"], key: str, name: str, entry: Mapping[str, Any], *, keeps: bool = True
) -> str:
    """Return the text with the server `name` in the table `key`.

    Further fields of an entry that is there are kept; without `keeps` the entry holds nothing else.

    Raises:
        EditError: the text is not what its client should have written, or holds comments.
    """
    edit = _with_json if form == "json" else _with_toml
    edited = edit(text, key, name, entry, keeps)
    try:
        edited.encode()
    except UnicodeEncodeError as error:
        raise EditError("its entry holds half of a character") from error
    return edited


def has_server(text: str, form: Literal["json", "toml"], key: str, name: str) -> bool:
    """Whether the text has a server of this name.

    Raises:
        EditError: as `with_server`.
    """
    body = text.removeprefix(_MARK)
    whole = (_read_json(body) if form == "json" else _read_toml(body)) if body.strip() else {}
    servers = whole.get(key)
    return isinstance(servers, dict) and name in servers


def lines_of_server(text: str, form: Literal["json", "toml"], key: str, name: str) -> int:
    """How many lines a server that is in the text takes; if it does not stand in one piece, as many as the text has."""
    if form == "json":
        body = text.removeprefix(_MARK)
        outer = _members(body, _after_blank(body, 0))
        place = _members(body, outer[key].start)[name]
        return len(body[place.start : place.end].splitlines())
    found = _section(text, key, name, is_whole=True)
    section = "" if found is None else text[found[0].start() : found[1]]
    try:
        is_whole = _read_toml(section) == {key: {name: _read_toml(text.removeprefix(_MARK))[key][name]}}
    except EditError:
        is_whole = False
    return len((section if is_whole else text).splitlines())


def snippet(form: Literal["json", "toml"], key: str, name: str, entry: Mapping[str, Any]) -> str:
    """Return the text of a file with nothing but this server."""
    return _with_json("", key, name, entry, False) if form == "json" else _table(key, name, entry)


def _check(edited: str, read: Callable[[str], dict[str, Any]], meant: dict[str, Any]) -> None:
    """Refuse an edit that does not read back as it was meant."""
    try:
        is_meant = read(edited) == meant
    except EditError:
        is_meant = False
    if not is_meant:
        raise EditError("its table of servers is written in a way that cannot be edited here")


# -- JSON --------------------------------------------------------------------------------------------------------------


def _with_json(text: str, key: str, name: str, entry: Mapping[str, Any], keeps: bool) -> str:
    mark, body = (_MARK, text[1:]) if text.startswith(_MARK) else ("", text)
    if not body.strip():
        return f"{mark}{json.dumps({key: {name: dict(entry)}}, indent=2, ensure_ascii=False)}\n"
    whole = _read_json(body)
    servers = whole.get(key, {})
    if not isinstance(servers, dict):
        raise EditError(f'its "{key}" is not an object')
    old = servers.get(name, {})
    merged = {**(old if keeps and isinstance(old, dict) else {}), **entry}
    if old == merged:
        return text
    outer = _members(body, _BLANK.match(body, 0).end())  # type: ignore[union-attr]  # it matches nothing at least
    style = _Style.of(body, outer)
    if key not in whole:
        edited = _added(body, 0, outer, style, 1, key, {name: merged})
    else:
        table = outer[key]
        inner = _members(body, table.start)
        if name in inner:
            place = inner[name]
            edited = body[: place.start] + style.told(merged, 2) + body[place.end :]
        else:
            edited = _added(body, table.start, inner, style, 2, name, merged)
    _check(edited, _read_json, {**whole, key: {**servers, name: merged}})
    return mark + edited


def _read_json(body: str) -> dict[str, Any]:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            raise EditError("it names a field twice")
        return found

    def refused(name: str) -> None:
        raise ValueError(name)  # NaN and the like are no JSON

    try:
        whole = json.loads(body, object_pairs_hook=unique, parse_constant=refused)
    except EditError:
        raise
    except RecursionError as error:
        raise EditError("its values are nested too deeply") from error
    except ValueError as error:
        raise EditError("it is not plain JSON (it may hold comments or trailing commas)") from error
    if not isinstance(whole, dict):
        raise EditError("it is not a JSON object")
    return whole


def _members(body: str, start: int) -> dict[str, _Member]:
    """Return the members of the object at `start` of a valid JSON text, by their names."""
    decoder = json.JSONDecoder()
    found = {}
    position = _after_blank(body, body.index("{", start) + 1)
    while body[position] != "}":
        begin = position
        name, position = decoder.raw_decode(body, begin)
        value = _after_blank(body, _after_blank(body, position) + 1)
        _, end = decoder.raw_decode(body, value)
        found[name] = _Member(begin, value, end)
        position = _after_blank(body, end)
        if body[position] == ",":
            position = _after_blank(body, position + 1)
    return found


def _after_blank(body: str, position: int) -> int:
    match = _BLANK.match(body, position)
    return position if match is None else match.end()


@dataclass(frozen=True, slots=True)
class _Style:
    """How a JSON text is laid out: the indentation of one level ("" if it stands on one line) and its line ends."""

    indent: str
    line_end: str

    @classmethod
    def of(cls, body: str, outer: Mapping[str, _Member]) -> _Style:
        line_end = "\r\n" if "\r\n" in body else "\n"
        first = next(iter(outer.values()), None)
        if first is None:
            return cls("  ", line_end)
        before = body[body.rfind("\n", 0, first.begin) + 1 : first.begin]
        return cls(before, line_end) if "\n" in body[: first.begin] and not before.strip(" \t") else cls("", line_end)

    def told(self, value: Any, depth: int) -> str:
        """A value as it stands `depth` levels inside."""
        if not self.indent:
            return json.dumps(value, ensure_ascii=False)
        lines = json.dumps(value, ensure_ascii=False, indent=self.indent).split("\n")
        return f"{self.line_end}{self.indent * depth}".join(lines)


def _added(body: str, start: int, members: Mapping[str, _Member], style: _Style, depth: int, name: str, value: Any) -> str:
    """Return the text with one more member at the end of the object at `start`, whose members are `depth` levels inside."""
    member = f"{json.dumps(name)}: {style.told(value, depth)}"
    before = f"{style.line_end}{style.indent * depth}" if style.indent else ""
    if members:
        end = max(each.end for each in members.values())
        return f"{body[:end]},{before or ' '}{member}{body[end:]}"
    opened = body.index("{", start) + 1
    closed = body.index("}", opened)
    after = f"{style.line_end}{style.indent * (depth - 1)}" if style.indent else ""
    return f"{body[:opened]}{before}{member}{after}{body[closed:]}"


# -- TOML --------------------------------------------------------------------------------------------------------------


def _with_toml(text: str, key: str, name: str, entry: Mapping[str, Any], keeps: bool) -> str:
    whole = _read_toml(text.removeprefix(_MARK))
    servers = whole.get(key, {})
    if not isinstance(servers, dict):
        raise EditError(f'its "{key}" is not a table')
    old = servers.get(name, {})
    merged = {**(old if keeps and isinstance(old, dict) else {}), **entry}
    if old == merged:
        return text
    line_end = "\r\n" if "\r\n" in text else "\n"
    if name not in servers:
        table = _table(key, name, entry).replace("\n", line_end)
        gap = "" if not text.strip() else line_end if text.endswith("\n") else line_end * 2
        edited = f"{text}{gap}{table}"
    else:
        edited = _replaced(text, key, name, entry, line_end, keeps)
    _check(edited.removeprefix(_MARK), _read_toml, {**whole, key: {**servers, name: merged}})
    return edited


def _section(text: str, key: str, name: str, *, is_whole: bool) -> tuple[re.Match[str], int] | None:
    """Return the header of a server's table and where the next table begins, with `is_whole` the next of another server."""
    table = rf"{re.escape(key)}\.{re.escape(name)}"
    header = re.search(rf"^\[{table}\][ \t]*\r?$\n?", text, re.MULTILINE)
    if header is None:
        return None
    next_header = re.compile(rf"^[ \t]*\[(?!\[?{table}\.)", re.MULTILINE) if is_whole else _HEADER
    following = next_header.search(text, header.end())
    return header, following.start() if following else len(text)


def _replaced(text: str, key: str, name: str, entry: Mapping[str, Any], line_end: str, keeps: bool) -> str:
    """Return the text with other lines in the table of a server: `command` and `args`, without `keeps` all of them."""
    found = _section(text, key, name, is_whole=not keeps)
    if found is None:
        raise EditError(f"its table of the server {name} is written in another way")
    header, end = found
    fields = "|".join(re.escape(field) for field in entry)
    old = text[header.end() : end]
    kept = re.sub(rf"^[ \t]*(?:{fields})[ \t]*=[^\n]*(?:\n|\Z)", "", old, flags=re.MULTILINE)
    if not keeps:
        kept = line_end if end < len(text) else ""
    lines = "".join(f"{field} = {_toml_value(value)}{line_end}" for field, value in entry.items())
    return f"{text[: header.end()]}{lines}{kept}{text[end:]}"


def _read_toml(text: str) -> dict[str, Any]:
    try:
        return read_toml(text)
    except ValueError as error:
        raise EditError("it is not valid TOML") from error


def _table(key: str, name: str, entry: Mapping[str, Any]) -> str:
    lines = [f"[{key}.{name}]", *(f"{field} = {_toml_value(value)}" for field, value in entry.items())]
    return "\n".join(lines) + "\n"


def _toml_value(value: Any) -> str:
    """Return a text or a list of texts as TOML, whose basic strings are those of JSON but for DEL."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
