"""A ranking → groups of near-duplicate sections (copies, editions of a page), each behind its best one.

Two sections are near-duplicates if the larger one holds nine tenths of the words of the smaller one, if they have nearly the
same size, and if their headings share a word (or one has none). So a page of code and its translation stay two.

Candidates are found by min-hashes (Broder, "On the resemblance and containment of documents", 1997), so that a long ranking
takes time in proportion to its length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from search.index.inverted_index import InvertedIndex

#: Share of the smaller section's words that the larger one holds at least, and share of its size that the smaller one has.
_SHARED, _LEAST_SIZE = 0.9, 0.6
#: Sections with fewer different words are folded only if they are equal.
_FEW_WORDS = 12
#: With more groups than this, rows are compared only with those that min-hashes find.
_FEW_GROUPS = 32
#: First rows of a ranking that are always compared.
_LOOKED_AT = 60
#: Pairs of hashes. With twelve, one of 200 near-duplicates that share 0.6 of all their words is missed, and of those that
#: share 0.8 none of 10,000.
_PAIRS = 12
_RANDOM = np.random.default_rng(20261122)
_FACTORS = _RANDOM.integers(1, 1 << 31, 2 * _PAIRS, dtype=np.uint64) | np.uint64(1)
_SHIFTS = _RANDOM.integers(0, 1 << 31, 2 * _PAIRS, dtype=np.uint64)
_PRIME = np.uint64((1 << 31) - 1)


@dataclass(frozen=True, slots=True)
class Group:
    """The row that is shown, and its near-duplicates in the order of the ranking."""

    row: int
    others: tuple[int, ...] = ()


def folded(inverted: InvertedIndex, order: Sequence[int], stop: int, *, fold: bool = True) -> list[Group]:
    """The first `stop` groups of the rows `order`, best first; a row joins the first group that its best row is like.

    At least the first sixty rows are compared, so that a group is the same on every page. Without `fold`
    every row is a group.
    """
    if not fold:
        return [Group(row) for row in order[:stop]]
    firsts: list[int] = []
    others: list[list[int]] = []
    words = cache(inverted.words)  # read when needed: most sections differ by their headings already
    headings: list[frozenset[int]] = []
    buckets: dict[tuple[int, int, int], list[int]] = {}
    uses_hashes = stop > _FEW_GROUPS
    for seen, row in enumerate(order):
        if seen >= _LOOKED_AT and len(firsts) >= stop:
            break
        heading = inverted.heading_words(row)
        keys = _keys(words(row)) if uses_hashes else ()
        near = sorted({group for key in keys for group in buckets.get(key, ())}) if uses_hashes else range(len(firsts))
        similar = (group for group in near if _headings_agree(heading, headings[group]))
        found = next((group for group in similar if _words_agree(words(row), words(firsts[group]))), None)
        if found is not None:
            others[found].append(row)
        elif uses_hashes or len(firsts) < stop:
            for key in keys:
                buckets.setdefault(key, []).append(len(firsts))
            firsts.append(row)
            others.append([])
            headings.append(heading)
    return [Group(row, tuple(rest)) for row, rest in zip(firsts[:stop], others, strict=False)]


def _keys(codes: frozenset[int]) -> Sequence[tuple[int, int, int]]:
    """The pairs of min-hashes of a set of terms, each with its number; near-duplicates have one in common (see `_PAIRS`)."""
    if not codes:
        return ()
    hashed = (np.fromiter(codes, np.uint64, len(codes))[:, None] * _FACTORS + _SHIFTS) % _PRIME
    least = hashed.min(axis=0).tolist()
    return [(i, least[2 * i], least[2 * i + 1]) for i in range(_PAIRS)]


def _words_agree(one: frozenset[int], other: frozenset[int]) -> bool:
    """Whether the words of two sections are those of near-duplicates."""
    small, large = sorted((len(one), len(other)))
    if small < _FEW_WORDS:
        return one == other and small > 0
    return small >= _LEAST_SIZE * large and len(one & other) >= _SHARED * small


def _headings_agree(one: frozenset[int], other: frozenset[int]) -> bool:
    """Whether the words of two headings allow for near-duplicates."""
    return not one or not other or not one.isdisjoint(other)
