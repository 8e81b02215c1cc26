"""Korean questions without blanks are read with the blanks that texts have."""

from __future__ import annotations

import pytest

from schema.text.spacing import with_blanks
from search.ranking.query import parse_query


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("몇학점", "몇 학점"),
        ("몇시간 걸려요", "몇 시간 걸려요"),
        ("최대 몇점까지", "최대 몇 점까지"),
        ("쓸수있나요", "쓸 수 있나요"),
        ("쓸수 없어요", "쓸 수 없어요"),
        ("들을수도있나", "들을 수도 있나"),
        ("전과할수가 없다", "전과할 수가 없다"),
    ],
)
def test_word_typed_together_is_set_apart(typed, read):
    assert with_blanks(typed) == read


@pytest.mark.parametrize(
    "typed", ["몇번", "몇 번", "몇명까지", "몇몇 학생", "필수있는 항목", "실수없이", "철수있어", "쓸 수 있어요", "암호수있"]
)
def test_other_words_stay(typed):
    assert with_blanks(typed) == typed


def test_noun_behind_how_many_is_looked_for():
    assert "학점" in parse_query("몇학점까지 들어요").weights


def test_verb_before_can_is_looked_for_alone():
    assert "쓸수있나요" not in parse_query("쓸수있나요").weights


def test_text_in_quotes_stays_as_it_is_typed():
    assert parse_query('"몇학점"').text == '"몇학점"'
