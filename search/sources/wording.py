"""Filters by words → the sections whose headings have them, and those that are left out because they hold them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from itertools import islice

from schema.errors import QueryError
from schema.filters import Filters
from schema.text.analyzer import terms
from schema.text.fields import ABOVE, FIXED_LINES, HEADING
from schema.text.spelling import one_spelling, without_final_marks
from schema.text.stems import korean_stem
from search.index.snapshot import IndexSnapshot
from search.ranking.query import fold, phrase_finder, sure_terms

#: Gives the keys of the sections that hold every one of some terms in their headings, or (False) in these or sentences.
Holders = Callable[[Collection[str], bool], Iterable[int]]
#: Gives headings and text of sections by their keys, in the order given.
Texts = Callable[[Sequence[int]], Iterable[str]]

#: The lines of a section's terms that are its headings: its own, those above it and the document's title.
HEADINGS = (HEADING, ABOVE)
#: Sections whose text is read for all texts that one query leaves out, at most; their characters; and how many are read at
#: once.
MOST_READ, MOST_CHARACTERS, _AT_ONCE = 5000, 20_000_000, 500
#: Sections that are read for a text whose characters alone they have, at most: in Japanese many have those of any word.
MOST_LOOSE = 1000
#: What makes another word of one, as in C++, C# and .NET, beside letters and the marks of sentences.
_SIGNS = re.compile(r"[^\w\s.,:;!?()\[\]\"'“”‘’。、「」『』]|^\.\w")
_HANGUL_WORD = re.compile("[가-힣]+")
#: Endings of one syllable that are the last one of hardly any noun, as 인 is of 로그인.
_PARTICLES = "은는을를에"


def titled(where: Filters, holders: Holders) -> frozenset[int] | None:
    """Return the keys of the sections whose headings have the words of the filters; None where they name none."""
    only: frozenset[int] | None = None
    for each in where.parts:
        if each.title:
            found = frozenset(key for title in each.title if (words := set(terms(title))) for key in holders(words, True))
            only = found if only is None else only & found
    return only


def left_out(where: Filters, holders: Holders, texts: Texts) -> frozenset[int]:
    """Return the keys of the sections that hold what the filters leave out: one word in any of its forms; several words, or
    one with signs such as C++, as they stand; Japanese and Chinese in any spelling.

    Raises:
        QueryError: too many sections would have to be read.
    """
    wanted = dict.fromkeys(_looked_for(text) for each in where.parts for text in each.without)
    found: set[int] = set()
    candidates: dict[int, list[str]] = {}
    for phrase in wanted:
        words = frozenset(terms(phrase))
        if len(words) == 1 and not _SIGNS.search(phrase):
            found.update(holders(words, False))
        else:
            for key in _candidates(phrase, words, holders) if words else ():
                candidates.setdefault(key, []).append(phrase)
        if len(candidates) > MOST_READ:
            raise too_many(phrase)
    keys = [key for key in candidates if key not in found]
    characters = 0
    for start in range(0, len(keys), _AT_ONCE):
        some = keys[start : start + _AT_ONCE]
        for key, text in zip(some, texts(some), strict=True):
            characters += len(text)
            if characters > MOST_CHARACTERS:
                raise too_many(candidates[key][0])
            if any(map(phrase_finder(text, _spelt), candidates[key])):
                found.add(key)
    return frozenset(found)


def _looked_for(text: str) -> str:
    """Return the folded phrase that stands for a text: one Korean word without what is certainly its ending."""
    phrase = _spelt(fold(text))
    stem = korean_stem(phrase) if _HANGUL_WORD.fullmatch(phrase) else phrase
    ending = phrase[len(stem) :]
    return stem if len(ending) != 1 or ending in _PARTICLES else phrase


def _spelt(folded: str) -> str:
    """Return a folded text in the one spelling of Japanese and Chinese."""
    return without_final_marks(one_spelling(folded))


def _candidates(phrase: str, words: Collection[str], holders: Holders) -> Iterable[int]:
    """Return the keys of the sections that may hold a folded phrase: those with the terms that it has wherever lines end and
    marks stand in it, or, where these are many, those with all of its `words`."""
    keys: list[int] = []
    with suppress(QueryError):
        keys = list(islice(holders(sure_terms(phrase) or words, False), MOST_LOOSE + 1))
    return keys if 0 < len(keys) <= MOST_LOOSE else holders(words, False)


def leaves_out(where: Filters) -> bool:
    """Whether the filters leave out sections by their words."""
    return any(each.without for each in where.parts)


def too_many(text: str) -> QueryError:
    """The error for words that too many sections have."""
    return QueryError(
        f"Too many sections have the words of {text[:100]} to look at them all; give rarer or fewer texts, or one word, in "
        "title: and after a minus, or limit the search with path:.",
        code="too_many_sections",
    )


def holders_in(snapshot: IndexSnapshot) -> Holders:
    """Return what looks up the sections of a snapshot."""

    def holders(wanted: Collection[str], in_headings: bool) -> Iterable[int]:
        lines = HEADINGS if in_headings else (*HEADINGS, FIXED_LINES)
        keys: list[int] = snapshot.keys[snapshot.inverted.holds_all(wanted, lines)].tolist()
        return keys

    return holders


def has_terms(line_of_terms: str, wanted: Collection[str], in_headings: bool) -> bool:
    """Whether a `terms` string has every one of these terms in its headings, or (False) in these or its sentences."""
    lines = line_of_terms.split("\n")
    held = [lines[line] for line in HEADINGS] + ([] if in_headings else lines[FIXED_LINES:])
    return set(wanted) <= set(" ".join(held).split(" "))
