"""A reply → the JSON object that answers: the whole reply, else the first in a fence, else the first in its prose.

Refuses objects that are cut off, nested too deep, hold NaN or lone surrogates, or can be read in two ways: then what stands
inside is not the answer either. Each character is read a bounded number of times.
"""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass
from typing import Any

import regex as re  # the possessive groups of re match wrongly before Python 3.11.5 (cpython#106052)

from indexer.llm.reply_lenient import (
    MAX_DEPTH,
    QUOTED_KEY,
    BrokenError,
    read_object,
    without_entities,
    without_escapes,
    without_line_numbers,
)
from indexer.llm.reply_spec import ReplySpec, reply_error
from indexer.llm.reply_text import BLANKS, read_answer

#: How good a place is for an answer, the best first.
JSON_FENCE, PLAIN_FENCE, PROSE, LOOSE, OTHER_FENCE = range(5)
#: After so many objects that cannot be read, and so many that can where a better place may follow, nothing more is read.
_MANY_BROKEN, _MANY_FOUND = 100, 10_000
#: Nor after so many braces in prose and fences.
_MANY_MARKS = 50_000

_MARK = re.compile(r"(?P<fence>`{3,}+|~{3,}+)|[{｛]++")
_LABEL = re.compile(r"(?:\{\s?\.?|\.)?([A-Za-z][\w.+#/-]{0,40}+)(?:[^\n{\[`]{0,200}+\}(?=\s))?")
_LATE_LABEL = re.compile(r"[ \t]{1,9}+(json\w?)\b", re.IGNORECASE)
_PLAIN = frozenset(("text", "txt", "plain", "plaintext", "markdown", "md", "output", "response", "answer", "result"))
_LINE_START = re.compile(r"[ \t>]{0,40}+(?:(?:\d{1,9}[.)]|[-*+])[ \t]{1,9})?[ \t]{0,40}\Z")
_GAP = r"(?:[\s\u200b\ufeff]++|//[^\n]{0,300}+\n|/\*(?:[^*]|\*(?!/)){0,300}+\*/|#[^\n]{0,300}+\n){0,20}+"
_SIGN = r"\s{0,99}+(?:=>|[:：=])"
_VALUE = r"\s{0,99}+(?:[\"'“‘`\[{\d+.-]|(?:true|false|null|none|undefined|nan|infinity)\b)"
# what tells an object from a brace in prose
_OBJECT = re.compile(
    rf"[{{｛]{_GAP}(?:(?P<empty>[}}｝])|(?P<quoted>(?:{QUOTED_KEY.pattern}){_SIGN})|(?P<bare>[^\W\d][\w$-]{{0,99}}+{_SIGN}{_VALUE})"
    # or the text ends before it can tell
    r"|(?P<cut>(?:[^\W\d][\w$-]{0,99}+(?:\s{0,99}+[:=])?|[\"“'‘][^\"“”'‘’{}\n]{0,300}+(?:[\"”'’]\s{0,9}+)?)?\s{0,99}+(?:(?:`{3,}+|~{3,}+)\s{0,99}+)?\Z))",
    re.IGNORECASE,
)
_LOST_BRACE = re.compile(r"(?:\"[^\"\\\n]{1,300}+\"|[A-Za-z_]\w{0,99}+\")\s{0,99}+:")
_PACKED = re.compile(r"\"\s{0,99}+\{(?:\s|\\[nrt]){0,99}+\\\"")
# an object that is the value of a key outside of any object
_KEY_BEFORE = re.compile(r"\"\s*:\s*\Z")
_GOES_ON = re.compile(r"\s{0,99}+(?:\}|,\s{0,99}+\"[^\"\n]{1,300}+\"\s{0,9}+:)")
_TOKEN = re.compile(r"\"(?:[^\"\\]++|\\.)*+(?:\"|\\?\Z)|[{}\[\]]", re.DOTALL)
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


class _NotStrictError(ValueError):
    """A number or word that JSON does not have."""


def _float(written: str) -> float:
    value = float(written)
    if value in (float("inf"), float("-inf")):
        raise _NotStrictError(written)
    return value


def _constant(name: str) -> float:
    raise _NotStrictError(name)


_DECODER = json.JSONDecoder(strict=False, parse_float=_float, parse_constant=_constant)


@dataclass(frozen=True, slots=True)
class Found:
    """An object and where it stands in its text; 0, 0 if it stands there in another form."""

    record: dict[str, Any]
    start: int = 0
    end: int = 0
    place: int = PROSE


