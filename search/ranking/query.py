"""The text of a query → terms with weights, their sequence, and the phrases in quotes that a section must hold."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

import regex

from schema.text.analyzer import query_terms, sets_blanks, terms
from schema.text.characters import encodable
from schema.tracing import traced

#: More distinct terms of a query are dropped: 10,000 characters must not take seconds.
MAX_QUERY_TERMS = 256
#: Characters of a query that are read, at most.
_MAX_CHARACTERS = 10_000
_MAX_PHRASES = 8
#: Longer texts in quotes are no phrases (characters).
_MAX_PHRASE = 300
_QUOTED = regex.compile(r'"([^"]+)"|“([^”]+)”|「([^」]+)」|『([^』]+)』')
_LETTERS = regex.compile(r"[\p{L}\p{N}]+")
_SPACES = regex.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Query:
    """`text` is the query with single blanks, `weights` its distinct terms with weights 0..1, `sequence` all its terms in
    order, `phrases` the folded texts in quotes."""

    text: str
    weights: Mapping[str, float]
    sequence: tuple[str, ...]
    phrases: tuple[str, ...]


@traced("search.parse")
def parse_query(text: str) -> Query:
    """Read a query; any string is one.

    >>> parse_query('where is "dead letter" kept?').phrases
    ('dead letter',)
    """
    # no document holds characters that cannot be encoded
    clean = " ".join(encodable(text[:_MAX_CHARACTERS]).split())
    quoted = (fold(next(filter(None, match.groups()))) for match in _QUOTED.finditer(clean))
    phrases = tuple(dict.fromkeys(phrase for phrase in quoted if len(phrase) <= _MAX_PHRASE and terms(phrase)))[
        :_MAX_PHRASES
    ]
    weights = dict(list(query_terms(clean).items())[:MAX_QUERY_TERMS])
    return Query(clean, weights, tuple(terms(clean)[: 2 * MAX_QUERY_TERMS]), phrases)


def fold(text: str) -> str:
    """Return a text in the form in which phrases are compared: without differences of case, blanks and compatibility forms.

    >>> fold("Ｄead\\n  Letter")
    'dead letter'
    """
    return _SPACES.sub(" ", unicodedata.normalize("NFKC", text)).strip().casefold()


def holds_phrase(folded: str, phrase: str) -> bool:
    """Whether a folded text holds a folded phrase as whole words (in scripts that set blanks between words).

    >>> holds_phrase("the dead letters", "dead letter"), holds_phrase("a dead letter.", "dead letter")
    (False, True)
    """
    begins_in_word, ends_in_word = _is_in_word(phrase[0]), _is_in_word(phrase[-1])
    start = folded.find(phrase)
    while start >= 0:
        end = start + len(phrase)
        is_inside_word = begins_in_word and start > 0 and _LETTERS.match(folded, start - 1)
        if not is_inside_word and not (ends_in_word and _LETTERS.match(folded, end)):
            return True
        # later starts in the same word are inside of it as well
        rest = _LETTERS.match(folded, start) if begins_in_word else None
        start = folded.find(phrase, start + 1 if rest is None else rest.end())
    return False


def _is_in_word(character: str) -> bool:
    return character.isalnum() and sets_blanks(character)
