"""A brace → the JSON object it begins: whether there is one, what it says, where it ends; strict JSON first."""

from __future__ import annotations

import itertools
import json
from enum import Enum, auto
from typing import Any

import regex as re  # the possessive groups of re match wrongly before Python 3.11.5 (cpython#106052)

from indexer.llm.reply.lenient import (
    BARE_KEY,
    BLANK,
    COLON,
    HALF_KEY,
    MAX_DEPTH,
    QUOTED_KEY,
    VALUE,
    read_object,
)
from indexer.llm.reply.text import BLANKS, BrokenError

# where a text ends before it can tell whether it is an object
_CUT = re.compile(
    r"(?:[^\W\d][\w$-]{0,99}+(?:\s{0,99}+[:=])?|[\"“'‘][^\"“”'‘’{}\n]{0,300}+(?:[\"”'’]\s{0,9}+)?)?"
    r"\s{0,99}+(?:(?:`{3,}+|~{3,}+)\s{0,99}+)?\Z"
)
_SIGN = re.compile(r"[:：︰﹕=]|->")
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


DECODER = json.JSONDecoder(strict=False, parse_float=_float, parse_constant=_constant)


class Looks(Enum):
    """What a brace begins, by what follows it."""

    EMPTY = auto()
    QUOTED = auto()
    BARE = auto()
    CUT = auto()


def whole_object(raw: str) -> dict[str, Any] | None:
    """The object that a reply is and nothing else, in strict JSON except for line ends inside its texts."""
    text = raw.strip(BLANKS)
    if not (text.startswith("{") and text.endswith("}")):
        return None
    try:
        record, end = strict(text, 0)
    except BrokenError:
        return None
    return record if end == len(text) else None


def looks_like(text: str, at: int) -> Looks | None:
    """Whether the brace at `at` begins an object, and of which kind; None for a brace in prose."""
    inside = _after_blanks(text, at + 1)
    if text.startswith(",", inside):
        inside = _after_blanks(text, inside + 1)
    if text[inside : inside + 1] in ("}", "｝"):
        return Looks.EMPTY
    quoted = QUOTED_KEY.match(text, inside)
    half = None if quoted else HALF_KEY.match(text, inside)
    if half or (quoted and _SIGN.match(text, _after_blanks(text, quoted.end()))):
        return Looks.QUOTED
    bare = BARE_KEY.match(text, inside)
    colon = COLON.match(text, _after_blanks(text, bare.end())) if bare else None
    if colon and VALUE.match(text, _after_blanks(text, colon.end())):
        return Looks.BARE
    return Looks.CUT if _CUT.match(text, inside) else None


def _after_blanks(text: str, at: int) -> int:
    match = BLANK.match(text, at)
    return match.end() if match else at  # it matches everywhere


def read_json(text: str, at: int) -> tuple[dict[str, Any], int]:
    """The object at a brace, in JSON or in what can only mean one."""
    try:
        return strict(text, at)
    except BrokenError as error:
        if error.is_final:
            raise
    record, end = read_object(text, at)
    _check_signs(text, record, at, end)
    return record, end


def strict(text: str, at: int) -> tuple[Any, int]:
    try:
        value, end = DECODER.raw_decode(text, at)
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
    return max(itertools.accumulate(1 if sign in "{[" else -1 for sign in signs), default=0)


def span(text: str, at: int) -> tuple[int | None, bool]:
    """Where the bracket at a place is closed, None if never; and whether one of another kind closes instead."""
    expected: list[str] = []
    for match in _TOKEN.finditer(text, at):
        sign = match.group()
        if sign in "{[":
            expected.append("}" if sign == "{" else "]")
        elif sign in "}]":
            if not expected or expected.pop() != sign:  # a wide bracket opens nothing here
                return None, True
            if not expected:
                return match.end(), False
    return None, False
