"""What the default models cost: sections and tokens in a second of CPU, as a real index run reads them.

It indexes the first documents of a folder of real documentation until there are enough sections, and counts what each model
is given, the CPU time of the whole process while it works, and the time that passes. The result is written into
`benchmarks/results`; `arithmetic.py` reads it.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from meters import RESULTS, Figures, provenance, save

from indexer import Indexer
from indexer.models.loading import PairedEmbedder, embedder_of
from indexer.splitter import MarkdownSplitter
from schema.protocols import Embedder, Vectors
from schema.settings import Settings

HERE = Path(__file__).resolve().parent.parent
BOOK = HERE.parent / "shared" / "corpora" / "rust-book"


class Counted:
    """An embedder that counts texts, tokens and time. Its `embed_sections` is called by one thread at a time."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.texts = self.tokens = 0
        self.cpu = self.wall = 0.0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._embedder, name)

    def embed_sections(self, texts: Sequence[str]) -> Vectors:
        """The vectors of the model."""
        self.texts += len(texts)
        self.tokens += sum(map(len, self._embedder.token_spans(texts)))
        cpu, wall = time.process_time(), time.perf_counter()
        vectors = self._embedder.embed_sections(texts)
        self.cpu += time.process_time() - cpu
        self.wall += time.perf_counter() - wall
        return vectors

    def figures(self, sections: int) -> Figures:
        """What it cost to read so many sections."""
        return {
            "model": self._embedder.name,
            "dimension": self._embedder.dimension,
            "sections": sections,
            "texts": self.texts,
            "tokens": self.tokens,
            "cpu_s": round(self.cpu, 2),
            "wall_s": round(self.wall, 2),
            "sections_per_cpu_s": round(sections / self.cpu, 1),
            "tokens_per_cpu_s": round(self.tokens / self.cpu),
        }


def measure(folder: Path, sections: int) -> Figures:
    """Index the first documents of a folder that have so many sections together."""
    models = embedder_of(Settings())
    assert isinstance(models, PairedEmbedder)
    first, second = Counted(models.first), Counted(models.second)
    for each in (models.first, models.second):
        each.embed_sections(["warm up"])
    splitter, found = MarkdownSplitter(), 0
    with tempfile.TemporaryDirectory(prefix="embedding-") as scratch:
        home = Path(scratch)
        (home / "docs").mkdir()
        for number, path in enumerate(sorted(folder.rglob("*.md"))):
            text = path.read_text(encoding="utf-8")
            found += len(splitter.split(text, path.name))
            (home / "docs" / f"{number:04}-{path.name}").write_text(text, encoding="utf-8")
            if found >= sections:
                break
        indexer = Indexer(home / ".sectionary", root=home, embedder=PairedEmbedder(first, second))
        begun = time.process_time()
        report = indexer.index(home / "docs")
        cpu = time.process_time() - begun
    return {
        "sections": found,
        "whole_run_cpu_s": round(cpu, 2),
        "models": [first.figures(report.sections_embedded), second.figures(report.sections_embedded_again)],
    }


def main() -> int:
    """Measure, and write the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=BOOK)
    parser.add_argument("--sections", type=int, default=400)
    parser.add_argument("--note", default="", help="what else ran on the machine")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the JSON file")
    given = parser.parse_args()
    if not given.folder.is_dir():
        print(f"{given.folder} is no folder: nothing to embed")
        return 0
    result = {
        **provenance(),
        "note": given.note,
        "load_average_before": round(os.getloadavg()[0], 1),
        **measure(given.folder, given.sections),
    }
    print(json.dumps(result, indent=1), f"written to {save('embedding', result, given.results)}", sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
