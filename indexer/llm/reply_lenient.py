"""Text that should be JSON → the object it clearly means: one reading or none.

Repairs what models get wrong: comments, Python and JavaScript literals, other quotes and signs, keys without quotes, commas
missing or doubled, quotes inside texts. Refuses whatever can be read in two ways, never adds a brace that is missing, never
takes words without quotes for a text. Reads each character a bounded number of times.
"""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from typing import Any

import regex as re  # the possessive groups of re match wrongly before Python 3.11.5 (cpython#106052)

from indexer.llm.reply_text import UnreadableError

MAX_DEPTH = 100
#: No object of an answer has more numbered lines.
_MANY_LINES = 20_000
#: A text with more quotes in it that are not escaped is none.
_MANY_QUOTES = 1000

# blanks and comments; bounded, since what stands after a quote may be looked at again
_BLANK = re.compile(
    r"(?:[\s\u200b\ufeff\u2060]++|(?://|#)[^\n]{0,300}+(?=\n|\Z)|/\*(?:[^*]|\*(?!/)){0,300}+\*/|<!--(?:[^-]|-(?!->)){0,300}+-->)"
    r"{0,20}+"
)
_DOUBLE, _SINGLE, _TICK = '"“”„‟＂', "'‘’", "`"
_KIN = {**dict.fromkeys(_DOUBLE, _DOUBLE), **dict.fromkeys(_SINGLE, _SINGLE), _TICK: _TICK}
_CLOSERS = {'"': '"', "“": "”“", "”": "”", "„": "“”", "‟": "”", "＂": "＂", "'": "'", "‘": "’", "’": "’", "`": "`"}
# a key: no longer than this, on one line
QUOTED_KEY = re.compile(
    r"\"(?:[^\"\\\r\n]++|\\.)*+\"|[\"“”„‟＂](?:[^\"“”„‟＂\\\r\n]|\\.){0,300}+[\"“”„‟＂]|['‘’](?:[^'‘’\\\r\n]|\\.){0,300}+['‘’]|`[^`\\\r\n]{0,300}+`"
)
_BARE_KEY = re.compile(r"[^\W\d][\w$-]{0,300}+")
_COLON = re.compile(r"=>|:(?!:)|：|=(?!=)")
_COMMA = ",，、;；"
_PROSE = re.compile(r"[^\"“”'‘’`{}\[\]:：=,\\]{1,300}+(?=[\"“])")
_CHUNK = re.compile(r"(?:[^\"“”„‟＂'‘’`\\]++|\\.)++", re.DOTALL)
_NUMBER = re.compile(r"[+-]?(?:0[xX][0-9a-fA-F]+|(\d+)(\.\d*)?([eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)(?![\w.%/:+-])")
_WORD = re.compile(r"[^\s,，、;；:：{}\[\]\"“”]+")
_LITERALS = {"true": True, "false": False, "null": None, "none": None, "undefined": None}
# what stands for a value in a template
_PLACEHOLDER = re.compile(
    r"\.{2,}|…|<.*|(?:str|string|text|int|integer|float|number|bool|boolean|list|array|object|dict|any|value|date)(?:\W|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_ESCAPE = re.compile(r"(\\(?:u[0-9a-fA-F]{4}|.))", re.DOTALL)
_ESCAPES = {"\\" + sign: meant for sign, meant in zip("\"'\\/bfnrt", "\"'\\/\b\f\n\r\t", strict=True)}
_LETTERS = frozenset(escape for escape in _ESCAPES if escape[1].isalpha())
_VALUE = re.compile(r"[\[{｛［\"“”„‟＂'‘’`\d+.-]|(?:true|false|null|none|undefined|nan|infinity)(?!\w)", re.IGNORECASE)
_CONCAT = re.compile(r"\+\s*+(?=[\"'])")

_ENTITY = re.compile("&(?:quot|#34|#x22);", re.IGNORECASE)
_NUMBERED_TEXT = re.compile(r"\s{0,99}+(?:(?:```|~~~)[^\n]*\n)?[ \t]*+\d")
_NUMBERED = re.compile(r"[ \t]*+(\d{1,6})(?:[ \t]?[:.)|])?(?:[ \t]|$)")


class BrokenError(UnreadableError):
    """No object can be read at `position`; a template ({"title": ...}) is nobody's answer."""

    def __init__(self, kind: str, position: int, *, is_template: bool = False, is_final: bool = False) -> None:
        super().__init__(kind, position, is_final=is_final)
        self.is_template = is_template


def read_object(text: str, start: int) -> tuple[dict[str, Any], int]:
    """The object whose opening brace stands at `start`, and where it ends.

    Raises:
        BrokenError: it is cut off, too deep, or cannot be read in one way only.
    """
    reader = _Reader(text)
    return reader.object(start, 1)


def without_line_numbers(text: str) -> str | None:
    """The text, if every line of it begins with its number."""
    if not _NUMBERED_TEXT.match(text) or text.count("\n") > _MANY_LINES:
        return None
    kept, numbers = [], []
    for line in text.split("\n"):
        number = _NUMBERED.match(line)
        if number:
            numbers.append(int(number[1]))
            kept.append(line[number.end() :])
        elif line.strip() and not line.lstrip().startswith(("```", "~~~")):
            return None
        else:
            kept.append(line)
    is_counted = len(numbers) > 1 and numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    return "\n".join(kept) if is_counted else None


def without_escapes(text: str) -> str | None:
    """The text, if it is JSON as it would stand inside a text of JSON."""
    if '\\"' not in text or re.search(r'(?<!\\)"', text):
        return None
    try:
        return str(json.loads(f'"{text}"', strict=False))
    except ValueError:
        return None


def without_entities(text: str) -> str | None:
    """The text, if its quotes are written as in HTML."""
    return html.unescape(text) if '"' not in text and _ENTITY.search(text) else None


class _Reader:
    """Reads one object; every method takes an offset and gives a value with the offset after it."""

    def __init__(self, text: str) -> None:
        self._text = text

    def object(self, at: int, depth: int) -> tuple[dict[str, Any], int]:
        close = "}" if self._text[at] == "{" else "}｝"
        record: dict[str, Any] = {}
        at = self._skip(at + 1)
        while self._peek(at) not in close:
            key, at = self._key(at)
            value, at = self._value(at, depth)
            record[key] = value
            at = self._next(at, close, self._is_pair)
        return record, at + 1

    def array(self, at: int, depth: int) -> tuple[list[Any], int]:
        close = "]" if self._text[at] == "[" else "]］"
        items: list[Any] = []
        at = self._skip(at + 1)
        while self._peek(at) not in close:
            # a list that was cut short on purpose
            if items and self._text.startswith(("...", "…"), at):
                at = self._next(at + (1 if self._text[at] == "…" else 3), close, self._is_value)
                continue
            value, at = self._value(at, depth, in_array=True)
            items.append(value)
            at = self._next(at, close, self._is_value)
        return items, at + 1

    def _peek(self, at: int) -> str:
        if at >= len(self._text):
            raise BrokenError("truncated", len(self._text))
        return self._text[at]

    def _skip(self, at: int) -> int:
        match = _BLANK.match(self._text, at)
        return match.end() if match else at  # it matches everywhere

    def _next(self, at: int, close: str, follows: Callable[[int], bool]) -> int:
        """Over the comma to the next pair or item, or to the closing sign; the comma may be missing or doubled."""
        begin = at
        at = self._skip(at)
        if self._peek(at) in close:
            return at
        commas = 0
        while self._peek(at) in _COMMA:
            commas += 1
            at = self._skip(at + 1)
        if self._peek(at) in close:
            if commas > 1:
                raise BrokenError("malformed", at)
            return at
        if not commas:
            # nothing but quotes tells where the next begins
            if at > begin and self._text[at] in _KIN and follows(at):
                return at
            raise BrokenError("malformed", at)
        if close[0] == "}" and not follows(at):
            prose = _PROSE.match(self._text, at)
            if prose and follows(prose.end()):
                return prose.end()
        return at

    def _is_pair(self, at: int) -> bool:
        """Whether a key, a colon and the beginning of a value stand here."""
        colon = self._colon(at)
        return colon is not None and _VALUE.match(self._text, self._skip(colon.end())) is not None

    def _is_value(self, at: int) -> bool:
        return _VALUE.match(self._text, at) is not None

    def _colon(self, at: int) -> re.Match[str] | None:
        key = QUOTED_KEY.match(self._text, at) or _BARE_KEY.match(self._text, at)
        return _COLON.match(self._text, self._skip(key.end())) if key else None

    def _key(self, at: int) -> tuple[str, int]:
        match = QUOTED_KEY.match(self._text, at)
        bare = None if match else _BARE_KEY.match(self._text, at)
        found = match or bare
        if found is None:
            raise BrokenError("malformed", at, is_template=self._text.startswith(("...", "…"), at))
        colon = _COLON.match(self._text, self._skip(found.end()))
        if colon is None:
            raise BrokenError("malformed", found.end())
        key = found.group() if bare else self._unescape(found.start() + 1, found.end() - 1)
        return key, self._skip(colon.end())

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
        """A text in quotes: it ends at a quote that structure follows, if the quotes inside it come in pairs."""
        text, opener = self._text, self._text[at]
        if opener in "\"'" and text.startswith(opener * 3, at):
            return self._triple(at, in_array=in_array)
        kin = _KIN[opener]
        begin, at = at + 1, at + 1
        inner = smart = 0
        while True:
            chunk = _CHUNK.match(text, at)
            at = chunk.end() if chunk else at
            sign = self._peek(at)
            if sign not in kin or _is_apostrophe(text, at):
                at += 1
                continue
            if sign in "”’" and smart:
                smart -= 1
            elif self._is_end(at, opener, in_array=in_array):
                if inner % 2 or smart:
                    raise BrokenError("malformed", at)
                return self._unescape(begin, at), at + 1
            elif sign in "“‘„‟":
                smart += 1
            else:
                inner += sign not in "”’"
                if inner > _MANY_QUOTES or not (_opens(text, at) if inner % 2 else not text[at - 1].isspace()):
                    raise BrokenError("malformed", at)
            at += 1

    def _is_end(self, at: int, opener: str, *, in_array: bool) -> bool:
        """Whether a quote ends the text that `opener` began; one of another kind does only where a key follows."""
        text = self._text
        if text[at + 1 : at + 2].isalnum() or not self._ends_text(at + 1, in_array=in_array):
            return False
        if text[at] in _CLOSERS[opener]:
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
        # a comma that is missing: only where quotes follow after a blank
        return at > begin and sign in _KIN and follows(at)

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
