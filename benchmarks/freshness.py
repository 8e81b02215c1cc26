"""What keeping an index fresh costs: runs without changes, and thousands of one-section edits, one run and commit each.

Vectors come from a fake that needs no model but has its name and dimension: embedding is measured in `indexing.py`, here
only the index is. Every figure is a ratio within this one run, or CPU time beyond process start and imports.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from fake_embedder import FakeEmbedder
from meters import RESULTS, Figures, provenance, save

from indexer import Indexer
from schema.index_files.layout import store_dir
from schema.storage.maintenance import disk_bytes
from schema.storage.table import SectionTable
from search import SearchEngine

HERE = Path(__file__).resolve().parent.parent
CORPORA = HERE.parent / "shared" / "corpora"
QUESTIONS = (
    "how does ownership move into a thread",
    "trait objects and generics",
    "handling errors with result",
    "closures",
)
UNCHANGED = """
import json, sys, time
from indexer import Indexer
import indexer.pipeline, schema.storage.table
times = []
for _ in range(5):
    started = time.process_time()
    report = Indexer(sys.argv[1], root=sys.argv[2]).index(sys.argv[2])
    times.append(time.process_time() - started)
print(json.dumps([report.documents_unchanged, report.sections_embedded, times, "torch" in sys.modules]))
"""


def measure_unchanged(folder: Path, place: Path) -> Figures:
    """The CPU time of index runs that find nothing to do."""
    indexer = Indexer(place / "index", root=folder, embedder=FakeEmbedder())
    report = indexer.index(folder)
    time.sleep(2.1)  # younger files are read again, since their times cannot be trusted yet
    indexer.index(folder)
    done = subprocess.run(
        [sys.executable, "-c", UNCHANGED, place / "index", folder], capture_output=True, text=True, check=True
    )
    unchanged, embedded, times, has_torch = json.loads(done.stdout)
    seconds = statistics.median(times)
    print(
        f"no-change run over {unchanged} files ({report.sections_added} sections, {embedded} embedded): "
        f"{seconds:.2f} s of CPU beyond start and imports (goal: at most 0.5), torch imported: {has_torch}"
    )
    return {"files": unchanged, "sections": report.sections_added, "cpu_s": seconds, "has_torch": has_torch}


def latency(engine: SearchEngine, rounds: int) -> float:
    """Median seconds of a warm hybrid query with ten hits and their context."""
    times = []
    for i in range(rounds):
        started = time.perf_counter()
        engine.search(QUESTIONS[i % len(QUESTIONS)])
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def measure_edits(corpus: Path, place: Path, edits: int) -> Figures:
    """How query latency and disk fare under one-section edits, one index run and commit each."""
    shutil.copytree(corpus, place / "docs")
    files = sorted(path for path in (place / "docs").rglob("*.md") if not any(p.startswith(".") for p in path.parts[1:]))
    indexer = Indexer(place / "index", root=place, embedder=FakeEmbedder())
    indexer.index(place / "docs")
    indexer.optimize()
    engine = SearchEngine(place / "index", embedder=FakeEmbedder())
    latency(engine, 20)
    before = latency(engine, 200)
    table = SectionTable.open(store_dir(place / "index"))
    chance = random.Random(1)
    highest, embedded, started = 0.0, 0, time.perf_counter()
    for i in range(edits):
        with chance.choice(files).open("a") as stream:
            stream.write(f"\nedit number {i}\n")
        embedded += indexer.index(place / "docs").sections_embedded
        if i % 10 == 9:
            highest = max(highest, disk_bytes(place / "index") / table.statistics().data_bytes)
    taken = time.perf_counter() - started
    after = latency(engine, 200)
    shape = table.statistics()
    used = disk_bytes(place / "index")
    print(
        f"{edits} edits ({embedded} sections embedded, {taken / edits:.2f} s each): query latency {before * 1e3:.0f} → "
        f"{after * 1e3:.0f} ms, ratio {after / before:.2f} (goal: at most 1.5); disk {used / 1e6:.1f} MB for "
        f"{shape.data_bytes / 1e6:.1f} MB of data, ratio {used / shape.data_bytes:.2f} at the end and {highest:.2f} at most "
        "(goal: at most 3)"
    )
    return {
        "edits": edits,
        "seconds_each": taken / edits,
        "query_before_ms": before * 1e3,
        "query_after_ms": after * 1e3,
        "disk_over_data_at_end": used / shape.data_bytes,
        "disk_over_data_at_most": highest,
    }


def main() -> None:
    """Measure over the shared corpora, or over the folder given."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpora", type=Path, default=CORPORA)
    parser.add_argument("--corpus", type=Path, default=CORPORA / "rust-book")
    parser.add_argument("--edits", type=int, default=2000)
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the JSON file")
    arguments = parser.parse_args()
    corpora = arguments.corpora if arguments.corpora.is_dir() else HERE / "sample_docs"
    corpus = arguments.corpus if arguments.corpus.is_dir() else HERE / "sample_docs"
    with tempfile.TemporaryDirectory() as place:
        unchanged = measure_unchanged(corpora, Path(place))
    with tempfile.TemporaryDirectory() as place:
        edits = measure_edits(corpus, Path(place), arguments.edits)
    print(save("freshness", {**provenance(), "unchanged": unchanged, "edits": edits}, arguments.results))


if __name__ == "__main__":
    main()
