"""A section whose heading says that its thing is deprecated → behind the one beside it that answers about as well.

READMEs keep "CancelToken (deprecated)" beside "AbortController", with more of the words of a question that names neither.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np

from schema.text.analyzer import terms
from schema.text.fields import ABOVE, HEADING
from search.index.snapshot import IndexSnapshot
from search.ranking.query import Query
from search.ranking.rank import Ranking

#: The best rows among which the other section is looked for, the least relevance that it has, and the share of the score and
#: of the relevance of the first one.
_CLOSE_ROWS, _ANSWERS, _SHARE, _AS_LIKELY = 10, 0.35, 0.7, 0.85
_OUTDATED = frozenset({*terms("deprecated obsolete unmaintained legacy"), "非推", "廃止", "중단", "종료"})
#: A heading that marks its thing so, as the first line of a section; "Deprecated APIs" is about such things.
_WORDS = "deprecated|obsolete|unmaintained|legacy|非推奨|廃止(?:予定)?|사용 ?중단|지원 ?종료"
_MARKED = re.compile(
    rf"[^\r\n]*(?:[(\[（【]\s*(?:{_WORDS})[^)\]）】\r\n]{{0,40}}[)\]）】]|\s[-–—]\s*(?:{_WORDS})\s*$|#\s+(?:{_WORDS})\s*[:：])",
    re.IGNORECASE | re.MULTILINE,
)
_ASKS_FOR_IT = re.compile(
    r"\b(?:old|older|previous|deprecated|legacy|obsolete|still)\b|旧|古い|以前|非推奨|廃止|예전|이전|구버전", re.IGNORECASE
)


def current_first(
    snapshot: IndexSnapshot, query: Query, ranking: Ranking, relevance: Callable[[Sequence[int]], Sequence[float]]
) -> Ranking:
    """Return the ranking in which a first section that its heading calls deprecated has given its place to the best one
    below the same headings that is not, if that answers about as well, as the part "current"; `relevance` gives that of
    rows.

    It is the same ranking where the question has all other words of the heading, or asks for what is old.
    """
    rows = ranking.order[:_CLOSE_ROWS].tolist()
    inverted = snapshot.inverted

    def heading(row: int) -> frozenset[str]:
        return frozenset(inverted.terms_of(inverted.codes_of(row, HEADING, HEADING + 1)))

    if len(rows) < 2 or _OUTDATED.isdisjoint(named := heading(rows[0])):
        return ranking
    if named - _OUTDATED <= query.weights.keys() or _ASKS_FOR_IT.search(query.text):
        return ranking
    if not _MARKED.match(snapshot.contents(rows[:1])[0]):
        return ranking
    above = inverted.codes_of(rows[0], ABOVE, ABOVE + 1)
    answers, total = relevance(rows), ranking.total[rows]
    beside = (
        place
        for place, row in enumerate(rows)
        if (snapshot.document[row], snapshot.depth[row]) == (snapshot.document[rows[0]], snapshot.depth[rows[0]])
        and np.array_equal(above, inverted.codes_of(row, ABOVE, ABOVE + 1))
        and _OUTDATED.isdisjoint(heading(row))
        and answers[place] >= max(_ANSWERS, _AS_LIKELY * answers[0])
        and total[place] >= _SHARE * total[0]
    )
    return ranking.led_by(next(beside, 0), "current")
