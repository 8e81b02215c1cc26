"""What a query costs beyond embedding it, at ten thousand sections, against LanceDB's own bare hybrid query in the same run.

Documents are the real ones beside the project; vectors come from a fake, since their values change no cost. Figures are
medians of wall time; the two kinds of query take turns, so that other work on the machine meets both.
"""

from __future__ import annotations

import argparse
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import lancedb
import pyarrow as pa
from fake_embedder import FakeEmbedder
from lancedb.index import FTS
from meters import RESULTS, provenance, save

from indexer import Indexer
from schema.index_files.layout import store_dir
from schema.storage.table import SectionTable
from search import SearchEngine

HERE = Path(__file__).resolve().parent.parent
CORPORA = HERE.parent / "shared" / "corpora"
LIMIT = 10


def timed(action: Callable[[], object]) -> float:
    """Milliseconds of wall time."""
    started = time.perf_counter()
    action()
    return (time.perf_counter() - started) * 1000


def bare_table(place: Path, folder: Path) -> lancedb.table.Table:
    """A plain LanceDB table of the same sections: heading and text in one indexed column, one vector each."""
    contents = SectionTable.open(store_dir(place)).contents(["heading", "content", "vector"])
    text = ["\n".join(row.values()) for row in contents.select(["heading", "content"]).to_pylist()]
    table = lancedb.connect(folder).create_table("bare", pa.table({"text": text, "vector": contents["vector"]}))
    table.create_index("text", config=FTS())
    return table


def main() -> int:
    """Index, ask, and print the medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--sections", type=int, default=10_000)
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the JSON file")
    options = parser.parse_args()
    if not CORPORA.is_dir():
        print("the corpora of real documentation are not beside the project: nothing to measure")
        return 0
    embedder = FakeEmbedder()
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch)
        total = 0
        for source in sorted(CORPORA.rglob("*.md")):
            target = home / "docs" / source.relative_to(CORPORA)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
        Indexer(home / "index", root=home, embedder=embedder).index(home / "docs")
        documents = SearchEngine(home / "index", embedder=embedder).documents()
        kept = []
        random.Random(4).shuffle(documents)
        for document in documents:
            if total < options.sections:
                kept.append(document.path)
                total += document.section_count
        for document in documents[len(kept) :]:
            (home / document.path).unlink()
        Indexer(home / "index", root=home, embedder=embedder).index(home / "docs")

        opened = time.perf_counter()
        engine = SearchEngine(home / "index", embedder=embedder)
        engine.search("warm up", limit=LIMIT)
        opened = (time.perf_counter() - opened) * 1000
        bare = bare_table(home / "index", home / "bare")
        outlines = [link.heading for path in kept for link in engine.outline(path) if len(link.heading.split()) > 2]
        questions = random.Random(5).sample(outlines, options.queries)
        ours, theirs, embedding = [], [], []
        for question in questions:
            vector = embedder.embed_query(question)
            query = bare.search(query_type="hybrid").vector(vector).text(question.replace('"', " ")).limit(LIMIT)
            embedding.append(timed(partial(embedder.embed_query, question)))
            ours.append(timed(partial(engine.search, question, limit=LIMIT)))
            theirs.append(timed(query.to_list))
        own = [whole - part for whole, part in zip(ours, embedding, strict=True)]
        p50, p95, other = statistics.median(own), statistics.quantiles(own, n=20)[18], statistics.median(theirs)
        print(f"{total} sections: opened and first answer in {opened:.0f} ms")
        print(
            f"{len(own)} hybrid queries, {LIMIT} hits with context: {p50:.1f} ms median beyond embedding, {p95:.1f} at the "
            f"95th percentile (goal: 25); LanceDB's bare hybrid query {other:.1f} ms, ratio {p50 / other:.2f} (goal: 2)"
        )
    figures = {"sections": total, "queries": len(own), "p50_ms": p50, "p95_ms": p95, "over_bare_query": p50 / other}
    print(save("querying", {**provenance(), **figures}, options.results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
