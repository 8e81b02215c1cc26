"""Words in one kana → as sections have them in the other."""

import numpy as np
import pytest

from schema.text.analyzer import terms
from search.index.vocabulary import HeldCounts, Vocabulary
from search.ranking.misspelt import respelt
from tests.unit.test_misspelt import MANY, read

IN_KATAKANA = {"ルーター": 3, "パスワード": 2, "パスポート": 1, "イルカ": 1, "フィルター": 2}


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("るーたー", "ルーター"),
        ("ぱすぽーと", "パスポート"),
        ("るーたーのぱすわーど", "ルーターのパスワード"),
        ("かんきせんのふぃるたーは", "かんきせんのフィルターは"),
        ("使っているか", "使っているか"),  # neither before nor behind a particle
        ("まいるーたー", "まいるーたー"),
        ("「るーたー」", "「るーたー」"),
        ("るー", "るー"),
    ],
)
def test_word_in_hiragana_is_read_in_katakana_where_sections_have_it_so(typed, meant):
    assert read(typed, held=IN_KATAKANA) == meant


def test_word_in_hiragana_stays_where_sections_have_it_so():
    numbers = {term: number for number, term in enumerate(["ルータ", *terms("るーたー")])}
    vocabulary = Vocabulary(HeldCounts(numbers, np.ones(len(numbers), np.int64), 30))
    assert respelt("るーたー", vocabulary, is_held=numbers.__contains__, meanings=MANY).text == "るーたー"


@pytest.mark.parametrize(
    ("text", "meant"), [("じゃがいもを五個", "じゃがいも"), ("じゃが、いも", "ジャガイモ"), ("ジャガイモ", "ジャガイモ")]
)
def test_word_in_katakana_is_read_in_hiragana_where_a_section_has_it_so(text, meant):
    numbers = {term: number for number, term in enumerate(dict.fromkeys([*terms("じゃがいも"), *terms(text)]))}
    vocabulary = Vocabulary(HeldCounts(numbers, np.ones(len(numbers), np.int64), 30))
    given = {"is_held": numbers.__contains__, "meanings": MANY, "texts_with": lambda _: [text]}
    assert respelt("ジャガイモ", vocabulary, **given).text == meant
