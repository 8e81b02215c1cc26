"""Vectors ↔ Arrow columns: one vector a row, or those of its windows.

A column has numbers of 32 or of 16 bits; vectors that are read have 32.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from schema.protocols import Vectors


def vector_matrix(column: pa.ChunkedArray, dimension: int) -> tuple[Vectors, npt.NDArray[np.bool_]]:
    """Vectors of shape (rows, dimension), zero where there is none, and which rows have one."""
    present = column.is_valid().to_numpy(zero_copy_only=False)
    matrix = np.zeros((len(column), dimension), np.float32)
    values = column.drop_null().combine_chunks()
    flat = values.flatten() if len(values) else pa.array([], pa.float32())
    matrix[present] = _read(flat).reshape(-1, dimension)
    return matrix, present


def window_matrix(column: pa.ChunkedArray, dimension: int) -> tuple[Vectors, npt.NDArray[np.int64]]:
    """All window vectors, shape (windows, dimension), section after section, and how many each section has."""
    counts = pc.fill_null(pc.list_value_length(column), 0).to_numpy(zero_copy_only=False).astype(np.int64)
    lists = column.drop_null().combine_chunks()
    flat = lists.flatten().flatten() if len(lists) else pa.array([], pa.float32())
    matrix = _read(flat).reshape(-1, dimension)
    if len(matrix) != counts.sum():
        raise ValueError("vectors of windows are missing")
    return matrix, counts


def second_dimension(schema: pa.Schema) -> int:
    """Length of the second model's vectors in a table of this schema; 0 without a second model."""
    return schema.field("second_vectors").type.value_type.list_size if "second_vectors" in schema.names else 0


def split(flat: Vectors, counts: npt.NDArray[np.int64]) -> list[Vectors]:
    """Split vectors into those of each section; `counts` says how many each has."""
    return np.split(flat, np.cumsum(counts)[:-1]) if len(counts) else []


def vector_column(found: Sequence[Vectors | None], kind: pa.FixedSizeListType) -> pa.Array:
    """The column of these vectors, None where a row has none."""
    size = kind.list_size
    blank = np.zeros(size, np.float32)
    flat = [blank if vector is None else vector for vector in found]
    values = np.concatenate(flat) if flat else np.zeros(0, np.float32)
    missing = pa.array([vector is None for vector in found], pa.bool_())
    return pa.FixedSizeListArray.from_arrays(pa.array(values).cast(kind.value_type), size, mask=missing)


def window_column(found: Sequence[Vectors | None], kind: pa.ListType) -> pa.Array:
    """The column of these vectors, None where a row has none."""
    inner = kind.value_type
    parts = [vectors for vectors in found if vectors is not None]
    values = np.concatenate(parts).ravel() if parts else np.zeros(0, np.float32)
    counts = [0 if vectors is None else len(vectors) for vectors in found]
    offsets = pa.array(np.concatenate([[0], np.cumsum(counts)]).astype(np.int32))
    missing = pa.array([vectors is None for vectors in found], pa.bool_())
    vectors = pa.FixedSizeListArray.from_arrays(pa.array(values).cast(inner.value_type), inner.list_size)
    return pa.ListArray.from_arrays(offsets, vectors, type=kind, mask=missing)


def _read(numbers: pa.Array) -> Vectors:
    read: Vectors = numbers.cast(pa.float32()).to_numpy(zero_copy_only=False)
    return read
