"""Nouns of one syllable in Korean queries: which particles are taken off, and which forms are found."""

import pytest

from search.ranking.korean_nouns import noun_forms
from tests.unit.test_relevance import source


def found(query, *words):
    vocabulary = source(notes="# 검색\n\n" + ". ".join(words) + ".\n").vocabulary
    return {word: set(forms) for word, forms in noun_forms(query, vocabulary).items()}


@pytest.mark.parametrize(
    ("query", "words", "forms"),
    [
        ("쥐가 있어요", ("쥐",), {"쥐가": {"쥐"}}),
        ("쥐", ("쥐가", "쥐를"), {"쥐": {"쥐가", "쥐를"}}),
        ("물이 안 나와요", ("물", "물을", "물이"), {"물이": {"물", "물을"}}),
        ("옷 쏟았어요", ("옷에",), {"옷": {"옷에"}}),
        ("앱에 로그인", ("앱을", "앱도"), {"앱에": {"앱을", "앱도"}}),
    ],
)
def test_noun_is_found_with_other_particles(query, words, forms):
    assert found(query, *words) == forms


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("나이", ("나", "나는")),  # 이 follows no vowel
        ("평가", ("평", "평이")),  # 가 follows no consonant
        ("종이 접기", ("종", "종을")),
        ("속도", ("속", "속이")),
        ("안에 있는", ("안", "안은")),
        ("3월에", ("월", "월은")),
        ('"물이" 있다', ("물",)),
        ("컴포넌트", ("컴",)),
    ],
)
def test_word_that_only_ends_so_stays(query, words):
    assert found(query, *words) == {}


def test_forms_that_no_section_has_are_left_out():
    assert found("물이 없다", "불") == {}
