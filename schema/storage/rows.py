"""Sections ↔ Arrow rows: the schema of the table and the one translation in each direction."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from schema import arguments
from schema.index_files.term_counts import sentence_hashes
from schema.protocols import Vectors
from schema.results import DocumentInfo, SectionLink, Window
from schema.sections import Section
from schema.storage.row_checksums import CHECKSUM, checksums, text_digests
from schema.storage.vector_columns import second_dimension, split, vector_column, vector_matrix, window_column, window_matrix
from schema.storage.window_offsets import in_body, in_plain_body
from schema.text.fields import prose_words, section_terms
from schema.text.language import section_languages

#: The columns of a `Section`, which a hit needs.
SECTION_COLUMNS = (
    "id", "document_path", "heading", "depth", "content", "token_count", "parent_id", "order", "is_dirty",
    "document_hash", "created_at", "updated_at", "summary", "document_summary", "heading_path", "anchor", "start_line",
    "end_line", "start", "end", "body_start", "position", "section_number", "content_hash", "document_title", "tags",
    "hidden", "place",
)  # fmt: skip
#: The columns an outline needs.
LINK_COLUMNS = (
    "id", "document_path", "heading", "depth", "parent_id", "order", "position", "anchor", "start_line", "end_line",
    "token_count", "section_number", "summary", "document_title", "place",
)  # fmt: skip
#: The columns that describe the document of a section.
DOCUMENT_COLUMNS = ("document_path", "document_title", "tags", "front_matter")
_TUPLES = frozenset({"heading_path", "section_number", "tags", "hidden"})
_TIMES = frozenset({"created_at", "updated_at"})
_STORED_COLUMNS = (
    *SECTION_COLUMNS, "front_matter", "input_hash", "child_headings", "model_coverage", "windows", "terms", "prose_words",
    "prose_below", "language", "summary_source", "document_summary_source", "awaits_second", "has_second",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Embedding:
    """What a model made of one section.

    `vector`: float32, shape (dimension,), unit length, for the section's beginning. `window_vectors`: float32, shape
    (len(windows), dimension), unit length, for all of it in small windows. `windows`: offsets into the section's body with
    each line end as one character (see `window_offsets`). `coverage`: 0..1, see `Embedder.coverage`. `second`: as
    `window_vectors`, by the second model, if it knows the section's language and has read it; `awaits_second`: it will read
    it. `heading`: as `vector`, of the heading alone, if the model knows several languages.
    """

    vector: Vectors
    window_vectors: Vectors
    windows: tuple[Window, ...]
    coverage: float
    second: Vectors | None = None
    awaits_second: bool = False
    heading: Vectors | None = None


@dataclass(frozen=True, slots=True)
class StoredSection:
    """A section as the table holds it, with its embedding and the input that the embedding was made from.

    `input_hash` identifies the text given to the model, so equal hashes can share vectors. `child_headings` are those of
    the direct children, kept only for a heading that has no text of its own.

    The next four may be None, and are then computed when the row is written: `terms`, the full-text field;
    `prose_words`, the amount of prose of the section; `prose_below`, the same with all sections below it (for the first
    section, with all of the document); `language`, that of its text or of its document's front matter ("" if unknown).

    The sources are the names of the summarizers that were asked about the text as it is now, None if none was; a summary
    may be None even so. `is_intact` is False for a row that is not as it was written, since a file is damaged.
    """

    section: Section
    input_hash: str
    child_headings: tuple[str, ...] = ()
    front_matter: Mapping[str, Any] = field(default_factory=dict)
    embedding: Embedding | None = None
    terms: str | None = None
    prose_words: int | None = None
    prose_below: int | None = None
    language: str | None = None
    summary_source: str | None = None
    document_summary_source: str | None = None
    is_intact: bool = True


class DirtySection(NamedTuple):
    """A section whose vector is older than its text; equal input hashes get equal vectors."""

    id: str
    input_hash: str
    token_count: int


def get_sections_schema(vector_dimension: int = 256, second_dimension: int = 0) -> pa.Schema:
    """The schema of the sections table for vectors of `vector_dimension` floats.

    A second model's have `second_dimension`, 0 without a second model. The first fifteen fields are the original design's.
    `created_at` and `updated_at` hold UTC by definition. Vectors but that of the section have 16 bits a number, half as many
    bytes: no cosine changes by more than a thousandth.
    """
    arguments.whole("vector_dimension", vector_dimension, least=1)
    arguments.whole("second_dimension", second_dimension, least=0)
    vector = pa.list_(pa.float32(), vector_dimension)
    half = pa.list_(pa.float16(), vector_dimension)
    return pa.schema(
        [
            pa.field("id", pa.string()),
            pa.field("document_path", pa.string()),
            pa.field("heading", pa.string()),
            pa.field("depth", pa.int32()),
            pa.field("content", pa.string()),
            pa.field("token_count", pa.int32()),
            pa.field("vector", vector),
            pa.field("parent_id", pa.string()),
            pa.field("order", pa.int32()),
            pa.field("is_dirty", pa.bool_()),
            pa.field("document_hash", pa.string()),
            pa.field("created_at", pa.timestamp("ms")),
            pa.field("updated_at", pa.timestamp("ms")),
            pa.field("summary", pa.string()),
            pa.field("document_summary", pa.string()),
            # where the section is in its document
            pa.field("heading_path", pa.list_(pa.string())),
            pa.field("anchor", pa.string()),
            pa.field("start_line", pa.int32()),
            pa.field("end_line", pa.int32()),
            pa.field("start", pa.int64()),
            pa.field("end", pa.int64()),
            pa.field("body_start", pa.int64()),
            pa.field("position", pa.int32()),
            pa.field("section_number", pa.list_(pa.int32())),
            pa.field("content_hash", pa.string()),
            pa.field("hidden", pa.list_(pa.int64())),
            pa.field("place", pa.string()),
            # its document
            pa.field("document_title", pa.string()),
            pa.field("tags", pa.list_(pa.string())),
            pa.field("front_matter", pa.string()),
            # who was asked for the summaries of the text as it is
            pa.field("summary_source", pa.string()),
            pa.field("document_summary_source", pa.string()),
            # what searching needs
            pa.field("terms", pa.string()),
            pa.field("sentence_hashes", pa.list_(pa.int64())),
            pa.field("prose_words", pa.int32()),
            pa.field("prose_below", pa.int32()),
            pa.field("language", pa.string()),
            pa.field("input_hash", pa.string()),
            pa.field("child_headings", pa.list_(pa.string())),
            pa.field("model_coverage", pa.float32()),
            pa.field("windows", pa.list_(pa.struct([("start", pa.int64()), ("end", pa.int64())]))),
            pa.field("window_vectors", pa.list_(half)),
            pa.field("heading_vector", half),
            # a second model, for the languages that it knows better
            pa.field("awaits_second", pa.bool_()),
            pa.field("has_second", pa.bool_()),
            *([pa.field("second_vectors", pa.list_(pa.list_(pa.float16(), second_dimension)))] if second_dimension else ()),
            # whether the row is still as it was written
            pa.field("checksum", pa.int64()),
        ]
    )


def to_arrow(stored: Sequence[StoredSection], schema: pa.Schema) -> pa.Table:
    """Rows of the sections table, in the order given; `schema` is `get_sections_schema` of the vectors' dimension."""
    sections = [row.section for row in stored]
    columns: dict[str, list[Any]] = {name: list(map(attrgetter(name), sections)) for name in SECTION_COLUMNS}
    for name in _TUPLES:
        columns[name] = list(map(list, columns[name]))
    for name in _TIMES:
        columns[name] = [None if time is None else time.astimezone(UTC).replace(tzinfo=None) for time in columns[name]]
    for name in ("summary_source", "document_summary_source", "input_hash"):
        columns[name] = list(map(attrgetter(name), stored))
    columns["child_headings"] = [list(row.child_headings) for row in stored]
    columns["front_matter"] = list(_front_matters(stored))
    columns["terms"] = [section_terms(row.section, row.front_matter) if row.terms is None else row.terms for row in stored]
    columns["sentence_hashes"] = [sentence_hashes(text) for text in columns["terms"]]
    columns["prose_words"] = [prose_words(row.section) if row.prose_words is None else row.prose_words for row in stored]
    columns["prose_below"] = [
        own if row.prose_below is None else row.prose_below for own, row in zip(columns["prose_words"], stored, strict=True)
    ]
    columns["language"] = [
        section_languages([row.section], row.front_matter)[0] if row.language is None else row.language for row in stored
    ]
    arrays = _made_columns(stored, schema)
    arrays |= {name: pa.array(values, schema.field(name).type) for name, values in columns.items() if name not in arrays}
    kept = [spec for spec in schema if spec.name != CHECKSUM]
    table = pa.Table.from_arrays([arrays[spec.name] for spec in kept], schema=pa.schema(kept))
    return _with_checksums(table, text_digests(table), schema)


