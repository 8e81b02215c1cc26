"""Misspelt words of a query → words of the index."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schema.text.analyzer import terms
from schema.text.spelling import without_final_marks
from search.index.vocabulary import HeldCounts, Vocabulary
from search.ranking.misspelt import respelt
from search.ranking.transliteration import Meanings

#: The words of an index, with how many of its sections have them.
HELD = {
    "publish": 9,
    "package": 20,
    "packages": 3,
    "count": 5,
    "const": 2,
    "deployment": 4,
    "configuration": 8,
    "shadowing": 1,
}
#: What a model takes for one token; it makes a token of every three letters of other words.
KNOWN = frozenset(
    "publish package packages count deployment install content conceal cookies copies guidelines linker scarf installs hook".split()
)


def tokens(words):
    return [1 if word in KNOWN else (len(word) + 2) // 3 for word in words]


def cosines(word, others):
    """How near words are: near where one begins like the other's translation."""
    return [0.9 if other == ENGLISH.get(word) else 0.2 for other in others]


#: A model that knows only English, and one that knows what these words mean.
ONE_LANGUAGE, MANY = (Meanings(name, tokens, cosines) for name in ("words-32", "use-multilingual-v3"))
ENGLISH = {"パッケージ": "package", "カウント": "count", "패키지": "package", "퍼블리시": "publish", "훅": "hook"}


def read(text, held=HELD, meanings=ONE_LANGUAGE, **given):
    return reading(text, held, meanings, **given).text


def reading(text, held=HELD, meanings=ONE_LANGUAGE, **given):
    counts: dict[str, int] = {}
    for word, count in held.items():
        term = next((each for each in terms(word) if each in (word, without_final_marks(word))), terms(word)[0])
        counts[term] = max(count, counts.get(term, 0))
    numbers = {term: number for number, term in enumerate(counts)}
    vocabulary = Vocabulary(HeldCounts(numbers, np.array(list(counts.values())), 30))
    fresh = replace(meanings, found={})  # each index has its own
    return respelt(text, vocabulary, is_held=lambda term: term in counts, meanings=fresh, **given)


#: The places of words among those that people write.
PLACES = {"count": 900, "deployment": 3000, "deployments": 3000}


@pytest.mark.parametrize(
    ("typed", "places", "meant"),
    [
        ("conut", {}, "count"),
        ("conut", {"conut": 2000}, "conut"),  # written about as often
        ("conut", {"conut": 3100}, "count"),  # letters changed places, and the other one is far commoner
        ("cpunt", {"cpunt": 9000}, "cpunt"),  # another letter, and ten times as common
        ("deplpyment", {"deplpyment": 59_000}, "deplpyment"),
        ("deplpyment", {"deplpyment": 61_000}, "deployment"),
        ("deplayment", {"deplayment": 26_000}, "deplayment"),
        ("deplayment", {"deplayment": 28_000}, "deployment"),  # a vowel for a vowel
        ("deploymment", {"deploymment": 10_000}, "deployment"),  # a doubled letter
        ("deploymentd", {"deploymentd": 90_000}, "deploymentd"),  # the name of something else
        ("deplpyments", {"deplpyment": 59_000}, "deplpyments"),  # a word that people write with an ending
        ("deplpyments", {}, "deployments"),
    ],
)
def test_word_that_people_write_is_respelt_only_as_one_that_is_much_commoner(typed, places, meant):
    known = {**PLACES, **places}
    assert read(typed, place=lambda word: known.get(word, math.inf)) == meant


def test_word_is_not_respelt_as_a_form_that_no_section_has():
    texts = {"publish": ["Publishers publishing."], "packag": ["A package."]}
    assert read("pubish", texts_with=lambda term: texts[term]) == "pubish"
    assert read("pubish", texts_with=lambda term: ["To Publish it."]) == "publish"
    assert read("pacakges", held={"package": 20}, texts_with=lambda term: ["A package."]) == "pacakges"
    assert read("pacakges", held={"package": 20}, texts_with=lambda term: ["Two packages."]) == "packages"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("pubish", "publish"),  # a letter is missing
        ("publlish", "publish"),  # one too many
        ("pablish", "publish"),  # another one
        ("pulbish", "publish"),  # two changed places
        ("upblish", "publish"),
        ("pacakge", "package"),
        ("publis", "publish"),
        ("ublish", "publish"),  # the first one
        ("publishh", "publish"),
        ("sadowing", "shadowing"),  # a word that the model does not know either
    ],
)
def test_a_word_with_one_wrong_letter_is_read_as_the_word_that_was_meant(typed, meant):
    assert read(typed) == meant


