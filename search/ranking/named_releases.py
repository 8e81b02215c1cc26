"""A release that the question names → its sections before those of other releases.

"helmet 8 breaking changes" and "axios 1.16" name a release by the beginning of its number, which stands in a heading; the
words of the question are in the sections of every release.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import TypeAlias

from schema.text.analyzer import terms
from schema.text.fields import ABOVE, HEADING
from schema.text.normal_form import compatible
from search.index.snapshot import IndexSnapshot
from search.ranking.query import Query
from search.ranking.rank import Ranking
from search.ranking.releases import asks_for_changes

#: The numbers of a release: (1, 16, 0).
_Release: TypeAlias = tuple[int, ...]

#: The best rows among which sections of the release are looked for, and the share of the first one's score that they have.
_CLOSE_ROWS, _LEAST = 30, 0.3
#: The share of the best section's score from which on the section of the release itself (2.0.0) stands before those of later
#: ones with the same beginning (2.1.0).
_AS_GOOD = 0.7
#: A number in a question, and the word before it, of which it is the version where that is so called.
_NUMBER = re.compile(
    r"(?:(?P<before>[\w@/.-]{0,60}[A-Za-z][\w/-]{0,60}) +|(?P<word>バージョン|버전) ?)?"
    r"(?<![\w.-])(?P<v>v)?(?P<number>[0-9]{1,3}(?:\.[0-9]{1,4}){0,3})(?:\.x)?(?![\w-]|\.[0-9])",
    re.IGNORECASE | re.ASCII,
)
_VERSION = frozenset({"version", "ver", "release", "v"})
#: A number with dots in a heading, and one without behind the word "version" or the letter v.
_DOTTED, _BARE = re.compile(r"v?([0-9]{1,6}(?:\.[0-9]{1,6}){1,3})"), re.compile(r"v([0-9]{1,3})")
_VERSION_TERMS = frozenset(terms("version release v"))


def named_release_first(snapshot: IndexSnapshot, query: Query, ranking: Ranking) -> Ranking:
    """Return the ranking in which a section of another release has given its place to the best one of the release that the
    question names, of the same document, as the part "named release".

    The number stands behind "version", "release", a v, or a word of the document's path. A first section that is of no
    release gives way on its own page alone, unless the question asks for changes.
    """
    rows = ranking.order[:_CLOSE_ROWS].tolist()
    asked = _asked_for(query, snapshot.path(rows[0])) if rows else None
    if asked is None:
        return ranking
    releases = [_release_of(snapshot, row) for row in rows]
    at = next((place for place, found in enumerate(releases) if found is not None), None)
    if at is None or releases[0] == asked:
        return ranking
    document = snapshot.document[rows]
    if at and document[at] != document[0] and not asks_for_changes(query):
        return ranking
    fitting = [place for place, found in enumerate(releases) if _begins(found, asked) and document[place] == document[at]]
    if not fitting:
        return ranking
    total = ranking.total[rows]
    exact = (place for place in fitting if _is_just(releases[place], asked) and total[place] >= _AS_GOOD * total[fitting[0]])
    chosen = next(exact, fitting[0])
    return ranking.led_by(chosen, "named release") if chosen and total[chosen] >= _LEAST * total[0] else ranking


def _asked_for(query: Query, path: str) -> _Release | None:
    """The release that a question names, by the path of the first document; None for none or several."""
    of_path = set(terms(path.replace("/", " ")))

    def is_version(found: re.Match[str]) -> bool:
        before = found["before"] or ""
        of_word = set(terms(before))
        is_named = before.lower() in _VERSION or bool(of_word and of_word <= of_path)
        return bool(found["v"] or found["word"]) or is_named

    named = [found["number"] for found in _NUMBER.finditer(compatible(query.text)) if is_version(found)]
    return _numbers(named[0]) if len(named) == 1 else None


def _release_of(snapshot: IndexSnapshot, row: int) -> _Release | None:
    """The release that a section is of, by its heading or those above; None for none."""
    inverted = snapshot.inverted
    lines = (inverted.terms_of(inverted.codes_of(row, line, line + 1)) for line in (HEADING, ABOVE))
    return next(filter(None, map(_release_in, lines)), None)


def _release_in(line: Sequence[str]) -> _Release | None:
    """The last release that a line of headings names."""
    dotted = [found[1] for term in line if (found := _DOTTED.fullmatch(term)) is not None]
    bare = [after for before, after in pairwise(line) if before in _VERSION_TERMS and after.isdecimal()]
    marked = [found[1] for term in line if (found := _BARE.fullmatch(term)) is not None]
    named = next((some[-1] for some in (dotted, bare, marked) if some), None)
    return None if named is None else _numbers(named)


def _numbers(text: str) -> _Release:
    return tuple(map(int, text.split(".")))


def _begins(release: _Release | None, asked: _Release) -> bool:
    return release is not None and release[: len(asked)] == asked


def _is_just(release: _Release | None, asked: _Release) -> bool:
    """Whether a release is the one asked for, with zeros behind it at most."""
    return release is not None and not any(release[len(asked) :])
