"""Shared by the tests of the integrations: a project with a real index."""

import os
import textwrap

import pytest

from indexer import Indexer

#: Three documents. The second question of the tests is one that none of them answers.
DOCUMENTS = {
    "guide/keys.md": """\
        ---
        title: Keys of the collector
        tags: [security]
        ---
        # Keys

        Every collector signs its batches with a key of its own.

        ## Rotate the signing key

        Rotate the signing key once a year with `collector key rotate`. Keep the old key trusted until
        the last batch that it signed has been delivered, so that no buffered data is lost.

        ## If a key has been stolen

        Revoke a stolen key at once with `collector key revoke`. Batches signed with it are refused
        from then on.
        """,
    "guide/buffer.md": """\
        # The buffer

        ## When the buffer is full

        When the buffer is full, the oldest batches are dropped first and a warning is logged.

        ## Make the buffer larger

        Set `buffer.size` in the configuration file to make the buffer larger, and restart the collector.
        """,
    "faq.md": """\
        # Questions

        ## Which ports does the collector use?

        The collector listens on port 7411 for agents and sends its batches to port 443.
        """,
}


@pytest.fixture(scope="session", autouse=True)
def _own_folders(tmp_path_factory):
    """Keep the user's own settings, caches and databases out of the tests."""
    folder = tmp_path_factory.mktemp("user")
    names = ("SECTIONARY_CONFIG_DIR", "LLM_USER_PATH")
    os.environ.update({name: str(folder / name.lower()) for name in names})


@pytest.fixture(scope="session")
def project(tmp_path_factory):
    """A folder with three documents and their index, made with the default model."""
    folder = tmp_path_factory.mktemp("project")
    for path, text in DOCUMENTS.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(textwrap.dedent(text), encoding="utf-8")
    report = Indexer(folder / ".sectionary", root=folder).index(folder)
    assert report.sections_embedded == 8
    return folder


@pytest.fixture
def in_project(project, monkeypatch):
    """Stand in the project's folder, as the snippets of the documentation do."""
    monkeypatch.chdir(project)
    return project
