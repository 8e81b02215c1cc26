"""Random edits of real files: the index they leave is the one a rebuild makes, and only what changed is embedded."""

import os
import random
import re
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexer import Indexer
from indexer.splitter import MarkdownSplitter
from indexer.sync.plan import child_headings, embedding_input
from tests.conftest import WordEmbedder
from tests.integration.test_crashes import stored
from tests.integration.test_edits import facts

#: More are asked for by the environment: EDITS=500 pytest -s tests/integration/test_random_edits.py -k hundreds
EDITS = int(os.environ.get("EDITS", "40"))
WORDS = "apple river stone cloud lamp engine glass paper winter 検索 문서".split()
KINDS = [
    "insert section", "delete section", "rename section", "move section", "change word", "blank line on top", "touch",
    "revert", "swap files", "rename file", "delete file", "new file", "no edit", "other line ends", "some line ends",
]  # fmt: skip


class Folder:
    """Documents as lists of blocks, each a heading with its text, and the edits people make of them."""

    def __init__(self, home, chance):
        self.docs = home / "docs"
        self.docs.mkdir()
        self.chance = chance
        self.blocks = {}
        self.before = {}
        for name in ("one", "two", "three"):
            self.put(name, [self.block() for _ in range(chance.randint(1, 5))])

    def block(self):
        marks = "#" * self.chance.randint(1, 4)
        words = self.chance.choices(WORDS, k=self.chance.choice([0, 3, 30]))
        return f"{marks} {self.chance.choice(WORDS)}\n\n" + (" ".join(words) + "\n\n" if words else "")

    def put(self, name, blocks):
        self.before[name] = self.blocks.get(name, blocks)
        self.blocks[name] = blocks
        fresh = self.docs / f"{name}.tmp"
        fresh.write_bytes("".join(blocks).encode())
        fresh.replace(self.docs / f"{name}.md")

    def drop(self, name):
        (self.docs / f"{name}.md").unlink()
        del self.blocks[name]

    def edit(self, kind):
        chance = self.chance
        name = chance.choice(sorted(self.blocks)) if self.blocks else None
        if kind == "new file" or name is None:
            self.put(chance.choice(WORDS), [self.block() for _ in range(3)])
            return
        blocks = list(self.blocks[name])
        at = chance.randrange(len(blocks)) if blocks else 0
        if kind == "insert section":
            self.put(name, [*blocks[:at], self.block(), *blocks[at:]])
        elif kind == "delete section":
            self.put(name, blocks[:at] + blocks[at + 1 :])
        elif kind == "rename section" and blocks:
            heading, _, rest = blocks[at].partition("\n")
            self.put(name, [*blocks[:at], f"{heading} renamed\n{rest}", *blocks[at + 1 :]])
        elif kind == "move section" and blocks:
            other = chance.choice(sorted(self.blocks))
            block = blocks.pop(at)
            self.put(name, blocks)
            self.put(other, [*self.blocks[other], block])
        elif kind == "change word" and blocks:
            words = blocks[at].split(" ")
            words[chance.randrange(len(words))] = chance.choice(WORDS) + "\n\n"
            self.put(name, [*blocks[:at], " ".join(words), *blocks[at + 1 :]])
        elif kind == "blank line on top":
            self.put(name, ["\n", *blocks])
        elif kind == "touch":
            os.utime(self.docs / f"{name}.md")
        elif kind == "revert":
            self.put(name, self.before[name])
        elif kind == "swap files":
            other = chance.choice(sorted(self.blocks))
            one, two = self.blocks[name], self.blocks[other]
            self.put(name, two)
            self.put(other, one)
        elif kind == "rename file":
            fresh = chance.choice(WORDS)
            (self.docs / f"{name}.md").rename(self.docs / f"{fresh}.md")
            self.blocks[fresh] = self.blocks.pop(name)
            self.before[fresh] = self.blocks[fresh]
        elif kind == "delete file":
            self.drop(name)
        elif kind == "other line ends":
            text = "".join(blocks)
            fresh = chance.choice(["\n", "\r", "\r\n"]) if "\r" not in text else "\n"
            self.put(name, [re.sub(r"\r\n|\r|\n", lambda _: fresh, block) for block in blocks])
        elif kind == "some line ends" and blocks:
            mixed = re.sub(r"\r\n|\r|\n", lambda _: chance.choice(["\n", "\r\n"]), blocks[at])
            self.put(name, [*blocks[:at], mixed, *blocks[at + 1 :]])

    def inputs(self):
        """What a model would be given of these files, worked out from them alone."""
        found = set()
        for name, blocks in self.blocks.items():
            sections = MarkdownSplitter().split("".join(blocks), f"docs/{name}.md")
            children = child_headings(sections)
            found |= {embedding_input(section, children.get(section.id, ())) for section in sections}
        return found


def check(runs, seed):
    with tempfile.TemporaryDirectory() as place:
        home = Path(place)
        embedder = WordEmbedder()
        folder = Folder(home, random.Random(seed))
        indexer = Indexer(home / ".sectionary", root=home, embedder=embedder)
        indexer.index(folder.docs)
        for edits in runs:
            known = folder.inputs()
            for kind in edits:
                folder.edit(kind)
            embedder.embedded.clear()
            report = indexer.index(folder.docs)
            assert report.sections_embedded == len(folder.inputs() - known)
            assert bool(embedder.embedded) == bool(report.sections_embedded)
        assert indexer.verify().differences == ()
        clean = Indexer(home / "clean", root=home, embedder=WordEmbedder())
        clean.index(folder.docs)
        found, times = stored_in(home / ".sectionary")
        expected, _ = stored_in(home / "clean")
        assert set(times.values()) <= {1}
        assert {identity: facts(row) for identity, row in found.items()} == {
            identity: facts(row) for identity, row in expected.items()
        }
        for identity, row in found.items():
            np.testing.assert_allclose(row.embedding.vector, expected[identity].embedding.vector, atol=1e-6)
            np.testing.assert_allclose(row.embedding.window_vectors, expected[identity].embedding.window_vectors, atol=1e-6)


def stored_in(index_dir):
    return stored(index_dir.parent, index_dir.name)


edit_runs = st.lists(st.lists(st.sampled_from(KINDS), min_size=1, max_size=4), min_size=1, max_size=4)
on_files = {"suppress_health_check": [HealthCheck.too_slow], "derandomize": False}


@settings(max_examples=12, **on_files)
@given(runs=edit_runs, seed=st.integers(0, 2**32))
def test_any_edits_leave_a_clean_rebuild_and_embed_only_new_inputs(runs, seed):
    check(runs, seed)


@pytest.mark.slow
def test_hundreds_of_edits_leave_the_vectors_and_windows_of_a_clean_rebuild():
    chance = random.Random(20261121)
    edits = rebuilds = line_ends = 0
    while edits < EDITS:
        runs = [chance.choices(KINDS, k=chance.randint(1, 4)) for _ in range(chance.randint(1, 4))]
        check(runs, chance.randrange(2**32))
        edits += sum(map(len, runs))
        line_ends += sum(kind.endswith("line ends") for run in runs for kind in run)
        rebuilds += 1
    print(f"{edits} random edits ({line_ends} of line ends) against {rebuilds} clean rebuilds: no difference")


@pytest.mark.parametrize("kind", KINDS)
def test_edit_of_each_kind_leaves_a_clean_rebuild(kind):
    check([[kind], [kind, kind]], 7)
