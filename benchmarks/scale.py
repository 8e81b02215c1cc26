"""What an index of 1,000 to 1,000,000 sections costs: to build, to keep, to search, in time, memory and disk.

Documents are grown from the real ones beside the project (`grown.py`). Vectors come from a fake (`HashedWordsPair`); its
own time is left out where a figure says so. Each thing is measured in a process of its own (`probes.py`), which spoils no
other's memory or start. Figures are written after each step, so that a run broken off leaves what it has.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import NamedTuple

from chart import chart
from grown import Source, Vocabulary, grow, questions
from meters import Figures, provenance, result_name
from probes import LIMIT, append_line, edited_files

from indexer.decoding import decode
from indexer.splitter import MarkdownSplitter
from schema.storage.maintenance import disk_bytes

HERE = Path(__file__).resolve().parent.parent
CORPORA = HERE.parent / "shared" / "corpora"
STEPS = ("cold", "warm", "bare", "recall", "unchanged", "edit", "update", "optimize")
#: Room that a section takes while all is measured: text, index, older versions and the bare table (bytes).
_ROOM = 60_000
#: Files younger than this are read again, since their times cannot be trusted (seconds).
_YOUNG = 2.1
#: What the table shows: a name, where the figure stands, and how it is written.
ROWS = (
    ("sections", "build.sections", ",.0f"),
    ("build: sections a second", "build.sections_per_s", ",.0f"),
    ("build: CPU ms a section without the model", "build.cpu_ms_per_section_without_model", ".2f"),
    ("build: peak memory above its start, MB", "build.peak_mb_above_start", ",.0f"),
    ("disk after the build: MB", "disk.index_mb", ",.0f"),
    ("disk after the build: index over text", "disk.index_over_text", ".1f"),
    ("disk after optimize: MB", "optimize.index_mb", ",.0f"),
    ("disk after optimize: index over text", "optimize.index_over_text", ".1f"),
    ("no change: CPU s", "unchanged.cpu_s", ".2f"),
    ("no change: wall s", "unchanged.wall_s", ".2f"),
    ("one edit, process that stays: CPU s of the index run", "edit.index_cpu_s", ".2f"),
    ("one edit, process that stays: wall s of the index run", "edit.index_wall_s", ".2f"),
    ("one edit until it is found: wall s", "edit.searchable_wall_s", ".2f"),
    ("one edit, new process: CPU s", "update.cpu_s", ".2f"),
    ("one edit, new process: wall s", "update.wall_s", ".2f"),
    ("first query after an edit: ms", "edit.first_query_wall_ms", ",.0f"),
    ("the next query: ms", "edit.next_query_wall_ms", ",.1f"),
    ("optimize: CPU s", "optimize.cpu_s", ".1f"),
    ("optimize: wall s", "optimize.wall_s", ".1f"),
    ("new process to its first answer: CPU s", "cold.cpu_s", ".2f"),
    ("new process to its first answer: wall s", "cold.wall_s", ".2f"),
    ("the same over `import lancedb` alone, CPU", "cold.cpu_over_import", ".2f"),
    ("hybrid query: p50 ms", "warm.p50_ms", ",.1f"),
    ("hybrid query: p95 ms", "warm.p95_ms", ",.1f"),
    ("searching: resident memory, MB", "warm.resident_mb", ",.0f"),
    ("searching: the same above its start, MB", "warm.resident_mb_above_start", ",.0f"),
    ("LanceDB's bare hybrid query: p50 ms", "bare.bare_p50_ms", ",.1f"),
    ("hybrid query over the bare one", "bare.ratio", ".2f"),
)


class Run(NamedTuple):
    """A process that has ended: its seconds of wall and CPU time, and what it printed."""

    wall_s: float
    cpu_s: float
    output: str


class ProbeError(Exception):
    """Raised when a process that measures something fails."""


def run(arguments: Sequence[str | Path], config: Path) -> Run:
    """Run Python on this working tree, with a folder of its own for what is remembered of indexes."""
    paths = [str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "SECTIONARY_CONFIG_DIR": str(config)}
    with tempfile.TemporaryFile() as errors, tempfile.TemporaryFile() as output:
        begun = time.perf_counter()
        process = subprocess.Popen([sys.executable, *arguments], cwd=HERE, env=environment, stdout=output, stderr=errors)
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            process.kill()
            raise
        wall = time.perf_counter() - begun
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        if process.returncode:
            lines = errors.read().decode("utf-8", "replace").strip().splitlines()
            raise ProbeError(f"exit status {process.returncode}: {lines[-1] if lines else 'no message'}")
        return Run(wall, usage.ru_utime + usage.ru_stime, output.read().decode())


def read_sources(corpora: Path) -> list[Source]:
    """Every Markdown file of a folder with the number of its sections."""
    splitter = MarkdownSplitter()
    found = []
    for path in sorted(corpora.rglob("*.md")):
        name = path.relative_to(corpora).as_posix()
        if any(part.startswith(".") for part in name.split("/")):  # an index run leaves them out
            continue
        text = decode(path.read_bytes()).text
        found.append(Source(name, text, max(1, len(splitter.split(text, name)))))
    return found


class Size:
    """The measurements over one number of sections, in a folder that holds its documents and its index."""

    def __init__(self, home: Path, figures: Figures, *, rounds: int, save: Callable[[], None]) -> None:
        self.home = home
        self.figures = figures
        self._rounds = rounds
        self._save = save

    def probe(self, name: str) -> Run:
        """One thing measured in a process of its own."""
        return run([HERE / "benchmarks" / "probes.py", name, self.home, self.home / "questions.json"], self.home / "config")

    def measure(self, name: str, work: Callable[[], Figures] | None = None) -> bool:
        """Keep the figures of a step under its name, or why there are none; say how long it took."""
        begun = time.perf_counter()
        try:
            self.figures[name] = work() if work else json.loads(self.probe(name).output)
        except ProbeError as error:
            self.figures[name] = {"failed": str(error)}
        said = self.figures[name].get("failed") or self.figures[name].get("skipped") or ""
        print(f"  {name:<10}{time.perf_counter() - begun:8.1f} s  {said}", file=sys.stderr, flush=True)
        self._save()
        return "failed" not in self.figures[name]

    def disk(self) -> Figures:
        """Bytes of the index and of the text under it."""
        index, text = disk_bytes(self.home / "index"), disk_bytes(self.home / "docs")
        return {"index_bytes": index, "index_mb": index / 1e6, "text_bytes": text, "index_over_text": index / text}

    def cold(self) -> Figures:
        """New processes to their first answer in turns with others that only import lancedb, after one of each."""
        answers, imports, figures = [], [], {}
        for number in range(self._rounds + 1):
            imported, answered = run(["-c", "import lancedb"], self.home / "config"), self.probe("cold")
            figures = json.loads(answered.output)
            if number:
                imports.append(imported)
                answers.append(answered)
        found = _medians(answers)
        base = _medians(imports)
        return {
            **found,
            **{f"import_{name}": value for name, value in base.items()},
            "cpu_over_import": found["cpu_s"] / base["cpu_s"],
            "wall_over_import": found["wall_s"] / base["wall_s"],
            "peak_mb": figures["peak_mb"],
        }

    def update(self) -> Figures:
        """One edited section, brought into the index by a new process."""
        runs, peaks = [], []
        for path in edited_files(self.home, self._rounds, seed=2):
            append_line(path)
            runs.append(self.probe("update"))
            figures = json.loads(runs[-1].output)
            if not figures["vectors"]:
                raise ProbeError("no vector was made")
            peaks.append(figures["peak_mb"])
        return {**_medians(runs), "peak_mb": max(peaks)}

    def optimize(self) -> Figures:
        """Merging what the edits left, and the disk that the index takes then."""
        return {**json.loads(self.probe("optimize").output), **self.disk()}


def _medians(runs: Sequence[Run]) -> Figures:
    return {"wall_s": median(each.wall_s for each in runs), "cpu_s": median(each.cpu_s for each in runs)}


def measure(size: Size, without: Sequence[str]) -> None:
    """Build an index and measure what is asked of it."""
    if not size.measure("build"):
        return
    size.measure("disk", size.disk)
    steps: dict[str, Callable[[], Figures]] = {"cold": size.cold, "update": size.update, "optimize": size.optimize}
    for name in STEPS:
        if name in without:
            continue
        if name == "unchanged":
            time.sleep(_YOUNG)
        size.measure(name, steps.get(name))


def write_questions(home: Path, count: int, seed: int) -> int:
    """Take queries from the headings and sentences of the documents; how many there are."""
    files = sorted((home / "docs").rglob("*.md"))
    random.Random(seed).shuffle(files)
    texts = (file.read_text(encoding="utf-8", errors="replace") for file in files * 4)
    found = questions(texts, count, seed=seed)
    (home / "questions.json").write_text(json.dumps(found, ensure_ascii=False), encoding="utf-8")
    return len(found)


def table(sizes: Sequence[Figures]) -> Iterator[str]:
    """The figures as lines, a column for each size."""
    for name, place, form in ROWS:
        step, key = place.split(".")
        values = [size.get(step, {}).get(key) for size in sizes]
        yield f"{name:<55}" + "".join(f"{'–' if value is None else format(value, form):>14}" for value in values)
    for size in sizes:
        for name, value in size.get("recall", {}).get("recall_at_10", {}).items():
            yield f"recall@10 of {name} at {size['build']['sections']:,} sections: {value:.3f}"
        for step, figures in size.items():
            if isinstance(figures, dict) and (said := figures.get("failed") or figures.get("skipped")):
                yield f"{step} at {size['sections_asked']:,} sections: {said}"


def options() -> argparse.Namespace:
    """What was asked on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sections", type=int, nargs="+", default=[1000, 10_000], help="sizes to measure (1000 10000)")
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3, help="processes of each kind that is measured from without")
    parser.add_argument("--share", type=float, default=0.2, help="share of the words that each copy replaces (0.2)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--without", choices=STEPS, nargs="+", default=[], help="leave these measurements out")
    parser.add_argument("--folder", type=Path, help="where documents and index stand meanwhile (the system's own place)")
    parser.add_argument("--results", type=Path, default=HERE / "benchmarks" / "results", help="folder of the JSON file")
    parser.add_argument("--chart", type=Path, help="an SVG file to draw from the result")
    parser.add_argument("--from", dest="earlier", type=Path, help="draw from this JSON file and measure nothing")
    return parser.parse_args()