def test_every_misspelt_word_of_a_question_is_read_anew_and_the_rest_stays():
    assert read("How do I pubish (or unpubish) a packge, quickly?") == "How do I publish (or unpubish) a package, quickly?"


@pytest.mark.parametrize(
    "typed",
    [
        "linkre",  # it is near no word of the index
        "scarf",  # the model knows it
        "packages",  # some section has it
        "config",  # a word begins so, and no single letter makes one of it
        '"pubish"',
        "“pubish a packge” 「pubish」",
        "PUBISH",
        "pubishMe",
        "pubish_all",
        "--pubish",
        "pubish-all",
        "pubish.md",
        "pubish2",
        "docs/pubish",
        "pub",
        "p" * 21,
        "出版 pubishする",
    ],
)
def test_other_words_stay_as_they_are_typed(typed):
    assert read(typed) == typed


def test_a_misspelt_identifier_is_read_with_the_capitals_that_were_typed():
    assert read("MockAgnet", {"mockagent": 3}) == "MockAgent"


def test_a_capital_of_a_misspelt_word_stays():
    assert read("Pubish") == "Publish"


def test_a_word_is_not_read_with_an_ending_that_sections_may_not_have():
    assert read("overides", {"overtime": 2, "over": 9}) == "overides"


def test_of_several_words_the_one_that_the_model_knows_best_is_meant():
    assert read("instakl", {"install": 1, "instak": 9}) == "install"


def test_of_words_that_the_model_knows_alike_the_commoner_one_is_meant():
    assert read("candlers", {"candlets": 2, "handlers": 9, "candlens": 7}) == "candlens"


@pytest.mark.parametrize(
    ("typed", "meant", "other"),
    [
        ("cokies", "cookies", "copies"),  # one of a pair is missing
        ("gudelines", "guidelines", "gudekines"),  # a letter is missing
        ("forwardign", "forwarding", "forwardion"),  # two changed places
        ("seperated", "separated", "seperaten"),  # a vowel for a vowel
        ("blockked", "blocked", "blockled"),  # one too many
    ],
)
def test_the_likelier_mistake_counts_more_than_the_commoner_word(typed, meant, other):
    assert read(typed, {meant: 3, other: 8}) == meant


def test_a_short_word_is_read_only_as_one_that_the_model_takes_for_one_token():
    assert read("fandle", {"fondle": 2}) == "fandle"
    assert read("conten", {"content": 2}) == "content"


def test_no_letter_of_a_very_short_word_is_replaced_by_another():
    assert read("scurf", {"scarf": 2}) == "scurf"
    assert read("scraf", {"scarf": 2}) == read("scrf", {"scarf": 2}) == "scarf"


def test_a_beginning_of_longer_words_is_read_as_one_that_goes_on_so():
    assert read("conten", {"content": 3, "contek": 9}) == "content"
    assert read("config", {"configuration": 3, "confin": 9}) == "config"


def test_a_word_must_have_so_many_tokens_fewer_where_the_model_is_no_judge_of_english():
    assert read("pubish", fewer=1) == "publish"
    assert read("sadowing", fewer=1) == "sadowing"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("コンポネントの登録", "コンポーネントの登録"),
        ("コンポーネトの登録", "コンポーネントの登録"),
        ("カスタム ディレクテイブ", "カスタム ディレクティブ"),
        ("トランジッション", "トランジション"),
        ("インターフェイスとは", "インターフェースとは"),
        ("ゴンポーネント", "コンポーネント"),
        ("コポンーネント", "コンポーネント"),
    ],
)
def test_a_loanword_in_katakana_is_read_as_the_form_that_sections_have(typed, meant):
    held = {"コンポーネント": 9, "ディレクティブ": 4, "トランジション": 3, "インターフェース": 2}
    assert read(typed, held) == meant


