"""Where some lines of a section may begin and end, and the fences that a cut block of code lacks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.context.blocks import Blocks

LINES = [
    "One sentence",
    "goes on.",
    "Another one.",
    "",
    "- an item",
    "of a list",
    "",
    "```js",
    "run({",
    "  now: true",
    "});",
    "```",
    "",
    "End",
]


@pytest.mark.parametrize(
    ("first", "last", "least", "uncut"),
    [
        (1, 5, (2, 2), (2, 5)),  # the rest of a sentence goes
        (0, 4, (0, 2), (0, 2)),  # and the beginning of an item
        (1, 4, (1, 4), (1, 4)),  # but not what has to stay
        (10, 13, (13, 13), (12, 13)),  # brackets at the end of a block of code
        (8, 13, (13, 13), (8, 13)),
        (3, 7, (4, 4), (3, 5)),  # a fence without code
    ],
)
def test_lines_are_cut_between_blocks(first, last, least, uncut):
    assert Blocks(LINES).uncut(first, last, least=least) == uncut


@pytest.mark.parametrize(
    ("first", "last", "fences"),
    [
        (0, 5, ("", "")),
        (8, 9, ("```js", "```")),
        (7, 9, ("", "```")),
        (9, 13, ("```js", "")),
        (2, 7, ("", "```")),
        (7, 11, ("", "")),
    ],
)
def test_fences_of_a_cut_block_of_code_are_told(first, last, fences):
    assert Blocks(LINES).fences(first, last) == fences


def test_a_fence_that_is_never_closed_is_open_to_the_end():
    assert Blocks(["~~~~", "a", "~~~", "b"]).fences(1, 3) == ("~~~~", "~~~~")


@given(st.lists(st.sampled_from(["", "text", "Stop.", "```", "~~~~", "- item", "# A", "}", "x = 1"]), min_size=1), st.data())
def test_uncut_lines_are_some_of_those_given_and_have_the_least_ones(lines, data):
    first = data.draw(st.integers(0, len(lines) - 1))
    last = data.draw(st.integers(first, len(lines) - 1))
    low = data.draw(st.integers(first, last))
    high = data.draw(st.integers(low, last))
    begin, end = Blocks(lines).uncut(first, last, least=(low, high))
    assert first <= begin <= low
    assert high <= end <= last


TABLE = [
    "## Staff",
    "",
    "| name | number |",
    "|---|---|",
    "| Ada | 2105 |",
    "",
    "> [!note] Of the clock",
    "> It is late.",
    "#### A part",
    "Text.",
    "```sh",
    "run",
]


@pytest.mark.parametrize(
    ("first", "last", "shown"),
    [
        (0, 3, None),  # names of columns without a row, below a heading
        (2, 2, None),
        (3, 4, (4, 4)),  # the line below them
        (0, 4, (0, 4)),
        (4, 6, (4, 4)),  # the title of a callout
        (4, 7, (4, 7)),
        (7, 8, (7, 7)),  # a heading
        (8, 8, None),
        (9, 10, (9, 9)),  # a fence
        (9, 11, (9, 11)),
        (5, 5, None),
    ],
)
def test_lines_that_say_nothing_are_left_out_at_the_ends(first, last, shown):
    assert Blocks(TABLE).with_text(first, last) == shown


def test_a_fence_that_closes_and_the_title_of_an_admonition_are_left_out_at_the_ends():
    lines = ["```", "a", "```", "", "Text.", '!!! tip "Keys"', "    It is late."]
    assert Blocks(lines).with_text(2, 5) == (4, 4)
    assert Blocks(lines).with_text(2, 6) == (4, 6)


def test_blank_lines_of_code_are_left_out_at_the_end():
    assert Blocks(["```", "a", "", "b", "```"]).with_text(1, 2) == (1, 1)
