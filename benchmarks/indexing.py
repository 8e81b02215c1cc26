"""The indexing pipeline against the bare encoder on the same windows, and the splitter against a full Markdown parse.

Every figure is a ratio of two measurements of this one run, taken in turns; absolute numbers depend on the machine.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from markdown_it import MarkdownIt

from indexer import Indexer
from indexer.decoding import decode
from indexer.embedder import SentenceTransformerEmbedder
from indexer.embedding import model_texts
from indexer.splitter import MarkdownSplitter
from schema.arrow import StoredSection

HERE = Path(__file__).resolve().parent.parent
CORPORA = HERE.parent / "shared" / "corpora"


def seconds(work: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """Time of one call by the clock given, wall time by default."""
    started = clock()
    work()
    return clock() - started


def read(folder: Path) -> list[tuple[str, str]]:
    """Path and text of every Markdown file in a folder."""
    return [(str(path.relative_to(folder)), decode(path.read_bytes()).text) for path in sorted(folder.rglob("*.md"))]


def _split_all(splitter: MarkdownSplitter, documents: list[tuple[str, str]]) -> None:
    for path, text in documents:
        splitter.split(text, path)


class _NoTokens:
    """Counts nothing, to show what splitting alone costs."""

    encoding = "none"

    def count(self, text: str) -> int:
        """Always 0."""
        return len(text) * 0


def measure_splitter(documents: list[tuple[str, str]], rounds: int) -> None:
    """Print MB per CPU second of the splitter, with and without token counts, and of markdown-it-py's full parse."""
    size = sum(len(text.encode()) for _, text in documents) / 1e6
    parser = MarkdownIt("commonmark").enable("table")
    counting, bare = MarkdownSplitter(), MarkdownSplitter(token_counter=_NoTokens())
    counting.split("# warm up\n", "w.md")
    times: dict[str, list[float]] = {"full": [], "counting": [], "bare": []}
    for _ in range(rounds):
        times["full"].append(seconds(lambda: [parser.parse(text) for _, text in documents], time.process_time))
        for name, splitter in (("counting", counting), ("bare", bare)):
            times[name].append(seconds(partial(_split_all, splitter, documents), time.process_time))
    full, with_counts, alone = (size / statistics.median(times[name]) for name in ("full", "counting", "bare"))
    print(f"full parse        {full:5.2f} MB per CPU second (markdown-it-py, same rules, inline included)")
    print(f"splitter          {with_counts:5.2f}: ratio {with_counts / full:.2f} (goal: at least 1.4)")
    print(f"  without counts  {alone:5.2f}: ratio {alone / full:.2f}")


def measure_pipeline(documents: list[tuple[str, str]], rounds: int) -> None:
    """Print the time of a whole first index run over the time of `SentenceTransformer.encode` on its windows."""
    embedder = SentenceTransformerEmbedder()
    embedder.embed_sections(["warm up"])
    embedder.prepare_queries()  # done once for all indexes of a user
    splitter = MarkdownSplitter()
    rows = [StoredSection(section, "") for path, text in documents for section in splitter.split(text, path)]
    texts = model_texts(rows, embedder)
    tokens = sum(map(len, embedder.token_spans(texts)))
    whole, bare = [], []
    for _ in range(rounds):
        bare.append(
            seconds(lambda: embedder._model.encode(texts, batch_size=32, normalize_embeddings=True, show_progress_bar=False))
        )
        with tempfile.TemporaryDirectory() as scratch:
            home = Path(scratch)
            for path, text in documents:
                (home / "docs" / path).parent.mkdir(parents=True, exist_ok=True)
                (home / "docs" / path).write_text(text, encoding="utf-8", newline="")
            indexer = Indexer(home / ".sectionary", root=home, embedder=embedder)
            whole.append(seconds(partial(indexer.index, home / "docs")))
    a, b = statistics.median(whole), statistics.median(bare)
    print(
        f"whole pipeline    {a:5.1f} s, bare encoder (batches of 32) on the same {len(texts)} windows "
        f"({tokens} tokens, {embedder.precision}) {b:5.1f} s: ratio {a / b:.2f} (goal: at most 1.25)"
    )


def main() -> None:
    """Measure on sample_docs, or on real documentation where it is there."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--folder", type=Path, help="folder of Markdown files to measure on")
    options.add_argument("--rounds", type=int, default=3)
    given = options.parse_args()
    folder = given.folder or (CORPORA / "rust-book" / "src" if CORPORA.is_dir() else HERE / "sample_docs")
    documents = read(folder)
    print(f"{len(documents)} files of {folder.name}")
    measure_splitter(documents, given.rounds)
    some = documents if given.folder else documents[:40]  # the encoder takes minutes on all of it
    measure_pipeline(some, max(1, given.rounds - 1))


if __name__ == "__main__":
    main()
