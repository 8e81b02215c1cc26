"""What `scale.py` measures in processes of their own: `probes.py NAME HOME QUESTIONS` does one thing and prints JSON.

HOME holds `docs` and `index`. Vectors come from a fake whose own time is left out where a figure says so. Megabytes are
millions of bytes.
"""

from __future__ import annotations

import argparse
import importlib
import json
import random
import shutil
import statistics
import uuid
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from meters import Figures, Timed, memory, timed

LIMIT = 10
_ROWS = 2000
_ROUNDS = 5


def _start() -> Figures:
    """Memory of this process once the libraries are loaded that every index needs."""
    for name in ("lancedb", "pyarrow", "numpy"):
        importlib.import_module(name)
    return memory()


def _embedder() -> Timed:
    from fake_embedder import HashedWordsPair

    return Timed(HashedWordsPair())


def _indexer(home: Path, embedder: Any) -> Any:
    from indexer import Indexer
    from schema.memory import share_heaps

    share_heaps()  # as the command does
    return Indexer(home / "index", root=home, embedder=embedder)


def build(home: Path) -> Figures:
    """A first index run over all documents."""
    embedder = _embedder()
    indexer = _indexer(home, embedder)
    before = _start()
    report, wall, cpu = timed(partial(indexer.index, home / "docs"))
    sections = report.sections_added
    return {
        "sections": sections,
        "documents": report.documents_added,
        "failed_documents": len(report.failed),
        "vectors_reused": report.vectors_reused,
        "wall_s": wall,
        "cpu_s": cpu,
        "embedder_cpu_s": embedder.cpu,
        "sections_per_s": sections / wall,
        "cpu_ms_per_section_without_model": (cpu - embedder.cpu) / sections * 1000,
        "phases_wall_s": dict(report.timings),
        "peak_mb_above_start": _above(memory()["peak_mb"], before),
        "start_mb": before["resident_mb"],
    }


def unchanged(home: Path) -> Figures:
    """Index runs that find nothing to do, after one that reads files again that were too young to trust their times."""
    indexer = _indexer(home, _embedder())
    indexer.index(home / "docs")
    runs = [timed(partial(indexer.index, home / "docs")) for _ in range(3)]
    assert all(report.sections_added == report.sections_embedded == 0 for report, _, _ in runs)
    return {
        "wall_s": statistics.median(wall for _, wall, _ in runs),
        "cpu_s": statistics.median(cpu for _, _, cpu in runs),
        "peak_mb": memory()["peak_mb"],
    }


def cold(home: Path, questions: Sequence[str]) -> Figures:
    """A first answer, as the command gives it; the time of the whole process is taken by who starts it."""
    from fake_embedder import HashedWordsPair

    from search import SearchEngine

    hits = SearchEngine(home / "index", embedder=HashedWordsPair(), once=True).search(questions[0], limit=LIMIT)
    return {"hits": len(hits), "peak_mb": memory()["peak_mb"]}


def warm(home: Path, questions: Sequence[str]) -> Figures:
    """Different hybrid queries, one after the other, beyond embedding; and the memory that they leave."""
    from schema.memory import share_heaps
    from search import SearchEngine

    share_heaps()  # as a server does
    embedder = _embedder()
    before = _start()
    engine, opened, _ = timed(partial(SearchEngine, home / "index", embedder=embedder))
    _, first, first_cpu = timed(partial(engine.search, "warm up", limit=LIMIT))
    own, cpus, found = [], [], 0
    for question in questions:
        embedding = embedder.wall, embedder.cpu
        hits, wall, cpu = timed(partial(engine.search, question, limit=LIMIT))
        own.append((wall - embedder.wall + embedding[0]) * 1000)
        cpus.append((cpu - embedder.cpu + embedding[1]) * 1000)
        found += bool(hits)
    after = memory()
    return {
        "queries": len(own),
        "queries_with_hits": found,
        "open_and_first_query_wall_ms": (opened + first) * 1000,
        "first_query_cpu_ms": first_cpu * 1000,
        "p50_ms": statistics.median(own),
        "p95_ms": statistics.quantiles(own, n=20)[18],
        "max_ms": max(own),
        "cpu_mean_ms": statistics.fmean(cpus),
        **after,
        "resident_mb_above_start": _above(after["resident_mb"], before),
        "peak_mb_above_start": _above(after["peak_mb"], before),
    }


