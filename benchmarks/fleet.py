"""Three servers over one index, asked by many clients while documents change: what is answered, how fast, in which memory,
when one of the servers is killed, and when all are restarted one after the other.

The servers are `search serve` in processes of their own, with the default model for queries. A process edits documents and
indexes them again the whole time; its vectors come from a fake, since their values change no cost. The clients are what
stands behind a balancer: each request goes to one of the servers that were ready at the last look (`/readyz`, five times a
second), and to another one where a connection fails. All of it is on loopback and on one machine, which the clients and the
writer share with the servers.

The result is written into `benchmarks/results`.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import os
import random
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from meters import provenance, result_name
from soak import BOOK, HERE, QUESTIONS, Sample, write

SERVERS, CLIENTS = 3, 32
#: Seconds of a phase, of draining, and between two looks at which servers are ready.
SECONDS, DRAIN, LOOK_EVERY = 30.0, 2.0, 0.2
#: Times that a request is tried on a server before it counts as a fault.
TRIES = 5
#: Seconds that a client waits for an answer, and between two edits of the writer.
TIMEOUT, EDIT_EVERY = 30.0, 0.5
#: Documents that the writer changes at a time.
EDITED = 5


class Server:
    """One `search serve` at a port of its own, which can be started again."""

    def __init__(self, home: Path, number: int) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port: int = free.getsockname()[1]
        self.number = number
        self.is_ready = False
        self.most = Sample(0, 0, 0, 0, 0)
        self._home = home
        self.start()

    def start(self) -> None:
        """Start it; it is ready some seconds later."""
        command = [sys.executable, "-P", "-m", "search", "serve", "--quiet", "--port", str(self.port)]
        command += ["--index", str(self._home / ".sectionary"), "--drain", str(DRAIN)]
        with (self._home / f"server-{self.number}.log").open("a") as log:
            self.process = subprocess.Popen(command, cwd=self._home, env=environment(), stderr=log)

    def look(self) -> None:
        """Note whether it is ready, and the most that it held."""
        try:
            status, _ = asked(self.port, "/readyz", 5.0)
        except OSError:
            status = 0
        self.is_ready = status == 200
        with contextlib.suppress(OSError, KeyError):
            now = Sample.of(self.process.pid, 0)
            self.most = Sample(0, *(max(getattr(self.most, n), getattr(now, n)) for n in _FIGURES))

    def wait_ready(self, seconds: float = 120.0) -> float:
        """Wait until it is ready, and return the seconds that took."""
        begun = time.monotonic()
        while not self.is_ready:
            if time.monotonic() - begun > seconds:
                raise RuntimeError(f"server {self.number} did not become ready")
            time.sleep(LOOK_EVERY)
        return time.monotonic() - begun


_FIGURES = ("memory", "own", "threads", "descriptors")


@dataclass
class Phase:
    """What clients saw in a part of the time. `moved`: requests that another server answered, as a connection failed."""

    name: str
    seconds: float = 0.0
    times: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    moved: int = 0
    faults: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """The figures; times in milliseconds."""
        times = sorted(self.times) or [0.0]
        answers = {str(status): count for status, count in sorted(self.statuses.items())}
        return {
            "phase": self.name,
            "seconds": round(self.seconds, 1),
            "answers": len(self.times),
            "answers_by_status": answers,
            "answers_per_second": round(len(self.times) / self.seconds, 1) if self.seconds else 0.0,
            "moved_after_a_failed_connection": self.moved,
            "faults": len(self.faults),
            "first_faults": self.faults[:3],
            "errors_but_503": len(self.faults) + sum(n for s, n in self.statuses.items() if s >= 500 and s != 503),
            "median_ms": round(statistics.median(times) * 1000),
            "p95_ms": round(times[int(len(times) * 0.95)] * 1000),
            "longest_ms": round(times[-1] * 1000),
        }


class Fleet:
    """The servers, the clients and the phase that the clients count in."""

    def __init__(self, servers: list[Server], phase: Phase) -> None:
        self.servers = servers
        self.phase = phase
        self.is_over = False

    def look(self) -> None:
        """Look at one server after the other, until it is over."""
        while not self.is_over:
            for server in self.servers:
                server.look()
            time.sleep(LOOK_EVERY)

    def ask(self, seed: int) -> None:
        """One client: mixed questions until it is over."""
        rng = random.Random(seed)
        while not self.is_over:
            words = quote(f"{rng.choice(QUESTIONS)} {rng.randrange(50)}")
            shares = {
                f"/api/search?q={words}": 70,
                f"/api/search?q={words}&path=docs/**&mode=lexical": 10,
                f"/api/context?q={words}": 10,
                "/api/documents": 8,
                "/api/status": 2,
            }
            [path] = rng.choices([*shares], [*shares.values()])
            phase, begun = self.phase, time.perf_counter()
            status = self._answered(rng, path, phase)
            if status:
                phase.times.append(time.perf_counter() - begun)
                phase.statuses[status] += 1
            if status == 503:
                time.sleep(1)  # as the server says

    def _answered(self, rng: random.Random, path: str, phase: Phase) -> int:
        """The status of an answer, 0 if no server gave one."""
        failed: list[Server] = []
        problem = ""
        for attempt in range(TRIES):
            usable = [server for server in self.servers if server.is_ready and server not in failed] or self.servers
            server = rng.choice(usable)
            try:
                status, _ = asked(server.port, path, TIMEOUT)
            except (OSError, http.client.HTTPException) as error:
                problem = repr(error)
                failed.append(server)
                continue
            phase.moved += attempt > 0
            return status
        phase.faults.append(problem)
        return 0

    def begin(self, name: str) -> Phase:
        """Let the clients count in a new phase."""
        self.phase = Phase(name)
        return self.phase


def asked(port: int, path: str, timeout: float) -> tuple[int, bytes]:
    """Status and body of an answer to GET."""
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)) as connection:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read()


def environment() -> dict[str, str]:
    """That of the processes, with this checkout's modules."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(HERE), os.environ.get("PYTHONPATH")]))}


