"""Rows of the table → a checksum of each, which tells whether a row is still as it was written.

What a section is and what the models made of it are summed apart, since vectors come later than texts.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

#: The columns that change when a row gets vectors, beside the vectors.
_MADE = ("is_dirty", "windows", "model_coverage", "awaits_second", "has_second")
#: The columns of vectors, and the type of number that they are stored with: exported ones may be wider.
_VECTORS = {
    "vector": pa.float32(), "window_vectors": pa.float16(), "second_vectors": pa.float16(), "heading_vector": pa.float16(),
}  # fmt: skip
_LONG = ("content", "terms", "front_matter")
CHECKSUM = "checksum"


def text_digests(table: pa.Table) -> list[bytes]:
    """A digest of each row, in order: of all columns but those of vectors. A missing list equals an empty one."""
    short = sorted(set(table.schema.names) - {CHECKSUM, *_MADE, *_VECTORS, *_LONG})
    texts = [table[name].cast(pa.binary()).to_pylist() for name in _LONG]
    found = []
    for values, *long in zip(_values(table, short), *texts, strict=True):
        lengths = [None if text is None else len(text) for text in long]
        digest = hashlib.blake2b(repr((values, lengths)).encode("utf-8", "surrogatepass"), digest_size=16)
        for text in long:
            digest.update(text or b"")
        found.append(digest.digest())
    return found


def checksums(table: pa.Table, digests: Sequence[bytes]) -> list[int]:
    """The checksum of each row, in order: 64 bits, signed; `digests` are the rows' `text_digests`."""
    parts = [_parts(table[name], kind) for name, kind in _VECTORS.items() if name in table.schema.names]
    found = []
    for text, values, *vectors in zip(digests, _values(table, _MADE), *parts, strict=True):
        digest = hashlib.blake2b(text + repr(values).encode(), digest_size=8)
        for part in vectors:
            digest.update(part)
        found.append(int.from_bytes(digest.digest(), "big", signed=True))
    return found


def _values(table: pa.Table, names: Sequence[str]) -> Iterator[tuple[object, ...]]:
    """The plain values of each row; a missing list is an empty one."""
    columns = []
    for name in names:
        column = table[name].to_pylist()
        columns.append([value or [] for value in column] if pa.types.is_list(table.schema.field(name).type) else column)
    return zip(*columns, strict=True)


def _parts(column: pa.ChunkedArray, number: pa.DataType) -> Iterator[npt.NDArray[np.uint8]]:
    """The bytes of each row's vectors, whose numbers are stored so."""
    numbers, kind = column.drop_null().combine_chunks(), column.type
    width = 1
    while not pa.types.is_floating(kind):
        width *= kind.list_size if pa.types.is_fixed_size_list(kind) else 1
        kind = kind.value_type
        numbers = numbers.flatten() if len(numbers) else pa.array([], kind)
    data = np.ascontiguousarray(numbers.cast(number).to_numpy(zero_copy_only=False)).view(np.uint8)
    lengths = pc.list_value_length(column) if pa.types.is_list(column.type) else column.is_valid().cast(pa.int64())
    ends = np.cumsum(pc.fill_null(lengths, 0).to_numpy().astype(np.int64)) * width * (number.bit_width // 8)
    return (data[start:end] for start, end in itertools.pairwise((0, *ends.tolist())))
