"""Reading prose and summarising it take time in proportion to the Markdown, whatever it is made of."""

import pytest

from indexer.markdown.prose import prose_sentences
from indexer.summaries.extractive import ExtractiveSummarizer, summarize
from tests.growing import Family, assert_grows_linearly, fill

pytestmark = [pytest.mark.growth, pytest.mark.slow]

#: Markdown that is never closed, or closed too often, or is all signs.
TEXTS = {
    "brackets": "[", "links without an end": "[a](", "links in links": "[a](b ", "images": "![", "angle destinations": "[a](<",
    "wiki links": "[[a|", "footnote marks": "[^a]", "code marks": "`a ", "tags": "<a ", "attributes": '<a b="', "angles": "<",
    "elements": "<div>\n", "scripts": "x <script> ", "comments": "<!-- ", "comments of MDX": "{/*", "braces": "<a {{{",
    "formulas": "$$\n", "stars": "**a", "underscores": "_a", "struck out": "~~a ", "entities": "&a", "backslashes": "\\",
    "quotes": "> ", "items": "- ", "items and quotes": "> - ", "empty items": "-\n", "numbers": "1. a\n", "table rows": "|a|b|\n",
    "table heads": "a|b\n-|-\n", "underlines": "a\n=\n", "headings": "# a\n", "definitions": '[a]: "', "footnotes": "[^a]: b\n",
    "admonitions": "!!! a\n", "imports": "export {\n", "fences": "```\n", "links of the web": "<http://a", "annotations": "갱<sup>u",
}  # fmt: skip
PROSE = {
    "sentences": "A short sentence. ",
    "one sentence": "word ",
    "Japanese": "これは検索の文です。",
    "abbreviations": "e.g. ",
    "initials": "J. K. ",
    "brackets in sentences": "「はい。」(a",
    "stops": "？！.",
    "clauses": "a, ",
    "colons": "A: b. ",
}


def text_of(unit):
    return lambda size: fill(unit, size)


def read(text):
    prose_sentences(text)
    summarize(text, title="a b")


def summarize_all(text):
    ExtractiveSummarizer().summarize_document(text, title="A short word")
    summarize(text, title="A short word", max_sentences=2)


def growing_marks(size):
    """Runs of code marks, each longer than the one before: none closes another."""
    return " ".join("`" * length for length in range(1, int((2 * size) ** 0.5)))


def nested_lists(size):
    """A list in which every item stands deeper than the one before."""
    return "\n".join("  " * depth + "- a" for depth in range(1, int(size**0.5)))


FAMILIES = [
    *(Family(f"Markdown of {name}", text_of(unit), read, size=200_000) for name, unit in TEXTS.items()),
    *(Family(f"prose of {name}", text_of(unit), read, size=200_000) for name, unit in PROSE.items()),
    *(Family(f"summary of {name}", text_of(unit), summarize_all, size=400_000) for name, unit in PROSE.items()),
    Family("code marks of every length", growing_marks, read, size=250_000),
    Family("nested lists", nested_lists, read, size=250_000),
]


@pytest.mark.parametrize("family", FAMILIES, ids=str)
def test_reading_prose_grows_linearly(family):
    assert_grows_linearly(family)
