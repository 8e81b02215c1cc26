"""The nearest pairs among vectors: exact, bounded, in a fixed order."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.overview import near_pairs


def unit(vectors):
    vectors = np.asarray(vectors, np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def random_vectors(count, dimension, seed=0):
    return unit(np.random.default_rng(seed).normal(size=(count, dimension)))


def every_pair(vectors, least):
    cosines = vectors @ vectors.T
    return {
        (first, second)
        for first in range(len(vectors))
        for second in range(first + 1, len(vectors))
        if cosines[first, second] >= least
    }


@given(st.integers(0, 40), st.integers(1, 80), st.integers(0, 5), st.floats(0.5, 0.99))
def test_pairs_are_those_of_a_comparison_of_all_with_all(count, dimension, seed, least):
    vectors = random_vectors(count, dimension, seed) if count else np.zeros((0, dimension), np.float32)
    found = near_pairs(vectors, least=least, most=10_000)
    sure, possible = every_pair(vectors, least + 1e-5), every_pair(vectors, least - 1e-5)
    assert sure <= {pair[1:] for pair in found} <= possible


def test_nearest_pair_comes_first():
    vectors = unit([[1, 0, 0.15], [1, 0, 0], [1, 0, 0.02], [0, 1, 0]])
    assert [pair[1:] for pair in near_pairs(vectors)] == [(1, 2), (0, 2), (0, 1)]


def test_copies_have_a_cosine_of_one_and_stand_in_their_order():
    vectors = unit([[1, 2], [3, -1], [1, 2], [3, -1]])
    assert [pair[1:] for pair in near_pairs(vectors)] == [(0, 2), (1, 3)]
    assert [round(pair[0], 5) for pair in near_pairs(vectors)] == [1, 1]


def test_pairs_lie_across_blocks():
    vectors = random_vectors(1000, 64)
    vectors[990] = vectors[3]
    assert [pair[1:] for pair in near_pairs(vectors)] == [(3, 990)]


def test_no_more_pairs_than_asked_for():
    vectors = np.concatenate([random_vectors(30, 32)] * 2)
    assert len(near_pairs(vectors, most=7)) == 7


def test_index_of_copies_takes_little_time_and_gives_the_first_pairs():
    vectors = np.repeat(random_vectors(1, 384), 20_000, axis=0)
    begun = time.process_time()
    found = near_pairs(vectors)
    assert time.process_time() - begun < 5
    assert [pair[1:] for pair in found[:3]] == [(0, 1), (0, 2), (0, 3)]


def test_nearly_all_alike_takes_little_time():
    noise = random_vectors(5000, 384) * 0.05
    vectors = unit(noise + random_vectors(1, 384, seed=1))
    begun = time.process_time()
    assert len(near_pairs(vectors)) == 50
    assert time.process_time() - begun < 10


@pytest.mark.parametrize("count", [0, 1])
def test_fewer_than_two_have_no_pair(count):
    assert near_pairs(np.ones((count, 8), np.float32) / np.sqrt(8)) == []
