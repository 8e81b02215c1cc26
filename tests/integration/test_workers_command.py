"""`index --workers` as a command: what its processes load, and that Ctrl+C ends all of them without a traceback."""

import contextlib
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = [pytest.mark.process, pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")]
ROOT = Path(__file__).parents[2]
#: As a script that pip installs, but with an embedder that needs no model; a worker imports it too, under another name.
SCRIPT = """
import sys
sys.path.insert(0, ROOT)
import os, signal, time
import numpy as np
import indexer.workers.pool as pool
from indexer.sync import embedding, jobs

pool.SENT_BYTES, embedding.PORTION_TOKENS = 1, 0
times = int(os.environ.get("TIMES", 0))

def interrupt(place):
    if times and os.environ["WHERE"] == place:
        try:
            os.close(os.open("interrupted", os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return
        for _ in range(times):
            os.killpg(0, signal.SIGINT)
            time.sleep(0.05)

class Embedder:
    name, dimension, max_tokens = "few-2", 2, 24

    def token_spans(self, texts):
        return [[(0, len(text))] for text in texts]

    def coverage(self, text):
        return 1.0

    def embed_sections(self, texts):
        interrupt("job")
        time.sleep(60 if times else 0)
        return np.ones((len(texts), 2), np.float32) / np.sqrt(2)

    def embed_query(self, text):
        return np.ones(2, np.float32)

jobs.embedder_of = lambda settings: Embedder()
if __name__ == "__main__":
    from indexer.cli import main
    main()
else:
    interrupt("start")
"""


@pytest.fixture
def folder(tmp_path):
    """A folder with documents, from which the command is run, and the script in a folder of its own."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "index").write_text(SCRIPT.replace("ROOT", repr(str(ROOT))))
    (tmp_path / "work").mkdir()
    for number in range(6):
        (tmp_path / "work" / f"{number}.md").write_text(f"# Page {number}\n\nText of the page.\n")
    return tmp_path / "work"


def run(folder, **environment):
    """The end of the command, and the numbers of its processes that are left after it."""
    mark = f"RUN_OF={folder}"
    own = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    told = subprocess.run(
        [sys.executable, folder.parent / "bin" / "index", ".", "--workers", "2", "--model", "few-2"],
        cwd=folder,
        env={**own, **environment, "RUN_OF": str(folder)},
        capture_output=True,
        check=False,
        start_new_session=True,
        text=True,
        timeout=50,
    )
    deadline = time.monotonic() + 5  # what keeps Python's records of shared memory notices the end after it
    while (left := processes_with(mark.encode())) and time.monotonic() < deadline:
        time.sleep(0.05)
    return told, left


def processes_with(mark):
    found = []
    for place in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if mark in place.read_bytes().split(b"\0"):
                found.append(place.parent.name)
    return found


def test_no_process_loads_a_module_from_the_working_folder(folder):
    for name in ("socket", "selectors", "struct", "pickle", "signal", "threading", "tempfile"):
        (folder / f"{name}.py").write_text("open('came-alive', 'a').write(__name__)\nraise SystemExit(9)\n")
    told, left = run(folder)
    assert not (folder / "came-alive").exists()
    assert (told.returncode, left) == (0, [])
    assert "6 embedded" in told.stdout


@pytest.mark.parametrize(("where", "times"), [("start", "1"), ("job", "2")])
def test_an_interruption_while_workers_start_or_work_is_one_sentence_and_leaves_none(folder, where, times):
    begun = time.monotonic()
    told, left = run(folder, WHERE=where, TIMES=times)
    assert time.monotonic() - begun < 30  # nobody waits for a job, which takes a minute
    assert (told.returncode, left) == (130, [])
    assert [line for line in told.stderr.splitlines() if line and not line.startswith("index: ")] == []
