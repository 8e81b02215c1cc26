"""A server that reads one version of its index after the other gives back the memory of those before."""

import gc
import platform
import subprocess
import sys
import weakref
from pathlib import Path

import pytest

from search.sources.opening import source_of

CODE = """
import re, sys
from pathlib import Path
import numpy as np
from schema.memory import share_heaps

def held():
    return int(re.search(r"RssAnon:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) * 1024

if sys.argv[1] == "on":
    share_heaps()
before, pins = held(), []
for size in (20, 15, 10, 5):
    arrays = [np.ones(size << 17) for _ in range(4)]  # so many MB each
    pins.append([np.ones(1000) for _ in range(100)])
    del arrays
print((held() - before) >> 20)
"""


HEAPS = """
import ctypes, sys, threading
from pathlib import Path
from indexer.running import open_indexer

libc = ctypes.CDLL(None)
libc.fopen.restype = ctypes.c_void_p
libc.malloc.restype = ctypes.c_void_p
if sys.argv[1] == "run":
    with open_indexer(index_dir=Path(sys.argv[2]) / ".sectionary", quiet=True, wait=0):
        pass
together = threading.Barrier(6)

def take():
    libc.malloc(1000)
    together.wait()

threads = [threading.Thread(target=take) for _ in range(6)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
told = Path(sys.argv[2]) / "heaps.xml"
file = ctypes.c_void_p(libc.fopen(str(told).encode(), b"w"))
libc.malloc_info(0, file)
libc.fclose(file)
print(told.read_text().count("<heap nr="))
"""


@pytest.mark.process
@pytest.mark.skipif(sys.platform != "linux" or not Path("/proc/self/status").exists(), reason="memory is read from /proc")
def test_large_blocks_go_back_to_the_system():
    def kept(switch):
        told = subprocess.run([sys.executable, "-c", CODE, switch], capture_output=True, text=True, check=True).stdout
        return int(told)

    assert kept("on") <= kept("off")
    assert kept("on") < 12


@pytest.mark.process
@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc has a heap for each thread")
def test_threads_of_an_index_run_share_two_heaps(tmp_path):
    def heaps(what):
        command = [sys.executable, "-c", HEAPS, what, str(tmp_path)]
        return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    assert heaps("no run") > 2
    assert heaps("run") == 2


def test_an_earlier_version_is_let_go_before_the_next_is_read_whole(manual, monkeypatch):
    manual.index()
    engine = manual.engine()
    engine.search("crank", mode="lexical")
    earlier = weakref.ref(engine.source())
    held = []
    monkeypatch.setattr("search.sources.reader.source_of", lambda *a, **k: (held.append(earlier()), source_of(*a, **k))[1])
    manual.write("docs/new.md", "".join(f"# New {number}\n\nA crank.\n\n" for number in range(50)))
    manual.index()
    engine.search("crank", mode="lexical")
    assert held == [None]


def test_a_version_that_was_asked_for_everything_is_let_go_without_a_collection_of_garbage(manual):
    manual.index()
    engine = manual.engine()
    engine.search("crank", filters={"language": "en"}, prefer_own_language=True)
    engine.translations("docs/guide.md")
    version = weakref.ref(engine.source())
    manual.indexer().rebuild()
    gc.disable()
    try:
        assert engine.source() is not None  # the new version, of which nothing is taken from the one before
        assert version() is None
    finally:
        gc.enable()
