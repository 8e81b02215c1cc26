"""Full and read-only disks, missing and damaged files, clocks and races: a clear error, and an index that is still searched."""

import contextlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import indexer.sync.changed
import indexer.sync.embedding
import indexer.sync.writer
from schema.errors import IndexAccessError, IndexDamagedError, IndexIncompatibleError
from schema.index_files.layout import claim, store_dir
from schema.storage.fingerprint import SCHEMA_VERSION, Fingerprint
from schema.storage.table import SectionTable
from tests.integration.test_edits import facts
from tests.lance_tables import lance_table

BIN = Path(sys.executable).parent


def text_of(length, seed):
    return f"# Text {seed}\n\n" + "".join(f"word{(seed * 7919 + i * 104729) % 99991} " for i in range(length // 9)) + "\n"


@pytest.fixture
def disk(tmp_path):
    """A small file system of its own; call it with a size to mount it, with a size again to change it."""
    place = tmp_path / "disk"
    place.mkdir()

    def mount(options):
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", place], capture_output=True, check=False)
        if done.returncode:
            pytest.skip(f"mounting is not allowed here: {done.stderr.decode().strip()}")
        return place

    def remount(options):
        subprocess.run(["mount", "-o", f"remount,{options}", place], check=True)

    mount.again = remount
    yield mount
    subprocess.run(["umount", "-l", place], capture_output=True, check=False)


def data_files(project):
    return sorted((store_dir(project.index_dir) / "sections.lance" / "data").iterdir(), key=lambda p: p.stat().st_size)


def index_files(project, column):
    indexes = lance_table(store_dir(project.index_dir)).list_indices()
    uuid = next(index.index_uuid for index in indexes if index.columns == [column])
    return list((store_dir(project.index_dir) / "sections.lance" / "_indices" / uuid).iterdir())


@pytest.mark.process
def test_full_disk_is_told_and_the_index_still_searched(project, disk):
    project.index_dir = disk("size=1m") / "index"
    project.write("docs/old.md", "# Penguins\n\nPenguins need a special crank.\n")
    project.index()
    for i in range(20):
        project.write(f"docs/{i}.md", text_of(60_000, i))
    with pytest.raises(IndexAccessError, match="space"):
        project.index()
    assert project.engine().search("penguins crank", mode="lexical")[0].section.heading == "Penguins"
    assert project.engine().search("penguins crank")[0].section.heading == "Penguins"
    disk.again("size=200m")
    assert project.index().failed == []
    assert project.indexer().verify().differences == ()
    assert len(project.stored()) == 21


@pytest.mark.process
def test_full_disk_while_embedding_keeps_what_was_found_by_words(project, disk, make_embedder, monkeypatch):
    monkeypatch.setattr(indexer.sync.embedding, "COMMIT_SECTIONS", 8)
    place = disk("size=40m")
    project.index_dir = place / "index"

    class Filling(make_embedder):
        def embed_sections(self, texts):
            if len(self.embedded) > 40 and not (place / "filler").exists():
                with contextlib.suppress(OSError), open(place / "filler", "wb", buffering=0) as stream:  # no space left
                    while True:
                        stream.write(b"x" * 4096)
            return super().embed_sections(texts)

    for i in range(80):
        project.write(f"docs/{i}.md", f"# Text {i}\n\nunique{i} words\n")
    with pytest.raises(IndexAccessError, match="space"):
        project.index(embedder=Filling())
    engine = project.engine()
    for i in range(80):
        assert engine.search(f"unique{i}", mode="lexical")[0].section.heading == f"Text {i}"
    (place / "filler").unlink()
    report = project.indexer().process_dirty()
    assert 0 < report.sections_embedded < 80
    assert project.indexer().verify().differences == ()


@pytest.mark.process
def test_read_only_index_is_searched_and_told_to_writers(manual, disk):
    manual.index_dir = disk("size=20m") / "index"
    manual.index()
    disk.again("ro")
    assert manual.engine().search("penguins")[0].section.heading == "Linux"
    assert manual.indexer().status().sections == 9
    assert manual.indexer().verify().differences == ()
    manual.write("docs/new.md", "# New\n")
    for action in (manual.index, manual.indexer().process_dirty, manual.indexer().optimize):
        with pytest.raises(IndexAccessError, match=r"ead-only"):
            action()
    with pytest.raises(IndexAccessError):
        manual.indexer().rebuild(manual.home / "docs")
    assert manual.engine().search("penguins")[0].section.heading == "Linux"


def test_missing_data_file_is_told_to_readers_and_mended_by_the_next_run(manual):
    manual.index()
    manual.indexer().optimize()
    expected = {identity: facts(row) for identity, row in manual.stored().items()}
    data_files(manual)[-1].unlink()
    with pytest.raises(IndexDamagedError, match="verify --repair"):
        manual.engine().search("penguins", mode="lexical")
    report = manual.index()
    assert "the index was damaged and was made again" in report.warnings[0]
    assert {identity: facts(row) for identity, row in manual.stored().items()} == expected
    assert manual.indexer().verify().differences == ()


def test_vectors_that_can_still_be_read_are_not_made_again(project, monkeypatch):
    monkeypatch.setattr(SectionTable, "optimize", lambda self, force=False: None)  # one data file for each commit
    for i in range(6):
        project.write(f"docs/{i}.md", f"# Text {i}\n\nunique{i} words\n")
        project.index()
    table = SectionTable.open(store_dir(project.index_dir))
    assert table.statistics().fragments > 3
    newest = {}
    for place in data_files(project):
        newest[place] = place.stat().st_mtime_ns
    max(newest, key=newest.get).unlink()  # the last commit: the vector of one section
    report = project.index()
    assert (report.sections_added, report.vectors_reused, report.sections_embedded) == (6, 5, 1)
    assert project.indexer().verify().differences == ()


def test_damaged_data_is_found_by_verify_and_repaired(manual):
    manual.index()
    manual.indexer().optimize()
    place = data_files(manual)[-1]
    content = bytearray(place.read_bytes())
    for i in range(0, len(content) - 200, 97):
        content[i] ^= 0x5A
    place.write_bytes(content)
    before = manual.indexer().verify()
    assert before.differences
    after = manual.indexer().verify(repair=True)
    assert (after.differences, after.repaired) == ((), before.differences)
    assert manual.engine().search("penguins")[0].section.heading == "Linux"


@pytest.mark.parametrize("how", ["missing", "junk", "values missing"])
@pytest.mark.parametrize("column", ["id", "document_path", "input_hash"])
def test_damaged_index_of_a_column_is_made_again_by_the_next_run(manual, column, how):
    manual.index()
    manual.indexer().optimize()
    expected = {identity: facts(row) for identity, row in manual.stored().items()}
    for place in index_files(manual, column):
        if how == "junk":
            place.write_bytes(os.urandom(place.stat().st_size))
        elif how == "missing" or place.name == "page_data.lance":
            place.unlink()
    assert any(d.kind == "index" and d.detail.startswith(column) for d in manual.indexer().verify().differences)
    manual.write("docs/new.md", "# Walrus\n\nTusks of ivory.\n")
    report = manual.index()
    assert (report.warnings, report.sections_embedded) == ([f"the index of {column} was damaged and was made again"], 1)
    assert manual.indexer().verify().differences == ()
    assert expected.items() <= {identity: facts(row) for identity, row in manual.stored().items()}.items()
    assert manual.engine().search("penguins", mode="lexical")[0].section.heading == "Linux"
    assert manual.engine().search("ivory", mode="lexical")[0].section.heading == "Walrus"


def test_full_text_needs_no_index_file(manual):
    manual.index()
    expected = [hit.section.heading for hit in manual.engine().search("special crank", mode="lexical")]
    shutil.rmtree(store_dir(manual.index_dir) / "sections.lance" / "_indices")
    assert [hit.section.heading for hit in manual.engine().search("special crank", mode="lexical")] == expected != []


def test_damaged_index_of_a_column_is_repaired_by_verify(manual):
    manual.index()
    manual.indexer().optimize()
    for place in index_files(manual, "id"):
        place.unlink()
    report = manual.indexer().verify(repair=True)
    assert ([d.kind for d in report.repaired], report.differences) == (["index"], ())


def test_table_of_a_future_version_is_refused_and_left_alone(manual, monkeypatch):
    place = store_dir(manual.index_dir)
    made = Fingerprint(model="words-32", dimension=32, token_encoding="cl100k_base", schema_version=99)
    with monkeypatch.context() as patch:
        patch.setattr("schema.storage.fingerprint.SCHEMA_VERSION", 99)
        SectionTable.create(place, made)
    claim(manual.index_dir)
    before = sorted(p.name for p in place.rglob("*"))
    for action in (manual.index, manual.engine, manual.indexer().status, manual.indexer().verify):
        with pytest.raises(IndexIncompatibleError, match=f"schema version 99, not {SCHEMA_VERSION}"):
            action()
    assert sorted(p.name for p in place.rglob("*")) == before


def test_clock_that_goes_backwards_loses_no_edit(manual, monkeypatch):
    manual.index()
    guide = manual.home / "docs/guide.md"
    guide.write_text(guide.read_text().replace("Apples", "Grapes"))
    future = 4_000_000_000  # the year 2096: files from a machine whose clock ran ahead
    os.utime(guide, (future, future))
    assert manual.index().sections_embedded == 1
    assert manual.index().documents_unchanged == 2
    guide.write_text(guide.read_text().replace("Grapes", "Apples"))
    os.utime(guide, (1, 1))
    assert manual.index().documents_updated == 1
    assert [h.section.heading for h in manual.engine().search("apples", mode="lexical")] == ["First child"]


def test_dirty_sections_are_embedded_whatever_the_clock_says(manual, monkeypatch):
    from datetime import UTC, datetime

    for year in (2030, 2001):
        monkeypatch.setattr(indexer.sync.writer, "now", lambda year=year: datetime(year, 1, 1, tzinfo=UTC))
        manual.write(f"docs/{year}.md", f"# Year {year}\n\nwords of {year}\n")
        manual.indexer().scan(manual.home / "docs")
    monkeypatch.undo()
    assert manual.indexer().process_dirty().sections_embedded == 11
    assert manual.indexer().status().dirty == 0


def test_file_that_changes_while_it_is_read_is_a_failure_and_taken_by_the_next_run(manual, monkeypatch):
    manual.index()
    real = indexer.sync.changed.read_file
    guide = manual.home / "docs/guide.md"

    def racing(file):
        if file.location.endswith("/guide.md"):
            raise ValueError("it changed while it was read; the next run takes it")
        return real(file)

    guide.write_text(guide.read_text().replace("Apples", "Pears"))
    with monkeypatch.context() as patch:
        patch.setattr(indexer.sync.changed, "read_file", racing)
        report = manual.index()
    assert [(f.path, f.reason) for f in report.failed] == [
        ("docs/guide.md", "it changed while it was read; the next run takes it")
    ]
    assert manual.engine().search("apples")[0].stale
    assert manual.indexer().status().failed == tuple(report.failed)
    assert manual.index().sections_updated == 1
    assert manual.indexer().status().failed == ()


def test_file_replaced_by_a_folder_gives_way_to_what_is_in_it(manual):
    manual.index()
    (manual.home / "docs/guide.md").unlink()
    manual.write("docs/guide.md/inner.md", "# Inner\n\nwalrus\n")
    report = manual.index()
    assert (report.documents_removed, report.documents_added, report.failed) == (1, 1, [])
    assert manual.indexer().verify().differences == ()


def test_folder_replaced_by_a_file_gives_way_to_it(manual):
    manual.index()
    shutil.rmtree(manual.home / "docs/sub")
    manual.write("docs/sub", "no markdown")
    assert manual.index().documents_removed == 1


def test_rebuild_keeps_the_sections_of_a_file_that_cannot_be_read(manual):
    manual.index()
    guide = manual.home / "docs/guide.md"
    guide.unlink()
    os.mkfifo(guide)
    report = manual.indexer().rebuild(manual.home / "docs")
    assert [f.path for f in report.failed] == ["docs/guide.md"]
    assert manual.engine().search("penguins")[0].section.heading == "Linux"


def test_rebuild_by_another_model_gives_such_sections_its_vectors(manual, make_embedder):
    manual.index()
    guide = manual.home / "docs/guide.md"
    guide.unlink()
    os.mkfifo(guide)
    other = make_embedder("other")
    assert manual.indexer(embedder=other).rebuild(manual.home / "docs").sections_embedded == 9
    hit = manual.engine(embedder=other).search("penguins", mode="lexical")[0]
    assert (hit.section.heading, hit.is_dirty) == ("Linux", False)


def test_lost_manifest_loses_no_path(manual):
    manual.index()
    (store_dir(manual.index_dir) / "ledger.sqlite").unlink()
    assert manual.indexer().verify().differences == ()
    (manual.home / "docs/guide.md").unlink()
    assert manual.indexer().scan().documents_removed == 1


def test_manifest_of_an_older_version_is_made_again(manual):
    import sqlite3

    manual.index()
    place = store_dir(manual.index_dir) / "ledger.sqlite"
    with sqlite3.connect(place) as old:
        old.execute("drop table files")
        old.execute("create table files (path text primary key, size integer)")
        old.execute("update facts set value = '1' where name = 'version'")
    old.close()
    assert manual.index().sections_embedded == 0
    assert manual.indexer().status().paths == ("docs",)
