"""Sixteen clients at once on real documentation while its index is written anew: who asks is answered, and memory stays flat."""

import os
import random
import shutil
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.conftest import Project
from tests.served import Stand, served

BOOK = Path(__file__).parents[3] / "shared" / "corpora" / "rust-book"
CLIENTS, SECONDS = 16, 20.0
QUERIES = [
    "how do I borrow a value mutably", "what is a trait object", "match on an enum", "lifetime annotations in structs",
    "share state between threads", "closures capture their environment", "error handling with the question mark",
    "cargo workspaces", "smart pointers", "async and await", "iterators are lazy", "unsafe rust", "macros", "test organization",
]  # fmt: skip

pytestmark = pytest.mark.slow


def resident(process):
    """Bytes of memory that a process holds."""
    return int(Path(f"/proc/{process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not BOOK.is_dir(), reason="the corpora of real documentation are not beside the project")
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the memory of a process is read from /proc")
def test_many_clients_are_answered_while_the_index_is_written(tmp_path, capsys):
    shutil.copytree(BOOK, tmp_path / "book")
    project = Project(tmp_path, Stand())
    project.index("book")
    times, statuses, faults = [], Counter(), []
    with served(project) as (process, site):
        for query in QUERIES:
            site.get(f"/api/search?q={quote(query)}")
        begun_at = time.monotonic()
        end = begun_at + SECONDS

        def ask(seed):
            rng = random.Random(seed)
            while time.monotonic() < end:
                kind = rng.random()
                words = quote(f"{rng.choice(QUERIES)} {rng.randrange(50)}")
                path = (
                    f"/api/context?q={words}" if kind < 0.1 else "/api/documents" if kind < 0.2 else f"/api/search?q={words}"
                )
                begun = time.perf_counter()
                try:
                    reply = site.get(path)
                except OSError as error:
                    faults.append(repr(error))
                    continue
                times.append(time.perf_counter() - begun)
                statuses[reply.status] += 1

        clients = [threading.Thread(target=ask, args=(seed,)) for seed in range(CLIENTS)]
        for client in clients:
            client.start()
        for path in sorted((tmp_path / "book").rglob("*.md")):
            path.write_text(path.read_text() + "\nOne more line.\n")
        writer = subprocess.Popen(
            [sys.executable, "-P", "-m", "indexer", "book", "--quiet"], cwd=tmp_path, stdout=subprocess.DEVNULL
        )
        time.sleep(max(0.0, begun_at + SECONDS / 4 - time.monotonic()))  # by then every thread has its own memory
        before = resident(process)
        for client in clients:
            client.join()
        wrote_all_the_time = writer.poll() is None
        writer.kill()
        writer.wait()
        after = resident(process)
    times.sort()
    with capsys.disabled():
        print(
            f"\n{CLIENTS} clients for {SECONDS:.0f} s: {len(times)} answers {dict(statuses)}, median "
            f"{statistics.median(times) * 1000:.0f} ms, 95th percentile {times[int(len(times) * 0.95)] * 1000:.0f} ms; the "
            f"server held {before / 1e6:.0f} MB after a quarter of that and {after / 1e6:.0f} MB at the end; a writer at work "
            f"{'all the time' if wrote_all_the_time else 'for a part of it'}"
        )
    assert faults == []
    assert set(statuses) <= {200, 503}
    assert statuses[200] > CLIENTS
    assert after < 1.25 * before + 64e6
