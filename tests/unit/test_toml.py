"""TOML → a mapping, whatever the text is made of."""

import pytest

from schema.formats.toml import MAX_PARTS, read_toml, toml_texts


def test_tables_and_values_are_read():
    assert read_toml('a = 1\n[b.c]\nd = "x"\n') == {"a": 1, "b": {"c": {"d": "x"}}}


@pytest.mark.parametrize("text", ["a = ", ".".join("a" * (MAX_PARTS + 1)) + " = 1", "a = " + "[" * 100_000 + "]" * 100_000])
def test_what_is_not_valid_or_too_deep_is_refused(text):
    with pytest.raises(ValueError, match=r"."):
        read_toml(text)


def test_values_nested_too_deeply_are_named_as_such():
    with pytest.raises(ValueError, match="nested too deeply"):
        read_toml("a = " + "[" * 100_000 + "]" * 100_000)


EVERY_FORM = """
plain = "p" # a comment, with = "no text"
'a b' . "c" = 'quoted keys'
empty = ""
list = ["one", ['two', "three"], {x = "four", y.z = 'five'}, 6, 'seven', # "no"
  "eight",
]
inline = {a = [{b = "nine"}, "ten"], c = 1979-05-27T07:32:00Z, d = "eleven"}
lines = \"\"\"
"twelve" ""x\"\"\"\"\"
literal = '''it's # ['not'] a = '''''
n = [1.5, -inf, true]
after = 'thirteen'
[t . 'u v']
x = "fourteen"
[[l.m]] # more
[[l.m]]
"y" = "fifteen"
z = {}
w = 'sixteen'"""


def texts(value, keys=()):
    """Every text of a parsed value, with its keys."""
    if isinstance(value, dict):
        return [found for key, below in value.items() for found in texts(below, (*keys, key))]
    if isinstance(value, list):
        return [found for below in value for found in texts(below, keys)]
    return [(keys, value)] if isinstance(value, str) else []


def test_texts_stand_where_they_are_written_with_their_keys():
    found = [(keys, EVERY_FORM[first:last].removeprefix("\n")) for keys, first, last in toml_texts(EVERY_FORM)]
    assert found == texts(read_toml(EVERY_FORM))
    assert len(found) == 19


def test_escapes_in_texts_stand_as_they_are_written():
    text = 'a = "say \\"hi\\" \\\\"\nb = "c"\n'
    assert [text[first:last] for _, first, last in toml_texts(text)] == ['say \\"hi\\" \\\\', "c"]


@pytest.mark.parametrize("text", ["]]}},,..==[[", "a = ]}", '"""', "'''a", 'a = "b', "a = [{", "{a = 'b'}"])
def test_what_is_not_valid_makes_no_error(text):
    assert all(first <= len(text) for _, first, _ in toml_texts(text))
