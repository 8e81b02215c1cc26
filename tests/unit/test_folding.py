"""Near-duplicates of a ranking: which sections are folded into which."""

from random import Random

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


def test_nothing_is_folded_when_not_wanted():
    assert groups(("own", TEXT), ("own", TEXT), fold=False, stop=1) == [Group(0)]


def test_the_best_placed_one_stands_for_the_others():
    index = inverted_index(("own", TEXT), ("own", TEXT), ("own", TEXT))
    assert folded(index, [2, 0, 1], 10) == [Group(2, (0, 1))]


def family(kind):
    """The heading and the text of a section that is like those of its family alone."""
    return f"heading{kind}", " ".join(f"w{kind}x{n}" for n in range(30))


@given(count=st.integers(1, 200), families=st.integers(1, 60), limit=st.integers(1, 70), seed=st.integers(0, 9999))
def test_pages_of_any_size_have_every_row_in_exactly_one_group(count, families, limit, seed):
    kinds = Random(seed).choices(range(families), k=count)
    index, rows = inverted_index(*map(family, kinds)), range(len(kinds))
    pages, offset = [], 0
    while page := folded(index, rows, offset + limit)[offset:]:
        pages += page
        offset += limit
    assert pages == folded(index, rows, len(rows))
    assert sorted(row for group in pages for row in (group.row, *group.others)) == list(rows)
    assert all({kinds[row] for row in group.others} <= {kinds[group.row]} for group in pages)


def test_many_sections_of_few_families_are_all_on_some_page():
    families = [number * 7 % 40 for number in range(131)]
    index, rows = inverted_index(*map(family, families)), range(131)
    pages = [folded(index, rows, offset + 5)[offset:] for offset in range(0, 131, 5)]
    assert sorted(row for page in pages for group in page for row in (group.row, *group.others)) == list(rows)


def test_rows_are_compared_with_those_of_their_own_block_of_sixty():
    index, rows = inverted_index(*map(family, [*range(59), 0, 0, *range(60, 100), 0])), range(102)
    assert folded(index, rows, 1) == [Group(0, (59,))]
    assert folded(index, rows, 102)[59] == Group(60, (101,))
