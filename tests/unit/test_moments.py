"""Moments as users write them: dates, ages and days; what is refused says which forms there are."""

import re
import time
from datetime import UTC, datetime, timedelta

import pytest

from schema.clock import AGES, moment_of, now
from schema.errors import QueryError
from schema.filters import moment
from schema.query_language import parse_fields


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("10m", 10),
        ("30min", 30),
        ("1 minute ago", 1),
        ("2h", 120),
        ("2 hours ago", 120),
        ("7D", 7 * 1440),
        ("3 days", 3 * 1440),
        (" 2w ", 14 * 1440),
        ("２ｗ", 14 * 1440),
        ("1 week ago", 7 * 1440),
        ("2 months", 60 * 1440),
        ("1y", 365 * 1440),
    ],
)
def test_an_age_is_so_long_before_now(text, minutes):
    before = now()
    assert timedelta(0) <= moment_of(text) + timedelta(minutes=minutes) - before < timedelta(seconds=20)
    assert moment(text) - moment_of(text) < timedelta(seconds=20)


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="the time zone of a process cannot be set")
def test_today_and_yesterday_begin_at_midnight_of_the_computers_time_zone(monkeypatch):
    monkeypatch.setattr("schema.clock.now", lambda: datetime(2026, 11, 1, 20, 30, tzinfo=UTC))
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        assert moment_of("today") == datetime(2026, 11, 1, 15, tzinfo=UTC)
        assert moment_of("Yesterday") == datetime(2026, 10, 31, 15, tzinfo=UTC)
        assert moment_of("2026-11-01") == datetime(2026, 11, 1, tzinfo=UTC)
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize(
    "text", ["", "10M", "10", "10 minutes from now", "min", "-2h", "lately", "9999y", "1.5h", "\u0663d"]
)
def test_what_is_no_moment_is_refused_with_the_forms_there_are(text):
    with pytest.raises(QueryError) as told:
        moment(text)
    assert str(told.value) == (
        "The since filter takes a date such as 2026-11-01, an age such as 30min, 2h, 7d or 2w, today or yesterday, "
        f"not {text!r}."
    )


def test_a_query_takes_the_same_forms():
    assert parse_fields("crank since:yesterday").filters.since == moment_of("yesterday")
    assert parse_fields('crank since:"2 hours ago"').filters.since is not None


@pytest.mark.parametrize("text", ["10m", "9999months", "999 years ago", "1 hour", "today"])
def test_what_the_pattern_of_http_allows_can_be_read(text):
    assert re.search(AGES, text)
    assert moment_of(text) < now()
