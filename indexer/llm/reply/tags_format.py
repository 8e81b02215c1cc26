"""A reply in tagged sections (`<SECTION:NAME> … </SECTION:NAME>`) → the raw text of each field's section.

Inside a section all is text, tags in its code fences too. Refuses a reply that ends inside a section or a tag, and sections
that can be read in two ways. If strict tags leave a required field out, tags as models misspell them are read.
"""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import regex as re  # the possessive groups of re match wrongly before Python 3.11.5 (cpython#106052)

from indexer.llm.reply.spec import ReplySpec
from indexer.llm.reply.text import BLANKS, UnreadableError, read_answer

_ATTRIBUTES = r"(?:\s[^<>\"']{0,500}+(?:(?:\"[^\"\n]{0,300}\"|'[^'\n]{0,300}')[^<>\"']{0,500}+){0,20}+)?"
_NAME = r"[^\s<>/\\:：\[\]{}【】＜＞〈〉《》\"'=&;`]{1,100}"
_STRICT = re.compile(
    rf"<\s{{0,20}}+(?P<close>/?)\s{{0,20}}+SECTION\s{{0,20}}+:\s{{0,20}}+(?P<name>{_NAME}+)(?P<rest>{_ATTRIBUTES})(?P<empty>/?)>",
    re.IGNORECASE,
)
# as models misspell them: other brackets, other signs between, a name in an attribute or in quotes, no SECTION, no name
_OPEN = r"(?:\\?[<\[]{1,2}|\{{1,2}|[＜【〈《]|&lt;|<!--\s{0,9}+)"
_CLOSE = r"(?:\\?[>\]]{1,2}|\}{1,2}|[＞】〉》]|&gt;|\s{0,9}-->)"
_LIBERAL = re.compile(
    rf"{_OPEN}\s{{0,20}}+(?P<close>END(?:\s{{1,3}}|:)|[/／\\]?)\s{{0,20}}+"
    rf"(?:(?P<prefix>SECTION)(?:\s{{0,9}}[:：_.\-]\s{{0,9}}|\s{{1,9}}(?:name|id|type|title)\s?=\s?|\s{{1,9}}))?[\"'\[{{]?"
    r"(?P<late>[/／]?)"
    rf"(?P<name>(?:{_NAME}+(?:[ \\]{_NAME}+){{0,4}})?)[\"'\]}}]?[:：]?(?P<rest>\s{{0,20}}+)(?P<empty>/?){_CLOSE}",
    re.IGNORECASE,
)
_FENCE = re.compile(r"(?:^|(?<=>)) {0,3}(?P<sign>`{3,}+(?=[^`\n]*$)|~{3,}+)[ \t]*+(?P<label>[^\n]*)$", re.MULTILINE)
_HEADING_BEFORE = re.compile(r"^[ \t]{0,3}#{1,6}[ \t]*\Z", re.MULTILINE)
_QUOTED_TAG = re.compile(r"[ \t]{0,3}>[ \t]?[<\[]")
_QUOTE_MARK = re.compile(r"^[ \t]{0,3}>[ \t]?", re.MULTILINE)
_UNQUOTED_LINE = re.compile(r"^[ \t]{0,3}[^\s>]", re.MULTILINE)
_CLOSED = re.compile(rf"[`*]{{0,2}}[ \t]{{0,20}}+(?:\n|\Z|{_OPEN})")
_NOT_LETTERS = re.compile(r"[\W_]++")
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
    text = answer.text
    if _QUOTED_TAG.match(text) and not _UNQUOTED_LINE.search(text):
        text = _QUOTE_MARK.sub("", text)
    try:
        return _first_record(_strictly(text, names), spec, len(text))
    except UnreadableError as error:
        repaired = None if error.is_final or error.kind == "malformed" else _liberally(text, names, spec)
        if repaired is not None:
            return repaired
        missing = [field.name for field in spec.fields if field.required] if error.kind == "missing_field" else []
        raise answer.error(
            error.kind, error.position, f"sections {', '.join(missing)} are needed" if missing else error.detail
        ) from None


def _first_record(sections: Sequence[tuple[str, str]], spec: ReplySpec, position: int) -> dict[str, str]:
    """The first record of the sections of a reply, in the order of the specification.

    Raises:
        UnreadableError: it lacks a section, or a section between two records can belong to either.
    """
    required = {field.name for field in spec.fields if field.required}
    record: dict[str, str] = {}
    late: set[str] = set()  # those that came after all that are required
    repeated: set[str] = set()
    for name, text in sections:
        if name in record:
            repeated.add(name)
        elif not required <= record.keys():
            record[name] = text
        elif not repeated:
            late.add(name)
            record[name] = text
    if not all(record.get(name) for name in required):
        raise UnreadableError("missing_field", position)
    if repeated and not late <= repeated:
        raise UnreadableError("malformed", position, detail="two records, and a section between them")
    return {field.name: record[field.name] for field in spec.fields if record.get(field.name)}


