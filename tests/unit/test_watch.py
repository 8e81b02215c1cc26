"""Watched folders: which changes are of interest, and what happens to a folder that is made again."""

import shutil
import signal
from pathlib import Path
from threading import Timer

import pytest
from watchfiles import Change

from indexer.daemon import watch
from indexer.daemon.schedule import LastRun, StopSignals


@pytest.mark.parametrize("above", ["node_modules", ".git", ".sectionary"])
def test_names_above_a_watched_folder_hide_no_change(above):
    is_of_interest = watch.interest_in([Path(f"/home/{above}/docs"), Path("/home")])
    assert is_of_interest(Change.modified, f"/home/{above}/docs/a.md")
    assert not is_of_interest(Change.modified, f"/home/{above}/docs/.sectionary/a.md")
    assert not is_of_interest(Change.modified, f"/home/{above}/other/a.md")


def test_changes_in_an_index_folder_of_another_name_are_of_no_interest(tmp_path):
    (tmp_path / "idx").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "idx")
    for index_dir in ("idx", "link"):
        is_of_interest = watch.interest_in([tmp_path], tmp_path / index_dir)
        assert not is_of_interest(Change.modified, str(tmp_path / "idx/store/ledger.sqlite"))
        assert is_of_interest(Change.modified, str(tmp_path / "idx2/a.md"))


@pytest.mark.parametrize("given", ["docs", "other/../docs"])
def test_folder_that_is_made_again_with_the_same_inode_is_watched_again(tmp_path, monkeypatch, given):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(watch, "identities", lambda _paths: [1])  # file systems may give the number again
    (tmp_path / "docs").mkdir()
    (tmp_path / "other").mkdir()
    with StopSignals() as stop:
        seen = watch.watch_changes([Path(given)], stop=stop, settle=0.1)
        end = Timer(30, signal.raise_signal, (signal.SIGTERM,))
        end.start()
        try:
            next(seen)
            shutil.rmtree("docs")
            (tmp_path / "docs").mkdir()
            next(seen)  # the change
            next(seen)  # the new watch
            (tmp_path / "docs" / "late.md").write_text("# Late\n")
            assert next(seen, "stopped") is None
        finally:
            end.cancel()


def test_folder_that_is_away_is_asked_for_once_and_again_when_it_is_back(tmp_path, monkeypatch):
    docs = tmp_path / "docs"
    waits = []
    with StopSignals() as stop:

        def sleep(_seconds):
            waits.append(len(runs))
            if len(waits) == 5:
                docs.mkdir()

        monkeypatch.setattr(stop, "sleep", sleep)
        runs = []
        seen = watch.watch_changes([docs], stop=stop, settle=0.1)
        end = Timer(30, signal.raise_signal, (signal.SIGTERM,))
        end.start()
        try:
            runs += [next(seen, "stopped")]
            runs += [next(seen, "stopped")]
        finally:
            end.cancel()
    assert waits == [1, 1, 1, 1, 1]
    assert runs == [None, None]


def test_folder_that_is_away_is_asked_for_at_intervals(tmp_path, monkeypatch):
    moments = iter([0.0, 0.0, 5.0, 10.0, 10.0])
    with StopSignals() as stop:
        monkeypatch.setattr(stop, "sleep", lambda _seconds: None)
        monkeypatch.setattr(watch.time, "monotonic", lambda: next(moments))
        seen = watch.watch_changes([tmp_path / "docs"], stop=stop, full_every=10.0)
        assert [next(seen, "stopped") for _ in range(2)] == [None, None]
    assert next(moments) == 10.0


@pytest.mark.parametrize("reason", ["a failed run", "no index"])
def test_next_run_is_soon_after_one_that_failed_or_where_the_index_is_gone(tmp_path, monkeypatch, reason):
    docs, last = tmp_path / "docs", LastRun()
    docs.mkdir()
    (tmp_path / "idx").mkdir()
    monkeypatch.setattr(watch, "RETRY", 0.2)
    with StopSignals() as stop:
        end = Timer(30, signal.raise_signal, (signal.SIGTERM,))
        end.start()
        try:
            seen = watch.watch_changes([docs], stop=stop, settle=0.1, index_dir=tmp_path / "idx", last=last)
            next(seen)
            last.is_done = reason == "no index"
            if reason == "no index":
                (tmp_path / "idx").rmdir()
            assert next(seen, "stopped") is None
        finally:
            end.cancel()


def test_change_that_cannot_be_told_ends_no_watching(tmp_path, monkeypatch):
    told, made = [], []

    def broken(*_paths, **options):
        made.append(options["force_polling"])
        if len(made) == 1:
            raise watch.WatchfilesRustInternalError("failed to decode a path")
        yield set()

    monkeypatch.setattr(watch.watchfiles, "watch", broken)
    with StopSignals() as stop:
        monkeypatch.setattr(stop, "sleep", lambda _seconds: None)
        assert next(watch.watch_changes([tmp_path], stop=stop, on_fallback=told.append)) is None
    assert (made, told) == ([False, False], [])
