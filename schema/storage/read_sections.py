"""`ReadSections`: sections as the table had them, so that rows with new vectors take over all that stays as it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import pyarrow as pa

from schema.storage.rows import StoredSection, read_rows, with_embeddings


@dataclass(frozen=True, slots=True)
class ReadSections:
    """Sections in some order; `places` has the number of each, by its id, in the `table` and among its `digests`."""

    rows: list[StoredSection]
    table: pa.Table
    digests: Sequence[bytes]
    places: Mapping[str, int]

    @classmethod
    def read(cls, table: pa.Table) -> Self:
        """Read the rows of a table with all columns.

        Raises:
            ValueError: a row is not as it was written.
        """
        rows, digests = read_rows(table)
        for row in rows:
            if not row.is_intact:
                raise ValueError(f"section {row.section.id} is not as it was written")
        return cls(rows, table, digests, {row.section.id: place for place, row in enumerate(rows)})

    def of(self, ids: Sequence[str]) -> Self:
        """Those of the sections that have these ids, in the order of the ids."""
        by_id = {row.section.id: row for row in self.rows}
        return replace(self, rows=[by_id[one] for one in ids if one in by_id])

    def with_embeddings(self, rows: Sequence[StoredSection]) -> pa.Table:
        """The rows of the table that have these sections, each once, with the embeddings that `rows` have."""
        distinct = {row.section.id: row for row in rows}
        places = [self.places[one] for one in distinct]
        table = self.table.take(pa.array(places, pa.int64()))
        return with_embeddings(table, [self.digests[one] for one in places], list(distinct.values()))
