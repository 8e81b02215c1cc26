"""A brace → the JSON object that it begins: its kind, its value and where it ends; read as strict JSON first."""

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
    put,
    read_object,
)
from indexer.llm.reply.text import BLANKS, BrokenError

# a text that ends before it is clear whether it is an object
_CUT = re.compile(
    r"(?:[^\W\d][\w$-]{0,99}+(?:\s{0,99}+[:=])?|[\"“'‘][^\"“”'‘’{}\n]{0,300}+(?:[\"”'’]\s{0,9}+)?)?"
    r"\s{0,99}+(?:(?:`{3,}+|~{3,}+)\s{0,99}+)?\Z"
)
_COLON_LIKE = re.compile(r"[:：︰﹕=]|->")
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


def _record(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record: dict[str, Any] = {}
    for key, value in pairs:
        put(record, key, value)
    return record


DECODER = json.JSONDecoder(strict=False, parse_float=_float, parse_constant=_constant, object_pairs_hook=_record)


class Looks(Enum):
    """The kind of object that a brace begins, by its first key: none, in quotes, without quotes, or cut off."""

    EMPTY = auto()
    QUOTED = auto()
    BARE = auto()
    CUT = auto()


def whole_object(raw: str) -> dict[str, Any] | None:
    """Return the object of a reply that is nothing else, in strict JSON except for line ends inside texts; else None."""
    text = raw.strip(BLANKS)
    if not (text.startswith("{") and text.endswith("}")):
        return None
    try:
        record, end = strict(text, 0)
    except BrokenError:
        return None
    return record if end == len(text) else None


def looks_like(text: str, at: int) -> Looks | None:
    """Return the kind of object that the brace at `at` begins; None for a brace in prose."""
    inside = _after_blanks(text, at + 1)
    if text.startswith(",", inside):
        inside = _after_blanks(text, inside + 1)
    if text[inside : inside + 1] in ("}", "｝"):
        return Looks.EMPTY
    quoted = QUOTED_KEY.match(text, inside)
    half = None if quoted else HALF_KEY.match(text, inside)
    if half or (quoted and _COLON_LIKE.match(text, _after_blanks(text, quoted.end()))):
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
    """Return the object at a brace, in strict JSON or as models write it, and the offset where it ends.

    Raises:
        BrokenError: it cannot be read in one way.
    """
    try:
        return strict(text, at)
    except BrokenError as error:
        if error.is_final:
            raise
    record, end = read_object(text, at)
    _check_surrogates(text, record, at, end)
    return record, end


def strict(text: str, at: int) -> tuple[Any, int]:
    """Return the value at an offset in strict JSON, with line ends allowed inside texts, and the offset where it ends.

    Raises:
        BrokenError: it is no such JSON, is too deep, or holds lone surrogates.
    """
    try:
        value, end = DECODER.raw_decode(text, at)
    except RecursionError:
        raise BrokenError("too_deep", at, is_final=True) from None
    except ValueError as error:
        raise BrokenError("malformed", getattr(error, "pos", at)) from None
    if text.count("{", at, end) + text.count("[", at, end) > MAX_DEPTH and _depth(text[at:end]) > MAX_DEPTH:
        raise BrokenError("too_deep", at, is_final=True)
    _check_surrogates(text, value, at, end)
    return value, end


def _check_surrogates(text: str, value: Any, at: int, end: int) -> None:
    """Refuse lone surrogates (halves of characters), which no file can hold."""
    if _SURROGATE.search(text, at, end):
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise BrokenError("malformed", at, is_final=True) from None


def _depth(text: str) -> int:
    """Return how deep JSON is nested, without regard to brackets in its texts."""
    outside = "".join(text.replace("\\\\", "").replace('\\"', "").split('"')[::2])
    brackets = re.sub(r"[^{}\[\]]+", "", outside)
    return max(itertools.accumulate(1 if bracket in "{[" else -1 for bracket in brackets), default=0)


def span(text: str, at: int) -> tuple[int | None, bool]:
    """Return the offset behind the bracket that closes the one at `at`, None if none does, and whether a wrong one came."""
    expected: list[str] = []
    for match in _TOKEN.finditer(text, at):
        found = match.group()
        if found in "{[":
            expected.append("}" if found == "{" else "]")
        elif found in "}]":
            if not expected or expected.pop() != found:  # a wide bracket opens nothing here
                return None, True
            if not expected:
                return match.end(), False
    return None, False
