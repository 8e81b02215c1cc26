"""The server against its own OpenAPI document, by Schemathesis: whatever is asked, what is answered was promised."""

import contextlib
import json
import re
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, assume, given, settings
from jsonschema import Draft202012Validator, FormatChecker
from schemathesis import GenerationMode

from schema.errors import QueryError
from schema.filters import Filters
from schema.settings import Settings
from search.answers.service import SearchService
from search.server.http import create_app
from search.server.questions import PATH_PATTERN
from search.server.security import Access
from tests.conftest import GUIDE, Project, WordEmbedder
from tests.http_site import site_of

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def api(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("api"), WordEmbedder())
    project.write("docs/guide.md", GUIDE)
    project.index()
    answers = SearchService(project.index_dir, settings=Settings(), embedder=project.embedder)
    with site_of(create_app(answers, access=Access())) as site:
        api = schemathesis.openapi.from_url(f"{site.url}openapi.json")
        rejection = api.config.checks.negative_data_rejection
        rejection.expected_statuses = [*rejection.expected_statuses, "414"]  # too long comes before what is wrong in it
        yield api


PATHS = (
    "/api/search", "/api/sections/{section_id}", "/api/sections", "/api/outline", "/api/links", "/api/similar", "/api/changes", "/api/editor",
    "/api/context", "/api/documents", "/api/status", "/api/overview", "/healthz", "/readyz",
)  # fmt: skip


#: Those that take parameters, which can be wrong.
ASKED = PATHS[:9]


def is_right_glob(case):
    """Whether a path is given that the pattern of the document leaves out, since no pattern says which globs can be read."""
    given = (case.query or {}).get("path") or []
    try:
        Filters(path=tuple(given))
    except (QueryError, TypeError):
        return False
    return not all(re.fullmatch(PATH_PATTERN, path) for path in given)


def is_right_as_sent(case):
    """Whether what is wrong is lost in the address: a number is a text there, and null and an empty list are nothing."""
    if case.path_parameters:
        return False
    address = requests.Request("GET", "http://localhost/", params=case.as_transport_kwargs().get("params")).prepare().url
    sent = parse_qs(urlsplit(address).query, keep_blank_values=True)
    known = {parameter["name"]: parameter for parameter in case.operation.definition.raw.get("parameters", ())}
    is_whole = all(name in sent for name, parameter in known.items() if parameter["required"])
    return is_whole and all(name in known and is_read(texts, known[name]["schema"]) for name, texts in sent.items())


def is_read(texts, schema):
    """Whether the texts of a parameter are what its schema asks for."""
    if schema.get("type") == "array":
        return is_valid(texts, schema)
    return len(texts) == 1 and any(is_valid(value, schema) for value in (texts[0], *numbers(texts[0])))


def is_valid(value, schema):
    return Draft202012Validator(schema, format_checker=FormatChecker()).is_valid(value)


def numbers(text):
    """The JSON value that a text is, if it is one."""
    with contextlib.suppress(ValueError):
        yield json.loads(text)


def ask_anything(operation, mode):
    @given(case=operation.as_strategy(generation_mode=mode))
    @settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
    def asked(case):
        assume(mode is GenerationMode.POSITIVE or not (is_right_glob(case) or is_right_as_sent(case)))
        case.call_and_validate()

    asked()


@pytest.mark.parametrize("path", PATHS)
def test_a_right_question_is_answered_as_promised(api, path):
    ask_anything(api[path]["GET"], GenerationMode.POSITIVE)


@pytest.mark.parametrize("path", ASKED)
def test_a_wrong_question_is_refused_as_promised(api, path):
    ask_anything(api[path]["GET"], GenerationMode.NEGATIVE)


def test_every_path_is_asked(api):
    assert set(api) == set(PATHS)
