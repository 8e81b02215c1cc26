"""Steps of the ranking and of a context, asked of a whole index as users ask it."""

import pytest

from schema.requests import SearchRequest
from schema.settings import Settings
from search import SearchEngine
from search.answers.service import SearchService
from tests.conftest import Project, WordEmbedder
from tests.http_site import site_over
from tests.mcp_agent import agent_within, answers_over

DEPTH = "# Depth\n\n## Issue\n\nMaximum depth exceeded, says the page.\n\n## Solution\n\nThrottle the depth of the stream.\n"
RENT = (
    "# Rent\n\n## Paying\n\nPay the rent by card, or pay the rent by cheque.\n\n"
    "## If you can't pay\n\nTell us before the rent is due.\n"
)
LONG = "A ladder on the wall in the shed has a box beside it.\n\n" * 20
SHEDS = (
    f"# Sheds\n\n## Ladders\n\nLadders hang on the wall.\n\n{LONG}"
    "## Mowers\n\nMowers stand in the shed.\n\n## Saws\n\nSaws lie in a box.\n"
)
LIST = "ladders on the wall, mowers in the shed and saws in a box"


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A project that no test changes."""
    project = Project(tmp_path_factory.mktemp("steps"), WordEmbedder())
    for name, text in (("depth", DEPTH), ("rent", RENT), ("sheds", SHEDS)):
        project.write(f"docs/{name}.md", text)
    project.index()
    return project


@pytest.fixture(scope="module", params=[False, True], ids=["held", "once"])
def engine(home, request):
    with SearchEngine(home.index_dir, embedder=home.embedder, once=request.param) as engine:
        yield engine


def test_solution_stands_first_and_answers_as_its_problem_does(engine):
    first, second = engine.page("maximum depth exceeded", mode="lexical").results[:2]
    assert [first.section.heading, second.section.heading] == ["Solution", "Issue"]
    assert first.relevance == second.relevance


def test_heading_that_says_no_stands_before_one_that_says_how(engine):
    hits = engine.search("I can't pay the rent", mode="lexical")
    assert hits[0].section.heading == "If you can't pay"


def test_context_has_the_best_section_of_each_thing_that_is_listed(engine):
    pack = engine.context(LIST, max_tokens=300, mode="lexical")
    assert pack.answered
    assert [heading in pack.text for heading in ("Ladders hang", "Mowers stand", "Saws lie")] == [True] * 3


def test_every_door_gives_the_same_context_of_a_list(home):
    service = SearchService(home.index_dir, settings=Settings(), embedder=home.embedder)
    own = service.context(SearchRequest(query=LIST, mode="lexical"), max_tokens=300)
    with site_over(home) as site:
        over_http = site.get(f"/api/context?mode=lexical&max_tokens=300&q={LIST.replace(' ', '%20')}").json
    with agent_within(answers_over(home)) as agent:
        over_mcp = agent.ask("context", query=LIST, mode="lexical", max_tokens=1000)
    assert "Saws lie" in own["text"]
    assert own["text"] == over_http["text"]
    assert own["answered"] == over_http["answered"] == over_mcp["answered"] is True
