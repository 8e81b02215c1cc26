"""What cannot be done, or does not happen → the sections whose headings say so too, before those that say how it is done.

"I can't pay the rent" is answered by "If you can't pay", and not by "Paying". Words that say no are left out of a query,
since most sections have them; in a heading they say what it is about.
"""

from __future__ import annotations

import re

import numpy as np

from schema.text.analyzer import terms
from schema.text.fields import HEADING
from search.index.snapshot import IndexSnapshot
from search.ranking.query import QUOTED, Query
from search.ranking.rank import Ranking

_VERBS = "do|does|did|is|are|was|were|wo|ca|could|would|should|has|have|had"
#: Says no in a question, but at its beginning and in "why not", where it asks.
_SAYS_NO = re.compile(rf"(?<=\S )(?<!why )(?:no|not|never|cannot|unable|(?:{_VERBS})n['’]?t)\b", re.IGNORECASE)
#: The terms of the same in a heading.
_NO = frozenset(terms("no not never cannot unable without")) | {f"{verb}n" for verb in _VERBS.split("|")} - {"can"}
#: The same of "if you can't", which is a term less.
_IF_NOT = re.compile(r"\bif (?:i|you|we|they|it) can\b")
#: The best rows among which headings are compared, and what is added to a score of 0..1.
_CLOSE_ROWS, _WORTH = 8, 0.2


def saying_no_first(snapshot: IndexSnapshot, query: Query, ranking: Ranking) -> Ranking:
    """Return the ranking in which sections whose heading says no, and holds a word of the question, have gained, as the part
    "negation"; the same one for a question that does not say no, and where no heading does."""
    if not _SAYS_NO.search(QUOTED.sub(" ", query.text)):
        return ranking
    inverted = snapshot.inverted
    added = np.zeros(len(ranking.total))
    for row in ranking.order[:_CLOSE_ROWS].tolist():
        heading = inverted.terms_of(inverted.codes_of(row, HEADING, HEADING + 1))
        says_no = not _NO.isdisjoint(heading) or _IF_NOT.search(" ".join(heading))
        if says_no and not query.weights.keys().isdisjoint(heading):
            added[row] = _WORTH
    return ranking.plus("negation", added, most=_WORTH) if added.any() else ranking
