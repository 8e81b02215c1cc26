"""Queries of signs alone, such as `&&` and `?`: no term tells whether a section has them, so that sections are read."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from schema.results import Window
from search.sources.base import Source

#: Sections that are read, at most, and how many at once.
MOST_READ, _AT_ONCE = 5000, 500
#: Texts of fewer characters than some of this count as equally long.
_SHORT = 100
#: What a query of nothing else has no signs.
_QUOTES = re.compile(r"[\s\"'“”‘’„«»「」『』]+")
#: The marks of sentences, which stand behind most words; and what is around one that is written about.
_MARKS = re.compile(r"([.,;:!?…。、，：；！？])\1*")
_AROUND = (
    ("(?<!\\S)", "(?!\\S)"),
    *(tuple(map(re.escape, pair)) for pair in ("``", "''", '""', "“”", "「」", "『』", "()")),
)


def sections_with_signs(source: Source, words: str, keys: Sequence[int]) -> dict[int, float] | None:
    """Return the sections among those with these `keys` that have each of the signs of a query, best first, each with its
    relevance: 1 where its heading has them, else .5; None for a large index, whose sections are not read.

    Sections with more of the signs in less text stand before others. The mark of a sentence must stand by itself, as in "the
    `?` operator"; it is a sign of nothing where it ends a word.
    """
    finders = _finders(words)
    if not finders:
        return {}
    if len(keys) > MOST_READ:
        return None
    found: list[tuple[float, float, int]] = []
    for begin in range(0, len(keys), _AT_ONCE):
        some = keys[begin : begin + _AT_ONCE]
        for key, each in zip(some, source.found(some), strict=True):
            counts = [len(finder.findall(each.words)) for finder in finders]
            if all(counts):
                is_named = all(finder.search(each.section.heading) for finder in finders)
                found.append((1.0 if is_named else 0.5, sum(counts) / math.log2(_SHORT + len(each.words)), key))
    return {key: relevance for relevance, _, key in sorted(found, key=lambda one: (-one[0], -one[1]))}


def places_of_signs(text: str, words: str) -> tuple[Window, ...]:
    """Where a text has the signs of a query, in order.

    >>> places_of_signs("a && b?", "&& ?")
    (Window(start=2, end=4),)
    """
    return tuple(Window(*match.span()) for match in _any_of(_finders(words)).finditer(text))


def _any_of(finders: Sequence[re.Pattern[str]]) -> re.Pattern[str]:
    return re.compile("|".join(finder.pattern for finder in finders))


def _finders(words: str) -> list[re.Pattern[str]]:
    return [_finder(sign) for sign in dict.fromkeys(_QUOTES.sub(" ", words).split())]


def _finder(sign: str) -> re.Pattern[str]:
    written = re.escape(sign)
    is_mark = _MARKS.fullmatch(sign) is not None
    return re.compile("|".join(f"{before}{written}{behind}" for before, behind in _AROUND) if is_mark else written)
