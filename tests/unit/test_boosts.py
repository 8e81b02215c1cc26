"""Boosts beside BM25: headings that meet the query, and words that stand together in both."""

import numpy as np
import pyarrow as pa
import pytest

from search.index.inverted_index import InvertedIndex
from search.ranking.boosts import heading_match, own_heading, proximity
from tests.inverted_indexes import inverted_index, ones


def test_heading_that_is_the_query_matches_wholly():
    index = inverted_index("rotate key||x", "rotate key now then||x", "x||rotate key", "a||b", "c||d")
    match = heading_match(index, ones("rotate", "key"), np.arange(5))
    assert match[0] == pytest.approx(1.0)
    assert 0 < match[1] < 1
    assert match[2] == 0


def test_heading_match_of_nothing_is_zero():
    assert heading_match(inverted_index("||x"), ones("a"), np.array([0])).tolist() == [0]
    assert heading_match(inverted_index("a||x"), {}, np.array([0])).tolist() == [0]


@pytest.mark.parametrize(
    ("lines", "share"),
    [("rotate\nkeys", 1.0), ("rotate\n\n\nkeys", 1.0), ("rotate\n\nkeys", 0.0), ("rotate\n\n\n\nkeys", 0.0)],
)
def test_words_of_headings_above_and_of_the_path_are_around_a_section(lines, share):
    fields = f"{lines}\n\n\n\n\n".split("\n")[:5]
    index = InvertedIndex(pa.array(["\n".join([*fields, "text"]), "other\n\n\n\n\nkeys"]))
    of_query, of_heading = own_heading(index, ones("rotate", "keys"), ones("rotate", "keys"))
    alone, _ = own_heading(index, ones("rotate", "keys"), ones("rotate"))
    assert of_query[0] - alone[0] == pytest.approx(0.65 * share * (1 - alone[0]))
    assert of_heading[0] == pytest.approx(1.0)


def test_neighbours_in_the_query_must_be_neighbours_in_the_section():
    index = inverted_index("||dead letter queue", "||letter dead", "dead||letter", "||x")
    found = proximity(index, ["dead", "letter"], ones("dead", "letter"), np.arange(4))
    # a heading's end and a sentence's beginning are neighbours too
    assert found.tolist() == [1.0, 0.0, 1.0, 0.0]


def test_neighbours_count_by_idf():
    index = inverted_index("||a b", "||a b", "||a b", "||c d")
    found = proximity(index, ["a", "b", "c", "d"], ones("a", "b", "c", "d"), np.arange(4))
    assert found[3] > found[0] > 0


def test_terms_that_are_not_looked_for_make_no_pair():
    assert proximity(inverted_index("||a b"), ["a", "b"], ones("a"), np.array([0])).tolist() == [0]
    assert proximity(inverted_index("||a b"), ["a", "z"], ones("a", "z"), np.array([0])).tolist() == [0]