@pytest.mark.parametrize(
    "typed", ["アイルランド", "ブラウザー", "テスト", "コンポーネント", "「コンポネント」", "モジュールズ"]
)
def test_other_words_in_katakana_stay_as_they_are_typed(typed):
    assert read(typed, {"アイランド": 9, "ブラウザ": 2, "デスト": 5, "コンポーネント": 3}) == typed


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("컨택스트를 지정", "컨텍스트를 지정"),
        ("컴퍼넌트 상태", "컴포넌트 상태"),
        ("헨들러는 어떻게", "핸들러는 어떻게"),
        ("메세지", "메시지"),
        ("싸이트맵", "사이트맵"),
    ],
)
def test_a_loanword_in_hangul_is_read_as_the_form_that_far_more_sections_have(typed, meant):
    held = {"컨텍스트": 9, "컴포넌트": 40, "컴퍼넌트": 2, "핸들러": 20, "헨들러": 1, "메시지": 1, "사이트맵": 3}
    assert read(typed, held) == meant


@pytest.mark.parametrize("typed", ["헨들러", "새대", "없는낱말", "핸들러", '"컨택스트"', "컨택스트abc"])
def test_other_words_in_hangul_stay_as_they_are_typed(typed):
    assert read(typed, {"핸들러": 19, "헨들러": 1, "세대": 30}) == typed


def test_a_word_that_the_statistics_do_not_know_yet_stays():
    vocabulary = Vocabulary(HeldCounts({"핸들러": 0}, np.array([30]), 30))
    assert respelt("헨들러", vocabulary, is_held=lambda _: True, meanings=MANY).text == "헨들러"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("パッケージを消す", " package を消す"),
        ("全パッケージ", "全 package "),
        ("패키지를 지우기", "package 지우기"),
        ("새 패키지", "새 package"),
    ],
)
def test_a_loanword_that_no_section_has_is_read_as_the_english_word_that_sections_have(typed, meant):
    assert read(typed, meanings=MANY) == meant


@pytest.mark.parametrize("typed", ["패키지별로 묶기", "패키지값"])
def test_a_loanword_that_sections_have_stays_before_a_noun_of_one_syllable(typed):
    assert read(typed, {"패키지": 3}, meanings=MANY) == typed


@pytest.mark.parametrize("typed", ["「パッケージ」", "パ", "패", "出版", "출판", "ペンギン"])
def test_what_is_no_english_word_of_the_sections_stays_as_it_is_typed(typed):
    assert read(typed, meanings=MANY) == typed


def test_a_model_reads_a_loanword_that_it_knows_as_it_was_typed():
    both = Meanings(
        "use-multilingual-v3", tokens, lambda word, others: [0.9 if word == "パッケージ" else 0.7 for _ in others]
    )
    read_both = reading("パッケージのカウント", meanings=both)
    assert (read_both.text, read_both.for_model) == (" package の count ", "パッケージの count ")
    korean = reading("패키지를 pubish", meanings=both)
    assert (korean.text, korean.for_model) == ("package publish", "package publish")


@pytest.mark.parametrize("question", ["패키지란", "패키지란?", "패키지이란"])
def test_ending_that_asks_what_a_loanword_is_goes_with_it(question):
    assert read(question, meanings=MANY).rstrip("?") == "package"


def test_a_reading_says_whether_loanwords_became_english_words():
    assert reading("パッケージを消す", meanings=MANY).is_translated
    assert not reading("pubish", meanings=MANY).is_translated
    assert not reading("ペンギン", meanings=MANY).is_translated


def test_a_loanword_in_another_form_has_the_synonym_of_the_one_that_sections_have():
    both = Meanings("use-multilingual-v3", tokens, lambda _, others: [0.9 for _ in others])
    found = reading("패케지", {"패키지": 1, "package": 5}, both)
    assert (found.text, found.synonyms["패키지"]) == ("패키지", ("packag",))


def test_a_loanword_stays_where_the_model_does_not_know_both_languages():
    assert read("パッケージ") == "パッケージ"


