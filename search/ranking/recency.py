"""A ranking → the same with recent documents preferred, for users who ask for it.

The score of a section is multiplied by a factor of its document's age, in days:

    factor = FLOOR + (1 - FLOOR) * 2 ** (-age / half_life)

It is 1 for a document of today, halfway between 1 and `FLOOR` at the half-life, and never below `FLOOR`: a section loses at
most three tenths of its score, a little more than one in another language than the question's. So age decides between
sections that answer about as well, and an old section that answers stays above a new one that does not. A document of the
future counts as one of today; one without a date loses nothing. Nothing but scores and their order changes: what a
retriever measured and the relevance stay as they are.

The age is that of the latest date in the front matter (`DATE_FIELDS`), else of the file's modification time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import numpy as np
import numpy.typing as npt

from search.ranking.rank import Ranking

#: The least factor: what is left of the score of a section whose document is very old.
FLOOR = 0.7
#: Fields of front matter that say when a document was written or changed; "a.b" is the field b inside a. Dates of making
#: alone (`created`) are left out: the file's own time is nearer to the truth.
DATE_FIELDS = (
    "date", "updated", "updated_at", "lastmod", "last_update.date", "last_updated", "last_modified", "last_modified_at",
    "modified", "publishDate",
)  # fmt: skip
_BY_NAME = {name.casefold() for name in DATE_FIELDS}
#: A year, a month and a day at the beginning of a text, as 2026-11-01, 2026/11/1, 2026年11月1日 or 2026. 11. 1.
_DATE = re.compile(r"\s{0,9}([0-9]{4})\s?[-/.年년]\s?([0-9]{1,2})\s?[-/.月월]\s?([0-9]{1,2})(?![0-9])")


def age_factor(days: npt.ArrayLike, half_life: float) -> npt.NDArray[np.float64]:
    """Return the factor for ages in days, `FLOOR`..1, in the same shape; 1 for an unknown age (NaN).

    `half_life`, above 0, is in days.

    >>> age_factor([0, 90, 1e6, -5, float("nan")], 90).tolist()
    [1.0, 0.85, 0.7, 1.0, 1.0]
    """
    ages = np.maximum(np.nan_to_num(np.asarray(days, np.float64), nan=0.0), 0.0)
    return np.asarray(FLOOR + (1.0 - FLOOR) * np.exp2(-ages / half_life), np.float64)


def prefer_recent(ranking: Ranking, days: npt.NDArray[np.float64], half_life: float) -> Ranking:
    """Return the ranking with scores and order by age; `days`, shape (rows,), is how old each row's document is, or NaN.

    Rows with equal scores keep their order. The part "recency" says what each row lost.
    """
    if not len(ranking.order):
        return ranking
    lost = ranking.total * (age_factor(days, half_life) - 1.0)
    return ranking.plus("recency", lost)


def date_in(front_matter: Mapping[str, Any]) -> datetime | None:
    """Return the latest date that the front matter of a document gives, at midnight UTC; None without one that can be read.

    >>> date_in({"date": "2026-11-01", "last_update": {"date": "2026/11/20"}}).date().isoformat()
    '2026-11-20'
    """
    found = []
    for name, value in front_matter.items():
        folded = str(name).casefold()
        values = [(folded, value)]
        if isinstance(value, Mapping):
            values = [(f"{folded}.{str(inner).casefold()}", one) for inner, one in value.items()]
        found += [date for key, one in values if key in _BY_NAME and (date := _date(one)) is not None]
    return max(found, default=None)


def _date(value: Any) -> datetime | None:
    match = _DATE.match(value) if isinstance(value, str) else None
    if match is None:
        return None
    year, month, day = map(int, match.groups())
    try:
        return datetime(year, month, day, tzinfo=UTC)
    except ValueError:  # the 31st of November
        return None