def parse_json(raw: str, spec: ReplySpec) -> dict[str, Any]:
    """The record of a reply in JSON; fields stand first in it, under their own names.

    Raises:
        ReplyError: there is none.
    """
    whole = whole_object(raw)
    if whole is None:
        answer = read_answer(raw)
        try:
            whole = find_object(answer.text).record
        except BrokenError as error:
            raise answer.error(error.kind, error.position) from None
    return _named(raw, whole, spec)


def whole_object(raw: str) -> dict[str, Any] | None:
    """The object that a reply is and nothing else, in strict JSON but for line ends inside its texts."""
    text = raw.strip(BLANKS)
    if not (text.startswith("{") and text.endswith("}")):
        return None
    try:
        record, end = _strict(text, 0)
    except BrokenError:
        return None
    return record if end == len(text) else None


def find_object(text: str) -> Found:
    """The object that answers.

    Raises:
        BrokenError: there is none.
    """
    if not any(sign in text for sign in "{}｛"):
        raise BrokenError("no_json", 0)
    # before all else: a brace and its key may stand on two numbered lines
    plain = without_line_numbers(text)
    if plain is not None:
        try:
            return Found(_Scan(plain).best().record)
        except BrokenError as error:
            raise BrokenError(error.kind, 0) from None
    try:
        return _Scan(text).best()
    except BrokenError as error:
        for other in (without_escapes, without_entities):
            changed = other(text) if error.kind == "no_json" else None
            if changed is not None:
                return Found(_Scan(changed).best().record)
        raise


def _named(raw: str, record: dict[str, Any], spec: ReplySpec) -> dict[str, Any]:
    rest, named = dict(record), {}
    for wanted in spec.fields:
        name = next((name for name in (wanted.name, *wanted.aliases) if name in rest), None)
        if name is not None:
            named[wanted.name] = rest.pop(name)
        elif wanted.required:
            raise reply_error("missing_field", raw, 0, f"there is no {wanted.name!r}")
    return {**named, **rest}


