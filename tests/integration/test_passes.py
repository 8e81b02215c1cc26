"""What a pass over dirty sections keeps where it is stopped within a commit, or takes long."""

import pytest

import indexer.sync.embedding
import indexer.sync.passes
from indexer.workers.base import Here


@pytest.fixture
def small_portions(manual, monkeypatch):
    """A project whose nine sections are embedded in nine portions of one commit."""
    monkeypatch.setattr(indexer.sync.embedding, "PORTION_TOKENS", 0)
    manual.indexer().scan(manual.home / "docs")
    return manual


def test_run_stopped_within_a_commit_keeps_what_it_embedded(small_portions):
    answers = iter([False] * 4)
    report = small_portions.indexer(should_stop=lambda: next(answers, True)).process_dirty()
    assert (report.sections_embedded, report.stopped) == (4, True)
    assert len(small_portions.headings(dirty=True)) == 5


def test_vectors_that_took_long_are_committed_before_the_next_are_made(small_portions, monkeypatch):
    monkeypatch.setattr(indexer.sync.passes, "COMMIT_SECONDS", 0.0)
    left = []
    small_portions.indexer(progress=lambda *_: left.append(len(small_portions.headings(dirty=True)))).process_dirty()
    assert left == [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]


def test_workers_are_told_when_a_clock_ends_a_pass(small_portions, monkeypatch):
    told, real = [], Here.map

    def noted(here, jobs, should_stop, *, is_timed):
        told.append(is_timed)
        return real(here, jobs, should_stop, is_timed=is_timed)

    monkeypatch.setattr(Here, "map", noted)
    small_portions.indexer().process_dirty(limit=1)
    small_portions.indexer().process_dirty(time_budget=60)
    assert told == [False, True]


def test_text_whose_sections_take_several_commits_is_embedded_once(project, monkeypatch):
    monkeypatch.setattr(indexer.sync.embedding, "COMMIT_SECTIONS", 2)
    for name in "abcde":
        project.write(f"docs/{name}.md", "# Same\n\nOne text.\n")
    project.write("docs/z.md", "# Other\n\nAnother text.\n")
    report = project.index()
    assert (report.sections_embedded, report.vectors_reused, len(project.embedder.embedded)) == (2, 4, 2)
    assert project.headings(dirty=True) == []


def test_text_that_a_stopped_pass_embedded_is_not_embedded_again(project, monkeypatch):
    monkeypatch.setattr(indexer.sync.embedding, "COMMIT_SECTIONS", 1)
    for name in "abc":
        project.write(f"docs/{name}.md", "# Same\n\nOne text.\n")
    project.indexer().scan(project.home / "docs")
    project.indexer().process_dirty(limit=1)
    project.embedder.embedded.clear()
    report = project.indexer().process_dirty()
    assert (report.sections_embedded, report.vectors_reused, project.embedder.embedded) == (0, 2, [])