def with_embeddings(table: pa.Table, digests: Sequence[bytes], stored: Sequence[StoredSection]) -> pa.Table:
    """The rows of a table, which were read from the sections table, with the embeddings of the same sections in `stored`.

    `digests` are the `text_digests` of the rows. Nothing else of `stored` is looked at but whether sections are dirty.
    """
    for name, array in _made_columns(stored, table.schema).items():
        table = table.set_column(table.schema.get_field_index(name), table.schema.field(name), array)
    return _with_checksums(table.drop_columns([CHECKSUM]), digests, table.schema)


def _made_columns(stored: Sequence[StoredSection], schema: pa.Schema) -> dict[str, pa.Array]:
    """The columns that change when rows get vectors."""
    embeddings = [row.embedding for row in stored]
    columns: dict[str, list[Any]] = {
        "is_dirty": [row.section.is_dirty for row in stored],
        "model_coverage": [e.coverage if e else None for e in embeddings],
        "awaits_second": [e is not None and e.awaits_second for e in embeddings],
        "has_second": [e is not None and e.second is not None for e in embeddings],
        "windows": [
            [{"start": start, "end": end} for start, end in in_body(e.windows, row.section.body)] if e else None
            for row, e in zip(stored, embeddings, strict=True)
        ],
    }
    arrays = {name: pa.array(values, schema.field(name).type) for name, values in columns.items()}
    kinds = {name: schema.field(name).type for name in schema.names}
    arrays["vector"] = vector_column([e.vector if e else None for e in embeddings], kinds["vector"])
    arrays["heading_vector"] = vector_column([e.heading if e else None for e in embeddings], kinds["heading_vector"])
    arrays["window_vectors"] = window_column([e.window_vectors if e else None for e in embeddings], kinds["window_vectors"])
    if "second_vectors" in kinds:
        arrays["second_vectors"] = window_column([e.second if e else None for e in embeddings], kinds["second_vectors"])
    return arrays


