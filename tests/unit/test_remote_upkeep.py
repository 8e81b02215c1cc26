"""An index in an object store whose disk is full, whose files are gone, or that killed processes left behind."""

import errno
import sqlite3
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

pytest.importorskip("obstore", reason="the extra `remote` is not installed")

import obstore

from schema.errors import IndexAccessError
from schema.index_files.changes import ChangeFile, read_changes
from schema.remote import caches, conditions, session, tables
from schema.remote.current import read_current
from schema.remote.objects import Entry


@pytest.mark.parametrize(
    "error", [OSError(errno.ENOSPC, "No space left on device"), sqlite3.OperationalError("database or disk is full")]
)
def test_full_disk_is_told_and_publishes_nothing_and_the_lease_is_given_back(machine, monkeypatch, caplog, error):
    one = machine("one")
    with one.writing():
        one.make()

    def full(*_):
        raise error

    with monkeypatch.context() as patch, one.writing():
        one.write("2")
        patch.setattr(session, "snapshot", full)
        with pytest.raises(IndexAccessError, match=r"copies of the index in s3://bucket/prefix cannot be .*free some space"):
            session.sessions[one.folder].publish()
    assert "were not published" in caplog.text
    assert (machine("two").text(), session.is_leased(one.remote)) == ("1", False)
    with one.writing():
        pass
    assert (machine("two").text(), one.doubts) == ("2", 1)


def test_full_disk_while_copying_is_no_fault_of_the_store(machine, monkeypatch):
    one, two = machine("one"), machine("two")
    with one.writing():
        one.make()
    opening = Path.open

    def full(path, mode="r", *given, **named):
        if mode == "xb":
            raise OSError(errno.ENOSPC, "No space left on device")
        return opening(path, mode, *given, **named)

    monkeypatch.setattr(Path, "open", full)
    with pytest.raises(IndexAccessError, match=f"in {two.folder.parent}: No space left on device; free some space"):
        two.text()


def test_file_that_is_gone_or_damaged_is_published_no_more(tmp_path, machine):
    one = machine("one")
    with one.writing():
        one.make()
        session.sessions[one.folder].publish()
        assert list(read_current(one.objects).files) == ["ledger"]
        (one.folder / "store" / "ledger").unlink()
    assert read_current(one.objects).files == {}
    damaged = tmp_path / "x.sqlite"
    damaged.write_bytes(b"SQLite format 3\0" + b"x" * 4096)
    assert caches.snapshot(damaged, tmp_path / "copy.sqlite") is None
    with pytest.raises(IsADirectoryError):
        caches.snapshot(tmp_path, tmp_path / "copy")


def test_what_killed_processes_left_is_deleted(machine, store, monkeypatch):
    one = machine("one")
    (one.folder / f"{caches.TEMPORARY}abc").mkdir()
    one.objects.put(f"probes/{'0' * 32}", b"1")
    one.objects.put("probes/notes.txt", b"theirs")
    with one.writing():
        one.make()
    assert not list(one.folder.glob(f"{caches.TEMPORARY}*"))
    assert len(one.objects.entries("probes")) == 2  # it may be of a process that lives
    monkeypatch.setattr(conditions, "LONG", timedelta(0))
    conditions.probe(one.objects)
    assert [entry.name for entry in one.objects.entries("probes")] == ["probes/notes.txt"]


def test_store_that_passed_is_tried_again_after_a_day_or_at_another_server(machine, monkeypatch):
    tries = []
    real = session.probe
    monkeypatch.setattr(session, "probe", lambda objects: tries.append(True) or real(objects))
    one = machine("one")
    for _ in range(2):
        with one.writing():
            pass
    assert len(tries) == 1
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    with one.writing():
        pass
    assert len(tries) == 2
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 90_000)
    with one.writing():
        pass
    assert len(tries) == 3


def test_lease_of_a_dead_writer_is_taken_by_the_stores_clock_where_nothing_is_tried(machine, monkeypatch):
    one, two = machine("one"), machine("two")
    for each in (one, two):
        with each.writing():
            pass
    monkeypatch.setattr(session.Lease, "give_back", lambda lease: None)
    with one.writing():
        pass
    real = session.probe
    monkeypatch.setattr(
        session, "probe", lambda objects: replace(real(objects), time=real(objects).time + timedelta(seconds=40))
    )
    with two.writing():
        pass


def test_objects_are_deleted_together_and_those_that_are_gone_do_not_matter(store, machine, monkeypatch):
    objects = machine("one").objects
    for name in "abc":
        objects.put(f"x/{name}", b"1")
    objects.delete([])
    objects.delete(["x/a", "x/gone"])
    real = obstore.delete

    def strict(given, names):
        if not isinstance(names, str):
            raise FileNotFoundError(names)
        real(given, names)
        if names == "x/gone":
            raise FileNotFoundError(names)

    monkeypatch.setattr(obstore, "delete", strict)
    objects.delete(["x/b", "x/gone"])
    assert [entry.name for entry in objects.entries("x")] == ["x/c"]


def test_bytes_that_may_be_removed_are_those_of_older_objects(machine, monkeypatch):
    one = machine("one")
    monkeypatch.setattr(tables, "objects_of", lambda _remote: one.objects)
    assert tables.stored_bytes(one.remote, "stores/x/", older_than=60) == 0
    now = datetime.now(UTC)
    there = [Entry(str(age), 10**age, "", now - timedelta(seconds=30 * age)) for age in range(4)]
    monkeypatch.setattr(one.objects, "entries", lambda _folder: there)
    assert tables.stored_bytes(one.remote, "stores/x/", older_than=60) == 1100
    assert tables.stored_bytes(one.remote, "stores/x/", older_than=0) == 1111


def test_file_that_was_only_opened_is_not_published_again(tmp_path):
    def opened():
        with ChangeFile(tmp_path / "changes.sqlite", store_id="0" * 32):
            pass
        return caches.snapshot(tmp_path / "changes.sqlite", tmp_path / "copy.sqlite")

    first = opened()
    (tmp_path / "copy.sqlite").unlink()
    assert opened() == first
    assert read_changes(tmp_path / "copy.sqlite", store_id="0" * 32).complete_since is not None
