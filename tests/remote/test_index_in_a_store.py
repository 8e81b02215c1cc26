"""An index in an object store: made, continued, searched, and seen from other machines."""

import shutil
import time

import pytest

from schema.errors import IndexNotFoundError, IndexUntrustedError
from tests.conftest import GUIDE


def found(engine, query):
    return [result.section.document_path for result in engine.search(query, mode="lexical")]


def test_index_is_made_searched_and_continued(manual):
    report = manual.index()
    assert (report.documents_added, report.failed) == (2, [])
    assert found(manual.engine(), "penguins") == ["docs/guide.md"]
    again = manual.index()
    assert (again.documents_unchanged, again.sections_embedded) == (2, 0)


def test_address_stands_in_the_status_and_in_errors(manual, address, elsewhere):
    with pytest.raises(IndexNotFoundError, match=f"There is no index in {address}; make one"):
        manual.engine()
    manual.index()
    status = manual.indexer().status()
    assert (status.index_dir, status.documents, status.is_own) == (address, 2, True)
    assert status.disk_bytes > status.data_bytes > 0


def test_another_machine_finds_what_was_written_and_sees_a_commit_within_a_second(manual, elsewhere, monkeypatch):
    manual.index()
    home = manual.home
    there = elsewhere()
    engine = there.engine()
    assert found(engine, "penguins") == ["docs/guide.md"]
    assert found(engine, "zeppelin") == []
    monkeypatch.setenv("SECTIONARY_CACHE_DIR", str(home.parent / "cache"))
    manual.write("docs/air.md", "# Air\n\nA zeppelin flies.\n")
    manual.index()
    committed = time.monotonic()
    while not found(engine, "zeppelin"):
        assert time.monotonic() - committed < 1
        time.sleep(0.02)


def test_rebuilt_index_is_followed_by_readers_elsewhere(manual, elsewhere, monkeypatch):
    manual.index()
    engine = elsewhere().engine()
    assert found(engine, "penguins") == ["docs/guide.md"]
    monkeypatch.setenv("SECTIONARY_CACHE_DIR", str(manual.home.parent / "cache"))
    manual.write("docs/guide.md", GUIDE.replace("Penguins", "Walruses"))
    manual.indexer().rebuild(manual.home / "docs")
    manual.index()
    time.sleep(0.6)
    assert (found(engine, "penguins"), found(engine, "walruses")) == ([], ["docs/guide.md"])


def test_writer_elsewhere_goes_on_with_the_manifest_and_embeds_only_what_is_new(manual, elsewhere):
    manual.index()
    there = elsewhere()
    there.write("docs/guide.md", GUIDE)
    there.write("docs/new.md", "# New\n")
    report = there.index()
    assert (report.documents_unchanged, report.documents_added, report.documents_removed) == (1, 1, 1)
    assert report.sections_embedded == 1


def test_index_of_somebody_else_is_read_but_not_continued(manual, elsewhere, tmp_path, monkeypatch):
    manual.index()
    there = elsewhere()
    monkeypatch.setenv("SECTIONARY_CONFIG_DIR", str(tmp_path / "stranger"))
    there.write("docs/guide.md", GUIDE)
    assert found(there.engine(), "penguins") == ["docs/guide.md"]
    with pytest.raises(IndexUntrustedError, match="was not made by you"):
        there.index()
    assert there.indexer(is_trusted=True).index("docs").failed == []


def test_hits_are_not_called_stale_where_there_are_no_documents(manual, elsewhere):
    manual.index()
    assert [hit.stale for hit in elsewhere().engine().search("penguins", mode="lexical")] == [False]
    (manual.home / "docs/guide.md").unlink()
    assert [hit.stale for hit in manual.engine().search("penguins", mode="lexical")] == [True]


def test_files_of_earlier_runs_do_not_pile_up(manual, address, monkeypatch):
    from schema.remote import session
    from schema.remote.folders import remote_of
    from schema.remote.objects import objects_of

    monkeypatch.setattr(session, "KEPT_SECONDS", 0)
    for number in range(4):
        manual.write("docs/changing.md", f"# Number {number}\n")
        manual.index()
    objects = objects_of(remote_of(manual.index_dir))
    names = [entry.name for entry in objects.entries("stores") if "/files/" in entry.name]
    assert sum("ledger.sqlite" in name for name in names) <= 2
    assert objects.entries("probes") == []
    manual.indexer().rebuild()
    manual.index()
    assert len(objects.folders("stores")) == 1


def test_objects_of_somebody_else_in_the_prefix_stay(manual):
    from schema.remote.folders import remote_of
    from schema.remote.objects import objects_of

    objects = objects_of(remote_of(manual.index_dir))
    manual.index()
    theirs = {"stores/paris/customers.csv": b"Ada", "probes/notes.txt": b"N", "files.csv": b"F"}
    for name, data in theirs.items():
        objects.put(name, data)
    manual.indexer().rebuild()
    manual.index()
    assert {name: objects.get(name, limit=100).data for name in theirs} == theirs


def test_reader_goes_on_where_its_cache_is_removed(manual):
    manual.index()
    engine = manual.engine()
    assert found(engine, "penguins") == ["docs/guide.md"]
    shutil.rmtree(manual.home.parent / "cache")
    assert found(engine, "penguins") == ["docs/guide.md"]
    shutil.rmtree(manual.home.parent / "cache")
    assert manual.index().documents_unchanged == 2


def test_run_asks_the_store_for_little(manual, proxy):
    from schema.remote import tables

    manual.index()
    counts = []
    for text in ("", "\nA line more.\n"):
        manual.write("docs/guide.md", GUIDE + text)
        proxy.requests.clear()
        tables.known_manifests.clear()  # as in a process of its own
        manual.index()
        counts.append(len(proxy.requests))
    assert counts[0] <= 30
    assert counts[1] <= 75
