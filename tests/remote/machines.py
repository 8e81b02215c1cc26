"""A process as on another machine, with caches of its own: `write` documents and index them for ever, or `see` a word.

Started as `python tests/remote/machines.py write|see ADDRESS HOME …`, with SECTIONARY_CACHE_DIR in its environment.
"""

import os
import sys
import time
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import schema.remote.session as session
from tests.conftest import WordEmbedder
from tests.fork_server import write

#: Leases are short, so that tests need not wait for those of processes that they killed.
LEASE = 3.0


def write_for_ever(address, home, names, first, acknowledged):
    """Write revision after revision of some documents, index them, and note what was acknowledged."""
    from indexer import Indexer

    session.LEASE_SECONDS, session.RENEWAL_SECONDS = LEASE, 0.5
    home = Path(home)
    revision = int(first)
    while True:
        revision += 1
        for name in names:
            write(home, name, revision)
        Indexer(address, root=home, embedder=WordEmbedder(), wait=120).index(home / "docs")
        with open(acknowledged, "a") as stream:
            for name in names:
                stream.write(f"{name} {revision}\n")
            stream.flush()
            os.fsync(stream.fileno())


def see(address, home, word):
    """Say that this process is ready, and then when it first found a word."""
    from search import SearchEngine

    os.chdir(home)
    engine = SearchEngine(address, embedder=WordEmbedder())
    engine.search(word, mode="lexical")
    print("ready", flush=True)
    while not engine.search(word, mode="lexical"):
        time.sleep(0.01)
    print(time.time(), flush=True)


if __name__ == "__main__":
    {"write": write_for_ever, "see": see}[sys.argv[1]](*sys.argv[2:])
