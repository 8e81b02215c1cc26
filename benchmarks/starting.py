"""What a query costs in a process of its own: CPU time of `search`, by words and hybrid, against that of `import lancedb`;
what an appended line costs until its vectors are there; and how long a query takes where a server of the index runs.

The commands take turns, each in fresh processes, so that other work on the machine meets all of them; figures are medians
of user and system time together. Vectors in the index come from a fake, since their values change no cost; queries are
embedded by the default models, from what a first run leaves in the user's cache folder.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

from fake_embedder import FakeEmbedderPair
from meters import RESULTS, provenance, save

from indexer import Indexer
from indexer.models.loading import embedder_of
from schema.protocols import QueryPreparer
from schema.settings import load_settings

HERE = Path(__file__).resolve().parent.parent
CORPUS = HERE.parent / "shared" / "corpora" / "rust-book"
QUERY = "how does ownership move into a thread"
JAPANESE = "所有権をスレッドに移すには"
#: CPU time over that of the import, at most, of each search and of an index run after one appended line.
GOALS = {"lexical": 1.4, "hybrid": 1.5, "Japanese": 1.5, "line": 1.5}


def cpu_seconds(*arguments: str | Path) -> float:
    """User and system time of a Python process with these arguments."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], cwd=HERE, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(
    commands: dict[str, tuple[str | Path, ...]], rounds: int, *, before: dict[str, Callable[[], None]]
) -> dict[str, float]:
    """Median CPU seconds of each command, after one run of each that warms the disk's caches; `before` prepares some."""
    times: dict[str, list[float]] = {name: [] for name in commands}
    for number in range(rounds + 1):
        for name, arguments in commands.items():
            before.get(name, lambda: None)()
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
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the JSON file")
    given = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package is compiled
    corpus = given.corpus if given.corpus.is_dir() else HERE / "sample_docs"
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch)
        docs, place = home / "docs", home / ".sectionary"
        shutil.copytree(corpus, docs, ignore=shutil.ignore_patterns(".*"))
        sections = Indexer(place, root=home, embedder=FakeEmbedderPair()).index(docs).sections_added
        models = embedder_of(load_settings(home, environ=os.environ))
        assert isinstance(models, QueryPreparer)
        models.prepare_queries()
        search = ("-m", "search", "--index", place, "--no-server")
        first = min(docs.rglob("*.md"))

        def append() -> None:
            first.write_text(f"{first.read_text(encoding='utf-8')}\nOne more line, {time.time_ns()}.\n", encoding="utf-8")

        found = measure(
            {
                "import": ("-c", "import lancedb"),
                "lexical": (*search, QUERY, "--mode", "lexical"),
                "hybrid": (*search, QUERY),
                "Japanese": (*search, JAPANESE),
                "line": ("-m", "indexer", docs, "--index", place, "--quiet"),
                "unchanged": ("-m", "indexer", docs, "--index", place, "--quiet"),
                "help": ("-m", "indexer", "--help"),
            },
            max(1, given.rounds),
            before={"line": append},
        )
        warm, nothing = warm_seconds(place, max(1, given.rounds))
    base = found["import"]
    print(f"{sections} sections of {corpus.name}; a process that only imports lancedb: {base:.2f} s of CPU")
    what = {
        "lexical": "a first search by words",
        "hybrid": "a first hybrid search",
        "Japanese": "a first one in Japanese",
        "line": "one appended line",
    }
    for name, goal in GOALS.items():
        ratio = found[name] / base
        print(f"{what[name]:24} {found[name]:.2f} s of CPU: ratio {ratio:.2f} (goal: at most {goal})")
    print(f"nothing changed          {found['unchanged']:.2f} s of CPU: ratio {found['unchanged'] / base:.2f}")
    print(f"a search with a server: {warm:.3f} s of wall time (goal: at most 0.15); Python alone takes {nothing:.3f} s")
    figures = {"sections": sections, "cpu_s": found, "with_server_s": warm, "python_alone_s": nothing}
    print(save("starting", {**provenance(), "corpus": corpus.name, **figures}, given.results))


if __name__ == "__main__":
    main()
