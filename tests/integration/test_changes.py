"""What changed in an index since a moment, since the last run, and since a commit."""

import os
import subprocess
from datetime import UTC, datetime, timedelta

import pytest

import search.changes.git
from schema.clock import now
from schema.errors import QueryError
from search.changes.git import Repository, clean_environment


def told(changes):
    return {
        document.path: [(section.kind, section.heading, section.start_line) for section in document.sections]
        for document in changes.documents
    }


@pytest.fixture
def edited(manual):
    """A project whose last run changed, added and removed a section each, and removed a document; and when it began."""
    manual.index()
    began = now()
    guide = (manual.home / "docs/guide.md").read_text()
    manual.write(
        "docs/guide.md",
        guide.replace("Apples are red", "Apples are green").replace(
            "### Linux\n\nPenguins need a special crank.", "### BSD\n\nDaemons."
        ),
    )
    (manual.home / "docs/sub/notes.md").unlink()
    manual.index()
    return manual, began


EDITS = {
    "docs/guide.md": [("added", "BSD", 13), ("changed", "First child", 19), ("removed", "Linux", 0)],
    "docs/sub/notes.md": [("removed", "検索エンジン", 0), ("removed", "検索エンジン", 0), ("removed", "검색 안내", 0)],
}


def test_changes_since_a_moment_are_told_by_document(edited):
    project, began = edited
    changes = project.engine().changes(began)
    assert told(changes) == EDITS
    assert changes.counts == {"added": 1, "changed": 1, "removed": 4}
    assert (changes.since, changes.omitted) == (began, 0)


def test_changes_are_by_default_those_of_the_last_run_that_changed_something(edited):
    project, _ = edited
    os.utime(project.home / "docs/guide.md")
    project.index()
    assert told(project.engine().changes()) == EDITS


def test_a_rebuild_or_another_model_is_no_change(edited, make_embedder):
    project, began = edited
    other = make_embedder("other-32")
    project.indexer(embedder=other).rebuild()
    assert told(project.engine(embedder=other).changes(began)) == EDITS


def test_everything_is_added_before_the_first_run_and_nothing_changes_after_the_last(edited):
    project, _ = edited
    assert project.engine().changes("7d").counts == {"added": 6, "changed": 0, "removed": 4}
    assert project.engine().changes(now() + timedelta(days=1)).documents == ()
    assert project.engine().changes(datetime(1, 1, 1, tzinfo=UTC)).counts["added"] == 6


def test_paths_and_limits_choose_among_the_changes(edited):
    project, began = edited
    engine = project.engine()
    assert set(told(engine.changes(began, path="docs/sub/"))) == {"docs/sub/notes.md"}
    assert set(told(engine.changes(began, path=["**/guide.md"]))) == {"docs/guide.md"}
    some = engine.changes(began, limit=2)
    assert (sum(len(document.sections) for document in some.documents), some.omitted) == (2, 4)


def test_a_section_that_is_there_again_is_not_removed(edited):
    project, began = edited
    project.write("docs/sub/notes.md", "# 検索エンジン\n\n全文を検索する仕組みです。\n")
    project.index()
    found = told(project.engine().changes(began))["docs/sub/notes.md"]
    assert sorted(found) == [("added", "検索エンジン", 1), ("removed", "検索エンジン", 0), ("removed", "검색 안내", 0)]


def test_a_renamed_document_is_removed_and_added(manual):
    manual.index()
    (manual.home / "docs/sub/notes.md").rename(manual.home / "docs/sub/other.md")
    manual.index()
    assert {path: {kind for kind, *_ in some} for path, some in told(manual.engine().changes()).items()} == {
        "docs/sub/notes.md": {"removed"},
        "docs/sub/other.md": {"added"},
    }


def test_a_moment_that_is_none_or_beyond_the_calendar_is_refused(manual):
    manual.index()
    engine = manual.engine()
    for since in ("", "soon", "-7d", "2026-13-01", "7d; rm -rf /"):
        with pytest.raises(QueryError, match="since filter"):
            engine.changes(since)
    for since in ("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"):
        with pytest.raises(QueryError, match="beyond the years"):
            engine.changes(since)


def test_a_limit_takes_the_first_of_all_changes(edited):
    project, _ = edited
    project.write("docs/a.md", "# A\n\nText.\n")
    project.index()
    engine = project.engine()
    every = [section for document in engine.changes("1d").documents for section in document.sections]
    for limit in range(1, len(every) + 1):
        some = engine.changes("1d", limit=limit)
        assert [section for document in some.documents for section in document.sections] == every[:limit]
        assert some.omitted == len(every) - limit
        assert some.counts == engine.changes("1d").counts


def test_wrong_limits_and_two_beginnings_are_refused(manual):
    manual.index()
    with pytest.raises(ValueError, match="limit"):
        manual.engine().changes(limit=0)
    with pytest.raises(ValueError, match="not both"):
        manual.engine().changes("7d", since_commit="HEAD")


# -- commits -----------------------------------------------------------------------------------------------------------


