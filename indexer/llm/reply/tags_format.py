"""A reply in tagged sections (`<SECTION:NAME> … </SECTION:NAME>`) → the raw text of each field's section.

Everything inside a section is text, also tags in its code fences. Refuses a reply that ends inside a section or a tag, and
sections that can be read in two ways. If a required field has no section, misspelt tags are read too.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Mapping, Sequence

import regex as re  # the possessive groups of re match wrongly before Python 3.11.5 (cpython#106052)

from indexer.llm.reply.section_scanner import OpenFenceError, Section, SectionScanner, Tag
from indexer.llm.reply.spec import ReplySpec
from indexer.llm.reply.text import BLANKS, UnreadableError, read_answer
from schema.text.normal_form import compatible

_ATTRIBUTES = r"(?:\s[^<>\"']{0,500}+(?:(?:\"[^\"\n]{0,300}\"|'[^'\n]{0,300}')[^<>\"']{0,500}+){0,20}+)?"
_NAME = r"[^\s<>/\\:：\[\]{}【】＜＞〈〉《》\"'=&;`]{1,100}"
_STRICT = re.compile(
    rf"<\s{{0,20}}+(?P<close>/?)\s{{0,20}}+SECTION\s{{0,20}}+:\s{{0,20}}+(?P<name>{_NAME}+)(?P<rest>{_ATTRIBUTES})(?P<empty>/?)>",
    re.IGNORECASE,
)
# how models misspell tags: other brackets or separators, a name in an attribute or in quotes, no SECTION, no name
_OPEN = r"(?:\\?[<\[]{1,2}|\{{1,2}|[＜【〈《]|&lt;|<!--\s{0,9}+)"
_CLOSE = r"(?:\\?[>\]]{1,2}|\}{1,2}|[＞】〉》]|&gt;|\s{0,9}-->)"
_LIBERAL = re.compile(
    rf"{_OPEN}\s{{0,20}}+(?P<close>END(?:\s{{1,3}}|:)|[/／\\]?)\s{{0,20}}+"
    rf"(?:(?P<prefix>SECTION)(?:\s{{0,9}}[:：_.\-]\s{{0,9}}|\s{{1,9}}(?:name|id|type|title)\s?=\s?|\s{{1,9}}))?[\"'\[{{]?"
    r"(?P<late>[/／]?)"
    rf"(?P<name>(?:{_NAME}+(?:[ \\]{_NAME}+){{0,4}})?)[\"'\]}}]?[:：]?(?P<rest>\s{{0,20}}+)(?P<empty>/?){_CLOSE}",
    re.IGNORECASE,
)
_HEADING_BEFORE = re.compile(r"^[ \t]{0,3}#{1,6}[ \t]*\Z", re.MULTILINE)
_QUOTED_TAG = re.compile(r"[ \t]{0,3}>[ \t]?[<\[]")
_QUOTE_MARK = re.compile(r"^[ \t]{0,3}>[ \t]?", re.MULTILINE)
_UNQUOTED_LINE = re.compile(r"^[ \t]{0,3}[^\s>]", re.MULTILINE)
_CLOSED = re.compile(rf"[`*]{{0,2}}[ \t]{{0,20}}+(?:\n|\Z|{_OPEN})")
_NOT_LETTERS = re.compile(r"[\W_]++")
_TAIL = re.compile(r"<[^<>]{0,100}\Z")
#: The most letters by which a misspelt name differs.
_MAX_TYPOS = 2
#: The most tags that are read; a reply with more is no answer, and reading them would take seconds.
_MAX_TAGS = 20_000


def parse_tags(raw: str, spec: ReplySpec) -> dict[str, str]:
    """Return the text of each section that is there, with \\\\n as line ends and without blanks around it.

    Raises:
        ReplyError: a required section is missing or blank, or the reply is cut off or can be read in two ways.
    """
    answer = read_answer(raw).normalised()
    names = {_folded(name): field.name for field in reversed(spec.fields) for name in (*field.aliases, field.name)}
    text = answer.text
    if _QUOTED_TAG.match(text) and not _UNQUOTED_LINE.search(text):
        text = _QUOTE_MARK.sub("", text)
    try:
        return _first_record(_read_strictly(text, names), spec, len(text))
    except UnreadableError as error:
        repaired = None if error.is_final or error.kind == "malformed" else _read_liberally(text, names, spec)
        if repaired is not None:
            return repaired
        missing = [field.name for field in spec.fields if field.required] if error.kind == "missing_field" else []
        raise answer.error(
            error.kind, error.position, f"sections {', '.join(missing)} are needed" if missing else error.detail
        ) from None


def _first_record(sections: Sequence[Section], spec: ReplySpec, position: int) -> dict[str, str]:
    """Return the first record of the sections of a reply, in the order of the specification.

    Raises:
        UnreadableError: it lacks a section, one that comes again may be only mentioned, or a section between two records can
            belong to either.
    """
    required = {field.name for field in spec.fields if field.required}
    record: dict[str, str] = {}
    after_required: set[str] = set()  # fields whose section came when the record had all that is required
    repeated: set[str] = set()
    doubtful: set[str] = set()
    for name, text, may_be_mentioned in sections:
        if name in record:
            repeated.add(name)
            continue
        if may_be_mentioned:
            doubtful.add(name)
        if not required <= record.keys():
            record[name] = text
        elif not repeated:
            after_required.add(name)
            record[name] = text
    if not all(record.get(name) for name in required):
        raise UnreadableError("missing_field", position)
    if repeated & doubtful:
        raise UnreadableError("malformed", position, detail="two sections of one name, the first in a line of words")
    # a section after the required ones could begin a second record, if that one does not have it too
    if repeated and not after_required <= repeated:
        raise UnreadableError("malformed", position, detail="two records, and a section between them")
    return {field.name: record[field.name] for field in spec.fields if record.get(field.name)}


def _read_strictly(text: str, names: Mapping[str, str]) -> list[Section]:
    """Return the sections between tags that are written as they should be.

    Raises:
        UnreadableError: the text is cut off, or the tags can be paired in two ways.
    """
    tags = list(itertools.islice(_strict_tags(text, names), _MAX_TAGS + 1)) if "section" in text.lower() else []
    if len(tags) > _MAX_TAGS:
        raise UnreadableError("malformed", tags[-1].start)
    if _ends_in_tag(text):
        raise UnreadableError("truncated", len(text), is_final=True)
    tags = _with_words_beside(text, tags)
    try:
        return SectionScanner(text, tags, fences_hide=True).scan()
    except OpenFenceError:
        # where every tag stands once and has its closing tag, a fence that never ends hides no tag
        names_and_kinds = {(tag.name, tag.is_close) for tag in tags}
        has_every_close = all((tag.name, True) in names_and_kinds for tag in tags)
        if len(names_and_kinds) < len(tags) or not has_every_close:
            raise
        return SectionScanner(text, tags, fences_hide=False).scan()


def _strict_tags(text: str, names: Mapping[str, str]) -> Iterator[Tag]:
    """Yield the tags that are written as they should be, without those that are only mentioned."""
    for match in _STRICT.finditer(text):
        start, end = match.span()
        around = text[start - 1 : start] + text[end : end + 1] if start else ""
        if around == "``" or (around[:1] == "\\" and not match["close"]):
            continue  # `<SECTION:NAME>` in backticks or after a backslash is mentioned, not used
        if around == "<>":  # <<SECTION:NAME>>
            start, end = start - 1, end + 1
        if around == "**" and text[start - 2 : start] == text[end : end + 2] == "**":
            start, end = start - 2, end + 2
        name = _folded(match["name"])
        is_empty = bool(match["empty"]) or match["rest"].endswith("/")
        yield Tag(_before_heading(text, start), end, name, names.get(name), bool(match["close"]), is_empty)


def _with_words_beside(text: str, tags: Sequence[Tag]) -> list[Tag]:
    """Return the tags, each opening one with the number of sides of its section on which words stand on the same line.

    In "Between <SECTION:NAME> and </SECTION:NAME>." it is 2: the sentence only mentions the tags.
    """
    counted = list(tags)
    for index, (tag, close) in enumerate(itertools.pairwise(tags)):
        if tag.is_close or not close.is_close or close.name != tag.name or "\n" in text[tag.end : close.start]:
            continue
        last = tags[index - 1].end if index else 0
        following = tags[index + 2].start if index + 2 < len(tags) else len(text)
        before = text[last : tag.start].rpartition("\n")[2]
        after = text[close.end : following].partition("\n")[0]
        sides = any(map(str.isalpha, before)) + bool(after.strip(BLANKS + "*_`"))
        counted[index] = dataclasses.replace(tag, words_beside=sides)
    return counted


def _before_heading(text: str, start: int) -> int:
    """Return where the line of a tag begins, if the tag is written as a heading (`## <SECTION:NAME>`); else `start`."""
    heading = _HEADING_BEFORE.search(text[max(0, start - 12) : start])
    is_whole = heading is not None and (start - 12 <= 0 or heading.start() > 0)
    return start - len(heading.group()) if heading and is_whole else start


def _ends_in_tag(text: str) -> bool:
    """Return whether a text ends inside a tag: `<SECT`, `</SECTION:NA`."""
    tail = _TAIL.search(text[-120:])
    if tail is None:
        return False
    written = "".join(tail.group()[1:].split()).lstrip("/").casefold()
    return "section".startswith(written) or written.startswith("section")


def _read_liberally(text: str, names: Mapping[str, str], spec: ReplySpec) -> dict[str, str] | None:
    """Return the record of a text whose tags are misspelt; None if it lacks a required field."""
    folded = _folded(text)
    if not any(name in folded for name in names):
        return None
    tags: list[Tag] = []
    current: Tag | None = None
    for match in itertools.islice(_LIBERAL.finditer(text), _MAX_TAGS):
        tag = _liberal_tag(text, match, names, current)
        if tag is None or (current is None and tag.is_close):
            continue
        tags.append(tag)
        current = None if tag.is_close else tag
    try:
        return _first_record(SectionScanner(text, tags, fences_hide=True).scan(), spec, 0)
    except UnreadableError:
        return None


def _liberal_tag(text: str, match: re.Match[str], names: Mapping[str, str], current: Tag | None) -> Tag | None:
    """Return the tag that a misspelt one stands for while `current` is open; None if it is text, HTML or only mentioned."""
    start, end = match.span()
    is_close = bool(match["close"] or match["late"])
    if is_close and not _CLOSED.match(text, end):
        return None  # its line goes on: it is only mentioned
    name = _folded(match["name"])
    field = names.get(name)
    has_no_name = name in ("", "section")  # </> and </SECTION> close what is open
    # <summary> may be HTML: without SECTION a name counts only as the field has it
    is_tag = bool(match["prefix"]) or (field is not None and match["name"] == field) or (is_close and has_no_name)
    if not is_tag:
        return None
    if is_close and current is not None and field != current.field:
        if field is None and not has_no_name and not _is_typo(name, current.name):
            return None
        name, field = current.name, current.field
    elif field is None:
        return None
    if text[start - 1 : start] == "`" and text[end : end + 1] == "`":
        start, end = start - 1, end + 1
    return Tag(_before_heading(text, start), end, name, field, is_close, bool(match["empty"]))


def _is_typo(name: str, other: str) -> bool:
    """Return whether at most `_MAX_TYPOS` letters added, left out or changed turn one name into the other (Levenshtein)."""
    if abs(len(name) - len(other)) > _MAX_TYPOS or len(other) < 4:
        return False
    row = list(range(len(other) + 1))
    for i, letter in enumerate(name, start=1):
        above, row = row, [i]
        for j, other_letter in enumerate(other, start=1):
            row.append(min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (letter != other_letter)))
    return row[-1] <= _MAX_TYPOS


def _folded(name: str) -> str:
    """Return a name in small letters of one width, without anything but letters and digits."""
    folded = compatible(name).casefold()
    return _NOT_LETTERS.sub("", folded) or folded
