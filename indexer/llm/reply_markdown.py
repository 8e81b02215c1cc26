"""A reply in Markdown → a text for each field: the section below its heading, and the title above them.

Headings are found as models write them: any level, bold, numbered, in another language. Refuses a reply without a required
section, one that ends inside a code fence, and a fence around it that can end in two places.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from indexer.llm.reply_spec import ReplySpec
from indexer.llm.reply_text import BLANKS, UnreadableError, read_answer

#: The level of a line that is a heading only because it is bold, in brackets or after a sign.
_BOLD = 7
#: No answer has so many lines that may be headings; reading more would take seconds.
_MANY_LINES = 20_000
#: Longer lines are text, whatever stands before them.
_LONGEST_NAME = 100

_LINE = re.compile(
    r"^(?=[^\s\w]|[ _\d①-⑳]) {0,3}(?:(?P<fence>`{3,}+(?=[^`\n]*$)|~{3,}+)|(?P<hashes>[#＃]{1,6}+)(?![#＃])"
    r"|(?P<html><h(?P<depth>[1-6])\b)|(?P<comment><!--)"
    r"|(?P<under>=={1,}+|--{1,}+)[ \t]*+$"
    r"|(?P<strong>(?:(?:[-*+]|\(?\d{1,3}[.)]|[①-⑳])[ \t]{1,9}+)?(?=\*\*|__|[【\[〔■◆●▼▶◇□★☆])))",
    re.MULTILINE | re.IGNORECASE,
)
_FENCE = re.compile(r"^ {0,3}(?P<sign>`{3,}+(?=[^`\n]*$)|~{3,}+)[ \t]*+(?P<label>[^\n]*)$", re.MULTILINE)
_WRAPPERS = frozenset(("", "markdown", "md", "mdx", "text", "txt", "plaintext", "plain"))
_FRONT_MATTER = re.compile(r"---[ \t]*\n(?=[\w\"'-][^\n]{0,200}:)(?:(?!#)[^\n]*\n){1,100}?(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
_HTML = re.compile(r"[^\n>]{0,200}>(?P<text>[^\n]{0,300}?)</h[1-6]\s{0,9}>[ \t]*$", re.MULTILINE | re.IGNORECASE)
_CLOSING_HASHES = re.compile(r"(?:(?<=[ \t])|\A)[#＃]++[ \t]*\Z")
# **name**: text, **name:** text, 【name】 text, ■ name
_LABEL = re.compile(
    r"(?P<mark>\*\*|__)(?P<bold>[^\n]{1,100}?)(?P=mark)[ \t]*(?P<colon>[:：]?)[ \t]*(?P<rest>[^\n]*)"
    r"|(?P<brackets>【[^】\n]{1,100}】|〔[^〕\n]{1,100}〕)[ \t]*[:：]?[ \t]*(?P<after>[^\n]*)"
    r"|(?P<square>\[[^\]\n]{1,100}\])[:：]?[ \t]*$"
    r"|(?P<sign>[■◆●▼▶◇□★☆][^\n:：]{1,100})(?:[:：][ \t]*(?P<text>[^\n]*))?$",
    re.MULTILINE,
)
_NAME_AND_TEXT = re.compile(r"(?P<name>[^\n]{1,100}?)[ \t]*[:：][ \t]*(?P<text>[^\s:：][^\n]*)")
_RULE = re.compile(r"(?:\n[ \t]*\n|\A) {0,3}(?:(?:-[ \t]*){3,99}|(?:\*[ \t]*){3,99}|(?:_[ \t]*){3,99})\Z")
_WHOLE_BOLD = re.compile(r"(\*\*|__)(?P<text>(?:(?!\1).){1,500})\1")

_DECORATION = "*_~`#:.。-–—=|・•\\!"
_UNSEEN = {ord(sign): None for sign in "\ufe0f\u200d\u20e3\u200b"}
_TAG = re.compile(r"</?[a-z][^<>]{0,99}>")
_ANCHOR = re.compile(r"\s*\{#[^{}]*\}\Z")
_NUMBER = re.compile(
    r"\A第?\s?(?:\(\w{1,3}\)|\d+(?:\.\d+)*|[ivx]{1,5}(?=[.)])|[a-z](?=[.)])|[一二三四五六七八九十]{1,3}(?=[、.)章節]))\s?[.):、章節-]?\s*"
)
_PREFIX = re.compile(r"\A(?:section|step|part|chapter|セクション|섹션)(?:\s*\d+)?(?:\s*[:.–-]\s*|\s+)")
_BRACKETS = dict(zip("([【〔「『<《〈\"'“", ")]】〕」』>》〉\"'”", strict=True))
_TRANSLATION = re.compile(r"(?P<name>[^(\[【「<]+)[(\[【「<](?P<other>[^)\]】」>]*)[)\]】」>]")


@dataclass(frozen=True, slots=True)
class _Heading:
    """A heading: `start` is where its line begins, `body` where its text does: below it, or after its name on its line.

    `field` is the place of the field it names in the specification; `text` what it says, without a name.
    """

    level: int
    start: int
    body: int
    field: int | None
    text: str


def parse_markdown(raw: str, spec: ReplySpec) -> dict[str, str]:
    """The texts of the fields that are there.

    Raises:
        ReplyError: a required one is missing or blank, or the reply cannot be read.
    """
    answer = read_answer(raw).normalised()
    text = answer.text
    front = _FRONT_MATTER.match(text)
    names = _names(spec)
    try:
        begin, end = _unwrapped(text, front.end() if front else 0, names)
        headings = _headings(text[:end], begin, names)
    except UnreadableError as error:
        raise answer.error(error.kind, error.position) from None
    record = _sections(text[:end], headings, spec)
    title = next((place for place, field in enumerate(spec.fields) if field.source == "h1"), None)
    if title is not None:
        found = _title(text[:end], headings, title, spec)
        if found:
            record[title] = found
    for place, field in enumerate(spec.fields):
        if field.required and not record.get(place):
            raise answer.error("missing_field", end, f"there is no {field.name!r}")
    return {field.name: record[place] for place, field in enumerate(spec.fields) if record.get(place)}


def _unwrapped(text: str, begin: int, names: Mapping[str, int]) -> tuple[int, int]:
    """Where the Markdown stands: in a fence around its headings, or in all of the text."""
    whole = begin, len(text)
    wrapper = _FENCE.search(text, begin) if "```" in text or "~~~" in text else None
    if wrapper is None or wrapper["label"].partition(" ")[0].strip().lower() not in _WRAPPERS:
        return whole
    sign, depth, closing = wrapper["sign"], 0, []
    for fence in itertools.islice(_FENCE.finditer(text, wrapper.end()), _MANY_LINES):
        if fence["sign"][0] != sign[0] or len(fence["sign"]) < len(sign):
            continue
        if fence["label"].strip():
            depth += 1
        elif depth:
            depth -= 1
        else:
            closing.append(fence)
    end = closing[0].start() if closing else len(text)
    before = _headings(text[: wrapper.start()], begin, names)
    inside = _headings(text[:end], wrapper.end(), names, is_whole=False)
    if any(one.field is not None for one in before) or all(one.field is None for one in inside):
        return whole
    if len(closing) < 2:
        return wrapper.end(), end
    # code fences without a label inside: all of them in pairs, if the wrapper is the whole reply
    last = closing[-1]
    if len(closing) % 2 == 0 or text[begin : wrapper.start()].strip(BLANKS) or text[last.end() :].strip(BLANKS):
        raise UnreadableError("malformed", closing[0].start())
    return wrapper.end(), last.start()


def _headings(text: str, begin: int, names: Mapping[str, int], *, is_whole: bool = True) -> list[_Heading]:
    """The headings outside code and comments, in order; lines in bold that name nothing among them.

    A text that is not whole may end inside code.
    """
    headings: list[_Heading] = []
    dashed: set[int] = set()
    at, left = begin, _MANY_LINES
    while line := _LINE.search(text, at):
        left -= 1
        if left < 0:
            raise UnreadableError("malformed", line.start())
        end = text.find("\n", line.end())
        at = end = len(text) if end < 0 else end
        heading = None
        if line["fence"]:
            closed = _fence_end(text, line["fence"], end)
            if closed is None and is_whole:
                raise UnreadableError("truncated", line.start())
            at = closed or len(text)
        elif line["comment"]:
            at = max(end, text.find("-->", line.end()))
        elif line["hashes"]:
            heading = _atx(text, line, end, names)
        elif line["html"]:
            inner = _HTML.match(text, line.end(), end)
            if inner:
                heading = _heading(int(line["depth"]), line.start(), inner.start("text"), inner["text"], end, names)
        elif line["under"]:
            heading = _setext(text, line, end, names)
            if heading and line["under"][0] == "-":
                dashed.add(len(headings))
        else:
            heading = _bold(text, line, end, names)
        if heading:
            headings.append(heading)
    if not any(headings[index].field is not None for index in dashed):
        # where no field's name is underlined with dashes, they are rules or tables
        return [heading for index, heading in enumerate(headings) if index not in dashed]
    return headings


def _fence_end(text: str, sign: str, end: int) -> int | None:
    for fence in _FENCE.finditer(text, end):
        if fence["sign"][0] == sign[0] and len(fence["sign"]) >= len(sign) and not fence["label"].strip():
            return fence.end()
    return None


def _atx(text: str, line: re.Match[str], end: int, names: Mapping[str, int]) -> _Heading | None:
    content = text[line.end() : end]
    heading = _heading(len(line["hashes"]), line.start(), line.end(), content, end, names)
    is_marked = line["hashes"].startswith("#") and (not content or content[0].isspace())
    return heading if is_marked or heading.field is not None else None


def _setext(text: str, line: re.Match[str], end: int, names: Mapping[str, int]) -> _Heading | None:
    """The line above an underline, if it is a paragraph of its own."""
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
    # what follows the underline is its body, whatever its name says
    text_of = content.strip()
    return _Heading(heading.level, start, heading.body, heading.field, heading.text if heading.body != end else text_of)


def _bold(text: str, line: re.Match[str], end: int, names: Mapping[str, int]) -> _Heading | None:
    label = _LABEL.match(text, line.end(), end)
    if label is None:
        return None
    if label["bold"]:
        name, rest, is_named = label["bold"], "rest", bool(label["colon"]) or label["bold"].rstrip()[-1:] in (":", "：")
    elif label["brackets"]:
        name, rest, is_named = label["brackets"], "after", True
    else:
        name, rest, is_named = label["square"] or label["sign"], "text", True
    written = label[rest] or ""
    if written.strip() and not is_named:
        return None
    field = _meaning(name, names)
    if field is None and not label["bold"]:
        return None
    body = label.start(rest) if written.strip() else end
    return _Heading(_BOLD, line.start(), body, field, written.strip() if field is not None else name.strip())


def _heading(level: int, start: int, begin: int, content: str, end: int, names: Mapping[str, int]) -> _Heading:
    """A heading whose line says `content`, from `begin` on: a name, a name with a text, or anything else."""
    hashes = _CLOSING_HASHES.search(content)
    content = content[: hashes.start()] if hashes else content
    field = _meaning(content, names)
    if field is not None:
        return _Heading(level, start, end, field, "")
    lead = len(content) - len(content.lstrip())
    label = _LABEL.match(content, lead)
    if label and label["bold"] and label["rest"].strip() and (label["colon"] or label["bold"].rstrip()[-1:] in (":", "：")):
        field = _meaning(label["bold"], names)
        if field is not None:
            return _Heading(level, start, begin + label.start("rest"), field, label["rest"].strip())
    named = _NAME_AND_TEXT.match(content, lead)
    field = _meaning(named["name"], names) if named else None
    if named and field is not None:
        return _Heading(level, start, begin + named.start("text"), field, named["text"].strip())
    return _Heading(level, start, end, None, content.strip())


def _names(spec: ReplySpec) -> dict[str, int]:
    """Every name a field may have in a heading, folded, with the field's place."""
    names: dict[str, int] = {}
    for place, field in enumerate(spec.fields):
        for name in (field.name, field.name.replace("_", " "), *field.aliases):
            names.setdefault(_folded(name), place)
    return names


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold().translate(_UNSEEN).strip()


