"""Writers of an index in an object store that follow each other on several machines, over one store in memory."""

import contextlib
import errno
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

pytest.importorskip("obstore", reason="the extra `remote` is not installed")

import obstore
from filelock import FileLock
from obstore.store import MemoryStore

from schema.errors import IndexAccessError, IndexDamagedError
from schema.index_files.changes import ChangeFile, read_changes
from schema.remote import caches, conditions, session, tables
from schema.remote.current import Current, read_current, write_current
from schema.remote.folders import folder_of, remote_of, store_name
from schema.remote.objects import ConflictError, Entry, Objects


class Machine:
    """A machine with caches of its own, whose index has one small file; `doubts` counts how often it was doubted."""

    def __init__(self, folder, store):
        self.remote = remote_of(folder)
        self.folder = self.remote.folder
        self.objects = Objects(store, self.remote)
        self.doubts = 0

    def places(self, _folder, store):
        return {"ledger": store / "ledger"}

    def doubt(self, _store):
        self.doubts += 1

    def writing(self):
        return session.writing(self.remote, self.places, self.doubt, wait=0, give_up=None, is_single=False)

    def make(self, text="1"):
        """Make a new store, as a rebuild does."""
        new = self.folder / "store.new"
        new.mkdir()
        (self.folder / "identity").write_text("1" * 32)
        (new / "ledger").write_text(text)
        session.begin_store(new)
        self.objects.put(f"stores/{store_name(new)}/sections.lance/data", b"rows")
        session.publish_store(self.remote, new)
        with contextlib.suppress(FileNotFoundError):
            (self.folder / "store").rename(self.folder / "store.old")
        new.rename(self.folder / "store")

    def write(self, text):
        session.require_lease(self.remote)
        (self.folder / "store" / "ledger").write_text(text)

    def text(self):
        """What a reader on this machine finds."""
        caches.forget(self.folder)
        caches.refresh(self.folder, self.places)
        return (self.folder / "store" / "ledger").read_text()


@pytest.fixture
def store():
    return MemoryStore()


@pytest.fixture
def machine(store, tmp_path, monkeypatch):
    """Makes machines."""
    machines = {}
    for module in (session, caches):
        monkeypatch.setattr(module, "objects_of", lambda remote: machines[remote.folder].objects)

    def make(name):
        monkeypatch.setenv("SECTIONARY_CACHE_DIR", str(tmp_path / name))
        made = Machine(folder_of("s3://bucket/prefix"), store)
        machines[made.folder] = made
        return made

    return make


@pytest.fixture
def killed(monkeypatch):
    """Lets the sessions of a block end as those of a process that is killed."""

    @contextlib.contextmanager
    def kill():
        with monkeypatch.context() as patch:
            patch.setattr(session._Session, "publish", lambda *_, **__: None)
            yield

    return kill


def test_files_of_a_writer_that_was_killed_are_doubted_by_the_next_one_alone(machine, killed):
    one, two = machine("one"), machine("two")
    with one.writing():
        one.make()
    with killed(), one.writing():
        one.write("2")
    with two.writing():
        pass
    with two.writing():
        pass
    with one.writing():
        pass
    assert (one.doubts, two.doubts, one.text()) == (0, 1, "1")


def test_files_are_doubted_until_a_writer_ended_well(machine, killed):
    one, two = machine("one"), machine("two")
    with one.writing():
        one.make()
    for each in (one, two):
        with killed(), each.writing():
            pass
    with one.writing():
        pass
    assert (two.doubts, one.doubts) == (1, 1)


def test_files_of_a_run_that_failed_are_doubted_if_it_tried_to_commit(machine):
    one = machine("one")
    with one.writing():
        one.make()
    with contextlib.suppress(KeyError), one.writing():
        raise KeyError
    with one.writing():
        assert one.doubts == 0
    with contextlib.suppress(KeyError), one.writing():
        one.write("2")
        raise KeyError
    assert machine("two").text() == "2"
    with one.writing():
        assert one.doubts == 1


def test_files_that_a_killed_writer_published_without_learning_of_it_are_not_copied_over_newer_ones(machine, monkeypatch):
    one = machine("one")
    with one.writing():
        one.make()
    with monkeypatch.context() as patch, one.writing():
        one.write("2")
        noted = (one.folder / "published.json").read_bytes()
        session._sessions[one.folder].publish()
        (one.folder / "published.json").write_bytes(noted)
        one.write("3")
        patch.setattr(session._Session, "publish", lambda *_, **__: None)
    assert one.text() == "3"
    assert machine("two").text() == "2"


def test_late_write_of_an_earlier_writer_is_refused_once_another_one_began(machine, store):
    one, two = machine("one"), machine("two")
    late = replace(Current(), store="2" * 32, identity="1" * 32, session="3" * 32)
    with two.writing():
        with pytest.raises(ConflictError):
            write_current(one.objects, late, is_conditional=True)
        two.make()
    before = read_current(one.objects)
    with two.writing(), pytest.raises(ConflictError):
        write_current(one.objects, replace(before, store="2" * 32, session="3" * 32), is_conditional=True)