def git(folder, *arguments):
    environment = clean_environment(os.environ) | {
        "GIT_CONFIG_GLOBAL": os.devnull,
        **{f"GIT_{who}_{what}": "a@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    }
    done = subprocess.run(["git", "-C", folder, *arguments], capture_output=True, check=True, env=environment, text=True)
    return done.stdout.strip()


@pytest.fixture
def repository(manual):
    git(manual.home, "init", "-q", "-b", "main")
    manual.write("docs/gone.md", "# Gone\n\n## Deep\n\nText.\n")
    manual.write("docs/same.md", "# Same\r\n\r\nText.\r\n")
    manual.write("docs/left out.txt", "# No document\n")
    manual.write("other/elsewhere.md", "# Elsewhere\n")
    git(manual.home, "add", "docs", "other")
    git(manual.home, "commit", "-q", "-m", "first")
    guide = (manual.home / "docs/guide.md").read_text()
    manual.write("docs/guide.md", guide.replace("Apples are red", "Apples are green").replace("### Linux", "### BSD"))
    manual.write("docs/same.md", "# Same\n\nText.\n")
    manual.write("docs/新.md", "# 新\n\n文。\n")
    (manual.home / "docs/gone.md").unlink()
    (manual.home / "other/elsewhere.md").unlink()
    manual.index()
    return manual


COMMITTED = {
    "docs/gone.md": [("removed", "Deep", 0), ("removed", "Gone", 0)],
    "docs/guide.md": [("added", "BSD", 13), ("changed", "First child", 19), ("removed", "Linux", 0)],
    "docs/新.md": [("added", "新", 1)],
}


@pytest.mark.process
def test_the_index_is_compared_with_a_commit_by_the_texts_of_sections(repository):
    engine = repository.engine()
    for revision in ("HEAD", "main", git(repository.home, "rev-parse", "HEAD")[:10]):
        changes = engine.changes(since_commit=revision)
        assert told(changes) == COMMITTED
        assert changes.counts == {"added": 2, "changed": 1, "removed": 3}
    assert set(told(engine.changes(since_commit="HEAD", path="docs/gui"))) == {"docs/guide.md"}
    with pytest.raises(QueryError, match="begins with a dash"):
        engine.changes(since_commit="--output=pwned")
    for revision in ("", " ", "no-such", "HEAD:docs", "HEAD..main", "\ud800", "a\0b", "a\nb", "x" * 300):
        with pytest.raises(QueryError, match="commit"):
            engine.changes(since_commit=revision)


@pytest.mark.process
def test_a_hostile_repository_runs_no_program(repository, monkeypatch):
    mark = repository.home / "pwned"
    script = repository.write("evil.sh", f"#!/bin/sh\ntouch {mark}\ncat\n")
    script.chmod(0o755)
    repository.write(".gitattributes", "* filter=evil diff=evil\n")
    for name in (
        "core.fsmonitor", "core.pager", "pager.ls-tree", "pager.cat-file", "diff.external", "diff.evil.textconv", "diff.evil.command",
        "filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "core.sshCommand", "core.editor", "core.askPass",
        "credential.helper", "alias.ls-tree", "alias.rev-parse", "core.alternateRefsCommand", "uploadpack.packObjectsHook",
    ):  # fmt: skip
        git(repository.home, "config", name, f"!{script}" if name.startswith("alias") else str(script))
    hook = repository.write(".git/hooks/post-index-change", script.read_text())
    hook.chmod(0o755)
    for name in ("GIT_EXTERNAL_DIFF", "GIT_PAGER", "PAGER", "GIT_SSH_COMMAND", "GIT_ASKPASS", "GIT_PROXY_COMMAND"):
        monkeypatch.setenv(name, str(script))
    monkeypatch.setenv("GIT_DIR", str(repository.home / "nowhere"))
    assert told(repository.engine().changes(since_commit="HEAD")) == COMMITTED
    assert not mark.exists()
    # what is missing would be fetched by a program that the configuration names
    blob = git(repository.home, "rev-parse", "HEAD:docs/gone.md")
    (repository.home / ".git/objects" / blob[:2] / blob[2:]).unlink()
    for name, value in (
        ("remote.origin.url", f"ext::{script}"), ("remote.origin.promisor", "true"), ("extensions.partialClone", "origin"),
        ("core.repositoryFormatVersion", "1"), ("protocol.ext.allow", "always"), ("remote.origin.uploadpack", str(script)),
    ):  # fmt: skip
        git(repository.home, "config", name, value)
    with pytest.raises(QueryError, match="not in this repository"):
        repository.engine().changes(since_commit="HEAD")
    assert not mark.exists()


@pytest.mark.process
def test_without_git_or_a_repository_there_is_one_sentence(manual, monkeypatch):
    manual.index()
    with pytest.raises(QueryError, match="in no git repository"):
        manual.engine().changes(since_commit="HEAD")
    monkeypatch.setattr(search.changes.git.shutil, "which", lambda _: None)
    with pytest.raises(QueryError, match="needs git, which is not installed"):
        Repository(manual.home)
