"""The indexes of the sections table: which ones a table of its size has, making them, and rows that they do not find.

Every table has indexes of ids, paths and embedding inputs. One of `WITH_TERMS` rows or more has an index of our terms; with
`LARGE` rows or more it has one of each kind of vectors too, once nearly all of them are there.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from schema.errors import IndexDamagedError
from schema.storage import lance
from schema.storage.library_errors import translate_storage_errors

#: Values asked for at once when an index is checked.
_VALUES_AT_ONCE = 2000
#: How many sections may hold a term beside those that it is checked for.
_OTHERS = 10_000
#: Columns that every table has an index of.
INDEXES = ("id", "document_path", "input_hash")
#: A table of this many rows answers every search by its indexes: reading all its rows takes seconds and a gigabyte.
LARGE = 20_000
#: One of this many answers a process that asks once by them, where reading all its rows takes longer (docs/scaling.md).
WITH_TERMS = 1_000
FULL_TEXT = "terms"
_VECTORS_OF_WINDOWS = ("window_vectors", "second_vectors")
_VECTORS = (*_VECTORS_OF_WINDOWS, "heading_vector")
#: A text that is no term: searching for it shows whether the index of terms can be read.
_NO_TERM = "\u2603=="
#: Fewer vectors than this get no index, since its cells are found from a sample of them.
LEAST_VECTORS = 5_000
#: Nor do vectors that more than this share of the rows has yet to get. A small table has no index of terms until then.
_MAX_WAITING_SHARE = 0.1
_WAITING = "is_dirty or awaits_second"
#: An index of vectors has this many cells for the root of the rows. Of 100,000 rows, with 48 cells looked into, 128 of them
#: gave 95 % of the 300 nearest in 21 ms of CPU, 316 of them 86 % in 17 ms. The cells are found from a sample of so many
#: vectors for each, in so many rounds; four and five times as many took twice the time and found no more.
CELLS, _SAMPLE, _ROUNDS = 0.4, 64, 10
#: An index of vectors keeps two bits of each dimension (RaBitQ), for which the library needs a multiple of eight, else a
#: byte. With two bits the first 300 have all of the 50 nearest rows (12,545 sections with vectors of the default models),
#: and the indexes of 300,012 sections have 326 MB instead of 1.6 GB, most of which was read from the disk for each
#: question. With one bit they have .99 of the 50 nearest and 175 MB.
_BITS, _MULTIPLE = 2, 8


class Indexes:
    """The indexes of the LanceDB table `table` in `store_dir`, made, repaired and checked."""

    def __init__(self, store_dir: Path, table: Any) -> None:
        self._dir = store_dir
        self._table = table

    def mend(self) -> list[str]:
        """Make indexes that are missing or cannot be read again, and name their columns."""
        with translate_storage_errors(self._dir):
            broken = broken_indexes(self._table, self._dir)
            for column in broken:
                create_index(self._table, column)
        return broken

    def make(self, column: str) -> None:
        """Make the index of a column again."""
        with translate_storage_errors(self._dir):
            create_index(self._table, column)

    def missing(self) -> list[str]:
        """Return the columns that have no index but should in a table of this size."""
        with translate_storage_errors(self._dir):
            return missing_large_indexes(self._table)

    def not_finding(self, column: str, ids_by_value: Mapping[str, set[str]]) -> set[str]:
        """Return those of the ids with these values in `column` that its index does not find."""
        with translate_storage_errors(self._dir):
            return unindexed(self._table, column, ids_by_value)

    def not_finding_terms(self, ids_by_term: Mapping[str, set[str]]) -> set[str]:
        """Return those of the ids with these terms that the index of terms does not find; none without an index."""
        with translate_storage_errors(self._dir):
            return unmatched(self._table, ids_by_term)


def create_indexes(table: Any) -> None:
    """Index a new table."""
    for column in INDEXES:
        create_index(table, column)


def create_index(table: Any, column: str) -> None:
    """Make the index of one column, in place of the one there is."""
    config = lance.BTree() if column in INDEXES else _large_index(table, column)
    table.create_index(column, config=config, replace=True)


def broken_indexes(table: Any, store_dir: Path) -> list[str]:
    """Columns whose index is missing or cannot be read; costs some milliseconds."""
    present = _indexed(table)
    # asked together, they cost one query where the files are far away
    sound = set(INDEXES) if present.issuperset(INDEXES) and _answers(table, *INDEXES, store_dir=store_dir) else set()
    known = [column for column in (*INDEXES, *missing_large_indexes(table), *large_indexes(table)) if column not in sound]
    return [column for column in known if column not in present or not _answers(table, column, store_dir=store_dir)]


def is_many(rows: int) -> bool:
    """Whether a table of so many rows is a large one."""
    return rows >= LARGE


def answers(table: Any, store_dir: Path, *, once: bool) -> bool:
    """Whether the table answers searches by its own indexes, all of which can be read: it is large, or large enough for
    a process that asks `once`."""
    if table.count_rows() < (min(LARGE, WITH_TERMS) if once else LARGE):
        return False
    found = large_indexes(table)
    return FULL_TEXT in found and all(_answers(table, column, store_dir=store_dir) for column in found)


def large_indexes(table: Any) -> list[str]:
    """Columns with an index that a small table lacks."""
    indexed = _indexed(table)
    return [column for column in (FULL_TEXT, *_VECTORS) if column in indexed]


def missing_large_indexes(table: Any) -> list[str]:
    """Columns whose index a table of this size should have, and has not."""
    rows = table.count_rows()
    if rows < min(LARGE, WITH_TERMS):
        return []
    names = set(table.schema.names) - _indexed(table)
    if not is_many(rows):
        return [] if FULL_TEXT not in names or _waits(table, _WAITING) else [FULL_TEXT]
    wanted = [column for column in _VECTORS if column in names and _has_many(table, column)]
    return [*([FULL_TEXT] if FULL_TEXT in names else ()), *wanted]


def create_large_indexes(table: Any) -> None:
    """Make the indexes that a table of this size has and this one lacks."""
    for column in missing_large_indexes(table):
        create_index(table, column)


def _large_index(table: Any, column: str) -> Any:
    if column != FULL_TEXT:
        cells = max(16, round(CELLS * table.count_rows() ** 0.5))
        given = {"distance_type": "cosine", "num_partitions": cells, "sample_rate": _SAMPLE, "max_iterations": _ROUNDS}
        return lance.IvfSq(**given) if _dimension(table, column) % _MULTIPLE else lance.IvfRq(num_bits=_BITS, **given)
    # all of the terms' analysis is our own; no term is longer than the longest key of a name
    return lance.FTS(
        base_tokenizer="whitespace",
        max_token_length=None,
        lower_case=False,
        stem=False,
        remove_stop_words=False,
        ascii_folding=False,
    )


def _dimension(table: Any, column: str) -> int:
    """The length of the vectors in a column, whose rows have one or several."""
    kind = table.schema.field(column).type
    return int((kind.value_type if column in _VECTORS_OF_WINDOWS else kind).list_size)


def _has_many(table: Any, column: str) -> bool:
    """Tell whether enough rows have a vector for an index to pay, and nearly all that will have one.

    Its cells are found once, from the vectors that are there then.
    """
    waiting = _WAITING if column == "second_vectors" else "is_dirty"
    return not _waits(table, waiting) and bool(table.count_rows(f"{column} is not null") >= LEAST_VECTORS)


def _waits(table: Any, waiting: str) -> bool:
    """Tell whether many rows have yet to get vectors: an index made now would have to follow each of these rows."""
    return bool(table.count_rows(waiting) > _MAX_WAITING_SHARE * table.count_rows())


def _indexed(table: Any) -> set[str]:
    return {column for index in table.list_indices() for column in index.columns}


def unindexed(table: Any, column: str, ids_by_value: Mapping[str, set[str]]) -> set[str]:
    """Return those of the ids with these values in `column` that its index does not find."""
    missing: set[str] = set()
    values = list(ids_by_value)
    for start in range(0, len(values), _VALUES_AT_ONCE):
        some = values[start : start + _VALUES_AT_ONCE]
        query = table.search().where(lance.col(column).isin(some)).select(["id"])
        found = set(query.limit(max(1, table.count_rows())).to_arrow()["id"].to_pylist())
        missing |= set().union(*(ids_by_value[value] for value in some)) - found
    return missing


def unmatched(table: Any, ids_by_term: Mapping[str, set[str]]) -> set[str]:
    """Return those of the ids with these terms that the index of terms does not find; none without an index."""
    missing: set[str] = set()
    if FULL_TEXT not in _indexed(table):
        return missing
    for term, ids in ids_by_term.items():
        query = table.search(lance.MatchQuery(term, FULL_TEXT), query_type="fts").select(["id", "_score"])
        missing |= ids - set(query.limit(len(ids) + _OTHERS).to_arrow()["id"].to_pylist())
    return missing


def _answers(table: Any, *columns: str, store_dir: Path) -> bool:
    """Whether a query by the index of a column, or by those of several columns of `INDEXES` at once, is answered."""
    column = columns[0]
    try:
        with translate_storage_errors(store_dir):
            if column == FULL_TEXT:
                query = table.search(lance.MatchQuery(_NO_TERM, FULL_TEXT), query_type="fts").select(["_score"])
            elif column in _VECTORS:
                query = (
                    table.search([1.0] * _dimension(table, column), vector_column_name=column)
                    .nprobes(1)
                    .select(["_distance"])
                )
            else:  # a text that no row has would be found missing without a look at the index's own data
                held = _some_values(table, columns)
                condition = functools.reduce(operator.or_, (lance.col(each).isin(held[each]) for each in columns))
                query = table.search().where(condition).select(["id"])
            query.limit(1).to_arrow()
    except IndexDamagedError:
        return False
    return True


def _some_values(table: Any, columns: Sequence[str]) -> dict[str, list[str]]:
    """By column, what the first and the last row have in it; "" for an empty table."""
    ends = dict.fromkeys((0, max(0, table.count_rows() - 1)))
    rows = [row for end in ends for row in table.search().select(list(columns)).offset(end).limit(1).to_arrow().to_pylist()]
    return {column: [row[column] or "" for row in rows] or [""] for column in columns}
