"""A reply in Markdown → a text for each field: the section below its heading, and the title above them.

Headings are found as models write them: any level, bold, numbered, in another language. Refuses a reply without a required
section, one that ends inside a code fence, and a fence around it that can end in two places.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence

from indexer.llm.reply.headings import BOLD, FENCE, FRONT_MATTER, MANY_LINES, Heading, find_headings, names_of
from indexer.llm.reply.locations import is_page
from indexer.llm.reply.relabel import relabelled
from indexer.llm.reply.spec import ReplySpec
from indexer.llm.reply.text import BLANKS, UnreadableError, read_answer

_WRAPPERS = frozenset(("", "markdown", "md", "mdx", "text", "txt", "plaintext", "plain"))
_ELEMENT = re.compile(r"\s*<(?P<name>(?!h[1-6]>)[a-zA-Z][\w-]{0,30})>[ \t]*\n")
_RULE = re.compile(r"(?:\n[ \t]*\n|\A) {0,3}(?:(?:-[ \t]*){3,99}|(?:\*[ \t]*){3,99}|(?:_[ \t]*){3,99})\Z")
#: A rule of Markdown and one paragraph after it, to the end.
_AFTER_RULE = re.compile(r"(?:\n[ \t]*\n|\A) {0,3}(?:-{3,99}|\*{3,99}|_{3,99})[ \t]*\n\s{0,99}[^\n]+(?:\n[^\n]+){0,3}\Z")
#: Characters before a second record that are looked at.
_LEAD = 500
# what may stand between a heading and its text: a rule under it, the sign of a definition
_UNDERLINE = re.compile(r"\A(?:(?:-{3,99}|={3,99})[ \t]*\n\s*|:[ \t]+(?=\S))")
_WHOLE_BOLD = re.compile(r"(\*\*|__)(?P<text>(?:(?!\1).){1,500})\1")


def parse_markdown(raw: str, spec: ReplySpec) -> dict[str, str]:
    """The texts of the fields that are there.

    Raises:
        ReplyError: a required one is missing or blank, or the reply cannot be read.
    """
    answer = read_answer(raw).normalised()
    names = names_of(spec)
    try:
        return _record(answer.text, names, spec)
    except UnreadableError as error:
        found = _relabelled_record(answer.text, names, spec) if error.kind == "missing_field" else None
        if found is None:
            raise answer.error(error.kind, error.position, error.detail) from None
        return found


def _record(text: str, names: Mapping[str, int], spec: ReplySpec) -> dict[str, str]:
    """The fields under the headings of a text.

    Raises:
        UnreadableError: as `parse_markdown`.
    """
    if is_page(text):
        raise UnreadableError("missing_field", 0, detail="a page of HTML is no reply")
    front = FRONT_MATTER.match(text)
    begin, end = _unwrapped(text, front.end() if front else 0, names)
    headings = find_headings(text[:end], begin, names)
    end = _first_record_end(text[:end], headings, spec)
    text, headings = text[:end], [one for one in headings if one.start < end]
    record = _sections(text, headings, spec)
    title = next((place for place, field in enumerate(spec.fields) if field.source == "h1"), None)
    if title is not None:
        record[title] = _title(text, headings, title, spec)
    for place, field in enumerate(spec.fields):
        if field.required and not record.get(place):
            raise UnreadableError("missing_field", end, detail=f"there is no {field.name!r}")
    return {field.name: record[place] for place, field in enumerate(spec.fields) if record.get(place)}


def _relabelled_record(text: str, names: Mapping[str, int], spec: ReplySpec) -> dict[str, str] | None:
    """The record of a text whose fields stand under something else than headings, if there is one reading."""
    found: dict[str, str] | None = None
    for other in relabelled(text, names, spec):
        try:
            record = _record(other, names, spec)
        except UnreadableError:
            continue
        if found is not None and record != found:
            return None
        found = record
    return found


def _unwrapped(text: str, begin: int, names: Mapping[str, int]) -> tuple[int, int]:
    """Where the Markdown stands: in a fence around its headings, or in all of the text."""
    element = _ELEMENT.match(text, begin)
    if element and text.rstrip(BLANKS).endswith(f"</{element['name']}>"):
        return element.end(), text.rindex("</")
    whole = begin, len(text)
    wrapper = FENCE.search(text, begin) if "```" in text or "~~~" in text else None
    if wrapper is None or wrapper["label"].partition(" ")[0].strip().lower() not in _WRAPPERS:
        return whole
    sign, depth, closing = wrapper["sign"], 0, []
    for fence in itertools.islice(FENCE.finditer(text, wrapper.end()), MANY_LINES):
        if fence["sign"][0] != sign[0] or len(fence["sign"]) < len(sign):
            continue
        if fence["label"].strip():
            depth += 1
        elif depth:
            depth -= 1
        else:
            closing.append(fence)
    end = closing[0].start() if closing else len(text)
    before = find_headings(text[: wrapper.start()], begin, names)
    inside = find_headings(text[:end], wrapper.end(), names, is_whole=False)
    told, told_inside = ({one.field for one in some} - {None} for some in (before, inside))
    if told and told <= told_inside and wrapper["label"].strip():
        raise UnreadableError("malformed", wrapper.start(), detail="two records, one of them in a fence")
    if told or not told_inside:
        return whole
    if len(closing) < 2:
        return wrapper.end(), end
    # code fences without a label inside: all of them in pairs, if the wrapper is the whole reply
    last = closing[-1]
    after = text[closing[1].end() : last.start()]
    if any(one.field is not None for one in find_headings(after, 0, names, is_whole=False)):
        return wrapper.end(), end  # another wrapper follows, with another record
    if len(closing) % 2 == 0 or text[begin : wrapper.start()].strip(BLANKS) or text[last.end() :].strip(BLANKS):
        raise UnreadableError("malformed", closing[0].start())
    return wrapper.end(), last.start()


def _first_record_end(text: str, headings: Sequence[Heading], spec: ReplySpec) -> int:
    """Where the first record ends, if the reply holds several; the end of the text if it does not.

    Raises:
        UnreadableError: it cannot be told what belongs to which.
    """
    needed = {place for place, field in enumerate(spec.fields) if field.source == "section" and field.required}
    own: dict[int, int] = {}  # the first heading of each field
    parents: dict[int, int] = {}  # the last heading after it that stands above its level: another title
    last = None
    for index, heading in enumerate(headings):
        place = heading.field
        if place is not None and spec.fields[place].source != "h1":
            if place not in own:
                own[place] = index
                last = place
            elif last is not None and needed <= own.keys():
                begin = _second_record(text, headings, own[last], parents.get(last), index)
                if begin is not None:
                    return begin
            elif place in parents:
                raise UnreadableError("malformed", heading.start, detail="two records, the first without all its fields")
        for each, first in own.items():
            if heading.level < headings[first].level:
                parents[each] = index
    return len(text)


def _second_record(text: str, headings: Sequence[Heading], last: int, parent: int | None, repeated: int) -> int | None:
    """Where the record begins that repeats a field, after the first record's `last` field; None if that is a part of it."""
    if parent is None and headings[repeated].level > headings[last].level:
        return None  # a section of the last field has the name of a field
    first = repeated if parent is None else parent
    while first - 1 > last and not text[headings[first - 1].body : headings[first].start].strip(BLANKS):
        first -= 1
    begin = headings[first].start
    between = _RULE.sub("", text[headings[last].body : begin].strip(BLANKS)[-_LEAD:])
    if between.rstrip().endswith((":", "：")) or _AFTER_RULE.search(between):
        raise UnreadableError("malformed", begin, detail="words between two records belong to neither")
    return begin


def _sections(text: str, headings: Sequence[Heading], spec: ReplySpec) -> dict[int, str]:
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
                or (one.level <= own.level and not (keeps_unknown and (one.field is None or one.level == BOLD != own.level)))
            ),
            len(text),
        )
        body = _UNDERLINE.sub("", text[own.body : end].strip(BLANKS), count=1)
        rule = _RULE.search(body[-200:])
        texts[place] = body[: len(body) - len(rule.group())].rstrip(BLANKS) if rule else body
    return texts


def _chosen(headings: Sequence[Heading], wanted: Sequence[int]) -> dict[int, int]:
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


def _title(text: str, headings: Sequence[Heading], title: int, spec: ReplySpec) -> str:
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
        if one.field is None and one.text and (one.level < BOLD or all(each.level == BOLD for each in chosen))
    ]
    ranked = sorted((one for one in labels if one[0] < BOLD), key=lambda one: one[0]) + sorted(plain, key=lambda one: one[0])
    ranked += [one for one in labels if one[0] == BOLD]
    if not ranked:
        return ""
    bold = _WHOLE_BOLD.fullmatch(ranked[0][1])
    return (bold["text"] if bold else ranked[0][1]).strip(BLANKS)
