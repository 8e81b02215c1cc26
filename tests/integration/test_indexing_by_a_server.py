"""Index runs whose vectors a server makes, over a real table: what stays when the server breaks, and what comes after."""

import pytest

import indexer.sync.embedding
from indexer import Indexer
from schema.errors import EmbeddingServerError, IndexIncompatibleError, IndexNotFoundError
from schema.index_files.layout import store_dir
from schema.settings import Settings
from schema.storage.table import SectionTable
from search import SearchEngine
from tests.clones import run
from tests.embedding_server import EmbeddingServer, directions

pytest.importorskip("httpx2")
NOW = {"Retry-After": "0.01"}
#: What breaks a run, and the beginning of the sentence that tells it.
FAULTS = [
    ({"status": 500, "headers": NOW}, "failed (HTTP 500: scripted)"),
    ({"status": 429, "headers": NOW}, "is too busy (HTTP 429: scripted)"),
    ({"dimension": 8}, "vectors have 8 numbers, not 16"),
    ({"body": b"<html>"}, "sent a reply that is not JSON"),
    ({"status": 401}, "wants a key (HTTP 401)"),
]


@pytest.fixture
def fruits(project):
    """Six sections, embedded in commits of two."""
    for name in ("apple", "banana", "cherry", "damson", "elder", "fig"):
        project.write(f"docs/{name}.md", f"# {name}\n\nAbout the {name} and its juice.\n")
    return project


@pytest.fixture(autouse=True)
def _small_commits(monkeypatch):
    monkeypatch.setattr(indexer.sync.embedding, "COMMIT_SECTIONS", 2)


def settings_for(server, **more):
    return Settings(embedding_base_url=server.url, embedding_model="m", **more)


def indexer_of(project, server, **more):
    return Indexer(project.index_dir, root=project.home, settings=settings_for(server, **more))


def breaking_after(count, fault):
    """A script of a server that answers so many requests and then breaks."""
    seen = []

    def script(_body):
        seen.append(1)
        return {} if len(seen) <= count else fault

    return script


def vectors(project):
    """What the table has as vectors of clean sections, by heading."""
    table = SectionTable.open(store_dir(project.index_dir))
    rows = table.stored(sorted(table.paths()))
    return {row.section.heading: row.embedding.vector for row in rows if not row.section.is_dirty}


def test_a_server_makes_the_vectors_of_an_index(fruits):
    with EmbeddingServer() as server:
        report = indexer_of(fruits, server).index(fruits.home / "docs")
    assert (report.sections_embedded, report.failed) == (6, [])
    found = vectors(fruits)
    assert len(found) == 6
    assert found["fig"] == pytest.approx(directions("fig About the fig and its juice", 16), abs=1e-6)


def test_an_index_says_that_a_server_made_it_by_which_model_and_how_long_its_vectors_are(fruits):
    with EmbeddingServer() as server:
        indexer_of(fruits, server).index(fruits.home / "docs")
        status = indexer_of(fruits, server).status()
    assert (status.model, status.dimension) == ("server:m", 16)


def test_a_question_is_answered_by_the_vectors_of_the_server(fruits):
    with EmbeddingServer() as server:
        indexer_of(fruits, server).index(fruits.home / "docs")
        engine = SearchEngine(fruits.index_dir, settings=settings_for(server))
        best = engine.search("the juice of cherry", mode="dense")[0]
    assert best.section.heading == "cherry"
    assert server.texts[-1] == "the juice of cherry"


@pytest.mark.parametrize(("fault", "said"), FAULTS)
def test_a_run_that_breaks_in_the_middle_keeps_what_was_committed(fruits, fault, said):
    with EmbeddingServer(breaking_after(3, fault)) as server, pytest.raises(EmbeddingServerError) as told:
        indexer_of(fruits, server).index(fruits.home / "docs")  # one request for the dimension, two for commits
    assert said in str(told.value)
    status = indexer_of(fruits, server).status()
    assert (status.sections, status.dirty, len(vectors(fruits))) == (6, 2, 4)


@pytest.mark.parametrize(("fault", "said"), FAULTS)
def test_what_a_broken_run_left_is_found_by_its_words(fruits, fault, said):
    with EmbeddingServer(breaking_after(3, fault)) as server, pytest.raises(EmbeddingServerError):
        indexer_of(fruits, server).index(fruits.home / "docs")
    engine = SearchEngine(fruits.index_dir, settings=settings_for(server))
    for name in ("apple", "banana", "cherry", "damson", "elder", "fig"):
        assert engine.search(name, mode="lexical")[0].section.heading == name


@pytest.mark.parametrize(("fault", "said"), FAULTS)
def test_the_next_run_asks_only_for_what_a_broken_one_left(fruits, fault, said):
    with EmbeddingServer(breaking_after(3, fault)) as broken, pytest.raises(EmbeddingServerError):
        indexer_of(fruits, broken).index(fruits.home / "docs")
    kept = vectors(fruits)
    with EmbeddingServer() as server:
        report = indexer_of(fruits, server).index(fruits.home / "docs")
        assert indexer_of(fruits, server).verify().differences == ()
    assert (report.documents_unchanged, report.sections_embedded) == (6, 2)
    assert not any(name in text for text in server.texts for name in kept)
    assert len(vectors(fruits)) == 6


