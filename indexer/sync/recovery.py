"""An index that is damaged or being replaced → the vectors and documents in it that can still be read."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from indexer.sync.plan import Summarized, TextKey, Times, summaries_of
from schema.errors import IndexStoreError
from schema.storage import lance
from schema.storage.fingerprint import Fingerprint
from schema.storage.rows import Embedding, StoredSection
from schema.storage.table import SectionTable

_log = logging.getLogger(__name__)
#: Rows read at once; where a file is damaged, each such portion takes about twenty reads.
_ROWS = 512


def is_sound(store: Path) -> bool:
    """Whether every row and index of the store in the folder `store` can be read."""
    try:
        table = SectionTable.open(store)
        return not table.indexes.mend() and sum(row.is_intact for row in table.everything()) == table.count()
    except IndexStoreError:
        return False


class PreviousIndex:
    """What can be read of the store in the folder `store`, in smaller and smaller portions where files are damaged.

    Without a folder it is empty. It is also empty for an index of another schema version, and it has no vectors if the
    fingerprint of the index is not `made`.
    """

    def __init__(self, store: Path | None, made: Fingerprint) -> None:
        self._table: SectionTable | None = None
        self._has_vectors = False
        self._offsets: dict[str, int] | None = None
        self._times: dict[str, Times] | None = None
        if store is None:
            return
        try:
            self._table = SectionTable.open(store)
            self._has_vectors = self._table.fingerprint == made
        except IndexStoreError as error:
            _log.info("nothing can be taken from the index that was: %s", error)

    @property
    def table(self) -> SectionTable | None:
        """The table, if it can be opened."""
        return self._table

    def times(self, paths: Sequence[str]) -> dict[str, Times]:
        """Return when the sections of these documents were made and changed, and their texts' hashes, by id."""
        if self._table is None:
            return {}
        if self._times is None:
            try:
                columns = ("id", *Times._fields)
                found = self._table.retrieval.columns_where(
                    columns, lance.col("document_path").isin(list(paths))
                ).to_pylist()
            except IndexStoreError:
                count = self._count()
                starts = range(0, count, _ROWS)
                portions = (self._numbered(range(start, min(start + _ROWS, count))) for start in starts)
                rows = (row.section for portion in portions for _, row in portion)
                self._times = {one.id: Times(one.content_hash, one.created_at, one.updated_at) for one in rows}
            else:
                return {row["id"]: Times(*(_in_utc(row[name]) for name in Times._fields)) for row in found}
        return self._times

    def embeddings(self, input_hashes: Sequence[str]) -> dict[str, Embedding]:
        """Return the embeddings that can be read, by input hash."""
        if not self._has_vectors:
            return {}
        offsets = self._offsets_of_vectors()
        wanted = [offsets[key] for key in input_hashes if key in offsets]
        return {row.input_hash: row.embedding for row in self._rows(wanted) if row.embedding is not None}

    def summaries(self) -> dict[TextKey, Summarized]:
        """Return the summaries that can be read, by their texts."""
        count = self._count()
        found: dict[TextKey, Summarized] = {}
        for start in range(0, count, _ROWS):
            found.update(summaries_of(row for _, row in self._numbered(range(start, min(start + _ROWS, count)))))
        return found

    def documents_at(self, paths: Iterable[str]) -> list[str]:
        """Return the documents at these paths, and those below them if they are of folders, in order; "." is all of them."""
        wanted = set(paths)
        try:
            known = self._table.paths() if self._table and wanted else set()
        except IndexStoreError:
            return sorted(wanted)
        return sorted(path for path in known if "." in wanted or not wanted.isdisjoint((path, *_folders_of(path))))

    def documents(self, paths: Sequence[str]) -> list[StoredSection]:
        """Return every section of these documents, without vectors if the fingerprint of the index is another one.

        Of a document with a row that cannot be read there is none, since it could be incomplete.
        """
        if self._table is None or not paths:
            return []
        try:
            rows = self._table.stored(paths)
        except IndexStoreError:
            return [row for path in paths for row in self.documents([path])] if len(paths) > 1 else []
        return rows if self._has_vectors else [replace(row, embedding=None) for row in rows]

    def _count(self) -> int:
        try:
            return self._table.count() if self._table else 0
        except IndexStoreError:
            return 0

    def _offsets_of_vectors(self) -> dict[str, int]:
        """Return the row numbers of vectors in the table, by input hash; read once."""
        if self._offsets is None:
            self._offsets = {}
            count = self._count()
            for start in range(0, count, _ROWS):
                for offset, row in self._numbered(range(start, min(start + _ROWS, count))):
                    if row.embedding is not None and not row.section.is_dirty:
                        self._offsets[row.input_hash] = offset
        return self._offsets

    def _rows(self, offsets: Sequence[int]) -> Iterator[StoredSection]:
        for start in range(0, len(offsets), _ROWS):
            yield from (row for _, row in self._numbered(offsets[start : start + _ROWS]))

    def _numbered(self, offsets: Sequence[int]) -> Iterator[tuple[int, StoredSection]]:
        """Yield the intact rows with these numbers; where a damaged file prevents it, each half is read on its own."""
        if not offsets or self._table is None:
            return
        try:
            yield from (each for each in zip(offsets, self._table.at(offsets), strict=True) if each[1].is_intact)
        except IndexStoreError:
            half = len(offsets) // 2
            if half:
                yield from self._numbered(offsets[:half])
                yield from self._numbered(offsets[half:])


def _in_utc(value: Any) -> Any:
    """Return a value of the table as records have it."""
    return value.replace(tzinfo=UTC) if isinstance(value, datetime) else value


def _folders_of(path: str) -> list[str]:
    """Return the folders that a path of the index is in."""
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]
