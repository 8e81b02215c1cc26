"""Markdown → its headings as models write them (any level, setext, bold, numbered), and the field that each names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

from indexer.llm.reply.spec import ReplySpec
from indexer.llm.reply.text import UnreadableError
from schema.text.normal_form import compatible

#: The level of a line that is a heading only because it is bold, in brackets or after a symbol such as ■.
BOLD = 7
#: The most lines that may be headings; a reply with more is no answer, and reading them would take seconds.
MANY_LINES = 20_000
#: The longest name of a field in a heading, in characters; a longer line is text.
_LONGEST_NAME = 100

_LINE = re.compile(
    r"^(?=[^\s\w]|[ _\d①-⑳]) {0,3}(?:(?P<fence>`{3,}+(?=[^`\n]*$)|~{3,}+)|(?P<hashes>[#＃]{1,6}+)(?![#＃])"
    r"|(?P<html><h(?P<depth>[1-6])\b)|(?P<comment><!--)"
    r"|<(?:(?P<raw>pre|script|style|textarea)|(?P<block>address|article|aside|blockquote|center|dd|details|dialog|div|dl|dt|fieldset"
    r"|figcaption|figure|footer|form|header|li|main|menu|nav|ol|p|section|summary|table|tbody|td|tfoot|th|thead|tr|ul))(?=[\s>])"
    r"|(?P<under>=={1,}+|--{1,}+)[ \t]*+$"
    r"|(?P<strong>(?:(?:[-*+]|\(?\d{1,3}[.)]|[①-⑳])[ \t]{1,9}+)?(?=\*\*|__|[【\[〔■◆●▼▶◇□★☆])))",
    re.MULTILINE | re.IGNORECASE,
)
FENCE = re.compile(r"^ {0,3}(?P<marker>`{3,}+(?=[^`\n]*$)|~{3,}+)[ \t]*+(?P<label>[^\n]*)$", re.MULTILINE)
FRONT_MATTER = re.compile(r"---[ \t]*\n(?=[\w\"'-][^\n]{0,200}:)(?:(?!#)[^\n]*\n){1,100}?(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
_RAW_END = re.compile(r"</(?:pre|script|style|textarea)>", re.IGNORECASE)
_HTML = re.compile(r"[^\n>]{0,200}>(?P<text>[^\n]{0,300}?)</h[1-6]\s{0,9}>[ \t]*$", re.MULTILINE | re.IGNORECASE)
_CLOSING_HASHES = re.compile(r"(?:(?<=[ \t])|\A)[#＃]++[ \t]*\Z")
# **name**: text, **name:** text, 【name】 text, ■ name
_LABEL = re.compile(
    r"(?P<mark>\*\*|__)(?P<bold>[^\n]{1,100}?)(?P=mark)[ \t]*(?P<colon>[:：]?)[ \t]*(?P<rest>[^\n]*)"
    r"|(?P<brackets>【[^】\n]{1,100}】|〔[^〕\n]{1,100}〕)[ \t]*[:：]?[ \t]*(?P<after>[^\n]*)"
    r"|(?P<square>\[[^\]\n]{1,100}\])[:：]?[ \t]*$"
    r"|(?P<symbol>[■◆●▼▶◇□★☆][^\n:：]{1,100})(?:[:：][ \t]*(?P<text>[^\n]*))?$",
    re.MULTILINE,
)
_NAME_AND_TEXT = re.compile(r"(?P<name>[^\n]{1,100}?)[ \t]*[:：][ \t]*(?P<text>[^\s:：][^\n]*)")
_DECORATION = "*_~`#:.。-–—=|・•\\!"
_UNSEEN = {ord(character): None for character in "\ufe0f\u200d\u20e3\u200b"}
_TAG = re.compile(r"</?[a-z][^<>]{0,99}>")
_DASH = re.compile(r"\s[-–—]\s")
_ANCHOR = re.compile(r"\s*\{#[^{}]*\}\Z")
_NUMBER = re.compile(
    r"\A第?\s?(?:\(\w{1,3}\)|\d+(?:\.\d+)*|[ivx]{1,5}(?=[.)])|[a-z](?=[.)])|[一二三四五六七八九十]{1,3}(?=[、.)章節]))\s?[.):、章節-]?\s*"
)
_PREFIX = re.compile(r"\A(?:section|step|part|chapter|セクション|섹션)(?:\s*\d+)?(?:\s*[:.–-]\s*|\s+)")
_BRACKETS = dict(zip("([【〔「『<《〈\"'“", ")]】〕」』>》〉\"'”", strict=True))
_TRANSLATION = re.compile(r"(?P<name>[^(\[【「<]+)[(\[【「<](?P<other>[^)\]】」>]*)[)\]】」>]")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading. `start` is the offset of its line, `body` that of its text: below the line, or after a name on it.

    `field` is the index in the specification of the field that it names, None if it names none. `text` is what the heading
    holds besides that name.
    """

    level: int
    start: int
    body: int
    field: int | None
    text: str


