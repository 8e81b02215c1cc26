"""Many clients at once for minutes on a real server, while a writer indexes its documents again and again: what is answered,
how fast, and whether the server's memory, threads and descriptors stay as they were.

The server is `search serve` in a process of its own, with the default model for queries. The writer is another process: it
edits a part of a copy of the documents, indexes them, and rebuilds the whole index from time to time. Its vectors come from
a fake, since their values change no cost, so that it writes as often as it can.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO
from urllib.parse import quote

HERE = Path(__file__).resolve().parent.parent
BOOK = HERE.parent / "shared" / "corpora" / "rust-book"
QUESTIONS = [
    "how do I borrow a value mutably", "what is a trait object", "match on an enum", "lifetime annotations in structs",
    "share state between threads", "closures capture their environment", "error handling with the question mark",
    "cargo workspaces", "smart pointers", "async and await", "iterators are lazy", "unsafe rust", "macros", "testing",
]  # fmt: skip
#: Of this many runs of the writer one makes the whole index again.
REBUILD_EVERY = 25
#: The server's memory may end so much above what it was after a quarter of the time.
MOST_GROWTH, SPARE_BYTES = 1.1, 48_000_000
#: How much longer it may take until the writer has written often enough (seconds).
MOST_WAITED = 60.0
#: Threads and descriptors come and go with connections, and with files that are being read.
SPARE_THREADS, SPARE_DESCRIPTORS = 12, 24


@dataclass(frozen=True)
class Sample:
    """What a process holds, so many seconds after the start: memory in bytes, that of mapped files left out in `own`."""

    seconds: float
    memory: int
    own: int
    threads: int
    descriptors: int

    @classmethod
    def of(cls, pid: int, seconds: float) -> Sample:
        """Read it from /proc."""
        status = Path(f"/proc/{pid}/status").read_text()
        told = {name: int(value) for name, value in re.findall(r"^(VmRSS|RssAnon|Threads):\s+(\d+)", status, re.MULTILINE)}
        files = len(os.listdir(f"/proc/{pid}/fd"))
        return cls(seconds, told["VmRSS"] * 1024, told["RssAnon"] * 1024, told["Threads"], files)


@dataclass
class Soak:
    """What happened."""

    clients: int
    samples: list[Sample] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    writes: int = 0

    @property
    def early(self) -> Sample:
        """The most of each figure in the second quarter of the time: by then everything is loaded."""
        end = self.samples[-1].seconds
        return _most([sample for sample in self.samples if end / 4 <= sample.seconds <= end / 2])

    @property
    def late(self) -> Sample:
        """The most of each figure in the last quarter."""
        end = self.samples[-1].seconds
        return _most([sample for sample in self.samples if sample.seconds >= end * 3 / 4])

    def growing(self) -> list[str]:
        """The names of figures that are not flat."""
        early, late = self.early, self.late
        found = []
        if late.own > early.own * MOST_GROWTH + SPARE_BYTES:
            found.append("memory")
        if late.threads > early.threads + SPARE_THREADS:
            found.append("threads")
        if late.descriptors > early.descriptors + SPARE_DESCRIPTORS:
            found.append("descriptors")
        return found

    def told(self) -> str:
        """All of it in a few lines."""
        times = sorted(self.times) or [0.0]
        early, late = self.early, self.late
        growing = self.growing()
        return (
            f"{self.clients} clients for {self.samples[-1].seconds:.0f} s: {len(self.times)} answers {dict(self.statuses)}, "
            f"{len(self.faults)} faults; median {statistics.median(times) * 1000:.0f} ms, 95th percentile "
            f"{times[int(len(times) * 0.95)] * 1000:.0f} ms, longest {times[-1] * 1000:.0f} ms\n"
            f"the writer wrote {self.writes} times\n"
            f"memory {early.own / 1e6:.0f} → {late.own / 1e6:.0f} MB ({early.memory / 1e6:.0f} → {late.memory / 1e6:.0f} MB "
            f"with mapped files), threads {early.threads} → {late.threads}, descriptors {early.descriptors} → "
            f"{late.descriptors} (most in the second and in the last quarter): "
            + (f"{', '.join(growing)} not flat" if growing else "all flat")
        )


def _most(samples: list[Sample]) -> Sample:
    return Sample(
        samples[-1].seconds,
        *(max(getattr(sample, name) for sample in samples) for name in ("memory", "own", "threads", "descriptors")),
    )


def _keep(lines: Iterable[str], log: TextIO) -> None:
    """Write what the server tells to a log, until one of the two is closed."""
    with contextlib.suppress(ValueError):
        log.writelines(lines)


def soak(
    home: Path, folder: Path, *, seconds: float, clients: int, told: bool = False, every: float = 1.0, writes: int = 0
) -> Soak:
    """Serve a copy of the documents in `folder`, made in `home`, to so many clients for so long.

    It goes on until the writer wrote `writes` times, for `MOST_WAITED` seconds at most.
    """
    shutil.copytree(folder, home / "docs")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(HERE), os.environ.get("PYTHONPATH")]))}
    writing = [sys.executable, str(Path(__file__)), "--write", str(home)]
    subprocess.run([*writing, "--once"], env=environment, check=True)
    serving = [sys.executable, "-P", "-m", "search", "serve", "--port", "0", "--index", str(home / ".sectionary")]
    found = Soak(clients)
    with (
        subprocess.Popen(serving, env=environment, cwd=home, stderr=subprocess.PIPE, text=True) as server,
        (home / "server.log").open("w") as log,
    ):
        try:
            first = server.stderr.readline() if server.stderr else ""
            port = re.search(r"http://127\.0\.0\.1:(\d+)/", first)
            if port is None:
                raise RuntimeError(f"the server did not start: {first}")
            threading.Thread(target=_keep, args=(server.stderr or (), log), daemon=True).start()
            for question in QUESTIONS:
                _asked(int(port[1]), f"/api/search?q={quote(question)}")
            with subprocess.Popen(writing, env=environment, stdout=subprocess.PIPE, text=True) as writer:
                counting = threading.Thread(target=_count, args=(writer.stdout or (), found))
                counting.start()
                try:
                    _meet(found, server.pid, int(port[1]), seconds, told=told, every=every, writes=writes)
                finally:
                    writer.terminate()
                    counting.join()
        finally:
            server.terminate()
    return found


def _count(lines: Iterable[str], found: Soak) -> None:
    """Count what the writer writes, a line for each time."""
    for _ in lines:
        found.writes += 1


def _meet(found: Soak, pid: int, port: int, seconds: float, *, told: bool, every: float, writes: int) -> None:
    begun, ended = time.monotonic(), threading.Event()
    threads = [threading.Thread(target=_ask, args=[found, port, ended, seed]) for seed in range(found.clients)]
    for thread in threads:
        thread.start()
    shown = 0.0
    try:
        while (passed := time.monotonic() - begun) < seconds or (found.writes < writes and passed < seconds + MOST_WAITED):
            sample = Sample.of(pid, passed)
            found.samples.append(sample)
            if told and passed >= shown:
                print(
                    f"{passed:5.0f} s  {sample.own / 1e6:6.0f} MB  ({sample.memory / 1e6:.0f} with mapped files)  "
                    f"{sample.threads} threads  {sample.descriptors} descriptors  {len(found.times)} answers",
                    flush=True,
                )
                shown += max(1.0, seconds / 40)
            time.sleep(every)
    finally:
        ended.set()
        for thread in threads:
            thread.join()


def _ask(found: Soak, port: int, ended: threading.Event, seed: int) -> None:
    """One client: mixed questions until the end."""
    rng = random.Random(seed)
    ids: list[str] = []
    while not ended.is_set():
        words = quote(f"{rng.choice(QUESTIONS)} {rng.randrange(50)}")
        shares = {
            f"/api/search?q={words}": 50,
            f"/api/search?q={words}&html=true&limit=20": 10,
            f"/api/search?q={words}&path=docs/**&mode=lexical": 10,
            f"/api/context?q={words}": 10,
            "/api/documents": 8,
            "/api/status": 4,
            "/api/overview": 2,
            f"/api/sections/{rng.choice(ids or ['0' * 24])}": 6,
        }
        [path] = rng.choices([*shares], [*shares.values()])
        begun = time.perf_counter()
        try:
            status, body = _asked(port, path)
        except OSError as error:
            found.faults.append(repr(error))
            continue
        found.times.append(time.perf_counter() - begun)
        found.statuses[status] += 1
        if status == 503:
            time.sleep(1)  # as the server says
        elif not ids and status == 200:
            ids = re.findall(r'"id": "([0-9a-f]{24})"', body.decode())[:100]


def _asked(port: int, path: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def write(home: Path, *, once: bool, edited: int = 0, pause: float = 0.0, rebuild_every: int = REBUILD_EVERY) -> None:
    """Edit `edited` documents (0 for a tenth) and index them, again and again until told to stop; a line for each time.

    Between two times it waits `pause` seconds. Every `rebuild_every` times (0 for never) the index is built again.
    """
    sys.path.insert(0, str(HERE))
    from fake_embedder import FakeEmbedder

    from indexer import Indexer

    rng = random.Random(0)
    paths = sorted((home / "docs").rglob("*.md"))
    originals = {path: path.read_text(encoding="utf-8") for path in paths}
    indexer = Indexer(home / ".sectionary", root=home, embedder=FakeEmbedder())
    number = 0
    while True:
        if number and rebuild_every and number % rebuild_every == 0:
            indexer.rebuild()
        else:
            indexer.index(home / "docs")
        print(number, flush=True)
        if once:
            return
        time.sleep(pause)
        number += 1
        for path in rng.sample(paths, edited or max(1, len(paths) // 10)):
            path.write_text(f"{originals[path]}\nOne more line, number {number}.\n", encoding="utf-8")


def main() -> int:
    """Soak, and tell whether everything stayed flat."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=BOOK, help="documents to serve a copy of")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--write", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--once", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.write:
        write(options.write, once=options.once)
        return 0
    if not options.folder.is_dir():
        print(f"{options.folder} is no folder: nothing to serve")
        return 0
    with tempfile.TemporaryDirectory() as home:
        found = soak(Path(home), options.folder, seconds=options.minutes * 60, clients=options.clients, told=True)
    print(found.told())
    return int(bool(found.growing() or found.faults or set(found.statuses) - {200, 404, 503}))


if __name__ == "__main__":
    sys.exit(main())
