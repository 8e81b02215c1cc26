"""Loanwords in katakana and Hangul → their sounds."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from search.ranking.sounds import hangul_sounds, is_surely_loanword, katakana_sounds


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
        ("クエリ", "kw e r i"),
        ("コネクション", "k o n e k tion"),
        ("クロージャ", "k - r o: sure"),
        ("フィーチャ", "f i: ture"),
        ("ボイス", "b oi s -"),
        ("アウト", "au t -"),
        ("タクシー", "t a xi"),
        ("ワイー", "w a i:"),
        ("カウー", "k a u:"),
        ("ヘイー", "h e i:"),
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
        ("인덱스", "i N d/th e x"),
        ("클릭", "k - r i K"),
        ("타임아웃", "t ai m au T"),
        ("옵션", "o P tion"),
        ("버전", "b/v eo sion"),
        ("에이전트", "e: j/z eo N t -"),
        ("렌더링", "r e N d/th eo r ing"),
        ("매치", "m e ch -"),
        ("쿼리", "kw eo r i"),
        ("프록시", "p/f - r o xi"),
        ("네임", "n e: m"),
    ],
)
def test_hangul_has_these_sounds(word, sounds):
    assert " ".join(hangul_sounds(word)) == sounds


@pytest.mark.parametrize("word", ["", "テスト1", "検索", "test", "てすと"])
def test_other_words_have_no_sounds_of_katakana(word):
    assert katakana_sounds(word) == ()


@pytest.mark.parametrize("word", ["", "검색1", "test", "ㄱㄴ", "읽기", "없", "빨리", "의미"])
def test_other_words_have_no_sounds_of_hangul(word):
    assert hangul_sounds(word) == ()


#: Letters of katakana with those more often of which a sound depends on what stands before it.
KATAKANA = st.characters(min_codepoint=0x30A0, max_codepoint=0x30FF) | st.sampled_from(
    "アイウエオーァィゥェォャュョッンシチクスグト"
)


@settings(max_examples=500)
@given(st.text(KATAKANA, max_size=20))
def test_sounds_of_katakana_are_consonants_and_vowels(word):
    assert all(
        re.fullmatch(r"[b-df-hj-np-tv-zN]{1,2}|[aiueo]:?|ai|au|oi|-|xi|tion|sion|ture|sure|ing", sound)
        for sound in katakana_sounds(word)
    )


#: Syllables that loanwords are written with.
SYLLABLES = "".join(filter(hangul_sounds, map(chr, range(0xAC00, 0xD7A4))))


@given(st.text(st.sampled_from(SYLLABLES), min_size=1, max_size=20))
def test_sounds_of_hangul_are_consonants_and_vowels(word):
    sounds = hangul_sounds(word)
    assert sounds
    assert all(
        re.fullmatch(r"[b-df-hj-np-tv-zNKTP]{1,2}|[a-z]/(?:[a-z]|th)|[aiueo]|eo|[eo]:|ai|au|oi|-|xi|tion|sion|ing", one)
        for one in sounds
    )


def test_loanwords_are_written_with_fourteen_initials_twenty_vowels_and_seven_finals():
    assert len(SYLLABLES) == 14 * 20 * 8


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("컴파일", True),
        ("핗", True),
        ("스택", True),
        ("리듀서", True),
        ("하이드레이션", True),
        ("하기", False),
        ("그래서", False),
        ("메모리", False),
    ],
)
def test_syllables_tell_words_that_are_surely_loanwords(word, expected):
    assert is_surely_loanword(word) == expected
