"""Measure Sectionary and its peers over the same files, in turns, and write every figure into a file of results.

A run that was broken off goes on where it was when it is started again at the same commit. Peers are installed into
environments of their own first; one that cannot run here is named in the result with the reason.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.meters import Figures, provenance, result_name
from benchmarks.peers import corpora, table
from benchmarks.peers.bars import draw
from benchmarks.peers.catalog import BY_NAME, PEERS
from benchmarks.peers.environments import REPOSITORY, Runner, UnavailableError, runner
from benchmarks.peers.figures import summarize
from benchmarks.peers.measuring import Task, measure
from benchmarks.peers.scoring import FileText
from indexer.decoding import decode
from indexer.models.model_files import ENGLISH_MODEL, ModelFiles
from indexer.splitter import MarkdownSplitter

RESULTS = REPOSITORY / "benchmarks" / "results"
SHARED = REPOSITORY.parent / "shared"
#: Everything that is compared; results of others are not continued.
_SAME = ("kilobytes", "limit_minutes")


def say(text: str) -> None:
    """Print how far it is."""
    print(text, file=sys.stderr, flush=True)


def task_of(corpus: corpora.Corpus, given: argparse.Namespace) -> Task:
    """Return the files, questions and sections of a corpus."""
    folder = given.corpora / corpus.name
    sizes = corpora.sizes_under(folder, corpus.under)
    files = [given.questions / f"{name}.jsonl" for name in corpus.questions]
    files = [file for file in files if file.is_file()]
    wanted = set().union(*map(corpora.gold_paths, files)) & sizes.keys()
    paths = corpora.choose(sizes, wanted, given.kilobytes * 1000)
    others = sorted((path for path in paths if path not in wanted), key=lambda path: (sizes[path], path)) or paths
    splitter = MarkdownSplitter()
    texts = {}
    for path in paths:
        text = decode((folder / path).read_bytes()).text
        texts[path] = FileText(text, [(one.start_line, one.depth) for one in splitter.split(text, path)])
    return Task(
        corpus=corpus.name,
        folder=folder,
        paths=paths,
        edited_path=others[len(others) // 2],
        questions={file.stem: corpora.read_questions(file, paths) for file in files},
        texts=texts,
    )


def described(task: Task) -> dict[str, Any]:
    """Return what the result says of a corpus."""
    return {
        "files": len(task.paths),
        "bytes": sum((task.folder / path).stat().st_size for path in task.paths),
        "sections": sum(len(text.sections) for text in task.texts.values()),
        "questions": {name: len(questions) for name, questions in task.questions.items()},
        "edited": task.edited_path,
    }


class Result:
    """The file of results, written after every repeat."""

    def __init__(self, file: Path, given: argparse.Namespace, origin: Figures) -> None:
        self._file = file
        options = {name: getattr(given, name) for name in _SAME}
        self.content: dict[str, Any] = {
            **origin,
            "options": options,
            "titles": {entry.name: entry.title for entry in PEERS},
            "weights": {entry.name: entry.weights for entry in PEERS},
            "versions": {},
            "unavailable": {},
            "corpora": {},
            "runs": [],
        }
        if file.exists() and not given.fresh:
            earlier = json.loads(file.read_text(encoding="utf-8"))
            if earlier["options"] == options:
                self.content = earlier
                say(f"goes on with {file}, which has {len(earlier['runs'])} repeats")
            else:
                raise SystemExit(f"{file} was made with other options {earlier['options']}; use --fresh or another --out")

    def run(self, corpus: str, peer: str, repeat: int) -> dict[str, Any] | None:
        """Return the figures of a repeat if they are there."""
        key = {"corpus": corpus, "peer": peer, "repeat": repeat}
        return next((run for run in self.content["runs"] if key.items() <= run.items()), None)

    def add(self, run: dict[str, Any]) -> None:
        """Keep the figures of a repeat, in place of earlier ones."""
        key = {name: run[name] for name in ("corpus", "peer", "repeat")}
        self.content["runs"] = [one for one in self.content["runs"] if not key.items() <= one.items()] + [run]
        self.save()

    def save(self) -> None:
        """Write the file with what the repeats come to."""
        self.content["summary"] = summarize(self.content["runs"])
        self._file.parent.mkdir(parents=True, exist_ok=True)
        new = self._file.with_suffix(".new")
        new.write_text(json.dumps(self.content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        new.replace(self._file)


def runners(names: list[str], folder: Path, result: Result) -> dict[str, Runner]:
    """Return how each peer is started, installing what is missing; note who cannot run and why."""
    found = {}
    for name in names:
        try:
            found[name] = runner(BY_NAME[name], folder)
        except UnavailableError as error:
            result.content["unavailable"][name] = str(error)
            say(f"  {name}: cannot run here: {error}")
            continue
        result.content["unavailable"].pop(name, None)
        result.content["versions"][name] = found[name].versions
    result.save()
    return found


def warm_up(found: dict[str, Runner], tasks: list[Task], model: Path, limit_s: float) -> None:
    """Run each peer once over three files, so that the first repeat compiles no modules and fills no caches."""
    task = tasks[0]
    small = sorted(task.paths, key=lambda path: (task.folder / path).stat().st_size)[:40][-3:]
    one_set = {name: each[:1] for name, each in task.questions.items()}
    tiny = Task(
        corpus="warm-up", folder=task.folder, paths=small, edited_path=small[0], questions=one_set, texts=task.texts
    )  # fmt: skip
    for name, each in found.items():
        figures = measure(each, tiny, model, limit_s, with_quality=False)
        say(f"  {name:<18} {figures['took_s']:7.1f} s  {figures.get('failed') or figures.get('stopped') or ''}")


def all_repeats(given: argparse.Namespace, tasks: list[Task], found: dict[str, Runner], model: Path, result: Result) -> None:
    """Measure what is missing, peers in turns, until all is there or the time is over."""
    begun = time.monotonic()
    total = len(tasks) * given.repeats * len(found)
    number = 0
    for repeat in range(given.repeats):
        for task in tasks:
            for name, each in found.items():
                number += 1
                there = result.run(task.corpus, name, repeat)
                earlier = [result.run(task.corpus, name, before) or {} for before in range(repeat)]
                if (there and "failed" not in there) or any("stopped" in run for run in earlier):
                    continue
                if time.monotonic() - begun > given.minutes * 60:
                    say(f"{given.minutes} minutes are over; start it again to go on")
                    return
                figures = measure(each, task, model, given.limit_minutes * 60, with_quality=repeat == 0)
                result.add({"corpus": task.corpus, "peer": name, "repeat": repeat, **figures})
                index = figures.get("index", {}).get("wall_s")
                said = figures.get("failed") or figures.get("stopped") or f"index {index:.1f} s"
                say(f"  {number:>3}/{total} {task.corpus} {name:<18} {figures['took_s']:7.1f} s  {said}")


def options() -> argparse.Namespace:
    """What was asked on the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("--corpora", type=Path, default=SHARED / "corpora", help="folder of the corpora")
    parser.add_argument("--questions", type=Path, default=SHARED / "questions", help="folder of the questions")
    parser.add_argument("--only", default="rust-book k8s-community", help="names of corpora (rust-book k8s-community)")
    parser.add_argument("--peers", default="", help="names of peers (all)")
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--kilobytes", type=int, default=1250, help="most text of one corpus; 0 for all of it (1250)")
    parser.add_argument("--limit-minutes", type=float, default=5, help="a process that takes longer is stopped (5)")
    parser.add_argument("--minutes", type=float, default=600, help="begin no repeat after this time (600)")
    parser.add_argument(
        "--environments", type=Path, default=REPOSITORY / "build" / "peers", help="where peers are installed"
    )
    parser.add_argument("--out", type=Path, help="file of the result (benchmarks/results/peers-COMMIT.json)")
    parser.add_argument("--fresh", action="store_true", help="do not go on with the file of an earlier run")
    parser.add_argument("--install-only", action="store_true", help="install the peers and measure nothing")
    return parser.parse_args()


