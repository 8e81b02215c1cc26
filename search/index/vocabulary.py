"""The terms of a query → their weight by how few sections hold them, and what stands for a term that none holds."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import islice, takewhile
from typing import Protocol

import numpy as np
import numpy.typing as npt

from schema.text.analyzer import sets_blanks

#: A term nobody wrote is read as terms that begin with it or are spelt nearly like it, at this weight; at most so many.
_GUESS_WEIGHT = 0.5
_MAX_GUESSES = 8
#: Shorter terms have too many neighbours.
_MIN_PREFIX, _MIN_TYPO, _MIN_TWO_TYPOS = 3, 4, 8
_MAX_PREFIXED = 200
#: Terms that a query's unknown words are compared with, all together: more of either would take seconds.
_MAX_COMPARED = 2_000_000


class Counts(Protocol):
    """How many sections of an index hold each term; `rows` is how many sections there are."""

    @property
    def rows(self) -> int: ...

    def frequencies(self, terms: Collection[str]) -> dict[str, int]:
        """Of each of these terms that some section holds, how many do."""
        ...

    def beginning_with(self, prefix: str, most: int) -> list[str]:
        """The first terms, at most `most`, in the order of their characters, that begin so."""
        ...

    def between(self, first: str, last: str, most: int) -> list[str]:
        """The terms from `first` up to, not including, `last`; none where they are more than `most`."""
        ...


class HeldCounts:
    """The counts of sections held in memory: `holders` of each term, 0 of one that none holds any more.

    `numbers` has the place of each term in them, in their order.
    """

    def __init__(self, numbers: Mapping[str, int], holders: npt.NDArray[np.integer], rows: int) -> None:
        self.rows = rows
        self._numbers = numbers
        self._holders = holders

    def frequencies(self, terms: Collection[str]) -> dict[str, int]:
        """Of each of these terms that some section holds, how many do."""
        held = {term: int(self._holders[self._numbers[term]]) for term in terms if term in self._numbers}
        return {term: count for term, count in held.items() if count}

    def beginning_with(self, prefix: str, most: int) -> list[str]:
        """The first terms, at most `most`, in the order of their characters, that begin so."""
        begin = bisect_left(self._sorted, prefix)
        return list(takewhile(lambda term: term.startswith(prefix), self._sorted[begin : begin + most]))

    def between(self, first: str, last: str, most: int) -> list[str]:
        """The terms from `first` up to, not including, `last`; none where they are more than `most`."""
        begin, end = bisect_left(self._sorted, first), bisect_left(self._sorted, last)
        return self._sorted[begin:end] if end - begin <= most else []

    @cached_property
    def _sorted(self) -> list[str]:
        return sorted(term for term, count in zip(self._numbers, self._holders.tolist(), strict=True) if count)


def idf(rows: int, holders: npt.ArrayLike) -> npt.NDArray[np.float32]:
    """Lucene's idf, which is never negative: the weight of terms that so many of all rows hold."""
    held = np.asarray(holders, np.float64)
    weights: npt.NDArray[np.float32] = np.log(1 + (rows - held + 0.5) / (held + 0.5)).astype(np.float32)
    return weights


