"""Sections ↔ Arrow rows: the schema of the table and the one translation in each direction."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from schema.protocols import Vectors
from schema.results import DocumentInfo, SectionLink, Window
from schema.sections import Section
from schema.terms import sentence_spans, terms

#: The columns a hit needs: everything of a `Section`.
SECTION_COLUMNS = (
    "id", "document_path", "heading", "depth", "content", "token_count", "parent_id", "order", "is_dirty",
    "document_hash", "created_at", "updated_at", "summary", "document_summary", "heading_path", "anchor", "start_line",
    "end_line", "start", "end", "body_start", "position", "section_number", "content_hash", "document_title", "tags",
)  # fmt: skip
#: The columns an outline needs.
LINK_COLUMNS = (
    "id", "document_path", "heading", "depth", "parent_id", "order", "position", "anchor", "start_line", "end_line",
    "token_count", "section_number", "summary",
)  # fmt: skip
#: The columns that say what document a section stands in.
DOCUMENT_COLUMNS = ("document_path", "document_title", "tags", "front_matter")
_TUPLES = frozenset({"heading_path", "section_number", "tags"})
_TIMES = frozenset({"created_at", "updated_at"})
_STORED_COLUMNS = (
    *SECTION_COLUMNS, "front_matter", "input_hash", "child_headings", "model_coverage", "windows", "terms", "summary_source",
    "document_summary_source",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Embedding:
    """What a model made of one section.

    `vector`: float32, shape (dimension,), unit length, for the section's beginning, read at one go. `window_vectors`:
    float32, shape (len(windows), dimension), unit length, for all of it in small windows. `windows`: offsets into the
    section's body. `coverage`: 0..1, see `Embedder.coverage`.
    """

    vector: Vectors
    window_vectors: Vectors
    windows: tuple[Window, ...]
    coverage: float


@dataclass(frozen=True, slots=True)
class StoredSection:
    """A section as the table holds it: beside the section what its embedding was made from, and the embedding.

    `input_hash` identifies the text given to the model, so equal hashes can share vectors. `child_headings` are the
    direct children's, kept only for a heading that has no text of its own. `terms` are what the table's full-text field
    holds; None until they are worked out from the section when it is written. The sources are the names of the summarizers
    that were asked about the text as it is now (a summary may still be None: nothing to say); None where none was.
    """

    section: Section
    input_hash: str
    child_headings: tuple[str, ...] = ()
    front_matter: Mapping[str, Any] = field(default_factory=dict)
    embedding: Embedding | None = None
    terms: str | None = None
    summary_source: str | None = None
    document_summary_source: str | None = None


class DirtySection(NamedTuple):
    """A section whose vector is older than its text; equal input hashes get equal vectors."""

    id: str
    input_hash: str
    token_count: int


def get_sections_schema(vector_dimension: int = 256) -> pa.Schema:
    """The schema of the sections table for vectors of `vector_dimension` floats.

    The first fifteen fields are the original design's. `created_at` and `updated_at` hold UTC by definition.
    """
    if isinstance(vector_dimension, bool) or not isinstance(vector_dimension, int) or vector_dimension < 1:
        raise ValueError(f"vector_dimension must be a whole number of at least 1, not {vector_dimension!r}")
    vector = pa.list_(pa.float32(), vector_dimension)
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
            # where the section stands
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
            # the document it stands in
            pa.field("document_title", pa.string()),
            pa.field("tags", pa.list_(pa.string())),
            pa.field("front_matter", pa.string()),
            # who was asked for the summaries of the text as it is
            pa.field("summary_source", pa.string()),
            pa.field("document_summary_source", pa.string()),
            # what searching needs
            pa.field("terms", pa.string()),
            pa.field("input_hash", pa.string()),
            pa.field("child_headings", pa.list_(pa.string())),
            pa.field("model_coverage", pa.float32()),
            pa.field("windows", pa.list_(pa.struct([("start", pa.int64()), ("end", pa.int64())]))),
            pa.field("window_vectors", pa.list_(vector)),
        ]
    )


def section_terms(section: Section) -> str:
    """What full text finds a section by: a line of terms for title and headings, for the path, for summaries, for each
    sentence.

    Of a summary only the terms that the section does not have itself: what it says already must not count twice. Nor does
    the document's summary count: with a first section that is only a heading it would stand before those that answer.
    """
    body = section.body
    head, path = (" ".join(terms(text)) for text in ("\n".join(section.breadcrumb), section.document_path))
    # each line is joined at once: the terms of a large text take many times its memory
    sentences = [" ".join(terms(body[start:end])) for start, end in sentence_spans(body)]
    said = terms(section.summary or "")
    added = set(said)
    for line in (head, *sentences) if added else ():
        added.difference_update(line.split(" "))
    summary = " ".join(term for term in said if term in added)
    return "\n".join((head, path, summary, *sentences))


def to_arrow(stored: Sequence[StoredSection], schema: pa.Schema) -> pa.Table:
    """Rows of the sections table, in the order given; `schema` is `get_sections_schema` of the vectors' dimension."""
    columns: dict[str, list[Any]] = {name: [] for name in schema.names if name not in ("vector", "window_vectors")}
    front_matter, told = None, ""
    for row in stored:
        for name in SECTION_COLUMNS:
            value = getattr(row.section, name)
            if name in _TIMES:
                value = None if value is None else value.astimezone(UTC).replace(tzinfo=None)
            columns[name].append(list(value) if name in _TUPLES else value)
        if row.front_matter is not front_matter:  # the sections of a document share it
            front_matter, told = row.front_matter, json.dumps(row.front_matter, ensure_ascii=False)
        columns["front_matter"].append(told)
        columns["terms"].append(section_terms(row.section) if row.terms is None else row.terms)
        columns["summary_source"].append(row.summary_source)
        columns["document_summary_source"].append(row.document_summary_source)
        columns["input_hash"].append(row.input_hash)
        columns["child_headings"].append(list(row.child_headings))
        columns["model_coverage"].append(row.embedding.coverage if row.embedding else None)
        columns["windows"].append(
            [{"start": w.start, "end": w.end} for w in row.embedding.windows] if row.embedding else None
        )
    arrays = []
    for spec in schema:
        if spec.name == "vector":
            arrays.append(_vectors(stored, spec.type))
        elif spec.name == "window_vectors":
            arrays.append(_window_vectors(stored, spec.type))
        else:
            arrays.append(pa.array(columns[spec.name], spec.type))
    return pa.Table.from_arrays(arrays, schema=schema)


