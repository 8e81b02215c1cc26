"""Splitting takes time in proportion to the text, whatever the text is made of."""

import pytest

from indexer.splitter import MarkdownSplitter
from tests.growing import Family, assert_grows_linearly, fill

pytestmark = [pytest.mark.growth, pytest.mark.slow]


def split(text):
    MarkdownSplitter().parse(text, "a.md")


def text_of(unit):
    return lambda size: fill(unit, size)


FAMILIES = [
    Family("prose", text_of("Plain words in a sentence, one after another.\n"), split),
]


@pytest.mark.parametrize("family", FAMILIES, ids=str)
def test_splitting_grows_linearly(family):
    assert_grows_linearly(family)
