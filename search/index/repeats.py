"""Which sentences stand in many sections, by their hashes (`schema.index_files.term_counts`)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from search.index.ranges import Indices, distinct_pairs, joined, offsets


@dataclass(frozen=True, slots=True)
class Repeats:
    """The different sentences of sections, numbered, and how many sections hold each; immutable.

    `hashes` are ascending, each once, and `numbers` has the number of each of them. `sections`, shape (numbers,): how many
    sections hold it. `sentences`, shape (sentences,): the number of each sentence, section after section.
    """

    hashes: Indices
    numbers: Indices
    sections: Indices
    sentences: Indices

    @classmethod
    def of(cls, hashes: Indices, counts: Indices) -> Repeats:
        """Those of sections with so many sentences each, `counts`, and these hashes, section after section."""
        different, sentences = np.unique(hashes, return_inverse=True)
        rows = np.repeat(np.arange(len(counts)), counts)
        held, _ = distinct_pairs(sentences, rows)
        numbers = np.arange(len(different))
        return cls(different, numbers, np.bincount(held, minlength=len(different)), sentences)

    def renewed(self, counts: Indices, hashes: Indices, fresh_counts: Indices, source: Indices) -> Repeats:
        """Those of a later version: of some of these sections, which have `counts` sentences, and of new ones.

        The new ones have these `hashes` and `fresh_counts`. `source`, shape (rows,): where each row comes from: a row of
        these or, counted on from the last, a new section.
        """
        place = np.searchsorted(self.hashes, hashes)
        is_known = np.zeros(len(hashes), np.bool_)
        inside = place < len(self.hashes)
        is_known[inside] = self.hashes[place[inside]] == hashes[inside]
        unknown, numbers_of_unknown = np.unique(hashes[~is_known], return_inverse=True)
        fresh = np.empty(len(hashes), np.int64)
        fresh[is_known] = self.numbers[place[is_known]]
        fresh[~is_known] = len(self.sections) + numbers_of_unknown
        at = np.searchsorted(self.hashes, unknown)
        more = np.arange(len(self.sections), len(self.sections) + len(unknown))

        everything, all_counts = np.concatenate([self.sentences, fresh]), np.concatenate([counts, fresh_counts])
        starts = offsets(all_counts)
        is_gone = np.ones(len(counts), np.bool_)
        is_gone[source[source < len(counts)]] = False
        sections = np.concatenate([self.sections, np.zeros(len(unknown), np.int64)])
        for rows, sign in ((np.flatnonzero(is_gone), -1), (source[source >= len(counts)], 1)):
            sentences = joined(everything, starts[rows], all_counts[rows])
            held, _ = distinct_pairs(sentences, np.repeat(rows, all_counts[rows]))
            sections += sign * np.bincount(held, minlength=len(sections))
        return Repeats(
            np.insert(self.hashes, at, unknown),
            np.insert(self.numbers, at, more),
            sections,
            joined(everything, starts[source], all_counts[source]),
        )

    def stand_in_many(self, least: int) -> npt.NDArray[np.bool_]:
        """Which sentences stand in at least `least` sections, shape (sentences,)."""
        return np.asarray(self.sections[self.sentences] >= least, np.bool_)


def is_among(values: Indices, known: Indices) -> npt.NDArray[np.bool_]:
    """Which values are among the known ones, shape (values,); `known` is ascending."""
    if not len(known):
        return np.zeros(len(values), np.bool_)
    nearest = np.minimum(np.searchsorted(known, values), len(known) - 1)
    return np.asarray(known[nearest] == values, np.bool_)