def bare(home: Path, questions: Sequence[str]) -> Figures:
    """The same queries in turns with LanceDB's own hybrid query over the same rows: heading and text, and one vector."""
    from search import SearchEngine

    embedder = _embedder()
    engine = SearchEngine(home / "index", embedder=embedder)
    has_index = bool(_vector_indexes(home))
    table = _bare_table(home, with_vector_index=has_index)
    ours, theirs = [], []
    for question in questions:
        vector = embedder.embed_query(question)
        query = table.search(query_type="hybrid").vector(vector).text(question.replace('"', " ")).limit(LIMIT)
        embedding = embedder.wall
        _, wall, _ = timed(partial(engine.search, question, limit=LIMIT))
        ours.append((wall - embedder.wall + embedding) * 1000)
        theirs.append(timed(query.to_list)[1] * 1000)
    shutil.rmtree(home / "bare")
    p50, other = statistics.median(ours[1:]), statistics.median(theirs[1:])  # the first ones open files
    return {"p50_ms": p50, "bare_p50_ms": other, "ratio": p50 / other, "bare_has_vector_index": has_index}


def recall(home: Path, questions: Sequence[str]) -> Figures:
    """Of the ten nearest sections by exact search, the share that is among those that an index of vectors gives to ranking,
    which compares them exactly; of each such index."""
    from fake_embedder import HashedWordsPair

    from schema.index_files.layout import store_dir
    from schema.storage.table import SectionTable
    from search.sources.stored import BY_VECTOR

    retrieval = SectionTable.open(store_dir(home / "index")).retrieval
    first = HashedWordsPair()
    found: Figures = {}
    for table, column, size, metric in _vector_indexes(home):
        embedder = next((each for each in (first, first.second) if each.dimension == size), None)
        if embedder is None:
            continue
        shares = []
        for question in questions:
            vector = embedder.embed_query(question)
            near = set(retrieval.nearest(column, vector, most=BY_VECTOR))
            query = table.search(vector, vector_column_name=column).distance_type(metric).bypass_vector_index()
            exact = set(query.limit(LIMIT).with_row_id(True).to_arrow()["_rowid"].to_pylist())
            shares.append(len(near & exact) / max(1, len(exact)))
        found[f"{table.name}.{column}"] = statistics.fmean(shares)
    return {"recall_at_10": found} if found else {"skipped": "the index holds no index of vectors"}


def edit(home: Path, _questions: Sequence[str]) -> Figures:
    """One edited section until it is found by words and has its vector, in a process that indexes and searches."""
    from search import SearchEngine

    embedder = _embedder()
    indexer = _indexer(home, embedder)
    engine = SearchEngine(home / "index", embedder=embedder)
    engine.search("warm up", limit=LIMIT)
    runs, firsts, seconds = [], [], []
    for path in edited_files(home, _ROUNDS, seed=1):
        marker = append_line(path)
        report, *run = timed(partial(indexer.index, home / "docs"))
        hits, *first = timed(partial(engine.search, marker, limit=LIMIT))
        own = [hit for hit in hits if hit.section.document_path == path.relative_to(home).as_posix()]
        assert report.sections_embedded + report.vectors_reused, "no vector was made"
        assert any(marker in hit.section.content and not hit.section.is_dirty for hit in own), "the edit is not found"
        runs.append(run)
        firsts.append(first)
        seconds.append(timed(partial(engine.search, f"{marker} again", limit=LIMIT))[1])
    return {
        "index_wall_s": statistics.median(wall for wall, _ in runs),
        "index_cpu_s": statistics.median(cpu for _, cpu in runs),
        "first_query_wall_ms": statistics.median(wall for wall, _ in firsts) * 1000,
        "first_query_cpu_ms": statistics.median(cpu for _, cpu in firsts) * 1000,
        "next_query_wall_ms": statistics.median(seconds) * 1000,
        "searchable_wall_s": statistics.median(run[0] + first[0] for run, first in zip(runs, firsts, strict=True)),
        "searchable_cpu_s": statistics.median(run[1] + first[1] for run, first in zip(runs, firsts, strict=True)),
        "peak_mb": memory()["peak_mb"],
    }


