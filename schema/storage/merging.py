"""New rows and a table → the library's update of the table's rows by id, by the index of ids or by reading all ids.

LanceDB 0.40 joins the new rows, by the index, also with all rows that the index lacks. For each 8,192 of them it reserves
the mean size of a new row's lists: 31 GB for one section of 30,000 windows. It ends the process where the system refuses
them. A join that reads all ids has only the rows that match, so large rows go that way.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

#: Comparing the ids of this many rows takes as long as one look-up in the index of ids, rows it lacks included.
_SCANNED_PER_ROW = 2000
#: Rows that the library joins at once.
_JOINED_ROWS = 8192
#: Most memory that a join by the index may reserve (bytes): that of rows of 64 KiB, which are sections of 5,000 tokens.
_MAX_RESERVED = 512 << 20


def merge_by_id(table: Any, fresh: pa.Table, count: int) -> Any:
    """Return the library's update of the `count` rows of `table` by the rows `fresh`; callers extend and execute it."""
    update = table.merge_insert("id").when_matched_update_all()
    return update.use_index(pays_index(fresh.num_rows, fresh.nbytes, count))


def pays_index(rows: int, size: int, count: int) -> bool:
    """Whether so many new rows of `size` bytes together are looked up by the index, in a table of `count` rows."""
    return rows * _SCANNED_PER_ROW < count and _JOINED_ROWS * size <= _MAX_RESERVED * rows