def main() -> int:
    """Measure each size, print the table, write the figures."""
    given = options()
    if given.earlier:
        draw(given.chart, json.loads(given.earlier.read_text(encoding="utf-8")))
        return 0
    if not CORPORA.is_dir():
        print("the corpora of real documentation are not beside the project: nothing to measure")
        return 0
    result = new_result(given)
    target = free_name(given.results, result_name("scale", result))
    sources = read_sources(CORPORA)
    vocabulary = Vocabulary.of([source.text for source in sources])
    for sections in given.sections:
        if shutil.disk_usage(given.folder or tempfile.gettempdir()).free < sections * _ROOM:
            print(
                f"{sections:,} sections: less than {sections * _ROOM / 1e9:,.0f} GB of disk are free, so they are left out"
            )
            continue
        figures: Figures = {"sections_asked": sections, "load_average_before": os.getloadavg()[0]}
        result["sizes"].append(figures)
        with tempfile.TemporaryDirectory(prefix="scale-", dir=given.folder) as home:
            size = Size(Path(home), figures, rounds=max(1, given.rounds), save=partial(write, target, result))
            grow_into(size.home, sources, vocabulary, sections, given)
            measure(size, given.without)
    if result["sizes"]:
        print(*table(result["sizes"]), f"written to {target}", sep="\n")
        draw(given.chart, result)
    return 0


