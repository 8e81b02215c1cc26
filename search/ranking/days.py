"""A question for a day alone → the sections of the documents of that day: "what happened on 4 May", 5月4日のメモ."""

from __future__ import annotations

import regex

from schema.text.dates import days
from schema.text.fields import ABOVE, HEADING
from schema.text.normal_form import compatible
from search.index.snapshot import IndexSnapshot
from search.ranking.query import Query
from search.ranking.rank import Ranking

#: The best rows that are looked at.
_CLOSE_ROWS = 30
#: What a question for a day has beside it.
_BESIDE = regex.compile(
    r"(?:\W|\b(?:what|happened|did|do|was|were|is|i|we|my|our|the|a|on|from|of|for|in|at|show|open|daily|diary|journal|logs?|"
    r"entry|entries|notes?|meetings?|minutes|day)\b|メモ|日記|日報|議事録|記録|出来事|何|があった|ありました|をした|しました|か|の|に|は|を|"
    r"메모|일기|일지|회의록|기록|무슨|일이|있었[가-힣]{0,3}|뭐|했[가-힣]{0,3}|에|의)*+",
    regex.IGNORECASE,
)


def day_first(snapshot: IndexSnapshot, query: Query, ranking: Ranking) -> tuple[Ranking, list[int]]:
    """Return the ranking in which the sections that a day is the name of, or the heading above, stand first if the question
    is for that day alone, each document in its own order, as the part "day"; and these rows, which answer it."""
    text = compatible(query.text)
    asked = list(days(text))
    if len(asked) != 1 or not _BESIDE.fullmatch(f"{text[: asked[0].start]} {text[asked[0].end :]}"):
        return ranking, []
    inverted, wanted = snapshot.inverted, asked[0].terms[0]
    rows = ranking.order[:_CLOSE_ROWS].tolist()
    found = [row for row in rows if wanted in inverted.terms_of(inverted.codes_of(row, HEADING, ABOVE + 1))]
    documents = list(dict.fromkeys(snapshot.path(row) for row in found))
    found.sort(key=lambda row: (documents.index(snapshot.path(row)), snapshot.position[row]))
    return ranking.rearranged(list(dict.fromkeys((*found, *rows))), "day"), found
