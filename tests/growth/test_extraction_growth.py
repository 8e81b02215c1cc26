"""Cutting a source and putting a model's text into a document take time in proportion to them."""

import pytest

from indexer.llm.documents import below_heading, safe_name, safe_title
from indexer.llm.parts import cut
from indexer.tokens import TokenCounter
from tests.growing import Family, assert_grows_linearly, fill

pytestmark = [pytest.mark.growth, pytest.mark.slow]
#: What is repeated.
UNITS = {
    "headings": "# a\n",
    "headings and text": "## a\n\ntext of it\n\n",
    "underlined headings": "a\n==\n",
    "line ends": "\n",
    "paragraphs": "some words\n\n",
    "one line of words": "word ",
    "one word": "a",
    "sentences without blanks": "検索する。",
    "fences": "```\n",
    "front matter": "---\na: 1\n",
}


def cut_into_small_parts(text):
    return cut(text, 50, TokenCounter())


def move_headings_down(text):
    return below_heading(text, 2)


def name_it(text):
    return safe_name(text), safe_title(text)


FAMILIES = [
    Family(f"{job.__name__}: {name}", lambda size, unit=unit: fill(unit, size), job, size=400_000)
    for job in (cut_into_small_parts, move_headings_down, name_it)
    for name, unit in UNITS.items()
]


@pytest.mark.parametrize("family", FAMILIES, ids=str)
def test_extracting_grows_linearly(family):
    assert_grows_linearly(family)
