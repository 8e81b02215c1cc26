"""A word of a question that is cut short stands for the long one too."""

import numpy as np
import pytest

from schema.text.analyzer import terms
from schema.text.query_words import query_terms
from search.index.vocabulary import HeldCounts, Vocabulary
from search.ranking.short_forms import long_forms

HELD = ("configuration", "database", "kubernetes", "documentation", "repository", "organization", "maximum")


def read(query):
    counts = HeldCounts({term: i for i, word in enumerate(HELD) for term in terms(word)}, np.full(len(HELD), 9), 100)
    return long_forms(query, query_terms(query), Vocabulary(counts))


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("config file", {"config": ("configur",)}),
        ("restore the DB", {"db": ("databas",)}),
        ("k8s docs", {"k8s": ("kubernet",), "doc": ("document",)}),
        ("repos of the org", {"repo": ("repositori",), "org": ("organiz",)}),
    ],
)
def test_short_form_stands_for_the_long_one(query, found):
    assert read(query) == found


@pytest.mark.parametrize(
    "query",
    [
        'the "config" file',
        "does Max print reports of the printer",
        "perf of it",  # no section has the long form
        "configuration file",
        "async app",
        "fn and var",
        "config of the configuration",
        "プラグイン",
        "",
    ],
)
def test_other_words_stand_for_themselves(query):
    assert read(query) == {}
