"""The table, the manifest and the store, over real LanceDB and SQLite files."""

import shutil
from dataclasses import replace
from datetime import timedelta

import lancedb
import pyarrow as pa
import pytest

from schema.clock import now
from schema.errors import IndexAccessError, IndexDamagedError, IndexIncompatibleError, IndexLockedError, IndexNotFoundError
from schema.index_files.layout import atomic_rebuild, claim, manifest_path, store_dir, writer_lock
from schema.index_files.manifest import FileRecord, Manifest, read_manifest
from schema.reports import Failure
from schema.storage.fingerprint import SCHEMA_VERSION, Fingerprint
from schema.storage.table import SectionTable
from tests.integration.conftest import MADE


def test_missing_table_is_told_from_a_damaged_one(tmp_path):
    with pytest.raises(IndexNotFoundError, match="make one with"):
        SectionTable.open(tmp_path / "store")


def test_folder_with_an_index_in_it_is_told_by_that_index(tmp_path):
    (tmp_path / ".sectionary" / "store" / "sections.lance").mkdir(parents=True)
    with pytest.raises(IndexNotFoundError) as told:
        SectionTable.open(tmp_path / "store")
    assert str(told.value) == f"There is no index in {tmp_path}; the one of that folder is {tmp_path / '.sectionary'}."


def test_fingerprint_survives_reopening(table, tmp_path):
    assert SectionTable.open(tmp_path / "index" / "store").fingerprint == MADE


@pytest.mark.parametrize("expected", [{"model": "other"}, {"token_encoding": "o200k_base"}, {"dimension": 3}])
def test_index_made_with_something_else_is_refused(table, tmp_path, expected):
    with pytest.raises(IndexIncompatibleError, match="rebuild it") as caught:
        SectionTable.open(tmp_path / "index" / "store", expected=expected)
    assert set(caught.value.found) == set(expected)


def test_index_of_another_schema_version_is_refused(tmp_path):
    with pytest.raises(
        IndexIncompatibleError, match=f"schema version 99, not {SCHEMA_VERSION}; update Sectionary, or rebuild it with"
    ):
        SectionTable.create(tmp_path / "store", Fingerprint(model="m", dimension=2, token_encoding="e", schema_version=99))


def test_table_without_our_stamp_is_refused(tmp_path):
    lancedb.connect(tmp_path / "store").create_table("sections", [{"id": "x"}])
    with pytest.raises(IndexDamagedError, match="does not say what made it"):
        SectionTable.open(tmp_path / "store")


def test_missing_data_files_are_damage_with_advice(table, tmp_path, rows):
    table.add(rows("a.md", "# A\n\nwords\n"))
    shutil.rmtree(tmp_path / "index" / "store" / "sections.lance" / "data")
    with pytest.raises(IndexDamagedError, match="rebuild it"):
        SectionTable.open(tmp_path / "index" / "store").stored(["a.md"])


def test_missing_manifest_is_damage(table, tmp_path):
    shutil.rmtree(tmp_path / "index" / "store" / "sections.lance" / "_versions")
    with pytest.raises(IndexDamagedError):
        SectionTable.open(tmp_path / "index" / "store")


def test_repeated_row_of_one_batch_is_stored_once(table, rows):
    some = rows("a.md", "# A\n")
    table.add([*some, *some])
    assert table.count() == 1


def test_replacing_a_document_leaves_others_alone(table, rows):
    table.add([*rows("a.md", "# A\n\n# B\n"), *rows("b.md", "# C\n")])
    before = table.version
    table.replace_documents(["a.md"], rows("a.md", "# B\n\n# D\n"))
    assert table.version == before + 1
    assert [s.heading for s in table.links(["a.md"])["a.md"]] == ["B", "D"]
    assert [s.heading for s in table.links(["b.md"])["b.md"]] == ["C"]


def test_replacing_a_document_with_nothing_removes_it(table, rows):
    table.add(rows("it's.md", "# A\n"))
    table.replace_documents(["it's.md"], [])
    assert table.paths() == set()


def test_update_does_not_bring_back_what_was_deleted(table, rows):
    some = rows("a.md", "# A\n")
    table.update(some)
    assert table.count() == 0


