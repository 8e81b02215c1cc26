"""A reply → the JSON object that answers: the whole reply, else the first in a fence, else the first in its prose.

Refuses objects that are cut off, nested too deep, hold NaN or lone surrogates, or can be read in two ways: then what stands
inside is not the answer either. Each character is read a bounded number of times.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import regex as re  # the possessive groups of re match wrongly before Python 3.11.5 (cpython#106052)

from indexer.llm.reply.lenient import BrokenError
from indexer.llm.reply.names import fields_of, missing, named
from indexer.llm.reply.objects import DECODER, Looks, looks_like, read_json, span, strict, whole_object
from indexer.llm.reply.places import (
    Pages,
    Place,
    ends_its_line,
    is_all_after,
    is_all_before,
    is_presented,
    place_of,
)
from indexer.llm.reply.spec import ReplySpec, reply_error
from indexer.llm.reply.text import BLANKS, read_answer
from indexer.llm.reply.wrapping import (
    without_doubled_braces,
    without_doubled_quotes,
    without_entities,
    without_escapes,
    without_line_numbers,
    without_quote_marks,
)

#: After so many objects that cannot be read, and so many that can where a better place may follow, nothing more is read.
_MANY_BROKEN, _MANY_FOUND = 100, 10_000
#: Nor after so many braces in prose and fences.
_MANY_MARKS = 50_000

_MARK = re.compile(r"(?P<fence>`{3,}+|~{3,}+)|<(?P<page>!doctype(?=\s+html)|html|style|script)\b|[{｛]++", re.IGNORECASE)
_LABEL = re.compile(r"(?:\{\s?\.?|\.)?([A-Za-z][\w.+#/-]{0,40}+)(?:[^\n{\[`]{0,200}+\}(?=\s))?")
_LATE_LABEL = re.compile(r"[ \t]{1,9}+(json\w?)\b", re.IGNORECASE)
_LINE_START = re.compile(r"[ \t>]{0,40}+(?:(?:\d{1,9}[.)]|[-*+])[ \t]{1,9})?[ \t]{0,40}\Z")
_LOST_BRACE = re.compile(r"(?:\"[^\"\\\n]{1,300}+\"|[A-Za-z_]\w{0,99}+\")\s{0,99}+:")
_PACKED = re.compile(r"\"\s{0,99}+\{(?:\s|\\[nrt]){0,99}+\\\"")
# an object that is the value of a key outside of any object
_KEY_BEFORE = re.compile(r"\"\s*:\s*\Z")
_GOES_ON = re.compile(r"\s{0,99}+(?:\}|,\s{0,99}+\"[^\"\n]{1,300}+\"\s{0,9}+:)")


#: Whether an object has what is asked for.
Fits = Callable[[dict[str, Any]], bool]


@dataclass(frozen=True, slots=True)
class Found:
    """An object and where it stands in its text; 0, 0 if it stands there in another form."""

    record: dict[str, Any]
    start: int = 0
    end: int = 0
    place: Place = Place.PROSE


@dataclass(frozen=True, slots=True)
class _Fence:
    """An open fence: its sign, what it is a place for, and where its text begins."""

    sign: str
    place: Place
    begin: int


def parse_json(raw: str, spec: ReplySpec) -> dict[str, Any]:
    """The record of a reply in JSON; fields stand first in it, under their own names.

    Raises:
        ReplyError: there is none.
    """
    fields = fields_of(spec)
    whole = whole_object(raw)
    if whole is None:
        answer = read_answer(raw)
        try:
            whole = find_object(answer.text, lambda record: named(record, fields) is not None).record
        except BrokenError as error:
            raise answer.error(error.kind, error.position) from None
    record = named(whole, fields)
    if record is not None:
        return record
    if spec.fields:
        raise reply_error("missing_field", raw, 0, f"there is no {missing(whole, fields)!r}")
    return whole  # the schema says what it lacks


def find_object(text: str, fits: Fits | None = None) -> Found:
    """The object that answers: the first in the best place of those that fit.

    Raises:
        BrokenError: there is none.
    """
    if not any(sign in text for sign in "{}｛"):
        raise BrokenError("no_json", 0)
    # before all else: a brace and its key may stand on two numbered lines
    plain = without_line_numbers(text)
    if plain is not None:
        try:
            return Found(_Scan(plain, fits).best().record)
        except BrokenError as error:
            raise BrokenError(error.kind, 0) from None
    try:
        return _Scan(text, fits).best()
    except BrokenError as error:
        for other in _OTHER_WRITINGS:
            is_worth_it = error.kind == "no_json" or (error.kind == "malformed" and other is without_doubled_braces)
            changed = other(text) if is_worth_it else None
            if changed is not None:
                try:
                    return Found(_Scan(changed, fits).best().record)
                except BrokenError as other_error:
                    raise BrokenError(other_error.kind, 0) from None
        raise


_OTHER_WRITINGS = (without_escapes, without_entities, without_doubled_quotes, without_doubled_braces, without_quote_marks)


class _Scan:
    """Goes over the fences and braces of a text once, from left to right, and keeps what comes first in each place."""

    def __init__(self, text: str, fits: Fits | None) -> None:
        self._text = text
        self._fits = fits
        self._pages = Pages(text)
        self._last_fence = max(text.rfind("```"), text.rfind("~~~"))
        self._fences: list[_Fence] = []  # those that are open
        self._first: dict[Place, Found | BrokenError] = {}
        self._unfit: Found | None = None
        self._tries = self._marks = self._openings = 0
        self._prose_brace = -1
        at = self._opening(0, Place.PROSE)
        while at is not None and not self._is_enough(at) and (mark := _MARK.search(text, at)):
            if mark["fence"]:
                at = self._fence(mark)
                if self._fences and self._fences[-1].place < Place.PROSE:
                    at = self._opening(at, self._fences[-1].place)
            elif mark["page"]:
                at = self._pages.end(mark["page"], mark.start()) or mark.end()
            else:
                at = self._object(mark.end() - 1, self._fences[-1].place if self._fences else Place.PROSE)

    def best(self) -> Found:
        """What stands in the best place.

        Raises:
            BrokenError: it cannot be read, or there is nothing.
        """
        found = [self._first[place] for place in sorted(self._first)]
        # a template is no answer, wherever it stands
        chosen = next((one for one in found if isinstance(one, Found) or not one.is_template), found[0] if found else None)
        if not isinstance(chosen, Found) and self._unfit and (chosen is None or chosen.is_template):
            return self._unfit
        if chosen is None:
            raise BrokenError("no_json", 0)
        if isinstance(chosen, BrokenError):
            raise chosen
        return chosen

    def _is_enough(self, at: int) -> bool:
        self._marks += 1
        if self._marks > _MANY_MARKS:
            return True
        found = [place for place, one in self._first.items() if isinstance(one, Found)]
        if not found:
            return self._tries > _MANY_BROKEN
        return (
            min(found) == Place.JSON_FENCE
            or self._tries > _MANY_FOUND
            or (at > self._last_fence and min(found) <= Place.PROSE)
        )

    def _keep(self, place: Place, one: Found | BrokenError) -> None:
        if isinstance(one, Found) and self._fits and not self._fits(one.record):
            self._unfit = self._unfit or one
            return
        first = self._first.get(place)
        if first is None or (isinstance(first, BrokenError) and first.is_template):
            self._first[place] = one

    def _fence(self, mark: re.Match[str]) -> int:
        """Open or close a fence; where its label ends."""
        text, sign, at = self._text, mark["fence"], mark.end()
        label = _LABEL.match(text, at)
        if self._fences and self._fences[-1].sign[0] == sign[0]:
            begins_line = _LINE_START.match(text[max(0, mark.start() - 100) : mark.start()].rpartition("\n")[2])
            line_end = text.find("\n", at, at + 300)
            if not label or not begins_line or "```" in text[at : line_end if line_end >= 0 else at + 300]:
                self._fences.pop()
                return at
        label = label or _LATE_LABEL.match(text, at)
        at = label.end() if label else at
        line_end = text.find("\n", at, at + 300)
        self._fences.append(_Fence(sign, place_of(label[1] if label else ""), line_end + 1 or at))
        return at

    def _opening(self, at: int, place: Place) -> int | None:
        """Read what only the beginning of a reply or fence can be: JSON inside a text, or an object whose brace was lost."""
        text, begin = self._text, at
        self._openings += 1
        if self._openings > _MANY_BROKEN or place in self._first:
            return at
        while text[begin : begin + 1].isspace():
            begin += 1
        try:
            if _LOST_BRACE.match(text, begin):
                brace = "{" if text[begin] == '"' else '{"'
                record, end = read_json(brace + text[begin:], 0)
                end += begin - len(brace)
            elif text.startswith('"', begin):
                inner, end = DECODER.raw_decode(text, begin)
                packed = inner.strip(BLANKS)
                packed = without_escapes(packed) or packed
                if not (packed.startswith("{") and packed.endswith("}") and looks_like(packed, 0)):
                    return at
                record, inner_end = read_json(packed, 0)
                if inner_end < len(packed):
                    raise BrokenError("malformed", begin)
            else:
                return at
        except ValueError:  # no text of JSON
            if not _PACKED.match(text, begin):
                return at
            self._keep(place, BrokenError("truncated", len(text)))
            return None
        except BrokenError as error:
            self._keep(place, BrokenError(error.kind, begin))
            return None
        self._keep(place, Found(record, begin, end, place))
        return end

    def _object(self, at: int, place: Place) -> int | None:
        """Read what a brace begins; where to go on, None where nothing that follows can be trusted."""
        text = self._text
        looks = looks_like(text, at)
        if looks is None:
            self._prose_brace = at
            return at + 1
        if looks is Looks.CUT:
            self._keep(place, BrokenError("truncated", len(text)))
            return None
        if looks is Looks.BARE and place == Place.PROSE:
            place = Place.LOOSE
        self._tries += 1
        try:
            if place != Place.OTHER_FENCE:
                self._check_arrays(at)
            found = self._read_there(at, place, looks)
        except BrokenError as error:
            return self._broken(at, place, error)
        if found is None:
            return self._passed(at, place, looks)
        if self._is_inside(at, found.end):
            self._keep(place, BrokenError("malformed", at))
            return None
        self._keep(place, found)
        return found.end

    def _read_there(self, at: int, place: Place, looks: Looks) -> Found | None:
        """The object at a brace; None if it is not shown as the answer there, and could be code.

        JSON as it should be needs no more to be shown than keys in quotes, but in a fence for another language.
        """
        text, is_bare = self._text, looks is Looks.BARE
        begin = self._fences[-1].begin if self._fences else 0
        if place == Place.JSON_FENCE:
            record, end = read_json(text, at)
            return Found(record, at, end, place)
        if place == Place.OTHER_FENCE:
            if not is_all_before(text, begin, at, is_bare=is_bare):
                return None
            record, end = read_json(text, at)
            return Found(record, at, end, place) if is_all_after(text, end) else None
        if not is_presented(text, begin, at, is_bare=is_bare):
            return self._plainly_json(at, place) if looks is Looks.QUOTED else None
        record, end = read_json(text, at)
        return Found(record, at, end, place) if not is_bare or ends_its_line(text, end) else None

    def _plainly_json(self, at: int, place: Place) -> Found | None:
        try:
            record, end = strict(self._text, at)
        except BrokenError as error:
            if error.is_final:
                raise
            return None
        return Found(record, at, end, place)

    def _passed(self, at: int, place: Place, looks: Looks) -> int | None:
        """Go over an object that is no answer, never to one inside it."""
        end, is_crossed = span(self._text, at)
        if end is None and looks is Looks.QUOTED:
            self._keep(place, BrokenError("malformed" if is_crossed else "truncated", len(self._text)))
        else:
            is_code = looks is not Looks.QUOTED or place == Place.OTHER_FENCE
            self._keep(place, BrokenError("no_json" if is_code else "malformed", at, is_template=True))
        return end

    def _broken(self, at: int, place: Place, error: BrokenError) -> int | None:
        """Go over an object that cannot be read, never to one inside it."""
        end, is_crossed = span(self._text, at)
        if error.is_final or self._text[at] == "｛":
            end = None
        elif end is None and not is_crossed and error.kind != "too_deep":
            error = BrokenError("truncated", len(self._text))
        elif error.kind == "truncated":
            error = BrokenError("malformed", at)  # its braces pair, but a text in it never ends
        elif place == Place.LOOSE:
            error = BrokenError(error.kind, error.position, is_template=True)
        self._keep(place, error)
        return end if error.kind != "too_deep" else None

    def _check_arrays(self, at: int) -> None:
        """Refuse the first object of a list that never ends: a list of records was cut off."""
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

    def _is_inside(self, at: int, end: int) -> bool:
        """Whether an object is the value of a key that stands in no object, because a brace was lost or is not one."""
        text = self._text
        has_key, goes_on = _KEY_BEFORE.search(text[max(0, at - 100) : at]), _GOES_ON.match(text, end)
        brace = self._prose_brace
        is_open = 0 <= brace < at - 1 and text.find("}", brace, at) < 0
        return sum(map(bool, (has_key, goes_on, is_open))) > 1


def fenced_json(text: str) -> str | None:
    """The source of the object that answers, if it stands in a fence for JSON or for nothing in particular."""
    try:
        found = find_object(text)
    except BrokenError:
        return None
    return text[found.start : found.end] if found.place < Place.PROSE and found.end else None
