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

#: The best rows among which the section with the remedy has to be.
_CLOSE_ROWS = 100
#: What such sections are called.
_PROBLEMS = (
    *("Issue", "Problem", "Symptom", "Symptoms", "Error", "Error message"),
    *("問題", "症状", "エラー", "문제", "증상", "오류"),
)
_CAUSES = ("Cause", "Causes", "Root cause", "Reason", "原因", "원인")
_REMEDIES = (
    *("Solution", "Solutions", "Fix", "Resolution", "Workaround", "Mitigation", "Remediation"),
    *("対処", "対処法", "対処方法", "解決", "解決策", "解決方法"),
    *("해결", "해결책", "해결 방법", "해결방법", "조치", "조치 방법"),
)
_ASKS_WHY = re.compile(r"^\W*why\b|\bcauses?\b|なぜ|原因|理由|왜|원인|이유|(?:무엇|뭐|뭣) ?때문", re.IGNORECASE)


def remedy_first(snapshot: IndexSnapshot, query: Query, ranking: Ranking) -> tuple[Ranking, dict[int, int]]:
    """Return the ranking in which a first section with the problem alone, by its heading, has given its place and score to
    the one beside it with the remedy, or with the cause if the question asks why, as the part "remedy"; and a mapping from
    the row of that section to the one that was first. It is the same ranking for a question that names such a heading."""
    first = ranking.order[:1]
    asks_why = _ASKS_WHY.search(query.text) is not None
    told = _PROBLEMS if asks_why else (*_PROBLEMS, *_CAUSES)
    if not len(first) or not snapshot.inverted.has_name(int(first[0]), told):
        return ranking, {}
    row = int(first[0])
    named = [*snapshot.inverted.terms_of(snapshot.inverted.codes_of(row, HEADING, ABOVE)), *terms(" ".join(_REMEDIES))]
    if not query.weights.keys().isdisjoint(named):
        return ranking, {}
    beside = _beside(snapshot, row, _CAUSES if asks_why else _REMEDIES)
    places = np.flatnonzero(ranking.order[:_CLOSE_ROWS] == beside)
    return (ranking.led_by(int(places[0]), "remedy"), {beside: row}) if len(places) else (ranking, {})


def _beside(snapshot: IndexSnapshot, row: int, names: Sequence[str]) -> int:
    """The first section with one of these names that belongs to a problem: below the same headings of its document, and
    before the next problem there; -1 for none."""
    rest = range(row + 1, snapshot.rows_of(snapshot.path(row)).stop)
    problems, wanted = (_called(snapshot, some) for some in (_PROBLEMS, names))
    end = next((int(other) for other in problems if other in rest), rest.stop)
    found = (int(other) for other in wanted if row < other < end)
    return next((other for other in found if _has_same_above(snapshot, row, other)), -1)


def _called(snapshot: IndexSnapshot, names: Sequence[str]) -> Indices:
    """The rows whose headings are one of these."""
    return np.unique(np.concatenate([snapshot.inverted.named(name)[1] for name in names]))


def _has_same_above(snapshot: IndexSnapshot, row: int, other: int) -> bool:
    """Whether two sections of one document are below the same headings."""
    above, other_above = (snapshot.inverted.codes_of(each, ABOVE, ABOVE + 1) for each in (row, other))
    return bool(snapshot.depth[row] == snapshot.depth[other]) and np.array_equal(above, other_above)
