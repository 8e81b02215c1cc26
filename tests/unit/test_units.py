"""Which lines of a section are code by their indent, and which are text of a list item."""

import pytest

from indexer.splitter import MarkdownSplitter
from search.context.units import units


def kinds(body):
    section = MarkdownSplitter().split(f"# Guide\n\n{body}", "a.md")[0]
    found = units(section.content, section.body_offset, len(section.content))
    return [(unit.kind, section.content[unit.start : unit.end]) for unit in found]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("One.\n\n    code\n", [("prose", "One."), ("code", "code")]),
        ("-   one\n\n    still of the item\n", [("item", "one"), ("prose", "still of the item")]),
        ("-   one\n\n    [link](a.md)\n", [("item", "one"), ("prose", "[link](a.md)")]),
        ("-   one\n\n        code\n", [("item", "one"), ("code", "code")]),
        ("- one\n\n      code\n", [("item", "one"), ("code", "code")]),
        ("- one\n  - two\n\n    still of two\n", [("item", "one"), ("item", "two"), ("prose", "still of two")]),
        ("- one\n\nTwo.\n\n    code\n", [("item", "one"), ("prose", "Two."), ("code", "code")]),
        ("- one\n\n**Two.**\n\n    code\n", [("item", "one"), ("prose", "**Two.**"), ("code", "code")]),
        ("- one\n\n| a | b |\n\n    code\n", [("item", "one"), ("row", "| a | b |"), ("code", "code")]),
        ("- one\n\n#### Four\n\n    code\n", [("item", "one"), ("code", "code")]),
        ("- one\n#### Four\n\n    code\n", [("item", "one"), ("code", "code")]),
        ("One.\n\n\tcode\n", [("prose", "One."), ("code", "code")]),
    ],
)
def test_indent_counts_from_the_text_of_the_item_above(body, expected):
    assert kinds(body) == expected


def test_footnote_is_text_without_its_mark_and_a_definition_of_a_link_is_none():
    body = "Text.[^w]\n\n[^w]: It lasts\n  24 months.\n[^r]: Scan it.\n\n    Paper fades.\n\n[ref]: a.md\n"
    expected = ["Text.[^w]", "It lasts\n  24 months.", "Scan it.", "Paper fades."]
    assert kinds(body) == [("prose", text) for text in expected]


def test_comment_of_several_lines_is_no_text():
    assert kinds("Text.\n<!-- hidden\nTo do: 5\nmore -->\nAfter it.\n") == [("prose", "Text."), ("prose", "After it.")]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("A | B\n--- | ---\n1 | 2\n`c` | 4\n\nSo | so.\n", ["A | B", "1 | 2", "`c` | 4"]),
        ("Before.\nA | B\n:-:|--\n1. | 2\nBehind.\n", ["A | B"]),
        ("> A | B\n> --- | ---\n> c | 2\n", ["A | B", "c | 2"]),
        ("- Item.\n\n  A | B\n  --- | ---\n  c | 2\n", ["A | B", "c | 2"]),
        ("A | B\r\n--- | ---\r\nc | 2\r\n", ["A | B", "c | 2"]),
        ("| A | B |\n|---|---|\n| c | 2 |\nBehind.\n", ["| A | B |", "| c | 2 |"]),
        ("A | B\n---\nc | 2\n", []),
        ("A\n--- | ---\nc | 2\n", []),
        ("```\nA | B\n--- | ---\nc | 2\n```\n", []),
    ],
)
def test_rows_without_bars_around_them_are_rows_behind_a_line_of_delimiters(body, expected):
    assert [text for kind, text in kinds(body) if kind == "row"] == expected


def test_text_right_below_a_table_is_a_unit_of_its_own():
    assert kinds("| A |\n|---|\n| c |\nBehind.\n") == [("row", "| A |"), ("row", "| c |"), ("prose", "Behind.")]
