"""One adapter in a process of its own: a command → figures and answers as lines of JSON on standard output.

usage: run.py ADAPTER.py index|update|session --store DIR --docs DIR --model DIR

The last line is {"peak_mb"}, the most memory of the process or of one that it started: what the system tells a parent
begins with the parent's own memory. `session` answers lines of JSON from standard input: {"do": "ask", "question", "limit",
"mode"} and {"do": "update"}. What libraries print goes to standard error.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from interface import Peer, load

LIMIT = 10


def timed(action: Callable[[], Any]) -> tuple[Any, float]:
    """Return what an action gives, and its seconds of wall time."""
    begun = time.perf_counter()
    given = action()
    return given, time.perf_counter() - begun


def peak_mb() -> float:
    """Return the most memory of this process, or of the largest one that it started (MB of 10^6 bytes)."""
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
        own = next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))
    except (OSError, StopIteration):
        pass  # another system than Linux
    started = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return max(own, started) * (1 if sys.platform == "darwin" else 1024) / 1e6


def answers(peer: Peer, asked: dict[str, Any]) -> dict[str, Any]:
    """Carry out one line of a session."""
    if asked["do"] == "update":
        return {"s": timed(peer.update)[1]}
    mode = asked.get("mode") or peer.modes[0]
    found, seconds = timed(lambda: peer.query(asked["question"], asked.get("limit", LIMIT), mode))
    return {"s": seconds, "found": [asdict(each) for each in found]}


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("adapter", type=Path)
    parser.add_argument("command", choices=("index", "update", "session"))
    for name in ("--store", "--docs", "--model"):
        parser.add_argument(name, type=Path, required=True)
    given = parser.parse_args()
    told = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    given.store.mkdir(parents=True, exist_ok=True)

    def tell(line: dict[str, Any]) -> None:
        print(json.dumps(line, ensure_ascii=True), file=told, flush=True)

    peer, loading = timed(lambda: load(given.adapter)(given.store, given.docs, given.model))
    if given.command in ("index", "update"):
        tell({"loading_s": loading, "call_s": timed(getattr(peer, given.command))[1]})
    else:
        tell({"modes": list(peer.modes)})
        for line in sys.stdin:
            tell(answers(peer, json.loads(line)))
    tell({"peak_mb": peak_mb()})


if __name__ == "__main__":
    main()
