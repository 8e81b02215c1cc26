"""A reply in tagged sections (`<SECTION:NAME> … </SECTION:NAME>`) → the raw text of each field's section.

Inside a section all is text, tags in its code fences too. Refuses a reply that ends inside a section or a tag, and sections
that can be read in two ways. If strict tags leave a required field out, tags as models misspell them are read.
"""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import regex as re  # the possessive groups of re match wrongly before Python 3.11.5 (cpython#106052)

from indexer.llm.reply_spec import ReplySpec
from indexer.llm.reply_text import BLANKS, UnreadableError, read_answer

_ATTRIBUTES = r"(?:\s[^<>\"']{0,500}+(?:(?:\"[^\"\n]{0,300}\"|'[^'\n]{0,300}')[^<>\"']{0,500}+){0,20}+)?"
_NAME = r"[^\s<>/\\:：\[\]【】＜＞\"'=&;`]{1,100}"
_STRICT = re.compile(
    rf"<\s{{0,20}}+(?P<close>/?)\s{{0,20}}+SECTION\s{{0,20}}+:\s{{0,20}}+(?P<name>{_NAME}+)(?P<rest>{_ATTRIBUTES})(?P<empty>/?)>",
    re.IGNORECASE,
)
# as models misspell them: other brackets, other signs between, a name in an attribute, no SECTION, no name
_OPEN, _CLOSE = r"(?:\\?[<\[]|＜|【|&lt;)", r"(?:\\?[>\]]|＞|】|&gt;)"
_LIBERAL = re.compile(
    rf"{_OPEN}\s{{0,20}}+(?P<close>[/／]?)\s{{0,20}}+"
    rf"(?:(?P<prefix>SECTION)(?:\s{{0,9}}[:：_.\-]\s{{0,9}}|\s{{1,9}}name\s?=\s?[\"']?|\s{{1,9}}))?"
    rf"(?P<name>(?:{_NAME}+)?)[\"']?(?P<rest>\s{{0,20}}+)(?P<empty>/?){_CLOSE}",
    re.IGNORECASE,
)
_FENCE = re.compile(r"(?:^|(?<=>)) {0,3}(?P<sign>`{3,}+(?=[^`\n]*$)|~{3,}+)[ \t]*+(?P<label>[^\n]*)$", re.MULTILINE)
_HEADING_BEFORE = re.compile(r"^[ \t]{0,3}#{1,6}[ \t]*\Z", re.MULTILINE)
_CLOSED = re.compile(rf"[`*]{{0,2}}[ \t]{{0,20}}+(?:\n|\Z|{_OPEN})")
_TAIL = re.compile(r"<[^<>]{0,100}\Z")
#: Close enough to be the same name misspelt.
_TYPOS = 2
#: No answer has so many tags or fences; reading more would take seconds.
_MANY = 20_000


@dataclass(frozen=True, slots=True)
class _Tag:
    """A tag from `start` to `end`; `field` is the name of the field it stands for, None for a section nobody asked for."""

    start: int
    end: int
    name: str
    field: str | None
    is_close: bool
    is_empty: bool = False


class _OpenFenceError(UnreadableError):
    """A code fence inside a section never ends."""


def parse_tags(raw: str, spec: ReplySpec) -> dict[str, str]:
    """The texts of the sections that are there, line ends as \\\\n, blanks around them trimmed.

    Raises:
        ReplyError: a required one is missing or blank, or the reply is cut off or can be read in two ways.
    """
    answer = read_answer(raw).normalised()
    names = {_folded(name): field.name for field in reversed(spec.fields) for name in (*field.aliases, field.name)}
    try:
        return _required(_strictly(answer.text, names), spec, len(answer.text))
    except UnreadableError as error:
        repaired = None if error.is_final or error.kind == "malformed" else _liberally(answer.text, names, spec)
        if repaired is not None:
            return repaired
        missing = [field.name for field in spec.fields if field.required] if error.kind == "missing_field" else []
        raise answer.error(
            error.kind, error.position, f"sections {', '.join(missing)} are needed" if missing else ""
        ) from None


