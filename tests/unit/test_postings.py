"""Postings and repeated sentences of a later version are those of its sections, whatever came and went."""

import random

import numpy as np
import pytest

from search.index.postings import Layout, Postings
from search.index.ranges import offsets
from search.index.repeats import Repeats

TERMS = 12


def sections_of(chance, count):
    """So many sections: lists of lines, which are lists of terms."""
    return [
        [[chance.randrange(TERMS) for _ in range(chance.randrange(5))] for _ in range(chance.randrange(1, 5))]
        for _ in range(count)
    ]


def layout_of(sections):
    lines = [line for section in sections for line in section]
    codes = np.array([term for line in lines for term in line], np.int32)
    lengths, counts = (np.array(list(map(len, each)), np.int64) for each in (lines, sections))
    return Layout(codes, offsets(lengths), offsets(counts))


def version_after(chance, sections, fresh):
    """Where the rows of a later version come from: some of the sections, mostly in their order, with the fresh ones among
    them."""
    share = chance.choice([0.0, 0.8, 1.0])
    source = [row for row in range(len(sections)) if chance.random() < share]
    if chance.random() < 0.2:
        chance.shuffle(source)
    for row in range(len(sections), len(sections) + len(fresh)):
        source.insert(chance.randrange(len(source) + 1), row)
    return source


@pytest.mark.parametrize("seed", range(20))
def test_postings_of_a_later_version_are_those_of_its_sections(seed, monkeypatch):
    chance = random.Random(seed)
    monkeypatch.setattr("search.index.postings.MOST_CHANGED", 100.0 if seed % 2 else 0.03)
    sections = sections_of(chance, chance.choice([0, 1, 12]))
    before = layout_of(sections)
    postings = Postings.of(before, TERMS)
    for _ in range(3):
        fresh = sections_of(chance, chance.randrange(4))
        source = version_after(chance, sections, fresh)
        sections = [[*sections, *fresh][row] for row in source]
        after = layout_of(sections)
        postings = postings.renewed(before, after, np.array(source, np.int64), TERMS)
        before, expected = after, Postings.of(after, TERMS)
        for term in range(TERMS):
            lines = [
                number
                for number, line in enumerate(line for each in sections for line in each)
                for one in line
                if one == term
            ]
            assert postings.of_term(term).tolist() == expected.of_term(term).tolist() == lines
            holders = sum(any(term in line for line in section) for section in sections)
            assert postings.holders[term] == expected.holders[term] == holders


def test_postings_know_the_terms_that_came_with_a_later_version():
    before, after = layout_of([[[0, 1]]]), layout_of([[[0, 1]], [[2, 0, 2]]])
    postings = Postings.of(before, 2).renewed(before, after, np.array([0, 1]), 3)
    assert [postings.of_term(term).tolist() for term in range(3)] == [[0, 1], [0], [1, 1]]
    assert postings.holders.tolist() == [2, 1, 1]


@pytest.mark.parametrize("seed", range(20))
def test_repeated_sentences_of_a_later_version_are_those_of_its_sections(seed):
    chance = random.Random(seed)
    sections = [[chance.randrange(-9, 9) for _ in range(chance.randrange(5))] for _ in range(12)]
    repeats = Repeats.of(*hashes_and_counts(sections))
    for _ in range(3):
        fresh = [[chance.randrange(-12, 12) for _ in range(chance.randrange(5))] for _ in range(chance.randrange(4))]
        source = version_after(chance, sections, fresh)
        _, counts = hashes_and_counts(sections)
        repeats = repeats.renewed(counts, *hashes_and_counts(fresh), np.array(source, np.int64))
        sections = [[*sections, *fresh][row] for row in source]
        for least in (1, 2, 5):
            stand = [sum(one in section for section in sections) >= least for each in sections for one in each]
            assert repeats.stand_in_many(least).tolist() == stand


def hashes_and_counts(sections):
    hashes = np.array([one for section in sections for one in section], np.int64)
    return hashes, np.array(list(map(len, sections)), np.int64)
