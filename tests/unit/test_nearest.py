"""The section that is nearest to a question in meaning may be the one to show."""

import numpy as np
import pytest

from search.ranking.nearest import cosines, first_is_nearest, place_where_none_answers
from search.ranking.rank import Ranking
from tests.unit.test_relevance import snapshot

TABLETS = "# Tablets\n\nAllow two days for them.\n"
DOGS = "# Dogs\n\nMay I bring mine?\n"


@pytest.mark.parametrize(
    ("near", "relevances", "place"),
    [
        ((0.1, 0.2, 0.55), (0.1, 0.1), 2),
        ((0.4, 0.2, 0.55), (0.1, 0.1), 0),  # the first one is not far
        ((0.1, 0.2, 0.35), (0.1, 0.1), 0),  # the other one is not near
        ((0.0, 0.0, 0.55), (0.1, 0.1), 2),  # the first one has no vector
        ((0.2, 0.3, 0.3), (0.1, 0.2), 1),  # much more likely
        ((0.2, 0.3, 0.3), (0.1, 0.14), 0),  # not much
        ((0.3, 0.3, 0.3), (0.1, 0.2), 0),  # not nearer
        ((0.0, 0.0, 0.0), (0.1, 0.2), 0),  # by words alone
    ],
)
def test_place_to_show_is_that_of_a_nearer_section(near, relevances, place):
    assert place_where_none_answers(np.array(near), np.array(relevances)) == place


@pytest.mark.parametrize(("confidence", "expected"), [(1.0, 0.25), (0.0, np.nan)])
def test_cosine_is_that_of_the_model_that_has_read_the_section(confidence, expected):
    index = snapshot(a=TABLETS, b=DOGS)
    index.dense_confidence = np.array([confidence, confidence])  # how far the first model knows the language
    raw = {
        "second": np.array([0.3, -np.inf]),
        "dense": np.array([0.1, 0.2]),
        "section_vector": np.array([0.0, 0.25]),
    }
    total = np.array([0.9, 0.8])
    found = cosines(index, Ranking(np.arange(2), total, raw, {"lexical": total}, {}, {}), np.arange(2))
    assert found.tolist() == pytest.approx([0.3, expected], nan_ok=True)


@pytest.mark.parametrize(("near", "is_nearest"), [((0.5, 0.4), True), ((0.4, 0.3), False), ((0.5, 0.6), False)])
def test_first_section_is_nearest_if_it_is_near_and_no_other_is_nearer(near, is_nearest):
    assert first_is_nearest(np.array(near)) == is_nearest