def _required(record: dict[str, str], spec: ReplySpec, position: int) -> dict[str, str]:
    """The sections in the order of the specification."""
    if any(field.required and not record.get(field.name) for field in spec.fields):
        raise UnreadableError("missing_field", position)
    return {field.name: record[field.name] for field in spec.fields if record.get(field.name)}


def _strictly(text: str, names: Mapping[str, str]) -> dict[str, str]:
    tags = list(itertools.islice(_strict_tags(text, names), _MANY + 1)) if "section" in text.lower() else []
    if len(tags) > _MANY:
        raise UnreadableError("malformed", tags[-1].start)
    if _ends_in_tag(text):
        raise UnreadableError("truncated", len(text), is_final=True)
    try:
        return _sections(text, tags, hides=True)
    except _OpenFenceError:
        # a fence that never ends hides nothing, if there is but one way to pair the tags
        ends = [(tag.name, tag.is_close) for tag in tags]
        if len(set(ends)) < len(ends) or not all((name, True) in ends for name, _ in ends):
            raise
        return _sections(text, tags, hides=False)


def _strict_tags(text: str, names: Mapping[str, str]) -> Iterator[_Tag]:
    for match in _STRICT.finditer(text):
        start, end = match.span()
        around = text[start - 1 : start] + text[end : end + 1] if start else ""
        if around == "``" or (around[:1] == "\\" and not match["close"]):
            continue  # it is spoken of
        if around == "**" and text[start - 2 : start] == text[end : end + 2] == "**":
            start, end = start - 2, end + 2
        name = _folded(match["name"])
        is_empty = bool(match["empty"]) or match["rest"].endswith("/")
        yield _Tag(_before_heading(text, start), end, name, names.get(name), bool(match["close"]), is_empty)


def _before_heading(text: str, start: int) -> int:
    """Where the line begins, if only the signs of a heading stand before the tag."""
    heading = _HEADING_BEFORE.search(text[max(0, start - 12) : start])
    is_whole = heading is not None and (start - 12 <= 0 or heading.start() > 0)
    return start - len(heading.group()) if heading and is_whole else start


def _sections(text: str, tags: list[_Tag], *, hides: bool) -> dict[str, str]:
    """Pair the tags; with `hides`, those in a code fence inside a section are text."""
    closings: dict[str, int] = {tag.name: tag.start for tag in tags if tag.is_close}  # the last of each name
    found: dict[str, str] = {}
    fences = _Fences(text) if hides else None
    current: _Tag | None = None
    unknown: list[_Tag] = []
    hidden_to = 0

    def keep(section: _Tag, end: int) -> None:
        inside = text[section.end : end].strip(BLANKS)
        if section.field is not None and not found.get(section.field):
            found[section.field] = inside

    shown_end = False
    for tag in tags:
        section = current or (unknown[-1] if unknown else None)
        if fences and section is not None and tag.start >= hidden_to:
            hidden_to, shown_end = fences.hide(section.end, tag.start), False
        if tag.start < hidden_to:
            # an end and a beginning: two sections, each with a fence that never ends
            if shown_end and not tag.is_close and tag.field is not None:
                raise _OpenFenceError("truncated", tag.start)
            shown_end = shown_end or (tag.is_close and section is not None and tag.name == section.name)
            continue
        if current is None:
            if tag.is_close:
                if unknown and unknown[-1].name == tag.name:
                    unknown.pop()
            elif tag.is_empty:
                continue
            elif tag.field is None:
                if closings.get(tag.name, -1) > tag.start:
                    unknown.append(tag)
                else:
                    raise UnreadableError("truncated", len(text), is_final=True)
            else:
                current = tag
        elif tag.is_close and tag.name == current.name:
            keep(current, tag.start)
            current = None
        elif closings.get(current.name, -1) > tag.start:
            current = _inside(text, current, tag)
        elif tag.is_close:
            break  # it may be its own, misspelt
        elif not tag.is_empty:
            # it never ends by itself: here begins the next
            keep(current, tag.start)
            if tag.field is None:
                raise UnreadableError("malformed", tag.start)
            current = tag
    if current is not None or unknown:
        raise UnreadableError("truncated", len(text), is_final=current is None)
    return found


