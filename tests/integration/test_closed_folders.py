"""What cannot be looked at for a while, or was not noted before a run was stopped, is not taken for gone or for unchanged."""

import os
from pathlib import Path

import pytest

from indexer.cli import again_and_again
from indexer.daemon.schedule import LastRun, StopSignals
from indexer.daemon.watch import watch_changes
from schema.errors import IndexAccessError, SourceError
from schema.index_files.layout import converted_path
from schema.index_files.manifest import Manifest
from schema.storage.table import SectionTable

REFUSED = PermissionError(13, "Permission denied")


@pytest.fixture
def close(monkeypatch):
    """Makes a folder one that nobody may look into, as missing rights and a dropped network do, or (`is_listed`) only list;
    without one, opens it again."""
    closed = []
    stat, scandir = Path.stat, os.scandir

    def closed_stat(self, **options):
        if any(folder in self.absolute().parents for folder, is_listed in closed if not is_listed):
            raise PermissionError(*REFUSED.args, str(self))
        return stat(self, **options)

    def closed_scandir(place="."):
        if not isinstance(place, int) and any(
            folder in (path := Path(place).absolute(), *path.parents) for folder, _ in closed
        ):
            raise PermissionError(*REFUSED.args, str(place))
        return scandir(place)

    def change(folder=None, *, is_listed=False):
        closed[:] = [(folder, is_listed)] if folder is not None else []

    monkeypatch.setattr(Path, "stat", closed_stat)
    monkeypatch.setattr(os, "scandir", closed_scandir)
    return change


def paths(project):
    return sorted(document.path for document in project.engine().documents())


def found(project, words):
    return [hit.section.document_path for hit in project.engine().search(words, mode="lexical")]


@pytest.fixture
def two(project):
    project.write("docs/a.md", "# A\n\nwalrus\n")
    project.write("docs/sub/b.md", "# B\n\npenguin\n")
    project.index()
    return project


def test_rebuild_keeps_the_sections_below_a_folder_that_cannot_be_read(two, close):
    close(two.home / "docs/sub")
    report = two.indexer().rebuild(two.home / "docs")
    assert [failure.path for failure in report.failed] == ["docs/sub"]
    assert paths(two) == ["docs/a.md", "docs/sub/b.md"]
    assert found(two, "penguin") == ["docs/sub/b.md"]


def test_project_that_cannot_be_listed_loses_no_document(project, close):
    project.write("a.md", "# A\n\nwalrus\n")
    project.write("sub/b.md", "# B\n\npenguin\n")
    project.index(".")
    close(project.home, is_listed=True)
    report = project.indexer().scan()
    assert ([failure.path for failure in report.failed], report.documents_removed) == (["."], 0)
    close()
    assert paths(project) == ["a.md", "sub/b.md"]


def test_root_outside_that_cannot_be_looked_at_keeps_its_documents_and_is_told(two, close, tmp_path_factory):
    outside = tmp_path_factory.mktemp("drive")
    (outside / "notes").mkdir()
    (outside / "notes/x.md").write_text("# X\n\nxylophone\n")
    two.indexer().index(outside / "notes")
    close(outside)
    report = two.indexer().scan()
    assert [(one.path, one.reason) for one in report.failed] == [("notes", "the folder cannot be read: permission denied")]
    assert report.documents_removed == 0
    close()
    assert found(two, "xylophone") == ["notes/x.md"]
    assert two.indexer().scan().failed == []


def test_run_over_a_folder_around_a_closed_root_goes_on_and_tells_it(two, close, tmp_path_factory):
    outside = tmp_path_factory.mktemp("drive")
    (outside / "notes").mkdir()
    (outside / "notes/x.md").write_text("# X\n\nxylophone\n")
    two.indexer().index(outside / "notes")
    two.write("docs/c.md", "# C\n\ncrane\n")
    close(outside)
    report = two.indexer().index(two.home / "docs")
    assert (report.documents_added, report.documents_removed) == (1, 0)
    close()
    assert found(two, "xylophone crane") != []
    assert found(two, "xylophone") == ["notes/x.md"]


@pytest.fixture
def gone(two, tmp_path_factory):
    """A root outside of the project that was indexed and is there no more."""
    place = tmp_path_factory.mktemp("drive") / "notes"
    place.mkdir()
    (place / "x.md").write_text("# X\n\nxylophone\n")
    two.indexer().index(place)
    (place / "x.md").unlink()
    place.rmdir()
    return place


def test_root_outside_that_is_gone_loses_its_documents(two, gone):
    assert two.indexer().scan().documents_removed == 1


def test_root_that_became_a_file_of_another_kind_is_told_and_stops_no_run(two, gone):
    gone.write_bytes(b"\x00")
    two.write("docs/c.md", "# C\n\ncrane\n")
    report = two.indexer().scan()
    assert ([one.path for one in report.failed], report.documents_added) == (["notes"], 1)
    assert "neither a folder nor a Markdown file" in report.failed[0].reason
    assert found(two, "crane") == ["docs/c.md"]
    with pytest.raises(SourceError, match="neither a folder nor a Markdown file"):
        two.indexer().index(gone)


def test_status_counts_what_cannot_be_looked_at_as_changed_and_not_as_gone(two, close):
    close(two.home / "docs/sub")
    status = two.indexer().status()
    assert (status.stale, status.orphans) == (("docs/sub/b.md",), ())