def new_result(given: argparse.Namespace) -> Figures:
    """A result without sizes: when, of which commit, on what machine, with which options."""
    asked = {name: getattr(given, name) for name in ("queries", "rounds", "share", "seed")}
    return {
        **provenance(),
        "options": {**asked, "embedder": "HashedWordsPair", "query_limit": LIMIT},
        "sizes": [],
    }


def grow_into(
    home: Path, sources: Sequence[Source], vocabulary: Vocabulary, sections: int, given: argparse.Namespace
) -> None:
    """Write the documents of one size and the queries about them, and say how many there are."""
    begun = time.perf_counter()
    (home / "config").mkdir()
    grown = grow(home / "docs", sources, vocabulary, sections, share=given.share, seed=given.seed)
    count = write_questions(home, given.queries, given.seed)
    print(
        f"{grown.sections:,} sections in {grown.documents:,} documents of {grown.text_bytes / 1e6:,.0f} MB, "
        f"grown in {time.perf_counter() - begun:.0f} s; {count} queries",
        file=sys.stderr,
    )


def draw(place: Path | None, result: Figures) -> None:
    """Write the chart of a result where a place for it is given."""
    if place:
        place.write_text(chart(result), encoding="utf-8")


def write(target: Path, result: Figures) -> None:
    """Write the figures, whole or not at all."""
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_suffix(".part")
    part.write_text(json.dumps(result, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    part.replace(target)


def free_name(folder: Path, stem: str) -> Path:
    """A JSON file that is not there yet: figures of an earlier run are kept."""
    names = (f"{stem}.json" if not number else f"{stem}-{number + 1}.json" for number in range(1000))
    return next(folder / name for name in names if not (folder / name).exists())


if __name__ == "__main__":
    sys.exit(main())
