"""A result of `scale.py` as a chart: what a query takes and what memory it needs, against the number of sections."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape

_WIDTH, _HEIGHT, _LEFT, _TOP = 360, 220, 60, 60
_STEPS = 4
#: As a part of a power of ten: 9,800 and 10,200 sections stand at 10,000.
_NEARLY = 0.03
STYLE = """
text { font: 13px sans-serif; fill: #24292f } .small { font-size: 11px } .title { font-weight: bold }
.ground { fill: #fff } .grid { stroke: #d0d7de }
.line { fill: none; stroke: #0550ae; stroke-width: 2 } .dot { fill: #0550ae }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .ground { fill: #0d1117 } .grid { stroke: #30363d } .line { stroke: #79c0ff } .dot { fill: #79c0ff }
}
"""
Points = list[tuple[int, float]]


def chart(result: Mapping[str, Any]) -> str:
    """The SVG of a result; a size without a figure is left out.

    Raises:
        ValueError: no size has any.
    """
    panels = [
        ("Hybrid query, median beyond embedding (ms)", points(result, "p50_ms")),
        ("Resident memory after the queries (MB)", points(result, "resident_mb")),
    ]
    if not all(found for _, found in panels):
        raise ValueError("the result has no size with figures of queries and memory")
    title = "What a search costs by the number of sections"
    told = [f"{name}: " + ", ".join(f"{rounded(y)} at {x:,} sections" for x, y in found) for name, found in panels]
    description = ". ".join([*told, f"Measured on {result['date'][:10]} at commit {result['commit'][:12]}."])
    width, height = 2 * (_WIDTH + _LEFT) + 40, _TOP + _HEIGHT + 60
    drawn = "".join(_panel(name, found, 20 + number * (_WIDTH + _LEFT)) for number, (name, found) in enumerate(panels))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-labelledby="title desc">\n'
        f'<title id="title">{escape(title)}</title>\n<desc id="desc">{escape(description)}</desc>\n'
        f'<style>{STYLE}</style>\n<rect class="ground" width="{width}" height="{height}"/>\n{drawn}</svg>\n'
    )


def points(result: Mapping[str, Any], name: str) -> Points:
    """Sections and the figure of that name of warm queries, by sections."""
    found = {}
    for size in result["sizes"]:
        value = size.get("warm", {}).get(name)
        if value is not None and size.get("build", {}).get("sections"):
            found[size["build"]["sections"]] = value
    return sorted(found.items())


def _panel(name: str, found: Points, x: int) -> str:
    """One diagram: sections in powers of ten to the right, the figure upwards from 0."""
    low = math.floor(math.log10(found[0][0]) + _NEARLY)
    high = max(low + 1, math.ceil(math.log10(found[-1][0]) - _NEARLY))
    top = _nice(max(value for _, value in found))
    left = x + _LEFT - 10

    def across(sections: float) -> float:
        return left + (math.log10(sections) - low) / (high - low) * (_WIDTH - 40)

    def up(value: float) -> float:
        return _TOP + _HEIGHT * (1 - value / top)

    parts = [f'<text class="title" x="{x + 10}" y="30">{escape(name)}</text>']
    for step in range(_STEPS + 1):
        value = top * step / _STEPS
        y = up(value)
        parts.append(f'<path class="grid" d="M{left} {y:.1f}H{left + _WIDTH - 40}"/>')
        parts.append(f'<text class="small" x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{rounded(value)}</text>')
    for power in range(low, high + 1):
        place = f'x="{across(10**power):.1f}" y="{_TOP + _HEIGHT + 20}"'
        parts.append(f'<text class="small" {place} text-anchor="middle">{10**power:,}</text>')
    parts.append(f'<text x="{left + (_WIDTH - 40) / 2}" y="{_TOP + _HEIGHT + 44}" text-anchor="middle">sections</text>')
    places = [(across(sections), up(value), value) for sections, value in found]
    parts.append(f'<path class="line" d="M{_path(places)}"/>')
    for right, y, value in places:
        parts.append(f'<circle class="dot" cx="{right:.1f}" cy="{y:.1f}" r="4"/>')
        parts.append(f'<text class="small" x="{right:.1f}" y="{y - 9:.1f}" text-anchor="middle">{rounded(value)}</text>')
    return "\n".join(parts) + "\n"


def _path(places: Sequence[tuple[float, float, float]]) -> str:
    return "L".join(f"{x:.1f} {y:.1f}" for x, y, _ in places)


def _nice(value: float) -> float:
    """The next round number above a value, with room for what is written over the highest point."""
    unit = 10.0 ** math.floor(math.log10(max(value, 1e-9)))
    return next(step * unit for step in (1, 2, 4, 6, 8, 10, 20) if step * unit >= value * 1.1)


def rounded(value: float) -> str:
    """A figure as it is written in a chart: whole from 10 on, else two digits."""
    return f"{value:,.0f}" if value >= 10 or value == int(value) else f"{value:.2g}"
