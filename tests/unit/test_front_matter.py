"""Front matter: what is taken for it, and what it says."""

import pytest

from indexer.frontmatter import read_front_matter


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_yaml_block_is_read_whatever_the_line_ends(end):
    raw = end.join(["---", "title: T", "tags: [a, b]", "---", ""])
    front = read_front_matter(raw + "# A" + end)
    assert (front.raw, front.title, front.tags) == (raw, "T", ("a", "b"))


def test_dots_close_yaml():
    assert read_front_matter("---\na: 1\n...\nx").raw == "---\na: 1\n...\n"


def test_toml_block_is_read():
    front = read_front_matter('+++\ntitle = "T"\ndate = 2024-05-01\n+++\n')
    assert front.values == {"title": "T", "date": "2024-05-01"}


def test_block_at_the_end_of_the_file_needs_no_line_end():
    assert read_front_matter("---\na: 1\n---").values == {"a": 1}


@pytest.mark.parametrize("source", ["---\n---\n", "---\n\n---\n", "---\n# only a comment\n---\n", "+++\n+++\n"])
def test_empty_block_is_front_matter_without_values(source):
    front = read_front_matter(source)
    assert (front.raw, front.values) == (source, {})


@pytest.mark.parametrize(
    "source",
    [
        "----\na: 1\n----\n",
        "--- \na: 1\n---\n",
        "---foo\na: 1\n---\n",
        "\n---\na: 1\n---\n",
        "---\njust text\n---\n",
        "---\n- a\n- b\n---\n",
        "---\na: 1\n",
        "---\na: 1\n+++\n",
        "---\n\ttabs are no yaml\n---\n",
        "---\na: " + "x" * 100_001 + "\n---\n",
        "# A\n",
        "",
    ],
)
def test_look_alikes_are_not_front_matter(source):
    assert read_front_matter(source).raw == ""


@pytest.mark.parametrize("source", ["---\na: b: c\n---\n", "+++\na = \n+++\n", "---\na: [1\n---\n", "---\na: !!python/object:x {}\n---\n"])  # fmt: skip
def test_unparsable_entries_stay_front_matter_with_a_warning(source):
    front = read_front_matter(source)
    assert (front.raw, front.values) == (source, {})
    assert "cannot be parsed" in front.warnings[0]


def test_aliases_cannot_unfold_into_gigabytes():
    bomb = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"{name}: &{name} [{', '.join([f'*{before}'] * 10)}]\n" for before, name in zip("abcdef", "bcdefg", strict=True)
    )
    assert "too many" in read_front_matter(f"---\n{bomb}---\n").warnings[0]


def test_value_that_holds_itself_is_refused():
    assert read_front_matter("---\na: &a [*a]\n---\n").values == {}


def test_dates_stay_the_text_the_author_wrote():
    assert read_front_matter("---\ndate: 2024-13-45\nwhen: 2024-01-02 10:00\n---\n").values == {
        "date": "2024-13-45",
        "when": "2024-01-02 10:00",
    }


def test_values_are_json():
    source = '---\n1: {a: .nan, b: null, c: true, d: !!binary aGk=, e: !!set {x}, f: 1.5}\nu: "\\ud800"\n---\n'
    assert read_front_matter(source).values == {
        "1": {"a": "nan", "b": None, "c": True, "d": "b'hi'", "e": ["x"], "f": 1.5},
        "u": "?",
    }


@pytest.mark.parametrize(
    ("yaml", "tags"),
    [
        ("tags: a, b c", ("a", "b c")),
        ("tags: a b", ("a", "b")),
        ("tags: [1, '#x', x, [y]]", ("1", "x")),
        ("tags: {a: 1}", ()),
        ("other: 1", ()),
    ],
)
def test_tags_come_from_lists_and_texts(yaml, tags):
    assert read_front_matter(f"---\n{yaml}\n---\n").tags == tags


def test_title_description_and_aliases_are_kept():
    front = read_front_matter("---\ntitle: 7\ndescription: |\n  two\n  lines\naliases: old\n---\n")
    assert (front.title, front.description, front.aliases) == ("7", "two lines", ("old",))


def test_title_and_description_of_other_kinds_are_ignored():
    front = read_front_matter("---\ntitle: [a]\ndescription: 3\n---\n")
    assert (front.title, front.description) == ("", "")
