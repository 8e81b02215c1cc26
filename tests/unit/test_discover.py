"""Which files are found, and what is said of those that are not."""

import os
import socket
import time

import pytest

from indexer.discover import discover
from indexer.reading import FoundFile, read_file
from schema.errors import SettingsError, SourceError


@pytest.fixture
def tree(tmp_path):
    def make(**files):
        for name, text in files.items():
            path = tmp_path / name.replace("__", "/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return tmp_path

    def write(path, text="# A\n"):
        place = tmp_path / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        return place

    make.write, make.root = write, tmp_path
    return make


def found(root, *paths, **options):
    return [f.path for f in discover([root / p for p in paths] or [root], root=root, **options).files]


def reasons(root, **options):
    return {f.path: f.reason for f in discover([root], root=root, **options).failed}


def test_markdown_files_are_found_in_order(tree):
    for name in ("b.md", "a.markdown", "sub/c.md", "d.txt", "e.MD.bak"):
        tree.write(name)
    assert found(tree.root) == ["a.markdown", "b.md", "sub/c.md"]


def test_include_takes_other_names(tree):
    tree.write("a.txt")
    assert found(tree.root, include=("**/*.txt",)) == ["a.txt"]


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


def warned(root, **options):
    """The one warning of a walk that finds a.md whatever .gitignore files say."""
    seen = discover([root], root=root, **options)
    assert [f.path for f in seen.files] == ["a.md"]
    [warning] = seen.warnings
    assert warning.startswith(f"{root}/.gitignore is not respected: ")
    return warning


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


def test_hidden_names_are_left_out_unless_asked_for(tree):
    tree.write(".github/a.md")
    tree.write(".b.md")
    assert found(tree.root) == []
    assert found(tree.root, hidden=True) == [".b.md", ".github/a.md"]


def test_hidden_folder_given_by_name_is_walked(tree):
    tree.write(".github/a.md")
    assert found(tree.root, ".github") == [".github/a.md"]


@pytest.mark.parametrize("folder", ["node_modules", ".git", ".sectionary", "__pycache__"])
def test_machinery_is_never_walked(tree, folder):
    tree.write(f"{folder}/a.md")
    assert found(tree.root, hidden=True) == []


def test_python_environment_is_not_walked(tree):
    tree.write("env/pyvenv.cfg")
    tree.write("env/lib/a.md")
    assert found(tree.root) == []


def test_single_file_may_be_given(tree):
    tree.write("docs/a.md")
    assert found(tree.root, "docs/a.md") == ["docs/a.md"]


def test_path_given_twice_is_found_once(tree):
    tree.write("docs/a.md")
    assert found(tree.root, "docs", "docs/a.md", ".") == ["docs/a.md"]


def test_documents_outside_the_root_are_named_from_their_folder(tree):
    tree.write("other/sub/a.md")
    (tree.root / "project").mkdir()
    seen = discover([tree.root / "other"], root=tree.root / "project")
    assert ([f.path for f in seen.files], seen.roots) == (["other/sub/a.md"], ["other"])


def test_name_of_a_folder_outside_is_no_name_in_the_project(tree):
    tree.write("other/a.md")
    tree.write("project/other/a.md")
    seen = discover([tree.root / "other"], root=tree.root / "project")
    assert [f.path for f in seen.files] == ["other-2/a.md"]


def test_a_folder_around_the_project_names_its_documents_from_the_project(tree):
    tree.write("team/project/docs/a.md")
    tree.write("team/b.md")
    seen = discover([tree.root / "team"], root=tree.root / "team/project")
    assert ([f.path for f in seen.files], sorted(seen.roots)) == (["docs/a.md", "team/b.md"], [".", "team"])


@pytest.mark.parametrize("path", ["nothing", "nothing/a.md"])
def test_missing_path_is_refused(tree, path):
    with pytest.raises(SourceError, match="There is no folder or file"):
        found(tree.root, path)


def test_file_that_is_not_markdown_is_refused(tree):
    tree.write("a.txt")
    with pytest.raises(SourceError, match="neither a folder nor a Markdown file"):
        found(tree.root, "a.txt")


def test_pipe_given_by_name_is_refused(tree):
    os.mkfifo(tree.root / "pipe")
    with pytest.raises(SourceError, match="neither a folder nor a regular file"):
        found(tree.root, "pipe")


def test_pipe_with_a_markdown_name_is_reported(tree):
    os.mkfifo(tree.root / "a.md")
    assert reasons(tree.root) == {"a.md": "it is not a regular file (a pipe, socket or device)"}


def test_socket_with_a_markdown_name_is_reported(tree, monkeypatch):
    monkeypatch.chdir(tree.root)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("a.md")
        assert "not a regular file" in reasons(tree.root)["a.md"]


def test_large_file_is_reported_with_the_setting(tree):
    tree.write("a.md", "x" * 11)
    assert "max_file_bytes" in reasons(tree.root, max_file_bytes=10)["a.md"]


def test_link_to_a_file_inside_is_followed(tree):
    tree.write("README.md")
    tree.write("docs/b.md")
    (tree.root / "docs" / "a.md").symlink_to("../README.md")
    assert found(tree.root, "docs") == ["docs/a.md", "docs/b.md"]


def test_link_out_of_the_root_is_reported(tree, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside") / "x.md"
    outside.write_text("# secret\n")
    (tree.root / "a.md").symlink_to(outside)
    (tree.root / "folder").symlink_to(outside.parent)
    assert found(tree.root) == []
    assert all("leads out of the indexed folder" in reason for reason in reasons(tree.root).values())
    assert set(reasons(tree.root)) == {"a.md", "folder"}


def test_link_to_itself_is_reported(tree):
    (tree.root / "a.md").symlink_to("a.md")
    assert reasons(tree.root) == {"a.md": "the link leads to itself"}


def test_link_to_nothing_is_reported(tree):
    (tree.root / "a.md").symlink_to("gone.md")
    assert "leads nowhere" in reasons(tree.root)["a.md"]


def test_link_to_a_folder_above_ends(tree):
    tree.write("docs/a.md")
    (tree.root / "docs" / "up").symlink_to("..")
    seen = discover([tree.root], root=tree.root)
    assert [f.path for f in seen.files] == ["docs/a.md"]
    assert seen.warnings == ["docs/up: the link leads back to a folder above it"]


def test_link_to_another_folder_inside_is_walked(tree):
    tree.write("one/a.md")
    (tree.root / "two").symlink_to("one")
    assert found(tree.root, "two/../two") == ["one/a.md"]


def test_file_that_is_found_at_its_own_place_is_not_found_by_links_too(tree):
    tree.write("one/a.md")
    (tree.root / "two").symlink_to("one")
    (tree.root / "b.md").symlink_to("one/a.md")
    assert found(tree.root) == ["one/a.md"]


def test_folder_that_only_a_link_leads_to_is_walked(tree):
    tree.write(".one/a.md")
    (tree.root / "two").symlink_to(".one")
    assert found(tree.root) == ["two/a.md"]


@pytest.mark.parametrize("name", ["a.md", "a.markdown", "a.mdx", "a.qmd", "a.Rmd", "a.mkd", "A.MD", "a.Markdown"])
def test_markdown_of_every_ending_is_found_without_regard_to_case(tree, name):
    tree.write(name)
    assert found(tree.root) == [name]


def test_documents_of_other_kinds_are_counted_by_their_ending(tree):
    for name in (
        "a.rst",
        "docs/b.RST",
        "docs/c.pdf",
        "d.py",
        "README",
        ".txt",
        ".hidden.txt",
        "drafts/e.txt",
        "built/f.txt",
    ):
        tree.write(name)
    tree.write(".gitignore", "built\n")
    seen = discover([tree.root], root=tree.root, exclude=("drafts",))
    assert seen.left_out == {".rst": 2, ".pdf": 1}


def test_documents_of_other_kinds_that_are_included_are_not_counted(tree):
    tree.write("a.txt")
    tree.write("b.rst")
    assert discover([tree.root], root=tree.root, include=("*.TXT",)).left_out == {".rst": 1}


def test_name_that_is_not_utf8_is_reported(tree):
    (tree.root / os.fsdecode(b"caf\xe9.md")).write_text("# x\n")
    assert list(reasons(tree.root).values()) == ["the name is not valid UTF-8; rename the file"]


def test_folder_that_cannot_be_read_is_reported(tree, monkeypatch):
    tree.write("a.md")
    tree.write("closed/b.md")
    real = os.scandir

    def scandir(path):
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)  # tests may run as root, whom nothing is denied
    assert found(tree.root) == ["a.md"]
    assert reasons(tree.root) == {"closed": "the folder cannot be read: permission denied"}


def test_read_file_gives_the_bytes(tree):
    place = tree.write("a.md", "# A\n")
    assert read_file(FoundFile("a.md", str(place), 4, 0, 0)) == b"# A\n"


def test_read_file_does_not_wait_for_a_pipe(tree):
    os.mkfifo(tree.root / "a.md")
    with pytest.raises(ValueError, match="it is not a regular file"):
        read_file(FoundFile("a.md", str(tree.root / "a.md"), 4, 0, 0))


def test_read_file_notices_a_file_that_changes(tree, monkeypatch):
    place = tree.write("a.md", "# A\n")
    real = os.fstat
    states = []

    def fstat(descriptor):
        states.append(real(descriptor))
        with place.open("a") as stream:
            stream.write("more")
        return states[-1]

    monkeypatch.setattr(os, "fstat", fstat)
    with pytest.raises(ValueError, match="changed while it was read"):
        read_file(FoundFile("a.md", str(place), 4, 0, 0))


def test_folders_in_each_other_are_walked_however_deep(tmp_path, deep_folders):
    deep_folders(tmp_path, 1500)
    assert found(tmp_path) == sorted("d/" * level + "a.md" for level in range(1, 1501))


def test_folder_whose_path_is_too_long_is_told_and_the_rest_goes_on(tmp_path, deep_folders):
    deep_folders(tmp_path, 30, "n" * 200)
    walked = discover([tmp_path], root=tmp_path)
    # the file beside the last folder may have too long a path too
    (folder,) = [
        failure.path for failure in walked.failed if failure.reason == "the folder cannot be read: file name too long"
    ]
    assert len(walked.files) + len(walked.failed) - 1 == folder.count("/")