def _meaning(name: str, names: Mapping[str, int], *, is_part: bool = False) -> int | None:
    """The field that a heading names, its decoration taken off."""
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
    parts = [part for part in re.split(r"[/|｜]", plain) if part.strip()]
    if len(parts) < 2:
        translated = _TRANSLATION.fullmatch(plain)
        parts = [translated["name"], translated["other"]] if translated else []
    meanings = [_meaning(part, names, is_part=True) for part in parts]
    told = {one for one in meanings if one is not None}
    return told.pop() if len(told) == 1 and len(parts) > 1 else None


def _undecorated(name: str) -> str:
    """A name with one layer of decoration less."""
    bare = _PREFIX.sub("", _NUMBER.sub("", name.strip()))
    if bare[:1] in _BRACKETS and bare.endswith(_BRACKETS[bare[0]]) and len(bare) > 1:
        bare = bare[1:-1]
    begin, end = 0, len(bare)
    while begin < end and _is_decoration(bare[begin]):
        begin += 1
    while end > begin and _is_decoration(bare[end - 1]):
        end -= 1
    return bare[begin:end] or name


def _is_decoration(sign: str) -> bool:
    return sign in _DECORATION or sign.isspace() or unicodedata.category(sign) in ("So", "Sk", "Cn", "Co")


