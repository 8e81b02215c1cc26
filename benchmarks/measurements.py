"""Result files → the tables of docs/measurements.md, the first one of README.md, and that of docs/retrieval-log.md.

Nothing is measured here: each figure is a field of a file in `benchmarks/results`, and each table names its files. `--write`
puts the tables into the pages; a test compares the pages with them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from ablation import VARIANTS
from arithmetic import Result, newest, put, table

HERE = Path(__file__).resolve().parent.parent
RESULTS = HERE / "benchmarks" / "results"
PAGE, README, RETRIEVAL = HERE / "docs" / "measurements.md", HERE / "README.md", HERE / "docs" / "retrieval-log.md"
#: What the datasets are, by name.
DATASETS = {
    "claude_docs": "claude_docs, {questions} questions about English documentation",
    "scifact": "SciFact, {questions} scientific claims (BEIR)",
    "jaquad_dev": "JaQuAD dev, {questions} Japanese questions",
}
#: What the sets of questions are, by name.
SETS = {
    "rust-book": "English questions about the Rust book",
    "ja-to-rust-book": "the same book, asked in Japanese",
    "ko-to-rust-book": "the same book, asked in Korean",
    "k8s-community": "English questions about the Kubernetes community's pages",
    "vue-docs-ja": "Japanese questions about the Japanese documentation of Vue",
    "react-ko": "Korean questions about the Korean documentation of React",
    "k8s-community-2": "the Kubernetes community's pages, 50 harder questions",
    "vue-docs-ja-2": "the Japanese documentation of Vue, 60 harder questions",
    "react-ko-2": "the Korean documentation of React, 60 harder questions",
}
Row = list[str]


def dataset_rows(quality: Result) -> list[Row]:
    """What each dataset gives: nDCG@10 and Recall@100."""
    rows = []
    for found in quality["datasets"]:
        name = DATASETS[found["name"]].format(questions=f"{found['questions']:,}")
        name += "" if found["mode"] == "hybrid" else "; by words alone"
        rows.append([name, f"nDCG@10 {found['nDCG@10']:.3f}, Recall@100 {found['Recall@100']:.3f}"])
    return rows


def question_rows(quality: Result) -> list[Row]:
    """What each set of real questions gives."""
    return [
        [SETS[found["questions"]], *(f"{found[name]:.2f}" for name in ("S@1", "S@3", "nDCG@10", "snippet", "AUC"))]
        for found in quality["questions"]
    ]


def query_row(querying: Result) -> Row:
    """What a warm query costs."""
    return [
        f"a warm query over {querying['sections']:,} sections, ten hits with context",
        f"{querying['p50_ms']:.0f} ms median, {querying['p95_ms']:.0f} at the 95th percentile, beyond embedding it",
    ]


def unchanged_row(freshness: Result) -> Row:
    """What a run costs that finds nothing to do."""
    found = freshness["unchanged"]
    return [
        f"a run that finds nothing changed, over {found['files']:,} files with {found['sections']:,} sections",
        f"{found['cpu_s']:.2f} s of CPU beyond start and imports",
    ]


def searching_rows(querying: Result, starting: Result, freshness: Result, fleet: Result) -> list[Row]:
    """What searching costs."""
    edits, one, cpu = freshness["edits"], fleet["phases"][0], starting["cpu_s"]
    asked = f"{fleet['clients']} clients of {fleet['servers']} servers for {one['seconds']:.0f} s while files are indexed"
    answered = f"median {one['median_ms'] / 1000:.1f} s, 95th percentile {one['p95_ms'] / 1000:.1f} s"
    with_server = f"{starting['with_server_s']:.2f} s of wall time; Python's own start {starting['python_alone_s']:.3f} s"
    return [
        query_row(querying),
        ["the same over LanceDB's own bare hybrid query", f"{querying['over_bare_query']:.1f}x"],
        *(
            [f"the first search of a new process, {what}, over `import lancedb` alone ({starting['corpus']}, CPU)", told]
            for name, what in (("lexical", "by words"), ("hybrid", "hybrid"), ("Japanese", "in Japanese"))
            if (told := f"{cpu[name] / cpu['import']:.2f}x")
        ),
        ["a search while a server of the index runs", with_server],
        [asked, f"{one['errors_but_503']} errors, {answered}"],
        [
            f"query latency after {edits['edits']:,} edits of one section, one commit each, over that before",
            f"{edits['query_after_ms'] / edits['query_before_ms']:.2f}x",
        ],
    ]


def indexing_rows(indexing: Result, freshness: Result, starting: Result) -> list[Row]:
    """What indexing costs."""
    splitter, pipeline = indexing["splitter"], indexing["pipeline"]
    cpu, edits = starting["cpu_s"], freshness["edits"]
    read = [f"{one['tokens'] / one['tokens_of_files']:.2f} ({name})" for name, one in indexing["reading"].items()]
    counted, bare = splitter["over_full_parse"], splitter["without_counts_over_full_parse"]
    return [
        [
            "a first index run, over the bare encoder on the same windows (all-MiniLM-L6-v2)",
            f"{pipeline['over_bare_encoder']:.2f}x its time (the encoder's default batches are not sorted by tokens)",
        ],
        ["tokens that a model reads, over those of the files", ", ".join(read)],
        [
            "the splitter, token counts included, over a full markdown-it-py parse",
            f"{counted:.1f}x its speed ({bare:.1f}x without counts)",
        ],
        unchanged_row(freshness),
        [
            f"the whole process of such a run, over `import lancedb` alone ({starting['corpus']}, CPU)",
            f"{cpu['unchanged'] / cpu['import']:.2f}x",
        ],
        [
            "one appended line until its vectors are stored, the whole process, over the same",
            f"{cpu['line'] / cpu['import']:.2f}x",
        ],
        [
            f"disk in the course of {edits['edits']:,} edits, over the data",
            f"{edits['disk_over_data_at_most']:.1f}x at most",
        ],
        ["`index --help`", f"{cpu['help']:.2f} s of CPU"],
    ]


def change(figures: Result, whole: Result) -> str:
    """How much a variant changes nDCG@10, in bold if the interval of the difference leaves out 0."""
    low, high = figures["bounds"]
    if low == high == 0:
        return "·"
    told = f"{figures['nDCG@10'] - whole['nDCG@10']:+.3f}".replace("0.", ".").replace("-", "−")
    told = "0" if told.endswith(".000") else told
    return f"**{told}**" if low > 0 or high < 0 else told


def newest_sets(results: Path) -> tuple[list[Result], list[tuple[str, Result]]]:
    """What the newest ablations that asked it say of each set of questions, and the names and contents of these files.

    A variant has the figures of the newest one that asked with it, compared with the ranking as it was then.
    """
    found = [(path.name, json.loads(path.read_text(encoding="utf-8"))) for path in results.glob("ablation-*.json")]
    sets: dict[str, Result] = {}
    files = []
    for name, result in sorted(found, key=lambda one: one[1]["date"], reverse=True):
        is_fresh = False
        for one in result["sets"]:
            known = sets.setdefault(one["name"], {**one, "variants": {}})
            fresh = {variant: {**figures, "of": one["as it is"]} for variant, figures in one["variants"].items()}
            is_fresh |= known["as it is"] is one["as it is"] or not fresh.keys() <= known["variants"].keys()
            known["variants"] = {**fresh, **known["variants"]}
        files += [(name, result)] if is_fresh else []
    return [sets[name] for name in (*DATASETS, *SETS) if name in sets], files


def step_rows(sets: Sequence[Result]) -> list[Row]:
    """What each set of questions gives, and how that changes with each variant of the ranking; "–" for one not measured."""
    whole = [f"{one['as it is']['nDCG@10']:.3f}".removeprefix("0") for one in sets]
    asked = {name for one in sets for name in one["variants"]}
    return [
        ["questions", *(f"{one['questions']:,}" for one in sets)],
        ["**as it is**", *whole],
        *([name, *(step(one["variants"].get(name)) for one in sets)] for name in VARIANTS if name in asked),
    ]


def step(figures: Result | None) -> str:
    """The change that a variant makes; "–" for one not measured."""
    return "–" if figures is None else change(figures, figures["of"])


def tables(results: Path = RESULTS) -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    """The tables of the page, of the README and of the log of the ranking, by name."""
    kinds = ("quality", "querying", "starting", "freshness", "indexing", "fleet")
    found = {kind: newest(results, kind) for kind in kinds}

    def told(text: str, *kinds: str, files: Sequence[tuple[str, Result]] = ()) -> str:
        given = [*(found[kind] for kind in kinds), *files]
        names = [f"`benchmarks/results/{name}` ({result['date'][:10]})" for name, result in given]
        return f"{text}\n\nFrom {', '.join(names)}."

    of = {kind: result for kind, (_, result) in found.items()}
    head = ["what", "figure"]
    questions = table(["questions", "S@1", "S@3", "nDCG@10", "snippet", "AUC"], question_rows(of["quality"]))
    page = {
        "datasets": told(table(head, dataset_rows(of["quality"])), "quality"),
        "questions": told(questions, "quality"),
        "searching": told(
            table(head, searching_rows(of["querying"], of["starting"], of["freshness"], of["fleet"])),
            "querying",
            "starting",
            "freshness",
            "fleet",
        ),
        "indexing": told(
            table(head, indexing_rows(of["indexing"], of["freshness"], of["starting"])), "indexing", "freshness", "starting"
        ),
    }
    first = [f"the expected section comes first: {SETS[one['questions']]}" for one in of["quality"]["questions"]]
    numbers = [
        *dataset_rows(of["quality"]),
        *([name, f"{one['S@1']:.2f}"] for name, one in zip(first, of["quality"]["questions"], strict=True)),
        query_row(of["querying"]),
        unchanged_row(of["freshness"]),
    ]
    sets, files = newest_sets(results)
    steps = table(["", *(one["name"] for one in sets)], step_rows(sets))
    return (
        page,
        {"numbers": told(table(head, numbers), "quality", "querying", "freshness")},
        {"steps": told(steps, files=files)},
    )


def main() -> int:
    """Print the tables, or put them into the pages."""
    return put(__doc__, dict(zip((PAGE, README, RETRIEVAL), tables(), strict=True)))


if __name__ == "__main__":
    sys.exit(main())
