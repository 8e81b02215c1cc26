"""The weight of a compound that no section has is that of its parts, and two words stand for the one that sections have."""

import pytest

from search.ranking.compounds import divided, in_one_word
from search.ranking.query import parse_query
from tests.unit.test_relevance import source

CONTACTS = (
    "# 連絡先\n\n## 佐伯\n\n佐伯の内線は 101 です。\n\n## 規則\n\n番号は変わりません。\n\n## 社員\n\n社員の数は十人です。\n\n"
    "## 당번\n\n한지민의 내선은 102 입니다. 번호는 같습니다.\n"
)


def weights_of(query):
    asked = parse_query(query)
    return asked.weights, divided(asked.weights, source(contacts=CONTACTS).vocabulary)


def test_weight_of_a_compound_and_of_its_unknown_pairs_goes_to_the_pairs_that_sections_have():
    before, after = weights_of("佐伯さんの内線番号")
    assert {"内线番号", "线番"} == before.keys() - after.keys()
    assert after["内线"] == after["番号"] == pytest.approx(1.0)
    assert after["佐伯"] == before["佐伯"]
    assert sum(after.values()) == pytest.approx(sum(before.values()))


def test_last_syllable_of_a_korean_word_may_be_a_form_of_address():
    before, after = weights_of("한지민님")
    assert list(after) == ["한지", "지민"]
    assert sum(after.values()) == pytest.approx(sum(before.values()))


@pytest.mark.parametrize("query", ["社員食堂", "内線", "rotate keys", "番号番", "당번표", "사내식당", "한지민쿠"])
def test_word_that_is_short_or_has_a_part_that_stands_nowhere_keeps_its_weight(query):
    before, after = weights_of(query)
    assert after == before


def test_compound_that_a_section_has_keeps_its_weight():
    held = source(contacts="# 連絡先\n\n内線番号は 101 です。\n")
    weights = parse_query("内線番号").weights
    assert divided(weights, held.vocabulary) == weights


SERVER = "# Server\n\n## Ratelimiting\n\nRatelimiting of logins and of e-mail.\n\n## Backup\n\nMake a backup; the filesystem is kept.\n"


def one_word(query):
    asked = parse_query(query)
    return in_one_word(asked.text, asked.weights, source(server=SERVER).vocabulary)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("rate limiting of messages", {"rate": ("ratelimit",), "limit": ("ratelimit",)}),
        ("Rate-limit", {"rate-limit": ("ratelimit",), "rate": ("ratelimit",), "limit": ("ratelimit",)}),
        ("how do I log in with a token", {"log": ("login",)}),
        ("logging in", {"log": ("login",)}),
        ("backing up the file system", {"back": ("backup",), "file": ("filesystem",), "system": ("filesystem",)}),
    ],
)
def test_two_words_have_the_word_that_sections_write_in_their_place(query, words):
    assert one_word(query) == words


@pytest.mark.parametrize(
    "query",
    [
        '"rate limiting" of messages',  # as it is written
        "“rate limiting” of messages",
        "rate, limiting",
        "the rate of a limit",
        "data base",  # no section has it in one word
        "a back and up",
        "ratelimiting: rate limiting",
        "검색 엔진",
    ],
)
def test_other_words_stand_for_themselves(query):
    assert one_word(query) == {}


def test_verb_of_two_words_is_not_a_word_that_far_more_sections_have():
    prices = "# Prices\n\n## Mark down a price\n\nSay why.\n\n" + "".join(f"## {n}\n\nMarkdown {n}.\n\n" for n in range(6))
    asked = parse_query("how do I mark down a price")
    assert in_one_word(asked.text, asked.weights, source(prices=prices).vocabulary) == {}
    few = source(prices=prices.replace("Markdown 5", "Mark 5"))
    assert in_one_word(asked.text, asked.weights, few.vocabulary) == {"mark": ("markdown",)}