class _Scan:
    """Goes over the fences and braces of a text once, from left to right, and keeps what comes first in each place."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._last_fence = max(text.rfind("```"), text.rfind("~~~"))
        self._fences: list[tuple[str, int]] = []  # the signs of those that are open, and what they are a place for
        self._first: dict[int, Found | BrokenError] = {}
        self._tries = self._marks = self._openings = 0
        self._prose_brace = -1
        at = self._opening(0, PROSE)
        while at is not None and not self._is_enough(at) and (mark := _MARK.search(text, at)):
            if not mark["fence"]:
                at = self._object(mark.end() - 1, self._fences[-1][1] if self._fences else PROSE)
                continue
            at = self._fence(mark)
            if self._fences and self._fences[-1][1] < PROSE:
                at = self._opening(at, self._fences[-1][1])

    def best(self) -> Found:
        """What stands in the best place.

        Raises:
            BrokenError: it cannot be read, or there is nothing.
        """
        found = [self._first[place] for place in sorted(self._first)]
        # a template is no answer, wherever it stands
        chosen = next((one for one in found if isinstance(one, Found) or not one.is_template), found[0] if found else None)
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
        return min(found) == JSON_FENCE or self._tries > _MANY_FOUND or (at > self._last_fence and min(found) <= PROSE)

    def _keep(self, place: int, one: Found | BrokenError) -> None:
        first = self._first.get(place)
        if first is None or (isinstance(first, BrokenError) and first.is_template):
            self._first[place] = one

    def _fence(self, mark: re.Match[str]) -> int:
        """Open or close a fence; where its label ends."""
        text, sign, at = self._text, mark["fence"], mark.end()
        label = _LABEL.match(text, at)
        if self._fences and self._fences[-1][0][0] == sign[0]:
            begins_line = _LINE_START.match(text[max(0, mark.start() - 100) : mark.start()].rpartition("\n")[2])
            line_end = text.find("\n", at, at + 300)
            if not label or not begins_line or "```" in text[at : line_end if line_end >= 0 else at + 300]:
                self._fences.pop()
                return at
        label = label or _LATE_LABEL.match(text, at)
        self._fences.append((sign, _place(label[1] if label else "")))
        return label.end() if label else at

    def _opening(self, at: int, place: int) -> int | None:
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
                record, end = _read(brace + text[begin:], 0)
                end += begin - len(brace)
            elif text.startswith('"', begin):
                inner, end = _DECODER.raw_decode(text, begin)
                packed = inner.strip(BLANKS)
                if not (packed.startswith("{") and packed.endswith("}")):
                    return at
                whole = whole_object(packed)
                if whole is None:
                    raise BrokenError("malformed", begin)
                record = whole
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

    def _object(self, at: int, place: int) -> int | None:
        """Read what a brace begins; where to go on, None where nothing that follows can be trusted."""
        text = self._text
        looks = _OBJECT.match(text, at)
        if looks is None:
            self._prose_brace = at
            return at + 1
        if looks["cut"] is not None:
            self._keep(place, BrokenError("truncated", len(text)))
            return None
        if looks["bare"] and place == PROSE:
            place = LOOSE
        self._tries += 1
        try:
            if place != OTHER_FENCE:
                self._check_arrays(at)
            record, end = _read(text, at) if place != OTHER_FENCE else _strict(text, at)
        except BrokenError as error:
            return self._broken(at, place, error)
        if self._is_inside(at, end):
            self._keep(place, BrokenError("malformed", at))
            return None
        self._keep(place, Found(record, at, end, place))
        return end

    def _broken(self, at: int, place: int, error: BrokenError) -> int | None:
        """Go over an object that cannot be read, never to one inside it."""
        end, is_crossed = _span(self._text, at)
        if error.is_final or self._text[at] == "｛":
            end = None
        elif end is None and not is_crossed and error.kind != "too_deep":
            error = BrokenError("truncated", len(self._text))
        elif error.kind == "truncated":
            error = BrokenError("malformed", at)  # its braces pair, but a text in it never ends
        elif place == LOOSE:
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
            _DECODER.raw_decode(text, start)
        except RecursionError:
            raise BrokenError("too_deep", start, is_final=True) from None
        except ValueError:
            end, is_crossed = _span(text, start)
            if end is None:
                raise BrokenError("malformed" if is_crossed else "truncated", start, is_final=True) from None

    def _is_inside(self, at: int, end: int) -> bool:
        """Whether an object is the value of a key that stands in no object, because a brace was lost or is not one."""
        text = self._text
        has_key, goes_on = _KEY_BEFORE.search(text[max(0, at - 100) : at]), _GOES_ON.match(text, end)
        brace = self._prose_brace
        is_open = 0 <= brace < at - 1 and text.find("}", brace, at) < 0
        return sum(map(bool, (has_key, goes_on, is_open))) > 1


def _place(label: str) -> int:
    name = label.lower().removeprefix("application/")
    if name.startswith("json"):
        return JSON_FENCE
    return PLAIN_FENCE if not name or name in _PLAIN else OTHER_FENCE


def _read(text: str, at: int) -> tuple[dict[str, Any], int]:
    """The object at a brace, in JSON or in what can only mean one."""
    try:
        return _strict(text, at)
    except BrokenError as error:
        if error.is_final:
            raise
    record, end = read_object(text, at)
    _check_signs(text, record, at, end)
    return record, end


def _strict(text: str, at: int) -> tuple[Any, int]:
    try:
        value, end = _DECODER.raw_decode(text, at)
    except RecursionError:
        raise BrokenError("too_deep", at, is_final=True) from None
    except ValueError as error:
        raise BrokenError("malformed", getattr(error, "pos", at)) from None
    if text.count("{", at, end) + text.count("[", at, end) > MAX_DEPTH and _depth(text[at:end]) > MAX_DEPTH:
        raise BrokenError("too_deep", at, is_final=True)
    _check_signs(text, value, at, end)
    return value, end


def _check_signs(text: str, value: Any, at: int, end: int) -> None:
    """Refuse halves of signs (lone surrogates), which no file can hold."""
    if _SURROGATE.search(text, at, end):
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise BrokenError("malformed", at, is_final=True) from None


def _depth(text: str) -> int:
    """How deep JSON is nested, without its texts."""
    outside = "".join(text.replace("\\\\", "").replace('\\"', "").split('"')[::2])
    signs = re.sub(r"[^{}\[\]]+", "", outside)
    return max(itertools.accumulate(1 if sign in "{[" else -1 for sign in signs))


def _span(text: str, at: int) -> tuple[int | None, bool]:
    """Where the bracket at a place is closed, None if never; and whether one of another kind closes instead."""
    expected: list[str] = []
    for match in _TOKEN.finditer(text, at):
        sign = match.group()
        if sign in "{[":
            expected.append("}" if sign == "{" else "]")
        elif sign in "}]":
            if expected.pop() != sign:
                return None, True
            if not expected:
                return match.end(), False
    return None, False


def fenced_json(text: str) -> str | None:
    """The source of the object that answers, if it stands in a fence for JSON or for nothing in particular."""
    try:
        found = find_object(text)
    except BrokenError:
        return None
    return text[found.start : found.end] if found.place < PROSE and found.end else None
