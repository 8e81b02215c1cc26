"""A run that finds nothing changed reports it without opening the table; whatever changed, the table is opened."""

import contextlib
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from indexer import Indexer
from indexer.reading import read_file
from indexer.sync import unchanged
from indexer.sync.roots import Roots
from schema.errors import IndexAccessError, IndexIncompatibleError, IndexUntrustedError
from schema.index_files.layout import links_path, manifest_path, statistics_path, store_dir
from schema.index_files.manifest import Manifest, read_manifest
from schema.index_files.statistics import Statistics
from schema.settings import Settings
from schema.storage.table import SectionTable


@pytest.fixture
def finished(manual, monkeypatch):
    """The manual, indexed, its files older than what a run takes for just written."""
    with monkeypatch.context() as patch:
        age(patch)
        manual.index()
    return manual


@pytest.fixture
def opened(monkeypatch):
    """The folders of the tables that were opened."""
    seen = []
    really = SectionTable.open.__func__

    def noted(cls, folder, **options):
        seen.append(folder)
        return really(cls, folder, **options)

    monkeypatch.setattr(SectionTable, "open", classmethod(noted))
    return seen


def age(monkeypatch):
    """Let files count as older than what a run takes for just written."""
    monkeypatch.setattr("indexer.sync.same_bytes.RACY_NS", 0)


def counts(report):
    return (report.documents_added, report.documents_updated, report.documents_removed, report.documents_unchanged)


def test_table_is_not_opened_when_nothing_changed(finished, opened):
    assert (counts(finished.index()), opened) == ((0, 0, 0, 2), [])


def test_files_that_were_just_written_are_read_again_by_the_next_run_without_the_table(manual, opened, monkeypatch):
    monkeypatch.setattr("indexer.sync.same_bytes.RACY_NS", 10**18)
    manual.index()
    opened.clear()
    read = []
    monkeypatch.setattr("indexer.sync.same_bytes.read_file", lambda file: (read.append(file.path), read_file(file))[1])
    assert (counts(manual.index()), sorted(read), opened) == ((0, 0, 0, 2), ["docs/guide.md", "docs/sub/notes.md"], [])


def test_a_file_of_the_same_size_with_other_bytes_is_taken(manual, opened):
    manual.index()
    opened.clear()
    text = (manual.home / "docs/guide.md").read_text()
    manual.write("docs/guide.md", text.replace("widget", "gadget"))
    assert (counts(manual.index()), len(opened)) == ((0, 1, 0, 1), 1)


def test_a_file_that_cannot_be_read_any_more_is_told(manual, monkeypatch):
    manual.index()

    def refuse(file):
        raise PermissionError(13, "Permission denied")

    for module in ("changed", "same_bytes"):
        monkeypatch.setattr(f"indexer.sync.{module}.read_file", refuse)
    assert len(manual.index().failed) == 2


def test_report_and_progress_are_those_of_a_run_that_opens_the_table(finished):
    seen = {}
    for is_fast in (True, False):
        phases = []
        if not is_fast:
            (store_dir(finished.index_dir) / "sections.lance" / "other").write_bytes(b"")
        report = finished.index(progress=lambda *step: phases.append(step))  # noqa: B023
        whole = report.to_dict() | {"timings": sorted(report.timings)}
        seen[is_fast] = (whole, phases[-2:])
    assert seen[True] == seen[False]


def test_run_is_noted_as_the_last_one(finished):
    before = finished.indexer().status().last_run
    finished.index()
    after = finished.indexer().status().last_run
    assert (after.started > before.started, after.outcome, after.counts["documents_unchanged"]) == (True, "finished", 2)


def test_files_that_were_only_touched_are_compared_once_without_the_table(finished, opened, monkeypatch):
    place = finished.home / "docs/guide.md"
    os.utime(place, (1_700_000_050, 1_700_000_050))
    age(monkeypatch)
    assert counts(finished.index()) == (0, 0, 0, 2)
    monkeypatch.setattr("indexer.sync.same_bytes.read_file", lambda file: pytest.fail(f"{file.path} was read"))
    assert (counts(finished.index()), opened) == ((0, 0, 0, 2), [])


def test_no_file_is_read(finished, monkeypatch):
    for module in ("changed", "same_bytes"):
        monkeypatch.setattr(f"indexer.sync.{module}.read_file", lambda file: pytest.fail(f"{file.path} was read"))
    assert counts(finished.index()) == (0, 0, 0, 2)


