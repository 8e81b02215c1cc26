"""The section that is nearest to a question in meaning may be the one to show."""

import numpy as np
import pytest

from search.ranking.nearest import cosines, first_is_nearest, nearest_place
from search.ranking.rank import Ranking
from tests.unit.test_relevance import snapshot

TABLETS = "# Tablets\n\nAllow two days for them.\n"
DOGS = "# Dogs\n\nMay I bring mine?\n"
INDEX = snapshot(a=TABLETS, b=DOGS)


def ranking_of(near):
    total = np.array([0.9, 0.8])
    return Ranking(np.arange(2), total, {"second": np.array(near)}, {"lexical": total}, {}, {})


@pytest.mark.parametrize(
    ("near", "place"),
    [
        ((0.1, 0.55), 1),
        ((0.4, 0.55), 0),  # the first one is not far
        ((0.1, 0.35), 0),  # the other one is not near
        ((0.1, -np.inf), 0),  # the other one has no vector
        ((-np.inf, 0.55), 1),  # the first one has none
        ((0.55, 0.1), 0),
    ],
)
def test_nearest_section_is_the_one_to_show_if_it_is_near_and_the_first_one_is_far(near, place):
    assert nearest_place(INDEX, ranking_of(near)) == place


def test_ranking_by_words_alone_has_no_nearest_section():
    total = np.array([0.9, 0.8])
    assert nearest_place(INDEX, Ranking(np.arange(2), total, {}, {"lexical": total}, {}, {})) == 0


def test_cosine_is_that_of_the_model_that_has_read_the_section():
    raw = {
        "second": np.array([0.3, -np.inf]),
        "dense": np.array([0.1, 0.2]),
        "section_vector": np.array([0.0, 0.25]),
    }
    total = np.array([0.9, 0.8])
    found = cosines(INDEX, Ranking(np.arange(2), total, raw, {"lexical": total}, {}, {}), np.arange(2))
    assert found.tolist() == [0.3, pytest.approx(0.25 if INDEX.dense_confidence[1] else np.nan, nan_ok=True)]


@pytest.mark.parametrize(("near", "is_nearest"), [((0.5, 0.4), True), ((0.4, 0.3), False), ((0.5, 0.6), False)])
def test_first_section_is_nearest_if_it_is_near_and_no_other_is_nearer(near, is_nearest):
    assert first_is_nearest(INDEX, ranking_of(near)) == is_nearest
