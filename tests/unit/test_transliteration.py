"""Loanwords in katakana and Hangul → English words of an index."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schema.text.analyzer import terms
from search.index.vocabulary import HeldCounts, Vocabulary
from search.ranking.transliteration import EnglishWords, Meanings


def hangul(words, word, stem=None):
    """The English word of a word in Hangul, and its ending."""
    found, ending = words.of_hangul(word, stem or word)
    return found.word, ending


#: Words that a model takes for one token each.
KNOWN = frozenset(
    """
    smart pointer lifetime test text module vector overload client cache case reference rendering memory leak like thread index focus framework
    version message library build builder code match much guard data worker red create crate query type class which those role roll connection action agent body cookie tracing
    """.split()
)


def words_of(held, near=None, known=KNOWN, cosine=0.9, found=None):
    """The English words of an index whose sections hold these, so many each; `near`: those of this cosine, others have .2."""
    counts = {}
    for word, count in dict(held).items():
        counts[terms(word)[0]] = count
    vocabulary = Vocabulary(HeldCounts({term: i for i, term in enumerate(counts)}, np.array(list(counts.values())), 500))
    meanings = Meanings(
        "use-multilingual-v3",
        tokens=lambda words: [
            1 if word in known else 2 + (word not in ("callback", "guideline", "kubelet", "hydration")) for word in words
        ],
        cosines=lambda _, words: [cosine if near is None or word in near else 0.2 for word in words],
        found={} if found is None else found,
    )
    return EnglishWords(vocabulary, meanings)


@pytest.mark.parametrize(
    ("katakana", "korean", "english"),
    [
        ("スマート", "스마트", "smart"),
        ("ポインタ", "포인터", "pointer"),
        ("ライフタイム", "라이프타임", "lifetime"),
        ("テスト", "테스트", "test"),
        ("モジュール", "모듈", "module"),
        ("ベクタ", "벡터", "vector"),
        ("オーバーロード", "오버로드", "overload"),
        ("クライアント", "클라이언트", "client"),
        ("キャッシュ", "캐시", "cache"),
        ("リファレンス", "레퍼런스", "reference"),
        ("レンダリング", "렌더링", "rendering"),
        ("インデックス", "인덱스", "index"),
        ("バージョン", "버전", "version"),
        ("メッセージ", "메시지", "message"),
        ("ライブラリ", "라이브러리", "library"),
        ("クエリ", "쿼리", "query"),
        ("タイプ", "타입", "type"),
        ("テキスト", "텍스트", "text"),
        ("マッチ", "매치", "match"),
        ("ガード", "가드", "guard"),
        ("コネクション", "커넥션", "connection"),
        ("アクション", "액션", "action"),
        ("エージェント", "에이전트", "agent"),
        ("ボディ", "바디", "body"),
        ("クッキー", "쿠키", "cookie"),
        ("トレーシング", "트레이싱", "tracing"),
    ],
)
def test_a_loanword_is_read_as_the_english_word_that_it_was_made_of(katakana, korean, english):
    words = words_of(dict.fromkeys(KNOWN, 3), near={english})
    assert words.of_katakana(katakana).word == english
    assert hangul(words, korean)[0] == english


def test_of_words_that_sound_alike_the_one_of_the_same_meaning_is_read():
    assert words_of({"cache": 2, "case": 400}, near={"cache"}).of_katakana("キャッシュ").word == "cache"
    assert words_of({"role": 3, "roll": 90}, near={"role"}).of_katakana("ロール").word == "role"
    assert words_of({"role": 3, "roll": 90}, near={"roll"}).of_katakana("ロール").word == "roll"


def test_of_words_of_the_same_meaning_the_commoner_one_is_read():
    assert words_of({"role": 3, "roll": 90}).of_katakana("ロール").word == "roll"


def test_words_that_say_little_are_not_read():
    assert words_of({"those": 90}).of_katakana("ゾーズ").word == ""
    assert words_of({"much": 90, "match": 3}).of_katakana("マッチ").word == "match"


def test_two_words_in_one_are_read_as_two():
    words = words_of(
        {"smart": 4, "pointer": 9, "memory": 5, "leak": 2, "like": 80}, near={"smart", "pointer", "memory", "leak"}
    )
    assert words.of_katakana("スマートポインタ").word == "smart pointer"
    assert words.of_katakana("メモリリーク").word == "memory leak"
    assert words.of_katakana("スマートペンギン").word == ""


def test_a_word_that_no_model_knows_is_read_if_it_is_the_only_one():
    assert words_of({"kubelet": 5}, known=()).of_katakana("キューブレット").word == "kubelet"
    assert words_of({"kubelet": 5}, near=(), known=()).of_katakana("キューブレット").word == ""


def test_a_word_that_no_model_knows_is_known_where_many_sections_have_it():
    words = words_of({"callback": 5, "kalbac": 9}, near={"callback"}, known=())
    assert hangul(words, "콜백을", "콜백") == ("callback", "을")
    assert hangul(words_of({"callback": 4}, known=(), cosine=0.7), "콜백을", "콜백") == ("", "")


def test_a_word_that_the_model_takes_for_the_english_one_is_read_where_few_sections_have_it():
    assert hangul(words_of({"callback": 1}, known=(), cosine=0.8), "콜백을", "콜백") == ("callback", "을")


def test_a_word_that_ends_like_an_ending_is_read_whole():
    words = words_of({"login": 3, "log": 90}, known=KNOWN | {"log"})
    assert hangul(words, "로그인하기", "로그") == ("login", "하기")
    assert hangul(words_of({"log": 90}, known=KNOWN | {"log"}), "로그인", "로그") == ("log", "인")


def test_a_word_is_not_read_with_a_silent_e_that_makes_no_other_word_of_it():
    assert hangul(words_of({"plugin": 24}, near={"plugine"}, known=()), "플러그인", "플러그") == ("", "")


def test_the_stem_of_a_word_is_not_read_for_it():
    assert words_of({"cache": 90}, known={"cache"}).of_katakana("キャッシュ").word == "cache"
    assert hangul(words_of({"guideline": 9}, known=()), "가이드라인", "가이드라인") == ("guideline", "")
    assert words_of({"flaky": 9}, known=()).of_katakana("フレーキー").word == "flaky"


@pytest.mark.parametrize(
    ("cosine", "read"),
    [(0.54, "다이어리 메모리"), (0.49, "다이어리"), (0.34, "")],
)
def test_shorter_korean_words_must_be_nearer_in_meaning(cosine, read):
    words = words_of({"diary": 3, "memory": 3, "version": 3}, known={*KNOWN, "diary"}, cosine=cosine)
    assert " ".join(word for word in ("다이어리", "메모리", "버전") if hangul(words, word)[0]) == read


@pytest.mark.parametrize(
    ("held", "cosine", "read"),
    [
        ({"boundary": 9}, 0.31, "boundary"),
        ({"boundary": 9}, 0.29, ""),
        ({"boundary": 9, "bounder": 9}, 0.31, ""),  # another one sounds so
        ({"diary": 9}, 0.31, ""),  # short words sound so by chance
    ],
)
def test_a_long_word_may_be_less_near_where_no_other_sounds_so(held, cosine, read):
    words = words_of(held, known={*KNOWN, *held}, cosine=cosine)
    word = "바운더리" if "boundary" in held else "다이어리"
    assert hangul(words, word)[0] == read


@pytest.mark.parametrize(
    ("cosine", "read"), [(0.4, "프레임워크 포커스 타입"), (0.39, "프레임워크 포커스"), (0.32, "프레임워크"), (0.21, "")]
)
def test_words_with_syllables_of_loanwords_may_be_less_near(cosine, read):
    words = words_of({"focus": 3, "type": 3, "framework": 3}, cosine=cosine)
    assert " ".join(word for word in ("프레임워크", "포커스", "타입") if hangul(words, word)[0]) == read


@pytest.mark.parametrize(("cosine", "count", "read"), [(0.45, 5, "tuple"), (0.44, 5, ""), (0.45, 4, "")])
def test_a_loanword_may_be_a_word_that_no_model_knows_where_it_is_near_and_many_sections_have_it(cosine, count, read):
    words = words_of({"tuple": count}, near={"tuple"}, known=(), cosine=cosine)
    assert hangul(words, "튜플")[0] == read


@pytest.mark.parametrize(
    ("held", "known", "korean", "english"),
    [
        ("retry", (), "리트라이", "retry"),  # and not its stem, "retri"
        ("dispatch", ("dispatch",), "디스패처", "dispatch"),  # and not "dispatche"
        ("tutorial", (), "튜토리얼", "tutorial"),
        ("embedding", ("embedding",), "임베딩", "embedding"),  # and not "embeding"
        ("install", ("install",), "인스톨", "install"),  # and not its stem, "instal"
    ],
)
def test_a_word_that_no_model_knows_is_written_as_people_do(held, known, korean, english):
    assert hangul(words_of({held: 5}, known=known), korean, korean) == (english, "")


@pytest.mark.parametrize(
    ("katakana", "english"),
    [
        ("ビルド", "build"),
        ("リポジトリ", "repository"),
        ("ホイール", "wheel"),
        ("クレデンシャル", "credential"),
        ("ロックファイル", "lockfile"),
    ],
)
def test_spellings_of_sounds_that_few_words_have(katakana, english):
    assert words_of({english: 5, "bill": 3}, known={english}).of_katakana(katakana).word == english


def test_word_of_two_known_ones_is_not_read_without_its_last_letter():
    words = words_of({"lockfile": 5}, near={"lockfile"}, known={"lock", "file"})
    assert words.of_katakana("ロックファイル").word == "lockfile"


@pytest.mark.parametrize(
    ("word", "english", "ending"),
    [
        ("훅", "hook", ""),
        ("셸을", "shell", "을"),
        ("큐에서", "queue", "에서"),
        ("휠로", "wheel", "로"),
        ("훅이란", "hook", "이란"),
    ],
)
def test_loanword_of_one_syllable_is_read_by_a_list(word, english, ending):
    assert hangul(words_of({english: 1}, cosine=0.0), word) == (english, ending)
    assert hangul(words_of({"other": 1}, cosine=0.0), word)[0] == ""


def test_longer_word_that_begins_with_such_a_syllable_is_another():
    assert hangul(words_of({"key": 9}, cosine=0.0), "키우기", "키우")[0] == ""


def test_a_word_with_an_ending_is_not_written_without_it():
    words = words_of({"adapter": 5}, near={"adapter"}, known=("adapt",))
    assert hangul(words, "어댑터") == ("adapter", "")


def test_what_was_found_is_not_looked_up_again():
    words = words_of({"test": 9})
    first = words.of_katakana("テスト")
    assert words_of({"test": 9}, cosine=0.0, found={"テスト": first}).of_katakana("テスト") == first


def test_a_korean_word_that_only_sounds_like_an_english_one_is_not_read():
    assert hangul(words_of({"case": 90}, near=()), "같지", "같지") == ("", "")


def test_the_ending_of_a_korean_word_is_kept():
    assert hangul(words_of({"index": 9}), "인덱스로", "인덱스") == ("index", "로")


def test_a_stem_that_lost_a_syllable_of_its_own_is_read_with_it():
    assert hangul(words_of({"macro": 9}, known={"macro"}), "매크로를", "매크") == ("macro", "를")


@pytest.mark.parametrize(
    ("word", "stem", "ending"),
    [
        ("인덱스값", "인덱스값", "값"),
        ("인덱스란", "인덱스란", "란"),
        ("인덱스명으로", "인덱스명", "명으로"),
        ("인덱스되지", "인덱스되지", "되지"),
        ("인덱스했습니다", "인덱스했습니다", "했습니다"),
    ],
)
def test_a_noun_or_a_verb_behind_a_loanword_is_kept(word, stem, ending):
    assert hangul(words_of({"index": 9}), word, stem) == ("index", ending)


@pytest.mark.parametrize(
    ("cosine", "word", "read"),
    [
        (0.55, "렌더링되지", "rendering"),
        (0.55, "메모리하는", "memory"),
        (0.54, "메모리하는", ""),
        (0.55, "캐시될", "cache"),
        (0.54, "캐시될", ""),
        (0.75, "버전하면", "version"),
        (0.74, "버전하면", ""),
        (0.9, "메모리거나", ""),  # no form of a verb
    ],
)
def test_shorter_words_before_a_verb_must_be_nearer(cosine, word, read):
    held = dict.fromkeys(("rendering", "memory", "cache", "version"), 3)
    assert hangul(words_of(held, cosine=cosine), word)[0] == read


@pytest.mark.parametrize(
    ("cosine", "word", "read"), [(0.3, "하이드레이션", "hydration"), (0.29, "하이드레이션", ""), (0.44, "배칭", "")]
)
def test_a_long_loanword_may_be_less_near_to_a_word_of_few_tokens(cosine, word, read):
    words = words_of({"hydration": 5, "batching": 5}, near={"hydration", "batching"}, known=(), cosine=cosine)
    assert hangul(words, word)[0] == read


@pytest.mark.parametrize(("cosine", "held", "read"), [(0.6, 5, "middleware"), (0.59, 5, ""), (0.6, 4, "")])
def test_a_word_that_no_model_knows_is_read_if_it_is_near_and_some_sections_have_it(cosine, held, read):
    words = words_of({"middleware": held}, near={"middleware"}, known=(), cosine=cosine)
    assert hangul(words, "미들웨어")[0] == read


def test_a_short_word_that_only_sounds_like_one_that_no_model_knows_is_not_read():
    assert hangul(words_of({"versa": 12}, known=(), cosine=0.7), "발생")[0] == ""


@pytest.mark.parametrize("word", ["검색", "뷁뷁", "가"])
def test_a_korean_word_that_sounds_like_none_is_not_read(word):
    assert hangul(words_of(dict.fromkeys(KNOWN, 3)), word, word) == ("", "")


@pytest.mark.parametrize(("cosine", "is_familiar"), [(0.8, True), (0.79, False)])
def test_a_model_takes_a_loanword_for_its_word_from_a_cosine_on(cosine, is_familiar):
    assert words_of({"test": 9}, cosine=cosine).of_katakana("テスト").is_familiar == is_familiar


def test_letters_without_a_sound_are_not_read():
    assert words_of({"test": 9}).of_katakana("ヵヶ").word == ""


@pytest.mark.parametrize(("cosine", "read"), [(0.8, "red"), (0.79, "")])
def test_short_english_words_are_not_read_for_korean_unless_the_model_takes_one_for_the_other(cosine, read):
    assert hangul(words_of({"red": 9}, cosine=cosine), "레드", "레드")[0] == read


def test_a_model_of_which_nothing_is_known_can_not_tell():
    assert Meanings("use-multilingual-v3", len, len).can_tell
    assert not Meanings("words-32", len, len).can_tell


def test_no_more_terms_are_compared_than_a_budget_for_one_query():
    held = dict.fromkeys([f"tes{chr(97 + i // 676)}{chr(97 + i // 26 % 26)}{chr(97 + i % 26)}x" for i in range(17_576)], 1)
    held["test"] = 5
    known = KNOWN | {"testing"}
    assert words_of(held, known=known).of_katakana("テスティング").word == "testing"
    found = {}
    words = words_of(held, known=known, found=found)
    assert words.of_katakana("テスト").word == "test"
    for vowel in "アイウエオカキクケコ":
        words.of_katakana(f"テス{vowel}")
    assert words.of_katakana("テスティング").word == ""
    assert found.keys() & {"テスト", "テスティング"} == {"テスト"}  # what a budget left unseen is looked up again


@settings(max_examples=500)
@given(
    st.text(
        st.characters(min_codepoint=0x30A1, max_codepoint=0x30FC) | st.sampled_from("アイウエオー"), min_size=2, max_size=12
    )
)
def test_any_word_in_katakana_is_read_as_words_of_the_index_or_none(word):
    found = words_of(dict.fromkeys(KNOWN, 3)).of_katakana(word).word
    assert set(terms(found)) <= {terms(one)[0] for one in KNOWN}


#: Syllables of loanwords, and of what follows these.
SYLLABLES = "스마트포인터모듈벡오버로드클라이언캐시레퍼런렌더링덱버전메지타입매치가하된값를"


@given(st.text(st.sampled_from(SYLLABLES), min_size=2, max_size=8))
def test_any_word_in_hangul_is_read_as_a_word_of_the_index_or_none(word):
    found, ending = hangul(words_of(dict.fromkeys(KNOWN, 3), cosine=0.7), word, word[:2])
    assert not found or (found in KNOWN and word.endswith(ending))


@given(st.text(st.sampled_from(SYLLABLES), min_size=2, max_size=8))
def test_any_word_in_hangul_that_the_model_knows_is_read_as_one_with_a_term_of_the_index_or_none(word):
    found, ending = hangul(words_of(dict.fromkeys(KNOWN, 3)), word, word[:2])
    assert set(terms(found)) <= {terms(one)[0] for one in KNOWN}
    assert word.endswith(ending)
