"""Damaged index folders: every door ends in a sentence, and repair or a rebuild makes the index true again."""

import pytest

from schema.errors import IndexDamagedError, IndexStoreError
from schema.store import store_dir
from schema.table import SectionTable
from tests.integration.test_edits import facts, rows
from tests.integration.test_faults import data_files


def newest_manifest(project):
    places = (store_dir(project.index_dir) / "sections.lance" / "_versions").glob("*.manifest")
    return max(places, key=lambda place: place.stat().st_mtime_ns)


@pytest.fixture
def panicking(manual):
    """An index whose newest manifest makes the library panic; what its rows were."""
    manual.index()
    manual.expected = {identity: facts(row) for identity, row in rows(manual).items()}
    place = newest_manifest(manual)
    place.write_bytes(place.read_bytes().replace(b"string", b"strin\x06"))
    return manual


def test_panic_of_the_library_is_a_sentence_to_readers(panicking):
    for read in (panicking.engine, panicking.indexer().status):
        with pytest.raises(IndexDamagedError, match="is damaged"):
            read()
    assert [d.kind for d in panicking.indexer().verify().differences] == ["unreadable"]


@pytest.mark.parametrize("way", ["index", "rebuild", "repair"])
def test_panic_of_the_library_stops_no_repair(panicking, way):
    if way == "repair":
        panicking.indexer().verify(repair=True)
    else:
        getattr(panicking.indexer(), way)(panicking.home / "docs")
    assert {identity: facts(row) for identity, row in rows(panicking).items()} == panicking.expected
    assert panicking.indexer().verify().differences == ()


def test_repair_of_an_index_that_does_not_know_its_files_asks_for_a_rebuild(manual):
    manual.index()
    (store_dir(manual.index_dir) / "ledger.sqlite").unlink()
    for place in data_files(manual):
        place.unlink()
    for repair in (False, True):
        with pytest.raises(IndexDamagedError, match="any more what it was made from; rebuild it with `index FOLDER"):
            manual.indexer().verify(repair=repair)
    with pytest.raises(IndexDamagedError, match="--rebuild"):
        manual.indexer().process_dirty()
    manual.indexer().rebuild(manual.home / "docs")
    assert manual.indexer().verify().differences == ()
    assert len(rows(manual)) == 9


def test_repair_that_meets_damage_on_its_way_makes_the_index_anew(manual, monkeypatch):
    manual.index()
    expected = {identity: facts(row) for identity, row in rows(manual).items()}
    real = SectionTable.links
    (manual.home / "docs/guide.md").write_text("# Other\n\nText.\n")

    def broken(self, paths):
        monkeypatch.setattr(SectionTable, "links", real)
        raise IndexDamagedError("The index is damaged.", index_dir=manual.index_dir)

    monkeypatch.setattr(SectionTable, "links", broken)
    report = manual.indexer().verify(repair=True)
    assert report.differences == ()
    assert len(rows(manual)) < len(expected)


def stamped(project, stamp):
    """Write other words into the table's own description of what made it."""
    table = SectionTable.open(store_dir(project.index_dir))
    known = table._table.schema.metadata[b"sectionary"]
    place = newest_manifest(project)
    place.write_bytes(place.read_bytes().replace(known, stamp.ljust(len(known))))
    assert stamp.strip() in place.read_bytes()


STAMPS = [
    b"", b"[]", b"{}", b'"text"', b"[" * 100, b"{\xff}", b'{"store_id": 1, "schema_version": 4, "dimension": 1e9}',
    b'{"store_id":"a","dimension":9999999999999,"model":"words-32","token_encoding":"cl100k_base","schema_version":4}',
    b'{"store_id":"a","dimension":-1,"model":"words-32","token_encoding":"cl100k_base","schema_version":4}',
    b'{"store_id":"a","dimension":31,"model":"words-32","token_encoding":"cl100k_base","schema_version":4}',
    b'{"store_id":"a","dimension":32,"model":["words-32"],"token_encoding":null,"schema_version":4}',
]  # fmt: skip


@pytest.mark.parametrize("stamp", STAMPS)
def test_index_that_says_nonsense_of_what_made_it_is_a_sentence(manual, stamp):
    manual.index()
    stamped(manual, stamp)
    for read in (manual.engine, manual.indexer().status):
        with pytest.raises(IndexStoreError, match="--rebuild"):
            read()
    manual.indexer().rebuild(manual.home / "docs")
    assert manual.indexer().verify().differences == ()


def test_folders_in_the_index_folder_are_counted_however_deep(manual, deep_folders):
    manual.index()
    before = manual.indexer().status().disk_bytes
    deep_folders(manual.index_dir, 1200)
    assert manual.indexer().status().disk_bytes > before
