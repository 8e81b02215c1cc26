"""Result files → the tables of docs/scaling.md: what was measured, and what it comes to for 10⁷, 10⁸ and 10⁹ sections.

Nothing is measured here. Each figure is a field of a file in `benchmarks/results`, a constant of the code, or made of these,
and its row says which. `--write` puts the tables into the page; a test compares the page with them.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent.parent
RESULTS, PAGE = HERE / "benchmarks" / "results", HERE / "docs" / "scaling.md"
#: Sections for which the arithmetic is done.
COUNTS = (10**7, 10**8, 10**9)
#: Cores in the example of how long a first build takes.
CORES = 100
#: As `schema.storage.indexes` has it: cells of an index of vectors for the root of the rows.
CELLS = 0.4
#: Bytes for each dimension of a vector in an index: one number of 8 bits, a code of 8 bits for 16 dimensions, one bit.
SQ, PQ, RQ = 1.0, 1 / 16, 1 / 8

Result = Mapping[str, Any]


def newest(folder: Path, kind: str, is_wanted: Callable[[Result], bool] = bool) -> tuple[str, Result]:
    """Return the name and the content of the newest result of a kind, such as "scale"."""
    found = [(path.name, json.loads(path.read_text(encoding="utf-8"))) for path in folder.glob(f"{kind}-*.json")]
    wanted = [(name, result) for name, result in found if is_wanted(result)]
    if not wanted:
        raise SystemExit(f"There is no result of {kind} in {folder}; run benchmarks/{kind}.py first.")
    return max(wanted, key=lambda one: one[1]["date"])


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines).replace("| --- |", "|---|").replace(" --- |", "---|")


# -- what was measured ---------------------------------------------------------------------------------------------------


def measured_table(scale: Result) -> str:
    """What a run of `scale.py` measured, by size."""
    sizes = scale["sizes"]

    def row(name: str, told: Callable[[Result], str]) -> list[str]:
        return [name, *map(told, sizes)]

    return table(
        ["", *(f"{size['build']['sections']:,}" for size in sizes)],
        [
            row(
                "build without the model, CPU a section",
                lambda s: f"{s['build']['cpu_ms_per_section_without_model']:.1f} ms",
            ),
            row("build: peak memory above its start", lambda s: f"{s['build']['peak_mb_above_start']:,.0f} MB"),
            row("index over text, after `index optimize`", lambda s: f"{s['optimize']['index_over_text']:.1f}"),
            row("a run that finds nothing changed, CPU", lambda s: f"{s['unchanged']['cpu_s']:.2f} s"),
            row("one edit, process that stays, CPU of the index run", lambda s: f"{s['edit']['index_cpu_s']:.2f} s"),
            row("one edit until it is found, process that stays", lambda s: f"{s['edit']['searchable_wall_s']:.2g} s"),
            row(
                "first query after an edit, and the next",
                lambda s: f"{s['edit']['first_query_wall_ms']:.0f}, {s['edit']['next_query_wall_ms']:.0f} ms",
            ),
            row("new process to its first answer, CPU", lambda s: f"{s['cold']['cpu_s']:.1f} s"),
            row("the same over `import lancedb` alone", lambda s: f"{s['cold']['cpu_over_import']:.2g}"),
            row("query in hybrid mode, median (beyond embedding)", lambda s: f"{s['warm']['p50_ms']:.0f} ms"),
            row("the same over LanceDB's bare hybrid query", lambda s: f"{s['bare']['ratio']:.1f}"),
            row("memory of the process that searches", lambda s: f"{s['warm']['resident_mb']:,.0f} MB"),
        ],
    )


def fleet_table(fleet: Result) -> str:
    """What a run of `fleet.py` measured, by phase."""
    phases = fleet["phases"]

    def row(name: str, told: Callable[[Result], object]) -> list[str]:
        return [name, *(str(told(phase)) for phase in phases)]

    return table(
        ["", *(phase["phase"] for phase in phases)],
        [
            row("seconds", lambda p: f"{p['seconds']:.0f}"),
            row("answers", lambda p: f"{p['answers']:,}"),
            row("answers with status 503", lambda p: p["answers_by_status"].get("503", 0)),
            row("errors other than 503", lambda p: p["errors_but_503"]),
            row("asked of another server, since a connection failed", lambda p: p["moved_after_a_failed_connection"]),
            row("median", lambda p: f"{p['median_ms']:,} ms"),
            row("95th percentile", lambda p: f"{p['p95_ms']:,} ms"),
        ],
    )


def servers_table(fleet: Result) -> str:
    """What each server of a run of `fleet.py` took."""
    restarts = {restart["server"]: restart for restart in fleet["restarts"]}
    return table(
        ["server", "most memory", "of it no files", "stopped after SIGTERM in", "exit status", "ready again after"],
        [
            [
                str(one["server"]),
                f"{one['most_resident_mb']} MB",
                f"{one['most_own_mb']} MB",
                f"{restarts[one['server']]['stopped_after_s']:.1f} s",
                str(restarts[one["server"]]["exit_code"]),
                f"{restarts[one['server']]['ready_after_s']:.1f} s",
            ]
            for one in fleet["memory"]
        ],
    )


def models_table(embedding: Result) -> str:
    """What a run of `embedding.py` measured, by model."""
    return table(
        ["model", "sections", "windows and headings", "tokens", "CPU", "sections in a CPU second", "tokens in a CPU second"],
        [
            [
                f"`{model['model']}`",
                f"{model['sections']:,}",
                f"{model['texts']:,}",
                f"{model['tokens']:,}",
                f"{model['cpu_s']:.1f} s",
                f"{model['sections_per_cpu_s']:.1f}",
                f"{model['tokens_per_cpu_s']:,}",
            ]
            for model in embedding["models"]
        ],
    )


# -- what it comes to ------------------------------------------------------------------------------------------------------


def arithmetic_table(scale: Result, embedding: Result) -> str:
    """What 10⁷, 10⁸ and 10⁹ sections come to, row by row with where it comes from."""
    size = scale["sizes"][-1]
    sections = size["build"]["sections"]
    first, second = embedding["models"]
    windows = second["texts"] / second["sections"]
    dimensions = windows * (first["dimension"] + second["dimension"]) + first["dimension"]
    build = size["build"]["cpu_ms_per_section_without_model"] / 1000
    one, two = first["cpu_s"] / first["sections"], second["cpu_s"] / second["sections"]
    whole = build + one + two
    e, s = "embedding", "scale"

    def row(name: str, told: Callable[[int], str], origin: str) -> list[str]:
        return [name, *map(told, COUNTS), origin]

    return table(
        ["", "10⁷ sections", "10⁸", "10⁹", "from"],
        [
            row("text", lambda n: data(n * size["disk"]["text_bytes"] / sections), f"{s}: `disk.text_bytes`"),
            row("index", lambda n: data(n * size["optimize"]["index_bytes"] / sections), f"{s}: `optimize.index_bytes`"),
            row("split, write, index", lambda n: hours(n * build), f"{s}: `build.cpu_ms_per_section_without_model`"),
            row("first model", lambda n: hours(n * one), f"{e}: `models[0].cpu_s`"),
            row("second model, if all is English", lambda n: hours(n * two), f"{e}: `models[1].cpu_s`"),
            row(f"first build on {CORES} cores", lambda n: elapsed(n * whole / CORES), "the three rows above"),
            row("the same without the second model", lambda n: elapsed(n * (build + one) / CORES), "two of them"),
            row("index of vectors, IVF_SQ", lambda n: data(n * dimensions * SQ), f"{e}: `texts`; a byte for each dimension"),
            row("the same, IVF_RQ", lambda n: data(n * dimensions * RQ), "1 bit a dimension"),
            row("the same, IVF_PQ", lambda n: data(n * dimensions * PQ), "8 bits for 16 dimensions"),
            row("cells of one index of all", lambda n: f"{CELLS * n**0.5:,.0f}", "code: 0.4 √rows"),
            row("indexes of the size that was run", lambda n: f"{n / sections:,.0f}", f"{s}: `build.sections`"),
            row(
                "memory of one process for each of them",
                lambda n: data(n / sections * size["warm"]["resident_mb"] * 1e6),
                f"{s}: `warm.resident_mb`",
            ),
            row(
                "CPU of a question that asks all of them",
                lambda n: f"{n / sections * size['warm']['cpu_mean_ms'] / 1000:,.0f} s",
                f"{s}: `warm.cpu_mean_ms`",
            ),
        ],
    )  # fmt: skip


def data(count: float) -> str:
    """Bytes in a unit that suits them, two digits or more.

    >>> data(28_045_000_000)
    '28 GB'
    """
    for unit, size in (("TB", 1e12), ("GB", 1e9)):
        if count >= size:
            return f"{two_digits(count / size)} {unit}"
    return f"{two_digits(count / 1e6)} MB"


def hours(seconds: float) -> str:
    """Seconds of CPU as hours.

    >>> hours(7_459_638)
    '2,100 CPU-hours'
    """
    return f"{two_digits(seconds / 3600)} CPU-hours"


def elapsed(seconds: float) -> str:
    """Seconds as hours or days.

    >>> elapsed(900_000)
    '10 days'
    """
    return f"{two_digits(seconds / 86_400)} days" if seconds >= 2 * 86_400 else f"{two_digits(seconds / 3600)} hours"


def two_digits(value: float) -> str:
    """A number with two digits that count, since nothing here is known better.

    >>> two_digits(1234.5), two_digits(0.25), two_digits(3.0)
    ('1,200', '0.25', '3.0')
    """
    if value >= 10:
        magnitude = 10 ** (len(str(int(value))) - 2)
        return f"{round(value / magnitude) * magnitude:,}"
    return f"{value:.1f}" if value >= 1 else f"{value:.2g}"


# -- the page --------------------------------------------------------------------------------------------------------------


def tables(results: Path = RESULTS) -> dict[str, str]:
    """Every table of the page by its name, with the files that it is made of."""
    of_scale, scale = newest(results, "scale", lambda result: result["sizes"][-1]["build"]["sections"] >= 100_000)
    of_fleet, fleet = newest(results, "fleet")
    of_models, embedding = newest(results, "embedding")

    def from_files(text: str, *names: str) -> str:
        return f"{text}\n\nFrom {' and '.join(f'`benchmarks/results/{name}`' for name in names)}."

    return {
        "measured": from_files(measured_table(scale), of_scale),
        "fleet": from_files(fleet_table(fleet), of_fleet),
        "servers": from_files(servers_table(fleet), of_fleet),
        "models": from_files(models_table(embedding), of_models),
        "arithmetic": from_files(arithmetic_table(scale, embedding), of_scale, of_models),
    }


def with_tables(page: str, made: Mapping[str, str]) -> str:
    """The text of a page with these tables between its marks, `<!-- table: NAME -->` and `<!-- end -->`."""
    for name, text in made.items():
        begin = f"<!-- table: {name} -->\n"
        if begin not in page:
            raise SystemExit(f"The page has no mark for the table {name}.")
        page = re.sub(
            rf"(?<={re.escape(begin)}).*?(?=<!-- end -->)",
            lambda _, text=text: f"\n{text}\n\n",
            page,
            count=1,
            flags=re.DOTALL,
        )
    return page


def put(description: str | None, pages: Mapping[Path, Mapping[str, str]]) -> int:
    """Read the command line, and print the tables by name or put them into their pages."""
    parser = argparse.ArgumentParser(description=description)
    names = " and ".join(page.name for page in pages)
    parser.add_argument("--write", action="store_true", help=f"put the tables into {names}")
    given = parser.parse_args()
    for page, made in pages.items():
        if given.write:
            page.write_text(with_tables(page.read_text(encoding="utf-8"), made), encoding="utf-8")
        else:
            print("\n\n".join(f"{name}:\n\n{text}" for name, text in made.items()))
    return 0


def main() -> int:
    """Print the tables, or put them into the page."""
    return put(__doc__, {PAGE: tables()})


if __name__ == "__main__":
    sys.exit(main())
