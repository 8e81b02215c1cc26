"""`index export`: the file holds what the table holds, appears whole, and takes the place of nothing unasked."""

import csv
import json
import os
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import indexer.export
from indexer.cli import command
from indexer.export import FORMS, VECTORS, export_index
from schema.errors import IndexNotFoundError, IndexUntrustedError, SourceError
from schema.index_files.layout import disown
from schema.storage.rows import from_arrow, get_sections_schema

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture
def indexed(indexed_manual, monkeypatch):
    monkeypatch.chdir(indexed_manual.home)
    return indexed_manual


def export(indexed, name, **options):
    out = indexed.home / name
    return out, export_index(indexed.index_dir, out, **options)


def by_id(rows):
    return {row.section.id: row for row in rows}


def leftovers(folder):
    return [path.name for path in folder.rglob("*.part")]


def test_parquet_holds_every_column_and_vector(indexed, monkeypatch):
    monkeypatch.setattr(indexer.export, "ROWS", 4)
    out, done = export(indexed, "out.parquet")
    table = pq.read_table(out)
    assert table.column_names == get_sections_schema(32).names == list(done.columns)
    stored = indexed.stored()
    exported = by_id(from_arrow(table))
    assert exported.keys() == stored.keys()
    assert all(each.is_intact for each in exported.values())
    for key, row in stored.items():
        assert exported[key].section == row.section
        assert exported[key].embedding.vector.tolist() == row.embedding.vector.tolist()
        assert exported[key].embedding.window_vectors.tolist() == row.embedding.window_vectors.tolist()
    assert (done.sections, done.bytes) == (9, out.stat().st_size)
    assert pq.ParquetFile(out).num_row_groups == 3
    assert json.loads(table.schema.metadata[b"sectionary"])["model"] == "words-32"
    vector = table.schema.field("vector").type
    assert (vector.value_type, vector.list_size) == (pa.float32(), 32)
    assert table.schema.field("heading_vector").type == table.schema.field("window_vectors").type.value_type == vector
    assert leftovers(indexed.home) == []


def test_sections_without_a_vector_are_exported_too(indexed):
    indexed.write("docs/new.md", "# New\n\nNot embedded yet.\n")
    indexed.indexer().scan()
    out, _ = export(indexed, "out.parquet")
    rows = {row["heading"]: row for row in pq.read_table(out).to_pylist()}
    assert (rows["New"]["vector"], rows["New"]["is_dirty"]) == (None, True)
    assert len(rows["Linux"]["vector"]) == 32


@pytest.mark.parametrize("ending", [".jsonl", ".csv"])
def test_lines_hold_texts_and_no_vectors(indexed, ending):
    out, done = export(indexed, f"out{ending}")
    text = out.read_text(encoding="utf-8")
    rows = list(map(json.loads, text.splitlines())) if ending == ".jsonl" else list(csv.DictReader(text.splitlines(True)))
    assert list(rows[0]) == list(done.columns) == [name for name in get_sections_schema(32).names if name not in VECTORS]
    row = next(row for row in rows if row["heading"] == "Linux")
    assert row["content"] == "### Linux\n\nPenguins need a special crank.\n\n"
    front_matter = {"title": "The Guide", "tags": ["guide", "API"]}
    if ending == ".jsonl":
        assert (row["front_matter"], row["is_dirty"], row["depth"]) == (front_matter, False, 3)
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", row["updated_at"])
    else:
        assert (json.loads(row["front_matter"]), row["is_dirty"], row["depth"]) == (front_matter, "false", "3")
    assert {row["heading"] for row in rows} >= {"検索エンジン", "검색 안내"}


def test_hidden_markup_stays_in_the_text(indexed):
    indexed.write("docs/x.mdx", "import A from './a'\n\n# Title\n\nText.\n")
    indexed.index()
    out, _ = export(indexed, "out.jsonl")
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    (row,) = [row for row in rows if row["document_path"] == "docs/x.mdx" and row["hidden"]]
    assert "import A from" in row["content"]


def test_file_that_is_there_is_replaced_only_by_force(indexed):
    (indexed.home / "out.jsonl").write_text("mine")
    with pytest.raises(SourceError, match=r"is there already; give another name, or --force to replace it\.$"):
        export(indexed, "out.jsonl")
    assert (indexed.home / "out.jsonl").read_text() == "mine"
    out, _ = export(indexed, "out.jsonl", is_replaced=True)
    assert out.read_text().count("\n") == 9


