"""Every repeat of every peer → medians, and ratios to ours of the same repeat."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from benchmarks.peers.catalog import OURS, OURS_SAME_WEIGHTS

Run = Mapping[str, Any]
#: Name of a figure → where it stands in a repeat.
FIGURES = {
    "index_wall_s": ("index", "wall_s"),
    "index_cpu_s": ("index", "cpu_s"),
    "index_peak_mb": ("index", "peak_mb"),
    "disk_mb": ("disk_mb",),
    "unchanged_wall_s": ("unchanged", "wall_s"),
    "edit_wall_s": ("edit", "wall_s"),
    "running_unchanged_s": ("running", "unchanged_s"),
    "running_edit_s": ("running", "edit_s"),
    "cold_wall_s": ("cold", "wall_s"),
    "p50_ms": ("warm", "p50_ms"),
    "p95_ms": ("warm", "p95_ms"),
    "search_peak_mb": ("running", "peak_mb"),
}
BASES = (OURS, OURS_SAME_WEIGHTS)


def value(run: Run, name: str) -> float | None:
    """Return a figure of a repeat, None if the repeat has none."""
    found: Any = run
    for key in FIGURES[name]:
        if not isinstance(found, Mapping) or key not in found:
            return None
        found = found[key]
    return float(found)


def summarize(runs: Sequence[Run]) -> dict[str, Any]:
    """Return `medians` and `ratios`, by corpus and peer.

    A ratio is the peer's figure over ours of the same repeat: median, least and greatest of all repeats that have both.
    """
    medians: dict[str, Any] = {}
    ratios: dict[str, Any] = {}
    for corpus in _names(runs, "corpus"):
        of_corpus = [run for run in runs if run["corpus"] == corpus]
        for peer in _names(of_corpus, "peer"):
            own = [run for run in of_corpus if run["peer"] == peer]
            medians.setdefault(corpus, {})[peer] = {name: _median(value(run, name) for run in own) for name in FIGURES}
            for base in BASES:
                found = {name: paired(own, [run for run in of_corpus if run["peer"] == base], name) for name in FIGURES}
                if peer != base and any(found.values()):
                    ratios.setdefault(base, {}).setdefault(corpus, {})[peer] = found
    return {"medians": medians, "ratios": ratios}


def paired(peer: Sequence[Run], base: Sequence[Run], name: str) -> dict[str, float] | None:
    """Return the ratios of a figure, repeat by repeat: `median`, `min`, `max`; None where no repeat has both."""
    others = {run["repeat"]: value(run, name) for run in base}
    found = []
    for run in peer:
        one, other = value(run, name), others.get(run["repeat"])
        if one is not None and other:
            found.append(one / other)
    if not found:
        return None
    return {"median": round(statistics.median(found), 3), "min": round(min(found), 3), "max": round(max(found), 3)}


def _median(values: Iterable[float | None]) -> float | None:
    known = [each for each in values if each is not None]
    return round(statistics.median(known), 4) if known else None


def _names(runs: Sequence[Run], key: str) -> list[str]:
    """Return the values of a key, each once, in their order."""
    return list(dict.fromkeys(run[key] for run in runs))
