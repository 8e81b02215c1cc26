"""Arguments of agents' tools that a model wrote in another way than the schema has them are taken as they are meant."""

import pytest

from search.server.tools import TOOLS

SEARCH = next(tool for tool in TOOLS if tool.name == "search")


@pytest.mark.parametrize(
    ("name", "written", "meant"),
    [
        ("limit", "3", 3),
        ("limit", 3.0, 3),
        ("content", "true", True),
        ("min_relevance", "0.5", 0.5),
        ("min_relevance", "1", 1.0),
        ("depth", 2, [2]),
        ("depth", "2", [2]),
        ("depth", ["1", 2], [1, 2]),
        ("path", "guide/", ["guide/"]),
        ("tags", [2026], ["2026"]),
        ("query", 404, "404"),
        ("fields", {"draft": True, "version": 2, "name": "x"}, {"draft": "true", "version": "2", "name": "x"}),
    ],
)
def test_value_is_of_the_kind_that_the_argument_takes(name, written, meant):
    assert SEARCH.checked({"query": "x", name: written})[name] == meant


@pytest.mark.parametrize("name", ["since", "path", "limit", "depth", "fields"])
def test_argument_that_is_null_counts_as_not_given(name):
    assert SEARCH.checked({"query": "x", name: None}) == SEARCH.checked({"query": "x"})
