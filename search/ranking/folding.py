"""A ranking → groups of sections that say nearly the same, each behind its best one: editions, copies.

Two sections are near-duplicates if one's words are nine tenths in the other, of nearly its size, and their headings share a
word (or neither has any): a page of code and its translation stay two. Candidates are found by min-hashes (Broder, "On the
resemblance and containment of documents", 1997), so that a long ranking takes time in proportion to its length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from search.index.inverted_index import InvertedIndex

#: Share of the smaller section's words that the larger one has; and how large the smaller one is at least beside it.
_SHARED, _LEAST_SIZE = 0.9, 0.6
#: Sections with fewer different words are folded only if they are equal.
_FEW_WORDS = 12
#: Up to so many groups, each row is compared with all of them.
_FEW_GROUPS = 32
#: Rows of a ranking that are looked at whatever the page.
_LOOKED_AT = 60
#: Twelve pairs of hashes: of sections that share 0.6 of their words one of 200 is missed, of those with 0.8 none of 10,000.
_PAIRS = 12
_DRAW = np.random.default_rng(20261122)
_FACTORS = _DRAW.integers(1, 1 << 31, 2 * _PAIRS, dtype=np.uint64) | np.uint64(1)
_SHIFTS = _DRAW.integers(0, 1 << 31, 2 * _PAIRS, dtype=np.uint64)
_PRIME = np.uint64((1 << 31) - 1)


@dataclass(frozen=True, slots=True)
class Group:
    """The row that is shown, and those behind it in the order of the ranking."""

    row: int
    others: tuple[int, ...] = ()


def folded(inverted: InvertedIndex, order: Sequence[int], stop: int, *, fold: bool = True) -> list[Group]:
    """The first `stop` groups of the rows `order`, best first; a row joins the first group whose best one it resembles.

    At least the first sixty rows are looked at for others, so that a group is the same on every page. Without `fold`
    every row is a group.
    """
    if not fold:
        return [Group(row) for row in order[:stop]]
    firsts: list[int] = []
    others: list[list[int]] = []
    words = cache(inverted.words)  # most sections need not be compared: their headings tell
    headings: list[frozenset[int]] = []
    buckets: dict[tuple[int, int, int], list[int]] = {}
    is_long = stop > _FEW_GROUPS
    for seen, row in enumerate(order):
        if seen >= _LOOKED_AT and len(firsts) >= stop:
            break
        heading = inverted.heading_words(row)
        keys = _keys(words(row)) if is_long else ()
        near = sorted({group for key in keys for group in buckets.get(key, ())}) if is_long else range(len(firsts))
        alike = (group for group in near if _may_be_same(heading, headings[group]))
        found = next((group for group in alike if _is_same(words(row), words(firsts[group]))), None)
        if found is not None:
            others[found].append(row)
        elif is_long or len(firsts) < stop:
            for key in keys:
                buckets.setdefault(key, []).append(len(firsts))
            firsts.append(row)
            others.append([])
            headings.append(heading)
    return [Group(row, tuple(rest)) for row, rest in zip(firsts[:stop], others, strict=False)]


def _keys(codes: frozenset[int]) -> Sequence[tuple[int, int, int]]:
    if not codes:
        return ()
    hashed = (np.fromiter(codes, np.uint64, len(codes))[:, None] * _FACTORS + _SHIFTS) % _PRIME
    least = hashed.min(axis=0).tolist()
    return [(i, least[2 * i], least[2 * i + 1]) for i in range(_PAIRS)]


def _is_same(one: frozenset[int], other: frozenset[int]) -> bool:
    small, large = sorted((len(one), len(other)))
    if small < _FEW_WORDS:
        return one == other and small > 0
    return small >= _LEAST_SIZE * large and len(one & other) >= _SHARED * small


def _may_be_same(one: frozenset[int], other: frozenset[int]) -> bool:
    return not one or not other or not one.isdisjoint(other)
