"""`HeldSource`: all sections of one version of an index, held in memory; for a small index."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from schema.filters import Filters
from schema.results import SectionLink
from schema.sections import Section
from schema.storage.retrieval import ROW, Retrieval
from schema.storage.rows import DOCUMENT_COLUMNS, LINK_COLUMNS, to_link
from schema.tracing import traced
from search.index import documents, survey
from search.index.documents import Documents
from search.index.ranges import Indices, stretches
from search.index.snapshot import (
    COLUMNS,
    FIRST_VECTORS,
    SECOND_VECTORS,
    TEXT_COLUMNS,
    Contents,
    IndexSnapshot,
    reading_order,
)
from search.index.survey import Survey
from search.index.vectors import QueryVectors
from search.index.vocabulary import Vocabulary
from search.ranking.best_match import best_match
from search.ranking.nearness import Mask
from search.sources.base import FOUND_COLUMNS, TEXTS_OF_TERM, Found, Question
from search.sources.filtering import FileFacts, allowed_paths, allowed_rows
from search.sources.wording import holders_in, left_out, titled

#: A column that shows whether a row of two versions is the same: the checksum of all others, the id included.
_STAMP = "checksum"
#: The columns that a held source is read from, beside the numbers of rows, and those it drops: only the inverted index
#: needs them, and numbers of rows are those of one version.
HELD_COLUMNS = tuple(
    dict.fromkeys(
        (
            *FOUND_COLUMNS,
            *LINK_COLUMNS,
            *DOCUMENT_COLUMNS,
            *documents.COLUMNS,
            *survey.COLUMNS,
            *COLUMNS,
            *FIRST_VECTORS,
            _STAMP,
        )
    )
)
_NOT_KEPT = {"terms", "sentence_hashes", ROW}
#: With more new rows than this share of all, everything is read again.
_MOST_FRESH = 0.2


class HeldSource:
    """The sections of a table with `HELD_COLUMNS`, and "second_vectors" where it has them.

    Vectors of the first model have `dimension` floats.
    """

    is_whole = True

    def __init__(self, kept: pa.Table, snapshot: IndexSnapshot) -> None:
        self._kept = kept
        self._sections = kept.select(FOUND_COLUMNS)
        self._links = kept.select(LINK_COLUMNS)
        self._table = kept.select(dict.fromkeys((*DOCUMENT_COLUMNS, *documents.COLUMNS, *survey.COLUMNS)))
        self._stamps = kept[_STAMP].to_numpy()
        self.snapshot = snapshot
        second = snapshot.second
        self.has_second = second is not None
        self.second_has_all = second is not None and snapshot.share_of_second >= 1.0
        self._rows = {identity: row for row, identity in enumerate(kept["id"].to_pylist())}
        self._outlines: dict[str, list[SectionLink]] = {}

    @classmethod
    def of(cls, table: pa.Table, *, dimension: int) -> HeldSource:
        """All sections of a table with `HELD_COLUMNS`, and "second_vectors" where it has them."""
        order = reading_order(table)
        vectors = [name for name in (*FIRST_VECTORS, *SECOND_VECTORS) if name in table.schema.names]
        new_row = np.empty(len(order), np.int64)
        new_row[order] = np.arange(len(order))
        # a copy: one column of the table would keep its vectors in memory, which the snapshot holds as well
        facts = table.drop_columns(vectors).combine_chunks().take(pa.array(order))
        kept = facts.select([name for name in facts.schema.names if name not in _NOT_KEPT])
        snapshot = IndexSnapshot.of(
            facts.select(COLUMNS),
            vectors=lambda: [(table.select(vectors), new_row)],
            dimension=dimension,
            contents=_contents_of(kept),
        )
        return cls(kept, snapshot)

    def renewed(self, version: Retrieval) -> HeldSource | None:
        """The source of a later version of the same table, for which only what is new in it is read.

        None where much is new, since reading everything is faster then, or where much of what is held is in no section now.
        """
        if self.snapshot.inverted.is_worn:
            return None
        stamps = version.columns_where([_STAMP])
        kept_rows, is_fresh = _unchanged(self._stamps, stamps[_STAMP].to_numpy())
        if is_fresh.sum() > _MOST_FRESH * len(is_fresh):
            return None
        columns = [name for name in (*HELD_COLUMNS, *SECOND_VECTORS) if self.has_second or name not in SECOND_VECTORS]
        fresh = version.columns_of(stamps[ROW].filter(pa.array(is_fresh)).to_pylist(), columns)
        names = ["document_path", "position"]
        both = pa.concat_tables([self._kept.select(names).take(pa.array(kept_rows)), fresh.select(names)])
        source = np.concatenate([kept_rows, self.snapshot.rows + np.arange(fresh.num_rows)])[reading_order(both)]
        kept = _taken(pa.concat_tables([self._kept, fresh.select(self._kept.schema.names)]), source)
        return HeldSource(kept, self.snapshot.renewed(fresh, source, contents=_contents_of(kept)))

    @traced("search.candidates")
    def candidates(self, question: Question, files: FileFacts) -> tuple[IndexSnapshot, Mask]:
        """All sections, and a mask of those that the filters allow."""
        return self.snapshot, self._allowed(question.where, files) & (self.snapshot.keys != question.about)

    def listing(self, where: Filters, files: FileFacts) -> tuple[list[str], list[int]]:
        """The documents and keys of the sections that the filters allow, in reading order."""
        rows = np.flatnonzero(self._allowed(where, files))
        return [self.snapshot.path(row) for row in rows.tolist()], self.snapshot.keys[rows].tolist()

    def snapshot_of(self, keys: Sequence[int]) -> tuple[IndexSnapshot, list[int]]:
        """All sections, and the rows of those with these keys."""
        return self.snapshot, list(keys)

    def _allowed(self, where: Filters, files: FileFacts) -> Mask:
        paths = allowed_paths(where, lambda: self.documents.all, files)
        holders = holders_in(self.snapshot)
        without = left_out(where, holders, lambda keys: [each.words for each in self.found(keys)])
        allowed = allowed_rows(self.snapshot, where, paths, titled(where, holders))
        return allowed & ~np.isin(self.snapshot.keys, list(without))

    def snapshot_with(
        self,
        section_id: str,
        *,
        with_vectors: bool = False,  # noqa: ARG002 — they are here in any case
    ) -> tuple[IndexSnapshot, int] | None:
        """All sections, and the row of this one; None if there is no such id."""
        row = self._rows.get(section_id)
        return None if row is None else (self.snapshot, row)

    def ids_from(self, beginning: str, most: int) -> list[str]:
        """At most `most` ids of sections that begin so, ascending."""
        if beginning in self._rows:
            return [beginning]
        return sorted(identity for identity in self._rows if identity.startswith(beginning))[:most]

    def found(self, keys: Sequence[int]) -> list[Found]:
        """The sections with these keys of the snapshot, in the order given."""
        return _found_at(self._sections, keys)

    def found_in(self, keys: Sequence[int], paths: Sequence[str]) -> tuple[list[Found], dict[str, list[SectionLink]]]:
        """What `found` and `outlines` give."""
        return self.found(keys), self.outlines(paths)

    def outlines(self, paths: Sequence[str]) -> dict[str, list[SectionLink]]:
        """The sections of documents in reading order, by path; unknown documents are left out."""
        for path in paths:
            keys = self.snapshot.keys[self.snapshot.rows_of(path)]
            if path not in self._outlines and len(keys):
                self._outlines[path] = [to_link(row) for row in self._links.take(pa.array(keys)).to_pylist()]
        return {path: list(self._outlines[path]) for path in paths if path in self._outlines}

    def section_counts(self, paths: Sequence[str]) -> Mapping[str, int]:
        """How many sections each of these documents has, by path; unknown documents are left out."""
        rows = ((path, self.snapshot.rows_of(path)) for path in paths)
        return {path: found.stop - found.start for path, found in rows if found.stop > found.start}

    def sections_of(self, path: str) -> list[Section]:
        """The sections of a document in reading order; none for an unknown document."""
        return [each.section for each in self.found(self.snapshot.keys[self.snapshot.rows_of(path)].tolist())]

    @property
    def vocabulary(self) -> Vocabulary:
        """The terms of the index."""
        return self.snapshot.inverted

    def holds(self, term: str) -> bool:
        """Whether any section holds a term."""
        return self.vocabulary.frequency(term) > 0

    def texts_with(self, term: str) -> Iterator[str]:
        """Yield the words of some sections that hold a term."""
        inverted = self.snapshot.inverted
        code = inverted.code(term)
        rows = () if code is None else dict.fromkeys(inverted.line_row[inverted.lines(code)].tolist())
        keys = self.snapshot.keys[list(islice(rows, TEXTS_OF_TERM))].tolist()
        yield from (each.words for each in self.found(keys))

    def share_of_languages(self, languages: Sequence[str]) -> float:
        """The share of all sections, 0..1, that are in one of these languages."""
        return sum(self._by_language[language] for language in languages) / max(1, self._by_language.total())

    @cached_property
    def _by_language(self) -> Counter[str]:
        languages: list[str] = self.snapshot.languages.tolist()
        return Counter(languages)

    def best_match(self, weights: Mapping[str, float], vector: QueryVectors) -> tuple[float, float]:
        """How much the index has to say to a text."""
        return best_match(self.snapshot, weights, vector)

    def first_keys(self, most: int) -> list[int]:
        """The keys of the first sections."""
        keys: list[int] = self.snapshot.keys[:most].tolist()
        return keys

    @cached_property
    def documents(self) -> Documents:
        """Every document that has a section."""
        table = self._table  # a function of `self` would keep all of this source in memory
        return Documents(table, lambda rows: table.select(DOCUMENT_COLUMNS).take(pa.array(rows, pa.int64())))

    @cached_property
    def survey(self) -> Survey:
        """A few facts of every section."""
        snapshot, sections = self.snapshot, self._sections  # see above
        return Survey(
            self._table.select(survey.COLUMNS).take(pa.array(snapshot.keys)),
            sections=lambda rows: [each.section for each in _found_at(sections, snapshot.keys[list(rows)].tolist())],
            section_vectors=snapshot.section_vectors,
        )


def _found_at(table: pa.Table, rows: Sequence[int]) -> list[Found]:
    return [Found.of(row) for row in table.take(pa.array(rows, pa.int64())).to_pylist()]


def _contents_of(kept: pa.Table) -> Contents:
    texts = kept.select(TEXT_COLUMNS)
    return lambda keys: texts.take(pa.array(keys, pa.int64())).to_pylist()


def _taken(table: pa.Table, rows: Indices) -> pa.Table:
    """These rows of a table, most of which follow each other, in one piece."""
    starts, ends = stretches(rows, rows + 1)
    parts = [table.slice(a, b - a) for a, b in zip(starts, ends, strict=True)]
    return pa.concat_tables(parts or [table.slice(0, 0)]).combine_chunks()


def _unchanged(held: Indices, newer: Indices) -> tuple[Indices, npt.NDArray[np.bool_]]:
    """The rows with the checksums `held` that a later version, with the checksums `newer`, still has, ascending, and a mask
    of the rows of that version that are new."""
    if not len(held):
        return np.zeros(0, np.int64), np.ones(len(newer), np.bool_)
    order = np.argsort(held)
    rows = order[np.minimum(np.searchsorted(held, newer, sorter=order), len(held) - 1)]
    is_held = held[rows] == newer
    return np.unique(rows[is_held]), ~is_held
