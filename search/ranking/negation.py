"""What cannot be done, or does not happen → the sections whose headings say so too, before those that say how it is done.

"I can't pay the rent" is answered by "If you can't pay", and not by "Paying". Words that say no are left out of a query,
since most sections have them; in a heading they say what it is about.
"""

from __future__ import annotations

import re

import numpy as np

from schema.text.fields import HEADING
from schema.text.query_words import NEGATED_VERBS, STOP_TERMS
from search.index.snapshot import IndexSnapshot
from search.ranking.query import QUOTED, Query
from search.ranking.rank import Ranking

#: Says no, in a heading and in a question, but where it asks for something: "why not", "can't I".
_NO = (
    rf"\b(?:no|not|never|cannot|unable|without|{NEGATED_VERBS}['’]?t"
    r"(?! (?:i|we|you|he|she|it|they|this|that|these|those|there)\b))\b"
)
_SAYS_NO = re.compile(rf"(?<!\bwhy ){_NO}", re.IGNORECASE)
#: The best rows among which headings are compared, how much of a heading the question has, and what is added to a score of
#: 0..1.
_CLOSE_ROWS, _SHARE, _WORTH = 8, 0.5, 0.2


def saying_no_first(snapshot: IndexSnapshot, query: Query, ranking: Ranking) -> Ranking:
    """Return the ranking in which sections whose heading says no, and has little else but words of the question, have
    gained, as the part "negation"; the same one for a question that does not say no, and where no heading does."""
    if not _SAYS_NO.search(" ".join(QUOTED.sub(" ", query.text).split())):
        return ranking
    rows = ranking.order[:_CLOSE_ROWS].tolist()
    added = np.zeros(len(ranking.total))
    for row, text in zip(rows, snapshot.contents(rows), strict=True):
        if _SAYS_NO.search(text.lstrip().partition("\n")[0]) and _share_of_heading(snapshot, query, row) > _SHARE:
            added[row] = _WORTH
    return ranking.plus("negation", added, most=_WORTH) if added.any() else ranking


def _share_of_heading(snapshot: IndexSnapshot, query: Query, row: int) -> float:
    """The share of the weight (idf) of a heading's telling terms that the question has."""
    inverted = snapshot.inverted
    codes = [
        code
        for code in inverted.codes_of(row, HEADING, HEADING + 1).tolist()
        if inverted.term(code) not in STOP_TERMS and len(inverted.term(code)) > 1
    ]
    weights = dict(zip(codes, inverted.idf_of(codes).tolist(), strict=True))
    whole = sum(weights.values())
    return sum(weight for code, weight in weights.items() if inverted.term(code) in query.weights) / whole if whole else 0.0
