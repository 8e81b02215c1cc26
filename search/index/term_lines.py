"""`TermLines`: the `terms` strings of sections as numbers, line after line; immutable."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from search.index.ranges import Indices, joined, offsets

Codes = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class TermLines:
    """The terms of sections in row order; `codes`, shape (tokens,), are their indices in `vocabulary`, which has each once.

    `line_lengths`, shape (lines,): how many terms each line has. `line_counts`, shape (rows,): how many lines each section
    has. `numbers` maps each term to its index, in the order of the vocabulary; None until it is needed.
    """

    vocabulary: pa.Array
    codes: Codes
    line_lengths: Indices
    line_counts: Indices
    numbers: dict[str, int] | None = None

    @classmethod
    def of(cls, texts: pa.Array | pa.ChunkedArray) -> TermLines:
        """Read `terms` strings, one for each section."""
        lines = pc.split_pattern(texts.combine_chunks() if isinstance(texts, pa.ChunkedArray) else texts, "\n")
        words = pc.split_pattern(lines.flatten(), " ")
        lengths = _lengths(words)
        flat = words.flatten()
        blank = pc.equal(flat, "")  # splitting an empty line gives one empty word
        line_of_blank = np.searchsorted(np.cumsum(lengths), np.flatnonzero(blank), side="right")
        lengths -= np.bincount(line_of_blank, minlength=len(lengths))
        encoded = flat.filter(pc.invert(blank)).dictionary_encode()
        codes = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int32)
        return cls(encoded.dictionary, codes, lengths, _lengths(lines))

    def renewed(self, fresh: TermLines, source: Indices) -> TermLines:
        """Return the lines of some of these sections and of `fresh` ones; new terms are added to the vocabulary.

        `source`, shape (rows,): where each row comes from: a row of this one or, counted on from its last, a fresh section.
        """
        terms = fresh.vocabulary.to_pylist()
        numbers = dict(self.all_numbers())
        known = len(numbers)
        renumbered = np.array([numbers.setdefault(term, len(numbers)) for term in terms], np.int32)
        new = list(islice(numbers, known, None))
        codes = np.concatenate([self.codes, renumbered[fresh.codes]])
        lengths = np.concatenate([self.line_lengths, fresh.line_lengths])
        counts = np.concatenate([self.line_counts, fresh.line_counts])
        first_line, line_start = offsets(counts), offsets(lengths)
        begins, ends = line_start[first_line[source]], line_start[first_line[source + 1]]
        return TermLines(
            pa.concat_arrays([self.vocabulary, pa.array(new, self.vocabulary.type)]),
            joined(codes, begins, ends - begins),
            joined(lengths, first_line[source], counts[source]),
            counts[source],
            numbers,
        )

    def all_numbers(self) -> dict[str, int]:
        """Each term with its index, in the order of the vocabulary."""
        terms = self.vocabulary.to_pylist() if self.numbers is None else ()
        return dict(zip(terms, range(len(terms)), strict=True)) if self.numbers is None else self.numbers


def _lengths(lists: pa.ListArray) -> Indices:
    lengths: Indices = pc.list_value_length(lists).to_numpy(zero_copy_only=False).astype(np.int64)
    return lengths
