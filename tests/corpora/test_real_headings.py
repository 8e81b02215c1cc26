"""Real documentation, asked for the names of its sections by words alone: who types a heading gets that section."""

import random
from collections import Counter
from pathlib import Path

import pytest

from indexer import Indexer
from search import SearchEngine

CORPORA = Path(__file__).parents[3] / "shared" / "corpora"
QUESTIONS = [
    "trait objects", "lifetime elision", "how do I read a line of input", "string slices", "what is ownership",
    "recoverable errors with Result", "closures capture their environment", "shared state between threads", "testing",
    "cargo workspaces", "smart pointers", "macros",
]  # fmt: skip

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not CORPORA.is_dir(), reason="the corpora of real documentation are not here"),
    pytest.mark.model,
]


@pytest.fixture(scope="module")
def engine_of(tmp_path_factory):
    engines = {}

    def make(name):
        if name not in engines:
            home = tmp_path_factory.mktemp(name)
            Indexer(home / ".sectionary", root=CORPORA / name).scan(CORPORA / name)
            engines[name] = SearchEngine(home / ".sectionary")
        return engines[name]

    return make


@pytest.mark.parametrize("name", ["rust-book", "vue-docs-ja", "react-ko"])
def test_heading_that_stands_once_and_is_typed_exactly_comes_first(engine_of, name):
    engine = engine_of(name)
    links = [link for document in engine.documents() for link in engine.outline(document.path) if link.depth]
    counts = Counter(link.heading for link in links)
    once = sorted(
        (link for link in links if counts[link.heading] == 1 and link.heading.strip()), key=lambda link: link.heading
    )
    chosen = random.Random(1).sample(once, min(200, len(once)))
    first = [engine.search(link.heading, limit=1, mode="lexical") for link in chosen]
    missed = [link.heading for link, hits in zip(chosen, first, strict=True) if not hits or hits[0].section.id != link.id]
    assert len(missed) <= 0.03 * len(chosen), missed


def test_first_five_hits_do_not_repeat_each_other(engine_of):
    engine = engine_of("rust-book")
    for question in QUESTIONS:
        hits = engine.page(question, limit=5, mode="lexical").results
        words = [set(hit.section.body.lower().split()) for hit in hits]
        for i, mine in enumerate(words):
            shared = [len(mine & other) / max(1, len(mine | other)) for other in words[:i]]
            assert max(shared, default=0.0) < 0.9, (question, hits[i].section.document_path)
