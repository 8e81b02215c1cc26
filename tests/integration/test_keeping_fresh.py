"""Status, verify, optimize, and runs that are stopped, recorded or have nothing to do."""

import itertools
import json
import os
import subprocess
import sys
import time

import pytest

import indexer.sync.changed
from schema.errors import IndexNotFoundError
from schema.index_files.layout import store_dir, writer_lock
from schema.settings import DEFAULT_MODEL
from schema.storage.fingerprint import SCHEMA_VERSION
from schema.storage.table import SectionTable


def test_stopped_scan_removes_nothing_and_is_finished_by_the_next(manual, monkeypatch):
    manual.index()
    monkeypatch.setattr(indexer.sync.changed, "SCAN_FILES", 1)
    (manual.home / "docs/guide.md").unlink()
    for i in range(5):
        manual.write(f"docs/{i}.md", f"# New {i}\n")
    answers = iter([False, False, True])
    report = manual.indexer(should_stop=lambda: next(answers, True)).index(manual.home / "docs")
    assert (report.stopped, report.documents_added, report.documents_removed, report.sections_embedded) == (True, 2, 0, 0)
    assert manual.engine().search("penguins", mode="lexical")
    again = manual.index()
    assert (again.documents_added, again.documents_removed, again.stopped) == (3, 1, False)


@pytest.mark.parametrize("command", ["index", "scan", "rebuild"])
def test_run_that_is_stopped_while_it_looks_for_files_says_so_and_changes_nothing(manual, monkeypatch, command):
    manual.index()
    manual.write("docs/new.md", "# New\n")
    monkeypatch.setattr("indexer.discover.STOP_SECONDS", -1)
    report = getattr(manual.indexer(should_stop=lambda: True), command)(manual.home / "docs")
    assert (report.stopped, report.documents_added, report.documents_removed) == (True, 0, 0)
    assert len(manual.indexer().status().new) == 1


def stop_after(asked):
    """What says to stop once it was asked so often."""
    count = itertools.count()
    return lambda: next(count) >= asked


@pytest.mark.parametrize("asked", [0, 1, 4, 6])
def test_stopped_check_says_so_and_tells_no_difference_that_it_did_not_find(manual, monkeypatch, asked):
    manual.index()
    monkeypatch.setattr("indexer.discover.STOP_SECONDS", -1)
    report = manual.indexer(should_stop=stop_after(asked)).verify()
    assert (report.stopped, report.differences, report.failed) == (True, (), ())


def test_stopped_check_repairs_nothing(manual):
    manual.index()
    (manual.home / "docs/guide.md").write_text("# Other\n")
    report = manual.indexer(should_stop=stop_after(3)).verify(repair=True)
    assert (report.stopped, report.repaired) == (True, ())
    assert manual.indexer().verify().differences != ()


def test_check_that_ends_is_not_stopped(manual):
    manual.index()
    report = manual.indexer(should_stop=stop_after(1_000)).verify()
    assert (report.stopped, report.differences) == (False, ())


def test_stopped_rebuild_leaves_the_old_index(manual):
    manual.index()
    before = SectionTable.open(store_dir(manual.index_dir)).store_id
    report = manual.indexer(should_stop=lambda: True).rebuild(manual.home / "docs")
    assert report.stopped
    assert SectionTable.open(store_dir(manual.index_dir)).store_id == before
    assert not list(manual.index_dir.glob("store.*"))


def test_run_is_recorded_with_its_outcome(manual, make_embedder):
    manual.index()
    run = manual.indexer().status().last_run
    assert (run.outcome, run.counts["documents_added"], run.counts["failed"], run.ended >= run.started) == (
        "finished",
        2,
        0,
        True,
    )

    class Broken(make_embedder):
        def embed_sections(self, texts):
            raise ZeroDivisionError

    manual.write("docs/new.md", "# New\n")
    with pytest.raises(ZeroDivisionError):
        manual.index(embedder=Broken())
    assert manual.indexer().status().last_run.outcome == "failed"


def test_status_counts_what_is_there_and_what_is_not_true(manual):
    with pytest.raises(IndexNotFoundError):
        manual.indexer().status()
    manual.index()
    os.mkfifo(manual.home / "docs/pipe.md")
    guide = manual.home / "docs/guide.md"
    guide.write_text(guide.read_text().replace("Apples", "Pears"))
    manual.indexer().scan(manual.home / "docs")
    guide.write_text(guide.read_text().replace("Pears", "Plums"))
    (manual.home / "docs/sub/notes.md").unlink()
    status = manual.indexer().status()
    assert (status.documents, status.sections, status.dirty) == (2, 9, 1)
    assert (status.stale, status.orphans, status.paths) == (("docs/guide.md",), ("docs/sub/notes.md",), ("docs",))
    assert [f.path for f in status.failed] == ["docs/pipe.md"]
    assert (status.model, status.dimension, status.schema_version, status.is_being_written) == (
        "words-32",
        32,
        SCHEMA_VERSION,
        False,
    )
    assert 0 < status.data_bytes < status.disk_bytes
    assert status.unindexed_rows == SectionTable.open(store_dir(manual.index_dir)).statistics().unindexed_rows
    with writer_lock(manual.index_dir):
        assert manual.indexer().status().is_being_written


def test_same_length_edit_right_after_indexing_is_told_as_stale(manual):
    manual.index()
    guide = manual.home / "docs/guide.md"
    guide.write_text(guide.read_text().replace("Apples", "Grapes"))
    assert manual.engine().search("apples")[0].stale