def test_a_stop_is_noticed_by_the_run_that_reads_files(finished):
    os.utime(finished.home / "docs/guide.md", (1_700_000_050, 1_700_000_050))
    assert finished.index(should_stop=lambda: True).stopped


@pytest.mark.parametrize("name", ["VERSION", "formats.LINKS", "formats.STATISTICS"])
def test_another_version_of_the_program_looks_at_the_table(finished, opened, monkeypatch, name):
    monkeypatch.setattr(unchanged, "FORMATS", ("another", name))
    finished.index()
    assert opened != []


def test_index_of_a_newer_program_is_refused_and_left_as_it_is(finished, monkeypatch):
    place = manifest_path(store_dir(finished.index_dir))
    with contextlib.closing(sqlite3.connect(place)) as connection:
        connection.execute("update facts set value = '99' where name = 'version'")
        connection.commit()
    monkeypatch.setattr("indexer.sync.tools.SCHEMA_VERSION", 99)
    refused = IndexIncompatibleError("newer", index_dir=finished.index_dir, expected={}, found={})

    def refuse(cls, folder, **_):
        raise refused

    monkeypatch.setattr(SectionTable, "open", classmethod(refuse))
    with pytest.raises(IndexIncompatibleError, match="newer"):
        finished.index()
    with contextlib.closing(sqlite3.connect(place)) as connection:
        assert connection.execute("select count(*) from files").fetchone() == (2,)


def test_statistics_that_could_not_be_written_are_made_by_the_next_run(finished, monkeypatch):
    finished.write("docs/more.md", "# More\n\nwords\n")
    with monkeypatch.context() as patch:
        patch.setattr(Statistics, "apply", lambda *_, **__: (_ for _ in ()).throw(sqlite3.OperationalError("locked")))
        finished.index()
    finished.index()
    assert finished.indexer().verify().differences == ()


def test_a_note_that_cannot_be_written_fails_no_run(manual, monkeypatch):
    really = Manifest.set_metadata

    def denied(self, name, value):
        if name == "finished":
            raise IndexAccessError("full", index_dir=manual.index_dir)
        really(self, name, value)

    monkeypatch.setattr(Manifest, "set_metadata", denied)
    assert counts(manual.index()) == (2, 0, 0, 0)


def test_damage_that_keeps_size_and_time_is_made_good(finished):
    for data in store_dir(finished.index_dir).glob("sections.lance/data/*.lance"):
        status, content = data.stat(), data.read_bytes()
        data.write_bytes(content[:10] + bytes(len(content) - 20) + content[-10:])
        os.utime(data, ns=(status.st_atime_ns, status.st_mtime_ns))
    finished.index()
    assert finished.indexer().verify().differences == ()


def test_a_file_that_another_run_indexed_while_this_one_waited_stays(manual, monkeypatch):
    manual.index()
    discover = Roots.discover

    def overtaken(self, paths):
        monkeypatch.setattr(Roots, "discover", discover)
        found = self.discover(paths)
        manual.write("docs/new.md", "# New\n\nwords\n")
        assert manual.index().documents_added == 1
        return found

    monkeypatch.setattr(Roots, "discover", overtaken)
    report = manual.index()
    assert (report.documents_removed, "New" in manual.headings()) == (0, True)


def test_edit_is_found(finished):
    finished.write("docs/guide.md", "# Guide\n\nOther words.\n")
    assert counts(finished.index()) == (0, 1, 0, 1)


