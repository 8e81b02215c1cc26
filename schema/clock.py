"""The one place where time is made: aware UTC, in whole milliseconds."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> datetime:
    """The present moment in UTC, cut to whole milliseconds (what the table can store)."""
    moment = datetime.now(UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)
