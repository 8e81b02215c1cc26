"""TOML → a mapping, whatever the text is made of."""

import pytest

from schema.formats.toml import MAX_PARTS, read_toml


def test_tables_and_values_are_read():
    assert read_toml('a = 1\n[b.c]\nd = "x"\n') == {"a": 1, "b": {"c": {"d": "x"}}}


@pytest.mark.parametrize("text", ["a = ", ".".join("a" * (MAX_PARTS + 1)) + " = 1", "a = " + "[" * 100_000 + "]" * 100_000])
def test_what_is_not_valid_or_too_deep_is_refused(text):
    with pytest.raises(ValueError, match=r"."):
        read_toml(text)


def test_values_nested_too_deeply_are_named_as_such():
    with pytest.raises(ValueError, match="nested too deeply"):
        read_toml("a = " + "[" * 100_000 + "]" * 100_000)
