"""What a search may be asked for, as one record."""

import pytest

from schema.errors import QueryError
from schema.filters import Filters
from schema.requests import FILTERS, NAMES, PARAMETERS, SearchRequest, parameters


def test_a_request_is_read_from_values_by_the_names_of_parameters():
    request = SearchRequest.of("keys", {"limit": 3, "tags": ["api"], "depth": (1,), "clean": True, "fold": False})
    assert request == SearchRequest(
        query="keys", limit=3, fold=False, filters=Filters(tags=("api",), depth=(1,), clean=True)
    )


def test_values_that_are_none_or_missing_have_their_defaults():
    assert SearchRequest.of("keys", {"limit": None, "since": None, "min_relevance": None}) == SearchRequest(query="keys")


@pytest.mark.parametrize("query", ["", " \t\n"])
def test_a_blank_query_is_refused(query):
    with pytest.raises(QueryError, match="The query is empty"):
        SearchRequest(query=query)


@pytest.mark.parametrize("given", [{"limit": 0}, {"offset": -1}, {"mode": "fuzzy"}, {"min_relevance": 1.1}])
def test_a_value_out_of_its_range_is_refused(given):
    with pytest.raises(ValueError, match=next(iter(given))):
        SearchRequest.of("keys", given)


def test_a_filter_that_makes_no_sense_is_refused():
    with pytest.raises(QueryError, match="depth filter"):
        SearchRequest.of("keys", {"depth": [7]})


def test_filters_that_must_both_hold_are_told_apart():
    request = SearchRequest(query="keys path:docs/ path:guide/ -old")
    told = request.told_filters({"path": ("api/",), "tags": (), "clean": False, "depth": None})
    assert told == [{"path": ("api/",), "tags": ()}, {"path": ("docs/", "guide/"), "without": ("old",)}]


def test_every_filter_is_a_parameter_or_a_part_of_queries():
    in_queries = {"title", "without", "without_path", "without_tags"}
    assert {*FILTERS, *in_queries, "also"} == set(Filters.__dataclass_fields__)
    assert set(FILTERS) <= set(NAMES)


def test_parameters_are_given_by_their_names_in_the_order_asked():
    assert [parameter.name for parameter in parameters("mode", "limit")] == ["mode", "limit"]


def test_a_door_may_have_bounds_and_a_default_of_its_own():
    limit = PARAMETERS[0]
    assert [limit.default_at(door) for door in ("command", "http", "agents")] == [5, 10, 5]
    assert limit.value_schema("agents") == {"type": "integer", "minimum": 1, "maximum": 50}


@pytest.mark.parametrize("parameter", PARAMETERS, ids=lambda parameter: parameter.name)
def test_agents_are_told_the_bounds_that_they_have(parameter):
    schema = parameter.value_schema("agents")
    told = [schema[bound] for bound in ("maximum",) if schema.get(bound, 0) > 3]
    assert all(f"{most:,}" in parameter.takes for most in told)
