"""Quotes of JSON as models write it: which characters are quotes, which of them stand inside a text, what escapes mean.

A quote inside a text should be escaped. One that is not is taken for a part of the text only where the rules below leave one
reading.
"""

from __future__ import annotations

import json

import regex as re  # the possessive groups of re match wrongly before Python 3.11.5 (cpython#106052)

from indexer.llm.reply.text import BrokenError

_DOUBLE, _SINGLE, _TICK = '"“”„‟＂', "'‘’", "`"
#: Each quote → all quotes of its kind.
KINDS = {**dict.fromkeys(_DOUBLE, _DOUBLE), **dict.fromkeys(_SINGLE, _SINGLE), _TICK: _TICK}
#: Each quote → those that usually end a text which it begins.
CLOSERS = {'"': '"', "“": '”“"', "”": "”", "„": '“”"', "‟": "”", "＂": "＂", "'": "'", "‘": "’", "’": "’", "`": "`"}

#: The most quotes inside a text that are not escaped.
_MAX_QUOTES = 1000
#: After one of these a text does not go on: a quote before it ends something.
_SEPARATORS = ",，、；;:：="
_ESCAPE = re.compile(r"(\\(?:u[0-9a-fA-F]{4}|.))", re.DOTALL)
_ESCAPES = {"\\" + letter: meant for letter, meant in zip("\"'\\/bfnrt", "\"'\\/\b\f\n\r\t", strict=True)}
_LETTER_ESCAPES = frozenset(escape for escape in _ESCAPES if escape[1].isalpha())


class QuotesInside:
    """Counts the quotes inside one text, from left to right: plain ones must come in pairs, smart ones each with its end."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._plain = self._open_smart = 0

    def are_paired(self) -> bool:
        """Return whether every quote inside has its partner, so that the next one may end the text.

        {"a": "say "hi", then go"} is read; {"a": "say "hi"} is not: the end of the text or of its quotation is missing.
        """
        return self._plain % 2 == 0 and not self._open_smart

    def closes_smart(self, at: int) -> bool:
        """Return whether the quote at `at` ends a smart one that began inside, and count it then.

        In {"a": “he says “yes”, twice”} the first ” ends the inner “, not the text.
        """
        closes = self._text[at] in "”’" and self._open_smart > 0
        self._open_smart -= closes
        return closes

    def take(self, at: int) -> None:
        """Count the quote at `at`, which does not end the text.

        Raises:
            BrokenError: it can neither begin nor end a pair.
        """
        quote = self._text[at]
        if quote in "“‘„‟":
            self._open_smart += 1
            return
        self._plain += quote not in "”’"
        fits = _can_begin_pair(self._text, at) if self._plain % 2 else _can_end_pair(self._text, at)
        if self._plain > _MAX_QUOTES or not fits:
            raise BrokenError("malformed", at)


def _can_begin_pair(text: str, at: int) -> bool:
    """Return whether a quote inside a text can begin a pair: it stands before a word, not directly behind one.

    The quote before hi in {"a": "say "hi" now"} can. The one after x in {"a": "x" + y, "b": "z"} stands before a blank and
    cannot, so that x" + y is not taken for a text.
    """
    before, after = text[at - 1], text[at + 1 : at + 2]
    return not after.isspace() and after not in _SEPARATORS and (after.isalnum() or not before.isalnum())


def _can_end_pair(text: str, at: int) -> bool:
    """Return whether a quote inside a text can end a pair: no blank before it, as after hi in {"a": "say "hi" now"}."""
    return not text[at - 1].isspace()


def is_apostrophe(text: str, at: int) -> bool:
    """Return whether a quote stands between letters, as in {'a': 'it's here'}, so that it is none."""
    return text[at] in "'’" and text[at - 1].isalnum() and text[at + 1 : at + 2].isalnum()


def unescape(text: str, begin: int, end: int) -> str:
    """Return the part of a text between two offsets with its escapes replaced; unknown escapes stay as they are.

    Raises:
        BrokenError: a line ends with a backslash, or known and unknown escapes stand in it as in a path (C:\\dir\\new).
    """
    raw = text[begin:end]
    if "\\" not in raw:
        return raw
    pieces = _ESCAPE.split(raw)  # every other one is an escape
    escapes = set(pieces[1::2])
    if not escapes.isdisjoint(("\\\n", "\\\r")):
        raise BrokenError("malformed", begin)
    has_unknown = any(escape not in _ESCAPES and escape[-1].isalpha() for escape in escapes if len(escape) == 2)
    if has_unknown and any(
        escape in _LETTER_ESCAPES and after[:1].isalpha() for escape, after in zip(pieces[1::2], pieces[2::2], strict=True)
    ):
        raise BrokenError("malformed", begin)  # is the \n of C:\dir\new a line end?
    meanings = {escape: json.loads(f'"{escape}"') if len(escape) > 2 else _ESCAPES.get(escape, escape) for escape in escapes}
    pieces[1::2] = [meanings[escape] for escape in pieces[1::2]]
    # two \u escapes may stand for one character
    return "".join(pieces).encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
