"""The headings of a reply in Markdown → where its first record ends and a second one begins.

A second record begins where a field comes again after all required fields have come: below a title of its own, or with the
field that the first record begins with. It must have the first required field too. Otherwise a heading that names the field
of the last section again belongs to that section, and any other is not clear.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from indexer.llm.reply.headings import BOLD, Heading
from indexer.llm.reply.spec import ReplySpec
from indexer.llm.reply.text import BLANKS, UnreadableError

#: A rule of Markdown at the end of a text.
RULE = re.compile(r"(?:\n[ \t]*\n|\A) {0,3}(?:(?:-[ \t]*){3,99}|(?:\*[ \t]*){3,99}|(?:_[ \t]*){3,99})\Z")
#: A rule of Markdown and one paragraph after it, to the end.
_AFTER_RULE = re.compile(r"(?:\n[ \t]*\n|\A) {0,3}(?:-{3,99}|\*{3,99}|_{3,99})[ \t]*\n\s{0,99}[^\n]+(?:\n[^\n]+){0,3}\Z")
#: The characters before a second record that may introduce it.
_LEAD = 500


def first_record_end(text: str, headings: Sequence[Heading], spec: ReplySpec) -> int:
    """Return where the first record ends if a text holds several; else the end of the text.

    Raises:
        UnreadableError: it is not clear what belongs to which.
    """
    return _FirstRecord(text, headings, spec).end()


class _FirstRecord:
    """Goes over the headings of one text."""

    def __init__(self, text: str, headings: Sequence[Heading], spec: ReplySpec) -> None:
        self._text = text
        self._headings = headings
        self._sections = [index for index, field in enumerate(spec.fields) if field.source == "section"]
        self._required = [index for index in self._sections if spec.fields[index].required]
        self._first: dict[int, int] = {}  # each field → its first heading
        self._shallower: dict[
            int, int
        ] = {}  # each field → the last heading after it of a higher rank, such as another title
        self._newest = -1  # the field that came last for the first time
        # for each heading the highest level of the first required field from there on
        leading = [one.level if one.field in self._required[:1] else BOLD + 1 for one in headings]
        self._leading = list(itertools.accumulate(reversed(leading), min))[::-1]

    def end(self) -> int:
        first, shallower = self._first, self._shallower
        for index, heading in enumerate(self._headings):
            field = heading.field
            if field in self._sections:
                if field not in first or self._was_part(heading):
                    first[field] = index
                    self._newest = field
                    shallower.pop(field, None)
                elif first.keys() >= set(self._required):
                    if self._begins_record(index):
                        return self._second_record_start(index)
                elif field in shallower:
                    raise UnreadableError("malformed", heading.start, detail="two records, the first without all its fields")
            for each, own in first.items():
                if heading.level < self._headings[own].level:
                    shallower[each] = index
        return len(self._text)

    def _was_part(self, higher: Heading) -> bool:
        """Return whether the first heading of a field is a part of another field's section, since a higher one names it too.

        In `## Summary`, `### Details`, `## Content` the details belong to the summary.
        """
        index = None if higher.field is None else self._first.get(higher.field)
        if index is None or higher.level >= self._headings[index].level:
            return False
        return any(
            own < index and self._headings[own].level < self._headings[index].level and field not in self._shallower
            for field, own in self._first.items()
        )

    def _begins_record(self, repeated: int) -> bool:
        """Return whether a heading begins a second record whose field came before; False for a part of the last section.

        Raises:
            UnreadableError: neither is sure.
        """
        heading, last = self._headings[repeated], self._headings[self._first[self._newest]]
        has_title = self._newest in self._shallower
        if not has_title and heading.level > last.level:
            return False
        if self._required and self._leading[repeated] > heading.level:  # what follows lacks the first required field
            is_same = heading.field == self._newest == self._sections[-1] and heading.level == last.level
            if is_same and not has_title:
                return False
        elif has_title or (
            heading.field == min(self._first, key=self._first.__getitem__)
            and not any(self._was_part(one) for one in self._headings[repeated + 1 :])
        ):
            return True
        raise UnreadableError("malformed", heading.start, detail="a heading that can be of one record or of two")

    def _second_record_start(self, repeated: int) -> int:
        """Return where the second record begins: at its title, or at the heading that repeats a field.

        Raises:
            UnreadableError: words before it belong to neither.
        """
        headings, last = self._headings, self._first[self._newest]
        start = self._shallower.get(self._newest, repeated)
        while start - 1 > last and not self._text[headings[start - 1].body : headings[start].start].strip(BLANKS):
            start -= 1  # a heading without a text belongs to the one below it
        begin = headings[start].start
        between = RULE.sub("", self._text[headings[last].body : begin].strip(BLANKS)[-_LEAD:])
        if between.rstrip().endswith((":", "：")) or _AFTER_RULE.search(between):
            raise UnreadableError("malformed", begin, detail="words between two records belong to neither")
        return begin
