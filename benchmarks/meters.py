"""Clocks and memory for what `probes.py` measures, and the machine it is measured on."""

from __future__ import annotations

import contextlib
import importlib.metadata
import json
import os
import platform
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

#: What was measured, by name; each name ends in its unit.
Figures = dict[str, Any]
_MB = 1_000_000
#: What decides how fast a model computes: with sums of 8 bits (VNNI, AMX) or in bfloat16 it takes a third of the time. As
#: Linux calls them on x86.
_VECTOR_INSTRUCTIONS = ("avx2", "avx512f", "avx_vnni", "avx512_vnni", "avx512_bf16", "amx_int8", "amx_bf16")
_HERE = Path(__file__).resolve().parent.parent
#: Where results are kept.
RESULTS = _HERE / "benchmarks" / "results"


def git(*arguments: str) -> str:
    """What git says of this working tree, "" where it cannot be asked."""
    try:
        done = subprocess.run(["git", *arguments], cwd=_HERE, capture_output=True, text=True, check=False)
    except OSError:  # it is not installed
        return ""
    return done.stdout.strip() if not done.returncode else ""


def provenance() -> Figures:
    """When, of which commit and on what machine something is measured; the commit is "" where git cannot be asked."""
    commit = git("rev-parse", "HEAD")
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": commit,
        "tree_is_clean": bool(commit) and not git("status", "--porcelain", "--untracked-files=no"),
        "machine": machine(),
    }


def result_name(kind: str, result: Figures) -> str:
    """The name of a file of results, without its ending."""
    return f"{kind}-{result['commit'][:12] or 'unknown'}"


def save(kind: str, result: Figures, folder: Path) -> Path:
    """Write a result into a folder of results, which is made if need be, and return the file."""
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{result_name(kind, result)}.json"
    target.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return target


class Timed:
    """An embedder that counts the time spent in it, by whatever thread."""

    def __init__(self, embedder: Any) -> None:
        self._embedder = embedder
        self._cpu = self._wall = 0.0
        self._lock = threading.Lock()
        if hasattr(embedder, "second"):
            self.second = Timed(embedder.second)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._embedder, name)
        return partial(self._timed, value) if callable(value) else value

    def _timed(self, function: Callable[..., Any], *given: Any) -> Any:
        wall, cpu = time.perf_counter(), time.thread_time()
        try:
            return function(*given)
        finally:
            with self._lock:
                self._wall += time.perf_counter() - wall
                self._cpu += time.thread_time() - cpu

    @property
    def cpu(self) -> float:
        """Seconds of CPU time, the second model's too."""
        return self._cpu + (self.second.cpu if "second" in vars(self) else 0.0)

    @property
    def wall(self) -> float:
        """Seconds of wall time, the second model's too."""
        return self._wall + (self.second.wall if "second" in vars(self) else 0.0)


def memory() -> Figures:
    """Resident memory of this process now and at its peak, and what of it is no part of a file (None where not told)."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    except OSError:
        unit = 1 if sys.platform == "darwin" else 1024
        return {
            "resident_mb": None,
            "anonymous_mb": None,
            "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / _MB,
        }
    told = dict(line.split(":", 1) for line in lines)
    names = {"resident_mb": "VmRSS", "anonymous_mb": "RssAnon", "peak_mb": "VmHWM"}
    return {name: int(told[field].split()[0]) * 1024 / _MB for name, field in names.items()}


def timed(action: Callable[[], Any]) -> tuple[Any, float, float]:
    """What an action gives, and its seconds of wall and of CPU time."""
    wall, cpu = time.perf_counter(), time.process_time()
    given = action()
    return given, time.perf_counter() - wall, time.process_time() - cpu


def machine() -> Figures:
    """What the figures were measured on."""
    processor, flags = platform.processor() or platform.machine(), set[str]()
    with contextlib.suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        processor = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), processor)
        flags.update(next((line for line in lines if line.startswith("flags")), "").split())
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "processor": processor,
        "vector_instructions": [name for name in _VECTOR_INSTRUCTIONS if name in flags],
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory_gb": round(memory / 1e9, 1),
        "system": platform.system(),
        "python": platform.python_version(),
        "lancedb": importlib.metadata.version("lancedb"),
        "openblas_num_threads": os.environ.get("OPENBLAS_NUM_THREADS"),
    }