def test_watch_goes_on_while_a_folder_cannot_be_looked_at(two, close, monkeypatch):
    class Stop:
        def __init__(self):
            self.ticks = 0

        def is_set(self):
            return self.ticks > 3

        def sleep(self, _seconds):
            self.ticks += 1

    monkeypatch.setattr(os.path, "exists", lambda _place: False)  # as it answers for what may not be looked at
    close(two.home)
    assert list(watch_changes([two.home / "docs"], settle=0.1, full_every=3600, stop=Stop())) == [None]


class Runs:
    """Index runs of a project, of which some meet a refusal: those with the numbers `refused`, counted from 1."""

    def __init__(self, project, *refused):
        self.project, self.refused, self.made = project, refused, 0

    def index(self, *_paths, **_options):
        self.made += 1
        if self.made in self.refused:
            raise PermissionError(13, "Permission denied", "notes")
        return self.project.indexer().index(self.project.home / "docs")


def test_later_run_of_many_that_meets_a_refusal_is_told_and_the_next_one_made(two, capsys):
    runs = Runs(two, 2)
    again_and_again([None] * 3, runs, StopSignals(), (), as_json=False, quiet=True)
    assert runs.made == 3
    assert capsys.readouterr().err == "index: Permission denied: notes; the next run tries again.\n"


def test_missing_folder_keeps_later_runs_from_none_of_the_others(two, capsys):
    (two.home / "more").mkdir()
    two.write("more/b.md", "# B\n\nquartz\n")
    last = LastRun()

    def when():
        yield
        (two.home / "more").rename(two.home / "away")
        two.write("docs/a.md", "# A\n\nzebra\n")
        yield
        assert last.is_done
        yield

    again_and_again(
        when(), two.indexer(), StopSignals(), (two.home / "docs", two.home / "more"), as_json=False, quiet=True, last=last
    )
    assert capsys.readouterr().err == f"index: There is no folder or file {two.home / 'more'}; check the path.\n"
    assert [hit.section.heading for hit in two.engine().search("zebra", mode="lexical")] == ["A"]
    assert [hit.section.heading for hit in two.engine().search("quartz", mode="lexical")] == ["B"]


def test_failed_run_of_many_is_noted_and_told_once(two, capsys):
    noted, last = [], LastRun()

    def when():
        for _ in range(4):
            yield
            noted.append(last.is_done)

    again_and_again(when(), Runs(two, 2, 3), StopSignals(), (), as_json=False, quiet=True, last=last)
    assert noted == [True, False, False, True]
    assert capsys.readouterr().err == "index: Permission denied: notes; the next run tries again.\n"


def test_file_of_the_far_future_is_indexed(two):
    os.utime(two.home / "docs/a.md", ns=(0, 10_413_792_000 * 10**9))
    assert two.indexer().index(two.home / "docs").failed == []
    assert two.indexer().index(two.home / "docs").documents_updated == 0


def test_file_that_becomes_what_it_was_after_a_stopped_run_is_read_again(two, monkeypatch):
    before = (two.home / "docs/a.md").read_bytes()
    two.write("docs/a.md", "# A\n\nzebra\n")
    record = Manifest.record

    def recorded_or_interrupted(self, files):
        files = list(files)
        if any(file.path == "docs/a.md" for file in files):
            raise KeyboardInterrupt
        record(self, files)

    monkeypatch.setattr(Manifest, "record", recorded_or_interrupted)
    with pytest.raises(KeyboardInterrupt):
        two.index()
    monkeypatch.undo()
    assert found(two, "zebra") == ["docs/a.md"]
    two.write("docs/a.md", before)
    two.index()
    assert (found(two, "zebra"), found(two, "walrus")) == ([], ["docs/a.md"])
    assert two.indexer().verify().differences == ()


def test_file_that_comes_back_after_a_stopped_run_removed_it_is_found_again(two, monkeypatch):
    remove = SectionTable.remove_documents

    def removed_and_interrupted(*args):
        remove(*args)
        raise KeyboardInterrupt

    (two.home / "docs/a.md").rename(two.home / "away")
    monkeypatch.setattr(SectionTable, "remove_documents", removed_and_interrupted)
    with pytest.raises(KeyboardInterrupt):
        two.index()
    monkeypatch.undo()
    assert found(two, "walrus") == []
    (two.home / "away").rename(two.home / "docs/a.md")
    two.index()
    assert found(two, "walrus") == ["docs/a.md"]


def test_manifest_that_may_not_be_read_is_no_damage_and_nothing_is_made_again(two, monkeypatch):
    read = Path.read_bytes

    def refused(self):
        if self.suffix == ".manifest":
            raise PermissionError(*REFUSED.args, str(self))
        return read(self)

    monkeypatch.setattr(Path, "read_bytes", refused)
    two.write("docs/c.md", "# C\n\ncrane\n")
    with pytest.raises(IndexAccessError, match=r"cannot be read \(.*\.manifest: Permission denied\); correct that"):
        two.index()
    monkeypatch.undo()
    assert two.index().sections_embedded == 1


def test_rebuild_of_an_index_of_somebody_else_drops_its_converted_texts(two, monkeypatch):
    forged = converted_path(two.index_dir) / "key.conv"
    forged.parent.mkdir(exist_ok=True)
    forged.write_text("Pay at once.")
    two.indexer().rebuild(two.home / "docs")
    assert forged.exists()
    monkeypatch.setattr("indexer.pipeline.is_own", lambda _index_dir: False)
    two.indexer().rebuild(two.home / "docs")
    assert not forged.exists()
