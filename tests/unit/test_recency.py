"""The preference for recent documents: its factor, the dates it reads, and what it leaves alone."""

from datetime import UTC, datetime

import numpy as np
import pytest

from schema.clock import days_of
from schema.errors import QueryError, SettingsError
from schema.requests import SearchRequest
from schema.settings import load_settings
from search.ranking.rank import Ranking
from search.ranking.recency import FLOOR, age_factor, date_in, prefer_recent


def ranking(scores):
    total = np.array(scores)
    order = np.argsort(-total, kind="stable")
    return Ranking(order, total, {"lexical": total * 7}, {"lexical": total}, {}, {})


def test_a_factor_is_halfway_to_the_floor_at_the_half_life():
    assert age_factor([0, 30, 60], 30).tolist() == pytest.approx([1, (1 + FLOOR) / 2, FLOOR + (1 - FLOOR) / 4])


def test_a_factor_is_never_below_the_floor_and_never_above_one():
    assert age_factor([1e9, np.inf, -1e9, np.nan], 1).tolist() == [FLOOR, FLOOR, 1, 1]


def test_the_newer_of_two_equal_sections_goes_first():
    assert prefer_recent(ranking([0.5, 0.5]), np.array([400.0, 1.0]), 30).order.tolist() == [1, 0]


def test_equal_ages_keep_the_order_of_equal_scores():
    assert prefer_recent(ranking([0.5, 0.6, 0.5]), np.full(3, 9.0), 30).order.tolist() == [1, 0, 2]


def test_an_old_section_stays_above_a_new_one_that_is_far_worse():
    assert prefer_recent(ranking([0.9, 0.6]), np.array([1e6, 0.0]), 30).order.tolist() == [0, 1]


def test_scores_are_the_sums_of_their_parts_and_nothing_measured_changes():
    before = ranking([0.8, 0.4])
    after = prefer_recent(before, np.array([30.0, np.nan]), 30)
    assert after.raw is before.raw
    assert sum(after.parts.values()).tolist() == pytest.approx(after.total.tolist())
    assert after.total.tolist() == pytest.approx([0.68, 0.4])
    assert after.parts["recency"].tolist() == pytest.approx([-0.12, 0])


@pytest.mark.parametrize(
    ("front_matter", "day"),
    [
        ({"date": "2026-11-01"}, (2026, 11, 1)),
        ({"Date": "2026-11-01 10:00:00 +0900"}, (2026, 11, 1)),
        ({"date": "2026/1/5"}, (2026, 1, 5)),
        ({"updated": "2026年11月1日"}, (2026, 11, 1)),
        ({"lastmod": "2026. 11. 1."}, (2026, 11, 1)),
        ({"date": "2020-01-01", "lastmod": "2024-02-29"}, (2024, 2, 29)),
        ({"last_update": {"date": "2025-05-05", "author": "me"}}, (2025, 5, 5)),
    ],
)
def test_the_latest_date_of_the_front_matter_is_read(front_matter, day):
    assert date_in(front_matter) == datetime(*day, tzinfo=UTC)


@pytest.mark.parametrize(
    "front_matter",
    [
        {}, {"created": "2020-01-01"}, {"date": "soon"}, {"date": "2026-02-31"}, {"date": 2026}, {"date": ["2026-01-01"]},
        {"date": "0000-01-01"}, {"date": "2026-01-0123"}, {"date": " " * 100_000 + "2026-01-01"}, {"date": {"date": "2026-01-01"}},
        {"date": "\ud800"}, {"last_update": None},
    ],
)  # fmt: skip
def test_what_is_no_date_is_none(front_matter):
    assert date_in(front_matter) is None


@pytest.mark.parametrize("text", ["d", "-3", "1.5d", "9d9", "100000", "３d", "3 days"])
def test_what_is_no_number_of_days_is_refused(text):
    with pytest.raises(ValueError, match="90d or 12w"):
        days_of(text)
    with pytest.raises(QueryError, match="90d or 12w"):
        SearchRequest(query="keys", prefer_recent=text)


@pytest.mark.parametrize(("written", "days"), [("'30d'", 30), ("90", 90), ("'2w'", 14), ("''", 0)])
def test_the_setting_is_a_number_of_days_or_text(tmp_path, written, days):
    (tmp_path / "sectionary.toml").write_text(f"recency_half_life = {written}\n")
    assert days_of(load_settings(tmp_path, environ={}).recency_half_life) == days


@pytest.mark.parametrize("written", ["'soon'", "-1", "true", "1.5"])
def test_a_setting_that_is_none_is_refused(tmp_path, written):
    (tmp_path / "sectionary.toml").write_text(f"recency_half_life = {written}\n")
    with pytest.raises(SettingsError, match="recency_half_life must be"):
        load_settings(tmp_path, environ={})
