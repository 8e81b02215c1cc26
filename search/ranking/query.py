"""What a user typed → terms with weights, their sequence, and the phrases in quotes that a section must hold."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

import regex

from schema.text.analyzer import query_terms, sets_blanks, terms
from schema.text.characters import encodable

#: A query of more distinct terms than this is cut: 10,000 characters must not take seconds.
MAX_QUERY_TERMS = 256
#: Characters that are read of a query.
_MAX_CHARACTERS = 10_000
_MAX_PHRASES = 8
#: Longer texts in quotes are looked for by their words alone.
_MAX_PHRASE = 300
_QUOTED = regex.compile(r'"([^"]+)"|“([^”]+)”|「([^」]+)」|『([^』]+)』')
_LETTERS = regex.compile(r"[\p{L}\p{N}]+")
_SPACES = regex.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Query:
    """`text` is the query without odd blanks, `weights` its distinct terms with weights 0..1, `sequence` all its terms in
    order, `phrases` the folded texts that stood in quotes."""

    text: str
    weights: Mapping[str, float]
    sequence: tuple[str, ...]
    phrases: tuple[str, ...]


def parse_query(text: str) -> Query:
    """Read a query; any string will do.

    >>> parse_query('where is "dead letter" kept?').phrases
    ('dead letter',)
    """
    # what is no Unicode cannot stand in any document
    clean = " ".join(encodable(text[:_MAX_CHARACTERS]).split())
    quoted = (fold(next(filter(None, match.groups()))) for match in _QUOTED.finditer(clean))
    phrases = tuple(dict.fromkeys(phrase for phrase in quoted if len(phrase) <= _MAX_PHRASE and terms(phrase)))[
        :_MAX_PHRASES
    ]
    weights = dict(list(query_terms(clean).items())[:MAX_QUERY_TERMS])
    return Query(clean, weights, tuple(terms(clean)[: 2 * MAX_QUERY_TERMS]), phrases)


def fold(text: str) -> str:
    """A text as phrases are compared: compatibility forms, case and blanks are one.

    >>> fold("Ｄead\\n  Letter")
    'dead letter'
    """
    return _SPACES.sub(" ", unicodedata.normalize("NFKC", text)).strip().casefold()


def holds_phrase(folded: str, phrase: str) -> bool:
    """Whether a folded text holds a folded phrase as whole words (where words are set apart by blanks).

    >>> holds_phrase("the dead letters", "dead letter"), holds_phrase("a dead letter.", "dead letter")
    (False, True)
    """
    begins_in_word, ends_in_word = _is_in_word(phrase[0]), _is_in_word(phrase[-1])
    place = folded.find(phrase)
    while place >= 0:
        end = place + len(phrase)
        begins_too_late = begins_in_word and place > 0 and _LETTERS.match(folded, place - 1)
        if not begins_too_late and not (ends_in_word and _LETTERS.match(folded, end)):
            return True
        # what begins later in this word begins too late as well
        rest = _LETTERS.match(folded, place) if begins_in_word else None
        place = folded.find(phrase, place + 1 if rest is None else rest.end())
    return False


def _is_in_word(character: str) -> bool:
    return character.isalnum() and sets_blanks(character)
