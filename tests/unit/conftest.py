"""Fixtures of several files of unit tests."""

import sys

import pytest

from schema.text.analyzer import terms
from search.server.markup import section_html


@pytest.fixture
def untraced():
    """Leaves a test of long inputs out of the coverage, which would take several times as long as the test.

    What is made once for all texts is made before: else its lines were run by no other test of the same process.
    """
    section_html("\u200b", document_path="a.md")
    terms("漢字")
    tracer = sys.gettrace()
    sys.settrace(None)
    yield
    sys.settrace(tracer)


@pytest.fixture
def tree(tmp_path):
    def make(**files):
        for name, text in files.items():
            path = tmp_path / name.replace("__", "/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return tmp_path

    def write(path, text="# A\n"):
        place = tmp_path / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        return place

    make.write, make.root = write, tmp_path
    return make


@pytest.fixture
def store():
    """An object store in memory."""
    return pytest.importorskip("obstore.store", reason="the extra `remote` is not installed").MemoryStore()


@pytest.fixture
def machine(store, tmp_path, monkeypatch):
    """Makes machines that share an index in the store."""
    from schema.remote import caches, session
    from schema.remote.folders import folder_of
    from tests.machines import Machine

    machines = {}
    for module in (session, caches):
        monkeypatch.setattr(module, "objects_of", lambda remote: machines[remote.folder].objects)

    def make(name):
        monkeypatch.setenv("SECTIONARY_CACHE_DIR", str(tmp_path / name))
        made = Machine(folder_of("s3://bucket/prefix"), store)
        machines[made.folder] = made
        return made

    return make
