"""Who asks for an amount, a time or a number of things gets a section that has such a thing."""

from dataclasses import replace

import numpy as np
import pytest

from search.ranking.amounts import amount_first
from search.ranking.query import parse_query
from search.ranking.rank import rank
from tests.unit.test_relevance import snapshot


def after(query, first, other, *, likely=(0.9, 0.5), scores=(0.9, 0.6)):
    """Which of two sections is first after the step: the first one or the other."""
    index = snapshot(a=f"# A\n\n{first}\n", b=f"# B\n\n{other}\n")
    asked = parse_query(query)
    ranking = rank(index, asked, None, mode="lexical", dense_weight=0.0, allowed=np.ones(index.rows, np.bool_))
    ranking = replace(ranking, total=np.array(scores), order=np.arange(2))
    after = amount_first(asked, ranking, lambda rows: [likely[row] for row in rows], index.contents)
    return "first" if after.order[0] == 0 else "other"


@pytest.mark.parametrize(
    ("query", "first", "other"),
    [
        ("児童手当はいくら", "児童手当を申し込みます。", "月額は1万5千円です。"),
        ("何人に影響したか", "影響を調べます。", "12人に届きました。"),
        ("フラグはいつまでに消す", "フラグを消します。", "4週間で消します。"),
        ("プレゼンは何曜日", "会議室で話します。", "毎週水曜に話します。"),
        ("수업료는 얼마", "수업료를 냅니다.", "학점당 12만 원입니다."),
        ("몇 번까지 재시도하나요", "재시도를 설정합니다.", "최대 3회입니다."),
        ("이의제기는 며칠까지", "이의를 제기합니다.", "발표 뒤 5일 안에 합니다."),
        ("how much is the parking", "Parking is behind the house.", "The lot takes $4 a day."),
        ("受付は何時まで", "24時間受け付けます。", "17時に閉めます。"),
        ("몇 시까지 여나요", "24시간 엽니다.", "17시에 닫습니다."),
        ("治療は何分かかりますか", "治療は十分に考えます。", "治療は約3分です。"),
        ("何度まで温めるか", "もう一度温めます。", "80度にします。"),
        ("何時に止まるか", "一時的に止まります。", "9時に止まります。"),
    ],
)
def test_section_with_the_kind_of_thing_that_is_asked_for_takes_the_place(query, first, other):
    assert after(query, first, other) == "other"
    assert after(query, other, first) == "first"


@pytest.mark.parametrize(
    ("query", "given"),
    [
        ("児童手当の申し込み", {}),  # asks for none
        ("児童手当はいくら", {"likely": (0.9, 0.4)}),
        ("児童手当はいくら", {"likely": (0.4, 0.25)}),
        ("児童手当はいくら", {"scores": (0.9, 0.5)}),
        ("いくらでも申し込めるか", {}),
        ("児童手当は何回", {}),  # which the other one lacks
    ],
)
def test_first_section_stays(query, given):
    assert after(query, "児童手当を申し込みます。", "月額は1万5千円です。", **given) == "first"