def _strictly(text: str, names: Mapping[str, str]) -> list[tuple[str, str]]:
    tags = list(itertools.islice(_strict_tags(text, names), _MANY + 1)) if "section" in text.lower() else []
    if len(tags) > _MANY:
        raise UnreadableError("malformed", tags[-1].start)
    if _ends_in_tag(text):
        raise UnreadableError("truncated", len(text), is_final=True)
    try:
        return _Pairing(text, tags, hides=True).sections()
    except _OpenFenceError:
        # a fence that never ends hides nothing, if there is but one way to pair the tags
        ends = [(tag.name, tag.is_close) for tag in tags]
        if len(set(ends)) < len(ends) or not all((name, True) in ends for name, _ in ends):
            raise
        return _Pairing(text, tags, hides=False).sections()


def _strict_tags(text: str, names: Mapping[str, str]) -> Iterator[_Tag]:
    for match in _STRICT.finditer(text):
        start, end = match.span()
        around = text[start - 1 : start] + text[end : end + 1] if start else ""
        if around == "``" or (around[:1] == "\\" and not match["close"]):
            continue  # it is spoken of
        if around == "<>":
            start, end = start - 1, end + 1
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


class _Pairing:
    """Pairs the tags of a text, from left to right; with `hides`, those in a code fence inside a section are text."""

    def __init__(self, text: str, tags: list[_Tag], *, hides: bool) -> None:
        self._text = text
        self._tags = tags
        self._last_close = {tag.name: tag.start for tag in tags if tag.is_close}
        self._fences = _Fences(text) if hides else None
        self._found: list[tuple[str, str]] = []
        self._open: _Tag | None = None  # the section of a field
        self._unknown: list[_Tag] = []  # open sections that nobody asked for, outside of it
        self._hidden_to = 0
        self._is_ended_there = False

    def sections(self) -> list[tuple[str, str]]:
        """The field and text of each section, in order.

        Raises:
            UnreadableError: one never ends, or can end in two places.
        """
        for tag in self._tags:
            if self._is_hidden(tag):
                continue
            if self._open is None:
                self._outside(tag)
            elif not self._inside(self._open, tag):
                break
        if self._open is not None or self._unknown:
            raise UnreadableError("truncated", len(self._text), is_final=self._open is None)
        return self._found

    def _is_hidden(self, tag: _Tag) -> bool:
        """Whether a tag stands in a code fence inside the section that is open."""
        section = self._open or (self._unknown[-1] if self._unknown else None)
        if self._fences and section is not None and tag.start >= self._hidden_to:
            self._hidden_to, self._is_ended_there = self._fences.hide(section.end, tag.start), False
        if tag.start >= self._hidden_to:
            return False
        # an end and a beginning: two sections, each with a fence that never ends
        if self._is_ended_there and not tag.is_close and tag.field is not None:
            raise _OpenFenceError("truncated", tag.start)
        self._is_ended_there |= tag.is_close and section is not None and tag.name == section.name
        return True

    def _outside(self, tag: _Tag) -> None:
        """Take a tag that stands in no section of a field."""
        if tag.is_close:
            if self._unknown and self._unknown[-1].name == tag.name:
                self._unknown.pop()
        elif tag.is_empty:
            return
        elif tag.field is not None:
            self._open = tag
        elif self._closes_after(tag, tag):
            self._unknown.append(tag)
        else:
            raise UnreadableError("truncated", len(self._text), is_final=True)

    def _inside(self, section: _Tag, tag: _Tag) -> bool:
        """Take a tag that stands in the section of a field; whether to go on."""
        if tag.is_close and tag.name == section.name:
            self._keep(section, tag.start)
            self._open = None
        elif self._closes_after(section, tag):
            self._open = self._nested(section, tag)
        elif tag.is_close:
            return False  # it may be its own, misspelt
        elif not tag.is_empty:
            # the section never ends by itself: here begins the next
            self._keep(section, tag.start)
            if tag.field is None:
                raise UnreadableError("malformed", tag.start)
            self._open = tag
        return True

    def _nested(self, section: _Tag, tag: _Tag) -> _Tag:
        """The section that is open after a tag that stands in it: text, the same once more, or something unclear."""
        if tag.field is None:
            return section
        if tag.name == section.name and not tag.is_empty and not self._text[section.end : tag.start].strip(BLANKS):
            return tag
        raise UnreadableError("malformed", tag.start)

    def _closes_after(self, section: _Tag, tag: _Tag) -> bool:
        return self._last_close.get(section.name, -1) > tag.start

    def _keep(self, section: _Tag, end: int) -> None:
        inside = self._text[section.end : end].strip(BLANKS)
        if section.field is not None and inside:
            self._found.append((section.field, inside))


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
        return _first_record(_Pairing(text, tags, hides=True).sections(), spec, 0)
    except UnreadableError:
        return None


def _liberal_tag(text: str, match: re.Match[str], names: Mapping[str, str], current: _Tag | None) -> _Tag | None:
    written = match["name"]
    name, is_close = _folded(written), bool(match["close"] or match["late"])
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
    folded = unicodedata.normalize("NFKC", name).casefold()
    return _NOT_LETTERS.sub("", folded) or folded
