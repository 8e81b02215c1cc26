"""The server against its own OpenAPI document, by Schemathesis: whatever is asked, what is answered was promised."""

import re

import pytest
import schemathesis
from hypothesis import HealthCheck, assume, given, settings
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
    "/api/search", "/api/sections/{section_id}", "/api/outline", "/api/links", "/api/similar", "/api/changes", "/api/editor",
    "/api/context", "/api/documents", "/api/status", "/api/overview", "/healthz", "/readyz",
)  # fmt: skip


#: Those that take parameters, which can be wrong.
ASKED = PATHS[:8]


def is_right_glob(case):
    """Whether a path is given that the pattern of the document leaves out, since no pattern says which globs can be read."""
    given = (case.query or {}).get("path") or []
    try:
        Filters(path=tuple(given))
    except (QueryError, TypeError):
        return False
    return not all(re.fullmatch(PATH_PATTERN, path) for path in given)


def ask_anything(operation, mode):
    @given(case=operation.as_strategy(generation_mode=mode))
    @settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
    def asked(case):
        assume(mode is GenerationMode.POSITIVE or not is_right_glob(case))
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
