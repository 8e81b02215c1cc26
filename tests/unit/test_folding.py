"""Near-duplicates of a ranking: which sections are folded into which."""

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from search.index.inverted_index import InvertedIndex
from search.ranking.folding import Group, folded

TEXT = " ".join(f"word{n}" for n in range(100))


def inverted_index(*sections):
    """A inverted index of (heading, words of the text) pairs."""
    return InvertedIndex(pa.array([f"{heading}\n\n\n\n\n{text}" for heading, text in sections]))


def groups(*sections, stop=10, **more):
    return folded(inverted_index(*sections), range(len(sections)), stop, **more)


def test_equal_sections_are_one_group():
    assert groups(("own", TEXT), ("other", "alpha beta"), ("own", TEXT)) == [Group(0, (2,)), Group(1)]


def test_section_with_nine_tenths_of_the_words_is_folded():
    nearly = " ".join([*(f"word{n}" for n in range(92)), *(f"more{n}" for n in range(8))])
    assert groups(("own", TEXT), ("own", nearly)) == [Group(0, (1,))]


def test_section_with_eight_tenths_of_the_words_stays():
    partly = " ".join([*(f"word{n}" for n in range(80)), *(f"more{n}" for n in range(20))])
    assert groups(("own", TEXT), ("own", partly)) == [Group(0), Group(1)]


def test_small_part_of_a_section_stays():
    part = " ".join(f"word{n}" for n in range(50))
    assert groups(("own", TEXT), ("own", part)) == [Group(0), Group(1)]


def test_same_code_under_a_heading_of_other_words_stays():
    assert groups(("install", TEXT), ("設定", TEXT)) == [Group(0), Group(1)]


def test_headings_that_share_a_word_may_be_folded():
    assert groups(("install guide", TEXT), ("guide", TEXT)) == [Group(0, (1,))]


def test_short_sections_are_folded_only_if_they_are_equal():
    few = "one two three four five six seven eight nine ten"
    assert groups(("own", few), ("own", f"{few} eleven"), ("own", few)) == [Group(0, (2,)), Group(1)]


def test_sections_without_words_stay():
    assert groups(("own", ""), ("own", "")) == [Group(0), Group(1)]
    assert groups(("own", ""), ("own", ""), stop=100) == [Group(0), Group(1)]


def test_nothing_is_folded_when_not_wanted():
    assert groups(("own", TEXT), ("own", TEXT), fold=False, stop=1) == [Group(0)]


def test_the_best_placed_one_stands_for_the_others():
    index = inverted_index(("own", TEXT), ("own", TEXT), ("own", TEXT))
    assert folded(index, [2, 0, 1], 10) == [Group(2, (0, 1))]


@given(st.lists(st.integers(0, 4), max_size=12), st.integers(1, 5), st.integers(0, 5))
def test_pages_are_parts_of_the_whole(kinds, limit, offset):
    sections = [(f"heading{kind}", " ".join(f"w{kind}x{n}" for n in range(30))) for kind in kinds]
    if not sections:
        return
    index = inverted_index(*sections)
    every = folded(index, range(len(sections)), 100)
    assert folded(index, range(len(sections)), offset + limit) == every[: offset + limit]
    assert sorted(row for group in every for row in (group.row, *group.others)) == list(range(len(sections)))


def test_rows_far_behind_a_full_page_are_not_looked_at():
    sections = [(f"heading{n}", " ".join(f"w{n}x{k}" for k in range(30))) for n in range(100)]
    index = inverted_index(*sections, sections[0])
    assert folded(index, range(101), 3) == [Group(0), Group(1), Group(2)]
    assert folded(index, range(101), 101)[0] == Group(0, (100,))
