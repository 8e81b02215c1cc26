"""What a user typed → terms with weights, their sequence, and the phrases in quotes that a section must hold."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

import regex

from schema.terms import query_terms, sets_blanks, terms

#: A query of more distinct terms than this is cut: 10,000 characters must not take seconds.
MAX_QUERY_TERMS = 256
#: Characters that are read of a query.
_MAX_CHARACTERS = 10_000
_MAX_PHRASES = 8
_QUOTED = regex.compile(r'"([^"]+)"|“([^”]+)”|「([^」]+)」|『([^』]+)』')
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
    clean = " ".join(text[:_MAX_CHARACTERS].encode("utf-8", "replace").decode("utf-8").split())
    quoted = (fold(next(filter(None, match.groups()))) for match in _QUOTED.finditer(clean))
    phrases = tuple(dict.fromkeys(phrase for phrase in quoted if terms(phrase)))[:_MAX_PHRASES]
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
    before = r"(?<![\p{L}\p{N}])" if _is_in_word(phrase[0]) else ""
    after = r"(?![\p{L}\p{N}])" if _is_in_word(phrase[-1]) else ""
    return regex.search(before + regex.escape(phrase, special_only=True) + after, folded) is not None


def _is_in_word(character: str) -> bool:
    return character.isalnum() and sets_blanks(character)