def _sections(text: str, headings: Sequence[_Heading], spec: ReplySpec) -> dict[int, str]:
    """The text below each field's heading, by the field's place."""
    wanted = [place for place, field in enumerate(spec.fields) if field.source == "section"]
    chosen = _chosen(headings, wanted)
    starts = {headings[index].start for index in chosen.values()}
    texts = {}
    for place, index in chosen.items():
        own = headings[index]
        keeps_unknown = len(wanted) > 1 and place == wanted[-1]
        end = next(
            (
                one.start
                for one in headings[index + 1 :]
                if one.start in starts
                or (
                    one.level <= own.level and not (keeps_unknown and (one.field is None or one.level == _BOLD != own.level))
                )
            ),
            len(text),
        )
        body = text[own.body : end].strip(BLANKS)
        rule = _RULE.search(body[-200:])
        texts[place] = body[: len(body) - len(rule.group())].rstrip(BLANKS) if rule else body
    return texts


def _chosen(headings: Sequence[_Heading], wanted: Sequence[int]) -> dict[int, int]:
    """The heading of each field: the shallowest, then the first, unless it stands in the section of a later field."""
    named: dict[int, list[int]] = {place: [] for place in wanted}
    above: dict[int, list[int]] = {}
    stack: list[int] = []
    for index, heading in enumerate(headings):
        while stack and headings[stack[-1]].level >= heading.level:
            stack.pop()
        if heading.field in named:
            named[heading.field].append(index)
            above[index] = list(stack)
        stack.append(index)
    order = {place: sorted(found, key=lambda index: headings[index].level) for place, found in named.items()}
    first = {found[0]: place for place, found in order.items() if found}
    chosen = {}
    for place, found in order.items():
        fits = (index for index in found if all(first.get(outer, -1) < place for outer in above[index]))
        best = next(fits, None)
        if best is not None:
            chosen[place] = best
    return chosen


