"""A section in another language than the question → its counterpart on the same page in the question's language."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from schema.text.analyzer import terms
from schema.text.fields import identifiers
from schema.text.language import question_language
from search.index.snapshot import IndexSnapshot
from search.index.translations import page_name
from search.ranking.rank import Ranking

#: The best rows among which counterparts are looked for.
_CLOSE_ROWS = 30
#: Translations lack what was written last, so that a section may stand so many places before its counterpart or behind it
#: if that has at least this share of its score.
_MOST_APART, _NEAR_SCORE = 3, 0.9
#: Two words or more in Latin letters, none of them an identifier: in some language that is written so.
_LATIN = re.compile(r"(?:(?:[A-Z]?[a-z]+|[A-Z]+)(?:[ ,'’-]+|[?.!]?\s*\Z)){2,100}")
_OPTION = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*", re.ASCII)
_NOT_LATIN = frozenset({"ar", "ja", "ko", "ru", "th", "uk", "zh"})


def own_copies_first(snapshot: IndexSnapshot, text: str, ranking: Ranking) -> tuple[Ranking, dict[int, int]]:
    """Return the ranking in which a section in another language has changed places and scores, as the part "translation",
    with its counterpart in the language of the question `text`; and by the row of each counterpart, that of the other.

    Counterparts have the same place in documents whose paths differ in a language alone, and the same depth; or nearly the
    same place and nearly the same score, and have the identifiers and options of the question that the other one has: a
    translation may be older than an option. A question of plain words in Latin letters is in none of the languages that are
    written in others.
    """
    own = question_language(text)
    is_latin = not own and _LATIN.fullmatch(text) is not None
    rows = ranking.order[:_CLOSE_ROWS].tolist()
    languages = snapshot.languages[rows].tolist()
    if not own and not is_latin:
        return ranking, {}

    def is_own(language: str, tag: str) -> bool:
        return language not in _NOT_LATIN if is_latin else language == own or tag[:2] == own

    keys: list[_Key] = []
    own_places: dict[_Key, int] = {}
    foreign = []
    for place, (row, language) in enumerate(zip(rows, languages, strict=True)):
        page, tag = page_name(snapshot.path(row))
        keys.append(_Key(page, int(snapshot.depth[row]), int(snapshot.position[row])))
        if is_own(language, tag):  # code with English comments stands on pages in other languages too
            own_places.setdefault(keys[place], place)
        elif language:
            foreign.append(place)
    scores = ranking.total[rows].tolist()
    names = [] if is_latin else [*identifiers(text), *_OPTION.findall(text)]
    asked = frozenset(snapshot.inverted.codes_of_terms(term for name in names for term in terms(name)))
    moved = {}
    for place in foreign:
        near = [
            (key.apart_from(keys[place]), other, key)
            for key, other in own_places.items()
            if key == keys[place]
            or (key.apart_from(keys[place]) <= _MOST_APART and scores[other] >= _NEAR_SCORE * scores[place])
        ]
        _, copy, key = min(near, default=(0, -1, keys[place]))
        if copy > place and asked & _held(snapshot, rows[place]) <= _held(snapshot, rows[copy]):
            rows[place], rows[copy] = rows[copy], rows[place]
            moved[rows[place]] = rows[copy]
            own_places[key] = place
    return ranking.rearranged(rows, "translation"), moved


def _held(snapshot: IndexSnapshot, row: int) -> frozenset[int]:
    """The numbers of the terms of a section."""
    return frozenset(snapshot.inverted.codes_of(row).tolist())


class _Key(NamedTuple):
    """A page in any language, and the depth and the position of a section on it."""

    page: str
    depth: int
    position: int

    def apart_from(self, other: _Key) -> float:
        """How many places sections of one page and depth are apart."""
        is_like = (self.page, self.depth) == (other.page, other.depth)
        return abs(self.position - other.position) if is_like else math.inf