def test_edit_that_keeps_size_and_time_is_found(finished):
    place = finished.home / "docs/guide.md"
    status = place.stat()
    place.write_bytes(place.read_bytes().replace(b"Apples", b"Cherry"))
    os.utime(place, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert counts(finished.index()) == (0, 1, 0, 1)


def test_new_file_is_found(finished):
    finished.write("docs/more.md", "# More\n\nWords.\n")
    assert counts(finished.index()) == (1, 0, 0, 2)


def test_deleted_file_is_removed(finished):
    (finished.home / "docs/guide.md").unlink()
    assert counts(finished.index()) == (0, 0, 1, 1)


def test_file_that_became_unreadable_is_reported(finished):
    place = finished.home / "docs/guide.md"
    place.unlink()
    os.mkfifo(place)
    assert [failure.path for failure in finished.index().failed] == ["docs/guide.md"]


def test_folder_that_shows_another_dialect_is_read_again(finished):
    finished.write("docs/.obsidian/app.json", "{}")
    assert counts(finished.index()) == (0, 2, 0, 0)


def test_other_model_is_refused(finished, make_embedder):
    with pytest.raises(IndexIncompatibleError, match="other-32"):
        finished.index(embedder=make_embedder("other-32"))


def test_another_folder_is_another_run(finished):
    finished.write("more/one.md", "# One\n\nWords.\n")
    assert counts(finished.index("more")) == (1, 0, 0, 0)


def test_part_of_the_files_is_a_run_of_its_own(finished, opened):
    assert (counts(finished.index("docs/sub")), opened) == ((0, 0, 0, 1), [])


def test_damaged_table_is_made_again(finished):
    for data in store_dir(finished.index_dir).glob("sections.lance/data/*.lance"):
        data.write_bytes(data.read_bytes()[:-40])
    report = finished.index()
    assert (len(report.warnings), finished.indexer().verify().differences) == (1, ())


def test_data_that_is_gone_is_made_again(finished):
    shutil.rmtree(store_dir(finished.index_dir) / "sections.lance/data")
    finished.index()
    assert len(finished.stored()) == 9


@pytest.mark.parametrize("place", [statistics_path, links_path])
def test_file_beside_the_table_that_is_gone_leads_to_a_look_at_the_table(finished, opened, place):
    place(store_dir(finished.index_dir)).unlink()
    finished.index()
    assert opened != []


def test_links_that_are_gone_are_made_again(finished):
    links_path(store_dir(finished.index_dir)).unlink()
    finished.index()
    assert links_path(store_dir(finished.index_dir)).is_file()


def test_link_in_the_folder_is_refused(finished, tmp_path):
    data = next(store_dir(finished.index_dir).glob("sections.lance/data/*.lance"))
    data.rename(tmp_path / "elsewhere")
    data.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(IndexUntrustedError, match="link"):
        finished.index()


def test_sections_that_wait_for_vectors_are_embedded(manual):
    manual.indexer().scan(manual.home / "docs")
    manual.indexer().process_dirty(limit=4)
    assert [manual.index().sections_embedded, manual.index().sections_embedded] == [5, 0]


def test_stopped_run_leaves_no_note(manual):
    manual.index(should_stop=lambda: True)
    manual.index()
    assert len(manual.stored()) == 9


def test_edit_by_another_run_is_not_taken_for_finished(finished, opened):
    finished.write("docs/guide.md", "# Guide\n\nOther words.\n")
    finished.indexer().scan(finished.home / "docs")
    assert finished.index().sections_embedded == 1


def test_failure_is_told_again_by_every_run(manual):
    manual.write("docs/bad.md", b"# Bad\n\n\0")
    manual.write("docs/worse.md", b"\xff\xfe\0")
    first, second = manual.index(), manual.index()
    assert first.failed == second.failed


def test_manifest_of_another_table_counts_for_nothing(finished):
    place = manifest_path(store_dir(finished.index_dir))
    note = read_manifest(place).metadata["finished"]
    Manifest(place, store_id="0" * 32).close()
    with Manifest(place, store_id="0" * 32) as other:
        other.set_metadata("finished", note)
    assert counts(finished.index()) == (0, 2, 0, 0)


def test_summaries_that_are_asked_for_later_are_made(finished):
    indexer = Indexer(
        finished.index_dir, root=finished.home, embedder=finished.embedder, settings=Settings(summaries="extractive")
    )
    assert indexer.index(finished.home / "docs").summaries_written > 0


@pytest.mark.model
@pytest.mark.process
def test_run_that_finds_nothing_changed_loads_no_library_that_splits_embeds_or_stores(tmp_path):
    (tmp_path / "a.md").write_text("# A\n\nSome words.\n")
    libraries = ("numpy", "pyarrow", "lancedb", "markdown_it", "tiktoken", "tokenizers", "onnxruntime", "torch", "yaml")
    code = (
        "import sys\nfrom indexer import Indexer\n"
        f"report = Indexer({str(tmp_path / '.sectionary')!r}, root={str(tmp_path)!r}).index({str(tmp_path)!r})\n"
        f"print(report.documents_unchanged, *(name for name in {libraries!r} if name in sys.modules))"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2]
        )
        for code in (f"import indexer.sync.same_bytes\nindexer.sync.same_bytes.RACY_NS = 0\n{code}", code)
    ]
    assert runs[0].stdout.startswith("0 numpy pyarrow lancedb")
    assert runs[1].stdout == "1\n"
