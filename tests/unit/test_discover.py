"""Which files are found, and what is said of those that are not."""

import os
import socket

import pytest

from indexer.discover import discover
from indexer.found import WalkStoppedError
from indexer.reading import FoundFile, read_file
from schema.errors import SettingsError, SourceError
from tests.discovering import found, reasons


def test_markdown_files_are_found_in_order(tree):
    for name in ("b.md", "a.markdown", "sub/c.md", "d.txt", "e.MD.bak"):
        tree.write(name)
    assert found(tree.root) == ["a.markdown", "b.md", "sub/c.md"]


def test_include_takes_other_names(tree):
    tree.write("a.txt")
    assert found(tree.root, include=("**/*.txt",)) == ["a.txt"]


@pytest.mark.parametrize("setting", ["include", "exclude"])
def test_a_glob_that_cannot_be_read_is_refused(tree, setting):
    tree.write("a.md")
    with pytest.raises(SettingsError, match=rf"{setting} cannot read the glob '\[z'; use \*, "):
        found(tree.root, **{setting: ("**/*.md", "[z")})


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


def test_what_is_ignored_at_its_own_place_is_not_found_through_a_link_to_its_folder(tree):
    for name in ("a.md", "secret.md", "drafts/b.md", "sub/c.md", "sub/d.md"):
        tree.write(f"docs/{name}")
    tree.write(".gitignore", "docs/secret.md\ndrafts/\n")
    tree.write("docs/sub/.gitignore", "d.md\n")
    (tree.root / "another").symlink_to("docs")
    assert found(tree.root) == ["docs/a.md", "docs/sub/c.md"]
    tree.write(".gitignore", "docs/*.md\n!docs/a.md\ndrafts/\n")
    assert found(tree.root) == ["docs/a.md", "docs/sub/c.md"]
    assert found(tree.root, gitignore=False) == sorted(
        f"docs/{name}" for name in ("a.md", "secret.md", "drafts/b.md", "sub/c.md", "sub/d.md")
    )


def test_link_to_an_ignored_folder_is_meant(tree):
    tree.write("vendor/docs/a.md")
    tree.write(".gitignore", "/vendor/\n")
    (tree.root / "manual").symlink_to("vendor/docs")
    assert found(tree.root) == ["manual/a.md"]


def test_folders_that_link_to_each_other_are_walked_once_each(tree, monkeypatch):
    names = [f"d{number}" for number in range(6)]
    for name in names:
        tree.write(f"{name}/a.md")
        for other in names:
            if other != name:
                (tree.root / name / f"to-{other}").symlink_to(f"../{other}")
    walked = []
    really = os.scandir
    monkeypatch.setattr(os, "scandir", lambda place: (walked.append(place), really(place))[1])
    assert found(tree.root) == [f"{name}/a.md" for name in names]
    assert len(walked) <= 1 + 2 * len(names)


def test_folder_that_two_links_lead_to_is_found_by_the_first(tree):
    tree.write(".one/sub/a.md")
    (tree.root / "b").symlink_to(".one")
    (tree.root / "a").symlink_to(".one/sub")
    assert found(tree.root) == ["a/a.md"]


def test_walk_that_is_stopped_is_no_result(tree, monkeypatch):
    monkeypatch.setattr("indexer.discover.STOP_SECONDS", -1)
    tree.write("a/b.md")
    with pytest.raises(WalkStoppedError, match="stopped while it looked for files"):
        discover([tree.root], root=tree.root, should_stop=lambda: True)


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
