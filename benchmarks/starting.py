"""What a query costs in a process of its own: CPU time of `search`, by words and hybrid, against that of `import lancedb`;
and how long one takes where a server of the index runs.

The commands take turns, each in fresh processes, so that other work on the machine meets all of them; figures are medians
of user and system time together. Vectors in the index come from a stand-in, since their values change no cost; queries are
embedded by the default model's graph, which a first search exports unless the user's cache folder has it.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from standin import StandIn

from indexer import Indexer
from indexer.embedder import SentenceTransformerEmbedder
from schema.settings import load_settings

HERE = Path(__file__).resolve().parent.parent
CORPUS = HERE.parent / "shared" / "corpora" / "rust-book"
QUERY = "how does ownership move into a thread"
#: CPU time of a search over that of the import, at most.
GOALS = {"lexical": 1.4, "hybrid": 2.0}


def cpu_seconds(*arguments: str | Path) -> float:
    """User and system time of a Python process with these arguments."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], cwd=HERE, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(commands: dict[str, tuple[str | Path, ...]], rounds: int) -> dict[str, float]:
    """Median CPU seconds of each command, after one run of each that warms the disk's caches."""
    times: dict[str, list[float]] = {name: [] for name in commands}
    for number in range(rounds + 1):
        for name, arguments in commands.items():
            taken = cpu_seconds(*arguments)
            if number:
                times[name].append(taken)
    return {name: statistics.median(each) for name, each in times.items()}


def warm_seconds(place: Path, rounds: int) -> tuple[float, float]:
    """Median wall time of `search` beside a running server, and of a Python process that does nothing."""
    command = [Path(sys.executable).parent / "search", QUERY, "--index", place]
    serve = [sys.executable, "-m", "search", "serve", "--port", "0", "--index", place]
    with subprocess.Popen(serve, cwd=HERE, stderr=subprocess.PIPE, text=True) as server:
        try:
            url = server.stderr.readline().split(" at ")[1].split()[0]
            with urllib.request.urlopen(f"{url}readyz") as ready:
                ready.read()
            times: tuple[list[float], list[float]] = ([], [])
            for number in range(3 * rounds + 1):
                for taken, arguments in zip(times, (command, [sys.executable, "-c", "pass"]), strict=True):
                    begun = time.perf_counter()
                    subprocess.run(arguments, cwd=HERE, stdout=subprocess.DEVNULL, check=True)
                    if number:
                        taken.append(time.perf_counter() - begun)
        finally:
            server.terminate()
    return statistics.median(times[0]), statistics.median(times[1])


def main() -> None:
    """Index a book, ask in fresh processes, and print what that took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, default=CORPUS, help="folder of Markdown files to index")
    parser.add_argument("--rounds", type=int, default=7, help="processes of each kind")
    given = parser.parse_args()
    corpus = given.corpus if given.corpus.is_dir() else HERE / "sample_docs"
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch) / "index"
        sections = Indexer(place, root=corpus, embedder=StandIn()).index(corpus).sections_added
        SentenceTransformerEmbedder.of(load_settings(place.parent, environ=os.environ)).prepare_queries()
        search = ("-m", "search", QUERY, "--index", place, "--no-server")
        found = measure(
            {"import": ("-c", "import lancedb"), **{mode: (*search, "--mode", mode) for mode in GOALS}}, max(1, given.rounds)
        )
        warm, nothing = warm_seconds(place, max(1, given.rounds))
    base = found["import"]
    print(f"{sections} sections of {corpus.name}; a process that only imports lancedb: {base:.2f} s of CPU")
    for mode, goal in GOALS.items():
        print(f"a first {mode:7} search   {found[mode]:.2f} s of CPU: ratio {found[mode] / base:.2f} (goal: at most {goal})")
    print(f"a search with a server: {warm:.3f} s of wall time (goal: at most 0.15); Python alone takes {nothing:.3f} s")


if __name__ == "__main__":
    main()
