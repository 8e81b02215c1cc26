"""Term strings of all sections → scores of every section for a query: BM25 over sections and over passages.

A positional inverted index in memory, built in one pass over `SectionTable`'s `terms` (a line each for the headings, for the
path, for the summary and for every sentence). A *passage* is one sentence, or two in a row, together with the headings of
its section.

BM25 (`saturation`) has the idf of Lucene, which is never negative. Words of the path count half and add nothing to a
section's length.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from schema.index_files.term_counts import sentence_hash
from schema.text.fields import ABOVE, FIXED_LINES, HEADING, NAMES, PATH, SUMMARY, identifier_key, name_key, text_key
from search.index.passages import Passages, Scores, SentenceLayout
from search.index.postings import Layout, Postings
from search.index.ranges import Indices, joined, offsets, ranges
from search.index.repeats import Repeats, is_among
from search.index.saturation import k1_of, relative, saturated
from search.index.term_lines import TermLines
from search.index.vocabulary import Counts, HeldCounts, Vocabulary, idf

#: The weight of a word in each of the fixed lines of a section's terms, and in its sentences.
ABOVE_WEIGHT = 0.75
_LINE_WEIGHTS = np.zeros(FIXED_LINES + 1)
_LINE_WEIGHTS[[HEADING, ABOVE, NAMES, PATH, SUMMARY, FIXED_LINES]] = 1.0, ABOVE_WEIGHT, 0.5, 0.5, 0.5, 1.0
#: The share of terms or sentences that may be in no section any more: edits leave them behind.
_MOST_GONE = 0.2
#: A sentence in at least this many sections is repeated text (a notice, a template) and no section's own.
REPEATED = 5


@dataclass(frozen=True, slots=True)
class Whole:
    """Statistics of all sections of an index, for an inverted index that holds only some of them.

    `counts`: how many sections hold each term. `mean_length`: of a section, `mean_passages`: of passages of one sentence and
    of two, in terms. `repeated`: hashes (`schema.index_files.term_counts`) of sentences that many sections hold, ascending.
    """

    counts: Counts
    mean_length: float
    mean_passages: tuple[float, float]
    repeated: Indices


class InvertedIndex(Vocabulary):
    """The terms of sections; rows are numbered as given. Immutable. Its means are those of `Whole`.

    Terms are numbered; `size` is how many there are. `codes`, shape (tokens,): the terms of all sections as such numbers.
    `line_start`, shape (lines + 1,): where each line begins in `codes`. `first_line`, shape (rows + 1,): the first line of
    each section. The last entries of both are where everything ends. `line_row`, shape (lines,): the section of each line.
    """

    def __init__(
        self,
        texts: pa.Array | pa.ChunkedArray | TermLines,
        hashes: Indices | None = None,
        *,
        whole: Whole | None = None,
        renew: Callable[[Layout, int], tuple[Postings, Repeats]] | None = None,
    ) -> None:
        """Read the `terms` strings of sections, in row order, each with at least the fixed lines; or take them as read.

        They are all sections of an index, or some of the `whole`. `hashes`, shape (sentences,), are needed for `repeated`.
        `renew` gives the postings of so many terms laid out so, and what is repeated, where an earlier version had most.
        """
        read = texts if isinstance(texts, TermLines) else TermLines.of(texts)
        lines_per_row, words_per_line = read.line_counts, read.line_lengths
        self._whole = whole
        self._hashes = np.zeros(0, np.int64) if hashes is None else hashes
        self._vocabulary = read.vocabulary
        self._numbers: dict[str, int] = {}
        self._lines: dict[int, npt.NDArray[np.int32]] = {}
        self.size = len(self._vocabulary)

        self.rows = len(lines_per_row)
        self.codes = codes = read.codes
        self.first_line = offsets(lines_per_row)
        self.line_row = np.repeat(np.arange(self.rows, dtype=np.int32), lines_per_row)
        self._line_length = words_per_line.astype(np.float32)
        self.line_start = offsets(words_per_line)
        self._layout = Layout(codes, self.line_start, self.first_line)
        if whole is None:
            if renew is None:
                self._all_postings = Postings.of(self._layout, self.size)
            else:
                self._all_postings, self._repeats = renew(self._layout, self.size)
            holders = self._all_postings.holders
            self._numbers = read.all_numbers()
            super().__init__(HeldCounts(self._numbers, holders, self.rows))
            self._idf = idf(self.rows, holders)
        else:
            # only the terms of queries are looked up, when they are asked for
            self._line_of_token = np.repeat(np.arange(len(words_per_line), dtype=np.int32), words_per_line)
            super().__init__(whole.counts)
            self._idf = np.full(self.size, np.nan, np.float32)

        heads = self.first_line[:-1]
        total = np.bincount(self.line_row, weights=words_per_line, minlength=self.rows)
        fixed = sum((words_per_line[heads + line] for line in range(FIXED_LINES)), np.zeros(self.rows))
        above = _LINE_WEIGHTS[ABOVE] * self._line_length[heads + ABOVE]
        self._head_length = (self._line_length[heads + HEADING] + above).astype(np.float32)
        self._length = (total - fixed + self._head_length).astype(np.float32)
        if whole is not None:
            self.mean_length, self.mean_passages = whole.mean_length, whole.mean_passages
        else:
            self.mean_length = max(1.0, float(self._length.mean())) if self.rows else 1.0
            self.mean_passages = self._passage_lengths(lines_per_row)

    def renewed(self, texts: pa.Array | pa.ChunkedArray, hashes: Indices, source: Indices) -> InvertedIndex:
        """Return that of some of these sections (all of an index) and of new ones with these `terms` and `hashes`.

        `source`, shape (rows,): where each row comes from: a row of this one or, counted on from its last, a new section.
        """
        fresh = TermLines.of(texts)
        held = TermLines(self._vocabulary, self.codes, np.diff(self.line_start), np.diff(self.first_line), self._numbers)
        counts, fresh_counts = held.line_counts - FIXED_LINES, fresh.line_counts - FIXED_LINES
        sentences = np.concatenate([counts, fresh_counts])
        all_hashes = joined(np.concatenate([self._hashes, hashes]), offsets(sentences)[source], sentences[source])

        def renew(layout: Layout, size: int) -> tuple[Postings, Repeats]:
            postings = self._all_postings.renewed(self._layout, layout, source, size)
            return postings, self._repeats.renewed(counts, hashes, fresh_counts, source)

        return InvertedIndex(held.renewed(fresh, source), all_hashes, renew=renew)

    @property
    def is_worn(self) -> bool:
        """Whether a large share of the terms or sentences that it knows, all of an index, are in no section any more."""
        holders = (self._all_postings.holders, self._repeats.sections)
        return any(np.count_nonzero(held == 0) > _MOST_GONE * len(held) for held in holders)

    # -- terms ---------------------------------------------------------------------------------------------------------

    def code(self, term: str) -> int | None:
        """The number of a term; None if no section holds it."""
        if self._whole is not None and term not in self._numbers:  # some sections are asked for a few terms
            self._numbers[term] = pc.index(self._vocabulary, term).as_py()
        code = self._numbers.get(term, -1)
        return code if code >= 0 else None

    def lines(self, code: int) -> npt.NDArray[np.int32]:
        """The lines that hold a term, ascending; a line is repeated for each time that it holds the term."""
        if self._whole is None:
            return self._all_postings.of_term(code)
        if code not in self._lines:
            self._lines[code] = self._line_of_token[self.codes == code]
        return self._lines[code]

    def _postings(self, weights: Mapping[str, float]) -> Iterator[tuple[float, float, npt.NDArray[np.int32]]]:
        """Yield, for each term that some section holds, its weight times idf, its k1, and its lines."""
        for term, weight in weights.items():
            code = self.code(term)
            if code is not None and weight > 0:
                yield weight * self.idf(term), k1_of(term), self.lines(code)

    def holds_all(self, terms: Iterable[str], among: Sequence[int] = ()) -> npt.NDArray[np.bool_]:
        """Which sections hold every one of these terms, a mask of shape (rows,).

        `among`: only in these of the fixed lines, where `FIXED_LINES` stands for all sentences; by default in any line.
        """
        holds_all = np.ones(self.rows, np.bool_)
        for term in set(terms):
            holds = np.zeros(self.rows, np.bool_)
            code = self.code(term)
            if code is not None:
                lines = self.lines(code)
                rows = self.line_row[lines]
                if among:
                    rows = rows[np.isin(np.minimum(lines - self.first_line[rows], FIXED_LINES), among)]
                holds[rows] = True
            holds_all &= holds
        return holds_all

    # -- scores --------------------------------------------------------------------------------------------------------

    def bm25(self, weights: Mapping[str, float]) -> Scores:
        """BM25 of every section, shape (rows,), 0 for one that holds no term of the query."""
        scores = np.zeros(self.rows, np.float32)
        lengths = relative(self._length, self.mean_length)
        for weight, k1, lines in self._postings(weights):
            rows = self.line_row[lines]
            counts = np.bincount(rows, weights=_LINE_WEIGHTS[np.minimum(lines - self.first_line[rows], FIXED_LINES)])
            holders = np.flatnonzero(counts)
            scores[holders] += saturated(weight, k1, counts[holders], lengths[holders])
        return scores

    def passages(self, weights: Mapping[str, float], rows: Indices) -> Passages:
        """BM25 of the best passages of the sections `rows` (ascending, each once), shape (rows,) each."""
        first, last = self.first_line[rows] + FIXED_LINES, self.first_line[rows + 1]
        sentences = SentenceLayout.of(np.maximum(last - first, 1))
        single, double = self._passage_scores(weights, rows, sentences)
        return sentences.best_passages(single, double)

    def _passage_scores(
        self, weights: Mapping[str, float], rows: Indices, sentences: SentenceLayout
    ) -> tuple[Scores, Scores]:
        """BM25 of each of the m sentences of `rows` alone, and with the next one of its section; both of shape (m,)."""
        single, double = np.zeros(len(sentences), np.float32), np.zeros(len(sentences), np.float32)
        of_single, of_double = self._relative_lengths(rows, sentences)
        wanted = np.full(self.rows, -1, np.int64)  # of each section its index in `rows`, or -1
        wanted[rows] = np.arange(len(rows))
        for weight, k1, lines in self._postings(weights):
            in_heads, in_sentences = self._passage_counts(lines, rows, wanted, sentences)
            in_both = in_sentences + sentences.of_next(in_sentences)
            single += saturated(weight, k1, in_sentences + in_heads, of_single)
            double += saturated(weight, k1, in_both + in_heads, of_double)
        return single, double

    def _relative_lengths(self, rows: Indices, sentences: SentenceLayout) -> tuple[Scores, Scores]:
        """What the length of each of m sentences counts, and of each with the next one, headings included; both (m,)."""
        first, last = self.first_line[rows] + FIXED_LINES, self.first_line[rows + 1]
        section = sentences.section
        line = np.arange(len(sentences)) - sentences.begins[section] + first[section]
        line = np.minimum(line, len(self._line_length) - 1)  # that of an empty sentence may be beyond the end
        length = np.where((last > first)[section], self._line_length[line], np.float32(0))
        head = self._head_length[rows][section]
        mean_single, mean_double = self.mean_passages
        both = length + sentences.of_next(length)
        return relative(head + length, mean_single), relative(head + both, mean_double)

    def _passage_counts(
        self, lines: npt.NDArray[np.int32], rows: Indices, wanted: Indices, sentences: SentenceLayout
    ) -> tuple[npt.NDArray[Any], Scores]:
        """How often a term, which stands in `lines`, is in the headings above each of m sentences, weighted by the kind of
        line, and in each sentence; both of shape (m,).

        `wanted`, shape (all rows,): of each section its index in `rows`, or -1.
        """
        section = wanted[self.line_row[lines]]  # shape (lines,)
        is_wanted = section >= 0
        section = section[is_wanted]
        line = lines[is_wanted] - self.first_line[rows[section]]  # counted from the first line of its section
        line_weights = np.where(line < FIXED_LINES, _LINE_WEIGHTS[np.minimum(line, FIXED_LINES)], 0.0)
        line_weights[line == PATH] = 0.0
        in_heads = np.bincount(section, weights=line_weights, minlength=len(rows))[sentences.section]
        is_text = line >= FIXED_LINES
        sentence = sentences.begins[section[is_text]] + line[is_text] - FIXED_LINES
        in_sentences = np.bincount(sentence, minlength=len(sentences)).astype(np.float32)
        return in_heads, in_sentences

    # -- boosts --------------------------------------------------------------------------------------------------------

    def stems(self, term: str) -> list[int]:
        """The numbers of a term and, for a Korean word, of the terms that it begins with: it may have an ending."""
        ends = range(2, len(term) + 1) if "가" <= term[0] <= "힣" else (len(term),)
        return self.codes_of_terms(term[:end] for end in ends)

    def codes_of_terms(self, terms: Iterable[str]) -> list[int]:
        """The numbers of those of the terms that some section holds."""
        return [code for code in map(self.code, terms) if code is not None]

    def named(self, name: str) -> tuple[Indices, Indices, Indices]:
        """The rows whose heading is written like `name`, those named so, and those with it as an identifier there."""
        return self.written(name), self._rows_of(name_key(name)), self._rows_of(identifier_key(name))

    def written(self, name: str) -> Indices:
        """The rows whose heading is written like `name`."""
        return self._rows_of(text_key(name))

    def has_name(self, row: int, names: Iterable[str]) -> bool:
        """Whether a section is named like one of these; cheaper than to look for all sections that are."""
        return not set(map(name_key, names)).isdisjoint(self.terms_of(self.codes_of(row, NAMES, NAMES + 1)))

    def rows_with_sentence(self, line: str) -> Indices:
        """The rows that have a sentence, or a heading within, of exactly these terms in a line; ascending, each once."""
        found = np.flatnonzero(self._hashes == sentence_hash(line))
        ends = self.first_line[1:] - FIXED_LINES * np.arange(1, self.rows + 1)  # how many sentences are before each next row
        return np.unique(np.searchsorted(ends, found, side="right"))

    def rows_with_beginning(self, term: str) -> Indices:
        """The rows with a sentence, a row of a table or a heading within that begins with a term; ascending, each once."""
        code = self.code(term)
        lines = self.lines(code).astype(np.int64) if code is not None else np.zeros(0, np.int64)
        rows = self.line_row[lines]
        is_first = (self.codes[self.line_start[lines]] == code) & (lines - self.first_line[rows] >= FIXED_LINES)
        return np.unique(rows[is_first]).astype(np.int64)

    def _rows_of(self, term: str) -> Indices:
        code = self.code(term)
        return np.zeros(0, np.int64) if code is None else self.line_row[self.lines(code)].astype(np.int64)

    @cached_property
    def repeated(self) -> Scores:
        """The share, 0..1, of each section's terms in sentences that at least `REPEATED` sections hold; shape (rows,)."""
        is_text = np.arange(len(self._line_length)) - self.first_line[self.line_row] >= FIXED_LINES
        lengths, rows = self._line_length[is_text], self.line_row[is_text]
        if self._whole is None:
            is_repeated = self._repeats.stand_in_many(REPEATED)
        else:
            is_repeated = is_among(self._hashes, self._whole.repeated)
        repeated = np.bincount(rows, weights=lengths * is_repeated, minlength=self.rows)
        total = np.bincount(rows, weights=lengths, minlength=self.rows)
        return (repeated / np.maximum(total, 1)).astype(np.float32)

    def codes_of(self, row: int, first: int = 0, stop: int | None = None) -> npt.NDArray[np.int32]:
        """The terms, as numbers, of a section's lines from `first` up to, not including, `stop`; of all by default."""
        begin = self.first_line[row] + first
        end = self.first_line[row + 1] if stop is None else self.first_line[row] + stop
        codes: npt.NDArray[np.int32] = self.codes[self.line_start[begin] : self.line_start[end]]
        return codes

    def words(self, row: int) -> frozenset[int]:
        """The different terms of a section's sentences, as numbers."""
        return frozenset(self.codes_of(row, FIXED_LINES).tolist())

    def sentences(self, row: int) -> frozenset[int]:
        """The hashes of the different sentences of a section."""
        begin, end = (int(self.first_line[each]) - FIXED_LINES * each for each in (row, row + 1))
        return frozenset(self._hashes[begin:end].tolist())

    def terms_of(self, codes: npt.NDArray[np.integer]) -> list[str]:
        """The terms with these numbers."""
        return list(self._vocabulary.take(pa.array(codes)).to_pylist())

    def term(self, code: int) -> str:
        """The term with this number."""
        return str(self._vocabulary[code].as_py())

    def heading_words(self, row: int) -> frozenset[int]:
        """The different terms of a section's own heading, as numbers."""
        return frozenset(self.codes_of(row, HEADING, HEADING + 1).tolist())

    def heading_idf(self, rows: Indices) -> npt.NDArray[np.float64]:
        """The idf of all terms of the own headings of these sections, shape (rows,)."""
        lines = self.first_line[rows] + HEADING
        begins, counts = self.line_start[lines], self.line_start[lines + 1] - self.line_start[lines]
        owner = np.repeat(np.arange(len(rows)), counts)
        tokens = ranges(begins, counts)
        summed = np.bincount(owner, weights=self.idf_of(self.codes[tokens]), minlength=len(rows))
        return np.asarray(summed, np.float64)

    def idf_of(self, codes: npt.NDArray[np.int32] | Sequence[int]) -> Scores:
        """The idf of terms by their numbers, in the order given."""
        found = self._idf[codes]
        if np.isnan(found).any():  # only with a whole: looked up once for each term
            unknown = np.unique(np.asarray(codes, np.int32)[np.isnan(found)])
            self._idf[unknown] = self.idf_of_held(self.terms_of(unknown))
            found = self._idf[codes]
        return found

    # -- inside --------------------------------------------------------------------------------------------------------

    @cached_property
    def _repeats(self) -> Repeats:
        """The sentences of sections that are all of an index."""
        return Repeats.of(self._hashes, np.diff(self.first_line) - FIXED_LINES)

    def _passage_lengths(self, lines_per_row: Indices) -> tuple[float, float]:
        """Mean lengths, in terms, of passages of one sentence and of two, headings included."""
        if not self.rows:
            return 1.0, 1.0
        texts = np.maximum(lines_per_row - FIXED_LINES, 1)
        head = float((self._head_length * texts).sum())
        body = float((self._length - self._head_length).sum())
        single = (head + body) / texts.sum()
        # every sentence is the second of a pair too, except the first one of a section
        double = single + body / texts.sum()
        return max(1.0, float(single)), max(1.0, float(double))
