"""Characters that could hide, reorder or fake what a reader sees, and how outputs spell them out.

They are, by Unicode's properties: control characters (but line feed and tab), line and paragraph separators, surrogates,
marks of interlinear annotation, and every Default_Ignorable_Code_Point: direction marks, zero-width characters, joiners,
soft hyphens, fillers, variation selectors, invisible operators, tags. Those that languages and emoji need are kept, one at
a time: joiners after letters of scripts that join or stack, a zero-width space between letters of scripts without blanks,
the selectors of Mongolian letters, and in emoji a joiner between two and a selector of text or picture after one. Flags
that are spelt with tags, and variants of ideographs and of mathematical symbols, are spelt out: texts can hide in them.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable
from functools import cache
from typing import Any

_HIDES = (
    r"\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    r"\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    r"\U000e0000-\U000e0fff"
)
#: Arabic and its neighbours, scripts of India and South East Asia, Tibetan, Mongolian.
_JOINING = (
    r"\u0600-\u0605\u0620-\u0dff\u0f00-\u109f\u1780-\u17b3\u17b6-\u17ff\u1820-\u18aa\u1a20-\u1cff\ua800-\ua9ff"
    r"\ufb50-\ufdff\ufe70-\ufefc\U00010a00-\U00010fff\U00011000-\U00011fff\U0001e900-\U0001e95f"
)
_WITHOUT_BLANKS = r"\u0e00-\u109f\u1780-\u17b3\u17b6-\u17ff\u1950-\u19df\u1a20-\u1aad"
_MONGOLIAN = r"\u1820-\u18aa"
_EMOJI = r"\xa9\xae\u203c\u2049\u2122\u2139\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
_KEPT = (
    rf"(?<=[{_JOINING}][\u200c\u200d])",
    rf"(?<=[{_WITHOUT_BLANKS}]\u200b)(?=[{_WITHOUT_BLANKS}])",
    rf"(?<=[{_MONGOLIAN}][\u180b-\u180f])",
    rf"(?<=[{_EMOJI}]\u200d)(?=[{_EMOJI}])",
    rf"(?<=[{_EMOJI}]\ufe0f\u200d)(?=[{_EMOJI}])",
    rf"(?<=[0-9#*{_EMOJI}][\ufe0e\ufe0f])",
)
_SUSPECT = re.compile(f"[{_HIDES}]")
_BREAKS = str.maketrans({character: f"\\x{ord(character):02x}" for character in "\t\n\r"})


def printable(text: str) -> str:
    r"""The text with unsafe characters spelt out; line feeds and tabs stay, and the line end \r\n becomes \n.

    >>> printable("a\x1b[31mb")
    'a\\x1b[31mb'
    """
    return _SUSPECT.sub(_spell, text)


def one_line(text: str) -> str:
    r"""The text with unsafe characters, line ends and tabs spelt out: a name inside a line cannot begin another line.

    >>> one_line("a\nb")
    'a\\x0ab'
    """
    return printable(text.translate(_BREAKS))


def encodable(text: str) -> str:
    r"""The text with lone surrogates, which no encoding has, as "?": as many characters, all of which can be sent or stored.

    >>> encodable("a\ud800b")
    'a?b'
    """
    return text.encode("utf-8", "replace").decode("utf-8")


def to_json(value: Any, *, indent: int | None = None) -> str:
    """JSON in readable Unicode, with unsafe characters escaped: who reads the JSON gets them as they are."""
    return _SUSPECT.sub(_escape, json.dumps(value, ensure_ascii=False, indent=indent))


def moves(text: str) -> Callable[[int], int]:
    """Offsets into a text → offsets into what `printable` makes of it."""
    ends, grown = [], [0]
    for match in _SUSPECT.finditer(text):
        ends.append(match.end())
        grown.append(grown[-1] + len(_spell(match)) - 1)
    return lambda offset: offset + grown[bisect_right(ends, offset)]


def javascript_pattern() -> str:
    """An unsafe character as a regular expression of JavaScript with the flag u."""
    return re.sub(r"\\U([0-9a-f]{8})", r"\\u{\1}", f"[{_HIDES}](?!{'|'.join(_KEPT)})")


@cache
def _kept() -> re.Pattern[str]:
    """Matches behind a character that is kept; made when it is needed, since that takes some milliseconds."""
    return re.compile("|".join(_KEPT))


def _spell(match: re.Match[str]) -> str:
    character = match.group()
    if _kept().match(match.string, match.end()) or (character == "\r" and match.string.startswith("\n", match.end())):
        return "" if character == "\r" else character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    if _kept().match(match.string, match.end()):
        return character
    return json.dumps(character)[1:-1] if character != "\x7f" else "\\u007f"
