"""Tags of a text in their order → the text of each field's section.

A section runs from its opening tag to its closing tag, or to the next opening tag if it has no closing tag. Refuses sections
that never end and sections whose end is not clear.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import regex as re  # the possessive groups of re match wrongly before Python 3.11.5 (cpython#106052)

from indexer.llm.reply.text import BLANKS, UnreadableError

#: The most code fences that are read; a reply with more is no answer, and reading them would take seconds.
_MAX_FENCES = 20_000
_FENCE = re.compile(r"(?:^|(?<=>)) {0,3}(?P<marker>`{3,}+(?=[^`\n]*$)|~{3,}+)[ \t]*+(?P<label>[^\n]*)$", re.MULTILINE)
#: What stands for a text in a form to fill in.
_DOTS = re.compile(r"(?:\.{3}|…)[.…]*+")


#: A shorter text between words of a line, such as "and", is part of the sentence that tells of the tags (bytes).
_BOTH_SIDES, _PART_BYTES = 2, 24


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag from offset `start` to `end`; `field` is the name of its field, None for a section that no field asks for.

    `words_beside` tells of an opening tag on how many sides of its section words stand on the same line.
    """

    start: int
    end: int
    name: str
    field: str | None
    is_close: bool
    is_empty: bool = False
    words_beside: int = 0


class Section(NamedTuple):
    """The text of a field's section; `may_be_mentioned` where words stand on its line."""

    field: str
    text: str
    may_be_mentioned: bool


class OpenFenceError(UnreadableError):
    """Raised when a code fence inside a section never ends."""


@dataclass(slots=True)
class _State:
    """What a scanner knows after each tag.

    `section` is the open section of a field, None outside of all of them. `unknown` are the open sections that no field
    asks for, the innermost last; there are none inside a section of a field. Tags before the offset `fence_end` stand in a
    code fence of the open section, and `fence_has_close` is whether one of them closes that section.
    """

    section: Tag | None = None
    unknown: list[Tag] = field(default_factory=list)
    fence_end: int = 0
    fence_has_close: bool = False


class SectionScanner:
    """Pairs opening and closing tags from left to right.

    A tag in a code fence of the open section is text, unless `fences_hide` is false. Any other tag opens or closes a section
    (`_read_outside`), or stands in the open section of a field (`_read_inside`).
    """

    def __init__(self, text: str, tags: Sequence[Tag], *, fences_hide: bool) -> None:
        self._text = text
        self._tags = tags
        self._last_close = {tag.name: tag.start for tag in tags if tag.is_close}
        self._fences = _Fences(text) if fences_hide else None
        self._found: list[Section] = []
        self._state = _State()

    def scan(self) -> list[Section]:
        """Return the sections that have a text, in their order.

        Raises:
            UnreadableError: a section never ends, or can end at two tags.
        """
        state = self._state
        for tag in self._tags:
            if self._is_in_fence(tag):
                continue
            if state.section is None:
                self._read_outside(tag)
            else:
                self._read_inside(state.section, tag)
        if state.section is not None:
            raise self._truncated()
        if state.unknown:
            raise self._truncated(is_final=True)
        return self._found

    def _is_in_fence(self, tag: Tag) -> bool:
        """Return whether a tag stands in a code fence of the open section."""
        state = self._state
        section = state.section or (state.unknown[-1] if state.unknown else None)
        if self._fences is None or section is None:
            return False
        if tag.start >= state.fence_end:
            state.fence_end, state.fence_has_close = self._fences.end_before(tag.start, section.end), False
        if tag.start >= state.fence_end:
            return False
        # a closing tag and an opening tag in one fence: rather two sections, each with a fence that never ends
        if state.fence_has_close and not tag.is_close and tag.field is not None:
            raise OpenFenceError("truncated", tag.start)
        state.fence_has_close |= tag.is_close and tag.name == section.name
        return True

    def _read_outside(self, tag: Tag) -> None:
        """Read a tag that stands in no section of a field."""
        state = self._state
        if tag.is_close:
            if state.unknown and state.unknown[-1].name == tag.name:
                state.unknown.pop()
        elif tag.is_empty:
            return
        elif tag.field is not None:
            state.section = tag
        elif self._has_close_after(tag, tag):
            state.unknown.append(tag)
        else:
            raise self._truncated(is_final=True)

    def _read_inside(self, section: Tag, tag: Tag) -> None:
        """Read a tag that stands in the open section of a field: its end, a tag in its text, or the next section."""
        if tag.is_close and tag.name == section.name:
            self._keep(section, tag.start)
            self._state.section = None
        elif self._has_close_after(section, tag):
            self._read_nested(section, tag)
        elif tag.is_close:
            raise self._truncated()  # perhaps the closing tag of this section, misspelt
        elif not tag.is_empty:
            # this section has no closing tag: it ends where the next one begins
            self._keep(section, tag.start)
            if tag.field is None:
                raise UnreadableError("malformed", tag.start)
            self._state.section = tag

    def _read_nested(self, section: Tag, tag: Tag) -> None:
        """Read a tag before the closing tag of the open section: text if no field has its name.

        The opening tag of the same section may stand twice in a row. Any other tag of a field could begin a section.
        """
        if tag.field is None:
            return
        is_repeated = tag.name == section.name and not self._text[section.end : tag.start].strip(BLANKS)
        if not is_repeated or tag.is_empty:
            raise UnreadableError("malformed", tag.start)
        self._state.section = tag

    def _has_close_after(self, section: Tag, tag: Tag) -> bool:
        """Return whether a closing tag with the name of `section` stands after `tag`."""
        return self._last_close.get(section.name, -1) > tag.start

    def _keep(self, section: Tag, end: int) -> None:
        """Keep the text of a section that ends at the offset `end` unless it is blank, dots alone or part of a sentence."""
        inside = self._text[section.end : end].strip(BLANKS)
        is_part = section.words_beside == _BOTH_SIDES and len(inside.encode()) < _PART_BYTES
        if section.field is not None and inside and not _DOTS.fullmatch(inside) and not is_part:
            self._found.append(Section(section.field, inside, section.words_beside > 0))

    def _truncated(self, *, is_final: bool = False) -> UnreadableError:
        return UnreadableError("truncated", len(self._text), is_final=is_final)


class _Fences:
    """The code fences of a text; offsets must be asked for from left to right."""

    def __init__(self, text: str) -> None:
        has_fences = "```" in text or "~~~" in text
        self._left = deque(itertools.islice(_FENCE.finditer(text), _MAX_FENCES) if has_fences else ())

    def end_before(self, position: int, section_start: int) -> int:
        """Return where the last fence ends that begins before `position`, after `section_start`; 0 if there is none.

        Raises:
            OpenFenceError: such a fence never ends.
        """
        end = 0
        while self._left and self._left[0].start() < position:
            opening = self._left.popleft()
            if opening.start() >= section_start:
                end = self._end_of(opening)
        return end

    def _end_of(self, opening: re.Match[str]) -> int:
        """Return where the fence that a line opens ends: at the same characters, as many or more, without a label."""
        marker = opening["marker"]
        while self._left:
            closing = self._left.popleft()
            label = closing["label"].strip()
            is_same = closing["marker"][0] == marker[0] and len(closing["marker"]) >= len(marker)
            if is_same and (not label or label.startswith("</")):
                return int(closing.end("marker"))
        raise OpenFenceError("truncated", opening.start())
