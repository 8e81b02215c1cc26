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
