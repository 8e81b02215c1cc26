"""Which lines of a section are code by their indent, and which are text of a list item."""

import pytest

from indexer.splitter import MarkdownSplitter
from schema.text.query_words import query_terms
from search.context.highlight import find_matches
from search.context.snippet import snippet_of
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


def section_of(body, dialects):
    return MarkdownSplitter().parse(f"# Guide\n\n{body}", "a.md", dialects=dialects.split()).sections[0]


@pytest.mark.parametrize(
    ("dialect", "body", "expected"),
    [
        ("mkdocs", 'One.\n\n!!! tip "Me"\n    Two.\n', [("prose", "One."), ("title", "Me"), ("prose", "Two.")]),
        (
            "mkdocs",
            '!!! tip "Me"\n    !!! tip "You"\n        Two.\n',
            [("title", "Me"), ("title", "You"), ("prose", "Two.")],
        ),
        ("docusaurus", ":::tip Me\nTwo.\n:::\n", [("title", "Me"), ("prose", "Two.")]),
        ("docusaurus", "One\n:::tip[Me]\nTwo.\n:::\n", [("prose", "One"), ("title", "Me"), ("prose", "Two.")]),
        ("myst", "```{tip} Me\nTwo.\n```\n", [("title", "Me"), ("prose", "Two.")]),
        ("", "> **Warning**\n> Two.\n", [("title", "**Warning**"), ("prose", "Two.")]),
        (
            "",
            "> **One**\n> goes on **and on**\n> **here**\n",
            [("title", "**One**"), ("prose", "goes on **and on**\n> **here**")],
        ),
        ("", "> One\n> **two**\n", [("prose", "One\n> **two**")]),
        ("", "<b>One</b>\nand more.\n", [("prose", "One    \nand more.")]),
    ],
)
def test_title_of_a_callout_is_a_unit_of_its_own(dialect, body, expected):
    section, at = section_of(body, dialect), len("# Guide\n\n")
    found = units(section.text, at, len(section.text), hidden=section.hidden, typed=section.content)
    assert [(unit.kind, section.text[unit.start : unit.end].strip()) for unit in found] == expected


@pytest.mark.parametrize("before", ["", "One is said here, which is of no use. " * 20])
def test_title_of_a_callout_is_shown_above_its_text(before):
    section = section_of(f'{before}\n\n!!! tip "For you"\n    The buffer is small.\n\n{"So. " * 200}', "mkdocs")
    terms = query_terms("buffer")
    found = snippet_of(section, "buffer", terms, find_matches(section.text, terms))
    assert found.text.startswith("For you\nThe buffer is small.\n")


@pytest.mark.parametrize("title", ["Mrs. Abbott", "Prof. Klein", "St. Ives", "Nos. 5 and 6"])
def test_sentence_goes_on_behind_an_abbreviation_before_a_name(title):
    assert kinds(f"Leave it with {title}. Then go.\n") == [("prose", f"Leave it with {title}."), ("prose", "Then go.")]
