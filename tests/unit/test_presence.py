"""Words in a language in which few sections are written count less."""

from dataclasses import replace

import numpy as np
import pytest

from search.ranking.presence import Languages
from search.ranking.query import parse_query
from search.ranking.rank import rank
from search.ranking.relevance import Relevance
from tests.unit.test_relevance import snapshot


def languages(rows=100, **sections):
    return Languages(lambda some: sum(sections.get(language, 0) for language in some) / rows)


@pytest.mark.parametrize(
    ("sections", "word", "expected"),
    [
        ({"ja": 5}, "検索", True),
        ({"ja": 4}, "検索", False),
        ({"ja": 5}, "キー", True),
        ({"ja": 5}, "ひらがな", True),
        ({"ko": 5}, "검색", True),
        ({"ja": 50}, "검색", False),
        ({"zh": 5}, "检索", True),
        ({"zh": 5}, "ひらがな", False),
        ({}, "search", True),
        ({}, "поиск", True),
        ({}, "123", True),
    ],
)
def test_a_language_is_at_home_where_one_of_twenty_sections_is_in_it(sections, word, expected):
    assert languages(**sections).is_at_home(word) == expected


@pytest.mark.parametrize(("count", "share"), [(0, 0.5), (1, 0.5), (3, 0.6), (4, 0.8)])
def test_terms_count_less_the_fewer_sections_are_in_their_language(count, share):
    assert languages(ja=count).lowered(["キー", "gateway", "검색"]) == pytest.approx({"キー": share, "검색": 0.5})


def test_terms_of_a_language_at_home_count_fully():
    assert languages(ja=5, ko=60).lowered(["キー", "검색"]) == {}


def test_a_query_counts_its_lowered_terms_less_and_no_others():
    query = parse_query("gateway 검색")
    assert query.counting({"gateway": 1.0, "검색": 0.5}) == {"gateway": 1.0, "검색": 0.5}
    lowered = replace(query, lowered={"검색": 0.5})
    assert lowered.counting({"gateway": 1.0, "검색": 0.5}) == {"gateway": 1.0, "검색": 0.25}


def test_section_that_holds_lowered_words_is_ranked_and_relevant_by_less():
    index = snapshot(
        manual="# Gateway\n\nThe gateway keeps one key for each of its clients.\n",
        note="# 메모\n\n열쇠 목록입니다. 열쇠 하나씩.\n",
    )
    plain = parse_query("gateway 열쇠")
    scores, relevances = [], []
    for query in (plain, replace(plain, lowered={"열쇠": 0.5}, is_foreign=True)):
        ranking = rank(index, query, None, mode="lexical", dense_weight=0.0, allowed=np.ones(index.rows, np.bool_))
        row = next(row for row in range(index.rows) if index.path(row) == "note.md")
        scores.append(ranking.raw["lexical"][row])
        relevances.append(Relevance(index, query, ranking).of([row])[0])
    assert scores[1] == pytest.approx(scores[0] / 2)
    assert relevances[1] < relevances[0]


def test_section_that_holds_all_lowered_words_is_as_relevant_as_without():
    index = snapshot(manual="# Gateway\n\nThe gateway keeps one key.\n", note="# Names\n\nWritten by 黄玄 of the team.\n")
    plain = parse_query("黄玄")
    found = []
    for query in (plain, replace(plain, lowered=dict.fromkeys(plain.weights, 0.5), is_foreign=True)):
        ranking = rank(index, query, None, mode="lexical", dense_weight=0.0, allowed=np.ones(index.rows, np.bool_))
        found += Relevance(index, query, ranking).of([int(ranking.order[0])])
    assert found[0] == found[1] >= 0.3