def find_headings(text: str, begin: int, names: Mapping[str, int], *, is_whole: bool = True) -> list[Heading]:
    """Return the headings outside code, comments and blocks of HTML in their order, also bold lines that name no field.

    A block of HTML has headings of HTML only. A text that is not whole may end inside code.

    Raises:
        UnreadableError: a whole text ends inside code, or a text has too many lines that may be headings.
    """
    headings: list[Heading] = []
    dashed: set[int] = set()
    last_comment_end = text.rfind("-->")
    at, left, block_end = begin, MANY_LINES, begin
    while line := _LINE.search(text, at):
        left -= 1
        if left < 0:
            raise UnreadableError("malformed", line.start())
        end = text.find("\n", line.end())
        at = end = len(text) if end < 0 else end
        if line["raw"]:
            closing = _RAW_END.search(text, line.end())
            at = closing.end() if closing else len(text)
        elif line["fence"]:
            closed = _fence_end(text, line["fence"], end)
            if closed is None and is_whole:
                raise UnreadableError("truncated", line.start())
            at = closed or len(text)
        elif line["comment"]:
            at = max(end, text.find("-->", line.end())) if line.end() <= last_comment_end else end
        elif line.start() < block_end and not line["html"]:
            continue
        elif line["block"]:
            block_end = _block_end(text, line["block"], line.end())
        elif heading := _heading_at(text, line, end, names):
            if line["under"] and line["under"][0] == "-":
                dashed.add(len(headings))
            headings.append(heading)
    if not any(headings[index].field is not None for index in dashed):
        # if no name of a field is underlined with dashes, such lines are rules or tables
        return [heading for index, heading in enumerate(headings) if index not in dashed]
    return headings


def _heading_at(text: str, line: re.Match[str], end: int, names: Mapping[str, int]) -> Heading | None:
    if line["hashes"]:
        return _atx(text, line, end, names)
    if line["under"]:
        return _setext(text, line, end, names)
    if line["html"]:
        inner = _HTML.match(text, line.end(), end)
        return _heading(int(line["depth"]), line.start(), inner.start("text"), inner["text"], end, names) if inner else None
    return _bold(text, line, end, names)


def _block_end(text: str, name: str, at: int) -> int:
    """Return where a block of HTML ends that a tag begins: at its closing tag or a blank line."""
    depth = 1
    for tag in re.compile(rf"<(?P<close>/?){name}(?=[\s>])|\n[ \t]*(?:\n|\Z)", re.IGNORECASE).finditer(text, at):
        depth = 0 if tag["close"] is None else depth + (-1 if tag["close"] else 1)
        if not depth:
            return tag.end()
    return len(text)


def _fence_end(text: str, marker: str, end: int) -> int | None:
    """Return where the code fence ends that `marker` opened before the offset `end`; None for never."""
    for fence in FENCE.finditer(text, end):
        if fence["marker"][0] == marker[0] and len(fence["marker"]) >= len(marker) and not fence["label"].strip():
            return fence.end()
    return None


def _atx(text: str, line: re.Match[str], end: int, names: Mapping[str, int]) -> Heading | None:
    content = text[line.end() : end]
    heading = _heading(len(line["hashes"]), line.start(), line.end(), content, end, names)
    is_marked = line["hashes"].startswith("#") and (not content or content[0].isspace())
    return heading if is_marked or heading.field is not None else None


def _setext(text: str, line: re.Match[str], end: int, names: Mapping[str, int]) -> Heading | None:
    """Return the heading that an underline makes of the line above it, if that line is a paragraph of its own."""
    start = text.rfind("\n", 0, max(0, line.start() - 1)) + 1
    content = text[start : max(start, line.start() - 1)]
    above = text[text.rfind("\n", 0, max(0, start - 1)) + 1 : max(0, start - 1)] if start else ""
    if (
        not content.strip()
        or len(content) > 500
        or content.startswith(("    ", "\t"))
        or re.match(r" {0,3}[#>|`~]", content)
    ):
        return None
    heading = _heading(1 if line["under"][0] == "=" else 2, start, start, content, end, names)
    if heading.field is None and (above.strip() or re.match(r" {0,3}(?:[-*+]|\d{1,9}[.)])[ \t]", content)):
        return None
    # if no text follows a name on the line, all of the line is the text of the heading
    shown = heading.text if heading.body != end else content.strip()
    return Heading(heading.level, start, heading.body, heading.field, shown)


