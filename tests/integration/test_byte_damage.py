"""Random bytes of random files of an index damaged: each door ends in a sentence, and a repair or a rebuild heals it."""

import json
import os
import random
import shutil
from collections import Counter

import pytest

from indexer.summaries.cache import SummaryCache
from schema.index_files.layout import summaries_path
from tests.fork_server import ForkServer, indexer, write

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"), pytest.mark.process]

#: More are asked for by the environment: DAMAGES=200 pytest -s tests/integration/test_byte_damage.py
DAMAGES = int(os.environ.get("DAMAGES", "6"))
#: Kinds of files, each as likely as the others however many there are of it.
KINDS = (
    "data",
    "_versions",
    "_indices",
    "_transactions",
    "_deletions",
    "ledger.sqlite",
    "statistics.sqlite",
    "summaries.sqlite",
    "lock",
    ".gitignore",
)


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """An index of several commits, with files of every kind, and what is found in it."""
    fork_server = ForkServer()
    home = tmp_path_factory.mktemp("template")
    for name in ("a", "bb", "ccc", "dddd", "eeeee", "ffffff"):
        write(home, name, 0)
    indexer(home).index(home / "docs")
    for name in ("bb", "dddd"):
        write(home, name, 3)
        indexer(home).index(home / "docs")
    (home / "docs/ccc.md").unlink()
    indexer(home).index(home / "docs")
    with SummaryCache(summaries_path(home / ".sectionary")) as cache:
        for i in range(50):
            cache.put(f"text {i}", f"Summary {i}.")
    report = home / "report.json"
    assert fork_server.wait(fork_server.start("note_found", home=home, report=report)) == 0
    yield home, fork_server, json.loads(report.read_text())
    fork_server.close()


def files_by_kind(folder):
    found = {}
    for place in sorted(folder.rglob("*")):
        kind = next((kind for kind in KINDS if kind in place.relative_to(folder).parts), None)
        if kind is not None and place.is_file():
            found.setdefault(kind, []).append(place)
    return found


def damage(folder, chance):
    """Hurt one to five files; what was done to which kind."""
    places = files_by_kind(folder)
    done = []
    for _ in range(chance.choice([1, 1, 2, 5])):
        kind = chance.choice(sorted(places))
        place = chance.choice(places[kind])
        content = bytearray(place.read_bytes()) if place.exists() else bytearray()
        how = chance.choice(["one bit", "bits", "cut", "zeros", "junk", "delete"])
        at = chance.randrange(len(content)) if content else 0
        length = chance.choice([1, 16, 64, 400])
        if how == "delete":
            place.unlink(missing_ok=True)
        elif not content:
            place.write_bytes(chance.randbytes(16))
        else:
            if how == "cut":
                del content[at:]
            elif how in ("zeros", "junk"):
                fresh = bytes(length) if how == "zeros" else chance.randbytes(length)
                content[at : at + length] = fresh[: len(content) - at]
            else:
                for _ in range(1 if how == "one bit" else 20):
                    content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
            place.write_bytes(content)
        done.append(f"{how} of {kind}")
    return done


def test_any_damaged_bytes_end_in_sentences_and_are_healed(template, tmp_path):
    home, fork_server, expected = template
    healed, told = Counter(), 0
    for seed in range(DAMAGES):
        hurt = tmp_path / str(seed)
        shutil.copytree(home, hurt)
        done = damage(hurt / ".sectionary", random.Random(seed))
        way = ("repair", "rebuild", "index")[seed % 3]
        report = tmp_path / "report.json"
        report.unlink(missing_ok=True)
        code = fork_server.wait(fork_server.start("heal", home=hurt, way=way, report=report))
        assert code == 0, f"seed {seed}: {done} ended in a traceback with {way}"
        outcome = json.loads(report.read_text())
        for door, sentence in outcome["told"].items():
            assert sentence.startswith(("The index", "The cache")), f"seed {seed}: {door} says {sentence}"
            assert (sentence.count("\n"), sentence[-1]) == (0, ".")
        assert "rebuild" not in outcome["told"]
        if "repair" in outcome["told"]:
            assert "--repair" not in outcome["told"]["repair"], f"seed {seed}: a repair gives the advice to repair"
        assert outcome["differences"] == [], f"seed {seed}: {done} is not healed by {way}"
        assert outcome["found"] == expected, f"seed {seed}: {done} changes what is found after {way}"
        told += len(outcome["told"])
        healed["rebuild" if way == "rebuild" or "repair" in outcome["told"] else "repair"] += 1
        shutil.rmtree(hurt)
    print(f"{DAMAGES} damaged indexes: {told} sentences, no traceback; healed by {dict(healed)}")
