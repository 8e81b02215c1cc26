"""A section of an older version of the documentation stands behind those of the newest, unless it is asked for."""

from dataclasses import replace

import numpy as np
import pytest

from search.ranking.query import parse_query
from search.ranking.rank import rank
from search.ranking.versions import Versioned, behind_newer, versioned
from tests.unit.test_relevance import snapshot

TEXT = "# Tools\n\nThe tool returns an image to the client.\n"


def order(query, *paths, known=()):
    """The paths in the ranking after, where each section has a hundredth less than the one before it."""
    index = snapshot(**{path.removesuffix(".md"): TEXT for path in paths})
    asked = parse_query(query)
    ranking = rank(index, asked, None, mode="lexical", dense_weight=0.0, allowed=np.ones(index.rows, np.bool_))
    total = np.array([0.6 - 0.01 * paths.index(index.path(row)) for row in range(index.rows)])
    ranking = replace(ranking, total=total, order=np.argsort(-total))
    there = {*paths, *known}
    after = behind_newer(index, asked, ranking, lambda some: [path for path in some if path in there])
    return [index.path(row) for row in after.order]


OLD, NEW = "docs/v2/tools.md", "docs/tools.md"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (OLD, NEW),
        ("docs/v2/tools.md", "docs/v10/tools.md"),
        ("docs/v1.9/tools.md", "docs/v1.10/tools.md"),
        ("docs/v2.0/tools.md", "docs/v2.x/tools.md"),
        ("docs/2.x/tools.md", "docs/latest/tools.md"),
        ("versioned_docs/version-1.4/tools.md", "versioned_docs/version-2.0/tools.md"),
        ("docs/V1.0/tools.md", "docs/stable/tools.md"),
    ],
)
def test_page_of_an_older_version_stands_behind_the_newest(older, newer):
    assert order("return an image", older, newer) == [newer, older]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("docs/2023/tools.md", "docs/2024/tools.md"),  # years
        ("docs/2/tools.md", "docs/10/tools.md"),  # chapters
        ("docs/v2/tools.md", "docs/guide.md"),  # the newest version has no page of that folder
        ("api/v1/tools.md", "web/v2/tools.md"),  # beside nothing
        ("docs/v2beta/tools.md", "docs/tools.md"),
        ("book/1.1/exercises.md", "book/1.2/exercises.md"),  # chapters
        ("hosts/10.0.0.1/setup.md", "hosts/10.0.0.2/setup.md"),
        ("docs/v3/tools.md", "docs/next/tools.md"),  # which is not released yet
        ("versioned_docs/version-3.0/tools.md", "docs/tools.md"),  # so too
        ("notes/2024.11/tools.md", "notes/2024.12/tools.md"),  # months
        ("api/v1/tools.md", "api/v2/users.md"),  # two things, and not two versions of one
        ("docs/v2/index.md", "docs/index.md"),  # which every folder has
    ],
)
def test_folders_that_are_no_older_versions_stay(first, second):
    assert order("return an image", first, second) == [first, second]


def test_all_pages_of_a_folder_are_older_if_the_newest_version_has_one_of_them():
    assert order("return an image", "docs/v2/patterns.md", OLD, NEW) == [NEW, "docs/v2/patterns.md", OLD]


def test_page_of_the_newest_version_need_not_be_found():
    assert order("return an image", OLD, "docs/guide.md", known=[NEW]) == ["docs/guide.md", OLD]


@pytest.mark.parametrize(
    "query",
    [
        "return an image in v2",
        "image 2.x",
        "image in 2.3.1",
        "version 2 image",
        "V2の画像",
        "image in 2?",
        "バージョン2のimage",
        "image 버전 2",
    ],
)
def test_version_that_is_asked_for_loses_nothing(query):
    assert order(query, OLD, NEW) == [OLD, NEW]


@pytest.mark.parametrize(
    "query",
    [
        "return an image in v3",
        "return 2nd image",
        "return 2 images",
        "base2 image",
        "file2.png image",
        "image 12.5",
        "OAuth 2.1 image",
        "image with TLS 2.0",
        "image UTF-2",
        "image, HTTP/2",
        "image exit code 2",
        "image of 2024-05-02",
        "return an image in 2 columns",
        'image of "v2"',
    ],
)
def test_another_number_asks_for_no_version(query):
    assert order(query, OLD, NEW) == [NEW, OLD]


def test_number_of_several_parts_asks_for_the_version_that_has_all_of_them():
    assert order("image 1.4", "docs/v1.4/tools.md", NEW) == ["docs/v1.4/tools.md", NEW]


@pytest.mark.parametrize("query", ["return an image in v2", "image 2.x", "tools version 2"])
def test_other_versions_stand_behind_the_one_that_is_asked_for(query):
    assert order(query, NEW, "docs/v3/tools.md", "guide/tools.md", OLD) == ["guide/tools.md", OLD, NEW, "docs/v3/tools.md"]


def test_pages_that_the_version_asked_for_has_not_keep_their_places():
    paths = ["guide/tools.md", "faq.md", "v3/tools.md", "v2/tools.md"]
    assert order("return an image in v2", *paths) == ["guide/tools.md", "faq.md", "v2/tools.md", "v3/tools.md"]


@pytest.mark.parametrize(
    "query",
    ["upgrade to v2", "what changed in v2", "image in v2 and v3", "what changed", "migrate image", "image v8 and v9"],
)
def test_no_version_loses_where_changes_or_several_are_asked_for(query):
    paths = [OLD, "docs/v3/tools.md", NEW]
    assert order(query, *paths) == paths


def test_older_of_two_older_versions_stands_behind_the_other():
    assert order("return an image", OLD, "docs/v3/tools.md", NEW) == [NEW, "docs/v3/tools.md", OLD]


def test_numbers_alone_are_versions_if_several_pages_are_in_both():
    pages = ["docs/1.9/tools.md", "docs/1.9/use.md", "docs/1.10/tools.md", "docs/1.10/use.md"]
    assert order("return an image", *pages) == [
        "docs/1.10/tools.md",
        "docs/1.10/use.md",
        "docs/1.9/tools.md",
        "docs/1.9/use.md",
    ]


def test_section_that_answers_much_better_stays_first():
    index = snapshot(**{"docs/v2/tools": TEXT, "docs/tools": "# Tools\n\nNothing.\n"})
    asked = parse_query("return an image")
    ranking = rank(index, asked, None, mode="lexical", dense_weight=0.0, allowed=np.ones(index.rows, np.bool_))
    assert index.path(behind_newer(index, asked, ranking, lambda some: some).order[0]) == OLD


def test_rankings_without_versions_are_the_same():
    index = snapshot(guide=TEXT)
    asked = parse_query("image")
    ranking = rank(index, asked, None, mode="lexical", dense_weight=0.0, allowed=np.ones(index.rows, np.bool_))
    assert behind_newer(index, asked, ranking, pytest.fail) is ranking


def test_version_is_read_from_the_first_folder_that_names_one():
    assert versioned("a/v1/b/v2/c.md") == Versioned("a/", "v1", (1,), "b/v2/c.md", is_bare=False)
    assert versioned("v1.2.md") is None
    assert versioned("") is None