def _bold(text: str, line: re.Match[str], end: int, names: Mapping[str, int]) -> Heading | None:
    label = _LABEL.match(text, line.end(), end)
    if label is None:
        return None
    if label["bold"]:
        name, rest, is_named = label["bold"], "rest", bool(label["colon"]) or label["bold"].rstrip()[-1:] in (":", "：")
    elif label["brackets"]:
        name, rest, is_named = label["brackets"], "after", True
    else:
        name, rest, is_named = label["square"] or label["symbol"], "text", True
    written = label[rest] or ""
    if written.strip() and not is_named:
        return None
    field = meaning(name, names)
    if field is None and not label["bold"]:
        return None
    body = label.start(rest) if written.strip() else end
    return Heading(BOLD, line.start(), body, field, written.strip() if field is not None else name.strip())


def _heading(level: int, start: int, begin: int, content: str, end: int, names: Mapping[str, int]) -> Heading:
    """Return the heading whose line has `content` from the offset `begin` on: a name, a name with a text, or other words."""
    hashes = _CLOSING_HASHES.search(content)
    content = content[: hashes.start()] if hashes else content
    field = meaning(content, names)
    if field is not None:
        return Heading(level, start, end, field, "")
    lead = len(content) - len(content.lstrip())
    label = _LABEL.match(content, lead)
    if label and label["bold"] and label["rest"].strip() and (label["colon"] or label["bold"].rstrip()[-1:] in (":", "：")):
        field = meaning(label["bold"], names)
        if field is not None:
            return Heading(level, start, begin + label.start("rest"), field, label["rest"].strip())
    named = _NAME_AND_TEXT.match(content, lead)
    field = meaning(named["name"], names) if named else None
    if named and field is not None:
        return Heading(level, start, begin + named.start("text"), field, named["text"].strip())
    return Heading(level, start, end, None, content.strip())


def names_of(spec: ReplySpec) -> dict[str, int]:
    """Return every name that a field may have in a heading, in small letters, with the index of its field."""
    names: dict[str, int] = {}
    for index, field in enumerate(spec.fields):
        for name in (field.name, field.name.replace("_", " "), *field.aliases):
            names.setdefault(_folded(name), index)
    return names


def _folded(name: str) -> str:
    return compatible(name).casefold().translate(_UNSEEN).strip()


def meaning(name: str, names: Mapping[str, int], *, is_part: bool = False) -> int | None:
    """Return the index of the field that a heading names, whatever decorates the name; None if it names none.

    A heading may have the name twice ("Summary / 要約"), if all parts name one field; `is_part` is for such a part.
    """
    if len(name) > _LONGEST_NAME:
        return None
    plain = _TAG.sub("", _ANCHOR.sub("", _folded(name)))
    while plain not in names:
        bare = _undecorated(plain)
        if bare == plain:
            break
        plain = bare
    if plain in names or is_part:
        return names.get(plain)
    same = {meaning(part, names, is_part=True) for part in _DASH.split(plain)}
    if len(same) == 1 and None not in same:
        return same.pop()
    parts = [part for part in re.split(r"[/|｜]", plain) if part.strip()]
    if len(parts) < 2:
        translated = _TRANSLATION.fullmatch(plain)
        parts = [translated["name"], translated["other"]] if translated else []
    meanings = [meaning(part, names, is_part=True) for part in parts]
    fields = {one for one in meanings if one is not None}
    return fields.pop() if len(fields) == 1 and len(parts) > 1 else None


def _undecorated(name: str) -> str:
    """Return a name without its outermost decoration: a number, brackets, symbols."""
    bare = _PREFIX.sub("", _NUMBER.sub("", name.strip()))
    if bare[:1] in _BRACKETS and bare.endswith(_BRACKETS[bare[0]]) and len(bare) > 1:
        bare = bare[1:-1]
    begin, end = 0, len(bare)
    while begin < end and _is_decoration(bare[begin]):
        begin += 1
    while end > begin and _is_decoration(bare[end - 1]):
        end -= 1
    return bare[begin:end] or name


def _is_decoration(character: str) -> bool:
    return character in _DECORATION or character.isspace() or unicodedata.category(character) in ("So", "Sk", "Cn", "Co")
