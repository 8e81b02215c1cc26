"""A reply in Markdown → a text for each field: the section below its heading, and the title above them.

Headings are found as models write them: any level, bold, numbered, in another language. Refuses a reply without a required
section, one that ends inside a code fence, and one in a fence that can end at two lines.

A field's name may head more than one section, so three rules decide one after the other, each on what the one before left:
1. `first_record_end`: a second record is cut off, since its headings must not be taken for those of the first.
2. `_choose_headings`: each field gets one of the headings that are left.
3. `_section_end`: a section ends at the next chosen heading or one that stands as high; other headings belong to its text.
The title is what the headings above the first chosen one say.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence

from indexer.llm.reply.first_record import RULE, first_record_end
from indexer.llm.reply.headings import BOLD, FENCE, FRONT_MATTER, MANY_LINES, Heading, find_headings, names_of
from indexer.llm.reply.locations import is_page
from indexer.llm.reply.relabel import relabelled
from indexer.llm.reply.spec import ReplySpec
from indexer.llm.reply.text import BLANKS, UnreadableError, read_answer

_WRAPPERS = frozenset(("", "markdown", "md", "mdx", "text", "txt", "plaintext", "plain"))
_ELEMENT = re.compile(r"\s*<(?P<name>(?!h[1-6]>)[a-zA-Z][\w-]{0,30})>[ \t]*\n")
#: What may stand between a heading and its text: a rule below the heading, the colon of a definition.
_UNDERLINE = re.compile(r"\A(?:(?:-{3,99}|={3,99})[ \t]*\n\s*|:[ \t]+(?=\S))")
_WHOLE_BOLD = re.compile(r"(\*\*|__)(?P<text>(?:(?!\1).){1,500})\1")


def parse_markdown(raw: str, spec: ReplySpec) -> dict[str, str]:
    """Return the texts of the fields that are there.

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
    """Return the fields under the headings of a text.

    Raises:
        UnreadableError: as `parse_markdown`.
    """
    if is_page(text):
        raise UnreadableError("missing_field", 0, detail="a page of HTML is no reply")
    front = FRONT_MATTER.match(text)
    needed = {index for index, field in enumerate(spec.fields) if field.source == "section" and field.required}
    begin, end = _unwrapped(text, front.end() if front else 0, names, needed)
    headings = find_headings(text[:end], begin, names)
    end = first_record_end(text[:end], headings, spec)
    text, headings = text[:end], [one for one in headings if one.start < end]
    wanted = [index for index, field in enumerate(spec.fields) if field.source == "section"]
    chosen = _choose_headings(headings, wanted)
    record = _sections(text, headings, chosen, wanted)
    title = next((index for index, field in enumerate(spec.fields) if field.source == "h1"), None)
    if title is not None:
        record[title] = _title(text, headings, [headings[index] for index in chosen.values()], title)
    for index, field in enumerate(spec.fields):
        if field.required and not record.get(index):
            raise UnreadableError("missing_field", end, detail=f"there is no {field.name!r}")
    return {field.name: record[index] for index, field in enumerate(spec.fields) if record.get(index)}


def _relabelled_record(text: str, names: Mapping[str, int], spec: ReplySpec) -> dict[str, str] | None:
    """Return the record of a text whose fields stand under other labels than headings; None if there is none or several."""
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


# --- a wrapper around the Markdown ------------------------------------------------------------------------------------


def _unwrapped(text: str, begin: int, names: Mapping[str, int], needed: set[int]) -> tuple[int, int]:
    """Return where the Markdown begins and ends: inside an element or a fence around its headings, or all of the text.

    A fence after all `needed` fields, if these are several, with text below it is a part of the last one.

    Raises:
        UnreadableError: a record stands inside a fence and may stand before it too, or the fence can end at two lines.
    """
    element = _ELEMENT.match(text, begin)
    if element and text.rstrip(BLANKS).endswith(f"</{element['name']}>"):
        return element.end(), text.rindex("</")
    wrapper = FENCE.search(text, begin) if "```" in text or "~~~" in text else None
    if wrapper is None or wrapper["label"].partition(" ")[0].strip().lower() not in _WRAPPERS:
        return begin, len(text)
    closing = _closing_fences(text, wrapper)
    end = closing[0].start() if closing else len(text)
    before = _named_fields(find_headings(text[: wrapper.start()], begin, names))
    inside = _named_fields(find_headings(text[:end], wrapper.end(), names, is_whole=False))
    is_part = 1 < len(needed & before) == len(needed) and bool(text[end:].partition("\n")[2].strip(BLANKS))
    if before and before <= inside and wrapper["label"].strip() and not is_part:
        raise UnreadableError("malformed", wrapper.start(), detail="two records, one of them in a fence")
    if before or not inside:
        return begin, len(text)
    if len(closing) < 2:
        return wrapper.end(), end
    last = closing[-1]
    after = text[closing[1].end() : last.start()]
    if _named_fields(find_headings(after, 0, names, is_whole=False)):
        return wrapper.end(), end  # another wrapper follows, with another record
    # code fences without a label inside: all of them in pairs, if the wrapper is the whole reply
    if len(closing) % 2 == 0 or text[begin : wrapper.start()].strip(BLANKS) or text[last.end() :].strip(BLANKS):
        raise UnreadableError("malformed", closing[0].start())
    return wrapper.end(), last.start()


