"""A file of results → the tables of docs/peers.md and README.md, between `<!-- peers -->` and `<!-- /peers -->`.

usage: python -m benchmarks.peers.table [RESULT.json]   (by default the newest result that is there)
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.peers.catalog import OURS, OURS_SAME_WEIGHTS

REPOSITORY = Path(__file__).resolve().parent.parent.parent
RESULTS = REPOSITORY / "benchmarks" / "results"
BEGIN, END = "<!-- peers -->", "<!-- /peers -->"
Result = Mapping[str, Any]
NOTHING = "–"
#: Columns of the table of costs: what stands above, and the figures under it.
COSTS = (
    ("index: s", ("index_wall_s",)),
    ("CPU s", ("index_cpu_s",)),
    ("no change: s", ("unchanged_wall_s",)),
    ("edit: s", ("edit_wall_s",)),
    ("running: no change, edit: s", ("running_unchanged_s", "running_edit_s")),
    ("cold query: s", ("cold_wall_s",)),
    ("warm query p50, p95: ms", ("p50_ms", "p95_ms")),
    ("peak MB: index, search", ("index_peak_mb", "search_peak_mb")),
    ("disk: MB", ("disk_mb",)),
)
#: Columns of the table of ratios.
RATIOS = (
    ("index", "index_wall_s"),
    ("no change", "unchanged_wall_s"),
    ("edit", "edit_wall_s"),
    ("running: no change", "running_unchanged_s"),
    ("running: edit", "running_edit_s"),
    ("cold query", "cold_wall_s"),
    ("warm query p50", "p50_ms"),
    ("peak memory of the index run", "index_peak_mb"),
)
OF_README = (
    ("index: s", ("index_wall_s",)),
    ("no change: s", ("unchanged_wall_s",)),
    ("one-line edit: s", ("edit_wall_s",)),
    ("cold query: s", ("cold_wall_s",)),
    ("warm query: ms", ("p50_ms",)),
    ("peak memory: MB", ("index_peak_mb",)),
)


def written(value: float | None) -> str:
    """Return a figure as a table shows it: three digits, at most three behind the point."""
    if value is None:
        return NOTHING
    if value >= 100:
        return f"{value:,.0f}"
    if value >= 10:
        return f"{value:.1f}"
    return f"{value:.2f}" if value >= 0.1 or not value else f"{value:.3f}"


def markdown(result: Result) -> str:
    """Return all tables of a result, for the documentation."""
    machine, summary = result["machine"], result["summary"]
    measured = (
        f"Measured on {result['date'][:10]} at commit `{result['commit'][:12]}`, {machine['processor']}, "
        f"{machine['cores']} cores, Python {machine['python']}."
    )
    parts = [measured]
    for corpus, medians in summary["medians"].items():
        parts += [f"### {corpus}", _corpus_line(result, corpus), "\n".join(_costs(result, medians, COSTS))]
        parts.append("Quality, S@1 and nDCG@10; by section, then by file:")
        parts.append("\n".join(_quality(result, corpus)))
        for base in (OURS_SAME_WEIGHTS, OURS):
            if rows := list(_ratios(result, base, corpus)):
                parts += [
                    f"Ratios to {result['titles'][base]} of the same repeat, median (least – greatest of several):",
                    "\n".join(rows),
                ]
    if lines := list(_missing(result)):
        parts += ["### Not measured", "\n".join(lines)]
    return "\n\n".join(parts)


def readme(result: Result) -> str:
    """Return one table for each corpus, for the README."""
    parts = []
    for corpus, medians in result["summary"]["medians"].items():
        sets = list(result["corpora"][corpus]["questions"])[:1]
        columns = [*(name for name, _ in OF_README), *(f"S@1, nDCG@10 ({name})" for name in sets)]
        rows = [_row(["system", *columns]), _row(["---"] * (len(columns) + 1))]
        for peer, figures in medians.items():
            cells = [", ".join(written(figures[one]) for one in names) for _, names in OF_README]
            cells += [_best(result, corpus, peer, name) for name in sets]
            rows.append(_row([result["titles"][peer], *cells]))
        parts += [f"{corpus}: {_corpus_line(result, corpus)}", "\n".join(rows)]
    machine = result["machine"]
    ending = (
        f"Measured on {result['date'][:10]}, {machine['processor']}, {machine['cores']} cores; medians. Quality by section, "
        "ours in its default mode, each other system in its best one. "
        "[All figures, and how they were measured](docs/peers.md)."
    )
    return "\n\n".join([*parts, ending])


def _corpus_line(result: Result, corpus: str) -> str:
    told = result["corpora"][corpus]
    repeats = max(run["repeat"] for run in result["runs"] if run["corpus"] == corpus) + 1
    asked = ", ".join(f"{count} of {name}" for name, count in told["questions"].items())
    return (
        f"{told['files']} files, {told['bytes'] / 1e6:.2f} MB, {told['sections']} sections; "
        f"repeats: {repeats}; questions: {asked}."
    )


def _costs(result: Result, medians: Mapping[str, Any], columns: Sequence[tuple[str, Sequence[str]]]) -> Iterator[str]:
    yield _row(["system", *(name for name, _ in columns)])
    yield _row(["---"] * (len(columns) + 1))
    for peer, figures in medians.items():
        yield _row([result["titles"][peer], *(", ".join(written(figures[one]) for one in names) for _, names in columns)])


def qualities(result: Result, corpus: str, peer: str) -> Mapping[str, Any]:
    """Return the qualities of a peer by mode, {} if none was measured."""
    found = (run["quality"] for run in result["runs"] if (run["corpus"], run["peer"]) == (corpus, peer) and "quality" in run)
    return next(found, {})


def _quality(result: Result, corpus: str) -> Iterator[str]:
    sets = list(result["corpora"][corpus]["questions"])
    yield _row(["system", "mode", *(f"{name}: {level}" for name in sets for level in ("sections", "files"))])
    yield _row(["---"] * (2 + 2 * len(sets)))
    for peer in result["summary"]["medians"][corpus]:
        for mode, by_set in qualities(result, corpus, peer).items():
            cells = [_scores(by_set[name][level]) for name in sets for level in ("sections", "files")]
            yield _row([result["titles"][peer], mode, *cells])


def _best(result: Result, corpus: str, peer: str, name: str) -> str:
    """Return the scores of the mode with the best nDCG@10 of sections; those of the default mode for ours."""
    by_mode = qualities(result, corpus, peer)
    if peer in (OURS, OURS_SAME_WEIGHTS):
        by_mode = {mode: found for mode, found in by_mode.items() if mode == "hybrid"}
    scores = [by_set[name]["sections"] for by_set in by_mode.values() if name in by_set]
    known = [one for one in scores if one["nDCG@10"] is not None]
    return _scores(max(known, key=lambda one: one["nDCG@10"])) if known else NOTHING


def _scores(scores: Mapping[str, float | None]) -> str:
    return ", ".join(NOTHING if scores[name] is None else f"{scores[name]:.3f}" for name in ("S@1", "nDCG@10"))


def _ratios(result: Result, base: str, corpus: str) -> Iterator[str]:
    found = result["summary"]["ratios"].get(base, {}).get(corpus, {})
    if not found:
        return
    yield _row(["system", *(name for name, _ in RATIOS)])
    yield _row(["---"] * (len(RATIOS) + 1))
    for peer, ratios in found.items():
        if peer not in (OURS, OURS_SAME_WEIGHTS):
            yield _row([result["titles"][peer], *(_ratio(ratios[key]) for _, key in RATIOS)])


def _ratio(ratio: Mapping[str, float] | None) -> str:
    if ratio is None:
        return NOTHING
    if ratio["min"] == ratio["max"]:
        return written(ratio["median"])
    return f"{written(ratio['median'])} ({written(ratio['min'])} – {written(ratio['max'])})"


def _missing(result: Result) -> Iterator[str]:
    """Return a line for each peer that cannot run, and for each repeat that was stopped or failed."""
    for peer, reason in result["unavailable"].items():
        yield f"* {result['titles'][peer]}: {_plain(reason)}"
    for run in result["runs"]:
        for word in ("stopped", "failed"):
            if word in run:
                yield f"* {result['titles'][run['peer']]} on {run['corpus']}, {word}: {_plain(run[word])}"
        for step in ("edit", "running"):
            if run.get(step, {}).get("found") is False and not run["repeat"]:
                where = "a new process" if step == "edit" else "the running process"
                yield f"* {result['titles'][run['peer']]} on {run['corpus']}: the added line was not found by {where}"


def _plain(text: str) -> str:
    """Return what a program said, as code: it cannot end the table or the comment."""
    return "`" + " ".join(text.replace("`", "'").split()) + "`"


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def replaced(page: str, block: str) -> str:
    """Return a page with a block between the two comments.

    Raises:
        ValueError: the page does not have each comment once, in this order.
    """
    if page.count(BEGIN) != 1 or page.count(END) != 1 or page.index(BEGIN) > page.index(END):
        raise ValueError(f"the page needs {BEGIN} and {END} once each, in this order")
    before, rest = page.split(BEGIN)
    return f"{before}{BEGIN}\n\n{block}\n\n{END}{rest.split(END)[1]}"


def block_of(page: str) -> str:
    """Return what stands between the two comments."""
    return page.partition(BEGIN)[2].partition(END)[0].strip()


def newest(folder: Path = RESULTS) -> Path | None:
    """Return the newest result by its date, None if there is none."""
    files = list(folder.glob("peers-*.json"))
    return max(files, key=lambda file: json.loads(file.read_text(encoding="utf-8"))["date"], default=None)


def main(arguments: Sequence[str]) -> int:
    """Write the tables of a result into the pages."""
    file = Path(arguments[0]) if arguments else newest()
    if file is None:
        print("no file peers-*.json is in benchmarks/results: run `make bench-peers`", file=sys.stderr)
        return 1
    result = json.loads(file.read_text(encoding="utf-8"))
    for page, block in ((REPOSITORY / "docs" / "peers.md", markdown(result)), (REPOSITORY / "README.md", readme(result))):
        page.write_text(replaced(page.read_text(encoding="utf-8"), block), encoding="utf-8")
        print(f"{page.name}: the table of {file.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
