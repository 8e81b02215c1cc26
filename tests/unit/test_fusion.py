"""Scores of several retrievers become one score, each by its own range."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from search.ranking.fusion import Retrieved, fuse

NONE = -np.inf


def fused(**lists):
    found = {name: Retrieved(np.array(scores, float), share) for name, (scores, share) in lists.items()}
    return fuse(found).total.round(3).tolist()


def test_each_list_counts_by_its_own_range():
    assert fused(dense=([0.9, 0.5, 0.1, NONE], 0.5), lexical=([NONE, 20, NONE, 10], 0.5)) == [0.5, 0.75, 0.0, 0.0]


def test_shares_move_the_balance():
    assert fused(dense=([2, 1], 0.7), lexical=([1, 2], 0.3)) == [0.7, 0.3]


def test_equal_scores_are_all_the_best():
    assert fused(lexical=([3, 3, NONE], 1.0)) == [1.0, 1.0, 0.0]


def test_list_without_a_word_gives_nothing():
    assert fused(dense=([0.5, 0.1], 0.5), lexical=([NONE, NONE], 0.5)) == [0.5, 0.0]


def test_worth_scales_what_a_list_gives():
    found = fuse({"dense": Retrieved(np.array([0.9, 0.8, 0.1]), 0.5, np.array([0.0, 1.0, 1.0]))})
    assert found.total.round(3).tolist() == [0.0, 0.438, 0.0]


def test_only_the_first_hundred_span_the_range_and_the_rest_keep_their_order():
    found = fuse({"lexical": Retrieved(np.arange(300, 0, -1.0), 1.0)})
    assert found.total[0] == 1.0
    assert found.total[99] == found.total[250] == 0.0
    assert np.all(np.diff(found.tie_breaker[99:250]) < 0)


def test_few_sections_with_a_word_have_more_than_those_without():
    found = fuse({"lexical": Retrieved(np.array([4.0, 2.0, 1.0, NONE]), 1.0, absent=0.0)})
    assert found.total.tolist() == [1.0, 0.5, 0.25, 0.0]


def test_scores_that_differ_by_rounding_alone_are_equal():
    found = fuse({"dense": Retrieved(np.array([0.7616741, 0.76167411, 0.7616742]), 1.0)})
    assert found.total.tolist() == [1.0, 1.0, 1.0]


def test_scores_are_measured_by_the_range_of_those_they_are_compared_with():
    best = np.array([0.9, 0.5, 0.1])
    found = fuse({"first": Retrieved(np.array([0.5, 0.5, 0.0]), 1.0, compared=best)})
    assert found.total.round(3).tolist() == [0.5, 0.5, 0.0]


def test_parts_add_up_to_the_total():
    found = fuse({"a": Retrieved(np.array([3, 1, 2.0]), 0.5), "b": Retrieved(np.array([1, 2, NONE]), 0.5)})
    np.testing.assert_allclose(found.total, found.parts["a"] + found.parts["b"])


def test_nothing_fuses_to_nothing():
    assert len(fuse({}).total) == 0


LISTS = st.lists(st.one_of(st.just(NONE), st.floats(-5, 50)), min_size=4, max_size=4)


@given(LISTS, LISTS, st.floats(0, 1))
def test_fused_scores_lie_in_range(one, other, share):
    total = fuse({"a": Retrieved(np.array(one), share), "b": Retrieved(np.array(other), 1 - share)}).total
    assert np.all((total >= 0) & (total <= 1 + 1e-9))
