"""The sentences of some sections, laid out in one array, and the best passage of each section.

A passage is one sentence, or two in a row, of one section.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from search.index.ranges import Indices, offsets

Scores = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Passages:
    """For some sections the BM25 of their best sentence and pair of sentences, and the ordinals of the best pair's ends.

    All arrays have the shape of the rows asked for; `first` and `last` count the sentences of a section from 0. A section
    of one sentence has that one as its best pair.
    """

    single: Scores
    double: Scores
    first: Indices
    last: Indices


@dataclass(frozen=True, slots=True)
class SentenceLayout:
    """All sentences of n sections, one section after the other, m in all.

    A section without a sentence has one here that is empty, so that its headings still are a passage.

    `section`, shape (m,): the section of each sentence, counted from 0 to n - 1. `begins`, shape (n + 1,): where each
    section's sentences begin; the last entry is m. `has_next`, shape (m,): whether a sentence of the same section follows.
    """

    section: Indices
    begins: Indices
    has_next: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, counts: Indices) -> SentenceLayout:
        """The layout of sections with these numbers of sentences, shape (n,), each at least 1."""
        section = np.repeat(np.arange(len(counts)), counts)
        has_next = np.append(section[1:] == section[:-1], False)[: len(section)]
        return cls(section, offsets(counts), has_next)

    def __len__(self) -> int:
        return len(self.section)

    def of_next(self, values: Scores) -> Scores:
        """The value of the sentence after each, shape (m,); 0 for the last one of a section."""
        return np.where(self.has_next, np.append(values[1:], np.float32(0)), np.float32(0)).astype(np.float32)

    def best_passages(self, single: Scores, double: Scores) -> Passages:
        """The best passages, by the score of each sentence and of each with the next one; both of shape (m,)."""
        if not len(self):
            none = np.zeros(0, np.int64)
            return Passages(single, double, none, none)
        begins, section = self.begins[:-1], self.section
        # the last sentence of a section has no next one, and is a pair only if it is the only one
        is_only = np.diff(self.begins)[section] == 1
        pairs = np.where(self.has_next | is_only, double, np.float32(-1))
        # the first pair of each section with the section's highest score
        with_best = np.flatnonzero(pairs == np.maximum.reduceat(pairs, begins)[section])
        first = with_best[np.unique(section[with_best], return_index=True)[1]]
        last = np.where(self.has_next[first], first + 1, first)
        return Passages(np.maximum.reduceat(single, begins), pairs[first], first - begins, last - begins)
