"""A page in parts that are called by what they tell → the part of the kind that the question asks for.

Runbooks, decisions and reports of incidents have "Context", "Steps" and "Root cause". Who asks why finds the words of the
question under "Summary", and who asks how under "When to do it".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np

from schema.text.analyzer import terms
from schema.text.fields import ABOVE
from search.index.snapshot import IndexSnapshot
from search.ranking.boosts import coverage
from search.ranking.nearest import are_near
from search.ranking.query import Query
from search.ranking.rank import Ranking

#: The best rows among which the part is looked for, the share of the first one's cosine with the question that it has, and
#: its relevance, or the share of the first one's, at least.
_CLOSE_ROWS, _AS_NEAR, _ANSWERS, _AS_LIKELY = 10, 0.5, 0.3, 0.5
#: The same share and relevance for a part that is called a cause, which has other words than what it explains.
_CAUSE_AS_NEAR, _CAUSE_ANSWERS = 0.2, 0.2
#: What parts are called that tell why; those that do beside a decision, and what is told of a decision.
_CAUSES = (
    *("Root cause", "Root causes", "Cause", "Causes", "Reason", "Reasons", "Why", "Rationale", "Motivation", "Diagnosis"),
    *("原因", "根本原因", "理由", "動機", "원인", "근본 원인", "이유", "동기"),
)
_CONTEXTS = ("Context", "Background", "背景", "経緯", "배경", "경위")
_OUTCOMES = (
    *("Decision", "Decisions", "Decision outcome", "Consequences", "決定", "決定事項", "結果", "影響"),
    *("결정", "결정 사항", "결과", "영향"),
)
#: What parts are called that tell how, and how a list of steps looks.
_STEPS = ("Steps", "Procedure", "Instructions", "Method", "Directions", "How to do it", "What to do", "Quick fix")
_LIST = re.compile(r"^[ \t]{0,3}\d{1,2}[.)][ \t]", re.MULTILINE)
_ASKS_WHY = re.compile(
    r"^\W*(?:why\b(?! not\b| don'?t (?:we|you)\b)|what caused\b"
    r"|what(?: was| is|'s)? (?:the )?(?:root )?(?:cause|reason)\b(?! codes?\b| fields?\b))"
    r"|なぜ|どうして(?!も)|理由|原因|経緯(?!度)|왜(?=\s)|(?:무엇|뭐|뭣) ?때문"
    r"|(?<![가-힣])(?:이유|원인|경위)(?=[가는를은이와의 ?.]|$)",
    re.IGNORECASE,
)
_ASKS_HOW = re.compile(r"^\W*how (?:do|can|should|to|must|would)\b|^\W*(?:steps|procedure) (?:to|for)\b", re.IGNORECASE)
#: What a section says that gives a reason by itself.
_SAYS_WHY = re.compile(
    r"\b(?:because|due to|caused by|since|as a result of|so that|reasons?|root cause|in order to)\b|: an? \w+"
    r"|ため|ので|なぜなら|理由|原因|때문|이유|원인|위해",
    re.IGNORECASE,
)
#: Words of doing, which say nothing of what is done.
_DOING = frozenset(terms("do make cook bake prepare perform execute carry out go about"))
_WORD = re.compile(r"[a-z]+")
#: Sections of a page that are looked at for a decision, at most.
_MOST = 30
#: Terms of Japanese that are particles or endings in part.
_HIRAGANA = re.compile("[\u3041-\u3096]")
#: Words of Korean, whose first term is the stem, and the others are pairs of letters.
_HANGUL = re.compile("[가-힣]+")
#: The share of the question's weight, beyond the name of the page, that the first section has and the part that tells why
#: lacks, at most.
_MOST_LOST = 0.35


def part_first(
    snapshot: IndexSnapshot, query: Query, ranking: Ranking, relevance: Callable[[Sequence[int]], Sequence[float]]
) -> tuple[Ranking, dict[int, int]]:
    """Return the ranking in which the first section has given its place and score, as the part "kind", to one of its page
    that is called by what the question asks for: why something is so, or how to do what the page is called after; and a
    mapping from the row of that section to the one that was first. `relevance` gives that of rows.

    It is the same ranking where the first section has a word of the question in its own heading, or says why itself.
    """
    asks_why = _ASKS_WHY.search(query.text) is not None
    rows = ranking.order[:_CLOSE_ROWS]
    if not len(rows) or not (asks_why or _ASKS_HOW.search(query.text)):
        return ranking, {}
    inverted, row = snapshot.inverted, int(rows[0])
    names = (_CAUSES if asks_why else _STEPS) + (_CONTEXTS if asks_why and _has_outcome(snapshot, row) else ())
    is_cause = np.array([asks_why and inverted.has_name(int(other), _CAUSES) for other in rows], np.bool_)
    near = are_near(ranking, rows, _AS_NEAR) | (is_cause & are_near(ranking, rows, _CAUSE_AS_NEAR))
    place = next((at for at in range(1, len(rows)) if near[at] and _is_part(snapshot, row, int(rows[at]), names)), 0)
    if not place or inverted.has_name(row, names) or _is_asked_for(snapshot, query, row):
        return ranking, {}
    other = int(rows[place])
    first, answers = relevance([row, other])
    if answers < min(_CAUSE_ANSWERS if is_cause[place] else _ANSWERS, _AS_LIKELY * first):
        return ranking, {}
    beyond = _beyond_the_page(snapshot, query, row)
    own, text = snapshot.contents([row, other])
    if asks_why:
        is_kept = _lost(snapshot, query, beyond, row, other) <= _MOST_LOST * inverted.mass(beyond, query.synonyms)
        is_kept = is_kept and not _SAYS_WHY.search(own) and not _ASKS_WHY.search(own.split("\n", 1)[0].lstrip("# "))
    else:
        is_kept = beyond.keys() <= _DOING and _LIST.search(text) is not None
    return (ranking.led_by(place, "kind"), {other: row}) if is_kept else (ranking, {})


def _has_outcome(snapshot: IndexSnapshot, row: int) -> bool:
    """Whether the page of a section tells a decision."""
    rows = snapshot.rows_of(snapshot.path(row))
    return any(
        snapshot.inverted.has_name(other, _OUTCOMES) for other in range(rows.start, min(rows.stop, rows.start + _MOST))
    )


def _is_part(snapshot: IndexSnapshot, row: int, other: int, names: tuple[str, ...]) -> bool:
    """Whether a section has one of these names and is on the page of another one: below its beginning, or beside it."""
    if snapshot.document[row] != snapshot.document[other] or not snapshot.inverted.has_name(other, names):
        return False
    above, other_above = (snapshot.inverted.codes_of(each, ABOVE, ABOVE + 1) for each in (row, other))
    is_beside = bool(snapshot.depth[row] == snapshot.depth[other]) and np.array_equal(above, other_above)
    return is_beside or not snapshot.position[row]


def _is_asked_for(snapshot: IndexSnapshot, query: Query, row: int) -> bool:
    """Whether the heading of a section has a word of the question that the headings above it lack."""
    if not snapshot.position[row]:
        return False
    inverted = snapshot.inverted
    own, above = inverted.heading_words(row), set(inverted.codes_of(row, ABOVE, ABOVE + 1).tolist())
    stems = map(inverted.stems, query.weights)
    return any(not own.isdisjoint(some) and above.isdisjoint(some) for some in stems)


def _beyond_the_page(snapshot: IndexSnapshot, query: Query, row: int) -> dict[str, float]:
    """The terms of the question that are not in the name of a section's page, without particles and endings of Japanese; two
    words may be one there ("fail over")."""
    inverted = snapshot.inverted
    page = set(inverted.codes_of(row, ABOVE, ABOVE + 1).tolist())
    page |= inverted.heading_words(row) if not snapshot.position[row] else set()

    def is_named(some: Iterator[str] | list[str]) -> bool:
        return any(not page.isdisjoint(inverted.stems(term)) for term in some)

    words = _WORD.findall(query.text.lower())
    joined = {term for one, two in pairwise(words) if is_named(terms(one + two)) for term in terms(f"{one} {two}")}
    pieces = {term for word in _HANGUL.findall(query.text) for term in terms(word)[1:]}
    said = {
        term: weight
        for term, weight in query.weights.items()
        if term not in joined and term not in pieces and not _HIRAGANA.search(term)
    }
    return {term: weight for term, weight in said.items() if not is_named([term])}


def _lost(snapshot: IndexSnapshot, query: Query, beyond: Mapping[str, float], row: int, other: int) -> float:
    """The weight of these terms that one section holds and another one lacks."""
    pair = np.array([row, other])

    def is_lost(term: str, weight: float) -> bool:
        held = coverage(snapshot.inverted, {term: weight}, pair, {}, query.synonyms)[0]
        return bool(held[0] > 0 and not held[1] > 0)

    return sum(
        snapshot.inverted.mass({term: weight}, query.synonyms) for term, weight in beyond.items() if is_lost(term, weight)
    )
