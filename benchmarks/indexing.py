"""The splitter against a full Markdown parse, what the models read, and the pipeline against a bare encoder.

Every figure is a ratio of two measurements of this one run, taken in turns; absolute numbers depend on the machine.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from markdown_it import MarkdownIt
from meters import RESULTS, Figures, provenance, save

from indexer import Indexer
from indexer.decoding import decode
from indexer.models.embedder import SentenceTransformerEmbedder
from indexer.models.loading import PairedEmbedder, embedder_of
from indexer.splitter import MarkdownSplitter
from schema.protocols import Embedder, Vectors
from schema.settings import Settings

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


class _Reading:
    """An embedder that keeps the texts it is given, and makes nothing of them."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.texts: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._embedder, name)

    def embed_sections(self, texts: Sequence[str]) -> Vectors:
        """A vector for each text, the same for all."""
        self.texts += texts
        return np.full((len(texts), self._embedder.dimension), self._embedder.dimension**-0.5, np.float32)

    def prepare_queries(self) -> None:
        """Nothing is prepared."""

    def tokens(self, texts: Sequence[str] | None = None) -> int:
        """The model's tokens of some texts, by default of those it was given."""
        return sum(map(len, self._embedder.token_spans(self.texts if texts is None else texts)))


def index_all(documents: list[tuple[str, str]], embedder: Embedder) -> float:
    """The time of a whole first index run over the documents."""
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch)
        for path, text in documents:
            (home / "docs" / path).parent.mkdir(parents=True, exist_ok=True)
            (home / "docs" / path).write_text(text, encoding="utf-8", newline="")
        indexer = Indexer(home / ".sectionary", root=home, embedder=embedder)
        return seconds(partial(indexer.index, home / "docs"))


def measure_reading(documents: list[tuple[str, str]]) -> Figures:
    """The tokens that each of the default models reads, over those of the files."""
    models = embedder_of(Settings())
    assert isinstance(models, PairedEmbedder)
    readers = _Reading(models.first), _Reading(models.second)
    index_all(documents, PairedEmbedder(*readers))
    found: Figures = {}
    for reader in readers:
        own, read = reader.tokens([text for _, text in documents]), reader.tokens()
        found[reader.name] = {"texts": len(reader.texts), "tokens": read, "tokens_of_files": own}
        print(
            f"tokens read       {read:,} in {len(reader.texts)} texts by {reader.name}, {own:,} in the files: "
            f"ratio {read / own:.2f} (goal: at most 1.25)"
        )
    return found


def measure_splitter(documents: list[tuple[str, str]], rounds: int) -> Figures:
    """MB per CPU second of the splitter, with and without token counts, and of markdown-it-py's full parse."""
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
    return {"full_parse_mb_s": full, "over_full_parse": with_counts / full, "without_counts_over_full_parse": alone / full}


def measure_pipeline(documents: list[tuple[str, str]], rounds: int) -> Figures:
    """The time of a whole first index run over the time of `SentenceTransformer.encode` on its windows."""
    embedder = SentenceTransformerEmbedder()
    embedder.embed_sections(["warm up"])
    embedder.prepare_queries()  # done once for all indexes of a user
    reader = _Reading(embedder)
    index_all(documents, reader)
    texts, tokens = reader.texts, reader.tokens()
    whole, bare = [], []
    for _ in range(rounds):
        bare.append(
            seconds(lambda: embedder.model.encode(texts, batch_size=32, normalize_embeddings=True, show_progress_bar=False))
        )
        whole.append(index_all(documents, embedder))
    a, b = statistics.median(whole), statistics.median(bare)
    print(
        f"whole pipeline    {a:5.1f} s, bare encoder (batches of 32) on the same {len(texts)} windows "
        f"({tokens} tokens, {embedder.precision}) {b:5.1f} s: ratio {a / b:.2f} (goal: at most 1.25)"
    )
    return {
        "windows": len(texts),
        "tokens": tokens,
        "precision": embedder.precision,
        "seconds": a,
        "over_bare_encoder": a / b,
    }


def main() -> None:
    """Measure on sample_docs, or on real documentation where it is there."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--folder", type=Path, help="folder of Markdown files to measure on")
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--results", type=Path, default=RESULTS, help="folder of the JSON file")
    given = options.parse_args()
    folder = given.folder or (CORPORA / "rust-book" / "src" if CORPORA.is_dir() else HERE / "sample_docs")
    documents = read(folder)
    print(f"{len(documents)} files of {folder.name}")
    some = documents if given.folder else documents[:40]  # the encoder takes minutes on all of it
    figures = {
        **provenance(),
        "folder": folder.name,
        "files": len(documents),
        "splitter": measure_splitter(documents, given.rounds),
        "reading": measure_reading(documents),
        "pipeline": measure_pipeline(some, max(1, given.rounds - 1)),
    }
    print(save("indexing", figures, given.results))


if __name__ == "__main__":
    main()
