"""Real documentation, asked for the names of its sections by words alone: who types a heading gets that section."""

import os
import random
from collections import Counter
from pathlib import Path

import pytest
from filelock import FileLock

from indexer import Indexer
from search import SearchEngine

CORPORA = Path(__file__).parents[3] / "shared" / "corpora"
#: More are asked for by the environment: HEADINGS=200 pytest -s tests/corpora/test_real_headings.py
HEADINGS = int(os.environ.get("HEADINGS", "80"))
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
def engine_of(common_dir):
    """Gives the engine of a corpus, which one of the processes that run tests indexes."""
    engines = {}

    def make(name):
        if name not in engines:
            home = common_dir / f"headings_of_{name}"
            with FileLock(f"{home}.lock"):
                if not home.exists():
                    Indexer(home / ".sectionary", root=CORPORA / name).scan(CORPORA / name)
            engines[name] = SearchEngine(home / ".sectionary")
        return engines[name]

    return make


def headings_of(engine):
    """So many of the headings that stand once in their folder, or all of them."""
    links = [link for document in engine.documents() for link in engine.outline(document.path) if link.depth]
    counts = Counter(link.heading for link in links)
    once = sorted(
        (link for link in links if counts[link.heading] == 1 and link.heading.strip()), key=lambda link: link.heading
    )
    return random.Random(1).sample(once, min(HEADINGS, len(once)))


@pytest.mark.parametrize("name", ["rust-book", "vue-docs-ja", "react-ko"])
def test_heading_that_stands_once_and_is_typed_exactly_comes_first(engine_of, name):
    engine = engine_of(name)
    chosen = headings_of(engine)
    first = [engine.search(link.heading, limit=1, mode="lexical") for link in chosen]
    missed = [link.heading for link, hits in zip(chosen, first, strict=True) if not hits or hits[0].section.id != link.id]
    assert len(missed) <= 0.03 * len(chosen), missed


def test_nine_of_ten_long_headings_in_lower_case_without_a_word_are_among_the_first_three(engine_of):
    # what is left of two or three words often is the name of another section ("roles" of "Other Roles")
    missed: list[tuple[str, str]] = []
    asked = 0
    for name in ("rust-book", "vue-docs-ja", "react-ko"):
        engine, draw = engine_of(name), random.Random(2)
        for link in headings_of(engine):
            words = link.heading.lower().split()
            if len(words) < 4:
                continue
            asked += 1
            del words[draw.randrange(len(words))]
            found = engine.search(" ".join(words), limit=3, mode="lexical")
            if link.id not in [hit.section.id for hit in found]:
                missed.append((" ".join(words), link.heading))
    print(f"{asked - len(missed)} of {asked} headings")
    assert len(missed) <= 0.1 * asked, missed


def test_first_five_hits_do_not_repeat_each_other(engine_of):
    engine = engine_of("rust-book")
    for question in QUESTIONS:
        hits = engine.page(question, limit=5, mode="lexical").results
        words = [set(hit.section.body.lower().split()) for hit in hits]
        for i, mine in enumerate(words):
            shared = [len(mine & other) / max(1, len(mine | other)) for other in words[:i]]
            assert max(shared, default=0.0) < 0.9, (question, hits[i].section.document_path)
