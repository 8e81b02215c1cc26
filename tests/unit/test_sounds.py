"""Loanwords in katakana and Hangul → their sounds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.ranking.sounds import hangul_sounds, katakana_sounds


@pytest.mark.parametrize(
    ("word", "sounds"),
    [
        ("テスト", "t e s - t -"),  # a vowel that English lacks
        ("データ", "d e: t a"),
        ("ファイル", "f ai r -"),
        ("ウィンドウ", "w i N d o:"),
        ("キャッシュ", "k y a sh -"),
        ("チェック", "ch e k -"),
        ("マッチ", "m a ch -"),
        ("ベンチマーク", "b e N ch - m a: k -"),
        ("セッション", "s e tion"),
        ("バージョン", "b a: sion"),
        ("フィーチャー", "f i: ture"),
        ("メジャー", "m e sure"),
        ("インデックス", "i N d e x"),
        ("プロキシ", "p - r o xi"),
        ("テキスト", "t e x t -"),
        ("シャドーイング", "sh a d o: ing"),
        ("レンダリング", "r e N d a r ing"),
        ("クエリ", "k w e r i"),
        ("ボイス", "b oi s -"),
        ("アウト", "au t -"),
        ("ンー", "N"),
        ("ー", ""),
    ],
)
def test_katakana_has_these_sounds(word, sounds):
    assert " ".join(katakana_sounds(word)) == sounds


@pytest.mark.parametrize(
    ("word", "sounds"),
    [
        ("벡터", "b/v e K t eo"),
        ("인덱스", "i N d/t e x"),
        ("클릭", "k - r i K"),
        ("타임아웃", "t ai m au T"),
        ("옵션", "o P tion"),
        ("버전", "b/v eo sion"),
        ("렌더링", "r e N d/t eo r ing"),
        ("매치", "m e ch -"),
        ("쿼리", "k w eo r i"),
        ("프록시", "p/f - r o xi"),
        ("네임", "n e: m"),
    ],
)
def test_hangul_has_these_sounds(word, sounds):
    assert " ".join(hangul_sounds(word)) == sounds


@pytest.mark.parametrize("word", ["", "テスト1", "検索", "test", "てすと"])
def test_other_words_have_no_sounds_of_katakana(word):
    assert katakana_sounds(word) == ()


@pytest.mark.parametrize("word", ["", "검색1", "test", "ㄱㄴ"])
def test_other_words_have_no_sounds_of_hangul(word):
    assert hangul_sounds(word) == ()


@given(st.text(st.characters(min_codepoint=0x30A0, max_codepoint=0x30FF), max_size=20))
def test_no_sound_of_katakana_is_a_mark(word):
    assert not {":", "."} & set(katakana_sounds(word))


@given(st.text(st.characters(min_codepoint=0xAC00, max_codepoint=0xD7A3), min_size=1, max_size=20))
def test_every_word_in_hangul_has_sounds_without_marks(word):
    sounds = hangul_sounds(word)
    assert sounds
    assert not {":", "."} & set(sounds)
