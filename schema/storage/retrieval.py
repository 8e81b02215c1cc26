"""Searches by the indexes of a table: rows by their terms or vectors, and columns of some rows.

Rows are named by the library's row numbers, which do not change within one version of the table. Full text works on our own
terms, separated by blanks; its scores only choose rows, and `search.ranking` ranks them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from schema.protocols import Vectors
from schema.storage import lance
from schema.storage.indexes import FULL_TEXT, answers
from schema.storage.library_errors import translate_storage_errors
from schema.storage.row_checks import checked

#: Cells of an index of vectors that are searched: enough for the hundreds of rows that ranking asks for (`indexes` has the
#: measurement). Callers compare the rows found exactly.
_PROBES = 48
#: The name of the column with the numbers of rows.
ROW = "_rowid"


class Retrieval:
    """Looks things up in one version of the LanceDB table `table` in `store_dir`."""

    def __init__(self, store_dir: Path, table: Any) -> None:
        self._dir = store_dir
        self._table = table

    def answers(self, *, once: bool) -> bool:
        """Whether the table's own indexes answer searches of a process that asks `once`, or often; a smaller table is read
        as a whole."""
        with translate_storage_errors(self._dir):
            return answers(self._table, self._dir, once=once)

    def share_of_second(self, coverage: float) -> float:
        """The share, 0..1, that the second model has read of the sections with text of which the first one covers more than
        this; 1 where there are none."""
        known = f"prose_words > 0 and model_coverage > {coverage:f}"
        with translate_storage_errors(self._dir):
            unread = int(self._table.count_rows(f"not has_second and {known}"))
            return 1.0 - unread / int(self._table.count_rows(known)) if unread else 1.0

    def matching(
        self, weights: Mapping[str, float], *, most: int, where: lance.Expr | None = None, every: Sequence[str] = ()
    ) -> list[int]:
        """Return at most `most` rows, best first, that hold some of the weighted terms, and each one of `every`."""
        asked = [(lance.Occur.MUST, lance.MatchQuery(term, FULL_TEXT)) for term in every]
        asked += [(lance.Occur.SHOULD, lance.MatchQuery(term, FULL_TEXT, boost=weight)) for term, weight in weights.items()]
        with translate_storage_errors(self._dir):
            found = self._table.search(lance.BooleanQuery(asked), query_type="fts").limit(most).select(["_score"])
            return _rows(found, where)

    def nearest(self, column: str, vector: Vectors, *, most: int, where: lance.Expr | None = None) -> list[int]:
        """Return at most `most` rows, nearest first, by the cosine of one of the vectors in `column`, of unit length."""
        asked = np.asarray(vector, np.float32)
        with translate_storage_errors(self._dir):
            search = self._table.search(asked, vector_column_name=column).distance_type("cosine")
            found = search.nprobes(_PROBES).limit(most).select(["_distance"])
            return _rows(found, where)

    def columns_of(self, rows: Sequence[int], columns: Sequence[str]) -> pa.Table:
        """These columns of some rows, and `ROW`, in no order."""
        with translate_storage_errors(self._dir):
            return checked(self._table.take_row_ids(list(rows)).select(list(columns)).with_row_id().to_arrow())

    def columns_in_order(self, rows: Sequence[int], columns: Sequence[str]) -> pa.Table:
        """These columns of some rows, in the order given."""
        found = self.columns_of(sorted(set(rows)), columns)
        index_of = {row: i for i, row in enumerate(found[ROW].to_pylist())}
        return found.select(list(columns)).take(pa.array([index_of[row] for row in rows], pa.int64()))

    def columns_where(
        self, columns: Sequence[str], where: lance.Expr | None = None, *, most: int = lance.EVERYTHING
    ) -> pa.Table:
        """These columns of at most so many rows that meet a condition, by default of all, and `ROW`, in no order."""
        with translate_storage_errors(self._dir):
            found = self._table.search().select(list(columns)).with_row_id(True)
            found = found if where is None else found.where(where)
            return checked(found.limit(most).to_arrow())

    def batches(self, columns: Sequence[str], *, rows: int) -> Iterator[pa.Table]:
        """Yield these columns of every row as they are stored, at most so many rows at once."""
        with translate_storage_errors(self._dir):
            count = int(self._table.count_rows())
            # a scan reads so far ahead that 15,000 rows with vectors take 600 MB; taken by their offsets they take 160
            for start in range(0, count, rows):
                some = self._table.take_offsets(list(range(start, min(start + rows, count))))
                yield checked(some.select(list(columns)).to_arrow())


def _rows(found: Any, where: lance.Expr | None) -> list[int]:
    if where is not None:
        found = found.where(where, prefilter=True)
    rows: list[int] = found.with_row_id(True).to_arrow()[ROW].to_pylist()
    return rows
