"""Queries of signs alone, such as `&&` and `?`: no term tells whether a section has them, so that sections are read."""

from __future__ import annotations

import re

from search.sources.base import Source

#: Sections that are read, at most, and how many at once.
MOST_READ, _AT_ONCE = 5000, 500
#: What a query of nothing else has no signs.
_QUOTES = re.compile(r"[\s\"'“”‘’„«»「」『』]+")
#: The marks of sentences, which stand behind most words; and what is around one that is written about.
_MARKS = re.compile(r"([.,;:!?…。、，：；！？])\1*")
_AROUND = (
    ("(?<!\\S)", "(?!\\S)"),
    *(tuple(map(re.escape, pair)) for pair in ("``", "''", '""', "“”", "「」", "『』", "()")),
)


def may_have_signs(source: Source, words: str) -> bool:
    """Whether a section has each of the signs of a query, as far as that can be told: of a large index it is taken for so.

    The mark of a sentence must stand by itself, as in "the `?` operator"; it is a sign of nothing where it ends a word.
    """
    finders = [_finder(sign) for sign in dict.fromkeys(_QUOTES.sub(" ", words).split())]
    if not finders:
        return False
    keys = source.first_keys(MOST_READ + 1)
    if len(keys) > MOST_READ:
        return True
    parts = (source.found(keys[start : start + _AT_ONCE]) for start in range(0, len(keys), _AT_ONCE))
    return any(all(finder.search(each.words) for finder in finders) for part in parts for each in part)


def _finder(sign: str) -> re.Pattern[str]:
    written = re.escape(sign)
    is_mark = _MARKS.fullmatch(sign) is not None
    return re.compile("|".join(f"{before}{written}{behind}" for before, behind in _AROUND) if is_mark else written)
