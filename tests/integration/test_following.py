"""A server reads the new versions of its index before the next question does."""

import asyncio
import shutil
import time

import pytest

from schema.requests import SearchRequest
from schema.settings import Settings
from search.answers.service import SearchService
from search.server import following
from search.sources.opening import renewed, source_of


def service_over(project):
    return SearchService(project.index_dir, settings=Settings(), embedder=project.embedder)


@pytest.fixture
def asked(manual):
    """A service over an index that it was asked of, and the project of the index, which has changed since."""
    manual.index()
    service = service_over(manual)
    found(service)
    manual.write("docs/new.md", "# New\n\nA crank of another kind.\n")
    manual.index()
    return service, manual


def follow(service, monkeypatch, seconds=0.5):
    """Let it follow for a while, and return how many versions were read in that time."""
    read = []
    monkeypatch.setattr(following, "EVERY", 0.01)
    monkeypatch.setattr("search.sources.reader.renewed", lambda *given, **more: read.append(1) or renewed(*given, **more))
    monkeypatch.setattr(
        "search.sources.reader.source_of", lambda *given, **more: read.append(1) or source_of(*given, **more)
    )

    async def run():
        task = asyncio.create_task(following.follow(service))
        end = time.monotonic() + seconds
        while time.monotonic() < end and not read:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)
        assert not task.done()
        task.cancel()

    asyncio.run(run())
    return len(read)


def found(service):
    return {hit["document_path"] for hit in service.search(SearchRequest(query="crank"))["results"]}


def test_a_new_version_is_read_once_and_before_the_next_question(asked, monkeypatch):
    service, _ = asked
    assert follow(service, monkeypatch, seconds=20) == 1
    read = []
    monkeypatch.setattr("search.sources.reader.renewed", lambda *_, **__: read.append(1))
    assert "docs/new.md" in found(service)
    assert read == []


def test_nothing_is_read_long_after_the_last_question(asked, monkeypatch):
    service, _ = asked
    service.last_asked -= following.LATELY + 1
    assert follow(service, monkeypatch) == 0
    assert "docs/new.md" in found(service)


def test_nothing_is_read_before_the_first_question(manual, monkeypatch):
    manual.index()
    assert follow(service_over(manual), monkeypatch) == 0


def test_nothing_is_read_for_requests_that_are_no_questions(manual, monkeypatch):
    manual.index()
    service = service_over(manual)
    service.prepare()
    service.documents()
    manual.write("docs/new.md", "# New\n\nA crank of another kind.\n")
    manual.index()
    service.status()
    assert follow(service, monkeypatch) == 0


def test_no_request_is_made_to_an_object_store(asked, monkeypatch):
    service, _ = asked
    monkeypatch.setattr("search.answers.service.remote_of", lambda folder: folder)
    assert follow(service, monkeypatch) == 0


def test_an_index_that_is_gone_ends_nothing(asked, monkeypatch):
    service, manual = asked
    shutil.rmtree(manual.index_dir)
    assert follow(service, monkeypatch) == 0
    manual.index()
    assert "docs/new.md" in found(service)
