"""A text with JSON somewhere in it → the object that answers: the first one in the best location.

Goes over the fences, pages and braces of the text once, from left to right. An object inside one that cannot be read is no
answer: reading goes on behind it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import regex as re  # the possessive groups of re match wrongly before Python 3.11.5 (cpython#106052)

from indexer.llm.reply.locations import (
    Location,
    Pages,
    ends_its_line,
    is_all_after,
    is_all_before,
    is_presented,
    location_of,
)
from indexer.llm.reply.objects import DECODER, Looks, looks_like, read_json, span, strict
from indexer.llm.reply.text import BLANKS, BrokenError
from indexer.llm.reply.wrapping import without_escapes

#: The most objects that are tried: where none can be read, and where one was read but a better location may follow.
_MAX_BROKEN, _MAX_FOUND = 100, 10_000
#: The most fences, pages and braces that are looked at.
_MAX_MARKS = 50_000

_MARK = re.compile(r"(?P<fence>`{3,}+|~{3,}+)|<(?P<page>!doctype(?=\s+html)|html|style|script)\b|[{｛]++", re.IGNORECASE)
_LABEL = re.compile(r"(?:\{\s?\.?|\.)?([A-Za-z][\w.+#/-]{0,40}+)(?:[^\n{\[`]{0,200}+\}(?=\s))?")
_LATE_LABEL = re.compile(r"[ \t]{1,9}+(json\w?)\b", re.IGNORECASE)
_LINE_START = re.compile(r"[ \t>]{0,40}+(?:(?:\d{1,9}[.)]|[-*+])[ \t]{1,9})?[ \t]{0,40}\Z")
#: A key whose object has lost its brace: `"key": ` or `key": `.
_LOST_BRACE = re.compile(r"(?:\"[^\"\\\n]{1,300}+\"|[A-Za-z_]\w{0,99}+\")\s{0,99}+:")
#: The beginning of an object inside a JSON text: `"{\"`.
_PACKED = re.compile(r"\"\s{0,99}+\{(?:\s|\\[nrt]){0,99}+\\\"")
_KEY_BEFORE = re.compile(r"\"\s*:\s*\Z")
#: What follows a value inside an object: its closing brace or the next key.
_OBJECT_GOES_ON = re.compile(r"\s{0,99}+(?:\}|,\s{0,99}+\"[^\"\n]{1,300}+\"\s{0,9}+:)")

#: Whether an object has what is asked for.
Fits = Callable[[dict[str, Any]], bool]


@dataclass(frozen=True, slots=True)
class Found:
    """An object, and where it begins and ends in its text; 0, 0 if the text holds it in another form."""

    record: dict[str, Any]
    start: int = 0
    end: int = 0
    location: Location = Location.PROSE


@dataclass(frozen=True, slots=True)
class _Fence:
    """An open fence: the characters that opened it, its location for objects, and the offset where its text begins."""

    marker: str
    location: Location
    begin: int


class JsonScanner:
    """Reads one text.

    Its methods that read something return the offset where to go on, or None where nothing that follows can be trusted.
    """

    def __init__(self, text: str, fits: Fits | None) -> None:
        self._text = text
        self._candidates = _Candidates(fits)
        self._pages = Pages(text)
        self._last_fence = max(text.rfind("```"), text.rfind("~~~"))
        self._fences: list[_Fence] = []  # the open ones, the innermost last
        self._prose_brace = -1  # the last brace that begins no object
        self._marks = self._starts = self._objects = 0  # how many were read

    def scan(self) -> Found:
        """Return the object in the best location.

        Raises:
            BrokenError: it cannot be read, or there is none.
        """
        at = self._read_start(0, Location.PROSE)
        while at is not None and not self._has_enough(at) and (mark := _MARK.search(self._text, at)):
            if mark["fence"]:
                at = self._read_fence(mark)
            elif mark["page"]:
                at = self._pages.end(mark["page"], mark.start()) or mark.end()
            else:
                at = self._read_brace(mark.end() - 1, self._fences[-1].location if self._fences else Location.PROSE)
        return self._candidates.best()

    def _has_enough(self, at: int) -> bool:
        """Return whether nothing from `at` on can be a better answer, or too much was read already."""
        self._marks += 1
        if self._marks > _MAX_MARKS:
            return True
        location = self._candidates.best_location()
        if location is None:
            return self._objects > _MAX_BROKEN
        return (
            location == Location.JSON_FENCE
            or self._objects > _MAX_FOUND
            or (at > self._last_fence and location <= Location.PROSE)
        )

    # --- fences and what begins a text or a fence ---------------------------------------------------------------------

    def _read_fence(self, mark: re.Match[str]) -> int | None:
        """Close the open fence or open another, and read what begins it."""
        text, marker, at = self._text, mark["fence"], mark.end()
        label = _LABEL.match(text, at)
        if self._fences and self._fences[-1].marker[0] == marker[0] and not (label and self._may_nest(mark)):
            self._fences.pop()
        else:
            label = label or _LATE_LABEL.match(text, at)
            at = label.end() if label else at
            line_end = text.find("\n", at, at + 300)
            self._fences.append(_Fence(marker, location_of(label[1] if label else ""), line_end + 1 or at))
        if self._fences and self._fences[-1].location < Location.PROSE:
            return self._read_start(at, self._fences[-1].location)
        return at

    def _may_nest(self, mark: re.Match[str]) -> bool:
        """Return whether a labelled fence inside a fence opens one: it begins its line, and no other follows there."""
        text, at = self._text, mark.end()
        before = text[max(0, mark.start() - 100) : mark.start()].rpartition("\n")[2]
        line_end = text.find("\n", at, at + 300)
        after = text[at : line_end if line_end >= 0 else at + 300]
        return _LINE_START.match(before) is not None and "```" not in after

    def _read_start(self, at: int, location: Location) -> int | None:
        """Read what only the start of a reply or fence can be: an object without its brace, or JSON inside a JSON text."""
        self._starts += 1
        if self._starts > _MAX_BROKEN or self._candidates.has(location):
            return at
        text, begin = self._text, at
        while text[begin : begin + 1].isspace():
            begin += 1
        try:
            read = self._without_brace(begin) if _LOST_BRACE.match(text, begin) else self._packed(begin)
        except BrokenError as error:
            self._candidates.keep(location, error)
            return None
        if read is None:
            return at
        record, end = read
        self._candidates.keep(location, Found(record, begin, end, location))
        return end

    def _without_brace(self, begin: int) -> tuple[dict[str, Any], int]:
        """Read an object whose opening brace was lost, perhaps with the quote after it: `key": 1}`."""
        brace = "{" if self._text[begin] == '"' else '{"'
        record, end = _read_or_blame(brace + self._text[begin:], begin)
        return record, end + begin - len(brace)

    def _packed(self, begin: int) -> tuple[dict[str, Any], int] | None:
        """Read an object inside a JSON text (`"{\\"key\\": 1}"`); None if no such text begins here."""
        text = self._text
        if not text.startswith('"', begin):
            return None
        try:
            inner, end = DECODER.raw_decode(text, begin)
        except ValueError:
            if not _PACKED.match(text, begin):
                return None
            raise BrokenError("truncated", len(text)) from None
        inside = inner.strip(BLANKS)
        inside = without_escapes(inside) or inside
        if not (inside.startswith("{") and inside.endswith("}") and looks_like(inside, 0)):
            return None
        record, inside_end = _read_or_blame(inside, begin)
        if inside_end < len(inside):
            raise BrokenError("malformed", begin)
        return record, end

    # --- objects ------------------------------------------------------------------------------------------------------

    def _read_brace(self, at: int, location: Location) -> int | None:
        """Read the object that a brace begins, if it begins one."""
        looks = looks_like(self._text, at)
        if looks is None:
            self._prose_brace = at
            return at + 1
        if looks is Looks.CUT:
            self._candidates.keep(location, BrokenError("truncated", len(self._text)))
            return None
        if looks is Looks.BARE and location == Location.PROSE:
            location = Location.LOOSE
        self._objects += 1
        try:
            if location != Location.OTHER_FENCE:
                self._check_array_around(at)
            found = self._read_object(at, location, looks)
        except BrokenError as error:
            return self._skip_broken(at, location, error)
        if found is None:
            return self._skip_unpresented(at, location, looks)
        if self._is_inside_object(at, found.end):
            self._candidates.keep(location, BrokenError("malformed", at))
            return None
        self._candidates.keep(location, found)
        return found.end

    def _read_object(self, at: int, location: Location, looks: Looks) -> Found | None:
        """Read the object at a brace; None if the text around it does not present it as the answer, so that it may be code.

        In a fence for JSON every object is an answer, in a fence for another language only one that stands there alone. In
        prose, strict JSON with quoted keys needs no words before it.
        """
        text, is_bare = self._text, looks is Looks.BARE
        begin = self._fences[-1].begin if self._fences else 0
        if location == Location.JSON_FENCE:
            record, end = read_json(text, at)
            return Found(record, at, end, location)
        if location == Location.OTHER_FENCE:
            if not is_all_before(text, begin, at, is_bare=is_bare):
                return None
            record, end = read_json(text, at)
            return Found(record, at, end, location) if is_all_after(text, end) else None
        if not is_presented(text, begin, at, is_bare=is_bare):
            return self._read_strict(at, location) if looks is Looks.QUOTED else None
        record, end = read_json(text, at)
        return Found(record, at, end, location) if not is_bare or ends_its_line(text, end) else None

    def _read_strict(self, at: int, location: Location) -> Found | None:
        """Read the object at a brace if it is strict JSON, else None."""
        try:
            record, end = strict(self._text, at)
        except BrokenError as error:
            if error.is_final:
                raise
            return None
        return Found(record, at, end, location)

    def _skip_unpresented(self, at: int, location: Location, looks: Looks) -> int | None:
        """Go over an object that is not presented as the answer, with all objects inside it."""
        end, is_crossed = span(self._text, at)
        if end is None and looks is Looks.QUOTED:
            self._candidates.keep(location, BrokenError("malformed" if is_crossed else "truncated", len(self._text)))
        else:
            is_code = looks is not Looks.QUOTED or location == Location.OTHER_FENCE
            self._candidates.keep(location, BrokenError("no_json" if is_code else "malformed", at, is_template=True))
        return end

    def _skip_broken(self, at: int, location: Location, error: BrokenError) -> int | None:
        """Go over an object that cannot be read, with all objects inside it."""
        end, is_crossed = span(self._text, at)
        if error.is_final or self._text[at] == "｛":
            end = None
        elif end is None and not is_crossed and error.kind != "too_deep":
            error = BrokenError("truncated", len(self._text))
        elif error.kind == "truncated":
            error = BrokenError("malformed", at)  # its braces pair, but a text in it never ends
        elif location == Location.LOOSE:
            error = BrokenError(error.kind, error.position, is_template=True)
        self._candidates.keep(location, error)
        return end if error.kind != "too_deep" else None

    def _check_array_around(self, at: int) -> None:
        """Refuse the first object of an array that never ends: a list of records was cut off."""
        text, start, begin = self._text, None, at
        while begin > max(0, at - 100) and (text[begin - 1] == "[" or text[begin - 1].isspace()):
            begin -= 1
            start = begin if text[begin] == "[" else start
        if start is None:
            return
        try:
            DECODER.raw_decode(text, start)
        except RecursionError:
            raise BrokenError("too_deep", start, is_final=True) from None
        except ValueError:
            end, is_crossed = span(text, start)
            if end is None:
                raise BrokenError("malformed" if is_crossed else "truncated", start, is_final=True) from None

    def _is_inside_object(self, at: int, end: int) -> bool:
        """Return whether an object is a value of another one whose brace was lost or was not taken for one.

        Two of three must hold: a key stands before it, a key or brace follows it, a brace before it is still open.
        """
        text, brace = self._text, self._prose_brace
        has_key = _KEY_BEFORE.search(text[max(0, at - 100) : at]) is not None
        goes_on = _OBJECT_GOES_ON.match(text, end) is not None
        is_open = 0 <= brace < at - 1 and text.find("}", brace, at) < 0
        return has_key + goes_on + is_open > 1


class _Candidates:
    """The first object or error of each location, and the first object that does not fit what is asked for."""

    def __init__(self, fits: Fits | None) -> None:
        self._fits = fits
        self._first: dict[Location, Found | BrokenError] = {}
        self._unfit: Found | None = None

    def has(self, location: Location) -> bool:
        return location in self._first

    def keep(self, location: Location, one: Found | BrokenError) -> None:
        """Keep an object or error, unless its location has one; the error of a template gives way to anything."""
        if isinstance(one, Found) and self._fits and not self._fits(one.record):
            self._unfit = self._unfit or one
            return
        first = self._first.get(location)
        if first is None or (isinstance(first, BrokenError) and first.is_template):
            self._first[location] = one

    def best_location(self) -> Location | None:
        """Return the best location that has an object."""
        return min((location for location, one in self._first.items() if isinstance(one, Found)), default=None)

    def best(self) -> Found:
        """Return the object in the best location; templates count only where nothing else was found.

        Raises:
            BrokenError: it cannot be read, or there is none.
        """
        ranked = [self._first[location] for location in sorted(self._first)]
        real = (one for one in ranked if isinstance(one, Found) or not one.is_template)
        chosen = next(real, ranked[0] if ranked else None)
        if not isinstance(chosen, Found) and self._unfit and (chosen is None or chosen.is_template):
            return self._unfit
        if chosen is None:
            raise BrokenError("no_json", 0)
        if isinstance(chosen, BrokenError):
            raise chosen
        return chosen


def _read_or_blame(source: str, position: int) -> tuple[dict[str, Any], int]:
    """Read the object at the beginning of `source`; errors stand at `position`, where the reply has it in another form."""
    try:
        return read_json(source, 0)
    except BrokenError as error:
        raise BrokenError(error.kind, position) from None
