"""The files and indexes of a large table: when they are merged, brought up to date and made again."""

import lancedb
import numpy as np
import pyarrow as pa
import pytest

import schema.storage.indexes
import schema.storage.maintenance
from schema.index_files.layout import store_dir
from search.sources.stored import TableSource
from tests.lance_tables import indexed_columns, lance_table
from tests.large import page, table_of


def test_index_that_cannot_be_brought_up_to_date_is_made_again(large, monkeypatch, caplog):
    table, kind = table_of(large), type(lance_table(store_dir(large.index_dir)))
    real = kind.optimize
    calls = []

    def optimize(self, **given):
        calls.append(given)
        if len(calls) == 1:
            raise RuntimeError("a fault of the index")
        return real(self, **given)

    monkeypatch.setattr(kind, "optimize", optimize)
    table.optimize(force=True)
    assert len(calls) == 2
    assert "could not be brought up to date (a fault of the index) and are made again" in caplog.text
    assert isinstance(large.engine().source(), TableSource)


def written_again(table, sections):
    table.embed(table.read([each.section.id for each in sections]), sections)


def tended(table, *, files):
    """How many files the table has after it was looked after with so many."""
    table.optimize(force=True)
    sections = table.stored(sorted(table.paths()))
    for section in sections[: files - table.statistics().fragments]:
        written_again(table, [section])
    assert table.statistics().fragments == files
    table.optimize()
    return table.statistics().fragments


def test_files_of_a_large_table_are_merged_when_there_are_64_of_a_small_one_at_16(large, monkeypatch):
    monkeypatch.setattr(schema.storage.maintenance, "MIN_UNINDEXED", 100)
    table = table_of(large)
    assert tended(table, files=17) == 17
    assert tended(table, files=64) < 16
    monkeypatch.setattr(schema.storage.indexes, "LARGE", 10_000)
    assert tended(table, files=16) < 15


def test_long_run_looks_after_a_large_table_when_half_of_it_is_new_a_small_one_at_an_eighth(large, monkeypatch):
    table = table_of(large)
    rows = table.count()
    assert [table.is_worn(written) for written in (rows // 2 - 1, rows // 2 + 1)] == [False, True]
    monkeypatch.setattr(schema.storage.indexes, "LARGE", 10_000)
    assert [table.is_worn(written) for written in (rows // 8 - 1, rows // 8 + 1)] == [False, True]


def test_index_of_terms_is_made_again_where_much_is_not_in_it(large, monkeypatch):
    made = []
    make = schema.storage.maintenance.create_index
    monkeypatch.setattr(
        schema.storage.maintenance, "create_index", lambda table, column: [made.append(column), make(table, column)]
    )
    table = table_of(large)
    written_again(table, table.stored(sorted(table.paths())[:4]))
    table.optimize(force=True)
    assert made == []
    written_again(table, table.stored(sorted(table.paths())))
    table.optimize(force=True)
    assert made == ["terms"]
    assert table.statistics().unindexed_rows == 0


def test_index_of_vectors_waits_until_nearly_all_vectors_are_there(project, small_bounds):
    for number in range(30):
        project.write(f"docs/page{number}.md", page(number))
    project.indexer().scan(project.home / "docs")
    indexer = project.indexer()
    indexer.process_dirty(limit=120)
    indexer.optimize()
    assert "window_vectors" not in indexed_columns(store_dir(project.index_dir))
    indexer.process_dirty()
    assert "window_vectors" in indexed_columns(store_dir(project.index_dir))


@pytest.mark.parametrize(("length", "kind"), [(32, "IvfRq"), (36, "IvfSq")])
def test_index_of_vectors_keeps_two_bits_of_each_dimension_where_the_library_can(tmp_path, length, kind):
    vectors = np.random.default_rng(0).normal(size=(400, length)).astype(np.float32)
    column = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), length)
    table = lancedb.connect(tmp_path).create_table("t", pa.table({"heading_vector": column}))
    schema.storage.indexes.create_index(table, "heading_vector")
    assert [index.index_type for index in table.list_indices()] == [kind]
    found = table.search(vectors[7], vector_column_name="heading_vector").distance_type("cosine").limit(1).with_row_id(True)
    assert found.to_arrow()["_rowid"].to_pylist() == [7]
