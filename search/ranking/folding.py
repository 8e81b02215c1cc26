"""A ranking → groups of near-duplicate sections (copies, editions of a page), each behind its best one.

Two sections are near-duplicates if the larger one holds nine tenths of the words of the smaller one, if they have nearly the
same size, and if their headings share a word (or one has none). So a page of code and its translation stay two.

Rows are compared within blocks of the ranking. So groups are the same whatever part of the ranking is asked for, every row
is in one of them, and a long ranking takes time in proportion to its length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from search.index.inverted_index import InvertedIndex

#: Rows that are compared with each other: the first ones of the ranking, those after them, and so on.
_BLOCK = 60
#: Share of the smaller section's words that the larger one holds at least, and share of its size that the smaller one has.
_SHARED, _LEAST_SIZE = 0.9, 0.6
#: Sections with fewer different words are folded only if they are equal.
_FEW_WORDS = 12


@dataclass(frozen=True, slots=True)
class Group:
    """The row that is shown, and its near-duplicates in the order of the ranking."""

    row: int
    others: tuple[int, ...] = ()


def folded(inverted: InvertedIndex, order: Sequence[int], stop: int, *, fold: bool = True) -> list[Group]:
    """The first `stop` groups of the rows `order`, best first; a row joins the first group of its block that its best row is
    like. Without `fold` every row is a group.
    """
    if not fold:
        return [Group(row) for row in order[:stop]]
    groups: list[Group] = []
    for start in range(0, len(order), _BLOCK):
        if len(groups) >= stop:
            break
        groups += _groups(inverted, order[start : start + _BLOCK])
    return groups[:stop]


def _groups(inverted: InvertedIndex, rows: Sequence[int]) -> list[Group]:
    """All groups of some rows."""
    words = cache(inverted.words)  # read when needed: most sections differ by their headings already
    begun: list[tuple[frozenset[int], list[int]]] = []  # the heading of the first row of each group, and its rows
    for row in rows:
        heading = inverted.heading_words(row)
        for other, members in begun:
            if _headings_agree(heading, other) and _words_agree(words(row), words(members[0])):
                members.append(row)
                break
        else:
            begun.append((heading, [row]))
    return [Group(first, tuple(others)) for _, (first, *others) in begun]


def _words_agree(one: frozenset[int], other: frozenset[int]) -> bool:
    """Whether the words of two sections are those of near-duplicates."""
    small, large = min(len(one), len(other)), max(len(one), len(other))
    if small < _FEW_WORDS:
        return one == other and small > 0
    return small >= _LEAST_SIZE * large and len(one & other) >= _SHARED * small


def _headings_agree(one: frozenset[int], other: frozenset[int]) -> bool:
    """Whether the words of two headings allow for near-duplicates."""
    return not one or not other or not one.isdisjoint(other)
