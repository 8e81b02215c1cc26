"""Front matter: what is taken for it, and what it says."""

import itertools
import json

import pytest

from indexer.markdown.frontmatter import read_front_matter, text_fields
from schema.filters import Filters


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
        " ---\na: 1\n---\n",
        "\t---\na: 1\n---\n",
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


@pytest.mark.parametrize("yaml", ["a: &a [*a]", "a: &a {b: *a}", "a: &a\n  <<: *a", "&a {? [*a] : b}"])
def test_value_that_holds_itself_is_refused(yaml):
    front = read_front_matter(f"---\n{yaml}\n---\n")
    assert (front.values, len(front.warnings)) == ({}, 0 if yaml.startswith("&") else 1)


def test_merge_keys_cannot_unfold_into_gigabytes():
    names = "abcdefgh"
    bomb = "a: &a {x0: 0, x1: 0, x2: 0, x3: 0}\n" + "".join(
        f"{name}: &{name} {{<<: [{', '.join([f'*{before}'] * 9)}]}}\n" for before, name in itertools.pairwise(names)
    )
    assert "too many" in read_front_matter(f"---\n{bomb}---\n").warnings[0]


def test_long_texts_cannot_be_repeated_by_aliases():
    front = read_front_matter(f"---\na: &a {'x' * 5000}\nb: [{', '.join(['*a'] * 30)}]\n---\n")
    assert (front.values, "too many" in front.warnings[0]) == ({}, True)


def test_merge_keys_and_aliases_of_ordinary_size_are_read():
    front = read_front_matter("---\nbase: &b {x: 1, y: 2}\nmine: {<<: *b, y: 3}\nlist: [*b, *b]\n---\n")
    assert front.values["mine"] == {"x": 1, "y": 3}
    assert front.values["list"] == [{"x": 1, "y": 2}] * 2


@pytest.mark.parametrize(
    "number", ["0x" + "F" * 4000, "0x" + "F" * 90, "0" + "7" * 5000, "0b" + "1" * 20_000, "1" + ":1" * 4000, "9" * 5000, "-" + "9" * 101]
)  # fmt: skip
def test_number_that_nobody_can_store_stays_text_in_yaml(number):
    front = read_front_matter(f"---\ntitle: T\nn: {number}\n---\n")
    assert json.loads(json.dumps(front.values)) == {"title": "T", "n": number}


def test_number_of_a_hundred_digits_is_a_number():
    assert read_front_matter(f"---\nn: {'9' * 100}\n---\n").values == {"n": 10**100 - 1}
    assert read_front_matter(f"+++\nn = -{'9' * 100}\n+++\n").values == {"n": 1 - 10**100}


@pytest.mark.parametrize("number", ["0x" + "F" * 4000, "9" * 5000, "9" * 101])
def test_number_that_nobody_can_store_is_refused_in_toml(number):
    front = read_front_matter(f"+++\nn = {number}\n+++\n")
    assert (front.values, "cannot be parsed" in front.warnings[0]) == ({}, True)


@pytest.mark.parametrize(
    "value",
    ["!!bool maybe", '!!int ""', "!!int x", "!!int [1]", "!!float ''", "!!timestamp x", "!!timestamp 2024-13-45", "!!binary é",
     "!!set [a]", "!!omap [1]", "!!pairs x", "!!map [a]", "{[a]: b}", "{{a: b}: c}", "{<<: 1}", "[" * 5000, "1" + ":1" * 40 + ".0e1"],
)  # fmt: skip
def test_value_that_is_not_what_its_tag_says_is_told_and_leaves_the_rest(value):
    front = read_front_matter(f"---\na: {value}\n---\n# A\n")
    if front.values:
        assert front.values == {"a": value}
    else:
        assert front.raw == f"---\na: {value}\n---\n"
        assert front.warnings[0].startswith("the front matter cannot be parsed and is left empty: ")


def test_lookups_that_fail_inside_the_loader_are_told_in_plain_words():
    assert read_front_matter("---\na: !!bool maybe\n---\n").warnings == (
        "the front matter cannot be parsed and is left empty: a value is not what its tag says",
    )
    assert read_front_matter("---\na: " + "[" * 5000 + "\n---\n").warnings == (
        "the front matter cannot be parsed and is left empty: it holds too many or too deeply nested values",
    )


