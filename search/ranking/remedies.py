"""A page that tells a problem in sections of its own → the section with the remedy before the one with the problem.

Pages on errors have "Issue", "Cause" and "Solution". Who pastes the error finds its own words under "Issue", and wants what
is under "Solution"; who asks why, what is under "Cause".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from schema.text.analyzer import terms
from schema.text.fields import ABOVE, HEADING
from search.index.ranges import Indices
from search.index.snapshot import IndexSnapshot
from search.ranking.query import Query
from search.ranking.rank import Ranking

#: How the sections are called.
_PROBLEMS = (
    *("Issue", "Problem", "Symptom", "Symptoms", "Error", "Error message"),
    *("問題", "症状", "エラー", "문제", "증상", "오류"),
)
_CAUSES = ("Cause", "Causes", "Root cause", "Reason", "原因", "원인")
_REMEDIES = (
    *("Solution", "Solutions", "Fix", "Resolution", "Workaround", "Mitigation", "Remediation"),
    *(
        "対処",
        "対処法",
        "対処方法",
        "解決",
        "解決策",
        "解決方法",
        "해결",
        "해결책",
        "해결 방법",
        "해결방법",
        "조치",
        "조치 방법",
    ),
)
_ASKS_WHY = re.compile(r"^\W*why\b|\bcauses?\b|なぜ|原因|理由|왜|원인|이유", re.IGNORECASE)


def remedy_first(snapshot: IndexSnapshot, query: Query, ranking: Ranking) -> tuple[Ranking, dict[int, int]]:
    """Return the ranking in which a first section with the problem alone, by its heading, has given its place and score to
    the one beside it with the remedy, or with the cause if the question asks why, as the part "remedy"; and by the row of
    that section the one that was first. It is the same ranking for a question that names such a heading."""
    first = ranking.order[:1]
    asks_why = _ASKS_WHY.search(query.text) is not None
    told = _called(snapshot, _PROBLEMS if asks_why else (*_PROBLEMS, *_CAUSES))
    if not np.isin(first, told).any():
        return ranking, {}
    row = int(first[0])
    named = [*snapshot.inverted.terms_of(snapshot.inverted.codes_of(row, HEADING, ABOVE)), *terms(" ".join(_REMEDIES))]
    if not query.weights.keys().isdisjoint(named):
        return ranking, {}
    wanted = _called(snapshot, _CAUSES if asks_why else _REMEDIES)
    beside = [int(other) for other in wanted if other > row and _is_beside(snapshot, row, int(other))]
    places = np.flatnonzero(np.isin(ranking.order, beside[:1]))
    return (ranking.led_by(int(places[0]), "remedy"), {beside[0]: row}) if len(places) else (ranking, {})


def _called(snapshot: IndexSnapshot, names: Sequence[str]) -> Indices:
    """The rows whose headings are one of these."""
    return np.unique(np.concatenate([rows for name in names for rows in snapshot.inverted.named(name)[:2]]))


def _is_beside(snapshot: IndexSnapshot, row: int, other: int) -> bool:
    """Whether two sections are below the same headings of one document."""
    above, other_above = (snapshot.inverted.codes_of(each, ABOVE, ABOVE + 1) for each in (row, other))
    is_near = snapshot.document[row] == snapshot.document[other] and snapshot.depth[row] == snapshot.depth[other]
    return bool(is_near) and np.array_equal(above, other_above)
