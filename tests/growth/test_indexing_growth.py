"""An index run takes time in proportion to what it indexes, however many files, headings or equal texts there are."""

import re
import tempfile
from pathlib import Path

import numpy as np
import pytest

from indexer import Indexer
from tests.conftest import WordEmbedder
from tests.growing import Family, assert_grows_linearly

pytestmark = [pytest.mark.growth, pytest.mark.slow]


class WideEmbedder(WordEmbedder):
    """Vectors as long as those of the default model, made of the first letters of words."""

    def __init__(self):
        super().__init__("words-384", max_tokens=254)
        self.dimension = 384

    def embed_sections(self, texts):
        vectors = np.full((len(texts), self.dimension), 0.01, np.float32)
        for row, text in enumerate(texts):
            for word in re.findall(r"\w+", text):
                vectors[row, ord(word[0]) % self.dimension] += 1
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def embed_query(self, text):
        return self.embed_sections([text])[0]


def index(texts):
    """Index documents, given as one list of texts for each run."""
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch)
        for run in texts:
            for name, text in enumerate(run):
                (home / f"{name}.md").write_text(text, encoding="utf-8")
            report = Indexer(home / ".sectionary", root=home, embedder=WideEmbedder()).index(home)
            assert report.failed == []


FAMILIES = [
    Family("equal files", lambda count: [["# Same\n\nThe same words in each.\n"] * count], index, size=1200),
    Family(
        "different files", lambda count: [[f"# File {i}\n\nIts number is {i}.\n" for i in range(count)]], index, size=1000
    ),
    Family(
        "files changed all at once",
        lambda count: [[f"# File {i}\n\n{word} {i}.\n" for i in range(count)] for word in ("Old", "New")],
        index,
        size=400,
    ),
    Family("headings alone", lambda count: [["".join(f"# Part {i}\n" for i in range(count))]], index, size=3000),
    Family(
        "equal sections", lambda count: [["".join(f"# P {i}\n## Same\n\nText.\n" for i in range(count))]], index, size=1500
    ),
    Family(
        "front matter",
        lambda size: [[f"---\nnote: {'x' * size}\n---\n" + "# A\n\ntext\n" * (size // 250)]],
        index,
        size=400_000,
    ),
    Family("long tables", lambda count: [["# T\n\n" + "| a | b |\n" * count]], index, size=40_000),
    Family("sentences of one section", lambda count: [["# T\n\n" + "A short one. " * count]], index, size=40_000),
]


@pytest.mark.parametrize("family", FAMILIES, ids=str)
def test_indexing_grows_linearly(family):
    assert_grows_linearly(family)