@contextlib.contextmanager
def writing(home: Path) -> Iterator[list[int]]:
    """Edit and index until the block ends; the list gets how often that was done."""
    command = [sys.executable, str(Path(__file__)), "--write", str(home)]
    done: list[int] = []
    with subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, text=True) as writer:
        try:
            yield done
        finally:
            writer.terminate()
        done.append(len(writer.stdout.readlines()) if writer.stdout else 0)


def measure(home: Path, folder: Path, seconds: float) -> dict[str, Any]:
    """Serve a copy of the documents in `folder`, made in `home`, and tell what happened."""
    shutil.copytree(folder, home / "docs", ignore=lambda place, names: [n for n in names if not is_document(place, n)])
    subprocess.run(
        [sys.executable, str(Path(__file__)), "--write", str(home), "--once"],
        env=environment(), check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    load = os.getloadavg()[0]
    with contextlib.ExitStack() as stack:
        servers = [Server(home, number) for number in range(1, SERVERS + 1)]
        for server in servers:
            stack.callback(lambda server=server: server.process.kill())
        fleet = Fleet(servers, Phase("start"))
        threads = [threading.Thread(target=fleet.look)]
        stack.callback(lambda: [thread.join() for thread in threads])
        stack.callback(setattr, fleet, "is_over", True)
        threads[0].start()
        ready = [round(server.wait_ready(), 1) for server in servers]
        status = json.loads(asked(servers[0].port, "/api/status", TIMEOUT)[1])
        edits = stack.enter_context(writing(home))
        kill = fleet.begin("one killed midway")
        for seed in range(CLIENTS):
            threads.append(threading.Thread(target=fleet.ask, args=[seed]))
            threads[-1].start()
        begun = time.monotonic()
        time.sleep(seconds / 2)
        servers[1].process.kill()
        servers[1].process.wait()
        time.sleep(max(0.0, begun + seconds - time.monotonic()))
        kill.seconds = time.monotonic() - begun
        back = fleet.begin("the killed one comes back")
        begun = time.monotonic()
        servers[1].is_ready = False
        servers[1].start()
        servers[1].wait_ready()
        back.seconds = time.monotonic() - begun
        rolling = fleet.begin("rolling restart")
        begun = time.monotonic()
        restarts = [restart(server) for server in servers]
        rolling.seconds = time.monotonic() - begun
        fleet.begin("end")
    return {
        "documents": status["documents"],
        "sections": status["sections"],
        "servers": SERVERS,
        "clients": CLIENTS,
        "drain_seconds": DRAIN,
        "load_average_before": round(load, 1),
        "seconds_until_ready": ready,
        "index_runs": edits[0],
        "phases": [phase.to_dict() for phase in (kill, back, rolling)],
        "restarts": restarts,
        "memory": [
            {"server": s.number, "most_resident_mb": round(s.most.memory / 1e6), "most_own_mb": round(s.most.own / 1e6)}
            for s in servers
        ],
    }


def restart(server: Server) -> dict[str, Any]:
    """Stop a server as an operator would, start it again, and tell how long that took."""
    begun = time.monotonic()
    server.process.send_signal(signal.SIGTERM)
    code = server.process.wait(60)
    stopped = time.monotonic() - begun
    server.is_ready = False
    server.start()
    return {
        "server": server.number,
        "exit_code": code,
        "stopped_after_s": round(stopped, 1),
        "ready_after_s": round(server.wait_ready(), 1),
    }


def is_document(place: str, name: str) -> bool:
    """Whether to copy it: folders and Markdown."""
    return Path(place, name).is_dir() or name.endswith(".md")


def main() -> int:
    """Measure, write the result, and tell whether a request was lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=BOOK, help="documents to serve a copy of")
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--note", default="", help="what else ran on the machine")
    parser.add_argument("--results", type=Path, default=HERE / "benchmarks" / "results", help="folder of the JSON file")
    parser.add_argument("--write", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--once", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.write:
        write(given.write, once=given.once, edited=EDITED, pause=EDIT_EVERY, rebuild_every=0)
        return 0
    if not given.folder.is_dir():
        print(f"{given.folder} is no folder: nothing to serve")
        return 0
    with tempfile.TemporaryDirectory(prefix="fleet-") as home:
        found = measure(Path(home), given.folder, given.seconds)
    result = {
        **provenance(),
        "note": given.note,
        **found,
    }
    target = given.results / f"{result_name('fleet', result)}.json"
    target.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(json.dumps(found, indent=1), f"written to {target}", sep="\n")
    return int(any(phase["errors_but_503"] for phase in found["phases"]))


if __name__ == "__main__":
    sys.exit(main())
