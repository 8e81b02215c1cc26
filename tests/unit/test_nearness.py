"""Scores by vectors are the same whether the vectors of all sections are known, or only those of the nearest ones."""

from types import SimpleNamespace

import numpy as np
import pytest

from search.index.vectors import QueryVectors, Space
from search.ranking.fusion import fuse
from search.ranking.nearness import Confidence, moved_to, vector_scores

ROWS, NEAREST = 350, 300


def at(*angles):
    return np.array([[np.cos(angle), np.sin(angle)] for angle in angles], np.float32)


def snapshot():
    """Sections of two windows, one after the other away from the query, of which the first window is the farther one."""
    windows = at(*(angle for row in range(ROWS) for angle in (0.004 * row + 0.1, 0.004 * row)))
    counts = np.full(ROWS, 2)
    space = Space.of(windows, np.arange(0, 2 * ROWS, 2), counts)
    return SimpleNamespace(rows=ROWS, vectors=space, second=None, headings=None)


def scores_of(known, *, moved):
    """The fused scores of all sections where the vectors of the first `known` ones count."""
    held, allowed = snapshot(), np.arange(ROWS) < known
    confidence = Confidence(windows=np.ones(ROWS), heading=np.zeros(ROWS))
    query = QueryVectors(at(0.0)[0])
    before = vector_scores(held, query, 1.0, allowed, confidence)
    if not moved:
        return fuse(before).total
    away = QueryVectors(at(1.3)[0])  # the sections that were far are the nearest to it
    return fuse(vector_scores(held, away, 1.0, allowed, confidence, (np.flatnonzero(allowed), before))).total


@pytest.mark.parametrize("moved", [False, True])
def test_sections_beyond_the_nearest_change_no_score_of_these(moved):
    some, every = scores_of(NEAREST, moved=moved), scores_of(ROWS, moved=moved)
    assert np.allclose(some[:NEAREST], every[:NEAREST])
    assert some[:NEAREST].max() > 0.5


def test_first_windows_are_measured_by_the_range_of_best_windows():
    held = snapshot()
    confidence = Confidence(windows=np.ones(ROWS), heading=np.zeros(ROWS))
    found = vector_scores(held, QueryVectors(at(0.0)[0]), 1.0, np.ones(ROWS, np.bool_), confidence)
    parts = fuse(found).parts
    assert parts["dense"][0] == pytest.approx(0.5)
    assert 0 < parts["section_vector"][0] < 0.5


def test_query_moves_towards_the_best_window_of_a_section_and_stays_of_unit_length():
    query = QueryVectors(at(0.0)[0])
    first = moved_to(snapshot(), query, 100).first
    assert np.linalg.norm(first) == pytest.approx(1.0)
    assert 0 < np.arctan2(first[1], first[0]) < 0.4


def totals_of_two_languages(allowed):
    """The fused scores of twenty sections in one language, of which the first is near, and of one that the second model has
    read too, which is near by neither model."""
    near = [0.1, *(1.0 + 0.02 * row for row in range(19)), 1.2]
    counts, alone = np.ones(21, np.int64), np.arange(21) == 20
    held = SimpleNamespace(
        rows=21,
        vectors=Space.of(at(*near), np.arange(21), counts),
        second=Space.of(at(1.3), np.zeros(21, np.int64), alone.astype(np.int64)),
        headings=None,
        has_second=alone,
        share_of_second=1 / 21,
    )
    confidence = Confidence(windows=np.ones(21), heading=np.zeros(21))
    query = QueryVectors(at(0.0)[0], at(0.0)[0])
    return fuse(vector_scores(held, query, 1.0, allowed, confidence)).total


def test_section_that_the_second_model_alone_measures_does_not_go_before_one_that_is_nearer():
    total = totals_of_two_languages(np.ones(21, np.bool_))
    assert total[0] > 0.9
    assert total[20] < 0.7


def test_second_model_alone_counts_where_it_has_read_all_sections_that_are_compared():
    assert totals_of_two_languages(np.arange(21) == 20)[20] == pytest.approx(1.0)
