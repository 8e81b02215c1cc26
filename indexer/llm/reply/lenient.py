"""Text that should be JSON → the object it clearly means: one reading or none.

Repairs what models get wrong: comments, Python and JavaScript literals, other quotes and signs, keys without quotes, commas
missing or doubled, quotes inside texts. Refuses whatever can be read in two ways, never adds a brace that is missing, never
takes words without quotes for a text. Reads each character a bounded number of times.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import regex as re  # the possessive groups of re match wrongly before Python 3.11.5 (cpython#106052)

from indexer.llm.reply.text import BrokenError

MAX_DEPTH = 100
#: A text with more quotes in it that are not escaped is none.
_MANY_QUOTES = 1000

#: Blanks, line ends written as \\n, and comments; bounded, since what stands after a quote may be looked at again.
BLANK = re.compile(
    r"(?:[\s\u200b-\u200d\ufeff\u2060]++|\\[nrt](?![A-Za-z])|(?://|#)[^\n]{0,300}+(?=\n|\Z)|/\*(?:[^*]|\*(?!/)){0,300}+\*/"
    r"|<!--(?:[^-]|-(?!->)){0,300}+-->){0,20}+"
)
_DOUBLE, _SINGLE, _TICK = '"“”„‟＂', "'‘’", "`"
_KIN = {**dict.fromkeys(_DOUBLE, _DOUBLE), **dict.fromkeys(_SINGLE, _SINGLE), _TICK: _TICK}
_CLOSERS = {'"': '"', "“": '”“"', "”": "”", "„": '“”"', "‟": "”", "＂": "＂", "'": "'", "‘": "’", "’": "’", "`": "`"}
# a key: no longer than this, on one line
QUOTED_KEY = re.compile(
    r"\"(?:[^\"\\\r\n]++|\\.)*+\"|[\"“”„‟＂](?:[^\"“”„‟＂\\\r\n]|\\.){0,300}+[\"“”„‟＂]|['‘’](?:[^'‘’\\\r\n]|\\.){0,300}+['‘’]|`[^`\\\r\n]{0,300}+`"
)
BARE_KEY = re.compile(r"[^\W\d][\w$]{0,300}+")
#: A key whose first quote is missing: all of it but its last quote.
HALF_KEY = re.compile(rf"{BARE_KEY.pattern}(?=[\"”]\s{{0,9}}+[:：])")
COLON = re.compile(r"=>|->|:=|:(?!:)|[：︰﹕]|=(?!=)")
_COMMA = ",，、；;"
#: After a value whose key has no quotes: with semicolons it is a style sheet or code.
_COMMA_BARE = ",，、；"
_PROSE = re.compile(r"[^\"“”'‘’`{}\[\]:：=,\\]{1,300}+(?=[\"“])")
_CHUNK = re.compile(r"(?:[^\"“”„‟＂'‘’`\\]++|\\.)++", re.DOTALL)
_NUMBER = re.compile(r"[+-]?(?:0[xX][0-9a-fA-F]+|(\d+)(\.\d*)?([eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)(?![\w.%/:+-])")
_WORD = re.compile(r"[^\s,，、;；:：{}\[\]\"“”]+")
_LITERALS = {"true": True, "false": False, "null": None, "none": None, "nil": None, "undefined": None}
# what stands for a value in a template
_PLACEHOLDER = re.compile(
    r"\.{2,}|…|<.*|(?:str|string|text|int|integer|float|number|bool|boolean|list|array|object|dict|any|value|date)(?:\W|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_ESCAPE = re.compile(r"(\\(?:u[0-9a-fA-F]{4}|.))", re.DOTALL)
_ESCAPES = {"\\" + sign: meant for sign, meant in zip("\"'\\/bfnrt", "\"'\\/\b\f\n\r\t", strict=True)}
_LETTERS = frozenset(escape for escape in _ESCAPES if escape[1].isalpha())
VALUE = re.compile(r"[\[{｛［\"“”„‟＂'‘’`\d+.-]|(?:true|false|null|none|nil|undefined|nan|infinity)(?!\w)", re.IGNORECASE)
_CONCAT = re.compile(r"\+\s*+(?=[\"'])")
#: Nothing but closing signs until the text or its fence ends.
_ALL_CLOSED = re.compile(r"[\s}\]]{1,200}+(?:\Z|```)")


def read_object(text: str, start: int) -> tuple[dict[str, Any], int]:
    """The object whose opening brace stands at `start`, and where it ends.

    Raises:
        BrokenError: it is cut off, too deep, or cannot be read in one way only.
    """
    reader = _Reader(text)
    return reader.object(start, 1)


class _Reader:
    """Reads one object; every method takes an offset and gives a value with the offset after it."""

    def __init__(self, text: str) -> None:
        self._text = text

    def object(self, at: int, depth: int) -> tuple[dict[str, Any], int]:
        close = "}" if self._text[at] == "{" else "}｝"
        record: dict[str, Any] = {}
        at = self._skip(at + 1)
        if self._text.startswith(",", at):
            at = self._skip(at + 1)
        while self._peek(at) not in close:
            key, is_bare, at = self._key(at)
            value, at = self._value(at, depth)
            record[key] = value
            at = self._next(at, close, self._is_pair, _COMMA_BARE if is_bare else _COMMA)
        return record, at + 1

    def array(self, at: int, depth: int) -> tuple[list[Any], int]:
        close = "]" if self._text[at] == "[" else "]］"
        items: list[Any] = []
        at = self._skip(at + 1)
        while self._peek(at) not in close:
            # a list that was cut short on purpose
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
        """Over the comma to the next pair or item, or to the closing sign; the comma may be missing or doubled."""
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
            return self._without_comma(begin, at, follows)
        if close[0] == "}" and not follows(at):
            prose = _PROSE.match(self._text, at)
            if prose and follows(prose.end()):
                return prose.end()
        return at

    def _without_comma(self, begin: int, at: int, follows: Callable[[int], bool]) -> int:
        """Where the next pair or item begins, if a blank and a quote or the end of a line tells so."""
        is_told = at > begin and (self._text[at] in _KIN or "\n" in self._text[begin:at])
        if is_told and follows(at):
            return at
        raise BrokenError("malformed", at)

    def _is_pair(self, at: int) -> bool:
        """Whether a key, a colon and the beginning of a value stand here."""
        name = self._name(at)
        colon = COLON.match(self._text, self._skip(name[1])) if name else None
        return colon is not None and VALUE.match(self._text, self._skip(colon.end())) is not None

    def _is_value(self, at: int) -> bool:
        return VALUE.match(self._text, at) is not None

    def _name(self, at: int) -> tuple[slice, int, bool] | None:
        """Where the name of a key stands, where the key ends, and whether it has no quotes."""
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
        place, end, is_bare = name
        colon = COLON.match(self._text, self._skip(end))
        if colon is None:
            raise BrokenError("malformed", end)
        return self._unescape(place.start, place.stop), is_bare, self._skip(colon.end())

    def _value(self, at: int, depth: int, *, in_array: bool = False) -> tuple[Any, int]:
        sign = self._peek(at)
        if sign in "{[｛［":
            if depth >= MAX_DEPTH:
                raise BrokenError("too_deep", at)
            return self.object(at, depth + 1) if sign in "{｛" else self.array(at, depth + 1)
        if sign in _KIN:
            parts, at = self._string(at, in_array=in_array)
            while plus := _CONCAT.match(self._text, self._skip(at)):
                more, at = self._string(plus.end(), in_array=in_array)
                parts += more
            return parts, at
        return self._scalar(at, in_array=in_array)

    def _scalar(self, at: int, *, in_array: bool) -> tuple[Any, int]:
        text = self._text
        number = _NUMBER.match(text, at)
        if number:
            if in_array and re.match(r"[+-]?0\d", number.group()):  # [1,000] is one number or two
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
        """A text in quotes: it ends at the first quote that structure follows, if the quotes inside it come in pairs."""
        opener = self._text[at]
        if opener in "\"'" and self._text.startswith(opener * 3, at):
            return self._triple(at, in_array=in_array)
        begin, inside = at + 1, _QuotesInside(self._text)
        while True:
            at = self._quote(at + 1, _KIN[opener])
            if inside.is_smart_end(at):
                continue
            if self._is_end(at, opener, in_array=in_array):
                if not inside.are_paired():
                    raise BrokenError("malformed", at)
                return self._unescape(begin, at), at + 1
            inside.take(at)

    def _quote(self, at: int, kin: str) -> int:
        """Where the next quote of these kinds stands that is no apostrophe."""
        while True:
            chunk = _CHUNK.match(self._text, at)
            at = chunk.end() if chunk else at
            if self._peek(at) in kin and not _is_apostrophe(self._text, at):
                return at
            at += 1

    def _is_end(self, at: int, opener: str, *, in_array: bool) -> bool:
        """Whether a quote ends the text that `opener` began; one of another kind only before a key or at the very end."""
        text = self._text
        if text[at + 1 : at + 2].isalnum() or not self._ends_text(at + 1, in_array=in_array):
            return False
        if text[at] in _CLOSERS[opener] or _ALL_CLOSED.match(text, at + 1):
            return True
        comma = self._skip(at + 1)
        return text[comma] in _COMMA and self._is_pair(self._skip(comma + 1))

    def _triple(self, at: int, *, in_array: bool) -> tuple[str, int]:
        quotes = self._text[at : at + 3]
        end = self._text.find(quotes, at + 3)
        if end < 0:
            raise BrokenError("truncated", len(self._text))
        if not self._ends_text(end + 3, in_array=in_array):
            raise BrokenError("malformed", end)
        return self._unescape(at + 3, end), end + 3

    def _ends_text(self, at: int, *, in_array: bool) -> bool:
        """Whether what follows a quote can only stand outside a text."""
        begin, at = at, self._skip(at)
        sign = self._text[at : at + 1]
        if not sign:
            return False
        if sign in ("]］" if in_array else "}｝"):
            return True
        follows = self._is_value if in_array else self._is_pair
        if sign in _COMMA:
            while self._text[at : at + 1] and self._text[at] in _COMMA:
                at = self._skip(at + 1)
            after = self._text[at : at + 1]
            if after and after in "]］}｝":
                return (after in "]］") == in_array
            if in_array:
                return follows(at) or self._text.startswith(("...", "…"), at)
            prose = _PROSE.match(self._text, at)
            return follows(at) or (prose is not None and follows(prose.end()))
        if _CONCAT.match(self._text, at):
            return True
        # a comma that is missing: only where quotes follow after a blank, or a pair on the next line
        is_told = sign in _KIN or (not in_array and "\n" in self._text[begin:at])
        return at > begin and is_told and follows(at)

    def _unescape(self, begin: int, end: int) -> str:
        text = self._text[begin:end]
        if "\\" not in text:
            return text
        pieces = _ESCAPE.split(text)  # every other one is an escape
        escapes = set(pieces[1::2])
        if not escapes.isdisjoint(("\\\n", "\\\r")):
            raise BrokenError("malformed", begin)
        if any(escape not in _ESCAPES and escape[-1].isalpha() for escape in escapes if len(escape) == 2) and any(
            escape in _LETTERS and after[:1].isalpha() for escape, after in zip(pieces[1::2], pieces[2::2], strict=True)
        ):
            raise BrokenError("malformed", begin)  # C:\dir\new: is \n a line end?
        signs = {
            escape: json.loads(f'"{escape}"') if len(escape) > 2 else _ESCAPES.get(escape, escape) for escape in escapes
        }
        pieces[1::2] = [signs[escape] for escape in pieces[1::2]]
        # pairs of \u escapes are one sign
        return "".join(pieces).encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


class _QuotesInside:
    """The quotes inside a text that are not escaped: plain ones in pairs, smart ones each with its end."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._plain = self._smart = 0

    def are_paired(self) -> bool:
        return self._plain % 2 == 0 and not self._smart

    def is_smart_end(self, at: int) -> bool:
        """Whether the quote ends a smart one that began inside, which it does then."""
        is_end = self._text[at] in "”’" and self._smart > 0
        self._smart -= is_end
        return is_end

    def take(self, at: int) -> None:
        """Count a quote inside the text.

        Raises:
            BrokenError: it can neither begin nor end a pair.
        """
        sign = self._text[at]
        if sign in "“‘„‟":
            self._smart += 1
            return
        self._plain += sign not in "”’"
        fits = _opens(self._text, at) if self._plain % 2 else not self._text[at - 1].isspace()
        if self._plain > _MANY_QUOTES or not fits:
            raise BrokenError("malformed", at)


def _opens(text: str, at: int) -> bool:
    """Whether a quote inside a text can begin a pair, as it does not in "b", "c" or "b" + "c" read as one text."""
    before, after = text[at - 1], text[at + 1 : at + 2]
    return not after.isspace() and after not in _COMMA + ":：=" and (after.isalnum() or not before.isalnum())


def _is_apostrophe(text: str, at: int) -> bool:
    return text[at] in "'’" and text[at - 1].isalnum() and text[at + 1 : at + 2].isalnum()


def _number(match: re.Match[str], at: int) -> int | float:
    written = match.group()
    try:
        if "x" in written or "X" in written:
            return int(written, 16)
        if match[1] and not match[2] and not match[3]:
            return int(written)
        value = float(written)
    except ValueError:  # more digits than Python converts
        raise BrokenError("malformed", at) from None
    if value in (float("inf"), float("-inf")):
        raise BrokenError("malformed", at)
    return value
