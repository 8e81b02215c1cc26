"""The text of a query → its words, and the filters that its fields and exclusions mean.

A query is a row of tokens with blanks between them; a text in quotes, which may hold blanks, is a part of its token:

    query     = token {blank token}
    token     = field | exclusion | anything else, which is words
    field     = name ":" value        name: path, tag, title, lang, since, root, depth
    exclusion = "-" quoted | "-path:" value | "-tag:" value | "-" word
    value     = quoted | characters other than blanks
    quoted    = "…" | “…” | 「…」 | 『…』

Several fields of one name are alternatives; fields of different names must all hold. Colons and minus signs may be
full-width (：－), and tags and language are other names of tag and lang.

Words stay what they are: names of other fields (`std::vector`, `http://x`, `12:30`), names without a value (`path: x`),
values that begin with ":" or "//" (`path::new`), everything in quotes, and options of commands. So `-word` leaves out a word
only at the end of a query and after something else (only fields and other exclusions may follow), if it looks like no option
(three letters or more and a vowel, where it is Latin), and if no other token is an option such as `-x`, `-xzf` or `--long`.

A field with a value that it cannot take raises `QueryError`. Nothing else does.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from schema.clock import MOMENTS
from schema.errors import QueryError
from schema.filters import LANGUAGE_CODE, Filters, moment

#: Longer texts are words alone (characters); ranking reads no more of a query either.
_MAX_CHARACTERS = 10_000
#: Fields and exclusions of one query: each exclusion is looked up in the index.
_MOST = 50
_CLOSING = {'"': '"', "“": "”", "「": "」", "『": "』"}
_MINUS = "-－−"
_FIELD = re.compile(r"(path|tags?|title|lang(?:uage)?|since|root|depth)[:：](?=[^:：])(?!//)", re.DOTALL)
_NAMES = {"tag": "tags", "lang": "language"}
#: A word that can be left out: letters first, then also digits and what stands inside of names.
_WORD = re.compile(r"[^\W\d_][\w.+#-]*")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
_VOWEL = re.compile(r"[aeiouyà-æè-ïò-öø-ýÿ]", re.IGNORECASE)
_LEAST_LETTERS = 3
#: What is an option of a command and nothing else.
_LONG_OPTION = re.compile(r"--[A-Za-z]")
_SHORT_OPTION = re.compile(r"-[A-Za-z]+\Z")
#: What of a value is shown in a sentence (characters).
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """The `words` of a query, "" if it has none, and the `filters` in it; without filters, the words are the query as is.

    `guessed`: the words without quotes that are left out, because they stand at its end behind a minus.
    """

    words: str
    filters: Filters
    guessed: tuple[str, ...] = ()

    @property
    def is_of_signs(self) -> bool:
        """Whether it has words, as `&&`, in which neither a letter nor a digit is."""
        return bool(self.words) and not _has_letter(self.words)


@dataclass(frozen=True, slots=True)
class _Token:
    """A token of a query; `name` is the filter it means, "" for words, and `value` that filter's value as it is written.

    `is_guessed`: it could be words as well.
    """

    text: str
    name: str = ""
    value: str = ""
    is_guessed: bool = False


def parse_fields(text: str) -> ParsedQuery:
    """Read a query.

    >>> parse_fields('rotate keys path:guide/ -"dead letter"').words
    'rotate keys'
    >>> bool(parse_fields("tar -xzf a.tar").filters), bool(parse_fields("std::vector").filters)
    (False, False)

    Raises:
        QueryError: a field cannot take its value, or there are too many fields.
    """
    tokens = _read(text)
    meant = [token for token in tokens if token.name]
    if not meant:
        return ParsedQuery(text, Filters())
    if len(meant) > _MOST:
        raise QueryError(
            f"A query takes {_MOST} fields and left-out words at most, not {len(meant)}; ask with fewer.",
            code="too_many_fields",
        )
    values: dict[str, list[str]] = {}
    for token in meant:
        values.setdefault(token.name, []).append(token.value)
    read: Mapping[str, Any] = {name: _READ.get(name, tuple)(found) for name, found in values.items()}
    guessed = tuple(dict.fromkeys(token.value for token in meant if token.is_guessed))
    return ParsedQuery(" ".join(token.text for token in tokens if not token.name), Filters(**read), guessed)


def map_paths(text: str, change: Callable[[str], str]) -> str:
    """Return a query with each of its path fields changed; a field that becomes "" is dropped.

    >>> map_paths("keys path:a.md", lambda path: f"docs/my {path}")
    'keys path:"docs/my a.md"'
    """
    tokens = _read(text)
    if not any(token.name in ("path", "without_path") for token in tokens):
        return text
    parts = []
    for token in tokens:
        if token.name not in ("path", "without_path"):
            parts.append(token.text)
        elif changed := change(token.value):
            sign = "-" if token.name == "without_path" else ""
            parts.append(f'{sign}path:"{changed}"' if '"' not in changed else f"{sign}path:「{changed}」")
    return " ".join(parts)


def _read(text: str) -> list[_Token]:
    """The tokens of a query with what each of them means."""
    tokens = [_token(part) for part in _split(text)] if len(text) <= _MAX_CHARACTERS else [_Token(text)]
    # words that may be left out are, if they stand at the end and after something else, and if this is no command
    end = len(tokens)
    while end and (tokens[end - 1].name or _leaves_out(tokens[end - 1].text)):
        end -= 1
    has_more = end > 0 or any(token.name for token in tokens)
    if not has_more or any(_is_option(token.text) for token in tokens if not token.name):
        return tokens
    guessed = (token if token.name else _Token(token.text, "without", token.text[1:], True) for token in tokens[end:])
    return [*tokens[:end], *guessed]


def _split(text: str) -> Iterator[str]:
    """Yield the parts between blanks outside of quotes; a mark without its other half is like any character."""
    at, begin, length = 0, -1, len(text)
    unclosed: set[str] = set()
    while at < length:
        character = text[at]
        if character.isspace():
            if begin >= 0:
                yield text[begin:at]
            begin = -1
            at += 1
            continue
        begin = at if begin < 0 else begin
        closing = _CLOSING.get(character, "")
        end = text.find(closing, at + 1) if closing and closing not in unclosed else -1
        if closing and end < 0:
            unclosed.add(closing)
        at = end + 1 if end > at + 1 else at + 1
    if begin >= 0:
        yield text[begin:]


def _token(part: str) -> _Token:
    """What a token means by itself."""
    is_excluded = part[0] in _MINUS
    body = part[1:] if is_excluded else part
    if is_excluded and (quoted := _in_quotes(body)) and _has_letter(quoted):
        return _Token(part, "without", quoted)
    match = _FIELD.match(body)
    value = (_in_quotes(body[match.end() :]) or body[match.end() :]).strip() if match is not None else ""
    if match is None or not value:
        return _Token(part)
    name = match[1].removesuffix("s") if match[1] == "tags" else "lang" if match[1] == "language" else match[1]
    if name == "title" and not _has_letter(value):
        return _Token(part)
    if not is_excluded:
        return _Token(part, _NAMES.get(name, name), value)
    if name not in ("path", "tag"):
        raise QueryError(
            f"A minus can stand before words, path: and tag:, not before {name}:; take it away, or put quotes around "
            f'"-{name}:…" to search for the text.',
            code="field_minus",
        )
    return _Token(part, f"without_{_NAMES.get(name, name)}", value)


def _in_quotes(text: str) -> str:
    """What stands in quotes, if that is the whole text; "" otherwise."""
    closing = _CLOSING.get(text[:1], "")
    is_quoted = closing and len(text) > 2 and text.find(closing, 1) == len(text) - 1
    return text[1:-1].strip() if is_quoted else ""


def _has_letter(text: str) -> bool:
    return any(map(str.isalnum, text))


def _leaves_out(part: str) -> bool:
    """Whether a token looks like a word to leave out, and not like an option."""
    word = part[1:]
    if part[0] not in _MINUS or _WORD.fullmatch(word) is None:
        return False
    latin = len(_LATIN.findall(word))
    return not latin or (latin >= _LEAST_LETTERS and _VOWEL.search(word) is not None)


def _is_option(part: str) -> bool:
    return _LONG_OPTION.match(part) is not None or (_SHORT_OPTION.match(part) is not None and not _leaves_out(part))


def _depths(values: list[str]) -> tuple[int, ...]:
    digits = [unicodedata.normalize("NFKC", value) for value in values]
    for value, digit in zip(values, digits, strict=True):
        if digit not in ("0", "1", "2", "3"):
            raise _refused("depth", "0, 1, 2 or 3", value)
    return tuple(map(int, digits))


def _languages(values: list[str]) -> tuple[str, ...]:
    codes = [unicodedata.normalize("NFKC", value) for value in values]
    for value, code in zip(values, codes, strict=True):
        if LANGUAGE_CODE.fullmatch(code) is None:
            raise _refused("lang", "a language code such as en, ja or ko", value)
    return tuple(codes)


def _earliest(values: list[str]) -> datetime:
    found = []
    for value in values:
        try:
            found.append(moment(unicodedata.normalize("NFKC", value)))
        except QueryError as error:
            raise _refused("since", MOMENTS, value) from error
    return min(found)


def _refused(name: str, takes: str, value: str) -> QueryError:
    shown = value if len(value) <= _SHOWN else f"{value[:_SHOWN]}…"
    told = f'{name}: takes {takes}, not {shown}; put quotes around "{name}:{shown}" to search for the text.'
    return QueryError(told, code=f"field_{name}")


_READ: Mapping[str, Callable[[list[str]], Any]] = {"depth": _depths, "language": _languages, "since": _earliest}
