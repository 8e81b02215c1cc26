"""A search that prefers recent documents, over an index."""

import os
from dataclasses import replace

import pytest

import search.engine
from schema.index_files.layout import manifest_path, store_dir
from schema.settings import Settings

TEXT = "# Rotation\n\nRotate the signing key every month.\n"


@pytest.fixture
def dated(project):
    for year in (2012, 2019, 2026):
        project.write(f"docs/{year}.md", f"---\ndate: {year}-01-01\n---\n{TEXT}")
    project.index()
    return project


def paths(hits):
    return [hit.section.document_path for hit in hits]


def test_newer_documents_go_first_only_if_that_is_asked_for(dated):
    engine = dated.engine()
    assert paths(engine.search("rotate the signing key")) == ["docs/2012.md", "docs/2019.md", "docs/2026.md"]
    found = engine.search("rotate the signing key", prefer_recent="3000d")
    assert paths(found) == ["docs/2026.md", "docs/2019.md", "docs/2012.md"]
    assert [hit.parts["recency"] for hit in found] == sorted((hit.parts["recency"] for hit in found), reverse=True)


def test_a_question_that_finds_nothing_finds_nothing(dated):
    assert dated.engine().search("zzzz", mode="lexical", prefer_recent="30d") == []


def test_the_setting_holds_where_a_request_says_nothing_and_zero_switches_it_off(dated):
    engine = dated.engine(settings=replace(Settings(), recency_half_life="3000d"))
    assert paths(engine.search("rotate the signing key"))[0] == "docs/2026.md"
    assert paths(engine.search("rotate the signing key", prefer_recent="0"))[0] == "docs/2012.md"


def test_relevance_and_whether_a_question_is_answered_stay_as_they_are(dated):
    engine = dated.engine()
    for question in ("rotate the signing key", "how do penguins fly", "key"):
        plain, recent = (engine.page(question, fold=False, prefer_recent=age) for age in ("0", "1d"))
        assert (plain.relevance, plain.answered) == (recent.relevance, recent.answered)
        assert {hit.section.id: hit.relevance for hit in plain.results} == {
            hit.section.id: hit.relevance for hit in recent.results
        }


def test_age_does_not_choose_the_sections_that_decide_whether_a_question_is_answered(project, monkeypatch):
    monkeypatch.setattr(search.engine, "FIRST_HITS", 1)
    project.write("docs/old.md", f"---\ndate: 1999-01-01\n---\n{TEXT}")
    project.write("docs/new.md", "---\ndate: 2026-11-01\n---\n# Rotation\n\nRotate the signing key now and then, slowly.\n")
    project.write(
        "docs/far.md", "---\ndate: 1999-01-01\n---\n# Far\n\nThe penguins have lost a key in the deep snow of the pole.\n"
    )
    project.index()
    engine = project.engine()
    question = "rotate the signing key"
    plain, recent = (engine.page(question, fold=False, prefer_recent=age) for age in ("0", "90d"))
    assert (paths(plain.results)[0], paths(recent.results)[0]) == ("docs/old.md", "docs/new.md")
    assert plain.results[0].relevance != recent.results[0].relevance
    assert plain.relevance == recent.relevance == plain.results[0].relevance


def test_without_a_date_the_time_of_the_file_counts(project):
    for name, time in (("old", 1_300_000_000), ("young", 1_790_000_000)):
        os.utime(project.write(f"docs/{name}.md", TEXT), (time, time))
    project.write("docs/middle.md", f"---\ndate: 2019-01-01\n---\n{TEXT}")
    project.index()
    hits = project.engine().search("rotate the signing key", prefer_recent="3000d")
    assert paths(hits) == ["docs/young.md", "docs/middle.md", "docs/old.md"]


def test_a_file_that_was_written_just_before_it_was_read_counts_as_new(dated):
    dated.write("docs/3.md", TEXT)
    dated.index()
    assert paths(dated.engine().search("rotate the signing key", prefer_recent="300d"))[0] == "docs/3.md"


@pytest.mark.parametrize("moment", [86_400 * 365, -86_400 * 365])  # a year after 1970, and before it
def test_a_file_that_was_copied_with_its_time_just_before_it_was_read_is_as_old_as_that(dated, moment):
    os.utime(dated.write("docs/copied.md", TEXT), (moment, moment))
    dated.index()
    assert paths(dated.engine().search("rotate the signing key", prefer_recent="3000d"))[-1] == "docs/copied.md"


def test_an_index_without_its_manifest_is_searched_as_without_a_preference(dated):
    engine = dated.engine()
    plain = paths(engine.search("rotate the signing key"))
    manifest_path(store_dir(dated.index_dir)).unlink()
    assert paths(engine.search("rotate the signing key", prefer_recent="3000d")) == plain


def test_a_held_index_follows_a_date_that_is_edited(dated):
    engine = dated.engine()
    assert paths(engine.search("rotate the signing key", prefer_recent="3000d"))[-1] == "docs/2012.md"
    dated.write("docs/2012.md", f"---\ndate: 2026-06-01\n---\n{TEXT}")
    dated.index()
    assert paths(engine.search("rotate the signing key", prefer_recent="3000d"))[0] == "docs/2012.md"