def _with_checksums(table: pa.Table, digests: Sequence[bytes], schema: pa.Schema) -> pa.Table:
    sums = pa.array(checksums(table, digests), pa.int64())
    return table.append_column(CHECKSUM, sums).select(schema.names).cast(schema)


def _front_matters(stored: Sequence[StoredSection]) -> Iterator[str]:
    """The front matter of each row as JSON; the sections of a document share it."""
    last, text = None, ""
    for row in stored:
        if row.front_matter is not last:
            last, text = row.front_matter, json.dumps(row.front_matter, ensure_ascii=False)
        yield text


def from_arrow(table: pa.Table) -> list[StoredSection]:
    """Rows of the table as records, in the table's order; needs every column."""
    return read_rows(table)[0]


def read_rows(table: pa.Table) -> tuple[list[StoredSection], list[bytes]]:
    """Rows of the table as records, in the table's order, and their `text_digests`; needs every column."""
    digests = text_digests(table)
    sums = zip(checksums(table, digests), table[CHECKSUM].to_pylist(), strict=True)
    rows = [
        StoredSection(
            section=(section := to_section(row)),
            input_hash=row["input_hash"],
            child_headings=tuple(row["child_headings"] or ()),
            front_matter=json.loads(row["front_matter"] or "{}"),
            embedding=_embedding(row, made, section.body),
            terms=row["terms"],
            prose_words=row["prose_words"],
            prose_below=row["prose_below"],
            language=row["language"],
            summary_source=row["summary_source"],
            document_summary_source=row["document_summary_source"],
            is_intact=is_intact,
        )
        for row, made, is_intact in zip(*_values(table), (mine == theirs for mine, theirs in sums), strict=True)
    ]
    return rows, digests


