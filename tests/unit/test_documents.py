"""Names, titles, front matter and headings of documents that a model wrote, and how they get into a folder."""

import os
import unicodedata

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from indexer.llm import documents
from indexer.llm.documents import (
    below_heading,
    free_name,
    front_matter,
    replace_document,
    safe_name,
    safe_text,
    safe_title,
    write_new,
)
from indexer.markdown.blocks import read_headings
from indexer.markdown.frontmatter import read_front_matter


@pytest.mark.parametrize(
    ("text", "name"),
    [("再委託の制限", "再委託の制限"), ("../../etc/passwd", "etc-passwd"), ("C:\\Windows\\a", "c-windows-a"), ("a\0b\x1b[31m", "a-b-31m"),
     ("a\nb\u202ec", "a-b-c"), ("", "entry"), ("…", "entry"), ("CON", "con-entry"), ("lpt9", "lpt9-entry"), (".hidden", "hidden"),
     ("a_b", "a-b"), ("ＡＢＣ", "abc"), ("\ud800x", "x"), ("x" * 100, "x" * 60)],
)  # fmt: skip
def test_name_is_letters_and_digits_joined_by_hyphens(text, name):
    assert safe_name(text) == name


@given(st.text(max_size=200))
def test_name_of_any_text_is_one_plain_name_that_fits_a_file_system(text):
    name = safe_name(text)
    assert name == os.path.basename(name)
    assert name not in ("", ".", "..")
    assert len(name.encode()) <= 166
    assert all(character == "-" or unicodedata.category(character)[0] in "LN" for character in name)


@pytest.mark.parametrize(
    ("text", "title"),
    [("a\n---\nb", "a --- b"), ("  a \t b ", "a b"), ("", "Untitled"), ("a\x1b[31m", "a\\x1b[31m"), ("a\u202eb", "a\\u202eb"),
     ("a\ud800", "a?"), ("x" * 300, "x" * 199 + "…")],
)  # fmt: skip
def test_title_is_one_line_without_unsafe_characters(text, title):
    assert safe_title(text) == title


@given(st.dictionaries(st.sampled_from(["title", "source", "model"]), st.text(max_size=100).map(safe_title), min_size=1))
def test_front_matter_is_read_back_as_it_was_given(values):
    made = front_matter(values) + "\n# text\n"
    front = read_front_matter(made)
    assert dict(front.values) == values
    assert made[len(front.raw) :] == "\n# text\n"


@pytest.mark.parametrize(
    "title",
    ["---", "a: b\n---\nfake: yes", "- a", "'", '"', "{{x}}", "!!python/object", "&a *a", "# no", "null", "2026-11-23"],
)
def test_no_title_ends_the_front_matter_or_adds_to_it(title):
    made = front_matter({"title": safe_title(title), "tags": ["knowledge"]})
    assert yaml.safe_load(made.strip("-\n")) == {"title": " ".join(title.split()), "tags": ["knowledge"]}
    assert made.count("\n---\n") == 1


def test_long_value_takes_one_line_of_front_matter():
    assert front_matter({"title": "word " * 60}).count("\n") == 3


@pytest.mark.parametrize(
    ("text", "level", "expected"),
    [
        ("# A\n\ntext\n\n## B", 1, "## A\n\ntext\n\n### B"),
        ("## A\n\n# B", 2, "#### A\n\n### B"),
        ("### A", 2, "### A"),
        ("text", 1, "text"),
        ("Title\n=====\n\ntext\n\nMore\n----", 1, "## Title\n\ntext\n\n### More"),
        ("two\nlines\n===\n", 1, "## two lines"),
        ("```\n# comment\n```\n\n# A", 1, "```\n# comment\n```\n\n## A"),
        ("~~~~\n# c\n~~~\n# c\n~~~~", 1, "~~~~\n# c\n~~~\n# c\n~~~~"),
        ("> # quoted\n\n- # item\n\n# A", 1, "> # quoted\n\n- # item\n\n## A"),
        ("# A\n\n###### F", 2, "### A\n\n###### F"),
        ("#tag\n\n    # code", 1, "#tag\n\n    # code"),
        ("# A\r\n\r\ntext", 1, "## A\n\ntext"),
        ("   # A #", 1, "## A #"),
    ],
)
def test_headings_go_below_a_level_together_and_code_stays(text, level, expected):
    assert below_heading(text, level) == expected


@given(st.text(alphabet="# =-`~>\n\r\x0b\x85ab*", max_size=80), st.integers(1, 2))
def test_no_text_keeps_a_heading_that_is_as_high(text, level):
    made = below_heading(text, level)
    headings = [heading for heading in read_headings(made, {})[0] if not heading.is_nested]
    assert all(heading.level > level for heading in headings)


def test_control_characters_of_a_text_are_spelt_out():
    assert safe_text("\n\na\x1b[0m\r\nb\u202e\ud800\n") == "a\\x1b[0m\nb\\u202e?"


def test_free_name_takes_the_next_number():
    assert free_name("a", {"a.md", "a-2.md", "a-4.md"}) == "a-3.md"


def test_new_document_replaces_none_that_is_there(tmp_path):
    (tmp_path / "a.md").write_text("mine")
    assert write_new(tmp_path / "new", "a", "x") == tmp_path / "new" / "a.md"
    assert write_new(tmp_path, "a", "x") == tmp_path / "a-2.md"
    assert write_new(tmp_path, "a", "y") == tmp_path / "a-3.md"
    texts = {path.name: path.read_text() for path in tmp_path.glob("*.md")}
    assert texts == {"a.md": "mine", "a-2.md": "x", "a-3.md": "y"}


@pytest.mark.parametrize(
    "write", [lambda folder: write_new(folder, "a", "x"), lambda folder: replace_document(folder / "a.md", "x")]
)
def test_link_of_the_name_is_not_followed(tmp_path, write):
    folder, outside = tmp_path / "out", tmp_path / "secret.md"
    folder.mkdir()
    (folder / "a.md").symlink_to(outside)
    write(folder)
    assert not outside.exists()
    assert [path.read_text() for path in folder.glob("*.md") if path.exists()] == ["x"]


def test_without_links_a_new_document_still_replaces_none(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(os, "link", refuse)
    (tmp_path / "a.md").write_text("mine")
    assert write_new(tmp_path, "a", "x") == tmp_path / "a-2.md"
    assert sorted((path.name, path.read_text()) for path in tmp_path.iterdir()) == [("a-2.md", "x"), ("a.md", "mine")]


def test_name_that_another_takes_in_the_same_moment_is_left_to_it(tmp_path, monkeypatch):
    real = os.path.lexists
    monkeypatch.setattr(documents.os.path, "lexists", lambda path: False)
    (tmp_path / "a.md").write_text("mine")
    assert write_new(tmp_path, "a", "x") == tmp_path / "a-2.md"
    assert real(tmp_path / "a-2.md")
    assert (tmp_path / "a.md").read_text() == "mine"


def test_nothing_is_left_of_a_document_that_cannot_be_written(tmp_path):
    with pytest.raises(UnicodeEncodeError):
        write_new(tmp_path, "a", "x\ud800")
    assert list(tmp_path.iterdir()) == []