def main() -> int:
    """Install, measure, print the table."""
    given = options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))  # a process that is being measured is ended too
    names = given.peers.split() or [entry.name for entry in PEERS]
    if unknown := [name for name in names if name not in BY_NAME]:
        raise SystemExit(f"no such peers: {', '.join(unknown)}; there are {', '.join(BY_NAME)}")
    wanted = given.only.split()
    chosen = [corpus for corpus in corpora.CORPORA if corpus.name in wanted and (given.corpora / corpus.name).is_dir()]
    if not chosen:
        print("the corpora of real documentation are not beside the project: nothing to measure")
        return 0
    origin = provenance()
    file = given.out or RESULTS / f"{result_name('peers', origin)}.json"
    result = Result(file, given, origin)
    folder = given.environments.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    found = runners(names, folder, result)
    if given.install_only:
        return 0
    model = ModelFiles(ENGLISH_MODEL).folder
    assert model is not None
    tasks = [task_of(corpus, given) for corpus in chosen]
    for task in tasks:
        result.content["corpora"][task.corpus] = described(task)
    say("warming up")
    warm_up(found, tasks, model, given.limit_minutes * 60)
    all_repeats(given, tasks, found, model, result)
    result.save()
    if not result.content["runs"]:
        return 0
    print(table.markdown(result.content))
    draw(file.with_suffix(".svg"), result.content)
    print(f"written to {file}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
