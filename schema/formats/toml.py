"""TOML text → a mapping, or the places of its texts, in time proportional to the text.

Refuses keys of many parts: `tomllib` notes every beginning of every key, so that a key of a thousand parts takes a million
steps.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any

#: Most parts of a dotted key.
MAX_PARTS = 32
#: Strings and comments, which may hold anything; what is not closed ends with the line or with the text.
_TEXT = re.compile(
    r'''"""(?:\\.|[^\\])*?(?:"{3,5}|\Z)|'{3}.*?(?:'{3,5}|\Z)|"(?:\\.|[^"\\\n])*"?|'[^'\n]*'?|\#[^\n]*''', re.DOTALL
)
_TOKEN = re.compile(rf"""(?P<text>{_TEXT.pattern})|(?P<sign>[\[\]{{}},=\n])|(?P<word>[^\s\[\]{{}},=.\"'#]+)""", re.DOTALL)
_LONG_KEY = re.compile(rf"(?<![\w-])[\w-]+(?:[ \t]*\.[ \t]*[\w-]+){{{MAX_PARTS}}}")


def read_toml(text: str) -> dict[str, Any]:
    """The mapping that a TOML text holds.

    Raises:
        ValueError: it is not valid TOML, or a key has more than `MAX_PARTS` parts.
    """
    if _LONG_KEY.search(_TEXT.sub("_", text)):
        raise ValueError(f"a key has more than {MAX_PARTS} parts")
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise ValueError("its values are nested too deeply") from error


def toml_texts(text: str) -> Iterator[tuple[tuple[str, ...], int, int]]:
    """Yield each text among the values of valid TOML, in order: its keys from the outermost on, and where it stands.

    Quotes are left out; escapes stand as they are written, in keys too.
    """
    table: tuple[str, ...] = ()
    path: tuple[str, ...] = ()  # the keys of the value that is read
    keys: list[str] = []
    is_value = is_table = False
    open_: list[tuple[str, tuple[str, ...]]] = []  # the brackets around, each with the keys of its value
    for token in _TOKEN.finditer(text):
        sign = token.group()
        if token.lastgroup != "sign":
            quotes = 0 if token.lastgroup == "word" else 3 if sign.startswith(('"""', "'''")) else 1
            first, last = token.start() + quotes, token.end() - quotes
            if sign.startswith("#"):
                continue
            if not is_value:
                keys.append(text[first:last])
            elif quotes:
                yield path, first, last
        elif sign == "=":
            is_value, path, keys = True, (*(open_[-1][1] if open_ else table), *keys), []
        elif sign in "[{" and is_value:
            open_.append((sign, path))
            is_value = sign == "["
        elif sign == "[":
            is_table = True
        elif sign in "]}" and open_:
            path = open_.pop()[1]
            is_value = True
        elif sign == "," and open_:
            is_value, path = open_[-1][0] == "[", open_[-1][1]
        elif sign == "\n" and not open_:
            table = tuple(keys) if is_table else table
            is_value = is_table = False
            keys = []
