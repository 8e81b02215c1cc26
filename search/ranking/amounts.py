"""A question for an amount, a time or a number of things → of the first sections one that has such a thing.

"How many people were affected" finds the runbook with all of its words before the report that has the number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from schema.text.normal_form import compatible
from search.ranking.query import Query
from search.ranking.rank import Ranking

#: The first rows that are looked at; the relevance of the section that has such a thing, or its share of that of the first
#: one, and its share of the first one's score, at least.
_FIRST_ROWS, _ANSWERS, _AS_LIKELY, _AS_GOOD = 5, 0.3, 0.5, 0.6
_JAPANESE_NUMBER = r"[0-9一二三四五六七八九十百千万][0-9,.]*\s?[万千億]?\s?"
_KOREAN_NUMBER = r"(?:[0-9][0-9,.]*\s?[만천억]?\s?|(?:한|두|세|네|다섯|여섯) )"
#: What does not stand behind a counter: of 24時間 it is the hour, and 十分に is enough. もう一度 and 一時的 are no number.
_BEHIND = r"(?<!十分(?=[なに]))(?<!もう一度)(?<!一時(?=[的停保帰]))(?<!時(?=間))(?<!시(?=간))"
#: What is counted: 何人 asks for it, and 12人 has it; 몇 번 and 3번.
_JAPANESE_COUNTERS = "人 件 分 秒 時間 日間 日以内 回 個 年 歳 度 枚 冊 台 文字 行 グラム 時 か月 割 円"
_KOREAN_COUNTERS = "번|회 개 명|인 분 초 시간 일 학점 살|세 대 글자|자 주 년 장 권 %|퍼센트|프로 곡 줄|행 시 원"


class _Kind(NamedTuple):
    """What asks for a kind of thing, and how the thing is written."""

    asks: re.Pattern[str]
    has: re.Pattern[str]


def _kind(asks: str, has: str) -> _Kind:
    return _Kind(re.compile(asks, re.IGNORECASE), re.compile(has, re.IGNORECASE))


_MONEY = _kind(
    r"いくら(?!で)|何円|(?:料金|費用|金額|値段|代金|家賃|手数料|単価|予算)(?:は?[\s?]*$|を?教え)|얼마(?!나)|비용|요금|가격|금액은?[\s?]*$"
    r"|몇 ?원|how much (?:is|are|does|do|did|will|would|was|were)\b",
    r"[0-9][0-9,.]*\s?[万千億]?円|[0-9][0-9,.]*\s?[만천억]?\s?원|[$€£]\s?[0-9]|[0-9.]+\s?%|無料|무료|\bfree\b",
)
_WEEKDAY = _kind(r"何曜日|무슨 ?요일", r"[月火水木金土日]曜|[月火水木金土日]・[月火水木金土日]|[월화수목금토일]요일")
_TIME = _kind(
    r"いつ(?!も)|何日(?!間|以内)|何月|[^\d]日はいつ|(?:引き落とし|支払い?|給料|締切)日|期限|언제(?!나)|날짜|기한|며칠",
    r"[0-9]{1,2}\s?[月日時]|[0-9]{4}[-/][0-9]|[月火水木金土日]曜|毎[日週月年朝晩]|時まで|週間|月末|翌月|営業日"
    r"|[0-9]{1,2}\s?[월일시]|매[일주월년]|요일|D\+[0-9]|[0-9]\s?(?:주|개월|시간|분)|영업일",
)
_SHARE = _kind(r"何%|何パーセント|何割", r"[0-9.]+\s?(?:%|パーセント|割)")
_KINDS = (
    *(_MONEY, _WEEKDAY, _TIME, _SHARE),
    *(_kind(rf"何{counter}", rf"{_JAPANESE_NUMBER}{counter}{_BEHIND}") for counter in _JAPANESE_COUNTERS.split()),
    *(_kind(rf"몇\s?(?:{counter})", rf"{_KOREAN_NUMBER}(?:{counter}){_BEHIND}") for counter in _KOREAN_COUNTERS.split()),
)


def amount_first(
    query: Query,
    ranking: Ranking,
    relevance: Callable[[Sequence[int]], Sequence[float]],
    texts_of: Callable[[Sequence[int]], Sequence[str]],
) -> Ranking:
    """Return the ranking in which a first section without the kind of thing that the question asks for has given its place
    to the next of the first five that has such a thing, and answers half as likely at least, as the part "amount".

    `relevance` gives that of rows, `texts_of` their texts with the properties of their documents.
    """
    rows = ranking.order[:_FIRST_ROWS].tolist()
    text = compatible(query.text)
    asked = [kind.has for kind in _KINDS if kind.asks.search(text)] if len(rows) > 1 else []
    if not asked:
        return ranking
    texts = [compatible(text) for text in texts_of(rows)]
    if any(has.search(texts[0]) for has in asked):
        return ranking
    answers, total = relevance(rows), ranking.total[rows]
    fitting = (
        place
        for place in range(1, len(rows))
        if asked[0].search(texts[place])
        and answers[place] >= max(_ANSWERS, _AS_LIKELY * answers[0])
        and total[place] >= _AS_GOOD * total[0]
    )
    return ranking.led_by(next(fitting, 0), "amount")
