"""A release that the question names → its sections before those of other releases.

"helmet 8 breaking changes" and "axios 1.16" name a release by the beginning of its number, which stands in a heading; the
words of the question are in the sections of every release.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TypeAlias

from schema.text.analyzer import terms
from schema.text.fields import ABOVE, HEADING
from schema.text.normal_form import compatible
from search.index.snapshot import IndexSnapshot
from search.ranking.query import Query
from search.ranking.rank import Ranking
from search.ranking.releases import asks_for_changes, names_release

#: The numbers of a release: (1, 16, 0).
_Release: TypeAlias = tuple[int, ...]

#: The best rows among which sections of the release are looked for, and the share of the first one's score that they have.
_CLOSE_ROWS, _LEAST = 30, 0.3
#: The share of the first section's relevance that the one of the release has at least.
_AS_LIKELY = 0.5
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


def named_release_first(
    snapshot: IndexSnapshot, query: Query, ranking: Ranking, relevance: Callable[[Sequence[int]], Sequence[float]]
) -> Ranking:
    """Return the ranking in which a section of another release has given its place to the best one of the release that the
    question names, of the same document, as the part "named release".

    The number stands behind "version", "release", a v, or a word of the document's path; one without a dot behind such a
    word ends the question, unless that asks for changes. A first section that is of no release gives way on its own page
    alone, unless the question asks for changes, and none to a section that answers half as likely; `relevance` gives that
    of rows.
    """
    rows = ranking.order[:_CLOSE_ROWS].tolist()
    asked = _asked_for(query, snapshot.path(rows[0])) if rows else None
    if asked is None:
        return ranking
    releases = [_release_of(snapshot, row) for row in rows]
    document = snapshot.document[rows]
    places = [place for place, found in enumerate(releases) if found is not None]
    at = next((place for place in places if document[place] == document[0]), places[0] if places else None)
    if at is None or releases[0] == asked or _tells_of(snapshot, rows[0], asked):
        return ranking
    if releases[0] is None and document[at] != document[0] and not asks_for_changes(query):
        return ranking
    fitting = [place for place, found in enumerate(releases) if _begins(found, asked) and document[place] == document[at]]
    if not fitting:
        return ranking
    total = ranking.total[rows]
    exact = (place for place in fitting if _is_just(releases[place], asked) and total[place] >= _AS_GOOD * total[fitting[0]])
    chosen = next(exact, fitting[0])
    if not chosen or total[chosen] < _LEAST * total[0]:
        return ranking
    first, answers = relevance([rows[0], rows[chosen]])
    return ranking.led_by(chosen, "named release") if answers >= _AS_LIKELY * first else ranking


def _asked_for(query: Query, path: str) -> _Release | None:
    """The release that a question names, by the path of the first document; None for none or several."""
    of_path, text = set(terms(path.replace("/", " "))), compatible(query.text)

    def is_version(found: re.Match[str]) -> bool:
        of_word = set(terms(found["before"] or ""))
        return _is_marked(found) or bool(of_word and of_word <= of_path)

    named = [found for found in _NUMBER.finditer(text) if is_version(found)]
    if len(named) != 1:
        return None
    ends = not text[named[0].end() :].strip(" ?.!")
    is_told = _is_marked(named[0]) or "." in named[0]["number"] or ends or asks_for_changes(query)
    return _numbers(named[0]["number"]) if is_told else None


def _is_marked(found: re.Match[str]) -> bool:
    """Whether a number is called a version."""
    return bool(found["v"] or found["word"]) or (found["before"] or "").lower() in _VERSION


def _release_of(snapshot: IndexSnapshot, row: int) -> _Release | None:
    """The release that a section is of, by its heading or those above; None for none."""
    inverted = snapshot.inverted
    lines = (inverted.terms_of(inverted.codes_of(row, line, line + 1)) for line in (HEADING, ABOVE))
    return next(filter(None, map(_release_in, lines)), None)


def _tells_of(snapshot: IndexSnapshot, row: int, asked: _Release) -> bool:
    """Whether a section's heading names a release that is asked for before the one that the section is of."""
    line = snapshot.inverted.terms_of(snapshot.inverted.codes_of(row, HEADING, HEADING + 1))
    return any(_begins(_numbers(number), asked) for number in _dotted(line)[:-1])


def _release_in(line: Sequence[str]) -> _Release | None:
    """The last release that a line of headings names; the number of a heading, as of "1.2 Sick leave", is none."""
    dotted = _dotted(line) if names_release(line) else []
    bare = [after for before, after in pairwise(line) if before in _VERSION_TERMS and after.isdecimal()]
    marked = [found[1] for term in line if (found := _BARE.fullmatch(term)) is not None]
    named = next((some[-1] for some in (dotted, bare, marked) if some), None)
    return None if named is None else _numbers(named)


def _dotted(line: Sequence[str]) -> list[str]:
    return [found[1] for term in line if (found := _DOTTED.fullmatch(term)) is not None]


def _numbers(text: str) -> _Release:
    return tuple(map(int, text.split(".")))


def _begins(release: _Release | None, asked: _Release) -> bool:
    return release is not None and release[: len(asked)] == asked


def _is_just(release: _Release | None, asked: _Release) -> bool:
    """Whether a release is the one asked for, with zeros behind it at most."""
    return release is not None and not any(release[len(asked) :])