def test_nothing_to_write_is_no_commit(table):
    before = table.version
    table.add([])
    table.update([])
    assert table.version == before


def test_ids_and_paths_that_are_unknown_are_left_out(table, rows):
    table.add(rows("a.md", "# A\n"))
    assert (table.links(["x"]), table.stored_by_id(["x"])) == ({}, [])


def test_contents_are_the_columns_asked_for_of_every_row(table, rows):
    table.add([*rows("b.md", "# B\n"), *rows("a.md", "# A\n\nx\n\n## C\n")])
    contents = table.contents(["id", "heading"])
    assert contents.column_names == ["id", "heading"]
    assert sorted(contents["heading"].to_pylist()) == ["A", "B", "C"]


def record(path, **changes):
    return FileRecord(**{"path": path, "size": 1, "mtime_ns": 2, "ctime_ns": 3, "hash": "h", **changes})


def test_manifest_remembers_files_and_failures(tmp_path):
    with Manifest(tmp_path / "l", store_id="s") as manifest:
        manifest.record([record("a.md", front_matter={"k": 1}, warnings=("w",)), record("b.md")])
        manifest.record_failures([Failure("c.md", "r"), Failure("b.md", "r")])
        manifest.forget(["b.md"])
        assert list(manifest.files().values()) == [record("a.md", front_matter={"k": 1}, warnings=("w",))]
        assert manifest.failures() == [Failure("c.md", "r")]
        manifest.record([record("c.md")])
        assert manifest.failures() == []


def test_manifest_of_another_table_is_emptied(tmp_path):
    with Manifest(tmp_path / "l", store_id="one") as manifest:
        manifest.record([record("a.md")])
    with Manifest(tmp_path / "l", store_id="two") as manifest:
        assert manifest.files() == {}


def test_damaged_manifest_is_made_again(tmp_path):
    (tmp_path / "l").write_bytes(b"not a database" * 100)
    with Manifest(tmp_path / "l", store_id="s") as manifest:
        assert manifest.files() == {}


def test_manifest_that_cannot_be_opened_is_told_and_kept(tmp_path):
    (tmp_path / "l").mkdir()
    with pytest.raises(IndexAccessError, match="cannot be written"):
        Manifest(tmp_path / "l", store_id="s")
    assert (tmp_path / "l").is_dir()


def test_manifest_that_fails_midway_keeps_what_was_there(tmp_path):
    with Manifest(tmp_path / "l", store_id="s") as manifest:
        manifest.record([record("a.md")])
        with pytest.raises(TypeError):
            manifest.record([record("b.md"), record("c.md", front_matter={"k": object()})])
        with pytest.raises(Exception, match="NOT NULL"):
            manifest.record([record("b.md"), record("c.md", size=None)])
        assert list(manifest.files()) == ["a.md"]


@pytest.mark.parametrize("content", [None, b"junk" * 99])
def test_unreadable_manifest_reads_as_empty(tmp_path, content):
    if content:
        (tmp_path / "l").write_bytes(content)
    contents = read_manifest(tmp_path / "l", ["a.md"])
    assert (contents.files, contents.failures, contents.metadata) == ({}, (), {})


def test_second_writer_is_refused(tmp_path):
    with (
        writer_lock(tmp_path / "i"),
        pytest.raises(IndexLockedError, match="Another process"),
        writer_lock(tmp_path / "i", wait=0.05),
    ):
        pass


def test_index_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "f").touch()
    with pytest.raises(IndexAccessError, match="cannot be written"), writer_lock(tmp_path / "f" / "i"):
        pass


def test_index_keeps_itself_out_of_version_control(tmp_path):
    with writer_lock(tmp_path / "i"):
        assert (tmp_path / "i" / ".gitignore").read_text() == "*\n"


def test_rebuilt_store_takes_the_old_ones_place_only_when_done(tmp_path):
    with writer_lock(tmp_path):
        store_dir(tmp_path).mkdir()
        (store_dir(tmp_path) / "old").touch()
        with pytest.raises(ZeroDivisionError), atomic_rebuild(tmp_path):
            raise ZeroDivisionError
        assert (store_dir(tmp_path) / "old").exists()
        with atomic_rebuild(tmp_path) as fresh:
            (fresh / "new").touch()
        assert [p.name for p in store_dir(tmp_path).iterdir()] == ["new"]


