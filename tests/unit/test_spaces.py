"""Vectors of sections that come and go are compared as if all stood in one block."""

import numpy as np
import pytest

from search.index.ranges import offsets
from search.index.vectors import Space


def unit(chance, count):
    vectors = chance.normal(size=(count, 8)).astype(np.float32)
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


def space_of(sections):
    counts = np.array([len(each) for each in sections], np.int64)
    flat = np.concatenate([np.zeros((0, 8), np.float32), *sections])
    return Space.of(flat, offsets(counts)[:-1], counts)


@pytest.mark.parametrize("seed", range(3))
def test_space_of_a_later_version_gives_the_cosines_of_its_vectors(seed):
    chance = np.random.default_rng(seed)
    sections = [unit(chance, int(count)) for count in chance.integers(0, 4, 12)]
    space = space_of(sections)
    blocks = set()
    for _ in range(25):
        fresh = [unit(chance, int(count)) for count in chance.integers(0, 4, int(chance.integers(0, 3)))]
        everything = [*sections, *fresh]
        source = chance.permutation(len(everything))[: max(1, len(everything) - int(chance.integers(0, 3)))]
        counts = np.array([len(each) for each in fresh], np.int64)
        space = space.renewed(np.concatenate([np.zeros((0, 8), np.float32), *fresh]), counts, source)
        sections = [everything[place] for place in source.tolist()]
        blocks.add(len(space.blocks))
        query = unit(chance, 1)[0]
        rows = np.arange(0, len(sections), 2)
        expected = space_of(sections)
        for some in (None, rows):
            for mine, theirs in zip(space.cosines(query, some), expected.cosines(query, some), strict=True):
                assert mine == pytest.approx(theirs, abs=1e-6)
        for row in range(len(sections)):
            assert space.best_window(row, query) == expected.best_window(row, query)
        filled = np.flatnonzero(space.present)
        assert np.array_equal(space.of_beginnings(filled), expected.of_beginnings(filled))
    assert 1 in blocks
    assert max(blocks) > 2


def test_large_block_of_a_space_is_not_copied_for_many_small_changes():
    chance = np.random.default_rng(3)
    sections = [unit(chance, 2) for _ in range(100)]
    space = space_of(sections)
    large, most = space.blocks[0], 0
    for _ in range(20):
        fresh = unit(chance, 1)
        source = np.arange(len(sections) + 1)
        space = space.renewed(fresh, np.array([1]), source)
        sections.append(fresh)
        most = max(most, len(space.blocks))
        assert space.blocks[0] is large
    assert most == 16
    query = unit(chance, 1)[0]
    for mine, theirs in zip(space.cosines(query), space_of(sections).cosines(query), strict=True):
        assert mine == pytest.approx(theirs, abs=1e-6)
