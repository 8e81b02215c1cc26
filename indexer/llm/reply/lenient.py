"""Text that should be JSON → the object that it means, if it can be read in one way only.

Repairs what models get wrong: comments, Python and JavaScript literals, other quotes and punctuation, keys without quotes,
missing or doubled commas, quotes inside texts. Never adds a missing brace, and never takes words without quotes for a text.
Reads each character a bounded number of times.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import regex as re  # the possessive groups of re match wrongly before Python 3.11.5 (cpython#106052)

from indexer.llm.reply.quotes import CLOSERS, KINDS, QuotesInside, is_apostrophe, unescape
from indexer.llm.reply.text import BrokenError

MAX_DEPTH = 100

#: Blanks, line ends written as \\n, and comments; bounded, since the text after a quote may be read again for each quote.
BLANK = re.compile(
    r"(?:[\s\u200b-\u200d\ufeff\u2060]++|\\[nrt](?![A-Za-z])|(?://|#)[^\n]{0,300}+(?=\n|\Z)|/\*(?:[^*]|\*(?!/)){0,300}+\*/"
    r"|<!--(?:[^-]|-(?!->)){0,300}+-->){0,20}+"
)
#: A key in quotes, on one line.
QUOTED_KEY = re.compile(
    r"\"(?:[^\"\\\r\n]++|\\.)*+\"|[\"“”„‟＂](?:[^\"“”„‟＂\\\r\n]|\\.){0,300}+[\"“”„‟＂]|['‘’](?:[^'‘’\\\r\n]|\\.){0,300}+['‘’]|`[^`\\\r\n]{0,300}+`"
)
BARE_KEY = re.compile(r"[^\W\d][\w$]{0,300}+")
#: A key whose first quote is missing, without its last quote.
HALF_KEY = re.compile(rf"{BARE_KEY.pattern}(?=[\"”]\s{{0,9}}+[:：])")
COLON = re.compile(r"=>|->|:=|:(?!:)|[：︰﹕]|=(?!=)")
_COMMA = ",，、；;"
#: After a value whose key has no quotes; a semicolon there means a style sheet or code.
_COMMA_BARE = ",，、；"
#: Words between a comma and the next key; the rest of a number such as 1,234, or another value, is none.
_PROSE = re.compile(
    r"(?!\s*+(?:[\d+.-]|(?:true|false|null|none)(?!\w)))[^\"“”'‘’`{}\[\]:：=,\\]{1,300}+(?=[\"“])", re.IGNORECASE
)
#: Characters of a text up to the next quote.
_CHUNK = re.compile(r"(?:[^\"“”„‟＂'‘’`\\]++|\\.)++", re.DOTALL)
_NUMBER = re.compile(r"[+-]?(?:0[xX][0-9a-fA-F]+|(\d+)(\.\d*)?([eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)(?![\w.%/:+-])")
#: A longer number is none (characters): Python could not write it again.
_MOST_DIGITS = 1000
_WORD = re.compile(r"[^\s,，、;；:：{}\[\]\"“”]+")
_LITERALS = {"true": True, "false": False, "null": None, "none": None, "nil": None, "undefined": None}
#: What stands for a value in a template.
_PLACEHOLDER = re.compile(
    r"\.{2,}|…|<.*|(?:str|string|text|int|integer|float|number|bool|boolean|list|array|object|dict|any|value|date)(?:\W|\Z)",
    re.IGNORECASE | re.DOTALL,
)
VALUE = re.compile(r"[\[{｛［\"“”„‟＂'‘’`\d+.-]|(?:true|false|null|none|nil|undefined|nan|infinity)(?!\w)", re.IGNORECASE)
_CONCAT = re.compile(r"\+\s*+(?=[\"'])")
#: Nothing but closing brackets until the text or its fence ends.
_ALL_CLOSED = re.compile(r"[\s}\]]{1,200}+(?:\Z|```)")


def put(record: dict[str, Any], key: str, value: Any) -> None:
    """Add a value to an object; the same value again changes nothing.

    Raises:
        ValueError: the key has another value already, so that the object can be read in two ways.
    """
    if key in record and json.dumps(record[key], sort_keys=True) != json.dumps(value, sort_keys=True):  # 1 is not true
        raise ValueError(key)
    record[key] = value


def read_object(text: str, start: int) -> tuple[dict[str, Any], int]:
    """Return the object whose opening brace stands at `start`, and the offset where it ends.

    Raises:
        BrokenError: it is cut off, too deep, or cannot be read in one way only.
    """
    return _Reader(text).object(start, 1)


class _Reader:
    """Reads one object. Methods that read something return its value and the offset after it."""

    def __init__(self, text: str) -> None:
        self._text = text

    def object(self, at: int, depth: int) -> tuple[dict[str, Any], int]:
        close = "}" if self._text[at] == "{" else "}｝"
        record: dict[str, Any] = {}
        at = self._skip(at + 1)
        if self._text.startswith(",", at):
            at = self._skip(at + 1)
        while self._peek(at) not in close:
            begin = at
            key, is_bare, at = self._key(at)
            value, at = self._value(at, depth)
            try:
                put(record, key, value)
            except ValueError:
                raise BrokenError("malformed", begin) from None
            at = self._next(at, close, self._is_pair, _COMMA_BARE if is_bare else _COMMA)
        return record, at + 1

    def array(self, at: int, depth: int) -> tuple[list[Any], int]:
        close = "]" if self._text[at] == "[" else "]］"
        items: list[Any] = []
        at = self._skip(at + 1)
        while self._peek(at) not in close:
            # "..." stands for further items that were left out on purpose
            if items and self._text.startswith(("...", "…"), at):
                at = self._next(at + (1 if self._text[at] == "…" else 3), close, self._is_value, _COMMA)
                continue
            value, at = self._value(at, depth, in_array=True)
            items.append(value)
            at = self._next(at, close, self._is_value, _COMMA)
        return items, at + 1

    def _peek(self, at: int) -> str:
        if at >= len(self._text):
            raise BrokenError("truncated", len(self._text))
        return self._text[at]

    def _skip(self, at: int) -> int:
        match = BLANK.match(self._text, at)
        return match.end() if match else at  # it matches everywhere

    def _next(self, at: int, close: str, follows: Callable[[int], bool], comma: str) -> int:
        """Skip the comma, which may be missing or doubled; return where the next pair or item or the closing bracket is."""
        begin = at
        at = self._skip(at)
        commas = 0
        while self._peek(at) in comma:
            commas += 1
            at = self._skip(at + 1)
        if self._peek(at) in close:
            if commas > 1:
                raise BrokenError("malformed", at)
            return at
        if not commas:
            if self._may_lack_comma(begin, at, by_line=True) and follows(at):
                return at
            raise BrokenError("malformed", at)
        if close[0] == "}" and not follows(at):
            prose = _PROSE.match(self._text, at)
            if prose and follows(prose.end()):
                return prose.end()
        return at

    def _may_lack_comma(self, begin: int, at: int, *, by_line: bool) -> bool:
        """Return whether blanks from `begin` to `at` may stand for a comma: before a quote or, `by_line`, with a line end.

        {"a": 1 "b": 2} is read, [1 2] is not.
        """
        return at > begin and (self._text[at] in KINDS or (by_line and "\n" in self._text[begin:at]))

    def _is_pair(self, at: int) -> bool:
        """Return whether a key, a colon and the beginning of a value stand here."""
        name = self._name(at)
        colon = COLON.match(self._text, self._skip(name[1])) if name else None
        return colon is not None and VALUE.match(self._text, self._skip(colon.end())) is not None

    def _is_value(self, at: int) -> bool:
        return VALUE.match(self._text, at) is not None

    def _name(self, at: int) -> tuple[slice, int, bool] | None:
        """Return the offsets of a key's name, the offset where the key ends, and whether it has no quotes."""
        if quoted := QUOTED_KEY.match(self._text, at):
            return slice(at + 1, quoted.end() - 1), quoted.end(), False
        if half := HALF_KEY.match(self._text, at):
            return slice(at, half.end()), half.end() + 1, False
        if bare := BARE_KEY.match(self._text, at):
            return slice(at, bare.end()), bare.end(), True
        return None

    def _key(self, at: int) -> tuple[str, bool, int]:
        name = self._name(at)
        if name is None:
            raise BrokenError("malformed", at, is_template=self._text.startswith(("...", "…"), at))
        inside, end, is_bare = name
        colon = COLON.match(self._text, self._skip(end))
        if colon is None:
            raise BrokenError("malformed", end)
        return unescape(self._text, inside.start, inside.stop), is_bare, self._skip(colon.end())

    def _value(self, at: int, depth: int, *, in_array: bool = False) -> tuple[Any, int]:
        first = self._peek(at)
        if first in "{[｛［":
            if depth >= MAX_DEPTH:
                raise BrokenError("too_deep", at)
            return self.object(at, depth + 1) if first in "{｛" else self.array(at, depth + 1)
        if first in KINDS:
            string, at = self._string(at, in_array=in_array)
            while plus := _CONCAT.match(self._text, self._skip(at)):
                more, at = self._string(plus.end(), in_array=in_array)
                string += more
            return string, at
        return self._scalar(at, in_array=in_array)

    def _scalar(self, at: int, *, in_array: bool) -> tuple[Any, int]:
        text = self._text
        number = _NUMBER.match(text, at)
        if number:
            # [1,000] is one number or two, 010 is 8 or 10
            if re.match(r"[+-]?0\d" if in_array else r"[+-]?0+[1-9]\d", number.group()):
                raise BrokenError("malformed", at)
            if number.end() == len(text):
                raise BrokenError("truncated", number.end())
            return _number(number, at), number.end()
        word = _WORD.match(text, at)
        if word is None:
            raise BrokenError("malformed", at)
        if word.end() == len(text):
            raise BrokenError("truncated", word.end())
        folded = word.group().casefold()
        if folded in _LITERALS:
            return _LITERALS[folded], word.end()
        raise BrokenError("malformed", at, is_template=_PLACEHOLDER.match(folded) is not None)

    def _string(self, at: int, *, in_array: bool) -> tuple[str, int]:
        """Read a text in quotes.

        The rules for each next quote of its kind, in this order: an apostrophe is no quote; a quote that ends a smart one
        inside does not end the text; one with JSON behind it ends the text, if the quotes inside are paired; any other one
        stands inside.
        """
        opener = self._text[at]
        if opener in "\"'" and self._text.startswith(opener * 3, at):
            return self._triple(at, in_array=in_array)
        begin, inside = at + 1, QuotesInside(self._text)
        while True:
            at = self._next_quote(at + 1, KINDS[opener])
            if inside.closes_smart(at):
                continue
            if self._ends_string(at, opener, in_array=in_array):
                if not inside.are_paired():
                    raise BrokenError("malformed", at)
                return unescape(self._text, begin, at), at + 1
            inside.take(at)

    def _next_quote(self, at: int, kind: str) -> int:
        """Return where the next of these quotes stands that is no apostrophe and not escaped."""
        while True:
            chunk = _CHUNK.match(self._text, at)
            at = chunk.end() if chunk else at
            if self._peek(at) in kind and not is_apostrophe(self._text, at):
                return at
            at += 1

    def _ends_string(self, at: int, opener: str, *, in_array: bool) -> bool:
        """Return whether the quote at `at` ends the text that `opener` began: only JSON follows it.

        In {"a": "say "hi" now"} a word follows the second and third quote, so that both stand inside. A quote that does not
        belong to `opener` ends the text only before a key or at the very end: {"a": "x”, "b": 1}.
        """
        text = self._text
        if text[at + 1 : at + 2].isalnum() or not self._is_outside(at + 1, in_array=in_array):
            return False
        if text[at] in CLOSERS[opener] or _ALL_CLOSED.match(text, at + 1):
            return True
        comma = self._skip(at + 1)
        return text[comma] in _COMMA and self._is_pair(self._skip(comma + 1))

    def _triple(self, at: int, *, in_array: bool) -> tuple[str, int]:
        """Read a text between three quotes, as in Python."""
        quotes = self._text[at : at + 3]
        end = self._text.find(quotes, at + 3)
        if end < 0:
            raise BrokenError("truncated", len(self._text))
        if not self._is_outside(end + 3, in_array=in_array):
            raise BrokenError("malformed", end)
        return unescape(self._text, at + 3, end), end + 3

    def _is_outside(self, at: int, *, in_array: bool) -> bool:
        """Return whether the characters from `at` on can only stand outside a text.

        They are the closing bracket, a comma with what follows it, a plus with a text, or the next pair or item without a
        comma. A comma and words with no key after them may be a part of the text.
        """
        begin, at = at, self._skip(at)
        first = self._text[at : at + 1]
        if not first:
            return False
        if first in ("]］" if in_array else "}｝"):
            return True
        if first in _COMMA:
            return self._goes_on_after_comma(at, in_array=in_array)
        if _CONCAT.match(self._text, at):
            return True
        follows = self._is_value if in_array else self._is_pair
        return self._may_lack_comma(begin, at, by_line=not in_array) and follows(at)

    def _goes_on_after_comma(self, at: int, *, in_array: bool) -> bool:
        """Return whether a comma, perhaps doubled, stands between two items or pairs, or after the last one."""
        while self._text[at : at + 1] and self._text[at] in _COMMA:
            at = self._skip(at + 1)
        after = self._text[at : at + 1]
        if after and after in "]］}｝":
            return (after in "]］") == in_array
        if in_array:
            return self._is_value(at) or self._text.startswith(("...", "…"), at)
        prose = _PROSE.match(self._text, at)
        return self._is_pair(at) or (prose is not None and self._is_pair(prose.end()))


def _number(match: re.Match[str], at: int) -> int | float:
    written = match.group()
    if len(written) > _MOST_DIGITS:
        raise BrokenError("malformed", at)
    if "x" in written or "X" in written:
        return int(written, 16)
    if match[1] and not match[2] and not match[3]:
        return int(written)
    value = float(written)
    if value in (float("inf"), float("-inf")):
        raise BrokenError("malformed", at)
    return value
