"""`TableSource`: an index of which each question reads the sections that its words and vectors find.

The table's own indexes choose some hundreds of sections; ranking is then the same as for a small index, with stored
statistics of all sections (`schema.index_files.statistics`) in place of counting them. Memory does not grow with the index.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any
from weakref import finalize

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schema.filters import Filters
from schema.index_files.statistics import StoredStatistics
from schema.protocols import Vectors
from schema.results import SectionLink
from schema.sections import Section
from schema.storage import lance
from schema.storage.indexes import is_many
from schema.storage.retrieval import ROW
from schema.storage.rows import DOCUMENT_COLUMNS, SECTION_COLUMNS, to_section
from schema.storage.table import SectionTable
from schema.storage.vector_columns import vector_matrix
from schema.text.fields import identifier_key, name_key, text_key
from schema.tracing import traced
from search.index import documents, survey
from search.index.documents import Documents
from search.index.inverted_index import ABOVE_WEIGHT, REPEATED, Whole
from search.index.ranges import Indices
from search.index.snapshot import (
    COLUMNS,
    FIRST_VECTORS,
    SECOND_VECTORS,
    TEXT_COLUMNS,
    IndexSnapshot,
    reading_order,
)
from search.index.survey import Survey
from search.index.vectors import UNKNOWN_COVERAGE, QueryVectors
from search.index.vocabulary import Vocabulary
from search.ranking.best_match import best_match
from search.ranking.nearness import Mask
from search.ranking.query import Query, sure_terms
from search.sources.base import FIRST_ROWS, FOUND_COLUMNS, TEXTS_OF_TERM, Found, Question
from search.sources.filtering import FileFacts, allowed_paths, condition_on_rows
from search.sources.wording import has_terms, holders_in, leaves_out, left_out, titled, too_many

#: Sections that words, and that each kind of vector, choose for a question, and how many do for its later pages, which are
#: all of one ranking: a question for the millionth hit must not read the whole table.
BY_WORDS, BY_VECTOR, MOST = 400, 300, 2000
#: Of the sections that words choose, the first ones whose vectors are compared too; the others are far from the best.
_WITH_VECTORS = 150
#: Sections by words and by vectors that tell whether an index speaks of a sentence.
_FEW = 5
#: Sections among which a phrase in quotes is looked for in a large table; in a smaller one it is looked for in all.
BY_PHRASE = 2000
#: Sections that may have a title that is asked for, and sections with its words, or with those of what a list of sections
#: leaves out, whose terms are read to tell where the words stand: 0.1 s and 1 s; and how many of these are read at once.
MOST_TITLED, MOST_LOOKED_UP, _AT_ONCE = 20_000, 50_000, 4000
#: Reads that run at the same time, at most.
_READERS = 3
#: A weight so high that a section whose name is the query is always found.
_NAME_BOOST = 4.0


class TableSource:
    """One version of a table with its indexes, and the `statistics` of it, which may be a little older."""

    is_whole = False

    def __init__(self, still: SectionTable, statistics: StoredStatistics) -> None:
        self._table = still
        self._retrieval = still.retrieval
        self._statistics = statistics
        finalize(self, statistics.close)
        #: Reads that need not wait for each other.
        self._readers = ThreadPoolExecutor(_READERS, "sectionary-reader")
        self._whole = _whole(statistics)
        self._dimension = still.fingerprint.dimension
        self.has_second = bool(still.fingerprint.second_dimension)
        self._share_of_second = self._retrieval.share_of_second(UNKNOWN_COVERAGE) if self.has_second else 0.0
        self.second_has_all = self._share_of_second >= 1.0

    @traced("search.candidates")
    def candidates(self, question: Question, files: FileFacts) -> tuple[IndexSnapshot, Mask]:
        """The sections that are most likely among the best, and a mask of those that the filters allow."""
        condition = self._condition(question.where, files)
        amounts = [(BY_WORDS, BY_VECTOR)]
        if leaves_out(question.where):  # more are read then, and again more where too few remain
            amounts = [(2 * BY_WORDS, 2 * BY_VECTOR), (MOST, MOST)]
        for by_words, by_vector in [(MOST, MOST)] if question.after else amounts:
            snapshot = self._among(question, condition, by_words, by_vector)
            without = left_out(question.where, holders_in(snapshot), self._words)
            allowed = ~np.isin(snapshot.keys, [*without, -1 if question.about is None else question.about])
            if allowed.sum() >= FIRST_ROWS or snapshot.rows < min(by_words, by_vector):  # enough, or all there are
                break
        return snapshot, allowed

    def _among(self, question: Question, condition: lance.Expr | None, by_words: int, by_vector: int) -> IndexSnapshot:
        """The sections that the words and each kind of vector choose, at most so many, under a condition."""
        asked = question.asked
        weights = self.vocabulary.expand_terms(asked.counting(asked.weights), asked.synonyms)
        near = {
            column: self._readers.submit(self._retrieval.nearest, column, vector, most=by_vector, where=condition)
            for column, vector in _spaces(question.vector)
        }
        by_word: list[int] = []
        if weights and question.mode != "dense":
            by_word = self._by_words(question.asked, weights, by_words, condition)
        rows = {column: found.result() for column, found in near.items()}
        first = {row for column in FIRST_VECTORS for row in rows.get(column, ())}
        second = {row for column in SECOND_VECTORS for row in rows.get(column, ())}
        best = [*by_word, *question.after] if question.after else by_word[:_WITH_VECTORS]
        spaces: list[tuple[Sequence[str], set[int]]] = [(FIRST_VECTORS, first), (SECOND_VECTORS, second)]
        vectors = {columns: found.union(best) for columns, found in spaces if not near.keys().isdisjoint(columns)}
        about = () if question.about is None else (question.about,)
        return self._snapshot_of(first.union(second, by_word, about, question.after), vectors)

    def listing(self, where: Filters, files: FileFacts) -> tuple[list[str], list[int]]:
        """The documents and keys of the sections that the filters allow, in reading order."""
        condition = self._condition(where, files)
        found = self._retrieval.columns_where(["document_path", "position"], condition)
        without = left_out(where, partial(self._holders, condition), self._words)
        found = found.filter(pc.invert(pc.is_in(found[ROW], pa.array(without, found[ROW].type))))
        found = found.take(pa.array(reading_order(found)))
        return found["document_path"].to_pylist(), found[ROW].to_pylist()

    def snapshot_of(self, keys: Sequence[int]) -> tuple[IndexSnapshot, list[int]]:
        """A snapshot of these sections, and their rows there, in the order given."""
        snapshot = self._snapshot_of(set(keys))
        rows = {key: row for row, key in enumerate(snapshot.keys.tolist())}
        return snapshot, [rows[key] for key in keys]

    def snapshot_with(self, section_id: str, *, with_vectors: bool = False) -> tuple[IndexSnapshot, int] | None:
        """A snapshot of one section, and its row there; None if there is no such id."""
        found = self._retrieval.columns_where(["depth"], lance.col("id") == lance.lit(section_id))[ROW].to_pylist()[:1]
        spaces = (FIRST_VECTORS, SECOND_VECTORS) if self.has_second else (FIRST_VECTORS,)
        vectors = dict.fromkeys(spaces, found) if with_vectors and found else {}
        return (self._snapshot_of(found, vectors), 0) if found else None

    def ids_from(self, beginning: str, most: int) -> list[str]:
        """At most `most` ids of sections that begin so, ascending."""
        begins_so = (lance.col("id") >= lance.lit(beginning)) & (
            lance.col("id") < lance.lit(f"{beginning}g")
        )  # after every hex digit
        found: list[str] = self._retrieval.columns_where(["id"], begins_so, most=most)["id"].to_pylist()
        return sorted(found)

    def found(self, keys: Sequence[int]) -> list[Found]:
        """The sections with these keys of a snapshot, in the order given."""
        rows = self._rows(keys, FOUND_COLUMNS)
        return [Found.of(rows[key]) for key in keys]

    def found_in(self, keys: Sequence[int], paths: Sequence[str]) -> tuple[list[Found], dict[str, list[SectionLink]]]:
        """What `found` and `outlines` give, read at the same time."""
        outlines = self._readers.submit(self.outlines, paths)
        return self.found(keys), outlines.result()

    @property
    def vocabulary(self) -> Vocabulary:
        """The terms that the statistics know."""
        return Vocabulary(self._statistics)

    def holds(self, term: str) -> bool:
        """Whether any section holds a term; the table is asked where the statistics know none."""
        return bool(self._statistics.frequencies([term]) or self._retrieval.matching({}, most=1, every=[term]))

    def texts_with(self, term: str) -> Iterator[str]:
        """Yield the words of some sections that hold a term."""
        yield from self._words(self._retrieval.matching({}, most=TEXTS_OF_TERM, every=[term]))

    def share_of_languages(self, languages: Sequence[str]) -> float:
        """The share of all sections, 0..1, that are in one of these languages."""
        return sum(self._by_language[language] for language in languages) / max(1, self._by_language.total())

    @cached_property
    def _by_language(self) -> Counter[str]:
        return Counter(self._retrieval.columns_where(["language"])["language"].to_pylist())

    def best_match(self, weights: Mapping[str, float], vector: QueryVectors) -> tuple[float, float]:
        """How much the index has to say to a text, by the few sections that its words and its vector find first."""
        found = set(self._retrieval.matching(weights, most=_FEW) if weights else ())
        near = {column: own for column, own in _spaces(vector) if column != "heading_vector"}
        for column, own in near.items():
            found.update(self._retrieval.nearest(column, own, most=_FEW))
        spaces: list[Sequence[str]] = [FIRST_VECTORS, SECOND_VECTORS]
        vectors = {columns: found for columns in spaces if not near.keys().isdisjoint(columns)}
        return best_match(self._snapshot_of(found, vectors), weights, vector)

    def first_keys(self, most: int) -> list[int]:
        """The keys of at most `most` sections, in any order."""
        keys: list[int] = self._retrieval.columns_where(["depth"], most=most)[ROW].to_pylist()
        return keys

    def outlines(self, paths: Sequence[str]) -> dict[str, list[SectionLink]]:
        """The sections of documents in reading order, by path; unknown documents are left out."""
        return self._table.links(paths)

    def section_counts(self, paths: Sequence[str]) -> Mapping[str, int]:
        """How many sections each of these documents has, by path; unknown documents are left out."""
        rows = self._retrieval.columns_where(["document_path"], lance.col("document_path").isin(list(paths)))
        return Counter(rows["document_path"].to_pylist())

    def sections_of(self, path: str) -> list[Section]:
        """The sections of a document in reading order; none for an unknown document."""
        return self._table.sections([path])

    @cached_property
    def documents(self) -> Documents:
        """Every document that has a section."""
        retrieval = self._retrieval
        columns = retrieval.columns_where(documents.COLUMNS)
        keys = columns[ROW].to_numpy()
        return Documents(columns, lambda rows: retrieval.columns_in_order(keys[rows].tolist(), DOCUMENT_COLUMNS))

    @cached_property
    def survey(self) -> Survey:
        """A few facts of every section."""
        retrieval, dimension = self._retrieval, self._dimension
        columns = retrieval.columns_where((*survey.COLUMNS, "position"))
        columns = columns.sort_by([("document_path", "ascending"), ("position", "ascending")])
        keys = columns[ROW].to_numpy()

        def sections(rows: Sequence[int]) -> list[Section]:
            found = retrieval.columns_in_order(keys[list(rows)].tolist(), SECTION_COLUMNS) if rows else None
            return [to_section(row) for row in found.to_pylist()] if found is not None else []

        def section_vectors(rows: Indices) -> tuple[Indices, Vectors]:
            found = retrieval.columns_in_order(keys[rows].tolist(), ["vector"])
            vectors, present = vector_matrix(found["vector"], dimension)
            return rows[present], vectors[present]

        return Survey(columns, sections=sections, section_vectors=section_vectors)

    # -- inside --------------------------------------------------------------------------------------------------------

    def _condition(self, where: Filters, files: FileFacts) -> lance.Expr | None:
        """The filters as a condition on rows, None for no condition."""
        condition = condition_on_rows(where, allowed_paths(where, lambda: self.documents.all, files))
        only = titled(where, partial(self._holders, condition))
        if only is None:
            return condition
        if len(only) > MOST_TITLED:
            raise too_many(next(title for each in where.parts for title in each.title))
        has_title = lance.col(ROW).isin(sorted(only)) if only else lance.lit(False)
        return has_title if condition is None else condition & has_title

    def _holders(self, condition: lance.Expr | None, wanted: Collection[str], in_headings: bool) -> Iterator[int]:
        """Yield the rows under a condition that hold every one of these terms in their headings, or (False) in these or
        their sentences."""
        keys = self._retrieval.matching({}, most=MOST_LOOKED_UP + 1, where=condition, every=sorted(wanted))
        if len(keys) > MOST_LOOKED_UP:
            raise too_many(" ".join(sorted(wanted)))
        for start in range(0, len(keys), _AT_ONCE):
            rows = self._retrieval.columns_of(sorted(keys[start : start + _AT_ONCE]), ["terms"])
            for key, line in zip(rows[ROW].to_pylist(), rows["terms"].to_pylist(), strict=True):
                if has_terms(line, wanted, in_headings):
                    yield key

    def _words(self, keys: Sequence[int]) -> list[str]:
        return [each.words for each in self.found(keys)]

    def _by_words(self, asked: Query, weights: dict[str, float], most: int, where: lance.Expr | None) -> list[int]:
        keys = filter(None, (text_key(asked.text), name_key(asked.text), identifier_key(asked.text)))
        named = {**weights, **dict.fromkeys(keys, _NAME_BOOST)}
        found = self._retrieval.matching(named, most=most, where=where)
        every = sorted({term for phrase in asked.phrases for term in sure_terms(phrase)})
        if every:
            rows = self._statistics.totals.rows
            found += self._retrieval.matching(
                weights, most=BY_PHRASE if is_many(rows) else max(1, rows), where=where, every=every
            )
        return found

    def _snapshot_of(
        self, row_ids: Iterable[int], vectors: Mapping[Sequence[str], Iterable[int]] = MappingProxyType({})
    ) -> IndexSnapshot:
        """The snapshot of these rows; `vectors` maps columns of vectors to the rows for which they are read."""
        needed = [
            self._readers.submit(self._retrieval.columns_of, sorted(some), columns) for columns, some in vectors.items()
        ]
        table = self._retrieval.columns_of(sorted(row_ids), COLUMNS)
        table = table.take(pa.array(reading_order(table))).combine_chunks()
        return IndexSnapshot.of(
            table,
            vectors=lambda: [(some.result(), _indices_of(some.result()[ROW], table[ROW])) for some in needed],
            dimension=self._dimension,
            whole=self._whole,
            share_of_second=self._share_of_second,
            contents=self._contents,
        )

    def _contents(self, keys: Sequence[int]) -> list[dict[str, Any]]:
        rows = self._rows(keys, TEXT_COLUMNS)
        return [rows[key] for key in keys]

    def _rows(self, keys: Sequence[int], columns: Sequence[str]) -> dict[int, dict[str, Any]]:
        found = self._retrieval.columns_of(sorted(set(keys)), columns).to_pylist() if keys else []
        return {row[ROW]: row for row in found}


def _indices_of(keys: pa.ChunkedArray, among: pa.ChunkedArray) -> Indices:
    """The index of each of the keys in `among`, which holds all of them."""
    all_keys = among.to_numpy()
    order = np.argsort(all_keys)
    indices: Indices = order[np.searchsorted(all_keys, keys.to_numpy(), sorter=order)]
    return indices


def _whole(statistics: StoredStatistics) -> Whole:
    """The statistics of all sections that ranking needs."""
    totals = statistics.totals
    rows, passages = max(1, totals.rows), max(1, totals.passages)
    length = totals.text + totals.heading + ABOVE_WEIGHT * totals.above
    single = (totals.heading_by_passages + ABOVE_WEIGHT * totals.above_by_passages + totals.text) / passages
    return Whole(
        counts=statistics,
        mean_length=max(1.0, length / rows),
        # every sentence is the second of a pair too, except the first one of a section
        mean_passages=(max(1.0, single), max(1.0, single + totals.text / passages)),
        repeated=statistics.repeated(REPEATED),
    )


def _spaces(vector: QueryVectors | None) -> Iterator[tuple[str, Vectors]]:
    """The columns that a query's vectors are compared with."""
    if vector is not None and vector.second is not None:
        yield "second_vectors", vector.second
    if vector is not None and vector.first is not None:
        yield "window_vectors", vector.first
        yield "heading_vector", vector.first