def test_a_loanword_stays_where_sections_have_it():
    assert read("パッケージ", {"package": 20, "パッケージ": 1}, MANY) == "パッケージ"


def test_a_loanword_stays_where_sections_are_written_in_its_letters():
    pairs = ["パッ", "ッケ", "ケー", "ージ"]
    assert read("パッケージ", {"package": 20, **dict.fromkeys(pairs[:3], 3)}, MANY) == "パッケージ"
    assert (
        read("パッケージ", {"package": 20, **dict.fromkeys(pairs[:2], 3), **dict.fromkeys(pairs[2:], 2)}, MANY)
        == " package "
    )


@pytest.mark.parametrize(
    ("typed", "held", "synonyms"),
    [
        ("훅 규칙", {"hook": 10, "훅": 2}, {"훅": ("hook",)}),
        ("훅의 규칙", {"hook": 10, "훅": 2}, {"훅의": ("훅", "hook")}),
        (
            "패키지를",
            {"package": 5, "패키지": 1},
            {"패키지": ("packag",), "패키": ("packag",), "키지": ("packag",), "지를": ("packag",)},
        ),
        ("パッケージ", {"package": 5, "パッ": 3, "ッケ": 3, "ケー": 3}, dict.fromkeys(terms("パッケージ"), ("packag",))),
        # 키지 is another word here too
        (
            "키지를 패키지로",
            {"package": 5, "패키지": 1, "키지": 9},
            {"패키지": ("packag",), "패키": ("packag",), "지로": ("packag",)},
        ),
        ("훅 규칙", {"hook": 9, "훅": 2}, {}),  # not much commoner
        ("훅 규칙", {"hook": 16, "훅": 1}, {}),  # in most sections, so it tells nothing
        ("훅 규칙", {"hook": 15, "훅": 3}, {}),  # many sections have the loanword
        ("훅 규칙", {"hooray": 10, "훅": 2}, {}),
        ("hook rules", {"hook": 10, "훅": 2}, {}),
    ],
)
def test_a_seldom_loanword_stands_for_the_english_word_that_far_more_sections_have(typed, held, synonyms):
    found = reading(typed, held, MANY)
    assert (found.text, found.synonyms) == (typed, synonyms)


@pytest.mark.parametrize(
    ("typed", "english"),
    [
        ("패키지 퍼블리시", "package publish"),
        ("パッケージ・カウント", "package count"),
        ("패키지를", "package"),
        ("npm 패키지", "npm package"),
        ("패키지 규칙", ""),  # one word is no loanword
        ("パッケージの数", ""),
        ("package count", ""),
        ("패키지 패키지 패키지 패키지 패키지", ""),  # too long for a name
    ],
)
def test_a_few_loanwords_alone_have_an_english_name_also_where_sections_have_them(typed, english):
    held = {"package": 20, "count": 20, "publish": 20, "패키지": 9, "퍼블리시": 9, "パッケージ": 9, "カウント": 9}
    assert reading(typed, held, MANY).english_name == english


class AskedCounts(HeldCounts):
    """Counts that note how many terms they were asked for."""

    asked = 0

    def frequencies(self, terms):
        self.asked += len(terms)
        return super().frequencies(terms)


def test_the_forms_of_a_word_are_not_kept_in_memory():
    counts = AskedCounts({"publish": 0}, np.array([9]), 30)
    vocabulary = Vocabulary(counts)
    amounts = []
    for _ in range(2):
        counts.asked = 0
        assert respelt("pubish", vocabulary, is_held=lambda term: term == "publish", meanings=ONE_LANGUAGE).text == "publish"
        amounts.append(counts.asked)
    assert amounts[0] == amounts[1] > 200


def test_many_words_are_not_all_looked_at():
    text = " ".join(["pubish"] * 13)
    assert read(text) == " ".join(["publish"] * 12 + ["pubish"])


@given(st.text(alphabet=st.characters(), max_size=60))
def test_any_text_can_be_read(text):
    assert isinstance(read(text), str)


@given(st.lists(st.sampled_from(sorted(HELD)), max_size=6).map(" ".join))
def test_what_sections_have_is_never_changed(text):
    assert read(text) == text
