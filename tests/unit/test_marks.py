"""Marks: which spans of the question's terms are marked as whole words."""

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schema.results import Window
from schema.text.query_words import query_terms
from search.context.highlight import find_matches
from search.context.marks import is_grammar, question_words, whole_words


def marked(text, query):
    return [text[mark.start : mark.end] for mark in whole_words(text, find_matches(text, query_terms(query)), query)]


@pytest.mark.parametrize(
    ("query", "text", "found"),
    [
        ("味を薄くしたい", "味を薄くしたい時は足すほうがよい。", ["味", "薄く"]),
        ("ロックされますか", "三回で三十分ロックされる。遮断されます。", ["ロック"]),
        ("いつまでに書く", "十月までに書く。正午まで。", ["書く"]),
        ("証明書の期限", "証明書の自動更新", ["証明書"]),
        ("グリーン車に乗れる", "グリーン車は役員だけです。", ["グリーン車"]),
        ("要素の警告", "要素をカスタム要素として", ["要素", "要素"]),
    ],
)
def test_particles_and_auxiliaries_of_japanese_are_not_marked(query, text, found):
    assert marked(text, query) == found


@pytest.mark.parametrize(
    ("query", "text", "found"),
    [
        ("環境のつまずき", "つまずきは二つある。", ["つまずき"]),
        ("にんじんを切る", "にんじんは先に切る。", ["にんじん", "切る"]),
        ("カレーのつくりかた", "つくりかたを見る", ["つくりかた"]),
    ],
)
def test_word_in_hiragana_is_marked_where_it_is_the_whole_run(query, text, found):
    assert marked(text, query) == found


@pytest.mark.parametrize(
    ("query", "text", "found"),
    [
        ("アルバイト", "打刻マニュアルの作成", []),
        ("アルバイト", "ｱﾙﾊﾞｲﾄの勤怠", ["ｱﾙﾊﾞｲﾄ"]),
        ("サーバー増強", "サーバ増強は進める", ["サーバ増強"]),
        ("漢字検索", "検索結果と文字検査", ["検索"]),
        ("電車を使う", "使用中のポート", []),
        ("打刻を忘れたら", "打刻忘れの申請", ["打刻忘れ"]),
        ("컨택스트 지정", "컨텍스트를 지정하세요", ["지정"]),
        ("배포", "카나리배포를 배포합니다", ["배포", "배포"]),
        ("중도 입사한 사람", "중도입사자는", ["중도입사"]),
        ("목록에 추가하자마자", "목록을 추가하는 코드", ["목록", "추가"]),
    ],
)
def test_pair_of_characters_inside_of_another_word_is_not_marked(query, text, found):
    assert marked(text, query) == found


@pytest.mark.parametrize(
    ("query", "text", "found"),
    [
        ("몇번까지 가능", "３회까지 할 수 있다. 가능하다.", ["가능"]),
        ("반응 안 하게 하려면", "비슷하게 반응한다", ["반응"]),
        ("컴포넌트를", "컴포넌트에서는", ["컴포넌트"]),
    ],
)
def test_particles_and_endings_of_korean_are_not_marked(query, text, found):
    assert marked(text, query) == found


def test_words_with_blanks_between_them_are_marked_as_they_were_found():
    assert marked("Keys of max_tokens", "key max_tokens") == ["Keys", "max_tokens"]


@pytest.mark.parametrize(
    ("term", "answer"),
    [("する", True), ("を検", True), ("まず", False), ("検索", False), ("하는", True), ("검색", False), ("token", False)],
)
def test_terms_of_grammar_are_told(term, answer):
    assert is_grammar(term, question_words("つまずきを検索する token 검색하는 방법")) is answer


@given(
    st.lists(st.sampled_from([*"検索するをカター검색하는에aｱﾞ々", "つまずき", "か\u3099", " "]), max_size=30).map("".join),
    st.lists(st.sampled_from([*"検索するをカタ검색하는에a", "つまずき", " "]), max_size=12).map("".join),
)
def test_marks_are_in_order_and_inside_of_the_spans(text, query):
    spans = find_matches(text, query_terms(query))
    marks = whole_words(text, spans, query)
    assert all(first.end <= second.start for first, second in pairwise(marks))
    assert all(any(span.start <= mark.start < mark.end <= span.end for span in spans) for mark in marks)


@pytest.mark.parametrize("unit", ["する", "検索", "검색", "カタ"])
def test_long_row_of_one_script_is_looked_through_in_linear_time(unit):
    text = unit * 25_000
    begun = time.process_time()
    whole_words(text, [Window(at, at + 2) for at in range(0, 1_500, 3)], unit * 500)
    whole_words(text, [Window(0, len(text))], unit * 500)
    assert time.process_time() - begun < 2


HIRAGANA = "ぬぐぞぎぶぼぷゆ"


def kana(size):
    """A run of hiragana that repeats late."""
    return "".join(HIRAGANA[(at * at + at // 7) % len(HIRAGANA)] for at in range(size))


def syllables(number):
    """So many words of two syllables of Korean, all different."""
    return [chr(0xAC00 + at % 11_000) + chr(0xB000 + at % 977) for at in range(number)]


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("検査" + kana(9_000), ("検査" + kana(9_000)) * 10),
        ("검색 " + " ".join(syllables(3_000)), "검색" * 50_000),
        ("검색 " + " ".join("검색" + word for word in syllables(1_900)), "검색" * 50_000),
    ],
    ids=["one long ending", "many words", "many words that begin alike"],
)
def test_long_question_is_looked_for_in_linear_time(query, text):
    begun = time.process_time()
    whole_words(text, [Window(0, len(text) - 2)], query)
    assert time.process_time() - begun < 2