def test_store_that_an_earlier_writer_names_while_another_one_begins_is_kept(machine, monkeypatch):
    one, two = machine("one"), machine("two")
    with one.writing():
        one.make()
    one.objects.put(f"stores/{'2' * 32}/data", b"rows")
    real, late = session.read_current, []

    def read(objects):
        found = real(objects)
        if not late:
            late.append(write_current(one.objects, replace(found, store="2" * 32, files={}), is_conditional=True))
        return found

    monkeypatch.setattr(session, "read_current", read)
    with two.writing():
        pass
    assert two.objects.folders("stores") == ["2" * 32]
    assert read_current(two.objects).store == "2" * 32


def test_prefix_with_objects_where_stores_would_be_is_refused(machine):
    one = machine("one")
    one.objects.put(f"stores/{'0' * 32}/customers.csv", b"Ada")
    with pytest.raises(
        IndexAccessError, match="There are objects in s3://bucket/prefix/stores, but no index; choose another"
    ):
        one.writing().__enter__()
    assert one.objects.get(f"stores/{'0' * 32}/customers.csv", limit=10).data == b"Ada"


def test_lease_is_renewed_until_the_last_files_are_published(machine, monkeypatch):
    monkeypatch.setattr(session, "LEASE_SECONDS", 0.4)
    monkeypatch.setattr(session, "RENEWAL_SECONDS", 0.05)
    one = machine("one")
    with one.writing():
        one.make()
    upload = Objects.upload
    monkeypatch.setattr(Objects, "upload", lambda *given: (time.sleep(0.5), upload(*given)))
    with one.writing():
        one.write("2")
    assert machine("two").text() == "2"


def test_readers_have_newer_copies_while_a_writer_of_this_machine_waits_for_another_one(machine):
    one, two = machine("one"), machine("two")
    with one.writing():
        one.make()
    assert two.text() == "1"
    with FileLock(two.folder / "lock"):  # as a writer has it that waits for the lease
        with one.writing():
            one.write("2")
        assert two.text() == "2"


def test_nothing_is_downloaded_while_another_process_copies(machine, monkeypatch):
    one, two = machine("one"), machine("two")
    with one.writing():
        one.make()
    assert two.text() == "1"
    with one.writing():
        one.write("2")
    with monkeypatch.context() as patch, FileLock(two.folder / "copies.lock"):
        patch.setattr(Objects, "download", None)
        assert two.text() == "1"
    assert two.text() == "2"


def test_first_reader_waits_for_who_copies(machine):
    one, two = machine("one"), machine("two")
    with one.writing():
        one.make()
    lock = FileLock(two.folder / "copies.lock", thread_local=False)
    lock.acquire()
    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(two.text)
        time.sleep(0.1)
        assert not reading.done()
        lock.release()
        assert reading.result() == "1"


def test_reader_whose_files_are_replaced_while_it_copies_gets_the_new_ones(machine, monkeypatch):
    one, two = machine("one"), machine("two")
    with one.writing():
        one.make()
    monkeypatch.setattr(session, "KEPT_SECONDS", 0)
    download, late = Objects.download, []

    def slow(*given, **named):
        if not late:
            late.append(True)
            with one.writing():
                one.write("2")
        return download(*given, **named)

    monkeypatch.setattr(Objects, "download", slow)
    assert two.text() == "2"


def test_missing_file_that_no_writer_replaced_is_damage(machine):
    one, two = machine("one"), machine("two")
    with one.writing():
        one.make()
    one.objects.delete([entry.name for entry in one.objects.entries("stores") if "/files/" in entry.name])
    with pytest.raises(IndexDamagedError, match="is not there"):
        two.text()


def test_writer_makes_files_again_that_are_missing_in_the_store(machine):
    one, two = machine("one"), machine("two")
    with one.writing():
        one.make()
    one.objects.delete([entry.name for entry in one.objects.entries("stores") if "/files/" in entry.name])
    with two.writing():
        assert not (two.folder / "store" / "ledger").exists()
        two.write("1")
    assert machine("three").text() == "1"


def test_replaced_files_stay_for_readers_that_copy_them_and_go_later(machine, monkeypatch):
    one = machine("one")
    with one.writing():
        one.make()
    for text in "234":
        with one.writing():
            one.write(text)
    assert len([entry for entry in one.objects.entries("stores") if "/files/" in entry.name]) == 4
    monkeypatch.setattr(session, "KEPT_SECONDS", 0)
    with one.writing():
        one.write("5")
    assert len([entry for entry in one.objects.entries("stores") if "/files/" in entry.name]) == 1
    assert machine("two").text() == "5"


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
            session._sessions[one.folder].publish()
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
        session._sessions[one.folder].publish()
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
    monkeypatch.setattr(conditions, "_LONG", timedelta(0))
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
