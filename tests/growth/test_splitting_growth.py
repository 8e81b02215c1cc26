"""Splitting takes time in proportion to the text, whatever the text is made of."""

import pytest

from indexer.splitter import MarkdownSplitter
from tests.growing import Family, assert_grows_linearly, fill

pytestmark = [pytest.mark.growth, pytest.mark.slow]

#: Enough to show what is not linear; a megabyte takes five times as long.
SIZE = 200_000


def split(text):
    MarkdownSplitter().parse(text, "a.md")


def repeat(name, unit):
    """The unit again and again."""
    return Family(name, lambda size: fill(unit, size), split, SIZE)


def after(name, first, unit):
    """One text, then the unit again and again."""
    return Family(name, lambda size: first + fill(unit, size), split, SIZE)


def before(name, unit, last):
    """The unit again and again, then one text."""
    return Family(name, lambda size: fill(unit, size) + last, split, SIZE)


BLOCKS = [
    repeat("prose", "Plain words in a sentence, one after another.\n"),
    repeat("one line", "a"),
    repeat("one paragraph", "a\n"),
    repeat("blank lines", "\n"),
    repeat("blanks", " "),
    repeat("tabs", "\ta\n"),
    repeat("carriage returns", "a\r"),
    repeat("list of stars", "* a\n"),
    repeat("list of plus signs", "+ a\n"),
    repeat("list of dashes", "- a\n"),
    repeat("list of numbers", "1. a\n"),
    repeat("lists of changing signs", "- a\n+ b\n* c\n"),
    repeat("list of paragraphs", "* a\nb\nc\n"),
    repeat("list of code", "-     a\n\n\n\n\n\n"),
    repeat("lists in lists", "- " * 16 + "a\n"),
    before("one line of dashes", "- ", "x\n"),
    before("one line of stars", "* ", "x\n"),
    repeat("one line of numbers", "1. "),
    repeat("one line of quote signs", "> "),
    repeat("quotes in quotes", "> " * 16 + "a\n"),
    after("quotes in quotes with lazy lines", "> " * 2000 + "a\n", "a\n"),
    repeat("quotes with lazy lines", "> a\nb\n"),
    repeat("quotes in lists in quotes", "> - " * 8 + "a\n"),
    after("list as deep as it is long", "", "- "),
    Family("indented list", lambda size: "".join(" " * i + "- a\n" for i in range(0, 2 * int(size**0.5), 2)), split, SIZE),
    repeat("underlines", "===\n"),
    repeat("setext headings", "a\n---\n"),
    before("setext heading of many lines", "a\n", "===\n"),
    repeat("thematic breaks", "* * *\n"),
    repeat("fences", "```\n"),
    after("fence that is never closed", "```\n", "~~~\n"),
    repeat("comments that are never closed", "<!--\n"),
    repeat("tags that are never closed", "<a\n"),
    after("tag of many attributes", "<a", " b='c'"),
    repeat("definitions", "[a]: /u\n"),
    repeat("definitions with titles that are never closed", "[a]: /u '\n"),
    after("definition with a long title", "[a]: /u\n'", "a\n"),
    after("definition with a long address", "[a]: http://", "ü."),
    repeat("brackets", "[\n"),
    after("bracket that is never closed", "[", "a\n"),
    after("table of many rows", "a | b\n- | -\n", "1 | 2\n"),
    Family("table of many columns", lambda size: fill("|a", size // 2) + "\n" + fill("|-", size // 2), split, SIZE),
    repeat("tables whose rows lack cells", "|a" * 180 + "|\n" + "|-" * 180 + "|\n" + "|\n" * 360 + "\n"),
    repeat("delimiter rows", "|-\n"),
]


@pytest.mark.parametrize("family", BLOCKS, ids=str)
def test_blocks_are_read_in_linear_time(family):
    assert_grows_linearly(family)
