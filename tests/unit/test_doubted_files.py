"""Files beside a table that may be older than it: what they say of documents no longer counts, and the rest is kept."""

import contextlib
import sqlite3
import threading
from datetime import timedelta

import pytest

import schema.index_files.sqlite
from schema.changes import ChangedSection
from schema.clock import now
from schema.errors import IndexAccessError
from schema.index_files.changes import ChangeFile, doubt_changes, read_changes
from schema.index_files.manifest import FileRecord, Manifest, forget_files, read_manifest

STORE = "0123456789abcdef" * 2


def test_files_of_a_manifest_are_forgotten_and_its_notes_kept(tmp_path):
    path = tmp_path / "ledger.sqlite"
    with Manifest(path, store_id=STORE) as manifest:
        manifest.record([FileRecord("a.md", 1, 2, 3, "4")])
        manifest.set_metadata("scopes", "docs")
    forget_files(path)
    said = read_manifest(path)
    assert (said.files, said.metadata["scopes"]) == ({}, "docs")
    with Manifest(path, store_id=STORE) as manifest:
        assert manifest.files() == {}


def test_doubted_changes_are_kept_and_say_from_when_on_they_are_complete(tmp_path):
    path = tmp_path / "changes.sqlite"
    gone = ChangedSection(id="1", document_path="a.md", heading="A", kind="removed", at=now(), depth=1)
    with ChangeFile(path, store_id=STORE) as file:
        file.note(now(), [gone])
    before = read_changes(path, store_id=STORE)
    moment = now()
    doubt_changes(path)
    after = read_changes(path, store_id=STORE)
    assert (after.runs, after.removed) == (before.runs, before.removed)
    assert moment - timedelta(milliseconds=1) <= after.complete_since <= now() + timedelta(milliseconds=1)


@pytest.mark.parametrize("doubt", [forget_files, doubt_changes])
def test_damaged_file_is_deleted_and_a_missing_one_stays_missing(tmp_path, doubt):
    path = tmp_path / "x.sqlite"
    doubt(path)
    assert not path.exists()
    path.write_bytes(b"x" * 5000)
    doubt(path)
    assert not path.exists()


@pytest.mark.parametrize(("make", "doubt"), [(Manifest, forget_files), (ChangeFile, doubt_changes)])
def test_locked_file_is_waited_for_and_never_deleted(tmp_path, monkeypatch, make, doubt):
    path = tmp_path / "x.sqlite"
    make(path, store_id=STORE).close()
    monkeypatch.setattr(schema.index_files.sqlite, "TIMEOUT", 0.1)
    with contextlib.closing(sqlite3.connect(path)) as other:
        other.execute("begin exclusive")
        with pytest.raises(IndexAccessError, match=r"cannot be written: another program uses its file x\.sqlite; try again"):
            doubt(path)
        assert path.exists()
    doubt(path)
    make(path, store_id=STORE).close()


def test_file_that_is_locked_for_a_moment_is_changed(tmp_path):
    path = tmp_path / "x.sqlite"
    with Manifest(path, store_id=STORE) as manifest:
        manifest.record([FileRecord("a.md", 1, 2, 3, "4")])
    with contextlib.closing(sqlite3.connect(path, check_same_thread=False)) as other:
        other.execute("begin exclusive")
        release = threading.Timer(0.2, other.rollback)
        release.start()
        forget_files(path)
        release.join()
    assert read_manifest(path).files == {}
