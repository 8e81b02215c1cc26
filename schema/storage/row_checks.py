"""Columns of stored rows → refused if a value is one that no section has, so that readers need no checks of their own."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.compute as pc

from schema.text.fields import FIXED_LINES

#: Columns that a row may lack.
_OPTIONAL = frozenset({
    "vector", "window_vectors", "windows", "model_coverage", "parent_id", "summary", "document_summary", "summary_source",
    "document_summary_source", "created_at", "updated_at", "second_vectors", "heading_vector",
})  # fmt: skip
_ANY_NUMBER = frozenset({"checksum", "sentence_hashes"})
_MOST_DEPTH = 3
#: Times that Python can represent, in milliseconds since 1970: the years 1 to 9999.
_TIMES = (-62_135_596_800_000, 253_402_300_799_999)


def check_rows(table: pa.Table) -> None:
    """Check every value of some columns of the sections table.

    Raises:
        ValueError: naming the first column with a value that no row of ours has.
    """
    table.validate(full=True)  # offsets within their buffers, texts in UTF-8
    for field in table.schema:
        column = table[field.name]
        if column.null_count and field.name not in _OPTIONAL:
            raise ValueError(f"{field.name} is missing in {column.null_count} rows")
        fault = _fault(field, column)
        if fault:
            raise ValueError(f"{field.name} {fault}")
    if {"windows", "window_vectors"} <= set(table.column_names):
        counts = (pc.fill_null(pc.list_value_length(table[name]), 0) for name in ("windows", "window_vectors"))
        if not pc.all(pc.equal(*counts), min_count=0).as_py():
            raise ValueError("windows are not as many as their vectors")
    if {"terms", "sentence_hashes"} <= set(table.column_names):
        # of the fixed lines, all but the last end before the first sentence
        lines = pc.subtract(pc.count_substring(table["terms"], "\n"), FIXED_LINES - 1)
        sentences = pc.max_element_wise(lines, 0)
        if not pc.all(pc.equal(pc.list_value_length(table["sentence_hashes"]), sentences), min_count=0).as_py():
            raise ValueError("sentence_hashes are not as many as the sentences")
    if {"windows", "second_vectors"} <= set(table.column_names):
        counts = (pc.list_value_length(table[name]) for name in ("windows", "second_vectors"))
        if not pc.all(pc.equal(*counts), min_count=0).as_py():
            raise ValueError("windows are not as many as their vectors by the second model")


def checked(table: pa.Table) -> pa.Table:
    """Return the same rows after checking them.

    Raises:
        ValueError: see `check_rows`.
    """
    check_rows(table)
    return table


def _fault(field: pa.Field, column: pa.ChunkedArray) -> str | None:
    """Return what is wrong with a column; None if nothing is."""
    if field.name == "front_matter":
        return None if all(map(_is_object, pc.unique(column).to_pylist())) else "is no JSON object in some rows"
    if pa.types.is_timestamp(field.type):
        return None if _are_within(column.cast(pa.int64()), *_TIMES) else "is beyond all calendars in some rows"
    values = column
    while pa.types.is_list(values.type) or pa.types.is_fixed_size_list(values.type):
        values = pc.list_flatten(values)
        if values.null_count:
            return "has gaps in some rows"
    if pa.types.is_floating(values.type):
        return None if pc.all(pc.is_finite(values), min_count=0).as_py() else "has values that are no numbers in some rows"
    if pa.types.is_struct(values.type):
        starts, ends = (pc.struct_field(values, name) for name in ("start", "end"))
        if (
            starts.null_count
            or ends.null_count
            or not _are_within(starts, 0)
            or not pc.all(pc.less_equal(starts, ends), min_count=0).as_py()
        ):
            return "have no place in their text in some rows"
    elif pa.types.is_integer(values.type) and field.name not in _ANY_NUMBER:
        most = _MOST_DEPTH if field.name == "depth" else None
        return None if _are_within(values, 0, most) else "is out of its range in some rows"
    return None


def _are_within(values: pa.ChunkedArray, least: int, most: int | None = None) -> bool:
    bounds = pc.min_max(values).as_py()
    if bounds["min"] is None:
        return True
    return bool(bounds["min"] >= least and (most is None or bounds["max"] <= most))


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False
