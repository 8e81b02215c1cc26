"""Sections of the release that a question names stand before those of other releases."""

from dataclasses import replace

import numpy as np
import pytest

from search.ranking.named_releases import named_release_first
from search.ranking.query import parse_query
from search.ranking.rank import rank
from tests.unit.test_relevance import snapshot

LOG = """# Changelog

## 8.1.0

### Changed

The header is sent.

## 8.0.0

### Changed

The default is stricter.

## 3.20.0 - 2020-01-02

### Changed

The header of v2.8.0 is kept.
"""
GUIDE = "# Guide\n\n## Breaking changes in version 7\n\nKeys.\n\n## Breaking changes in version 9\n\nLocks.\n\n## Node 18\n\nIt runs.\n"


LEAVE = "# Leave\n\n## 1.1 Annual leave\n\nTen days in a row.\n\n## 3.2 Parental leave\n\nTwelve weeks in a row.\n"
MOVING = "# Moving\n\n## From 1.16 to 2.0\n\nRename keys.\n\n## 2.0.0\n\nKeys.\n\n## 1.16.0\n\nUpgrade at once.\n"


def after(query, *, first, answers=None):
    """The headings of the first section after the step, where the one at `first` was first; `answers` has the relevance of
    sections by their headings, 0.9 for the others."""
    documents = {"helmet/changelog": LOG, "helmet/guide": GUIDE, "leave": LEAVE, "axios/moving": MOVING}
    index = snapshot(**documents)
    asked = parse_query(query)
    ranking = rank(index, asked, None, mode="lexical", dense_weight=0.0, allowed=np.ones(index.rows, np.bool_))
    names = [" > ".join(_trail(index, row)) for row in range(index.rows)]
    begin = names.index(first)
    total = np.array([0.9 if row == begin else 0.5 for row in range(index.rows)])
    ranking = replace(ranking, total=total, order=np.argsort(-total, kind="stable"))
    likely = [(answers or {}).get(name, 0.9) for name in names]
    return names[named_release_first(index, asked, ranking, lambda rows: [likely[row] for row in rows]).order[0]]


def _trail(index, row):
    """The headings of a section, of the page and of what is between them."""
    words = index.words([row])[0].split("\n\n\ufdd0\n\n")[:-1]
    return [word.strip() for word in words]


@pytest.mark.parametrize(
    ("query", "first", "expected"),
    [
        ("what changed in helmet 8", "Changelog > 3.20.0 - 2020-01-02 > Changed", "Changelog > 8.0.0"),
        ("version 8.1 changes", "Changelog > 3.20.0 - 2020-01-02 > Changed", "Changelog > 8.1.0"),
        ("helmet v3.20", "Changelog > 8.0.0", "Changelog > 3.20.0 - 2020-01-02"),
        ("バージョン 8.1 の変更点", "Changelog > 8.0.0", "Changelog > 8.1.0"),
        ("버전 8.1 변경", "Changelog > 8.0.0", "Changelog > 8.1.0"),
        ("helmet 9 breaking changes", "Guide > Breaking changes in version 7", "Guide > Breaking changes in version 9"),
        ("what changed in helmet 8", "Changelog", "Changelog > 8.0.0"),
    ],
)
def test_section_of_the_release_takes_the_place_of_one_of_another(query, first, expected):
    assert after(query, first=first) == expected


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("what changed in helmet 8", "Changelog > 8.0.0 > Changed"),
        ("what changed", "Changelog > 3.20.0 - 2020-01-02 > Changed"),
        ("port 8080", "Changelog > 3.20.0 - 2020-01-02 > Changed"),
        ("helmet node 8", "Changelog > 3.20.0 - 2020-01-02 > Changed"),  # the version of something else
        ("from helmet 3 to helmet 8", "Changelog > 3.20.0 - 2020-01-02 > Changed"),  # two of them
        ("helmet 5 changes", "Changelog > 3.20.0 - 2020-01-02 > Changed"),  # which nothing has
        ("helmet 8 keys", "Guide > Node 18"),  # of another page, and nobody asks for changes
        ("helmet 8 times in a row", "Changelog > 3.20.0 - 2020-01-02 > Changed"),  # an amount
        ("leave 3", "Leave > 1.1 Annual leave"),  # the number of a heading
        ("upgrade from axios 1.16", "Moving > From 1.16 to 2.0"),  # its heading names the release
    ],
)
def test_first_section_stays(query, first):
    assert after(query, first=first) == first


def test_section_of_the_release_itself_stays_behind_where_it_is_much_worse():
    index = snapshot(**{"helmet/changelog": LOG})
    asked = parse_query("helmet 8.1 header")
    ranking = rank(index, asked, None, mode="lexical", dense_weight=0.0, allowed=np.ones(index.rows, np.bool_))
    order = [6, 2, 4, *(row for row in range(index.rows) if row not in (6, 2, 4))]
    scores = np.zeros(index.rows)
    scores[order] = [0.9, 0.6, 0.2, *[0.1] * (index.rows - 3)]
    moved = named_release_first(
        index, asked, replace(ranking, total=scores, order=np.array(order)), lambda rows: [0.9] * len(rows)
    )
    assert moved.order[0] == 2


def test_section_of_the_release_that_answers_half_as_likely_stays_behind():
    changed, release = "Changelog > 3.20.0 - 2020-01-02 > Changed", "Changelog > 8.0.0"
    for likely, first in ((0.5, release), (0.4, changed)):
        given = dict.fromkeys((release, f"{release} > Changed", "Changelog > 8.1.0"), likely)
        assert after("what changed in helmet 8.0", first=changed, answers=given) == first