class Vocabulary:
    """The terms of an index, by what `counts` knows of them."""

    def __init__(self, counts: Counts) -> None:
        self._counts = counts
        self._known: dict[str, int] = {}

    def look_up(self, terms: Iterable[str]) -> None:
        """Ask for all of these terms at once, which costs less than one by one."""
        unknown = [term for term in dict.fromkeys(terms) if term not in self._known]
        if unknown:
            held = self._counts.frequencies(unknown)
            self._known.update((term, held.get(term, 0)) for term in unknown)

    def frequency(self, term: str) -> int:
        """How many sections hold a term."""
        self.look_up((term,))
        return self._known[term]

    def idf(self, term: str) -> float:
        """Weight of a term by how few sections hold it; above 0, also for terms that none holds."""
        # what is left of an index that shrinks may be counted too high for a moment
        return float(idf(self._counts.rows, min(self.frequency(term), self._counts.rows)))

    def idf_of_held(self, terms: Sequence[str]) -> npt.NDArray[np.float32]:
        """The idf of terms that some section is known to hold, also where the counts do not know it yet."""
        self.look_up(terms)
        rows = self._counts.rows
        return idf(rows, [min(max(1, self._known[term]), rows) for term in terms])

    def readings(self, weights: Mapping[str, float]) -> dict[str, tuple[str, ...]]:
        """The terms that are looked for, for each of the query: itself, or its likeliest readings if no section holds it."""
        self.look_up(weights)
        found: dict[str, tuple[str, ...]] = {}
        left = _MAX_COMPARED
        for term in weights:
            found[term] = (term,)
            if not self.frequency(term):
                similar, compared = self._similar_terms(term, left)
                left -= compared
                found[term] = tuple(similar)
        return found

    def expand_terms(self, weights: Mapping[str, float]) -> dict[str, float]:
        """The query's terms, where those that no section holds give way to their likeliest readings."""
        found: dict[str, float] = {}
        for term, readings in self.readings(weights).items():
            for reading in readings:
                worth = weights[term] * _likeness(term, reading)
                found[reading] = max(worth, found.get(reading, 0.0))
        return found

    def mass(self, weights: Mapping[str, float]) -> float:
        """The idf of all terms of a query, each with its weight; of a Korean word with an ending, that of its stem."""
        readings = self.readings(weights)
        return sum(
            weight * (self.sought(term, readings[term]) if _is_korean(term) and readings[term] else self.idf(term))
            for term, weight in weights.items()
        )

    def sought(self, term: str, readings: Sequence[str]) -> float:
        """What finding one of the readings of a term is worth, by idf."""
        if not readings or readings[0] == term:
            return self.idf(term)
        return self.idf(readings[0]) if _is_korean(term) else _GUESS_WEIGHT * self.idf(term)

    def _similar_terms(self, term: str, most_compared: int) -> tuple[list[str], int]:
        """Terms that begin with `term`, or else those spelt most nearly like it; those of most sections first.

        Beside them with how many terms it was compared; with more than `most_compared` it is not.
        """
        if not sets_blanks(term[0]):  # pairs of characters do the same work; a Korean word may have lost its ending
            stems = [term[:end] for end in range(len(term) - 1, 1, -1)] if _is_korean(term) else []
            held = self._counts.frequencies(stems)
            return list(islice((stem for stem in stems if stem in held), 1)), 0
        candidates: list[str] = []
        compared = 0
        if len(term) >= _MIN_PREFIX:
            candidates = self._counts.beginning_with(term, _MAX_PREFIXED)
        if not candidates and len(term) >= _MIN_TYPO and term.isalpha():
            from rapidfuzz import process
            from rapidfuzz.distance import OSA

            # the first letter is seldom wrong, and asking for it keeps out unlike words
            others = self._counts.between(term[0], chr(ord(term[0]) + 1), most_compared)
            most = 2 if len(term) >= _MIN_TWO_TYPOS else 1
            compared = len(others)
            near = process.extract(term, others, scorer=OSA.distance, score_cutoff=most, limit=_MAX_PREFIXED)
            least = min((distance for _, distance, _ in near), default=0)
            candidates = [other for other, distance, _ in near if distance == least]
        held = self._counts.frequencies(candidates)
        candidates.sort(key=lambda other: (-held[other], other))
        return candidates[:_MAX_GUESSES], compared


def _likeness(term: str, reading: str) -> float:
    """How much a reading says of what the term says."""
    return 1.0 if reading == term or _is_korean(term) else _GUESS_WEIGHT


def _is_korean(term: str) -> bool:
    return "가" <= term[0] <= "힣"
