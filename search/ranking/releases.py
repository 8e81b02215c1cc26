"""Sections of a release, of a day or of the past → behind those that describe what is.

A change log names everything that ever changed, each in a line, and minutes what was talked of. So their sections hold the
words of nearly every question, and often in fewer other words than the section that explains the thing. A post, a yearly
report or a page in an archive tells what was true then. And a list of the works cited has the words of their titles.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from itertools import islice

import numpy as np
import numpy.typing as npt

from schema.clock import now
from schema.text.analyzer import terms
from schema.text.dates import MARK
from schema.text.fields import ABOVE, HEADING
from schema.text.normal_form import compatible
from search.index.inverted_index import InvertedIndex
from search.index.ranges import Indices
from search.index.snapshot import IndexSnapshot
from search.ranking.names import is_name
from search.ranking.query import Query
from search.ranking.rank import Ranking

#: The best rows that are looked at, and the share of its score that a section of a release or a day loses. Those behind the
#: rows that are looked at lose nothing, so there must be more of these than a long change log has among the best.
_CLOSE_ROWS, _SHARE = 100, 0.25
#: The most words in the heading of a release or a day, beside numbers ("Version", the name of a product, a month), and of
#: them behind the number of a release ("release date", a month).
_MOST_WORDS, _MOST_BEHIND = 4, 2
#: The number of a release, whose parts follow as terms of their own, and how terms begin that are no words: numbers, dates.
_VERSION, _NO_WORD = re.compile(r"[0-9]+(?:\.[0-9]+)+"), frozenset(f"0123456789{MARK}")
#: What a question says that a change log or minutes may answer, and a version, a year or a date in one.
_CHANGES = re.compile(
    r"\b(?:change ?log|chang(?:ed|es)|what(?:['’]?s| is) new|news|histor(?:y|ies)|releases|released|"
    r"release (?:notes?|dates?)|since when|"
    r"(?:which|what|latest|last|next|previous|new|old|this|each|every|since|from|in) (?:version|release)s?|"
    r"upgrad\w*|migrat\w*|breaking|deprecated|removed|added|introduced|minutes)\b|\brelease[\s?!.]*$|^when\b|"
    r"変更点|変更履歴|リリース(?:ノート|情報|日|された|で|$)|(?:最新|前回|次回?|今回|どの)の?リリース|"
    r"バージョンで|新機能|履歴|移行|廃止|いつ(?!も)|議事録|"
    r"변경|릴리[스즈](?: ?노트| ?일|된|에서|[\s?!.]*$)|(?:최신|이전|다음|이번|어느|어떤) 릴리[스즈]|"
    r"버전에서|새로운 기능|이력|업그레이드|마이그레이션|언제(?!나)|회의록",
    re.IGNORECASE,
)
_DATED = re.compile(
    r"(?<![A-Za-z0-9_.-])(?:v[0-9]|[0-9]+\.[0-9x]|(?:19|20)[0-9]{2}(?![0-9])|[0-9]{1,2}[月월/])", re.IGNORECASE
)
#: Where documents of the past are: below a folder named so, or one of a year or a day, or in a file named after a day, or
#: after a year and what is written about one. And change logs, each of which may be a file or a folder.
_YEAR = r"(?<![0-9])(?:19[89][0-9]|20[0-9]{2})(?![0-9])"
_PAST = re.compile(
    r"(?:^|/)(?:(?P<folder>blogs?|news|_posts|(?:[\w-]{1,40}[-_])?archive[ds]?|attic|deprecated|legacy|obsolete|old)/"
    r"|(?P<log>(?:change[-_]?logs?|history|release[-_]?notes)(?=/|\.[A-Za-z]{1,5}$)|releases(?=\.[A-Za-z]{1,5}$))"
    rf"|{_YEAR}(?:[-_][0-9]{{1,2}}){{0,2}}/|{_YEAR}[-_.][0-9]{{1,2}}(?![0-9])[^/]*$"
    rf"|(?=[^/]*(?:report|minutes|notes|review|recap|retro|summary|survey|meeting|roadmap))[^/]*{_YEAR}[^/]*$)",
    re.IGNORECASE,
)
_YEARS = re.compile(_YEAR)
#: How lists of works are called, and what a question says that they may answer.
_WORKS = (
    *("References", "Bibliography", "Works cited", "Works Cited", "Literature cited", "Literatur", "Bibliographie"),
    *("参考文献", "参考資料", "참고문헌", "참고 문헌"),
)
_ASKS_FOR_WORKS = re.compile(
    r"\b(?:papers?|articles?|books?|authors?|cit(?:ed?|es|ations?)|references?|bibliograph\w*|et al|doi)\b"
    r"|文献|論文|著者|문헌|논문|저자",
    re.IGNORECASE,
)


def asks_for_changes(query: Query) -> bool:
    """Whether a query has words of changes or minutes: they answer it, and so does what says how to upgrade."""
    return _CHANGES.search(compatible(query.text)) is not None


def behind_descriptions(snapshot: IndexSnapshot, query: Query, ranking: Ranking) -> Ranking:
    """Return the ranking in which sections of releases, of days and of the past lose a quarter of their scores, as the part
    "release".

    They also lose what they gained by others of their document: one that names everything has good sections for anything.

    It is the same ranking for a question about changes, a version or a date, and where there are no such sections. A folder
    of the past that the question names may be what it is about, and a section of the past with the query as its name is.
    """
    if asks_for_changes(query) or _DATED.search(compatible(query.text)):
        return ranking
    close = ranking.order[:_CLOSE_ROWS]
    names = ranking.names
    lists = np.isin(close, _lists_of_works(snapshot, query))
    paths = [snapshot.path(row) for row in close.tolist()]
    past = {path for path in dict.fromkeys(paths) if _is_past(path, query)}
    is_past = [
        path in past and not (names is not None and is_name(names[row]))
        for row, path in zip(close.tolist(), paths, strict=True)
    ]
    rows = close[_are_of_releases(snapshot.inverted, close.tolist(), query.weights) | np.array(is_past, np.bool_) | lists]
    if not len(rows):
        return ranking
    taken = np.zeros(len(ranking.total))
    by_document = ranking.parts["document"][rows] if "document" in ranking.parts else 0.0
    taken[rows] = _SHARE * (ranking.total[rows] - by_document) + by_document
    return ranking.plus("release", -taken)


def _lists_of_works(snapshot: IndexSnapshot, query: Query) -> Indices:
    """The rows that list the works which a document cites; none where the question asks for works or is such a heading."""
    text = compatible(query.text)
    if _ASKS_FOR_WORKS.search(text) or text in _WORKS:
        return np.zeros(0, np.int64)
    return np.concatenate([snapshot.inverted.written(name) for name in _WORKS])


def _is_past(path: str, query: Query) -> bool:
    """Whether a document is of the past, by its path: of this year or an earlier one, a change log, or in a folder for such
    documents."""
    found = _PAST.search(path)
    if found is None:
        return False
    if named := found["folder"] or found["log"]:
        return query.weights.keys().isdisjoint(terms(named))
    return int(_YEARS.findall(found[0])[-1]) <= now().year


def _are_of_releases(inverted: InvertedIndex, rows: Sequence[int], asked: Container[str]) -> npt.NDArray[np.bool_]:
    """Which sections have a release or a day as their heading, or are below one, shape (rows,); not those that name beside a
    day only what is `asked` for, as in a log of one house or one car."""
    lines = [inverted.codes_of(row, line, line + 1) for row in rows for line in (HEADING, ABOVE)]
    found = iter(inverted.terms_of(np.concatenate([np.zeros(0, np.int32), *lines])))
    terms_of_lines = [list(islice(found, len(line))) for line in lines]
    pairs = zip(terms_of_lines[::2], terms_of_lines[1::2], strict=True)
    return np.array(
        [(names_release(own) or names_release(above, len(above))) and not _names_thing(own, asked) for own, above in pairs],
        np.bool_,
    )


def _names_thing(line: Sequence[str], asked: Container[str]) -> bool:
    """Whether a heading has a day and words, all of which are asked for."""
    words = [term for term in line if term[0] not in _NO_WORD]
    return bool(words) and line[-1][0] == MARK and all(word in asked for word in words)


def names_release(line: Sequence[str], most_words: int = _MOST_WORDS) -> bool:
    """Whether a line of headings ends with a release or a day, beside at most so many words."""
    if not line or line[-1][0] not in _NO_WORD or sum(term[0] not in _NO_WORD for term in line) > most_words:
        return False
    at = next((i for i in reversed(range(len(line))) if _VERSION.match(line[i])), len(line))
    words_behind = sum(term[0] not in _NO_WORD for term in line[at:])
    return line[-1][0] == MARK or (at < len(line) and words_behind <= _MOST_BEHIND)
