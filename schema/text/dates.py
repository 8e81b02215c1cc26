"""Dates in a text, in the notations in which people write them → terms that are the same for the same day.

March 30, 30 March 2026, 30.03.2026, 2026-03-30, 2026年3月30日, 令和8年3月30日 and 3월 30일 are one day; the year may be left
out. 3/30 is one alone and among words of Japanese or Korean, where people write it so. A notation that may mean two days, as
03/04/2026, is none here.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from schema.text.normal_form import compatible

#: What the years of Japanese eras are counted from.
_ERAS = {"令和": 2018, "平成": 1988, "昭和": 1925}
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_NAME = (
    r"Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|"
    r"Nov(?:ember)?|Dec(?:ember)?"
)
_DAY, _MONTH, _YEAR = r"(?:0?[1-9]|[12]\d|3[01])", r"(?:0?[1-9]|1[0-2])", r"(?:19|20)\d\d"
_LATE, _CJK = r"(?:1[3-9]|2\d|3[01])", "[\u3001-\u30ff\u4e00-\u9fff가-힣]"
#: No digit stands before, neither by itself nor with a sign behind it.
_BEFORE = r"(?<!\d)(?<!\d[.,:/_-])"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"(?<!\d)(?<!\d[.,:_-])(?P<y>{_YEAR})(?P<sign>[-/_])(?P<m>{_MONTH})(?P=sign)(?P<d>{_DAY})(?!\d)",
        # with points a version looks like it: 2021.3.16
        rf"{_BEFORE}(?P<y>{_YEAR})\. ?(?P<m>0[1-9]|1[0-2])\. ?(?P<d>0[1-9]|[12]\d|3[01])(?![\w-]|\.\d)",
        rf"{_BEFORE}(?P<y>{_YEAR})\. (?P<m>{_MONTH})\. (?P<d>{_DAY})(?![\w-]|\.\d)",
        rf"{_BEFORE}(?P<y>{_YEAR})(?P<m>0[1-9]|1[0-2])(?P<d>0[1-9]|[12]\d|3[01])(?![\d-])",
        (
            rf"(?:(?<!\d)(?P<y>{_YEAR})\s?[年년]\s?|(?P<era>{'|'.join(_ERAS)})(?P<n>\d{{1,2}}|元)年)?"
            rf"(?<!\d)(?P<m>{_MONTH})\s?[月월]\s?(?P<d>{_DAY})\s?(?:日|일(?:에는|에|은|의|이|자|까지|부터)?|[号號](?![線线室館馆棟栋店車车]))"
        ),
        # what may happen is no day: such a May has a capital or a year
        (
            rf"(?<![^\W_])(?<![.:])(?P<d>{_DAY})(?:st|nd|rd|th)?(?: of)? (?-i:(?!may\b(?!,? {_YEAR})))(?P<m>{_NAME})"
            rf"(?![^\W_])\.?(?:,? (?P<y>{_YEAR})(?!\d))?"
        ),
        (
            rf"(?<![^\W_])(?-i:(?!may|[A-Z]{{3}}))(?P<m>{_NAME})\.? (?P<d>{_DAY})(?:st|nd|rd|th)?(?![^\W_]|[:%]|[.,]\d)"
            rf"(?:,? (?P<y>{_YEAR})(?!\d))?"
        ),
        rf"{_BEFORE}(?<![A-Za-z])(?P<d>{_DAY})\.(?P<m>{_MONTH})\.(?P<y>{_YEAR})(?!\d|\.\d)",
        # a day beyond the twelfth cannot be a month
        rf"{_BEFORE}(?P<d>1[3-9]|2\d|3[01])/(?P<m>{_MONTH})/(?P<y>{_YEAR})(?![\d/])",
        rf"{_BEFORE}(?P<m>{_MONTH})/(?P<d>1[3-9]|2\d|3[01])/(?P<y>{_YEAR})(?![\d/])",
        rf"{_BEFORE}(?P<m>{_MONTH})/(?P<d>{_DAY})(?=\s?\((?:[月火水木金土日](?:曜日?)?|[월화수목금토일](?:요일)?)\))",
        # among words of Japanese or Korean, where the second number can be no month or what follows says that it is a day
        rf"{_BEFORE}(?<![A-Za-z])(?P<m>{_MONTH})/(?P<d>{_LATE})(?=\s?{_CJK})",
        rf"(?:(?<={_CJK})|(?<={_CJK}\s)|(?<=[〜~]))(?P<m>{_MONTH})/(?P<d>{_LATE})(?![\w/]|[.,]\d)",
        rf"{_BEFORE}(?<![A-Za-z])(?P<m>{_MONTH})/(?P<d>{_DAY})(?=\s?(?:まで|から|頃|ごろ|以降|締|〆切|까지|부터|이후|에(?![가-힣])))",
        rf"\A\s*(?P<m>{_MONTH})/(?P<d>{_LATE})\s*\Z",
    )
)
#: What each date holds; looked for first, since few sentences have one.
_DIGIT = re.compile(r"\d")
_SOME = re.compile(
    r"\d(?:[-/_.]\s?\d{1,2}[-/_.]\s?\d|\s?[月월]|/\d{1,2}(?![\d/])|\d{7}"
    rf"|(?i:(?:st|nd|rd|th)?(?: of)? (?:{'|'.join(_MONTHS)})))"
    rf"|[JFMASONDjfmasond](?i:{'|'.join(month[1:] for month in _MONTHS)})[a-z]{{0,6}}\.? \d"
)
#: Begins the terms of days; no term of a word does.
MARK = "@"


#: A month in a text, with the year or without: 2026-10, October 2026, in May, 2026年10月, 10월. Of the names that are other
#: words too one counts behind some words alone.
_FULL_NAMES = "January|February|April|June|July|August|September|October|November|December"
_WORDS_BEFORE = "|".join(
    rf"(?<=\b{word} )" for word in ("in", "of", "from", "for", "during", "since", "until", "last", "this")
)
_MONTH_FORMS = tuple(
    re.compile(form)
    for form in (
        rf"(?<![\w.-])(?P<y>{_YEAR})[-/](?P<m>0[1-9]|1[0-2])(?![\w]|[-/.]\d)",
        rf"(?:(?<!\d)(?P<y>{_YEAR})\s?[年년]\s?)?(?<![\d.,:/-])(?P<m>{_MONTH})\s?[月월](?!\s?\d{{1,2}}\s?[日일])",
        (
            rf"(?<![^\W_])(?:(?P<m>(?i:{_NAME}))\.?,? (?P<y>{_YEAR})(?![\d-])"
            rf"|(?P<n>(?i:{_FULL_NAMES}|(?:{_WORDS_BEFORE})(?:May|March)))(?![^\W_]|\.? ?{_DAY}(?!\d)))"
        ),
    )
)


#: How days are told from today on, and which: days, weeks or months, and how many before this one.
_RELATIVE = tuple(
    (re.compile(form, re.IGNORECASE), unit, back)
    for form, unit, back in (
        (r"\btoday\b|今日|本日|오늘", "day", 0),
        (r"\byesterday\b|昨日|어제", "day", 1),
        (r"\bthis week\b|今週|이번 ?주", "week", 0),
        (r"\blast week\b|先週|지난 ?주", "week", 1),
        (r"\bthis month\b|今月|이번 ?달", "month", 0),
        (r"\blast month\b|先月|지난 ?달", "month", 1),
    )
)


class Month(NamedTuple):
    """A month that stands in a text, 1..12, and its year; 0 if there is none."""

    start: int
    end: int
    year: int
    month: int


def months(text: str, days_in_it: Iterable[Day]) -> list[Month]:
    """The months in a text in Unicode's form NFKC that are no part of the `days` in it, in order.

    >>> [found[2:] for found in months("From October 2025 to 2026-03, in May and 7月", [])]
    [(2025, 10), (2026, 3), (0, 5), (0, 7)]
    >>> text = "30 October 2025, 2026-03-01, 7月4日, may March 3 be in it, 3か月, v2.10"
    >>> months(text, days(text))
    []
    """
    found = []
    inside = [(day.start, day.end) for day in days_in_it]
    for form in _MONTH_FORMS:
        for match in form.finditer(text):
            if not any(start < match.end() and match.start() < end for start, end in inside):
                parts = match.groupdict()
                found.append(Month(*match.span(), int(parts["y"] or 0), _number(parts["m"] or parts.get("n") or "")))
    return sorted(found)


class Day(NamedTuple):
    """A date that stands in a text, and its terms: with the year, if that is there, and without."""

    start: int
    end: int
    terms: tuple[str, ...]


def days(text: str) -> Iterator[Day]:
    """Yield the dates in a text in Unicode's form NFKC, in no order.

    >>> [day.terms for day in days("From 2026-03-30 to April 2")]
    [('@2026-03-30', '@03-30'), ('@04-02',)]
    >>> [day.terms for day in days("令和8年3月9日、1월 15일")]
    [('@2026-03-09', '@03-09'), ('@01-15',)]
    >>> list(days("03/04/2026, version 1.2.2026.1, it may 5 times"))
    []
    """
    for form in _FORMS:
        for match in form.finditer(text):
            found = match.groupdict()
            year, day = _year(found), f"{_number(found['m']):02}-{int(found['d']):02}"
            yield Day(*match.span(), (f"{MARK}{year}-{day}", f"{MARK}{day}") if year else (f"{MARK}{day}",))


class Days(NamedTuple):
    """Some days, seen from today, that a text names: the first and the last."""

    start: int
    end: int
    first: dt.date
    last: dt.date


def days_from(text: str, today: dt.date) -> list[Days]:
    """The days in a text in Unicode's form NFKC that are told from today on, in order; weeks begin on Monday.

    >>> today = dt.date(2026, 3, 4)
    >>> [(str(found.first), str(found.last)) for found in days_from("yesterday, 先週, last month", today)]
    [('2026-03-03', '2026-03-03'), ('2026-02-23', '2026-03-01'), ('2026-02-01', '2026-02-28')]
    """
    found = []
    for form, unit, back in _RELATIVE:
        for match in form.finditer(text):
            if unit == "day":
                first = last = today - dt.timedelta(days=back)
            elif unit == "week":
                first = today - dt.timedelta(days=today.weekday() + 7 * back)
                last = first + dt.timedelta(days=6)
            else:
                first = (today.replace(day=1) - dt.timedelta(days=back)).replace(day=1)
                last = (first + dt.timedelta(days=31)).replace(day=1) - dt.timedelta(days=1)
            found.append(Days(*match.span(), first, last))
    return sorted(found)


def day_terms(text: str) -> list[str]:
    """The terms of the dates in a text, each once."""
    return (
        list(dict.fromkeys(term for day in days(compatible(text)) for term in day.terms))
        if _DIGIT.search(text) and _SOME.search(text)
        else []
    )


def _number(month: str) -> int:
    return int(month) if month.isdigit() else _MONTHS.index(month[:3].lower()) + 1


def _year(found: Mapping[str, str | None]) -> int:
    """The year of what a form found; 0 if there is none."""
    era, of_era = found.get("era"), found.get("n") or ""
    if era:
        return _ERAS[era] + (1 if of_era == "元" else int(of_era))
    return int(found.get("y") or 0)