def to_section(row: Mapping[str, Any]) -> Section:
    """The section of a row that has at least `SECTION_COLUMNS`."""
    values = {name: row[name] for name in SECTION_COLUMNS}
    for name in _TUPLES:
        values[name] = tuple(values[name] or ())
    for name in _TIMES:
        values[name] = None if values[name] is None else values[name].replace(tzinfo=UTC)
    return Section(**values)


def to_link(row: Mapping[str, Any]) -> SectionLink:
    """The outline entry of a row that has at least `LINK_COLUMNS`."""
    values = {name: row[name] for name in LINK_COLUMNS}
    title = values.pop("document_title")
    if not values["depth"]:
        values["heading"] = title or values["document_path"]
    values["section_number"] = tuple(values["section_number"] or ())
    return SectionLink(**values)


def to_document(row: Mapping[str, Any], *, section_count: int, token_count: int) -> DocumentInfo:
    """Return the document of a row that has at least `DOCUMENT_COLUMNS`; the counts are of all its sections."""
    return DocumentInfo(
        path=row["document_path"],
        title=row["document_title"],
        section_count=section_count,
        token_count=token_count,
        tags=tuple(row["tags"] or ()),
        front_matter=json.loads(row["front_matter"] or "{}"),
    )


def to_windows(value: Iterable[Mapping[str, int]] | None) -> tuple[Window, ...]:
    """The windows of a row's `windows` column."""
    return tuple(Window(w["start"], w["end"]) for w in value or ())


class _Made(NamedTuple):
    """The vectors of a row: of its beginning, of its windows by both models, and of its heading."""

    vector: Vectors | None
    windows: Vectors
    second: Vectors
    heading: Vectors | None


def _embedding(row: Mapping[str, Any], made: _Made, body: str) -> Embedding | None:
    if made.vector is None:
        return None
    return Embedding(
        vector=made.vector.copy(),  # a view would keep all vectors of the batch in memory
        window_vectors=made.windows.copy(),
        windows=in_plain_body(to_windows(row["windows"]), body),
        coverage=row["model_coverage"],
        second=made.second.copy() if len(made.second) else None,
        awaits_second=row["awaits_second"],
        heading=None if made.heading is None else made.heading.copy(),
    )


def _values(table: pa.Table) -> tuple[list[dict[str, Any]], list[_Made]]:
    """Return the plain values and the vectors of each row."""
    dimension = table.schema.field("vector").type.list_size
    windows = split(*window_matrix(table["window_vectors"], dimension))
    second = [np.zeros((0, 0), np.float32)] * len(table)
    if "second_vectors" in table.schema.names:
        second = split(*window_matrix(table["second_vectors"], second_dimension(table.schema)))
    own, headings = (_or_none(*vector_matrix(table[name], dimension)) for name in ("vector", "heading_vector"))
    return table.select(_STORED_COLUMNS).to_pylist(), list(map(_Made, own, windows, second, headings))


def _or_none(vectors: Vectors, present: npt.NDArray[np.bool_]) -> list[Vectors | None]:
    return [vector if there else None for vector, there in zip(vectors, present, strict=True)]
