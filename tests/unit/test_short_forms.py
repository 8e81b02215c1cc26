"""A word of a question that is cut short stands for the long one too."""

import pytest

from schema.text.query_words import query_terms
from search.ranking.short_forms import long_forms


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
    assert long_forms(query_terms(query)) == found


@pytest.mark.parametrize(
    "query",
    ["configuration file", "async app", "fn and var", "config of the configuration", "プラグイン", ""],
)
def test_other_words_stand_for_themselves(query):
    assert long_forms(query_terms(query)) == {}
