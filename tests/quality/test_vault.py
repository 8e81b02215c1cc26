"""A vault of notes with the real models: who asks by a title or another name of a note gets it first."""

import pytest

from indexer import Indexer
from search import SearchEngine
from tests.quality.vault import QUESTIONS, write_vault

pytestmark = [pytest.mark.slow, pytest.mark.model]


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    home = tmp_path_factory.mktemp("vault")
    write_vault(home)
    report = Indexer(home / ".sectionary", root=home).index(home)
    assert (report.documents_added, report.failed, report.warnings) == (40, [], [])
    return SearchEngine(home / ".sectionary")


def test_notes_are_found_by_their_titles_and_aliases(engine):
    wrong = {}
    for question, gold in QUESTIONS:
        hits = engine.search(question, limit=3)
        found = [hit.section.document_path for hit in hits]
        if found[:1] != [gold]:
            wrong[question] = found
    assert len(QUESTIONS) == 30
    assert len(wrong) <= 1, wrong


def test_tags_of_a_vault_filter_with_those_below_them(engine):
    tagged = {hit.section.document_path for hit in engine.search("projects", limit=50, filters={"tags": "project"})}
    assert tagged == {f"Projects/{name}.md" for name in ("Harbour", "Lantern", "Driftwood", "Kite")}
    inline = engine.search("the certificate ran out", filters={"tags": "incident/tls"})
    assert [hit.section.document_path for hit in inline] == ["Meetings/2024-03-05 Incident 44.md"]


def test_comments_of_a_vault_are_not_found_or_shown(engine):
    assert all("hunter2" not in hit.snippet.text for hit in engine.search("guest password", limit=5) if hit.snippet)
    assert engine.search("hunter2", mode="lexical") == []


def test_titles_of_callouts_are_found(engine):
    hit = engine.search("stop the writers first", limit=1)[0]
    assert hit.section.document_path == "Howto/Restore a backup.md"
    assert "[!warning]" not in hit.snippet.text