def _title(text: str, headings: Sequence[_Heading], title: int, spec: ReplySpec) -> str:
    """What the headings before the first section call the reply; "" if they do not."""
    wanted = [place for place, field in enumerate(spec.fields) if field.source == "section"]
    chosen = [headings[index] for index in _chosen(headings, wanted).values()]
    first = min((one.start for one in chosen), default=len(text))
    before = [(index, one) for index, one in enumerate(headings) if one.start < first]
    labels = []
    for index, one in before:
        if one.field == title:
            end = headings[index + 1].start if index + 1 < len(headings) else len(text)
            lines = [line for line in text[one.body : end].splitlines() if line.strip() and not line.startswith("<!--")]
            if one.text or len(lines) == 1:
                labels.append((one.level, one.text or lines[0].strip()))
    plain = [
        (one.level, one.text)
        for _, one in before
        if one.field is None and one.text and (one.level < _BOLD or all(each.level == _BOLD for each in chosen))
    ]
    ranked = sorted((one for one in labels if one[0] < _BOLD), key=lambda one: one[0]) + sorted(
        plain, key=lambda one: one[0]
    )
    ranked += [one for one in labels if one[0] == _BOLD]
    if not ranked:
        return ""
    bold = _WHOLE_BOLD.fullmatch(ranked[0][1])
    return (bold["text"] if bold else ranked[0][1]).strip(BLANKS)
