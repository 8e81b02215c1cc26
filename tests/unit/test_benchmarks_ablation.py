"""The variants of benchmarks/ablation.py name things that are there."""

import pytest

from benchmarks.ablation import VARIANTS, replaced
from search.ranking import rank


@pytest.mark.parametrize("name", VARIANTS)
def test_each_variant_replaces_what_is_there(name):
    with replaced(VARIANTS[name]):
        pass


def test_variant_is_in_place_while_it_is_measured_and_not_after():
    feedback = rank.FEEDBACK
    with replaced({"search.ranking.rank.FEEDBACK": 0.0}):
        assert rank.FEEDBACK == 0.0
    assert feedback == rank.FEEDBACK
