"""The section that is nearest to a question in meaning may be the one to show."""

from types import SimpleNamespace

import numpy as np
import pytest

from search.ranking.nearest import above_others, compared_cosines, cosines, first_is_nearest, place_where_none_answers
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


def above(raw, *, sections=None, allowed=None):
    """How far the cosine of the first row is above others, of so many sections in the whole index, of which a filter allows
    the first ones."""
    rows = len(next(iter(raw.values())))
    values = {name: np.array(scores, float) for name, scores in raw.items()}
    spaces = {name: SimpleNamespace(present=np.isfinite(scores)) for name, scores in values.items()}
    index = SimpleNamespace(
        inverted=SimpleNamespace(all_rows=sections or rows),
        has_text=np.ones(rows, np.bool_),
        vectors=spaces["dense"],
        second=spaces.get("second"),
    )
    for scores in values.values():
        scores[slice(allowed, None)] = -np.inf if allowed else scores[slice(allowed, None)]
    ranking = Ranking(np.arange(rows), np.ones(rows), values, {}, {}, {})
    near = np.array([max(scores[0] for scores in values.values())])
    return above_others(ranking, np.array([0]), near, compared_cosines(index, ranking))[0]


@pytest.mark.parametrize(
    ("count", "place"),
    [(12, 10), (200, 10), (1000, 50), (9000, 150)],  # a twentieth, at least ten and at most 150
)
def test_cosine_is_compared_with_that_behind_the_nearest_twentieth(count, place):
    falling = [0.9 - 0.0001 * number for number in range(count)]
    assert above({"dense": falling}) == pytest.approx(0.0001 * (place - 1))


def test_cosine_of_a_few_sections_of_a_large_index_is_compared_as_if_all_were_known():
    falling = [0.9 - 0.001 * number for number in range(450)]
    assert above({"dense": falling}, sections=2000) == pytest.approx(0.099)


def test_cosine_is_compared_with_those_of_the_sections_that_a_filter_allows():
    falling = [0.9 - 0.0001 * number for number in range(1000)]
    assert above({"dense": falling}, allowed=400) == pytest.approx(0.0001 * 19)


def test_cosine_is_compared_with_those_of_the_model_that_has_read_the_section():
    raw = {"second": [0.9] + [0.3] * 19, "dense": [0.2] * 20}
    assert above(raw) == pytest.approx(0.6)
    assert above({**raw, "second": [-np.inf] + [0.3] * 19}) == pytest.approx(0.0)


def test_cosine_among_fewer_than_ten_is_a_usual_distance_above_them():
    assert above({"dense": [0.9, 0.1, 0.1]}) == pytest.approx(0.2)