@pytest.mark.parametrize(
    "toml",
    [".".join("a" * 33) + " = 1", "[" + " . ".join("a" * 33) + "]", '"a"."b".' * 20 + "c = 1", "x = {" + ".".join("a" * 33) + " = 1}",
     'x = ["""a"""", {' + ".".join("a" * 33) + " = 1}]", "x = ['''a'''', {" + ".".join("a" * 33) + " = 1}]"],
)  # fmt: skip
def test_keys_of_very_many_parts_are_refused_in_toml(toml):
    front = read_front_matter(f"+++\na = 0\n{toml}\n+++\n")
    assert (front.values, "a key has more than 32 parts" in front.warnings[0]) == ({}, True)


@pytest.mark.parametrize(
    "toml",
    [".".join("a" * 32) + " = 1", f'x = "{".".join("a" * 99)}"', f"x = '{'.'.join('a' * 99)}'", f"x = 1 # {'.'.join('a' * 99)}",
     f'x = """\n"{".".join("a" * 99)}\\""""', f"x = '''\n'{'.'.join('a' * 99)}'''"],
)  # fmt: skip
def test_dots_that_are_no_long_keys_are_fine_in_toml(toml):
    front = read_front_matter(f"+++\n{toml}\n+++\n")
    assert ([*front.values], front.warnings) == (["a" if toml.startswith("a") else "x"], ())


@pytest.mark.parametrize(("entry", "warnings"), [("a: ", 1), ("- ", 0)])
def test_block_that_is_too_long_is_text_and_says_so_where_it_looks_like_front_matter(entry, warnings):
    front = read_front_matter("---\n" + f"{entry}{'x' * 60}\n" * 2000 + "---\n")
    assert (front.raw, len(front.warnings)) == ("", warnings)
    assert all(said == "the front matter has more than 100,000 characters and is taken as text" for said in front.warnings)


def test_block_of_too_many_entries_is_refused():
    front = read_front_matter("---\n" + "".join(f"k{i}: 1\n" for i in range(10_001)) + "---\n")
    assert (front.values, "too many" in front.warnings[0]) == ({}, True)


@pytest.mark.parametrize(
    "value",
    ["no", "Off", "yes", "on", "y", "N", "12:30", "1:30.5", "007", "010", "0o7", "0x1F", "0b11", "1_000", "1.10", "1.0e3", "1e3",
     ".5", "5.", "+1.5", "01.5", "1_0.5", ".inf", "-.Inf", ".NaN", "=", "2026-11-01", "10:00:00", "tRUE", "1.5e+16", "0.00001"],
)  # fmt: skip
def test_value_that_yaml_1_2_has_no_type_for_or_that_would_change_stays_text(value):
    assert read_front_matter(f"---\na: {value}\nb: [{value}]\n{value}: c\n---\n").values == {
        "a": value,
        "b": [value],
        value: "c",
    }


@pytest.mark.parametrize(
    ("written", "value"),
    [("true", True), ("True", True), ("TRUE", True), ("false", False), ("False", False), ("FALSE", False),
     ("null", None), ("Null", None), ("NULL", None), ("~", None), ("", None),
     ("0", 0), ("5", 5), ("-12", -12), ("+5", 5), ("1.5", 1.5), ("-0.25", -0.25), ("10.0", 10.0)],
)  # fmt: skip
def test_booleans_nulls_and_numbers_of_yaml_1_2_have_their_types(written, value):
    values = read_front_matter(f"---\na: {written}\n---\n").values
    assert (values, type(values["a"])) == ({"a": value}, type(value))


@pytest.mark.parametrize("title", ["Off", "no", "True", "false", "007", "1.10", "12:30", "+49", "1984", "2.5"])
def test_title_tags_and_aliases_are_the_texts_that_the_author_wrote(title):
    front = read_front_matter(f"---\ntitle: {title}\ntags: [{title}, a]\naliases: {title}\n---\n")
    assert (front.title, front.tags, front.aliases) == (title, (title, "a"), (title,))
    assert front.values == {"title": title, "tags": [title, "a"], "aliases": title}


def test_title_of_null_is_none():
    assert read_front_matter("---\ntitle: null\ntags: [~]\n---\n").title == ""


@pytest.mark.parametrize("asked", ["rating=5", "half=2.5", "draft=true", "version=1.10", "lang=no", "start=12:30", "on=007"])
def test_values_are_found_as_they_are_typed(asked):
    front = read_front_matter(
        "---\nrating: 5\nhalf: 2.5\ndraft: True\nversion: 1.10\nlang: no\nstart: 12:30\non: 007\n---\n"
    )
    assert Filters.of({"fields": asked}).allows_document("a.md", front.tags, front.values)


