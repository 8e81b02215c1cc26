"""Notes that others have replaced → behind these.

In a folder of decisions and minutes an older note says what a newer one changed, and often in more words of the question. A
document may say itself that it is superseded; and of two dated notes of one folder that both answer, the newer one that
speaks of a change tells what holds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence

import numpy as np

from schema.sections import file_name
from schema.text.analyzer import terms
from schema.text.dates import days
from schema.text.normal_form import compatible
from schema.text.query_words import STOP_TERMS
from search.index.snapshot import IndexSnapshot
from search.ranking.names import is_name
from search.ranking.query import Query
from search.ranking.rank import Ranking
from search.ranking.releases import asks_for_changes

#: The best rows whose documents are looked at, the share of its score that a section of a replaced document loses, how many
#: sections of a document are read for its status, and how much of each (characters).
_CLOSE_ROWS, _SHARE, _FIRST_SECTIONS, _READ = 10, 0.25, 3, 800
#: The first rows among which a newer note is looked for, the least relevance of that, also as a share of the first row's,
#: and the lines at the beginning of a note that may have its date.
_FIRST_ROWS, _LEAST, _LEAST_SHARE, _LINES = 3, 0.2, 0.3, 6
_DIGIT = re.compile(r"\d")
#: Words of which a section has one that says what the status of its document is.
_STATUS = ("status", "ステータス", "状態", "상태")
_REPLACED = re.compile(
    r"^\W{0,6}status\W{1,6}(?:superseded|deprecated|rejected|replaced|withdrawn|obsolete|abandoned)\b"
    r"|^\W{0,6}(?:ステータス|状態|상태)\W{1,6}(?:廃止|却下|置き換え|폐기|대체|기각)",
    re.IGNORECASE | re.MULTILINE,
)
#: What a note says that changes what another one said.
_REVISES = re.compile(
    r"\b(?:replac(?:e[sd]?|ing)|supersed\w+|revis\w+|no longer|instead|rather than|changes? of plan|in the end"
    r"|from (?:now|today) on|(?:changed?|moved?|switch(?:ed)?) (?:to|from))\b"
    r"|これまで|今後は|変更|廃止|改定|見直|取りやめ|취소|변경|폐지|개정|바뀌|바꾸",
    re.IGNORECASE,
)
#: What a question says that asks for what was before.
_ASKS_FOR_THE_PAST = re.compile(
    r"\b(?:old|older|previous(?:ly)?|original(?:ly)?|initial(?:ly)?|first|before|earlier|used to|back then|rejected|"
    r"superseded|deprecated|(?:jan|febr)uary|march|april|june|july|august|(?:sept|nov|dec)ember|october)\b"
    r"|以前|当初|最初|前の|元の|却下|見送|[0-9]月|이전|처음|원래|당시|기각|반려|[0-9]월",
    re.IGNORECASE,
)


def behind_replacements(snapshot: IndexSnapshot, query: Query, ranking: Ranking) -> Ranking:
    """Return the ranking in which sections of documents that say of themselves that they are superseded, rejected or the
    like lose a quarter of their scores, as the part "replaced".

    It is the same ranking for a question that asks for what was before, and a section with the query as its name loses
    nothing.
    """
    if _asks_for_the_past(query):
        return ranking
    rows = ranking.order[:_CLOSE_ROWS].tolist()
    replaced = _replaced(snapshot, {snapshot.path(row) for row in rows})
    lost = [row for row in rows if snapshot.path(row) in replaced and not _is_named(ranking, row)]
    if not lost:
        return ranking
    taken = np.zeros(len(ranking.total))
    taken[lost] = _SHARE * ranking.total[lost]
    return ranking.plus("replaced", -taken)


def revised_first(
    snapshot: IndexSnapshot, query: Query, ranking: Ranking, relevance: Callable[[Sequence[int]], Sequence[float]]
) -> Ranking:
    """Return the ranking in which a dated note has given the first place to a newer one of its folder among the first three,
    if that has a word of its name, speaks of a change and answers about as well, as the part "revised"; `relevance` gives
    that of rows.

    It is the same ranking for a question that asks for what was before or names a day.
    """
    rows = ranking.order[:_FIRST_ROWS].tolist()
    if len(rows) < 2 or _asks_for_the_past(query) or any(days(compatible(query.text))) or _is_named(ranking, rows[0]):
        return ranking
    paths = [snapshot.path(row) for row in rows]
    folder, _, name = paths[0].rpartition("/")
    # the names of notes that follow each other have a date or a number
    others = [place for place, path in enumerate(paths) if path.rpartition("/")[0] == folder and _DIGIT.search(path)]
    if others == [0] or not _DIGIT.search(name):
        return ranking
    texts = snapshot.contents(rows)
    dates = [_date(path, text) for path, text in zip(paths, texts, strict=True)]
    if not dates[0]:
        return ranking
    answers = relevance(rows)
    least = max(_LEAST, _LEAST_SHARE * answers[0])
    newer = [
        place
        for place in others
        if dates[place] > dates[0]
        and answers[place] >= least
        and not _subject(paths[place], texts[place]).isdisjoint(_subject(paths[0], texts[0]))
        and _REVISES.search(compatible(texts[place]))
    ]
    return ranking.led_by(max(newer, key=dates.__getitem__), "revised") if newer else ranking


def _asks_for_the_past(query: Query) -> bool:
    text = compatible(query.text)
    return _ASKS_FOR_THE_PAST.search(text) is not None or asks_for_changes(query)


def _is_named(ranking: Ranking, row: int) -> bool:
    return ranking.names is not None and is_name(ranking.names[row])


def _replaced(snapshot: IndexSnapshot, paths: Collection[str]) -> set[str]:
    """Those of some documents that say at their beginning that another one holds in their place."""
    owns = (snapshot.rows_of(path) for path in paths)
    beginnings = (row for own in owns for row in range(own.start, min(own.stop, own.start + _FIRST_SECTIONS)))
    told = np.logical_or.reduce([snapshot.inverted.holds_all(terms(word)) for word in _STATUS])
    rows = [row for row in beginnings if told[row] and snapshot.position[row] < _FIRST_SECTIONS]
    texts = snapshot.contents(rows) if rows else []
    return {snapshot.path(row) for row, text in zip(rows, texts, strict=True) if _REPLACED.search(compatible(text[:_READ]))}


def _subject(path: str, text: str) -> frozenset[str]:
    """The terms of a note's name and heading that are no numbers or small words."""
    heading = text.split("\n", 1)[0] if text.startswith("#") else ""
    found = terms(f"{file_name(path)} {heading}".replace("-", " ").replace("_", " "))
    return frozenset(term for term in found if term.isalpha() and len(term) > 1) - STOP_TERMS


def _date(path: str, text: str) -> str:
    """The day of a note, as 2026-03-30: that of its file's name, or the first one in its first lines; "" for none."""
    for part in (file_name(path), "\n".join(text.splitlines()[:_LINES])):
        with_year = [day for day in days(compatible(part)) if len(day.terms) > 1]
        if with_year:
            return min(with_year, key=lambda day: day.start).terms[0][1:]
    return ""
