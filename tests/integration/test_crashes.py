"""Processes killed at any moment, and several of them at once: nothing half, nothing lost, nothing twice."""

import os
import random
import signal
import threading
import time
from collections import Counter

import pytest

from schema.errors import IndexNotFoundError
from schema.index_files.layout import store_dir
from schema.storage.table import SectionTable
from tests.fork_server import ForkServer, indexer, write
from tests.integration.test_edits import facts

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"), pytest.mark.process]

#: More of both are asked for by the environment: KILLS=200 ROUNDS=200 pytest -s tests/integration/test_crashes.py
KILLS = int(os.environ.get("KILLS", "8"))
ROUNDS = int(os.environ.get("ROUNDS", "3"))


@pytest.fixture(scope="module")
def fork_server():
    fork_server = ForkServer()
    yield fork_server
    fork_server.close()


def stored(home, name=".sectionary"):
    table = SectionTable.open(store_dir(home / name))
    rows = list(table.snapshot().everything())
    return {row.section.id: row for row in rows}, Counter(row.section.id for row in rows)


def revisions(sections):
    """The revision of each document, after checking that all its sections are of that one and all are there."""
    found = {}
    for section in sections:
        words = section.content.replace(",", "").split()
        at = words.index("revision")
        found.setdefault(section.document_path, []).append((int(words[at + 1]), int(words[at + 3])))
    for path, states in found.items():
        assert len(set(states)) == 1, f"{path} is a mix: {states}"
        assert len(states) == states[0][1], f"{path} has {len(states)} of {states[0][1]} sections"
    return {path: states[0][0] for path, states in found.items()}


class SearchClient(threading.Thread):
    """Searches without a pause; keeps what went wrong."""

    def __init__(self, home, embedder):
        super().__init__(daemon=True)
        self.home, self.embedder = home, embedder
        self.wrong, self.searches, self.over = [], 0, False

    def run(self):
        from search import SearchEngine

        engine = SearchEngine(self.home / ".sectionary", embedder=self.embedder)
        while not self.over:
            try:
                revisions([hit.section for hit in engine.search("marker", mode="lexical", limit=500)])
                self.searches += 1
            except Exception as error:  # noqa: BLE001 — whatever it is, the test tells
                self.wrong.append(repr(error))


def test_two_killed_writers_leave_whole_documents_and_lose_nothing_acknowledged(project, fork_server, tmp_path_factory):
    chance = random.Random(20261121)
    acknowledged = project.home / "acknowledged"
    for name in "abcdef":
        write(project.home, name, 0)
    started = time.monotonic()
    fork_server.wait(fork_server.start("index_once", home=project.home, folder="docs"))
    a_run = min(1.0, time.monotonic() - started)  # seconds; a busy machine may take ten times as long
    reader = SearchClient(project.home, project.embedder)
    reader.start()
    first = 0
    kills = 0
    while kills < KILLS:
        args = {"home": project.home, "first": first, "acknowledged": acknowledged}
        writers = [
            fork_server.start("edit_and_index", seed=kills + i, names=half, **args) for i, half in enumerate(("abc", "def"))
        ]
        for pid in chance.sample(writers, 2):
            time.sleep(chance.uniform(0, 2 * a_run))
            os.kill(pid, signal.SIGKILL)
            assert fork_server.wait(pid) == -signal.SIGKILL
            kills += 1
        rows, times = stored(project.home)
        assert set(times.values()) == {1}
        there = revisions([row.section for row in rows.values()])
        promised = {}
        for line in acknowledged.read_text().splitlines() if acknowledged.exists() else []:
            name, revision = line.split()
            promised[f"docs/{name}.md"] = int(revision)
        assert all(there[path] >= revision for path, revision in promised.items())
        first = max(first, *there.values()) + 10
        # the next run makes of it what a clean rebuild makes
        indexer(project.home, wait=30).index(project.home / "docs")
        rows, _ = stored(project.home)
        clean = tmp_path_factory.mktemp("clean")
        from indexer import Indexer

        Indexer(clean / ".sectionary", root=project.home, embedder=project.embedder).index(project.home / "docs")
        expected, _ = stored(clean)
        assert {identity: facts(row) for identity, row in rows.items()} == {
            identity: facts(row) for identity, row in expected.items()
        }
    reader.over = True
    reader.join()
    assert (reader.wrong, reader.searches > KILLS / 2) == ([], True)
    assert not list(project.index_dir.glob("store.*"))
    assert indexer(project.home).verify().differences == ()
    promises = len(acknowledged.read_text().splitlines()) if acknowledged.exists() else 0  # on a machine that is too busy
    print(
        f"{kills} kills of two writers: {promises} acknowledged revisions, 0 lost; {reader.searches} searches, 0 half documents"
    )


def test_two_writers_on_one_folder_make_each_section_once(project, fork_server):
    for turn in range(ROUNDS):
        for name in "abcd":
            write(project.home, name, turn)
        both = [fork_server.start("index_once", home=project.home, folder="docs") for _ in range(2)]
        assert [fork_server.wait(pid) for pid in both] == [0, 0]
        rows, times = stored(project.home)
        assert set(times.values()) == {1}
        assert revisions([row.section for row in rows.values()]) == {f"docs/{name}.md": turn for name in "abcd"}
        assert not any(row.section.is_dirty for row in rows.values())


def test_two_writers_on_two_folders_lose_no_update(project, fork_server):
    for turn in range(ROUNDS):
        for folder in ("one", "two"):
            for name in "abc":
                write(project.home / folder, name, turn)
        both = [fork_server.start("index_once", home=project.home, folder=f"{folder}/docs") for folder in ("one", "two")]
        assert [fork_server.wait(pid) for pid in both] == [0, 0]
        rows, times = stored(project.home)
        assert set(times.values()) == {1}
        expected = {f"{folder}/docs/{name}.md": turn for folder in ("one", "two") for name in "abc"}
        assert revisions([row.section for row in rows.values()]) == expected


def test_index_that_was_never_finished_is_no_index(project, fork_server):
    for name in "abcdef":
        write(project.home, name, 0)
    for kill in range(10):
        pid = fork_server.start("edit_and_index", home=project.home, seed=kill, first=kill, acknowledged=project.home / "a")
        time.sleep(kill * 0.02)
        os.kill(pid, signal.SIGKILL)
        fork_server.wait(pid)
        try:
            engine = project.engine()
        except IndexNotFoundError:
            continue
        revisions([hit.section for hit in engine.search("marker", mode="lexical", limit=100)])
