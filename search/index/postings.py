"""`Postings`: for each term, by its number, the lines that hold it and how many sections do; immutable."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from search.index.ranges import Indices, distinct_pairs, joined, offsets, ranges, stable_order

Lines = npt.NDArray[np.int32]
#: Where more than this share of the terms has come or gone, sorting all is faster.
MOST_CHANGED = 0.03


@dataclass(frozen=True, slots=True)
class Tokens:
    """Some terms, by their numbers, with the line and the section of each; all of shape (tokens,)."""

    codes: npt.NDArray[np.int32]
    lines: Indices
    rows: Indices

    def by_term(self) -> Tokens:
        """The same in the order of terms, and of lines for each term."""
        order = np.argsort(self.keys(), kind="stable")
        return Tokens(self.codes[order], self.lines[order], self.rows[order])

    def keys(self) -> Indices:
        """A number for each term in a line, which ascends by term, then by line."""
        keys: Indices = (self.codes.astype(np.int64) << 32) | self.lines
        return keys


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the terms of sections are; all of them are numbered in reading order.

    `codes`, shape (tokens,): the terms, as numbers. `line_start`, shape (lines + 1,): where each line begins in `codes`.
    `first_line`, shape (rows + 1,): the first line of each section. The last entries of both are where everything ends.
    """

    codes: npt.NDArray[np.int32]
    line_start: Indices
    first_line: Indices

    def sizes(self) -> Indices:
        """The number of terms of each section."""
        return np.diff(self.line_start[self.first_line])

    def tokens(self, rows: Indices) -> Tokens:
        """The terms of these sections, in the order given."""
        lines = ranges(self.first_line[rows], self.first_line[rows + 1] - self.first_line[rows])
        lengths = self.line_start[lines + 1] - self.line_start[lines]
        row_of_line = np.repeat(rows, self.first_line[rows + 1] - self.first_line[rows])
        tokens = ranges(self.line_start[lines], lengths)
        return Tokens(self.codes[tokens], np.repeat(lines, lengths), np.repeat(row_of_line, lengths))


@dataclass(frozen=True, slots=True)
class Postings:
    """The lines of term i are `lines[start[i]:start[i + 1]]`, ascending, one for each time that the line holds it.

    `holders`, shape (terms,): how many sections hold each term.
    """

    lines: Lines
    start: Indices
    holders: Indices

    @classmethod
    def of(cls, layout: Layout, size: int) -> Postings:
        """The postings of sections with `size` different terms."""
        codes = layout.codes
        lines = np.arange(len(layout.line_start) - 1, dtype=np.int32)
        order = stable_order(codes)
        in_order = np.repeat(lines, np.diff(layout.line_start))[order]
        line_row = np.repeat(np.arange(len(layout.first_line) - 1, dtype=np.int32), np.diff(layout.first_line))
        rows, codes = line_row[in_order], codes[order]
        is_new = np.ones(len(codes), np.bool_)
        is_new[1:] = (codes[1:] != codes[:-1]) | (rows[1:] != rows[:-1])
        holders = np.bincount(codes[is_new], minlength=size).astype(np.int64)
        return cls(in_order, offsets(np.bincount(codes, minlength=size)), holders)

    def of_term(self, code: int) -> Lines:
        """The lines of a term."""
        return self.lines[self.start[code] : self.start[code + 1]]

    def renewed(self, before: Layout, after: Layout, source: Indices, size: int) -> Postings:
        """The postings of a later version with `size` terms, of whose sections most are those of `before`.

        `source`, shape (rows,): where each row of `after` comes from: a row of `before`, or a higher number for a new one.
        Only what is new is sorted, as long as that is little and the sections that stay keep their order.
        """
        rows_before = len(before.first_line) - 1
        is_kept = source < rows_before
        kept, at = source[is_kept], np.flatnonzero(is_kept)
        is_gone = np.ones(rows_before, np.bool_)
        is_gone[kept] = False
        changed = before.sizes()[is_gone].sum() + after.sizes()[~is_kept].sum()
        if np.any(kept[1:] <= kept[:-1]) or changed > MOST_CHANGED * len(before.codes):
            return Postings.of(after, size)
        gone = before.tokens(np.flatnonzero(is_gone)).by_term()
        new = after.tokens(np.flatnonzero(~is_kept)).by_term()
        counts = np.zeros(size, np.int64)
        counts[: len(self.holders)] = np.diff(self.start)

        # a term that a line holds several times has as many entries there
        repetition = np.arange(len(gone.codes)) - np.searchsorted(gone.keys(), gone.keys())
        taken_out = _first_from(self.lines, self.start, gone) + repetition
        lines = joined(self.lines, *_between(taken_out, len(self.lines)))
        shift = np.zeros(rows_before, np.int64)
        shift[kept] = after.first_line[at] - before.first_line[kept]
        moved = np.arange(before.first_line[-1]) + np.repeat(shift, np.diff(before.first_line))
        lines = moved.astype(np.int32)[lines]
        counts -= np.bincount(gone.codes, minlength=size)
        lines = np.insert(lines, _first_from(lines, offsets(counts), new), new.lines)

        holders = np.zeros(size, np.int64)
        holders[: len(self.holders)] = self.holders
        holders += np.bincount(distinct_pairs(new.codes, new.rows)[0], minlength=size)
        holders -= np.bincount(distinct_pairs(gone.codes, gone.rows)[0], minlength=size)
        return Postings(lines, offsets(counts + np.bincount(new.codes, minlength=size)), holders)


def _first_from(lines: Lines, start: Indices, tokens: Tokens) -> Indices:
    """For each token the index of the first line of its term that is no less than its own; the lines of term i are
    `lines[start[i]:start[i + 1]]`, ascending."""
    low, high = start[tokens.codes], start[tokens.codes + 1]
    while np.any(low < high):
        middle = (low + high) // 2
        is_less = (low < high) & (lines[np.minimum(middle, len(lines) - 1)] < tokens.lines)
        low, high = np.where(is_less, middle + 1, low), np.where(is_less, high, np.minimum(high, middle))
    return low


def _between(indices: Indices, size: int) -> tuple[Indices, Indices]:
    """The runs of the numbers below `size` that are left without some, which ascend: their starts and lengths."""
    starts = np.concatenate([[0], indices + 1])
    return starts, np.append(indices, size) - starts
