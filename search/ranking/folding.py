"""A ranking → groups of near-duplicate sections (copies, editions of a page), each behind its best one.

Two sections are near-duplicates if the larger one holds nine tenths of the words of the smaller one, if they have nearly the
same size, and if their headings share a word (or one has none). So a page of code and its translation stay two. Sections of
few words must have the same ones, those without any the same headings, above them too. Two that each have a number of their
own (port 8080, port 9090) stay two, as do two whose headings name different identifiers (gzip and gunzip). A line that takes
its text from another file is not compared: an edition may have that text in its place.

If the best one is in a collection of pages, such as one for printing, a copy in the page itself stands before it; if its
file is gone or was changed, a copy whose file is as it was indexed does.

Rows are compared within blocks of the ranking. So groups are the same whatever part of the ranking is asked for, every row
is in one of them, and a long ranking takes time in proportion to its length.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from schema.text.analyzer import sets_blanks, terms
from schema.text.fields import ABOVE, FIXED_LINES, HEADING, NAMES, is_identifier_key
from schema.text.runs import PART
from search.index.inverted_index import InvertedIndex
from search.index.postings import Lines

#: Rows that are compared with each other: the first ones of the ranking, those after them, and so on.
BLOCK = 60
#: Share of the smaller section's words that the larger one holds at least, and share of its size, in different words and in
#: all, that the smaller one has.
_SHARED, _LEAST_SIZE = 0.9, 0.6
#: Sections with fewer different words are folded only if they are equal.
_FEW_WORDS = 12
_TERMS_A_WORD = 3
#: How many times as many sections as a page a collection has at least.
_COLLECTION = 5
_PORT = re.compile(r":\d+")
#: Terms of a line that takes its text from the file with a path in it: `{{#rustdoc_include ../listings/a/src/main.rs}}`.
_INCLUDING = terms("include playground")


@dataclass(frozen=True, slots=True)
class Group:
    """The row that is shown, and its near-duplicates in the order of the ranking."""

    row: int
    others: tuple[int, ...] = ()

    @property
    def rows(self) -> tuple[int, ...]:
        """All of them, in the same order."""
        return (self.row, *self.others)


#: Rows → the number of sections that the document of each has.
Sizes = Callable[[Sequence[int]], Sequence[int]]


def folded(
    inverted: InvertedIndex, order: Sequence[int], stop: int, *, fold: bool = True, sizes: Sizes | None = None
) -> list[Group]:
    """The first `stop` groups of the rows `order`, best first; a row joins the first group of its block that its best row is
    like. Without `fold` every row is a group. `sizes` tells collections; without it, the best row stays first.
    """
    if not fold:
        return [Group(row) for row in order[:stop]]
    groups: list[Group] = []
    for start in range(0, len(order), BLOCK):
        if len(groups) >= stop:
            break
        groups += _groups(inverted, order[start : start + BLOCK], stop - len(groups))
    copied = [row for group in groups if group.others for row in group.rows]
    if sizes is None or not copied:
        return groups
    counts = dict(zip(copied, sizes(copied), strict=True))
    return [_page_first(group, counts) if group.others else group for group in groups]


def current_first(groups: Sequence[Group], stale: Container[int]) -> list[Group]:
    """The groups, where a row stands before the `stale` ones, whose files are gone or were changed."""
    return [_current_first(group, stale) if group.others and group.row in stale else group for group in groups]


def _current_first(group: Group, stale: Container[int]) -> Group:
    current = next((row for row in group.others if row not in stale), group.row)
    return _with_first(group, current)


def _with_first(group: Group, first: int) -> Group:
    """The group with one of its rows first."""
    return Group(first, tuple(row for row in group.rows if row != first))


def _page_first(group: Group, sizes: Mapping[int, int]) -> Group:
    """The group with a row of a page first, if its best one is of a collection."""
    page = next((row for row in group.others if sizes[row] * _COLLECTION <= sizes[group.row]), group.row)
    return _with_first(group, page)


def _groups(inverted: InvertedIndex, rows: Sequence[int], stop: int) -> list[Group]:
    """The first `stop` groups of some rows."""
    term = cache(inverted.term)
    including = [inverted.lines(code) for code in inverted.codes_of_terms(_INCLUDING)]
    begun: list[list[_Text]] = []
    for text in (_Text(inverted, row, term, including) for row in rows):
        group = next((group for group in begun if text.is_like(group[0])), None)
        if group is not None:
            group.append(text)
        elif len(begun) < stop:
            begun.append([text])
    return [Group(first.row, tuple(text.row for text in others)) for first, *others in begun]


class _Text:
    """What is compared of the section in a row; read when needed: most sections differ by their headings already.

    `term` gives the term with a number; `including` are the lines, ascending, with each term of those that include a file.
    """

    def __init__(
        self, inverted: InvertedIndex, row: int, term: Callable[[int], str], including: Sequence[Lines] = ()
    ) -> None:
        self._inverted, self._term, self._including = inverted, term, including
        self.row = row
        self._heading = inverted.heading_words(row)

    def is_like(self, other: _Text) -> bool:
        """Whether the two sections are near-duplicates."""
        return self._says_the_same(other) and not self._names_another(other)

    def _names_another(self, other: _Text) -> bool:
        """Whether the headings name different identifiers, and not the same with and without arguments (Rc<T>, Rc)."""
        if not (self._identifiers and other._identifiers and self._identifiers.isdisjoint(other._identifiers)):
            return False
        return bool(self._parts - other._parts and other._parts - self._parts)

    @cached_property
    def _parts(self) -> frozenset[int]:
        """The words of the heading, without those that are made of others of them (Rc/Arc)."""
        return frozenset(code for code in self._heading if self._term(code).isalnum())

    def _says_the_same(self, other: _Text) -> bool:
        if self._heading and other._heading and self._heading.isdisjoint(other._heading):
            return False
        includes = bool(self._included or other._included)
        if not (includes or _are_near(self._size, other._size)):
            return False
        one, two = self._words, other._words
        if one == two:
            return bool(one) or (bool(self._headings) and self._headings == other._headings)
        small = min(self, other, key=lambda text: len(text._words))
        are_near = _are_near(len(one), len(two)) and _are_near(self._size, other._size)
        if len(small._words) < _FEW_WORDS or not (are_near or small._included):
            return False  # the larger one says more, or more with the same words, as a longer list of options does
        if len(one & two) < _SHARED * len(small._words):
            return False
        is_short = self._is_short or other._is_short
        return not (is_short or (self._has_number(one - two) and self._has_number(two - one)))

    @cached_property
    def _included(self) -> list[int]:
        """The lines of the section that take their text from another file, counted from its first one."""
        first, stop = self._inverted.first_line[self.row : self.row + 2].tolist()
        found: set[int] = set()
        for lines in self._including:
            found.update(lines[slice(*np.searchsorted(lines, (first + FIXED_LINES, stop)))].tolist())
        return [line - first for line in sorted(found) if self._has_path(line - first)]

    def _has_path(self, line: int) -> bool:
        return any("/" in self._term(code) for code in self._inverted.codes_of(self.row, line, line + 1).tolist())

    @cached_property
    def _words(self) -> frozenset[int]:
        """The different terms of the section's sentences, as numbers, without those of lines that include a file."""
        begins = [FIXED_LINES, *(line + 1 for line in self._included)]
        parts = zip(begins, [*self._included, None], strict=True)
        return frozenset().union(*(self._inverted.codes_of(self.row, *part).tolist() for part in parts))

    @cached_property
    def _headings(self) -> frozenset[int]:
        """The words of the heading and of those above it."""
        return frozenset(self._inverted.codes_of(self.row, HEADING, ABOVE + 1).tolist())

    @cached_property
    def _identifiers(self) -> frozenset[str]:
        """The keys of the identifiers in the heading."""
        terms = map(self._term, self._inverted.codes_of(self.row, NAMES, NAMES + 1).tolist())
        return frozenset(filter(is_identifier_key, terms))

    @cached_property
    def _size(self) -> int:
        """How many of these terms there are, as often as they stand there."""
        included = sum(len(self._inverted.codes_of(self.row, line, line + 1)) for line in self._included)
        return len(self._inverted.codes_of(self.row, FIXED_LINES)) - included

    @cached_property
    def _is_short(self) -> bool:
        """Whether there are few words. A word of Korean, or of a script without blanks, has about `_TERMS_A_WORD` terms."""
        if len(self._words) >= _TERMS_A_WORD * _FEW_WORDS:
            return False
        return sum(1.0 if sets_blanks(self._term(code)[0]) else 1 / _TERMS_A_WORD for code in self._words) < _FEW_WORDS

    def _has_number(self, codes: Iterable[int]) -> bool:
        """Whether one of these terms begins with a digit (8080, 1.2, 30s) and is no part of a name or path among them,
        but for a port: the links of two editions differ."""
        terms = [self._term(code) for code in codes]
        numbers = {term for term in terms if term[0].isdigit()}
        names = (_PORT.sub("", term) for term in terms if not (term.isalnum() or term in numbers))
        return bool(numbers) and bool(numbers.difference(*map(PART.findall, names)))


def _are_near(one: int, other: int) -> bool:
    """Whether two sizes are nearly the same."""
    return min(one, other) >= _LEAST_SIZE * max(one, other)
