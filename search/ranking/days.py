"""A question for a day or a month → the sections of the documents of that time: "what happened on 4 May", 5月のメモ."""

from __future__ import annotations

import calendar
import datetime as dt

import numpy as np
import regex

from schema.clock import now
from schema.text.dates import MARK, Day, Days, Month, days_from, months
from schema.text.dates import days as days_in
from schema.text.fields import ABOVE, HEADING
from schema.text.normal_form import compatible
from search.index.snapshot import IndexSnapshot
from search.ranking.query import Query
from search.ranking.rank import Ranking

#: The best rows that are looked at for a day and for a month, and what a section of the month gains.
_CLOSE_ROWS, _ROWS_OF_MONTH, _WORTH = 30, 300, 0.15
#: The month of a document in its path: 2026-10.md, 2026/10/notes.md, 2026-10-04.md.
_OF_PATH = regex.compile(r"(?<!\d)(?P<y>(?:19|20)\d\d)[-_/.年]?(?P<m>0[1-9]|1[0-2])(?!\d)")
#: What a question for a day or a month alone has beside it.
_BESIDE = regex.compile(
    r"(?:\W|\b(?:what|happened|did|do|done|was|were|is|s|i|we|my|our|the|a|on|from|of|for|in|at|all|show|open|list|daily|diary|journal|logs?|"
    r"entry|entries|notes?|meetings?|minutes|day)\b|メモ|日記|日報|議事録|記録|出来事|何|があった|ありました|をした|しました|か|の|に|は|を|"
    r"메모|일기|일지|회의록|기록|무슨|일이|있었[가-힣]{0,3}|뭐|했[가-힣]{0,3}|에|의)*+",
    regex.IGNORECASE,
)


def day_first(snapshot: IndexSnapshot, query: Query, ranking: Ranking) -> tuple[Ranking, list[int]]:
    """Return the ranking in which the sections that a day is the name of, or the heading above, stand first if the question
    is for that day alone, each document in its own order, as the part "day"; and these rows, which answer it.

    So do those of a month, of the last year before others, and of days such as yesterday or last week, in their order. If a
    question for something else names a month, those of it gain.
    """
    text = compatible(query.text)
    days = list(days_in(text))
    times: list[Day | Month | Days] = [*days, *months(text, days), *days_from(text, now().astimezone().date())]
    if len(times) != 1:
        return ranking, []
    asked = times[0]
    is_alone = _BESIDE.fullmatch(f"{text[: asked.start]} {text[asked.end :]}") is not None
    if isinstance(asked, Days):
        return _of_days(snapshot, asked, ranking) if is_alone else (ranking, [])
    if isinstance(asked, Month):
        return _of_month(snapshot, asked, ranking, is_alone=is_alone)
    return _of_day(snapshot, asked, ranking) if is_alone else (ranking, [])


def _of_day(snapshot: IndexSnapshot, asked: Day, ranking: Ranking) -> tuple[Ranking, list[int]]:
    inverted, wanted = snapshot.inverted, asked.terms[0]
    rows = ranking.order[:_CLOSE_ROWS].tolist()
    found = [row for row in rows if wanted in inverted.terms_of(inverted.codes_of(row, HEADING, ABOVE + 1))]
    documents = list(dict.fromkeys(snapshot.path(row) for row in found))
    found.sort(key=lambda row: (documents.index(snapshot.path(row)), snapshot.position[row]))
    return ranking.rearranged(list(dict.fromkeys((*found, *rows))), "day"), found


def _of_month(snapshot: IndexSnapshot, asked: Month, ranking: Ranking, *, is_alone: bool) -> tuple[Ranking, list[int]]:
    rows = ranking.order[:_ROWS_OF_MONTH].tolist()
    years = {row: year for row in rows if (year := _year_of(snapshot, row, asked))}
    if not years:
        return ranking, []
    if is_alone:
        found = sorted(years, key=lambda row: -years[row])
        return ranking.rearranged(list(dict.fromkeys((*found, *rows))), "day"), found
    gained = np.zeros(len(ranking.total))
    gained[list(years)] = _WORTH
    return ranking.plus("day", gained, most=_WORTH), []


def _of_days(snapshot: IndexSnapshot, asked: Days, ranking: Ranking) -> tuple[Ranking, list[int]]:
    rows = ranking.order[:_ROWS_OF_MONTH].tolist()
    by_row = {row: [dt.date(*day) for day in _days_of(snapshot, row)] for row in rows}
    found = [row for row, own in by_row.items() if any(asked.first <= day <= asked.last for day in own)]
    found.sort(key=lambda row: (by_row[row], snapshot.path(row), snapshot.position[row]))
    return ranking.rearranged(list(dict.fromkeys((*found, *rows))), "day"), found


def _days_of(snapshot: IndexSnapshot, row: int) -> list[tuple[int, int, int]]:
    """The days in the headings of a section and above it, and in the name of its file: year, month and day."""
    terms = snapshot.inverted.terms_of(snapshot.inverted.codes_of(row, HEADING, ABOVE + 1))
    found = [term[1:].split("-") for term in terms if term.startswith(MARK)]
    days = ((int(day[0]), int(day[1]), int(day[2])) for day in found if len(day) == 3)
    return [day for day in days if day[2] <= calendar.monthrange(*day[:2])[1]]


def _year_of(snapshot: IndexSnapshot, row: int, asked: Month) -> int:
    """The year in which a section is of a month, by a day in its headings or by its path; 0 if it is of none."""
    of_days = [day[:2] for day in _days_of(snapshot, row)]
    of_path = [(int(match["y"]), int(match["m"])) for match in _OF_PATH.finditer(snapshot.path(row))]
    return max(
        (year for year, number in (*of_days, *of_path) if number == asked.month and asked.year in (0, year)), default=0
    )
