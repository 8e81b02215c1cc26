"""The verb of what a question wants to do stands for the others that documents say in its place."""

import pytest

from schema.text.analyzer import terms
from schema.text.query_words import query_terms
from search.ranking.verbs import other_verbs

MADE = set(terms("write make create build implement develop define custom"))


def others(query):
    return {term: set(found) for term, found in other_verbs(query, query_terms(query)).items()}


@pytest.mark.parametrize(
    ("query", "verb"),
    [
        ("how to write a middleware", "write"),
        ("How do I build my own transport", "build"),
        ("write a test", "write"),
        ("is there a way to build a page", "build"),
        ("can I build an app in a week", "build"),
        ("I want to write a plugin", "write"),
    ],
)
def test_verb_of_making_stands_for_the_others(query, verb):
    assert others(query) == {verb: MADE - {verb}}


@pytest.mark.parametrize(
    ("query", "verb", "other"), [("delete a tool", "delet", "remov"), ("how to remove the key", "remov", "delet")]
)
def test_delete_and_remove_stand_for_each_other(query, verb, other):
    assert others(query) == {verb: {other}}


@pytest.mark.parametrize(
    ("query", "verb", "expected"),
    [
        ("forbid inline styles", "forbid", {"ban", "prohibit", "disallow"}),
        ("are phones banned", "ban", {"forbid", "prohibit", "disallow"}),
        ("rerun a test", "rerun", {"retri"}),
        ("default folder of builds", "folder", {"directori"}),
        ("which directories are read", "directori", {"folder"}),
        ("switch off a rule", "switch", {"turn", "disabl"}),
        ("when was the old queue turned off", "turn", {"switch", "disabl"}),
        ("turn the strict mode on", "turn", {"switch", "enabl"}),
        ("what switches off the lamp", "switch", {"turn", "disabl"}),
        ("difference between plus and premium", "differ", {"compar", "comparison"}),
    ],
)
def test_words_of_one_meaning_stand_for_each_other(query, verb, expected):
    assert others(query) == {verb: expected}


@pytest.mark.parametrize(
    "query",
    [
        "turn the page and then on",
        "turn left",
        "switch branches on the server",
        "in turn on Monday",
        "switch to on-premise",
        '"switch off" in quotes',
        "time difference",
        "create a user",  # what documents say
        "make a page",  # which no query is searched by
        "implement a trait",
        "how to write",  # nothing is made
        "write permission",  # a noun
        "how do I write the docs",  # which are there
        "how do I write my docs",
        "the build of a release",
        "what does write the file do",
        'find "write a test"',
        "how do I write a custom provider",
        "プラグインを作る",
        "",
    ],
)
def test_other_words_stand_for_themselves(query):
    assert others(query) == {}


def test_terms_that_the_query_has_stand_for_nothing_else():
    assert others("build a tool to develop and define macros") == {"build": MADE - {"build", "develop", "defin"}}


@pytest.mark.parametrize(
    ("query", "verb", "expected"),
    [
        ("플러그인을 지우는 법", "지우", {"삭제", "제거", "지우기"}),
        ("플러그인 삭제", "삭제", {"제거", "지우", "지우기"}),
        ("プラグインを削除するには", "削除", {"消す", "消し", "アンインストール"}),
        ("プラグインの消し方", "消し", {"削除", "消す", "アンインストール"}),
        ("원격 측정 끄는 법", "끄는", {"끄기", "비활성화"}),
        ("기능 활성화", "활성화", {"켜기", "켜는"}),
        ("비활성화 방법", "비활성화", {"끄기", "끄는"}),
    ],
)
def test_verbs_of_japanese_and_korean_stand_for_others(query, verb, expected):
    assert others(query) == {verb: expected}
