"""A Korean verb of a query stands for its other forms that sections have."""

import pytest

from search.ranking.korean_verbs import verb_forms
from tests.unit.test_relevance import source


def forms(query, text):
    return verb_forms(query, source(notes=f"# 검색\n\n{text}\n").vocabulary)


@pytest.mark.parametrize(
    ("typed", "written", "pair", "other"),
    [
        ("목록이 안 보여요", "안 보임", "보여", "보임"),
        ("보입니다", "보이지 않을 때", "보입", "보이"),
        ("보였어요", "보이면 누릅니다", "보였", "보이"),
        ("안닫힘", "닫히지 않아요", "닫힘", "닫히"),
        ("느립니다", "너무 느려요", "느립", "느려"),
        ("끊겨요", "연결이 끊김", "끊겨", "끊김"),
        ("나옵니다", "값이 나와요", "나옵", "나와"),
        ("바꾸려면", "값을 바꿔요", "바꾸", "바꿔"),
        ("나타나지 않아요", "다시 나타납니다", "타나", "타납"),
        ("담배 피워도 되나요", "담배를 피웁니다", "피워", "피웁"),
        ("승강기 갇힘", "승강기에 갇혔을 때", "갇힘", "갇혔"),
    ],
)
def test_other_form_of_the_verb_is_looked_for_too(typed, written, pair, other):
    assert forms(typed, written)[pair] == (other,)


def test_word_as_a_whole_stands_for_the_other_form_too():
    assert forms("보입니다", "보이지 않을 때") == {"보입니다": ("보이",), "보입": ("보이",)}


@pytest.mark.parametrize(
    ("typed", "written"),
    [
        ("게임", "게이트웨이"),  # no ending behind it
        ("라인", "라이브러리"),
        ("전자레인지", "레이 두 대"),
        ("참여", "참이슬"),
        ("작동하지", "작동한다"),  # made of a noun, which is its term
        ("알림", "알려 드립니다"),
        ("스트림", "트리를 그립니다"),
        ("보여요", "보여요"),
        ('"보여요"', "보이지 않을 때"),  # as it is written
        ("open", "열림"),
    ],
)
def test_other_words_stand_for_themselves(typed, written):
    assert forms(typed, written) == {}
