"""A result of the peers as a chart: bars for the index run, the edit, the warm query and the quality of the first corpus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from benchmarks.chart import STYLE, rounded
from benchmarks.peers.table import qualities

_NAMES, _BAR, _ROW, _GAP = 340, 150, 22, 70
_OWN_STYLE = (
    ".bar { fill: #8c959f } .ours { fill: #0550ae }\n@media (prefers-color-scheme: dark) { .ours { fill: #79c0ff } }\n"
)
Bars = list[tuple[str, str, float]]


def chart(result: Mapping[str, Any]) -> str:
    """Return the SVG of the first corpus of a result.

    Raises:
        ValueError: the result has no figures.
    """
    corpora = list(result["summary"]["medians"])
    if not corpora:
        raise ValueError("the result has no repeats")
    corpus = corpora[0]
    medians = result["summary"]["medians"][corpus]
    panels = [
        ("Index (s)", bars(medians, "index_wall_s")),
        ("One-line edit, new process (s)", bars(medians, "edit_wall_s")),
        ("Warm query, median (ms)", bars(medians, "p50_ms")),
        ("nDCG@10, sections, best mode", _quality_bars(result, corpus)),
    ]
    title = f"Sectionary and other systems over the same {result['corpora'][corpus]['files']} files of {corpus}"
    told = ". ".join(
        f"{name}: " + ", ".join(f"{result['titles'][peer]} {rounded(value)}" for peer, _, value in found)
        for name, found in panels
    )
    width = _NAMES + len(panels) * (_BAR + _GAP)
    height = 70 + _ROW * len(medians)
    labels = [
        f'<text x="{_NAMES - 10}" y="{72 + _ROW * row}" text-anchor="end">{escape(result["titles"][peer])}</text>'
        for row, peer in enumerate(medians)
    ]
    drawn = [_panel(name, found, list(medians), _NAMES + at * (_BAR + _GAP)) for at, (name, found) in enumerate(panels)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-labelledby="title desc">\n'
        f'<title id="title">{escape(title)}</title>\n'
        f'<desc id="desc">{escape(told)}. Measured on {result["date"][:10]}.</desc>\n'
        f'<style>{STYLE}{_OWN_STYLE}</style>\n<rect class="ground" width="{width}" height="{height}"/>\n'
        f'<text class="title" x="10" y="24">{escape(title)}</text>\n' + "\n".join([*labels, *drawn]) + "\n</svg>\n"
    )


def bars(medians: Mapping[str, Mapping[str, float | None]], name: str) -> Bars:
    """Return peer, class and value of every peer that has the figure."""
    return [
        (peer, "ours" if peer.startswith("sectionary") else "bar", value)
        for peer, figures in medians.items()
        if (value := figures[name]) is not None
    ]


def _quality_bars(result: Mapping[str, Any], corpus: str) -> Bars:
    first = next(iter(result["corpora"][corpus]["questions"]), "")
    found = {}
    for peer in result["summary"]["medians"][corpus]:
        scores = [each[first]["sections"]["nDCG@10"] for each in qualities(result, corpus, peer).values() if first in each]
        found[peer] = {"nDCG@10": max((one for one in scores if one is not None), default=None)}
    return bars(found, "nDCG@10")


def _panel(name: str, found: Bars, peers: Sequence[str], x: int) -> str:
    """One column of bars from 0, each with its figure."""
    top = max((value for _, _, value in found), default=1.0) or 1.0
    parts = [f'<text class="small" x="{x}" y="48">{escape(name)}</text>']
    for peer, kind, value in found:
        y = 60 + _ROW * peers.index(peer)
        width = max(1.0, value / top * _BAR)
        parts.append(f'<rect class="{kind}" x="{x}" y="{y}" width="{width:.1f}" height="{_ROW - 8}"/>')
        parts.append(f'<text class="small" x="{x + width + 5:.1f}" y="{y + 11}">{rounded(value)}</text>')
    return "\n".join(parts)


def draw(place: Path, result: Mapping[str, Any]) -> None:
    """Write the chart of a result."""
    place.write_text(chart(result), encoding="utf-8")