def _inside(text: str, current: _Tag, tag: _Tag) -> _Tag:
    """The section that is open after a tag that stands in it: text, the same once more, or something unclear."""
    if tag.field is None:
        return current
    if tag.name == current.name and not tag.is_empty and not text[current.end : tag.start].strip(BLANKS):
        return tag
    raise UnreadableError("malformed", tag.start)


class _Fences:
    """The code fences of a text, asked about from left to right."""

    def __init__(self, text: str) -> None:
        self._fences = list(itertools.islice(_FENCE.finditer(text), _MANY)) if "```" in text or "~~~" in text else []
        self._next = 0

    def hide(self, begin: int, place: int) -> int:
        """Where the fence ends that is open at `place` in a section whose text begins at `begin`; 0 if none is."""
        hidden = 0
        while self._next < len(self._fences) and self._fences[self._next].start() < place:
            fence = self._fences[self._next]
            self._next += 1
            if fence.start() < begin:
                continue
            sign = fence["sign"]
            while self._next < len(self._fences):
                closing = self._fences[self._next]
                self._next += 1
                label = closing["label"].strip()
                if (
                    closing["sign"][0] == sign[0]
                    and len(closing["sign"]) >= len(sign)
                    and (not label or label.startswith("</"))
                ):
                    hidden = closing.end("sign")
                    break
            else:
                raise _OpenFenceError("truncated", fence.start())
        return hidden


def _ends_in_tag(text: str) -> bool:
    tail = _TAIL.search(text[-120:])
    if tail is None:
        return False
    written = "".join(tail.group()[1:].split()).lstrip("/").casefold()
    return "section".startswith(written) or written.startswith("section")


def _liberally(text: str, names: Mapping[str, str], spec: ReplySpec) -> dict[str, str] | None:
    """The sections between tags that are misspelt, if that gives all that is required."""
    tags: list[_Tag] = []
    current: _Tag | None = None
    folded = _folded(text)
    if not any(name in folded for name in names):
        return None
    for match in itertools.islice(_LIBERAL.finditer(text), _MANY):
        tag = _liberal_tag(text, match, names, current)
        if tag is None or (current is None and tag.is_close):
            continue
        tags.append(tag)
        current = None if tag.is_close else tag
    try:
        return _required(_sections(text, tags, hides=True), spec, 0)
    except UnreadableError:
        return None


def _liberal_tag(text: str, match: re.Match[str], names: Mapping[str, str], current: _Tag | None) -> _Tag | None:
    written = match["name"]
    name, is_close = _folded(written), bool(match["close"])
    field = names.get(name)
    start, end = match.span()
    if is_close and not _CLOSED.match(text, end):
        return None  # text goes on: <>…</> is spoken of
    is_known = bool(match["prefix"]) or (field is not None and written == field)  # <summary> may be HTML
    if not is_known and not (is_close and name in ("", "section")):
        return None
    if is_close and current is not None and field != current.field:
        if name not in ("", "section") and field is None and not _is_typo(name, current.name):
            return None
        name, field = current.name, current.field
    elif field is None:
        return None
    if text[start - 1 : start] == "`" and text[end : end + 1] == "`":
        start, end = start - 1, end + 1
    return _Tag(_before_heading(text, start), end, name, field, is_close, bool(match["empty"]))


def _is_typo(name: str, other: str) -> bool:
    """Whether a few letters make one name the other (Levenshtein)."""
    if abs(len(name) - len(other)) > _TYPOS or len(other) < 4:
        return False
    row = list(range(len(other) + 1))
    for i, sign in enumerate(name, start=1):
        above, row = row, [i]
        for j, letter in enumerate(other, start=1):
            row.append(min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (sign != letter)))
    return row[-1] <= _TYPOS


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()
