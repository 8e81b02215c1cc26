"""The one place where time is made: aware UTC, in whole milliseconds; and spans of days as users write them."""

from __future__ import annotations

import re
from datetime import UTC, datetime

_DAYS = re.compile(r"\s*([0-9]{1,5})\s*([dw]?)\s*", re.ASCII)


def now() -> datetime:
    """The present moment in UTC, cut to whole milliseconds (what the table can store)."""
    moment = datetime.now(UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


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
