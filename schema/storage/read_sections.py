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
        """The sections with these ids, in their order; those that were not read are left out."""
        return replace(self, rows=[self.rows[self.places[one]] for one in ids if one in self.places])

    def with_embeddings(self, rows: Sequence[StoredSection]) -> pa.Table:
        """The rows of the table that have these sections, with the embeddings that `rows` have."""
        places = [self.places[row.section.id] for row in rows]
        return with_embeddings(self.table.take(pa.array(places, pa.int64())), [self.digests[one] for one in places], rows)
