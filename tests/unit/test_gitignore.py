"""What .gitignore files and the settings include and exclude leave out of a walk."""

import os
import time

import pytest

from indexer.discover import discover
from schema.errors import SettingsError
from tests.discovering import found, warned


@pytest.mark.parametrize("pattern", ["drafts", "drafts/", "docs/drafts/**", "**/x.md"])
def test_exclude_leaves_out_files_and_folders(tree, pattern):
    tree.write("docs/drafts/x.md")
    tree.write("docs/a.md")
    assert found(tree.root, "docs", exclude=(pattern,)) == ["docs/a.md"]


def test_gitignore_is_respected_and_the_nearest_decides(tree):
    for name in ("a.md", "build/b.md", "docs/c.md", "docs/keep.md"):
        tree.write(name)
    tree.write(".gitignore", "build/\nc.md\nkeep.md\n")
    tree.write("docs/.gitignore", "!keep.md\n")
    assert found(tree.root) == ["a.md", "docs/keep.md"]


def test_line_takes_back_a_folder_of_which_the_neighbours_are_ignored(tree):
    for name in ("docs/guide/a.md", "docs/drafts/b.md", "docs/c.md", "d.md"):
        tree.write(name)
    tree.write(".gitignore", "docs/*\n!docs/guide\n")
    assert found(tree.root) == ["d.md", "docs/guide/a.md"]


def test_gitignore_above_the_given_folder_counts(tree):
    tree.write("docs/a.md")
    tree.write("docs/b.md")
    tree.write(".gitignore", "b.md\n")
    assert found(tree.root, "docs") == ["docs/a.md"]


def test_gitignore_can_be_disregarded(tree):
    tree.write("a.md")
    tree.write(".gitignore", "*.md\n")
    assert found(tree.root, gitignore=False) == ["a.md"]


def test_gitignore_that_is_a_folder_is_no_error(tree):
    tree.write(".gitignore/x")
    tree.write("a.md")
    assert found(tree.root) == ["a.md"]


def test_unreadable_gitignore_is_warned_of(tree, monkeypatch):
    tree.write("a.md")
    tree.write(".gitignore", "*.md\n")
    real = os.open

    def denied(path, *arguments, **options):
        if str(path).endswith(".gitignore"):
            raise PermissionError(13, "Permission denied")
        return real(path, *arguments, **options)

    monkeypatch.setattr(os, "open", denied)
    assert "Permission denied" in warned(tree.root)


def test_gitignore_that_is_a_pipe_is_not_waited_for(tree):
    tree.write("a.md")
    os.mkfifo(tree.root / ".gitignore")
    assert "not a regular file" in warned(tree.root)


@pytest.mark.parametrize("target", ["/dev/zero", ".gitignore", "rules", "nothing", "../rules"])
def test_gitignore_that_is_a_link_is_not_followed(tree, target):
    project = tree.root / "project"
    tree.write("project/a.md")
    tree.write("project/rules", "*.md\n")
    tree.write("rules", "*.md\n")
    (project / ".gitignore").symlink_to(target)
    assert "it is a link" in warned(project)


def test_gitignore_that_is_too_large_is_not_respected(tree):
    tree.write("a.md")
    tree.write(".gitignore", "*.md\n" * 250_000)
    assert "more than 1,000,000 bytes" in warned(tree.root)


def test_gitignore_with_too_many_wildcards_is_not_respected(tree):
    tree.write("a.md")
    tree.write(".gitignore", "*.md\n" * 20_000)
    assert "more than 50,000 characters" in warned(tree.root)


def test_rules_of_all_folders_above_count_for_the_limit_of_wildcards(tree):
    tree.write(".gitignore", "*.log\n" * 8000)
    tree.write("docs/.gitignore", "*.md\n" * 8000)
    tree.write("docs/a.md")
    tree.write("more/.gitignore", "*.md\n")
    tree.write("more/b.md")
    seen = discover([tree.root], root=tree.root)
    assert [f.path for f in seen.files] == ["docs/a.md"]
    assert [w.split(" is ")[0] for w in seen.warnings] == [str(tree.root / "docs/.gitignore")]


def test_hostile_gitignore_is_compared_in_no_time(tree):
    tree.write("a" * 60 + ".md")
    tree.write(".gitignore", "*a*a*a*a*a*a*a*b\n")
    started = time.process_time()
    assert found(tree.root) == ["a" * 60 + ".md"]
    assert time.process_time() - started < 1


def test_line_that_git_cannot_read_takes_no_other_with_it(tree):
    for name in ("a.md", "b.md", "c.md"):
        tree.write(name)
    tree.write(".gitignore", "a\\\n[b\n[z-a]\nb.md\n")
    assert found(tree.root) == ["a.md", "c.md"]


def test_gitignore_may_have_a_mark_and_returns(tree):
    tree.write("a.md")
    tree.write("b.md")
    (tree.root / ".gitignore").write_bytes(b"\xef\xbb\xbfa.md\r\nb.md")
    assert found(tree.root) == []


def test_name_with_a_line_end_is_matched_as_others_are(tree):
    tree.write("a\nb.md")
    tree.write("c\nd.md")
    tree.write(".gitignore", "a?b.md\n")
    assert found(tree.root) == ["c\nd.md"]


def test_ignored_folder_given_by_name_gives_what_is_taken_back(tree):
    tree.write("build/a.md")
    tree.write("build/deep/b.md")
    tree.write("build/c.md")
    tree.write("build/.gitignore", "!c.md\n")
    tree.write(".gitignore", "build/\n")
    assert found(tree.root, "build") == ["build/c.md"]


def test_exclude_names_the_given_folder_and_takes_files_back(tree):
    tree.write("docs/a.md")
    tree.write("docs/sub/b.md")
    assert found(tree.root, "docs", exclude=("docs",)) == []
    assert found(tree.root, "docs", exclude=("docs", "!docs/a.md")) == ["docs/a.md"]


def test_include_may_name_a_folder(tree):
    tree.write("docs/a.txt")
    tree.write("docs/sub/b.log")
    tree.write("c.txt")
    assert found(tree.root, include=("docs/", "!*.log")) == ["docs/a.txt"]


@pytest.mark.parametrize("setting", ["include", "exclude"])
def test_too_many_globs_in_a_setting_are_refused(tree, setting):
    with pytest.raises(SettingsError, match=f"globs of {setting} have more than 50,000 characters"):
        found(tree.root, **{setting: ("*.md",) * 20_000})
