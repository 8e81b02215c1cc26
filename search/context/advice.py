"""Messages beside the hits: that no section answers, or that the filters left nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from schema.text.characters import one_line

#: The messages where no hit is relevant enough for an answer: that none answers, and what the hits are then.
NO_ANSWER = "No section answers this."
NEAREST = "The nearest are:"
#: The message where nothing was found at all.
NOTHING_FOUND = "Nothing was found; try other words."
#: Filters are shown up to this length (characters).
_SHOWN = 100
_NAMES = {"tags": "tag", "fields": "field"}


def filters_told(filters: Mapping[str, Any]) -> str:
    """The filters that were given, for a sentence; empty if there are none.

    >>> filters_told({"path": ("docs/",), "depth": [1, 2], "tags": (), "clean": False})
    'path docs/, depth 1 or 2'
    """
    text = ", ".join(_each(filters))
    return one_line(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")


def _each(filters: Mapping[str, Any]) -> Iterator[str]:
    """Yield the text of each filter that is set."""
    for name, value in filters.items():
        if value is True:
            yield name
        elif isinstance(value, Mapping):
            yield from (f"{_NAMES.get(name, name)} {key}={wanted}" for key, wanted in value.items())
        elif value or (value == 0 and not isinstance(value, bool)):
            several = value if isinstance(value, Iterable) and not isinstance(value, str) else [value]
            yield f"{_NAMES.get(name, name)} {' or '.join(map(str, several))}"


def emptied_by(filters: Mapping[str, Any]) -> str:
    """The sentence for an answer that has hits without these filters and none with them."""
    return f"The filters leave nothing of what was found ({filters_told(filters)}); ask with fewer of them."
