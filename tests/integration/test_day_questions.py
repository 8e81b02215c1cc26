"""A question for a day alone is answered by the documents of that day."""

import pytest

from schema.settings import Settings
from search import SearchEngine
from tests.conftest import Project, WordEmbedder

RETRO = "# Retro\n\nFour people.\n\n## Went well\n\nThe kettle.\n\n## Went badly\n\nThe toaster.\n"


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("days"), WordEmbedder())
    project.write("docs/2026-05-04 retro.md", RETRO)
    project.write("docs/2026-01-12 kickoff.md", "# Kickoff\n\nWhat happened in May, and notes of it.\n")
    project.write("docs/daily/2026-05-06.md", "Rain. What happened on 4 May was told.\n")
    project.write("docs/plan.md", "# Plan\n\n## 12 August\n\nTea.\n")
    project.index()
    return SearchEngine(project.index_dir, embedder=project.embedder, settings=Settings())


def asked(engine, query):
    page = engine.page(query, mode="lexical")
    return page.answered, [hit.section.name for hit in page.results]


@pytest.mark.parametrize(
    "query",
    ["4 May", "notes from 4 May", "what happened on 4 May?", "2026-05-04", "5月4日", "5月4日に何があった", "5월 4일 회의록"],
)
def test_documents_of_the_day_stand_first_in_their_own_order(engine, query):
    answered, names = asked(engine, query)
    assert (answered, names[:3]) == (True, ["Retro", "Went well", "Went badly"])


def test_heading_that_is_the_day_answers(engine):
    assert asked(engine, "12 August")[1][0] == "12 August"


@pytest.mark.parametrize("query", ["2025-05-04", "5 May"])
def test_another_day_is_not_answered(engine, query):
    assert asked(engine, query)[0] is False


def test_question_for_more_than_the_day_is_ranked_as_others(engine):
    page = engine.page("toaster on 4 May", mode="lexical")
    assert page.results[0].section.name == "Went badly"
    assert all("day" not in hit.parts for hit in page.results)
