"""Filters by words → the sections whose headings have them, and those that are left out because they hold them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from schema.errors import QueryError
from schema.filters import Filters
from schema.text.analyzer import terms
from schema.text.fields import ABOVE, FIXED_LINES, HEADING
from search.ranking.query import fold, holds_phrase

#: The lines of a section's terms that are its headings: its own, those above it and the document's title.
HEADINGS = (HEADING, ABOVE)
#: Sections whose text is read for one text to leave out, at most.
_MOST_READ = 5000


@dataclass(frozen=True, slots=True)
class Wording:
    """Keys of sections: `only` these are allowed, None for all, and none of those in `without`."""

    only: frozenset[int] | None = None
    without: frozenset[int] = frozenset()

    @classmethod
    def of(
        cls,
        where: Filters,
        holders: Callable[[Collection[str], bool], Iterable[int]],
        texts: Callable[[Sequence[int]], Iterable[str]],
    ) -> Wording:
        """Look up the words of some filters.

        `holders` gives the keys of the sections that hold every one of some terms in their headings, or (False) in these or
        their own sentences. `texts` gives headings and text of sections by their keys, in the order given.

        Raises:
            QueryError: too many sections would have to be read.
        """
        only: frozenset[int] | None = None
        without: set[int] = set()
        for each in where.parts:
            if each.title:
                titled = frozenset(
                    key for title in each.title if (words := set(terms(title))) for key in holders(words, True)
                )
                only = titled if only is None else only & titled
            for text in dict.fromkeys(each.without):
                without |= _holding(text, holders, texts)
        return cls(only, frozenset(without))


def _holding(
    text: str,
    holders: Callable[[Collection[str], bool], Iterable[int]],
    texts: Callable[[Sequence[int]], Iterable[str]],
) -> set[int]:
    """The sections that hold a text: one word in any of its forms, or several words as they stand."""
    words = set(terms(text))
    keys = list(holders(words, False)) if words else []
    if len(words) <= 1:
        return set(keys)
    if len(keys) > _MOST_READ:
        raise QueryError(
            f"Too many sections have the words of {text[:100]} to leave it out; leave out a rarer text or one word.",
            code="too_many_sections",
        )
    phrase = fold(text)
    return {key for key, held in zip(keys, texts(keys), strict=True) if holds_phrase(fold(held), phrase)}


def has_terms(line_of_terms: str, wanted: Collection[str], in_headings: bool) -> bool:
    """Whether a `terms` string has every one of these terms in its headings, or (False) in these or its sentences."""
    lines = line_of_terms.split("\n")
    held = [lines[line] for line in HEADINGS] + ([] if in_headings else lines[FIXED_LINES:])
    return set(wanted) <= set(" ".join(held).split(" "))
