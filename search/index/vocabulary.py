"""The terms of a query → their weights by how few sections hold them, and similar terms for those that no section holds."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain, islice, takewhile
from typing import Protocol

import numpy as np
import numpy.typing as npt

from schema.text.analyzer import sets_blanks

#: A term that no section holds stands for terms that begin with it or are spelt nearly like it: their weight, and how many.
_SIMILAR_WEIGHT = 0.5
#: The share of a word's idf that a section with a similar term holds: a misspelt word is most often that one.
_SIMILAR_SHARE = 0.8
_MAX_SIMILAR = 8
#: From so many sections on a word that none has is a rare one, and not only one of all that a few sections do not have.
_MANY_ROWS = 100
#: Characters of a term, at least, for which longer terms, terms with one typo and terms with two are looked for; shorter
#: terms have too many of them.
_MIN_PREFIX, _MIN_TYPO, _MIN_TWO_TYPOS = 3, 4, 8
_MAX_PREFIXED = 200
#: What joins the words of a name: `scrape_interval`, `dry-run`.
_SIGNS_OF_NAMES = re.compile("[_-]")
#: By term of a query, the terms that mean the same.
Synonyms = Mapping[str, Sequence[str]]
NO_SYNONYMS: Synonyms = {}
#: Terms that all unknown words of a query together are compared with, at most: more would take seconds.
MAX_COMPARED = 2_000_000


class Counts(Protocol):
    """How many sections of an index hold each term; `rows` is how many sections there are."""

    @property
    def rows(self) -> int: ...

    def frequencies(self, terms: Collection[str]) -> dict[str, int]:
        """How many sections hold each of these terms; terms that none holds are left out."""
        ...

    def beginning_with(self, prefix: str, most: int) -> list[str]:
        """The first `most` terms that begin with `prefix`, in the order of their characters."""
        ...

    def between(self, first: str, last: str, most: int) -> list[str]:
        """The terms from `first` up to, not including, `last`; none if they are more than `most`."""
        ...


class HeldCounts:
    """The counts of sections held in memory: `holders`, shape (terms,), says how many hold each term (0 if these
    are gone). `numbers` maps each term to its index there, in the same order.
    """

    def __init__(self, numbers: Mapping[str, int], holders: npt.NDArray[np.integer], rows: int) -> None:
        self.rows = rows
        self._numbers = numbers
        self._holders = holders

    def frequencies(self, terms: Collection[str]) -> dict[str, int]:
        """How many sections hold each of these terms; terms that none holds are left out."""
        held = {term: int(self._holders[self._numbers[term]]) for term in terms if term in self._numbers}
        return {term: count for term, count in held.items() if count}

    def beginning_with(self, prefix: str, most: int) -> list[str]:
        """The first `most` terms that begin with `prefix`, in the order of their characters."""
        begin = bisect_left(self._sorted, prefix)
        return list(takewhile(lambda term: term.startswith(prefix), self._sorted[begin : begin + most]))

    def between(self, first: str, last: str, most: int) -> list[str]:
        """The terms from `first` up to, not including, `last`; none if they are more than `most`."""
        begin, end = bisect_left(self._sorted, first), bisect_left(self._sorted, last)
        return self._sorted[begin:end] if end - begin <= most else []

    @cached_property
    def _sorted(self) -> list[str]:
        return sorted(term for term, count in zip(self._numbers, self._holders.tolist(), strict=True) if count)


def idf(rows: int, holders: npt.ArrayLike) -> npt.NDArray[np.float32]:
    """Lucene's idf, which is never negative: the weight of terms that `holders` of `rows` sections hold; same shape."""
    held = np.asarray(holders, np.float64)
    weights: npt.NDArray[np.float32] = np.log(1 + (rows - held + 0.5) / (held + 0.5)).astype(np.float32)
    return weights