def test_dates_stay_the_text_the_author_wrote():
    assert read_front_matter("---\ndate: 2024-13-45\nwhen: 2024-01-02 10:00\n---\n").values == {
        "date": "2024-13-45",
        "when": "2024-01-02 10:00",
    }


def test_values_are_json():
    source = '---\n1: {a: .nan, b: null, c: true, d: !!binary aGk=, e: !!set {x}, f: 1.5}\nu: "\\ud800"\n---\n'
    assert read_front_matter(source).values == {
        "1": {"a": ".nan", "b": None, "c": True, "d": "b'hi'", "e": ["x"], "f": 1.5},
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


def test_title_and_aliases_are_kept():
    front = read_front_matter("---\ntitle: 7\naliases: old\n---\n")
    assert (front.title, front.aliases) == ("7", ("old",))


def test_title_of_another_kind_is_ignored():
    front = read_front_matter("---\ntitle: [a]\n---\n")
    assert front.title == ""


@pytest.mark.parametrize("source", ["+++\na = {0}\n+++\n", "---\na: {0}\n---\n"])
@pytest.mark.parametrize("value", ["[" * 40 + "]" * 40, "[" + "1, " * 10_001 + "]"])
def test_values_nested_too_deeply_or_too_many_are_refused(source, value):
    front = read_front_matter(source.replace("{0}", value))
    assert (front.values, "too many or too deeply nested" in front.warnings[0]) == ({}, True)


@pytest.mark.parametrize(
    ("raw", "texts"),
    [
        ("---\nlayout: home\ntitle: \"Pumps\"\ntagline: 'for wind'\n---\n", ["Pumps", "for wind"]),
        ("---\ntitle: T\ndescription: |\n  two\n  lines\n---\n", ["T", "  two\n  lines\n"]),
        (
            "---\nhero:\n  name: Wind\nfeatures:\n  - title: Quiet\n    icon: x\n  - title: Cheap\n---\n",
            ["Wind", "Quiet", "Cheap"],
        ),
        ('+++\ntitle = "T"\ndescription = "about"\nfeatures = [{title = "Quiet"}]\n+++\n', ["T", "about", "Quiet"]),
        ('+++\ntitle = "T"\ndescription = "a\\u0062out"\nsummary = "short"\n+++\n', ["T", "a\\u0062out", "short"]),
        (
            "+++\ndescription='dd'\n[a]\ntitle='one'\n[b]\ntitle='two'\n[a.c]\ntitle='three'\n+++\n",
            ["dd", "one", "two", "three"],
        ),
        ("+++\r\nlead = 'le'\r\ntitle = 'T'\r\nmenu.title = 'no'\r\n[menus.x]\r\nname = 'no'\r\n+++\r\n", ["le", "T"]),
        ("---\r\ntitle: T\r\ntagline: two\r\n---\r\n", ["T", "two"]),
        ('+++\ntitle = "T"\ntagline = "two"\nimage = "x.png"\ndate = "2026"\n+++\n', ["T", "two"]),
        ('---\ntitle: &a "T # t"\ntagline: !!str &b it\'s\nname: *a\n---\n', ["T # t", "it's"]),
        ("---\ntitle: &a\n  T\nlead: !!str # no\n  # no\n  'l'\ntagline: &c |\n  two\n---\n", ["T", "l", "  two\n"]),
        ("---\ntitle: T\nlead: !!str\nsummary: !<tag:yaml.org,2002:str> short & !sweet\n---\n", ["T", "short & !sweet"]),
        ("---\ntitle: T\n---\n", []),
        ("---\ntitle: [\n---\n", []),
        ("---\ntitle: T\n", []),
        ("text", []),
    ],
)
def test_texts_for_readers_are_found_where_they_stand(raw, texts):
    assert [raw[first:last] for first, last in text_fields(raw)] == texts


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("---\ntags: [a]\ntitle: foo: bar\n---\n", "mapping values are not allowed here (at line 3, column 11)"),
        (
            "---\r\na: [1\r\nb: 2\r\n---\r\n",
            "while parsing a flow sequence, expected ',' or ']', but got ':' (at line 3, column 2)",
        ),
        ("+++\na = 1\nb = \n+++\n", "Invalid value (at line 3, column 5)"),
    ],
)
def test_what_cannot_be_parsed_is_told_with_its_line_in_the_file(source, told):
    assert read_front_matter(source).warnings == (f"the front matter cannot be parsed and is left empty: {told}",)
