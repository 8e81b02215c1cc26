"""The most memory that an index run takes over one hostile file of each shape, each in a process of its own.

The embedder is a fake of as many dimensions as the default model, so that the figures are those of everything around it.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

SHAPES: dict[str, Callable[[int], str]] = {
    "nothing": lambda _size: "# Small\n",
    "headings": lambda size: "".join(f"# Heading number {i}\n" for i in range(size // 100)),
    "sentences": lambda size: "# One\n\n" + "The widget turns the crank slowly. " * (size // 35),
    "items": lambda size: "# One\n\n" + "- widget\n" * (size // 10),
    "word": lambda size: "# One\n\n" + "a" * size,
    "line": lambda size: "# One\n\n" + "word " * (size // 5),
    "Japanese": lambda size: "# One\n\n" + "これは検索の文です。" * (size // 30),
    "front matter": lambda size: (
        f"---\nnote: {'x' * min(size // 10, 100_000)}\n---\n" + "# Part\n\ntext\n\n" * (size // 1000)
    ),
}


def fake_embedder() -> object:
    """An embedder that needs no model: every text is put in one of 384 directions."""
    import numpy as np

    class Embedder:
        name, dimension, max_tokens = "fake", 384, 254

        def token_spans(self, texts: list[str]) -> list[list[tuple[int, int]]]:
            return [[match.span() for match in re.finditer(r"\w{1,12}|[^\w\s]", text)] for text in texts]

        def coverage(self, _text: str) -> float:
            return 1.0

        def embed_sections(self, texts: list[str]) -> np.ndarray:
            vectors = np.zeros((len(texts), self.dimension), np.float32)
            for row, text in enumerate(texts):
                vectors[row, sum(map(ord, text[:100])) % self.dimension] = 1
            return vectors

        def embed_query(self, text: str) -> np.ndarray:
            return self.embed_sections([text])[0]

    return Embedder()


def peak(shape: str, size: int) -> int:
    """Most memory of this process (bytes) after an index run over one file."""
    import resource

    from indexer import Indexer
    from schema.settings import Settings

    with TemporaryDirectory() as scratch:
        home = Path(scratch)
        (home / "file.md").write_text(SHAPES[shape](size), encoding="utf-8")
        settings = Settings(max_file_bytes=max(2 * size, 1_000_000))
        report = Indexer(home / ".sectionary", root=home, embedder=fake_embedder(), settings=settings).index(home)  # type: ignore[arg-type]
        for failure in report.failed:
            print(f"{failure.path}: {failure.reason}")
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def main() -> None:
    """Print the figures."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--size", type=int, default=10_000_000, help="bytes of each file (10,000,000)")
    options.add_argument("--shape", choices=list(SHAPES), help="measure only this one")
    options.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.inside:
        print(peak(given.shape, given.size))
        return
    for shape in [given.shape] if given.shape else SHAPES:
        command = [sys.executable, __file__, "--inside", "--shape", shape, "--size", str(given.size)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        told = done.stdout.strip().splitlines()
        figure = f"{int(told[-1]) / 1e6:7,.0f} MB" if done.returncode == 0 else f"failed: {done.stderr.strip()[-300:]}"
        print(f"{shape:<14} {figure}", *told[:-1], flush=True)


if __name__ == "__main__":
    main()