def test_a_failure_that_passes_within_a_run_does_not_end_it(fruits):
    with EmbeddingServer([{}, {"status": 503, "headers": NOW}, {"hang_up": True}, {}]) as server:
        assert indexer_of(fruits, server).index(fruits.home / "docs").sections_embedded == 6


def test_a_server_with_longer_vectors_than_the_index_is_refused_and_writes_none(fruits):
    with EmbeddingServer() as server:
        indexer_of(fruits, server).index(fruits.home / "docs")
    fruits.write("docs/grape.md", "# grape\n\nAbout the grape.\n")
    with EmbeddingServer(dimension=32) as other, pytest.raises(IndexIncompatibleError, match="dimension 16, not 32"):
        indexer_of(fruits, other).index(fruits.home / "docs")
    assert sorted(vectors(fruits)) == ["apple", "banana", "cherry", "damson", "elder", "fig"]
    assert indexer_of(fruits, other).status().dirty == 1


def test_another_model_of_the_server_is_refused_before_it_is_asked(fruits):
    with EmbeddingServer() as server:
        indexer_of(fruits, server).index(fruits.home / "docs")
        count = len(server.requests)
        with pytest.raises(
            IndexIncompatibleError, match="was made with model server:m, not server:n; set model, embedding_base"
        ):
            Indexer(
                fruits.index_dir,
                root=fruits.home,
                settings=Settings(embedding_base_url=server.url, embedding_model="n"),
            ).index(fruits.home / "docs")
    assert len(server.requests) == count


def test_an_index_of_another_embedder_is_not_continued_by_a_server(fruits):
    fruits.index()
    with EmbeddingServer() as server, pytest.raises(IndexIncompatibleError, match="model words-32, not server:m"):
        indexer_of(fruits, server).index(fruits.home / "docs")
    assert server.requests == []


def test_with_a_known_dimension_a_folder_is_found_by_words_while_the_server_is_away(fruits, monkeypatch):
    monkeypatch.setattr("indexer.models.embedding_server.RETRY_SECONDS", 0.0)
    with EmbeddingServer() as server:
        pass
    with pytest.raises(EmbeddingServerError, match="cannot be reached; start it or correct embedding_base_url"):
        indexer_of(fruits, server, embedding_dimension=16).index(fruits.home / "docs")
    engine = SearchEngine(fruits.index_dir, settings=settings_for(server))
    assert engine.search("cherry", mode="lexical")[0].section.heading == "cherry"
    assert indexer_of(fruits, server).status().dirty == 6


def test_without_a_known_dimension_no_index_is_begun_while_the_server_is_away(fruits, monkeypatch):
    monkeypatch.setattr("indexer.models.embedding_server.RETRY_SECONDS", 0.0)
    with EmbeddingServer() as server:
        pass
    with pytest.raises(EmbeddingServerError, match="cannot be reached"):
        indexer_of(fruits, server).index(fruits.home / "docs")
    with pytest.raises(IndexNotFoundError):
        indexer_of(fruits, server).status()


def test_a_rebuild_that_breaks_leaves_the_index_that_was(fruits):
    with EmbeddingServer(breaking_after(6, {"status": 400})) as server:
        indexer_of(fruits, server).index(fruits.home / "docs")
        before = vectors(fruits)
        with pytest.raises(EmbeddingServerError, match="refuses a request"):
            indexer_of(fruits, server).rebuild(fruits.home / "docs")
    after = vectors(fruits)
    assert {name: vector.tolist() for name, vector in after.items()} == {
        name: vector.tolist() for name, vector in before.items()
    }


@pytest.mark.process
@pytest.mark.slow
def test_the_commands_tell_a_broken_server_in_one_line_and_go_on_when_it_is_mended(fruits):
    with EmbeddingServer(breaking_after(1, {"status": 400})) as server:
        named = {"SECTIONARY_EMBEDDING_BASE_URL": server.url, "SECTIONARY_EMBEDDING_MODEL": "m"}
        done = run(fruits, "docs", "--quiet", **named)
    assert done.returncode == 2
    refusal = "refuses a request (HTTP 400: scripted); check embedding_model, or lower batch_tokens."
    assert done.stderr.splitlines() == [f"index: The embedding server at {server.url} {refusal}"]
    with EmbeddingServer() as server:
        named["SECTIONARY_EMBEDDING_BASE_URL"] = server.url
        assert run(fruits, "docs", "--quiet", **named).returncode == 0
        found = run(fruits, "juice of cherry", module="search", **named)
    assert (found.returncode, found.stderr) == (0, "")
    assert "docs/cherry.md" in found.stdout
