"""What an index in an object store costs beside one in a folder: moto's server on loopback, with added delay to each answer.

    python -m pip install --group remote
    python benchmarks/remote.py

The documents are made by this script (a page of four sections each), vectors by a fake, so nothing here tells of a model.
A cold question is asked by a reader with an empty cache: open the index, answer one question. Warm questions follow each
other in one reader. The store is moto's server, which is written in Python and answers in milliseconds; a real store
answers in tens of them, which the added delay stands for.
"""

from __future__ import annotations

import argparse
import http.client
import json
import logging
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HERE))

from fake_embedder import FakeEmbedder  # noqa: E402
from meters import provenance, result_name  # noqa: E402
from scale import free_name  # noqa: E402

#: Milliseconds that are added to each answer of the store.
DELAYS = (0, 10, 50)
WORDS = (
    "anchor bridge copper delta engine filter garden harbor island jacket kernel ladder magnet needle orbit piston".split()
)


def serve() -> None:
    """Be the object store: print the port for each delay, until standard input ends."""
    from moto.server import ThreadedMotoServer

    from tests.remote.proxy import Proxy

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    port = server.get_host_and_port()[1]
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("PUT", "/bench")
    connection.getresponse().read()
    ports = {}
    for delay in DELAYS:
        proxy = Proxy(port)
        proxy.delay = delay / 1000
        ports[delay] = proxy.port
    print(json.dumps(ports), flush=True)
    sys.stdin.read()


@contextmanager
def store() -> Iterator[dict[str, int]]:
    """Run the object store in another process, so that it takes no time of ours."""
    with subprocess.Popen(
        [sys.executable, __file__, "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=HERE
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        yield json.loads(process.stdout.readline())
        process.stdin.close()


def page(number: int) -> str:
    """A document of four sections."""
    some = random.Random(number)
    parts = [f"# Page {number}\n"] + [
        f"## {' '.join(some.choices(WORDS, k=3))}\n\n{' '.join(some.choices(WORDS, k=80))}\n" for _ in range(3)
    ]
    return "\n".join(parts)


def measured(index: str, home: Path, questions: list[str], caches: Path) -> dict[str, Any]:
    """Index, index again without a change and after an edit, and ask cold and warm."""
    from indexer import Indexer
    from search import SearchEngine

    embedder = FakeEmbedder()
    figures: dict[str, Any] = {}

    def timed(name: str, action: Any) -> Any:
        started = time.perf_counter()
        made = action()
        figures[f"{name}_ms"] = (time.perf_counter() - started) * 1000
        return made

    os.environ["SECTIONARY_CACHE_DIR"] = str(caches / "writer")
    indexer = Indexer(index, root=home, embedder=embedder)
    timed("build", lambda: indexer.index(home / "docs"))
    timed("no_change", lambda: indexer.index(home / "docs"))
    edited = home / "docs" / "0.md"
    edited.write_text(edited.read_text() + "\nA line more.\n")
    timed("one_line_edit", lambda: indexer.index(home / "docs"))
    cold = []
    for turn, question in enumerate(questions[:5]):
        os.environ["SECTIONARY_CACHE_DIR"] = str(caches / f"reader-{turn}")
        started = time.perf_counter()
        engine = SearchEngine(index, embedder=embedder)
        engine.search(question)
        cold.append((time.perf_counter() - started) * 1000)
    figures["cold_ms"] = cold
    figures["cold_p50_ms"] = statistics.median(cold)
    warm = []
    for question in questions[5:]:
        started = time.perf_counter()
        engine.search(question)
        warm.append((time.perf_counter() - started) * 1000)
    figures |= {
        "queries": len(warm),
        "warm_p50_ms": statistics.median(warm),
        "warm_p95_ms": statistics.quantiles(warm, n=20)[18],
        "warm_max_ms": max(warm),
    }
    return figures


def main() -> int:
    """Measure a folder and the store with each delay, print a table and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=500)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--results", type=Path, default=HERE / "benchmarks" / "results", help="folder of the JSON file")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve()
        return 0
    os.environ.update(
        AWS_ACCESS_KEY_ID="bench", AWS_SECRET_ACCESS_KEY="bench", AWS_REGION="us-east-1", AWS_ALLOW_HTTP="true"
    )
    some = random.Random(7)
    questions = [" ".join(some.choices(WORDS, k=3)) for _ in range(options.queries + 5)]
    result: dict[str, Any] = {
        **provenance(),
        "options": {"documents": options.documents, "queries": options.queries, "embedder": "FakeEmbedder", "store": "moto"},
        "load_average_before": os.getloadavg()[0],
        "places": {},
    }
    with tempfile.TemporaryDirectory() as scratch, store() as ports:
        os.environ["SECTIONARY_CONFIG_DIR"] = str(Path(scratch) / "config")
        for name in ("folder", *map(str, DELAYS)):
            home = Path(scratch) / name
            (home / "docs").mkdir(parents=True)
            for number in range(options.documents):
                (home / "docs" / f"{number}.md").write_text(page(number))
            if name != "folder":
                os.environ["AWS_ENDPOINT_URL"] = f"http://127.0.0.1:{ports[name]}"
            place = str(home / "index") if name == "folder" else f"s3://bench/after-{name}-ms"
            figures = measured(place, home, questions, home / "caches")
            result["places"]["folder" if name == "folder" else f"store, {name} ms added"] = figures
            print(
                f"{name:>6}: "
                + ", ".join(f"{key} {value:.0f}" for key, value in figures.items() if isinstance(value, float))
            )
            shutil.rmtree(home)
    target = free_name(options.results, result_name("remote", result))
    target.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(target)
    return 0


if __name__ == "__main__":
    sys.exit(main())