def _closing_fences(text: str, wrapper: re.Match[str]) -> list[re.Match[str]]:
    """Return the fences that can close a wrapper: without a label, and not the end of a fence with a label inside."""
    marker, depth, closing = wrapper["marker"], 0, []
    for fence in itertools.islice(FENCE.finditer(text, wrapper.end()), MANY_LINES):
        if fence["marker"][0] != marker[0] or len(fence["marker"]) < len(marker):
            continue
        if fence["label"].strip():
            depth += 1
        elif depth:
            depth -= 1
        else:
            closing.append(fence)
    return closing


def _named_fields(headings: Sequence[Heading]) -> set[int]:
    return {one.field for one in headings if one.field is not None}


# --- rule 2: the heading of each field --------------------------------------------------------------------------------


def _choose_headings(headings: Sequence[Heading], wanted: Sequence[int]) -> dict[int, int]:
    """Return each field's heading: of those that name it the highest one (`#` before `##`), of equal ones the first.

    A heading does not count below the best heading of the same or a later field: there it is a part of that section.
    """
    naming: dict[int, list[int]] = {field: [] for field in wanted}
    above: dict[int, list[int]] = {}  # each heading that names a field → the headings it stands under
    stack: list[int] = []
    for index, heading in enumerate(headings):
        while stack and headings[stack[-1]].level >= heading.level:
            stack.pop()
        if heading.field in naming:
            naming[heading.field].append(index)
            above[index] = list(stack)
        stack.append(index)
    ranked = {field: sorted(found, key=lambda index: headings[index].level) for field, found in naming.items()}
    best_of = {found[0]: field for field, found in ranked.items() if found}
    chosen = {}
    for field, found in ranked.items():
        fits = (index for index in found if all(best_of.get(outer, -1) < field for outer in above[index]))
        best = next(fits, None)
        if best is not None:
            chosen[field] = best
    return chosen


# --- rule 3: where a section ends, and the title ----------------------------------------------------------------------


def _sections(text: str, headings: Sequence[Heading], chosen: Mapping[int, int], wanted: Sequence[int]) -> dict[int, str]:
    """Return the text below each field's heading."""
    starts = {headings[index].start for index in chosen.values()}
    texts = {}
    for field, index in chosen.items():
        is_last = len(wanted) > 1 and field == wanted[-1]
        end = _section_end(headings, index, starts, keeps_unknown=is_last)
        body = _UNDERLINE.sub("", text[headings[index].body : len(text) if end is None else end].strip(BLANKS), count=1)
        rule = RULE.search(body[-200:])
        texts[field] = body[: len(body) - len(rule.group())].rstrip(BLANKS) if rule else body
    return texts


def _section_end(headings: Sequence[Heading], index: int, starts: set[int], *, keeps_unknown: bool) -> int | None:
    """Return where the section of a heading ends: at a chosen heading or one of its level or above; None for never.

    With `keeps_unknown`, for the last of several fields, bold lines and headings of no other field belong to its text.
    """
    own = headings[index]
    for one in headings[index + 1 :]:
        is_kept = keeps_unknown and (one.field in (None, own.field) or one.level == BOLD != own.level)
        if one.start in starts or (one.level <= own.level and not is_kept):
            return one.start
    return None


def _title(text: str, headings: Sequence[Heading], sections: Sequence[Heading], title: int) -> str:
    """Return what the headings before the first section call the reply; "" if they do not.

    The best are headings with the title's name, then other headings, then bold lines with its name; the highest ones first.
    Where several others are the highest, they are parts of the reply: the one that the first section stands under is better.
    """
    first = min((one.start for one in sections), default=len(text))
    before = [(index, one) for index, one in enumerate(headings) if one.start < first]
    labels = []
    for index, one in before:
        if one.field == title:
            end = headings[index + 1].start if index + 1 < len(headings) else len(text)
            lines = [line for line in text[one.body : end].splitlines() if line.strip() and not line.startswith("<!--")]
            if one.text or len(lines) == 1:
                labels.append((one.level, one.text or lines[0].strip()))
    is_all_bold = all(one.level == BOLD for one in sections)
    others = [
        (one.level, one.text) for _, one in before if one.field is None and one.text and (one.level < BOLD or is_all_bold)
    ]
    highest = min((level for level, _ in others), default=BOLD)
    if sum(level == highest for level, _ in others) > 1:
        own = next((one.level for one in sections if one.start == first), 0)
        others = [one for one in others if one[0] < own][-1:] or others
    ranked = [
        *sorted((one for one in labels if one[0] < BOLD), key=lambda one: one[0]),
        *sorted(others, key=lambda one: one[0]),
        *(one for one in labels if one[0] == BOLD),
    ]
    if not ranked:
        return ""
    bold = _WHOLE_BOLD.fullmatch(ranked[0][1])
    return (bold["text"] if bold else ranked[0][1]).strip(BLANKS)
