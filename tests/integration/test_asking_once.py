"""A command that asks once reads no more of an index than its question needs; one that asks often holds it."""

from types import SimpleNamespace

import pytest

from schema.index_files.layout import statistics_path, store_dir
from schema.requests import SearchRequest
from schema.settings import Settings
from search.answers.client import SearchClient
from search.answers.service import SearchService
from search.open_command import search_as_typed
from search.sources.held import HeldSource
from search.sources.stored import TableSource


@pytest.fixture
def sources(medium, monkeypatch):
    """Which sources the commands' clients made."""
    made = []

    def service(index_dir, *, settings, **given):
        opened = SearchService(index_dir, settings=settings, embedder=medium.embedder, **given)
        made.append(opened.engine().source())
        return opened

    monkeypatch.setattr("search.answers.service.SearchService", service)
    return made


def client_of(project):
    return SearchClient(project.index_dir, Settings(), is_server_asked=False)


def test_command_with_a_question_is_answered_by_the_table(medium, sources):
    assert client_of(medium).search(SearchRequest(query="cedar quartz")).results
    assert [type(source) for source in sources] == [TableSource]


def test_search_as_typed_holds_the_index(medium, sources, monkeypatch):
    def typed(finder, opened):
        return SimpleNamespace(run=lambda: finder.ask("cedar quartz"))

    monkeypatch.setattr("search.interactive.build_application", typed)
    given = {"literal": False, "filters": (), "no_server": True}
    search_as_typed(client_of(medium), given)
    assert [type(source) for source in sources] == [HeldSource]


def test_server_and_agents_hold_the_index(medium):
    service = SearchService(medium.index_dir, settings=Settings(), embedder=medium.embedder)
    assert isinstance(service.engine().source(), HeldSource)


def test_index_whose_statistics_lag_is_held_by_a_process_that_asks_once(medium):
    place = statistics_path(store_dir(medium.index_dir))
    before = place.read_bytes()
    medium.write("docs/new.md", "# New\n\nThe vermilion kite.\n")
    medium.index()
    assert isinstance(medium.engine(once=True).source(), TableSource)
    place.write_bytes(before)
    engine = medium.engine(once=True)
    assert isinstance(engine.source(), HeldSource)
    assert engine.search("vermilion kite")[0].section.document_path == "docs/new.md"


def test_phrase_is_looked_for_in_all_sections_of_an_index_that_is_not_large(medium, monkeypatch):
    monkeypatch.setattr("search.sources.stored.BY_PHRASE", 1)
    monkeypatch.setattr("search.sources.stored.BY_WORDS", 1)
    found = [
        [hit.section.id for hit in medium.engine(once=once).search('"delta ember"', mode="lexical", limit=3)]
        for once in (True, False)
    ]
    assert set(found[0]) == set(found[1])
    assert found[0]
