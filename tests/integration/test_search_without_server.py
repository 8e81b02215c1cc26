"""Searching an index whose vectors a server made, when that server is away or is another one."""

import logging

import pytest

from indexer import Indexer
from schema.errors import EmbeddingServerError, IndexIncompatibleError
from schema.settings import Settings
from search import SearchEngine
from tests.clones import run
from tests.embedding_server import EmbeddingServer


def asking(url):
    return Settings(embedding_base_url=url, embedding_model="m")


@pytest.fixture
def away(project):
    """The address of a server that is gone, and a project that was indexed by it."""
    for name in ("apple", "banana", "cherry"):
        project.write(f"docs/{name}.md", f"# {name}\n\nAbout the {name} and its juice.\n")
    with EmbeddingServer() as server:
        Indexer(project.index_dir, root=project.home, settings=asking(server.url)).index(project.home / "docs")
    return server.url


def test_search_without_its_server_answers_by_words(project, away):
    engine = SearchEngine(project.index_dir, settings=asking(away))
    assert engine.search("cherry juice")[0].section.heading == "cherry"


def test_search_without_its_server_warns_in_one_sentence(project, away, caplog):
    SearchEngine(project.index_dir, settings=asking(away)).search("cherry juice")
    (told,) = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    reason = f"The embedding server at {away} cannot be reached; start it or correct embedding_base_url."
    assert told == f"{reason} This answer is by words alone."


def test_message_is_answered_by_words_without_its_server(project, away):
    engine = SearchEngine(project.index_dir, settings=asking(away))
    assert engine.search("Hello all. Where is the cherry juice?")[0].section.heading == "cherry"


def test_search_by_vectors_alone_needs_its_server(project, away):
    with pytest.raises(EmbeddingServerError, match="cannot be reached"):
        SearchEngine(project.index_dir, settings=asking(away)).search("cherry juice", mode="dense")


def test_engine_can_be_prepared_without_its_server(project, away):
    assert SearchEngine(project.index_dir, settings=asking(away)).prepare() is None


def test_server_with_longer_vectors_than_the_index_is_refused(project, away):
    with EmbeddingServer(dimension=8) as server, pytest.raises(IndexIncompatibleError, match="dimension 16, not 8"):
        SearchEngine(project.index_dir, settings=asking(server.url)).search("cherry juice")


@pytest.mark.process
@pytest.mark.slow
def test_command_answers_by_words_and_says_so_in_one_line(project, away):
    options = {"SECTIONARY_EMBEDDING_BASE_URL": away, "SECTIONARY_EMBEDDING_MODEL": "m"}
    told = run(project, "cherry juice", module="search", **options)
    assert (told.returncode, len(told.stderr.splitlines())) == (0, 1)
    assert "docs/cherry.md" in told.stdout
