"""Writers of an index in an object store that follow each other on several machines, over one store in memory."""

import contextlib
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

pytest.importorskip("obstore", reason="the extra `remote` is not installed")

from filelock import FileLock

from schema.errors import IndexAccessError, IndexDamagedError
from schema.remote import session
from schema.remote.current import Current, read_current, write_current
from schema.remote.objects import ConflictError, Objects


@pytest.fixture
def killed(monkeypatch):
    """Lets the sessions of a block end as those of a process that is killed."""

    @contextlib.contextmanager
    def kill():
        with monkeypatch.context() as patch:
            patch.setattr(session.Session, "publish", lambda *_, **__: None)
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
        session.sessions[one.folder].publish()
        (one.folder / "published.json").write_bytes(noted)
        one.write("3")
        patch.setattr(session.Session, "publish", lambda *_, **__: None)
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
