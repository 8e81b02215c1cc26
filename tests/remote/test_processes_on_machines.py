"""Several processes with caches of their own over one index in an object store: killed, waiting for each other, reading."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from schema.index_files.layout import store_dir
from schema.storage.table import SectionTable
from tests.fork_server import write
from tests.integration.test_crashes import revisions
from tests.remote.machines import LEASE

pytestmark = pytest.mark.process

SCRIPT = Path(__file__).with_name("machines.py")
#: How often both writers are killed; more are asked for by the environment.
ROUNDS = int(os.environ.get("ROUNDS", "3"))


@pytest.fixture
def machine(tmp_path, address):
    """Starts a process with empty caches of its own."""
    started = []

    def start(name, *arguments):
        environment = {**os.environ, "SECTIONARY_CACHE_DIR": str(tmp_path / name / "cache"), "COVERAGE_PROCESS_START": ""}
        command = [sys.executable, str(SCRIPT), arguments[0], address, *map(str, arguments[1:])]
        started.append(subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()


def size(file):
    return file.stat().st_size if file.exists() else 0


def test_reader_on_another_machine_sees_a_commit_within_a_second(manual, machine, tmp_path):
    manual.index()
    (tmp_path / "reader").mkdir()
    reader = machine("reader", "see", tmp_path / "reader", "zeppelin")
    assert reader.stdout.readline() == "ready\n"
    manual.write("docs/air.md", "# Air\n\nA zeppelin flies.\n")
    manual.indexer().scan(manual.home / "docs")  # which is searchable once it returns, and some moments before
    committed = time.time()
    assert float(reader.stdout.readline()) - committed < 1


def test_killed_writers_of_two_machines_lose_nothing_acknowledged(project, machine, tmp_path, monkeypatch):
    chance = random.Random(20261123)
    acknowledged = tmp_path / "acknowledged"
    for name in "abcd":
        write(project.home, name, 0)
    project.index()
    first = 0
    for turn in range(ROUNDS):
        writers = [machine(f"{names}-{turn}", "write", project.home, names, first, acknowledged) for names in ("ab", "cd")]
        before, end = size(acknowledged), time.monotonic() + 60
        while size(acknowledged) == before and time.monotonic() < end:
            time.sleep(0.05)
        time.sleep(chance.uniform(0, 2))
        for writer in writers:
            writer.send_signal(signal.SIGKILL)
            writer.wait()
        time.sleep(LEASE + 1.5)
        rows = list(SectionTable.open(store_dir(project.index_dir)).snapshot().everything())
        assert len({row.section.id for row in rows}) == len(rows)
        there = revisions([row.section for row in rows])
        promised = {}
        for line in acknowledged.read_text().splitlines():
            name, revision = line.split()
            promised[f"docs/{name}.md"] = int(revision)
        assert promised
        assert all(there[path] >= revision for path, revision in promised.items())
        first = max(first, *there.values()) + 10
        report = project.index(wait=10)
        assert report.failed == []
    assert project.indexer().verify().differences == ()
    print(f"{2 * ROUNDS} kills: {len(acknowledged.read_text().splitlines())} acknowledged revisions, 0 lost")
