"""What a server counted and what its index holds → the text format of Prometheus, version 0.0.4.

Label values come from fixed sets (routes of the application, statuses), so no text of a request can become one.
"""

from __future__ import annotations

import os
import threading
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime

import schema
from schema.reports import IndexStatus

#: The media type of the format.
MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
#: Upper bounds of the classes of times (seconds).
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0)

_STARTED = time.time()


class Counts:
    """Counts of requests by route and status, and of searches by their time and whether a section answered.

    Several threads may count at once.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: Counter[tuple[str, int]] = Counter()
        self._searches: Counter[bool] = Counter()
        self._within = [0] * (len(BUCKETS) + 1)
        self._seconds = 0.0

    def add_request(self, route: str, status: int) -> None:
        """Count a request that got an answer."""
        with self._lock:
            self._requests[route, status] += 1

    def add_search(self, seconds: float, answered: bool) -> None:
        """Count a search that was made, and how long it took."""
        with self._lock:
            self._searches[answered] += 1
            self._seconds += seconds
            self._within[sum(seconds > bound for bound in BUCKETS)] += 1

    def lines(self) -> list[str]:
        """Return the lines about requests and searches."""
        with self._lock:
            requests, searches = sorted(self._requests.items()), dict(self._searches)
            within, seconds = list(self._within), self._seconds
        by_route = (({"route": route, "status": str(status)}, count) for (route, status), count in requests)
        by_answer = (({"answered": str(told).lower()}, searches.get(told, 0)) for told in (True, False))
        sums = [sum(within[: i + 1]) for i in range(len(within))]
        bounds = [*map(_number, BUCKETS), "+Inf"]
        name = "sectionary_search_seconds"
        return [
            *_family("sectionary_requests_total", "counter", "Requests by route and status.", by_route),
            *_family("sectionary_searches_total", "counter", "Searches by whether a section answered.", by_answer),
            *_head(name, "histogram", "Time that searches took, without waiting."),
            *(_line(f"{name}_bucket", {"le": bound}, count) for bound, count in zip(bounds, sums, strict=True)),
            _line(f"{name}_sum", {}, seconds),
            _line(f"{name}_count", {}, sums[-1]),
        ]


def index_lines(status: IndexStatus | None, *, now: float) -> list[str]:
    """Return the lines about an index, whose `status` is None if it cannot be read; `now` is the time (Unix seconds)."""
    lines = _family("sectionary_index_up", "gauge", "Whether the index can be read.", [({}, status is not None)])
    if status is None:
        return lines
    gauges = {
        "sections": ("Sections of the index.", status.sections),
        "documents": ("Documents of the index.", status.documents),
        "dirty_sections": ("Sections whose vector is older than their text.", status.dirty),
        "stale_documents": ("Documents whose files have changed since they were indexed.", len(status.stale)),
        "gone_documents": ("Documents whose files are gone.", len(status.orphans)),
        "failed_files": ("Files that could not be read when they were last visited.", len(status.failed)),
        "index_bytes": ("What the index takes on the disk.", status.disk_bytes),
    }
    for name, (text, value) in gauges.items():
        lines += _family(f"sectionary_{name}", "gauge", text, [({}, value)])
    ended = status.last_run.ended if status.last_run is not None else None
    if ended is not None:
        at = datetime.fromisoformat(ended).timestamp()
        lines += _family("sectionary_index_run_timestamp_seconds", "gauge", "End of the last indexing run.", [({}, at)])
        age = max(0.0, now - at)
        lines += _family("sectionary_index_age_seconds", "gauge", "Time since the last indexing run ended.", [({}, age)])
    return lines


def process_lines() -> list[str]:
    """Return the lines about this process; its memory only where the system tells it in /proc."""
    lines = [
        *_family("sectionary_info", "gauge", "Version of Sectionary.", [({"version": schema.VERSION}, 1)]),
        *_family("process_cpu_seconds_total", "counter", "Time on the processor.", [({}, time.process_time())]),
        *_family("process_start_time_seconds", "gauge", "Start of the process.", [({}, _STARTED)]),
    ]
    resident = _resident_bytes()
    if resident is not None:
        lines += _family("process_resident_memory_bytes", "gauge", "Resident memory.", [({}, resident)])
    return lines


def text_of(*parts: Iterable[str]) -> str:
    """Return an answer of these lines."""
    return "".join(f"{line}\n" for part in parts for line in part)


def _resident_bytes() -> int | None:
    try:
        with open("/proc/self/statm", encoding="ascii") as stream:  # noqa: PTH123 — the one file that is read often
            return int(stream.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError, AttributeError):
        return None


def _family(name: str, kind: str, text: str, values: Iterable[tuple[Mapping[str, str], float]]) -> list[str]:
    return [*_head(name, kind, text), *(_line(name, labels, value) for labels, value in values)]


def _head(name: str, kind: str, text: str) -> list[str]:
    return [f"# HELP {name} {text}", f"# TYPE {name} {kind}"]


def _line(name: str, labels: Mapping[str, str], value: float) -> str:
    inside = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
    return f"{name}{{{inside}}} {_number(value)}" if inside else f"{name} {_number(value)}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _number(value: float) -> str:
    return repr(int(value)) if value == int(value) else repr(float(value))
