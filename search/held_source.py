"""`HeldSource`: all sections of one version of an index, held in memory; what a small index is searched from."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import pyarrow as pa

from schema.arrow import DOCUMENT_COLUMNS, LINK_COLUMNS, to_link
from schema.results import SectionLink
from search import documents, survey
from search.collection import COLUMNS, FIRST_VECTORS, SECOND_VECTORS, Collection
from search.documents import Documents
from search.filtering import ModifiedSince, allowed_paths, allowed_rows
from search.ranking import Mask
from search.source import FOUND_COLUMNS, Found, Question
from search.survey import Survey

#: The columns that are held as they are, and those that a held source is read from.
_KEPT_COLUMNS = tuple(dict.fromkeys((*FOUND_COLUMNS, *LINK_COLUMNS, *DOCUMENT_COLUMNS, *documents.COLUMNS, *survey.COLUMNS)))
HELD_COLUMNS = tuple(dict.fromkeys((*_KEPT_COLUMNS, *COLUMNS, *FIRST_VECTORS)))


class HeldSource:
    """The sections of a table with `HELD_COLUMNS`, and "second_vectors" where it has them.

    Vectors of the first model have `dimension` floats.
    """

    def __init__(self, table: pa.Table, *, dimension: int) -> None:
        # a copy: as long as one column of the table is there, so are its vectors, which the collection holds too
        kept = table.select(_KEPT_COLUMNS).take(pa.array(range(table.num_rows), pa.int64()))
        self._sections = kept.select(FOUND_COLUMNS)
        self._links = kept.select(LINK_COLUMNS)
        self._table = kept.select(dict.fromkeys((*DOCUMENT_COLUMNS, *documents.COLUMNS, *survey.COLUMNS)))
        contents = kept["content"]
        vectors = [name for name in (*FIRST_VECTORS, *SECOND_VECTORS) if name in table.schema.names]
        self.collection = Collection(
            table.select(COLUMNS),
            vectors=lambda: [(table.select(vectors), np.arange(table.num_rows))],
            dimension=dimension,
            contents=lambda keys: list(contents.take(pa.array(keys, pa.int64())).to_pylist()),
        )
        self.has_second = self.collection.second is not None
        second = self.collection.second
        self.second_has_all = second is not None and bool(np.all(second.present[self.collection.worth > 0]))
        self._rows = {
            identity: row for row, identity in enumerate(table["id"].take(pa.array(self.collection.keys)).to_pylist())
        }
        self._outlines: dict[str, list[SectionLink]] = {}

    def candidates(self, question: Question, modified_since: ModifiedSince) -> tuple[Collection, Mask]:
        """All sections, and a mask of those that the filters allow."""
        paths = allowed_paths(question.where, lambda: self.documents.all, modified_since)
        return self.collection, allowed_rows(self.collection, question.where, paths)

    def collection_with(self, section_id: str) -> tuple[Collection, int] | None:
        """All sections, and the row of this one; None if there is no such id."""
        row = self._rows.get(section_id)
        return None if row is None else (self.collection, row)

    def found(self, keys: Sequence[int]) -> list[Found]:
        """The sections with these keys of the collection, in the order given."""
        return _found_at(self._sections, keys)

    def found_in(self, keys: Sequence[int], paths: Sequence[str]) -> tuple[list[Found], dict[str, list[SectionLink]]]:
        """What `found` and `outlines` give."""
        return self.found(keys), self.outlines(paths)

    def outlines(self, paths: Sequence[str]) -> dict[str, list[SectionLink]]:
        """The sections of documents in reading order, by path; unknown documents are left out."""
        for path in paths:
            keys = self.collection.keys[self.collection.rows_of(path)]
            if path not in self._outlines and len(keys):
                self._outlines[path] = [to_link(row) for row in self._links.take(pa.array(keys)).to_pylist()]
        return {path: list(self._outlines[path]) for path in paths if path in self._outlines}

    def first_keys(self, most: int) -> list[int]:
        """The keys of the first sections."""
        keys: list[int] = self.collection.keys[:most].tolist()
        return keys

    @cached_property
    def documents(self) -> Documents:
        """Every document that has a section."""
        table = self._table  # a function of `self` would keep all of this source in memory
        return Documents(table, lambda places: table.select(DOCUMENT_COLUMNS).take(pa.array(places, pa.int64())))

    @cached_property
    def survey(self) -> Survey:
        """A few facts of every section."""
        collection, sections = self.collection, self._sections  # see above
        return Survey(
            self._table.select(survey.COLUMNS).take(pa.array(collection.keys)),
            sections=lambda rows: [each.section for each in _found_at(sections, collection.keys[list(rows)].tolist())],
            leads=collection.leads,
        )


def _found_at(table: pa.Table, places: Sequence[int]) -> list[Found]:
    return [Found.of(row) for row in table.take(pa.array(places, pa.int64())).to_pylist()]
