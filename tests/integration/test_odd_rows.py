"""Tables that hold what no section has, written by the library itself: every door ends in a sentence."""

import lancedb
import pyarrow as pa
import pytest

from schema.errors import IndexDamagedError, SectionaryError
from schema.index_files.layout import store_dir
from tests.lance_tables import lance_table

ODD = {
    "null id": ("id", None),
    "null content": ("content", None),
    "null path": ("document_path", None),
    "null heading": ("heading", None),
    "null terms": ("terms", None),
    "null position": ("position", None),
    "null depth": ("depth", None),
    "null hash": ("input_hash", None),
    "null dirty": ("is_dirty", None),
    "null tags": ("tags", None),
    "null in a heading path": ("heading_path", ["a", None]),
    "null in tags": ("tags", [None]),
    "null in a number": ("section_number", [None, 1]),
    "null window": ("windows", [None]),
    "negative window": ("windows", [{"start": -5, "end": 3}]),
    "turned window": ("windows", [{"start": 5, "end": 3}]),
    "endless window": ("windows", [{"start": 0, "end": 2**62}]),
    "open window": ("windows", [{"start": 0, "end": None}]),
    "too many windows": ("windows", [{"start": 0, "end": 1}] * 500),
    "no windows": ("windows", []),
    "no vectors of windows": ("window_vectors", []),
    "null vector of a window": ("window_vectors", [None]),
    "vector that is no number": ("vector", [float("nan")] * 32),
    "endless vector": ("vector", [float("inf")] + [0.0] * 31),
    "window that is no number": ("window_vectors", [[float("nan")] * 32]),
    "endless heading": ("heading_vector", [float("-inf")] + [0.0] * 31),
    "vector with a gap": ("vector", [None] + [0.0] * 31),
    "zero vector": ("vector", [0.0] * 32),
    "coverage that is no number": ("model_coverage", float("nan")),
    "huge depth": ("depth", 2**31 - 1),
    "negative depth": ("depth", -1),
    "negative start": ("body_start", -(2**62)),
    "body after its end": ("body_start", 2**62),
    "negative line": ("start_line", -7),
    "huge position": ("position", 2**31 - 1),
    "negative tokens": ("token_count", -(2**31)),
    "huge tokens": ("token_count", 2**31 - 1),
    "front matter that is no JSON": ("front_matter", "{"),
    "front matter that is no object": ("front_matter", "[1]"),
    "front matter nested": ("front_matter", "[" * 100_000),
    "front matter with a huge number": ("front_matter", '{"a": 1' + "0" * 5000 + "}"),
    "parent of itself": ("parent_id", "self"),
    "path out of the folder": ("document_path", "../../../etc/passwd"),
    "path with a NUL": ("document_path", "docs/\0.md"),
    "path without a name": ("document_path", ""),
    "time before all calendars": ("updated_at", -(2**62)),
    "time after all calendars": ("updated_at", 2**62),
    "no text of sentences": ("terms", ""),
    "terms of another layout": ("terms", "\n\n\n\n\n \n x \n"),
    "same id": ("id", "same"),
    "dirty without a vector": ("vector", None),
}


def rewritten(project, change):
    """Write the table again, after `change` of its rows and schema."""
    place = store_dir(project.index_dir)
    rows = lance_table(place).to_arrow()
    connection = lancedb.connect(place)
    connection.create_table("sections", change(rows), mode="overwrite", on_bad_vectors="null")


def with_value(rows, name, value, *, everywhere):
    at = rows.schema.get_field_index(name)
    field = rows.schema.field(name)
    kept = rows[name].cast(pa.int64()).to_pylist() if pa.types.is_timestamp(field.type) else rows[name].to_pylist()
    odd = [(rows["id"][i].as_py() if value == "self" else value) for i in range(len(kept))]
    values = odd if everywhere else [odd[0], *kept[1:]]
    column = pa.array(values, pa.int64() if pa.types.is_timestamp(field.type) else field.type).cast(field.type)
    return rows.set_column(at, pa.field(name, field.type), column)


def outlines(engine):
    return [engine.outline(document.path) for document in engine.documents()]


def every_door(project):
    """Read and write the index in every way; what each ended in, where that was a sentence."""
    doors = {
        "status": lambda: project.indexer().status(),
        "verify": lambda: project.indexer().verify(),
        "search": lambda: project.engine().search("penguins special crank", limit=50),
        "words": lambda: project.engine().search("widget", mode="lexical", filters={"tags": "api", "since": "9d"}),
        "context": lambda: project.engine().context("penguins"),
        "documents": lambda: outlines(project.engine()),
        "dirty": lambda: project.indexer().process_dirty(),
    }
    told = {}
    for name, open_door in doors.items():
        try:
            open_door()
        except SectionaryError as error:
            told[name] = str(error)
    return told


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: odd.replace(" ", "-"))
def test_row_that_holds_what_no_section_has_is_a_sentence_and_is_healed(indexed_manual, odd):
    name, value = ODD[odd]
    try:
        rewritten(indexed_manual, lambda rows: with_value(rows, name, value, everywhere=odd == "same id"))
    except (RuntimeError, ValueError) as error:
        pytest.skip(f"the library does not write it: {error}")
    for sentence in every_door(indexed_manual).values():
        assert sentence.startswith("The index in")
        assert sentence.count("\n") == 0
    try:
        indexed_manual.indexer().verify(repair=True)
    except IndexDamagedError:
        indexed_manual.indexer().rebuild(indexed_manual.home / "docs")
    assert indexed_manual.indexer().verify().differences == ()
    assert indexed_manual.engine().search("penguins")[0].section.heading == "Linux"


def retyped(name, kind):
    def change(rows):
        at = rows.schema.get_field_index(name)
        return rows.set_column(at, pa.field(name, kind), pa.nulls(len(rows), kind))

    return change


def shorter_vectors(rows):
    vectors = pa.FixedSizeListArray.from_arrays(pa.array([0.5] * 31 * len(rows), pa.float32()), 31)
    return rows.set_column(rows.schema.get_field_index("vector"), "vector", vectors)


TYPES = {
    "content is a number": retyped("content", pa.int64()),
    "vector is a text": retyped("vector", pa.string()),
    "vector of another size": shorter_vectors,
    "heading path is a text": retyped("heading_path", pa.string()),
    "windows are numbers": retyped("windows", pa.list_(pa.int64())),
    "checksum is a text": retyped("checksum", pa.string()),
    "no content": lambda rows: rows.drop_columns(["content"]),
    "another column": lambda rows: rows.append_column("more", pa.array(range(len(rows)))),
    "columns in another order": lambda rows: rows.select(rows.column_names[::-1]),
}


@pytest.mark.parametrize("odd", TYPES, ids=lambda odd: odd.replace(" ", "-"))
def test_table_with_other_columns_is_a_sentence_and_is_healed(indexed_manual, odd):
    rewritten(indexed_manual, TYPES[odd])
    told = every_door(indexed_manual)
    assert "other columns than Sectionary gives it" in told["status"]
    assert {"status", "search", "words", "context", "documents"} <= set(told)
    indexed_manual.indexer().verify(repair=True)
    assert indexed_manual.indexer().verify().differences == ()
    assert indexed_manual.engine().search("penguins")[0].section.heading == "Linux"
