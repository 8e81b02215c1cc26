"""Engines and indexers are closed: what they hold is released, and later use says so."""

import gc
import os
import threading
import weakref

import pytest

from schema.errors import ClosedError, SectionaryError
from schema.index_files.stored_links import StoredLinks
from tests.conftest import GUIDE, Project, WordEmbedder


@pytest.fixture(scope="module")
def indexed(tmp_path_factory):
    """A project that no test changes."""
    project = Project(tmp_path_factory.mktemp("closing"), WordEmbedder())
    project.write("docs/guide.md", GUIDE)
    project.write("docs/links.md", "# Links\n\nSee [the guide](guide.md).\n")
    project.index()
    return project


def open_files(folder):
    """The files below a folder that this process has open."""
    places = []
    for each in os.listdir("/proc/self/fd"):
        try:
            places.append(os.readlink(f"/proc/self/fd/{each}"))
        except OSError:
            continue
    return [place for place in places if place.startswith(str(folder))]


def test_an_engine_is_closed_at_the_end_of_with(indexed):
    with indexed.engine() as engine:
        assert engine.search("crank")
        assert not engine.is_closed
    assert engine.is_closed


@pytest.mark.parametrize(
    "use",
    [
        lambda engine: engine.search("crank"),
        lambda engine: engine.context("crank"),
        lambda engine: engine.get_section("0" * 24),
        lambda engine: engine.section_links("docs/guide.md"),
        lambda engine: engine.outline("docs/guide.md"),
        lambda engine: engine.translations("docs/guide.md"),
        lambda engine: engine.documents(),
        lambda engine: engine.roots(),
        lambda engine: engine.window_tokens,
        lambda engine: engine.prepare(),
        lambda engine: engine.__enter__(),
    ],
)
def test_a_closed_engine_says_so(indexed, use):
    engine = indexed.engine()
    engine.close()
    with pytest.raises(ClosedError, match=r"^This SearchEngine is closed; make a new one\.$"):
        use(engine)


@pytest.mark.parametrize(
    "use",
    [
        lambda indexer: indexer.index("docs"),
        lambda indexer: indexer.scan(),
        lambda indexer: indexer.process_dirty(),
        lambda indexer: indexer.summarize(),
        lambda indexer: indexer.add_root("docs"),
        lambda indexer: indexer.remove_root("docs"),
        lambda indexer: indexer.rebuild(),
        lambda indexer: indexer.status(),
        lambda indexer: indexer.verify(),
        lambda indexer: indexer.optimize(),
        lambda indexer: indexer.roots,
    ],
)
def test_a_closed_indexer_says_so(indexed, use):
    with indexed.indexer() as indexer:
        pass
    with pytest.raises(ClosedError, match=r"^This Indexer is closed; make a new one\.$"):
        use(indexer)


def test_closing_again_does_nothing(indexed):
    engine, indexer = indexed.engine(), indexed.indexer()
    for each in (engine, indexer, engine, indexer):
        each.close()
    assert (engine.is_closed, indexer.is_closed) == (True, True)


def test_an_error_inside_with_comes_out_and_closes(indexed):
    with pytest.raises(SectionaryError, match="query must be a text"), indexed.engine() as engine:
        engine.search(3)
    assert engine.is_closed


def test_closing_drops_the_index_in_memory_and_closes_its_files(indexed, monkeypatch):
    links = []
    monkeypatch.setattr("search.context.links.StoredLinks", lambda *a, **k: links.append(StoredLinks(*a, **k)) or links[-1])
    engine = indexed.engine()
    hit = engine.search("links guide")[0]
    assert hit.links
    held = weakref.ref(engine.source())
    assert open_files(indexed.index_dir)
    engine.close()
    gc.collect()
    assert (held(), open_files(indexed.index_dir)) == (None, [])
    assert links  # their file is closed although somebody still has them


def test_closing_releases_the_model(indexed):
    embedder = WordEmbedder()
    known = weakref.ref(embedder)
    engine, indexer = indexed.engine(embedder=embedder), indexed.indexer(embedder=embedder)
    engine.search("crank")
    del embedder
    engine.close()
    indexer.close()
    gc.collect()
    assert known() is None


def test_the_links_of_a_hit_need_an_open_engine(indexed):
    with indexed.engine() as engine:
        hit = engine.search("links guide")[0]
    assert hit.section.document_path == "docs/links.md"
    with pytest.raises(ClosedError):
        hit.links  # noqa: B018


def test_a_closed_engine_still_lacks_what_it_never_had(indexed):
    engine = indexed.engine()
    engine.close()
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        engine.nonsense  # noqa: B018


def test_repr_names_the_index_and_whether_it_is_closed(indexed):
    engine, indexer = indexed.engine(), indexed.indexer()
    assert repr(engine) == f"SearchEngine({str(indexed.index_dir)!r})"
    assert repr(indexer) == f"Indexer({str(indexed.index_dir)!r}, root={str(indexed.home)!r})"
    engine.close()
    assert repr(engine) == f"<closed SearchEngine({str(indexed.index_dir)!r})>"


def test_threads_that_search_meanwhile_end_or_say_that_it_is_closed(indexed):
    engine = indexed.engine()
    seen, begun = [], threading.Barrier(5)

    def ask():
        try:
            seen.append(engine.search("apples")[0].section.heading)
            begun.wait()
            while True:
                seen.append(engine.search("apples")[0].section.heading)
        except ClosedError as error:
            seen.append(type(error))
        except BaseException as error:  # noqa: BLE001 — anything else is the fault
            seen.append(error)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    begun.wait()
    engine.close()
    for thread in threads:
        thread.join(30)
    assert seen.count(ClosedError) == 4
    assert set(seen) <= {ClosedError, "First child"}
