"""An index → one file with a row for each section: Parquet with all columns, or JSON Lines or CSV without vectors.

Rows are read and written in batches, so that memory hardly grows with the index. The file appears whole: it is written
under another name in its folder and then renamed. Refuses a file that is there, one in the index folder, and an indexed
document.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from schema.errors import SourceError
from schema.index_files.layout import is_own, manifest_path, store_dir
from schema.index_files.manifest import read_manifest
from schema.index_files.roots import roots_of
from schema.storage.rows import get_sections_schema
from schema.storage.table import SectionTable
from schema.text.characters import to_json

#: Rows of one batch, and of a row group of Parquet: about 8 MB with vectors.
ROWS = 250
#: Columns that only Parquet gets: vectors, and what searching alone needs of them.
VECTORS = ("vector", "window_vectors", "heading_vector", "second_vectors", "windows", "sentence_hashes")

_Write = Callable[[pa.Table], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """What was written: the file, its rows, columns and bytes; `inside` is the indexed folder that it is in, "" for none."""

    path: str
    sections: int
    columns: tuple[str, ...]
    bytes: int
    inside: str


def export_index(index_dir: Path, out: Path, *, is_replaced: bool = False) -> Export:
    """Write every section of an index into the file `out`, whose ending says the form.

    `is_replaced`: a file that is there is replaced.

    Raises:
        SourceError: `out` has another ending, is there, cannot be written, is in the index folder or is an indexed document.
        IndexStoreError: the index cannot be read.
    """
    form = FORMS.get(out.suffix.lower())
    if form is None:
        raise SourceError(f"{out} has none of the endings {', '.join(FORMS)}; give the file one of them.", path=out)
    table = SectionTable.open(store_dir(index_dir)).snapshot()
    made = table.fingerprint
    inside = _check_place(index_dir, out)
    _refuse_existing(out, is_replaced=is_replaced)
    whole = get_sections_schema(made.dimension, made.second_dimension)
    kept = [name for name in whole.names if form.has_vectors or name not in VECTORS]
    # like the index, the file says what made its vectors
    schema = pa.schema([_wide(whole.field(name)) for name in kept], metadata={"sectionary": json.dumps(asdict(made))})
    new = out.with_name(f".{os.urandom(8).hex()}.part")
    count = 0
    try:
        with new.open("xb") as stream:
            with form.writer(stream, schema) as write:
                for batch in table.retrieval.batches(schema.names, rows=ROWS):
                    write(batch)
                    count += batch.num_rows
            stream.flush()
            os.fsync(stream.fileno())
        _refuse_existing(out, is_replaced=is_replaced)
        size = new.stat().st_size
        new.replace(out)
    except OSError as error:
        raise SourceError(
            f"{out} cannot be written ({error.strerror or error}); check the folder's rights and the disk's space.", path=out
        ) from error
    finally:
        with contextlib.suppress(OSError):
            new.unlink(missing_ok=True)
    return Export(path=str(out), sections=count, columns=tuple(schema.names), bytes=size, inside=inside)


def _check_place(index_dir: Path, out: Path) -> str:
    """Return the indexed folder that a file is in, as the index names it; "" for none.

    Raises:
        SourceError: it is in the index folder, or is a document of the index.
    """
    place = Path(os.path.realpath(out.parent)) / out.name
    if place.is_relative_to(os.path.realpath(index_dir)):
        raise SourceError(f"{out} is in the index folder, which is deleted with the index; choose another place.", path=out)
    manifest = read_manifest(manifest_path(store_dir(index_dir)))
    roots = roots_of(index_dir, manifest.metadata, is_own=is_own(index_dir))
    path = roots.spell(place)
    if path is None:
        return ""
    if path in manifest.files:
        raise SourceError(
            f"{out} is a document of the index, which an export does not replace; choose another name.", path=out
        )
    root = roots.root_of(path)
    return roots.name_of(root) if root is not None else ""


def _refuse_existing(out: Path, *, is_replaced: bool) -> None:
    if out.is_dir():
        raise SourceError(f"{out} is a folder; give the name of a file in it.", path=out)
    if not is_replaced and os.path.lexists(out):
        raise SourceError(f"{out} is there already; give another name, or --force to replace it.", path=out)


@contextlib.contextmanager
def _parquet(stream: IO[bytes], schema: pa.Schema) -> Iterator[_Write]:
    with pq.ParquetWriter(stream, schema, compression="zstd") as writer:
        # the library's own notes about the columns stay behind; not everything that reads Parquet knows numbers of 16 bits
        yield lambda batch: writer.write_table(pa.Table.from_arrays(batch.columns, names=schema.names).cast(schema))


@contextlib.contextmanager
def _json_lines(stream: IO[bytes], _schema: pa.Schema) -> Iterator[_Write]:
    def write(batch: pa.Table) -> None:
        for row in batch.to_pylist():
            stream.write(
                f"{to_json({name: _plain(name, value) for name, value in row.items()})}\n".encode("utf-8", "replace")
            )

    yield write


@contextlib.contextmanager
def _csv(stream: IO[bytes], schema: pa.Schema) -> Iterator[_Write]:
    text = io.TextIOWrapper(stream, encoding="utf-8", errors="replace", newline="", write_through=True)
    rows = csv.writer(text)
    rows.writerow(schema.names)

    def write(batch: pa.Table) -> None:
        for row in batch.to_pylist():
            values = [_plain(name, row[name]) for name in schema.names]
            rows.writerow([to_json(value) if isinstance(value, list | dict | bool) else value for value in values])

    yield write
    text.detach()


def _wide(field: pa.Field) -> pa.Field:
    """The field with numbers of 32 bits for those of 16."""
    return field.with_type(_wide_type(field.type))


def _wide_type(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_fixed_size_list(kind):
        return pa.list_(_wide_type(kind.value_type), kind.list_size)
    if pa.types.is_list(kind):
        return pa.list_(_wide_type(kind.value_type))
    return pa.float32() if pa.types.is_float16(kind) else kind


def _plain(name: str, value: Any) -> Any:
    """Return a value as JSON has it: times in UTC by ISO 8601, front matter as an object."""
    if isinstance(value, datetime):
        return f"{value.isoformat(timespec='milliseconds')}Z"
    return json.loads(value, parse_constant=lambda _: None) if name == "front_matter" and value else value


class _Form(NamedTuple):
    """A form of file: what writes it, and whether it has vectors."""

    writer: Callable[[IO[bytes], Any], AbstractContextManager[_Write]]
    has_vectors: bool


#: The forms by the ending of the file.
FORMS = {".parquet": _Form(_parquet, True), ".jsonl": _Form(_json_lines, False), ".csv": _Form(_csv, False)}