def test_verify_names_every_kind_of_difference(manual, monkeypatch):
    manual.index()
    manual.write("docs/unseen.md", "# Unseen\n")
    (manual.home / "docs/sub/notes.md").unlink()
    guide = manual.home / "docs/guide.md"
    guide.write_text(guide.read_text().replace("## Install", "## Setup").replace("Apples", "Pears"))
    found = {(d.path, d.kind) for d in manual.indexer().verify().differences}
    assert found == {
        ("docs/unseen.md", "missing"), ("docs/sub/notes.md", "orphan"), ("docs/guide.md", "missing"),
        ("docs/guide.md", "changed"), ("docs/guide.md", "orphan"),
    }  # fmt: skip


def test_verify_finds_and_repairs_vectors_that_are_none(manual):
    import dataclasses

    import numpy as np

    manual.index()
    table = SectionTable.open(store_dir(manual.index_dir))
    wrong = next(row for row in manual.stored().values() if row.section.heading == "Linux")
    zeros = dataclasses.replace(wrong.embedding, vector=np.zeros(32, np.float32))
    table.update([dataclasses.replace(wrong, embedding=zeros)])
    found = manual.indexer().verify().differences
    assert [(d.path, d.kind) for d in found] == [("docs/guide.md", "vector")]
    report = manual.indexer().verify(repair=True)
    assert (report.repaired, report.differences) == (found, ())


def test_verify_finds_rows_of_another_text(manual):
    import dataclasses

    manual.index()
    table = SectionTable.open(store_dir(manual.index_dir))
    wrong = next(row for row in manual.stored().values() if row.section.heading == "Linux")
    table.update(
        [
            dataclasses.replace(
                wrong, terms=None, section=dataclasses.replace(wrong.section, content="### Linux\n\nForged.\n")
            )
        ]
    )
    assert [d.kind for d in manual.indexer().verify().differences] == ["changed", "vector"]
    assert manual.indexer().verify(repair=True).differences == ()
    assert manual.engine().search("forged", mode="lexical") == []


def test_verify_of_a_sound_index_repairs_nothing(manual):
    manual.index()
    version = SectionTable.open(store_dir(manual.index_dir)).version
    assert manual.indexer().verify(repair=True).repaired == ()
    assert SectionTable.open(store_dir(manual.index_dir)).version == version


def test_optimize_merges_and_cleans(manual, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(SectionTable, "optimize", lambda self, force=False: None)
        for i in range(12):
            manual.write(f"docs/{i}.md", f"# New {i}\n")
            manual.index()
    time.sleep(1.1)  # versions younger than a second are kept for readers
    before, after = manual.indexer().optimize()
    assert (before.fragments > 8, after.unindexed_rows) == (True, 0)
    assert after.fragments < before.fragments / 2
    assert after.disk_bytes < before.disk_bytes


def test_first_index_leaves_no_earlier_versions_on_the_disk(project):
    for i in range(300):
        project.write(f"docs/{i}.md", f"# Page {i}\n\n" + " ".join(f"word{i * j % 977}" for j in range(1500)) + "\n")
    project.index()
    status = project.indexer().status()
    assert status.data_bytes > 2 << 20  # smaller ones are all overhead
    assert status.disk_bytes < 1.5 * status.data_bytes


def test_equal_texts_are_embedded_once(project):
    for i in range(5):
        project.write(f"docs/{i}.md", "# Same\n\nequal words\n")
    report = project.index()
    assert (report.sections_embedded, report.vectors_reused) == (1, 4)
    assert len(project.engine().search("equal", mode="dense", limit=10)) == 5


def test_snapshot_is_not_moved_by_later_commits(manual):
    manual.index()
    table = SectionTable.open(store_dir(manual.index_dir))
    before = table.snapshot()
    (manual.home / "docs/guide.md").unlink()
    manual.index()
    assert (before.count(), table.count(), table.snapshot().count()) == (9, 3, 3)
    assert before.snapshot is not None


def test_answer_whose_version_was_cleaned_away_is_read_from_the_newest(manual, monkeypatch):
    manual.index()
    engine = manual.engine()
    real = SectionTable.links
    calls = []

    def overtaken(table, paths):
        if not calls:
            calls.append(paths)
            manual.write("docs/new.md", "# New\n")
            manual.index()
            time.sleep(1.1)
            manual.indexer().optimize()
        return real(table, paths)

    monkeypatch.setattr(SectionTable, "links", overtaken)
    hit = engine.search("penguins", mode="lexical")[0]
    assert (hit.section.heading, [link.heading for link in hit.ancestors]) == ("Linux", ["Guide", "Install"])


@pytest.mark.process
def test_run_without_changes_imports_no_torch(manual):
    manual.embedder.name = DEFAULT_MODEL
    manual.embedder.dimension = 512
    manual.index()
    script = (
        "import json, sys\nfrom indexer import Indexer\nreport = Indexer('.sectionary').index('docs')\n"
        "print(json.dumps([report.documents_unchanged, [m for m in ('torch', 'sentence_transformers') if m in sys.modules]]))\n"
    )
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("SECTIONARY_") or name in ("SECTIONARY_CACHE_DIR", "SECTIONARY_CONFIG_DIR")
    }
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=manual.home, env=environment, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == [2, []]