def from_arrow(table: pa.Table) -> list[StoredSection]:
    """Rows of the table as records, in the table's order; needs every column."""
    plain = table.select(_STORED_COLUMNS).to_pylist()
    dimension = table.schema.field("vector").type.list_size
    vectors, has_vector = vector_matrix(table["vector"], dimension)
    window_vectors, counts = window_matrix(table["window_vectors"], dimension)
    ends = np.cumsum(counts).tolist()
    found = []
    for i, (row, end) in enumerate(zip(plain, ends, strict=True)):
        embedding = None
        if has_vector[i]:
            # copies: a row that is kept must not keep the others' vectors in memory
            own = window_vectors[end - int(counts[i]) : end].copy()
            embedding = Embedding(vectors[i].copy(), own, to_windows(row["windows"]), row["model_coverage"])
        found.append(
            StoredSection(
                section=to_section(row),
                input_hash=row["input_hash"],
                child_headings=tuple(row["child_headings"] or ()),
                front_matter=json.loads(row["front_matter"] or "{}"),
                embedding=embedding,
                terms=row["terms"],
                summary_source=row["summary_source"],
                document_summary_source=row["document_summary_source"],
            )
        )
    return found


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
    values["section_number"] = tuple(values["section_number"] or ())
    return SectionLink(**values)


def to_document(row: Mapping[str, Any], *, section_count: int, token_count: int) -> DocumentInfo:
    """The document of a row that has at least `DOCUMENT_COLUMNS`, with what its sections come to."""
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


def vector_matrix(column: pa.ChunkedArray, dimension: int) -> tuple[Vectors, npt.NDArray[np.bool_]]:
    """Vectors of shape (rows, dimension), zero where there is none, and which rows have one."""
    present = column.is_valid().to_numpy(zero_copy_only=False)
    matrix = np.zeros((len(column), dimension), np.float32)
    values = column.drop_null().combine_chunks()
    flat = values.flatten() if len(values) else pa.array([], pa.float32())
    matrix[present] = flat.to_numpy(zero_copy_only=False).reshape(-1, dimension)
    return matrix, present


def window_matrix(column: pa.ChunkedArray, dimension: int) -> tuple[Vectors, npt.NDArray[np.int64]]:
    """All window vectors, shape (windows, dimension), section after section, and how many each section has."""
    counts = pc.fill_null(pc.list_value_length(column), 0).to_numpy(zero_copy_only=False).astype(np.int64)
    lists = column.drop_null().combine_chunks()
    flat = lists.flatten().flatten() if len(lists) else pa.array([], pa.float32())
    return flat.to_numpy(zero_copy_only=False).reshape(-1, dimension), counts


def _vectors(stored: Sequence[StoredSection], kind: pa.FixedSizeListType) -> pa.Array:
    size = kind.list_size
    blank = np.zeros(size, np.float32)
    flat = [blank if row.embedding is None else row.embedding.vector for row in stored]
    values = np.concatenate(flat) if flat else np.zeros(0, np.float32)
    missing = pa.array([row.embedding is None for row in stored], pa.bool_())
    return pa.FixedSizeListArray.from_arrays(pa.array(values, pa.float32()), size, mask=missing)


def _window_vectors(stored: Sequence[StoredSection], kind: pa.ListType) -> pa.Array:
    inner = kind.value_type
    parts = [row.embedding.window_vectors for row in stored if row.embedding is not None]
    values = np.concatenate(parts).ravel() if parts else np.zeros(0, np.float32)
    counts = [0 if row.embedding is None else len(row.embedding.window_vectors) for row in stored]
    offsets = pa.array(np.concatenate([[0], np.cumsum(counts)]).astype(np.int32))
    missing = pa.array([row.embedding is None for row in stored], pa.bool_())
    vectors = pa.FixedSizeListArray.from_arrays(pa.array(values, pa.float32()), inner.list_size)
    return pa.ListArray.from_arrays(offsets, vectors, type=kind, mask=missing)