def test_link_is_replaced_and_not_followed(indexed):
    (indexed.home / "mine.txt").write_text("mine")
    (indexed.home / "out.csv").symlink_to("mine.txt")
    with pytest.raises(SourceError, match="is there already"):
        export(indexed, "out.csv")
    out, _ = export(indexed, "out.csv", is_replaced=True)
    assert (out.is_symlink(), (indexed.home / "mine.txt").read_text()) == (False, "mine")


def test_document_of_the_index_is_never_replaced(indexed):
    indexed.write("docs/table.csv", "a,b\n")
    from schema.index_files.roots import FileChoice

    indexed.index(files=FileChoice(include=("**/*.md", "**/*.csv")))
    with pytest.raises(SourceError, match="is a document of the index"):
        export(indexed, "docs/table.csv", is_replaced=True)
    assert (indexed.home / "docs/table.csv").read_text() == "a,b\n"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("out.txt", "has none of the endings .parquet, .jsonl, .csv"),
        ("out", "has none of the endings"),
        (".sectionary/out.csv", "is in the index folder"),
        (".sectionary/store/../out.csv", "is in the index folder"),
        ("folder.csv", "is a folder"),
        ("missing/out.csv", "cannot be written"),
    ],
)
def test_place_where_nothing_can_be_written_is_refused(indexed, name, told):
    (indexed.home / "folder.csv").mkdir()
    with pytest.raises(SourceError, match=re.escape(told)):
        export(indexed, name, is_replaced=True)


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_export_that_stops_midway_leaves_the_old_file_and_nothing_else(indexed, monkeypatch, error):
    (indexed.home / "out.csv").write_text("old")

    def fail(_descriptor):
        raise error

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(SourceError if isinstance(error, OSError) else KeyboardInterrupt):
        export(indexed, "out.csv", is_replaced=True)
    assert ((indexed.home / "out.csv").read_text(), leftovers(indexed.home)) == ("old", [])


def test_file_that_appears_while_another_is_written_is_not_replaced(indexed, monkeypatch):
    real = os.fsync

    def meanwhile(descriptor):
        (indexed.home / "out.csv").write_text("mine")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", meanwhile)
    with pytest.raises(SourceError, match="is there already"):
        export(indexed, "out.csv")
    assert ((indexed.home / "out.csv").read_text(), leftovers(indexed.home)) == ("mine", [])


def test_index_is_not_changed(indexed):
    before = {path: path.read_bytes() for path in indexed.index_dir.rglob("*") if path.is_file()}
    for ending in FORMS:
        export(indexed, f"out{ending}")
    assert {path: path.read_bytes() for path in indexed.index_dir.rglob("*") if path.is_file()} == before


def test_without_an_index_there_is_nothing_to_export(tmp_path):
    with pytest.raises(IndexNotFoundError):
        export_index(tmp_path / ".sectionary", tmp_path / "out.csv")
    assert list(tmp_path.iterdir()) == []


def call(*args):
    return CliRunner().invoke(command, ["export", *args])


def test_command_says_what_it_wrote(indexed):
    assert call("out.jsonl").output == "exported   9 sections, 41 columns, 0.0 MB to out.jsonl\n"
    assert call("out.jsonl", "--force", "--quiet").output == ""
    told = json.loads(call("more.csv", "--json").stdout)
    assert (told["path"], told["sections"], told["inside"]) == ("more.csv", 9, "")


def test_file_inside_an_indexed_folder_is_told(indexed):
    done = call("docs/out.csv", "--quiet")
    assert done.stderr == "index: docs/out.csv is in the folder docs, which is indexed; move it if it is no part of that.\n"
    assert (indexed.home / "docs/out.csv").is_file()


def test_index_of_somebody_else_is_exported_only_when_it_is_named(indexed):
    disown(indexed.index_dir)
    assert isinstance(call("out.csv").exception, IndexUntrustedError)
    assert call("out.csv", "--index", ".sectionary").exit_code == 0


def test_every_column_is_explained():
    page = (DOCS / "exporting.md").read_text(encoding="utf-8").partition("## Columns")[2]
    assert [name for name in get_sections_schema(2, 2).names if f"`{name}`" not in page] == []
    last = page.strip().splitlines()[-1]
    assert re.findall(r"`(\w+)`", last) == sorted(VECTORS, key=lambda name: last.index(f"`{name}`"))
