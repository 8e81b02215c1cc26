"""An index that is damaged or being replaced → the vectors and documents in it that can still be read."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from indexer.sync.plan import Summarized, TextKey, summaries_of
from schema.errors import IndexStoreError
from schema.index_files.layout import manifest_path
from schema.index_files.manifest import read_manifest
from schema.status import ROOTS_KEY, indexed_roots
from schema.storage.fingerprint import Fingerprint
from schema.storage.rows import Embedding, StoredSection
from schema.storage.table import SectionTable

_log = logging.getLogger(__name__)
#: Rows asked for at once; a damaged file costs some twenty questions for each such portion.
_ROWS = 512


def is_sound(place: Path) -> bool:
    """Whether every row and index of the store in `place` can be read."""
    try:
        table = SectionTable.open(place)
        return not table.indexes.mend() and sum(row.is_intact for row in table.everything()) == table.count()
    except IndexStoreError:
        return False


class PreviousIndex:
    """What can be read of the store in `place`, asked for in ever smaller portions where files are damaged.

    For no place there is nothing. Nothing is taken from an index of another schema version, and no vector from one that was
    not `made` the same.
    """

    def __init__(self, place: Path | None, made: Fingerprint) -> None:
        self.roots: tuple[str, ...] = ()
        self._table: SectionTable | None = None
        self._has_vectors = False
        self._places: dict[str, int] | None = None
        if place is None:
            return
        self.roots = indexed_roots(read_manifest(manifest_path(place), []).metadata.get(ROOTS_KEY))
        try:
            self._table = SectionTable.open(place)
            self._has_vectors = self._table.fingerprint == made
        except IndexStoreError as error:
            _log.info("nothing can be taken from the index that was: %s", error)

    def embeddings(self, input_hashes: Sequence[str]) -> dict[str, Embedding]:
        """Embeddings that can be read, by input hash."""
        if not self._has_vectors:
            return {}
        places = self._places_of_vectors()
        wanted = [places[key] for key in input_hashes if key in places]
        return {row.input_hash: row.embedding for row in self._rows(wanted) if row.embedding is not None}

    def summaries(self) -> dict[TextKey, Summarized]:
        """Summaries that can be read, by their texts."""
        count = self._count()
        found: dict[TextKey, Summarized] = {}
        for start in range(0, count, _ROWS):
            found.update(summaries_of(row for _, row in self._numbered(range(start, min(start + _ROWS, count)))))
        return found

    def documents(self, paths: Sequence[str]) -> list[StoredSection]:
        """Every section of these documents, without its vector if that was made otherwise.

        None of a table that has lost rows: nobody knows whether a document is still whole in it.
        """
        if self._table is None or not paths:
            return []
        try:
            rows = self._table.stored(paths)
        except IndexStoreError:
            return []
        return rows if self._has_vectors else [replace(row, embedding=None) for row in rows]

    def _count(self) -> int:
        try:
            return self._table.count() if self._table else 0
        except IndexStoreError:
            return 0

    def _places_of_vectors(self) -> dict[str, int]:
        """Where in the table the vector of an input stands."""
        if self._places is None:
            self._places = {}
            count = self._count()
            for start in range(0, count, _ROWS):
                for offset, row in self._numbered(range(start, min(start + _ROWS, count))):
                    if row.embedding is not None and not row.section.is_dirty:
                        self._places[row.input_hash] = offset
        return self._places

    def _rows(self, offsets: Sequence[int]) -> Iterator[StoredSection]:
        for start in range(0, len(offsets), _ROWS):
            yield from (row for _, row in self._numbered(offsets[start : start + _ROWS]))

    def _numbered(self, offsets: Sequence[int]) -> Iterator[tuple[int, StoredSection]]:
        """The intact rows at these places, halving the question where a damaged file stands in its way."""
        if not offsets or self._table is None:
            return
        try:
            yield from (each for each in zip(offsets, self._table.at(offsets), strict=True) if each[1].is_intact)
        except IndexStoreError:
            half = len(offsets) // 2
            if half:
                yield from self._numbered(offsets[:half])
                yield from self._numbered(offsets[half:])
