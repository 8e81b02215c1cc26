"""The variants of benchmarks/ablation.py name things that are there, and what it counts is counted right."""

import inspect
import pkgutil
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
from ablation import VARIANTS, ndcg, replaced, told

from search.ranking import nearness


@pytest.mark.parametrize("name", VARIANTS)
def test_each_variant_replaces_what_is_there(name):
    with replaced(VARIANTS[name]):
        pass


@pytest.mark.parametrize("name", VARIANTS)
def test_each_function_of_a_variant_takes_what_the_one_in_its_place_takes(name):
    for place, value in VARIANTS[name].items():
        if "." in place and callable(value):
            replaced_one = pkgutil.resolve_name(place)
            inspect.signature(value).bind(*inspect.signature(replaced_one).parameters)


def test_variant_is_in_place_while_it_is_measured_and_not_after():
    feedback = nearness.FEEDBACK
    with replaced({"search.ranking.nearness.FEEDBACK": 0.0}):
        assert nearness.FEEDBACK == 0.0
    assert feedback == nearness.FEEDBACK


def test_ndcg_is_one_for_the_best_order_and_less_for_another():
    assert ndcg([3.0, 1.0, 0.0], [1.0, 3.0]) == 1.0
    assert round(ndcg([0.0, 3.0, 1.0], [1.0, 3.0]), 3) == 0.659


def test_halves_are_the_odd_and_the_even_questions():
    figures = told(np.array([1.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.5]))
    assert figures == {"S@1": 0.6667, "nDCG@10": 0.5, "odd": 0.75, "even": 0.0}