@pytest.mark.parametrize(
    ("left", "kept"),
    [(("store.old", "store.new"), "store.new"), (("store.old",), "store.old"), (("store", "store.new"), "store")],
)
def test_next_writer_finishes_what_a_killed_rebuild_left(tmp_path, left, kept):
    claim(tmp_path)
    for name in left:
        (tmp_path / name).mkdir()
        (tmp_path / name / name).touch()
    with writer_lock(tmp_path):
        assert [p.name for p in store_dir(tmp_path).iterdir()] == [kept]
    assert not (tmp_path / "store.new").exists()
    assert not (tmp_path / "store.old").exists()


def test_manifest_lies_beside_the_table(tmp_path):
    assert manifest_path(store_dir(tmp_path)) == tmp_path / "store" / "ledger.sqlite"


def test_of_rows_with_one_input_only_one_is_read_whole(table, rows, monkeypatch):
    same = [row for i in range(30) for row in rows(f"{i}.md", "---\ntitle: T\n---\n# Same\n\nwords\n")]
    table.add(same)
    read = []
    stored_by_id = table.stored_by_id
    monkeypatch.setattr(table, "stored_by_id", lambda ids: read.extend(ids) or stored_by_id(ids))
    found = table.embeddings([same[0].input_hash, "unknown"])
    assert (list(found), len(read)) == ([same[0].input_hash], 1)
    assert table.embeddings([same[0].input_hash], without={row.section.id for row in same}) == {}


def test_dirty_sections_come_oldest_first_then_as_they_stand(table, rows):
    later = rows("a.md", "# A\n\none\n\n# B\n\ntwo\n")
    earlier = [
        replace(row, section=replace(row.section, updated_at=now() - timedelta(days=1))) for row in rows("b.md", "# C\n")
    ]
    table.add([replace(row, section=replace(row.section, is_dirty=True)) for row in (*later, *earlier)])
    expected = [(row.section.id, row.input_hash, row.section.token_count) for row in (*earlier, *later)]
    assert table.dirty(limit=10) == expected
    assert table.dirty(limit=2) == expected[:2]


def test_sections_that_await_vectors_of_either_model_are_counted_together(table, rows):
    one, two, three = rows("a.md", "# A\n\none\n\n# B\n\ntwo\n\n# C\n\nthree\n")
    dirty = replace(one, section=replace(one.section, is_dirty=True))
    table.add([dirty, replace(two, embedding=replace(two.embedding, awaits_second=True)), three])
    assert (table.count_dirty(), table.count_dirty(second=True), table.count_dirty(second=None)) == (1, 1, 2)


def test_table_that_nobody_else_writes_knows_its_own_commits(table, rows):
    alone = SectionTable.open(table.store_dir, is_alone=True)
    alone.add(rows("a.md", "# A\n\none\n"))
    alone.replace_documents(["a.md"], rows("a.md", "# A\n\ntwo\n"))
    alone.optimize(force=True)
    assert (alone.count(), alone.version, table.version) == (1, table.version, alone.version)


def test_rows_are_added_in_portions_and_in_one_commit(table, rows, monkeypatch):
    monkeypatch.setattr("schema.storage.table.SCAN_ROWS", 2)
    many = rows("a.md", "".join(f"# Part {i}\n\nword{i}\n\n" for i in range(7)))
    version = table.version
    table.add([*many, many[0]])
    assert (table.version, table.count()) == (version + 1, 7)


def test_row_that_cannot_be_stored_is_no_damage_and_nothing_is_added(table, rows, monkeypatch):
    monkeypatch.setattr("schema.storage.table.SCAN_ROWS", 1)
    good, bad = rows("a.md", "# A\n\none\n\n# B\n\ntwo\n")
    bad = replace(bad, section=replace(bad.section, token_count=1 << 40))
    with pytest.raises((ValueError, OverflowError, pa.ArrowInvalid)) as told:
        table.add([good, bad])
    assert not isinstance(told.value, IndexDamagedError)
    assert table.count() == 0
