"""Includes of mdBook: which lines of which files are read, and which files never are."""

import os

import pytest

from schema.index_files.layout import manifest_path, store_dir
from schema.index_files.manifest import Manifest
from schema.index_files.roots import ROOT_KEY
from search.context import includes
from search.context.include_forms import chosen_lines
from search.context.includes import MAX_BYTES, MAX_CHARACTERS, MAX_INCLUDES, Includes

RUST = (
    "# use std::io;\n#[derive(Debug)]\n// ANCHOR: main\nfn main() {\n#     hidden();\n    shown();\n}\n// ANCHOR_END: main\n"
)


@pytest.fixture
def book(tmp_path):
    """A folder with documents in `book/src`, an index, and files beside the folder that no document may show."""
    root = tmp_path / "book"
    (root / "src").mkdir(parents=True)
    (root / ".sectionary").mkdir()
    (root / "src" / "a.rs").write_text(RUST, encoding="utf-8")
    (root / "src" / ".env").write_text("SECRET=1", encoding="utf-8")
    (tmp_path / "secret.rs").write_text("secret", encoding="utf-8")
    return root


def text(book, argument, directive="include", document="src/ch01.md"):
    return Includes(book / ".sectionary").text(document, directive, argument)


def test_whole_file_is_included(book):
    assert text(book, "a.rs") == RUST.removesuffix("\n")


@pytest.mark.parametrize(
    ("part", "lines"),
    [
        ("2", "b"),
        ("2:", "bcd"),
        (":2", "ab"),
        ("2:3", "bc"),
        ("2:99", "bcd"),
        ("0", "a"),
        (":", "abcd"),
        ("9", None),
        ("3:2", None),
    ],
)
def test_lines_are_chosen_by_number(part, lines):
    assert chosen_lines(list("abcd"), part) == (None if lines is None else list(lines))


def test_lines_between_anchors_are_chosen(book):
    assert text(book, "a.rs:main") == "fn main() {\n#     hidden();\n    shown();\n}"
    assert text(book, "a.rs:none") is None
    assert text(book, "a.rs:$main") is None


def test_anchors_in_an_anchor_are_no_lines():
    lines = ["// ANCHOR: a", "1", "// ANCHOR: b", "2", "// ANCHOR_END: b", "3", "// ANCHOR_END: a", "4"]
    assert chosen_lines(lines, "a") == ["1", "2", "3"]
    assert chosen_lines(lines, "b") == ["2"]


def test_hidden_lines_of_rust_are_left_out(book):
    assert text(book, "a.rs:main", "rustdoc_include") == "fn main() {\n    shown();\n}"


def test_playground_is_a_block_of_rust(book):
    assert text(book, "a.rs:1 editable", "playground") == "```rust\n# use std::io;\n```"


def test_path_is_relative_to_the_document(book):
    (book / "top.md").write_bytes(b"\xef\xbb\xbfone\r\ntwo")
    assert text(book, "../top.md") == "one\ntwo"
    assert text(book, "src/a.rs:2", document="top.md") == "#[derive(Debug)]"


@pytest.mark.parametrize(
    "argument",
    ["../../secret.rs", "../../book/../secret.rs", "/etc/passwd", "none.rs", ".", "..", "", " ", ".env", "./.env", "../src/.env",
     "../.sectionary/x", "a.rs/../../../secret.rs", "a\0.rs", "~/.profile", "\\secret.rs", "C:\\x"],
)  # fmt: skip
def test_what_is_not_a_shown_file_of_the_folder_is_not_read(book, argument):
    (book / ".sectionary" / "x").write_text("x", encoding="utf-8")
    assert text(book, argument) is None


def test_document_outside_of_the_folder_includes_nothing(book):
    assert text(book, "secret.rs", document="../ch01.md") is None


def test_link_out_of_the_folder_is_not_followed(book):
    (book / "src" / "link.rs").symlink_to(book.parent / "secret.rs")
    (book / "src" / "up").symlink_to(book.parent)
    assert text(book, "link.rs") is None
    assert text(book, "up/secret.rs") is None


def test_link_to_a_hidden_file_is_not_followed(book):
    (book / "src" / "env.txt").symlink_to(book / "src" / ".env")
    assert text(book, "env.txt") is None


def test_link_within_the_folder_is_followed(book):
    (book / "src" / "b.rs").symlink_to(book / "src" / "a.rs")
    assert text(book, "b.rs:2") == "#[derive(Debug)]"


def test_pipe_is_not_waited_for(book):
    os.mkfifo(book / "src" / "pipe.rs")
    assert text(book, "pipe.rs") is None


@pytest.mark.parametrize("data", [b"a\0b", b"\xff\xfe", b"x" * (MAX_BYTES + 1)])
def test_what_is_no_text_or_too_large_is_not_included(book, data):
    (book / "src" / "odd.rs").write_bytes(data)
    assert text(book, "odd.rs") is None


def test_a_section_includes_a_limited_number_of_files(book):
    section = Includes(book / ".sectionary")
    found = [section.text("src/a.md", "include", "a.rs:2") for _ in range(MAX_INCLUDES + 2)]
    assert found == ["#[derive(Debug)]"] * MAX_INCLUDES + [None, None]


def test_a_section_includes_a_limited_text(book):
    (book / "src" / "long.rs").write_text("x" * (MAX_CHARACTERS - 10), encoding="utf-8")
    section = Includes(book / ".sectionary")
    found = [section.text("src/a.md", "include", "long.rs") for _ in range(2)]
    assert [one is None for one in found] == [False, True]


def test_index_of_somebody_else_shows_files_below_its_own_folder_alone(book, tmp_path, monkeypatch):
    place = manifest_path(store_dir(book / ".sectionary"))
    place.parent.mkdir(parents=True, exist_ok=True)
    with Manifest(place, store_id="s") as manifest:
        manifest.set_metadata(ROOT_KEY, str(tmp_path))
    assert text(book, "a.rs:2") == "#[derive(Debug)]"
    assert text(book, "secret.rs", document="ch01.md") is None
    monkeypatch.setattr(includes, "is_own", lambda _index_dir: True)
    assert text(book, "secret.rs", document="ch01.md") == "secret"
