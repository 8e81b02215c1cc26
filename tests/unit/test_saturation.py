"""What repeats of a term and the length of a text add to BM25."""

import numpy as np
import pytest

from search.index.saturation import k1_of, relative, saturated

ONE = np.ones(1, np.float32)


@pytest.mark.parametrize(
    ("term", "k1"),
    [("search", 1.2), ("настро", 1.2), ("8080", 1.2), ("検", 0.6), ("検索", 0.6), ("ます", 0.6), ("검색", 0.6), ("กา", 0.6)],
)
def test_terms_of_pairs_are_those_of_scripts_without_blanks_and_of_korean(term, k1):
    assert k1_of(term) == k1


def test_text_of_the_mean_length_counts_one_and_one_of_twice_the_length_more():
    assert relative(np.array([10, 20]), 10.0).tolist() == pytest.approx([1.0, 1.75])


@pytest.mark.parametrize("k1", [0.6, 1.2])
def test_a_term_that_stands_once_in_a_text_of_the_mean_length_adds_its_weight(k1):
    assert saturated(3.0, k1, np.array([1.0]), ONE).tolist() == pytest.approx([3.0])


def test_repeats_of_pairs_add_less_than_repeats_of_words():
    repeated = np.array([4.0])
    assert saturated(1.0, 0.6, repeated, ONE)[0] == pytest.approx(4 * 1.6 / 4.6)
    assert saturated(1.0, 1.2, repeated, ONE)[0] == pytest.approx(4 * 2.2 / 5.2)


def test_a_term_that_does_not_stand_in_a_text_adds_nothing():
    assert saturated(1.0, 0.6, np.array([0.0]), ONE).tolist() == [0.0]
