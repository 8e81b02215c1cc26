"""A question for a day or a month alone is answered by the documents of that time."""

from datetime import UTC, datetime

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


MINUTES = "# Weekly\n\n## Decisions\n\nWe keep the {} (日記, 議事録, 회의록).\n"


@pytest.fixture(scope="module")
def year(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("months"), WordEmbedder())
    for day, thing in (("2025-10-02", "lamp"), ("2026-09-30", "kettle"), ("2026-10-03", "toaster"), ("2026-10-17", "stove")):
        project.write(f"docs/{day}-weekly.md", MINUTES.format(thing))
    project.write("docs/monthly/2026-10.md", "# Review\n\nRain, and a new stove.\n")
    project.write("docs/plan.md", "# Plan\n\nMeetings and minutes of October are short, and so are notes.\n")
    project.index()
    return SearchEngine(project.index_dir, embedder=project.embedder, settings=Settings())


@pytest.mark.parametrize(
    "query",
    ["meetings in October 2026", "what happened in October 2026?", "2026-10", "2026年10月の議事録", "2026년 10월 회의록"],
)
def test_documents_of_the_month_stand_first(year, query):
    page = year.page(query, limit=5)
    assert page.answered
    assert {hit.section.document_path for hit in page.results} == {
        "docs/2026-10-03-weekly.md", "docs/2026-10-17-weekly.md", "docs/monthly/2026-10.md",
    }  # fmt: skip


def test_month_without_a_year_is_the_last_one_first(year):
    paths = [hit.section.document_path for hit in year.page("what happened in October", limit=9).results]
    assert {path[5:12] for path in paths[:3]} == {"2026-10", "monthly"}
    assert paths[3] == "docs/2025-10-02-weekly.md"


def test_question_for_a_thing_of_a_month_finds_that_of_the_month_first(year):
    hits = year.page("decisions in September").results
    assert hits[0].section.document_path == "docs/2026-09-30-weekly.md"
    assert hits[0].parts["day"] > 0


def test_month_of_which_there_is_no_document_changes_nothing(year):
    assert all("day" not in hit.parts for hit in year.page("decisions in March").results)


@pytest.mark.parametrize(
    ("query", "days"),
    [
        ("what did I do yesterday?", ["2026-10-17"]), ("昨日の日記", ["2026-10-17"]), ("어제 회의록", ["2026-10-17"]),
        ("notes from this week", ["2026-10-17"]), ("先月の議事録", ["2026-09-30"]), ("last month's meetings", ["2026-09-30"]),
        ("what happened this month", ["2026-10-03", "2026-10-17"]),
    ],
)  # fmt: skip
def test_days_told_from_today_on_are_found_in_their_order(year, monkeypatch, query, days):
    monkeypatch.setattr("search.ranking.days.now", lambda: datetime(2026, 10, 18, 12, tzinfo=UTC))
    page = year.page(query, limit=len(days))
    assert page.answered
    assert [hit.section.document_path for hit in page.results] == [f"docs/{day}-weekly.md" for day in days]


def test_today_among_other_words_changes_nothing(year, monkeypatch):
    monkeypatch.setattr("search.ranking.days.now", lambda: datetime(2026, 10, 17, 12, tzinfo=UTC))
    assert all("day" not in hit.parts for hit in year.page("which decisions are valid today").results)
