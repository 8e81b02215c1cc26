"""The one place where time is made: aware UTC, in whole milliseconds; and moments and spans of days as users write them."""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, datetime, time, timedelta

#: What `moment_of` takes, for messages.
MOMENTS = "a date such as 2026-11-01, an age such as 30min, 2h, 7d or 2w, today or yesterday"
#: What it takes beside dates and times, as a pattern for JSON Schema.
AGES = (
    "^([0-9]{1,4} ?(m|min|minutes?|h|hours?|d|days?|w|weeks?|months?)( ago)?|[0-9]{1,3} ?(y|years?)( ago)?|today|yesterday)$"
)
_AGE = re.compile(r"([0-9]{1,6})\s*(m|min|mins|minutes?|h|hours?|d|days?|w|weeks?|months?|y|years?)(?:\s+ago)?", re.ASCII)
_MINUTES = {"m": 1, "h": 60, "d": 60 * 24, "w": 60 * 24 * 7, "y": 60 * 24 * 365}
_MONTH = 60 * 24 * 30
_DAYS_BACK = {"today": 0, "yesterday": 1}
_DAYS = re.compile(r"\s*([0-9]{1,5})\s*([dw]?)\s*", re.ASCII)


def now() -> datetime:
    """The present moment in UTC, cut to whole milliseconds (what the table can store)."""
    moment = datetime.now(UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def moment_of(text: str) -> datetime:
    """Return the moment that users write: an ISO 8601 date or time (UTC unless it says otherwise), an age, or a day.

    An age has minutes (30min, 30m), hours (2h), days (7d), weeks (2w), months of 30 days (3 months) or years of 365 (1y),
    with or without "ago". Full-width letters and digits are read, too.
    `m` is minutes, as in journalctl, fd and Go; months are written out, and `M`, which some programs take for them, is
    refused. "today" and "yesterday" begin at midnight in this computer's time zone.

    >>> moment_of("2026-11-01").isoformat()
    '2026-11-01T00:00:00+00:00'
    >>> moment_of("2 hours ago") < moment_of("90min") < moment_of("30m")
    True

    Raises:
        ValueError: it is nothing of these, or before the year 1.
    """
    asked = " ".join(unicodedata.normalize("NFKC", text).split())
    age = None if asked.endswith("M") else _AGE.fullmatch(asked.lower())
    days = _DAYS_BACK.get(asked.lower())
    try:
        if age is not None:
            minutes = _MONTH if age[2].startswith("mo") else _MINUTES[age[2][0]]
            return now() - timedelta(minutes=int(age[1]) * minutes)
        if days is not None:
            day = now().astimezone().date() - timedelta(days=days)
            return datetime.combine(day, time.min).astimezone(UTC)
    except OverflowError as error:
        raise ValueError(f"{text[:100]!r} is before the year 1") from error
    found = datetime.fromisoformat(asked)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def days_of(text: str) -> int:
    """Return a number of days as users write it: "90", "90d" or "12w"; "" and "0" are none.

    >>> days_of("90"), days_of("30d"), days_of("2w"), days_of("")
    (90, 30, 14, 0)

    Raises:
        ValueError: it is something else.
    """
    found = _DAYS.fullmatch(text.lower())
    if found is None and text.strip():
        raise ValueError(f"a number of days such as 90d or 12w was expected, not {text[:100]!r}")
    return 0 if found is None else int(found[1]) * (7 if found[2] == "w" else 1)