def update(home: Path) -> Figures:
    """An index run in a process of its own; its time is taken by who starts it."""
    from fake_embedder import HashedWordsPair

    report = _indexer(home, HashedWordsPair()).index(home / "docs")
    return {"vectors": report.sections_embedded + report.vectors_reused, "peak_mb": memory()["peak_mb"]}


def optimize(home: Path) -> Figures:
    """Merging files, indexes and versions after everything else."""
    indexer = _indexer(home, _embedder())
    before = _start()
    (_, after), wall, cpu = timed(indexer.optimize)
    return {
        "wall_s": wall,
        "cpu_s": cpu,
        "data_bytes": after.data_bytes,
        "peak_mb_above_start": _above(memory()["peak_mb"], before),
    }


def edited_files(home: Path, count: int, *, seed: int) -> list[Path]:
    """Files of some size, neither the smallest nor the largest, in an order of chance."""
    chosen = random.Random(seed).sample(sorted((home / "docs").rglob("*.md")), count * 5)
    return sorted(chosen, key=lambda path: path.stat().st_size)[count * 2 : count * 3]


def append_line(path: Path) -> str:
    """Add a line with a word that stands nowhere else, and say which."""
    marker = f"zq{uuid.uuid4().hex[:12]}"
    with path.open("a", encoding="utf-8") as stream:
        stream.write(f"\nOne more line about {marker} stands here.\n")
    return marker


def _above(value: float | None, before: Figures) -> float | None:
    start = before["resident_mb"]
    return None if value is None or start is None else value - start


def _vector_indexes(home: Path) -> list[tuple[Any, str, int, str]]:
    """Every index of vectors: its table, its column, the floats of a vector and the kind of distance."""
    import lancedb
    import pyarrow as pa

    from schema.index_files.layout import store_dir

    connection = lancedb.connect(store_dir(home / "index"))
    found = []
    for name in connection.list_tables().tables:
        table = connection.open_table(name)
        for index in table.list_indices():
            kind = table.schema.field(index.columns[0]).type
            while not pa.types.is_fixed_size_list(kind) and (pa.types.is_list(kind) or pa.types.is_large_list(kind)):
                kind = kind.value_type
            if pa.types.is_fixed_size_list(kind):
                metric = table.index_stats(index.name).distance_type or "l2"
                found.append((table, index.columns[0], kind.list_size, metric))
    return found


def _bare_table(home: Path, *, with_vector_index: bool) -> Any:
    """A plain LanceDB table of the same sections, copied in portions."""
    import lancedb
    import pyarrow as pa
    import pyarrow.compute as pc
    from lancedb.index import FTS, IvfPq

    from schema.index_files.layout import store_dir
    from schema.storage.maintenance import TABLE_NAME

    rows = lancedb.connect(store_dir(home / "index")).open_table(TABLE_NAME)
    vector = rows.schema.field("vector").type
    schema = pa.schema([("text", pa.string()), ("vector", vector)])

    def portions() -> Iterator[pa.RecordBatch]:
        query = rows.search().select(["heading", "content", "vector"]).limit(max(1, rows.count_rows()))
        for batch in query.to_batches(_ROWS):
            text = pc.binary_join_element_wise(batch["heading"], batch["content"], "\n")
            yield pa.record_batch([text, batch["vector"]], schema=schema)

    table = lancedb.connect(home / "bare").create_table("bare", pa.RecordBatchReader.from_batches(schema, portions()))
    table.create_index("text", config=FTS())
    if with_vector_index:
        table.create_index("vector", config=IvfPq(distance_type="cosine"))
    return table


PROBES: dict[str, Callable[..., Figures]] = {
    each.__name__: each for each in (build, unchanged, cold, warm, bare, recall, edit, update, optimize)
}
_WITHOUT_QUESTIONS = (build, unchanged, update, optimize)


def main() -> None:
    """Do one of them and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=PROBES)
    parser.add_argument("home", type=Path)
    parser.add_argument("questions", type=Path, nargs="?", help="a JSON file with a list of queries")
    given = parser.parse_args()
    probe = PROBES[given.name]
    if probe in _WITHOUT_QUESTIONS:
        figures = probe(given.home)
    else:
        figures = probe(given.home, json.loads(given.questions.read_text(encoding="utf-8")))
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