class Vocabulary:
    """The terms of an index, weighted by their `counts`."""

    def __init__(self, counts: Counts) -> None:
        self._counts = counts
        self._known: dict[str, int] = {}

    @property
    def all_rows(self) -> int:
        """How many sections the whole index has."""
        return self._counts.rows

    def look_up(self, terms: Iterable[str]) -> None:
        """Read the counts of all these terms at once, which is cheaper than one by one."""
        unknown = [term for term in dict.fromkeys(terms) if term not in self._known]
        if unknown:
            held = self._counts.frequencies(unknown)
            self._known.update((term, held.get(term, 0)) for term in unknown)

    def frequency(self, term: str) -> int:
        """How many sections hold a term."""
        self.look_up((term,))
        return self._known[term]

    def share(self, term: str) -> float:
        """The share, 0..1, of the sections that hold a term."""
        return min(1.0, self.frequency(term) / max(1, self._counts.rows))

    def frequencies(self, terms: Collection[str]) -> dict[str, int]:
        """How many sections hold each of these terms, without those that none holds; for very many, as they are not kept."""
        return self._counts.frequencies(terms)

    def beginning_with(self, letters: str, most: int) -> list[str]:
        """The terms that begin with some letters; none if they are more than `most`."""
        return self._counts.between(letters, letters[:-1] + chr(ord(letters[-1]) + 1), most)

    def has_longer(self, beginning: str) -> bool:
        """Whether a term begins so."""
        return bool(self._counts.beginning_with(beginning, 1))

    def idf(self, term: str) -> float:
        """Weight of a term by how few sections hold it; above 0, also for a term that no section holds."""
        # the counts of an index that has just shrunk may be too high
        return float(idf(self._counts.rows, min(self.frequency(term), self._counts.rows)))

    def idf_of_held(self, terms: Sequence[str]) -> npt.NDArray[np.float32]:
        """The idf of terms that some section is known to hold, also where the counts do not know it yet."""
        self.look_up(terms)
        rows = self._counts.rows
        return idf(rows, [min(max(1, self._known[term]), rows) for term in terms])

    def readings(self, weights: Mapping[str, float], synonyms: Synonyms = NO_SYNONYMS) -> dict[str, tuple[str, ...]]:
        """The terms that are looked for in place of each term: itself and its synonyms, or similar terms if no section holds
        it and it has no synonym."""
        self.look_up((*weights, *chain.from_iterable(synonyms.values())))
        found: dict[str, tuple[str, ...]] = {}
        left = MAX_COMPARED
        for term in weights:
            found[term] = (term, *synonyms.get(term, ()))
            if len(found[term]) == 1 and not self.frequency(term):
                similar, compared = self._similar_terms(term, left)
                left -= compared
                found[term] = tuple(similar)
        return found

    def expand_terms(self, weights: Mapping[str, float], synonyms: Synonyms = NO_SYNONYMS) -> dict[str, float]:
        """The terms of a query with their weights; a term that no section holds is replaced by similar ones.

        A term with synonyms weighs as little as the one of them that most sections hold.
        """
        found: dict[str, float] = {}
        for term, readings in self.readings(weights, synonyms).items():
            for reading in readings:
                share = self.sought(term, readings) / self.idf(reading) if term in synonyms else _likeness(term, reading)
                found[reading] = max(weights[term] * share, found.get(reading, 0.0))
        return found

    def mass(self, weights: Mapping[str, float], synonyms: Synonyms = NO_SYNONYMS, *, is_foreign: bool = False) -> float:
        """The sum of idf times weight of all terms of a query; for a Korean word with an ending, by the idf of its stem.

        A term that no section holds has at most the idf of the rarest one of the query that is held: in a small index
        nearly every common word is held by none. In a larger one it has half of its own at least, also beside the name of
        what all sections are about. In a question that `is_foreign` every term has its own, with synonyms
        too: what the few sections in its language hold of them tells little.
        """
        if is_foreign:
            return sum(weight * self.idf(term) for term, weight in weights.items())
        readings = self.readings(weights, synonyms)
        sought = {term: self.sought(term, readings[term]) for term in weights if readings[term]}
        held = (self.idf(term) if term in synonyms else weight for term, weight in sought.items())
        most = max(held, default=self.idf(""))
        if self._counts.rows >= _MANY_ROWS:
            most = max(most, self.idf("") / 2)

        def asked(term: str) -> float:
            """The idf that a term has in the query."""
            if term not in sought:
                return min(self.idf(term), most)
            return sought[term] if term in synonyms or _is_korean(term) else self.idf(term)

        return sum(weight * asked(term) for term, weight in weights.items())

    def sought(self, term: str, readings: Sequence[str]) -> float:
        """The idf that counts where a section holds one of a term's readings: less for a similar term than for itself, and
        of synonyms that of the one which most sections hold."""
        if not readings or readings[0] == term:
            return min(map(self.idf, readings), default=self.idf(term))
        return self.idf(readings[0]) if _is_korean(term) else _SIMILAR_SHARE * self.idf(term)

    def _similar_terms(self, term: str, most_compared: int) -> tuple[list[str], int]:
        """Terms that begin with `term`, or else those spelt most nearly like it, those of most sections first; and how many
        terms it was compared with. It is not compared if these would be more than `most_compared`.
        """
        if not sets_blanks(term[0]):  # such text is searched by pairs of characters; a Korean word may have an ending
            stems = [term[:end] for end in range(len(term) - 1, 1, -1)] if _is_korean(term) else []
            held = self._counts.frequencies(stems)
            return list(islice((stem for stem in stems if stem in held), 1)), 0
        candidates: list[str] = []
        compared = 0
        if len(term) >= _MIN_PREFIX:
            candidates = self._counts.beginning_with(term, _MAX_PREFIXED)
        if not candidates and len(term) >= _MIN_TYPO and _SIGNS_OF_NAMES.sub("", term).isalpha():
            from rapidfuzz import process
            from rapidfuzz.distance import OSA

            # the first letter is seldom wrong
            others = self._counts.between(term[0], chr(ord(term[0]) + 1), most_compared)
            most = 2 if len(term) >= _MIN_TWO_TYPOS else 1
            compared = len(others)
            near = process.extract(term, others, scorer=OSA.distance, score_cutoff=most, limit=_MAX_PREFIXED)
            least = min((distance for _, distance, _ in near), default=0)
            candidates = [other for other, distance, _ in near if distance == least]
        held = self._counts.frequencies(candidates)
        candidates.sort(key=lambda other: (-held[other], other))
        return candidates[:_MAX_SIMILAR], compared


def _likeness(term: str, reading: str) -> float:
    """How much a reading of a term counts, 0..1."""
    return 1.0 if reading == term or _is_korean(term) else _SIMILAR_WEIGHT


def _is_korean(term: str) -> bool:
    return "가" <= term[0] <= "힣"
