"""How good answers are: datasets in BEIR layout and real questions about real documentation, with the default settings.

Most questions and their measures stand beside the project (`../shared`, with `check/quality.py` and
`check/questions.py`, which ask the product through its public names); `questions` has more. This makes one index of each
folder, asks all sets, and writes what they print into `benchmarks/results`; `measurements.py` reads it.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from meters import RESULTS, Figures, provenance, save

HERE = Path(__file__).resolve().parent.parent
SHARED = HERE.parent / "shared"
#: Each dataset, with the modes of search that are asked.
DATASETS = {"claude_docs": ("hybrid",), "scifact": ("hybrid",), "jaquad_dev": ("hybrid", "lexical")}
#: Each folder of documentation, with its sets of questions.
QUESTIONS = {
    "rust-book": ("rust-book", "ja-to-rust-book", "ko-to-rust-book"),
    "vue-docs-ja": ("vue-docs-ja", "vue-docs-ja-2"),
    "react-ko": ("react-ko", "react-ko-2"),
    "k8s-community": ("k8s-community", "k8s-community-2"),
}
#: Questions that were written later, by people who saw no search engine, for text that was there already.
OWN = HERE / "benchmarks" / "questions"
_LINE = re.compile(r"nDCG@10 ([\d.]+), Recall@100 ([\d.]+), (\d+) queries, (\d+) records")


def run(*arguments: str | Path) -> str:
    """What one of the checks prints; its complaints go to the terminal."""
    done = subprocess.run([sys.executable, *arguments], cwd=HERE, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout


def question_file(name: str) -> Path:
    """The file of a set of questions."""
    own = OWN / f"{name}.jsonl"
    return own if own.is_file() else SHARED / "questions" / own.name


def of_dataset(name: str, modes: tuple[str, ...], home: Path) -> list[Figures]:
    """The figures of a dataset in each mode, over one index."""
    found = []
    for mode in modes:
        printed = run(SHARED / "check" / "quality.py", name, "--mode", mode, "--keep", home / name)
        told = _LINE.search(printed)
        if told is None:
            raise SystemExit(f"quality.py printed no figures of {name}: {printed[-500:]}")
        values = dict(zip(("nDCG@10", "Recall@100"), map(float, told.groups()[:2]), strict=True))
        counts = dict(zip(("questions", "records"), map(int, told.groups()[2:]), strict=True))
        found.append({"name": name, "mode": mode, **values, **counts})
        print(json.dumps(found[-1]), flush=True)
    return found


def of_folder(name: str, sets: tuple[str, ...], home: Path) -> list[Figures]:
    """The figures of each set of questions about a folder, over one index."""
    corpus, index = SHARED / "corpora" / name, home / name / ".sectionary"
    patterns = ("--include", "**/*.md", "--include", "**/*.mdx")
    run("-m", "indexer", corpus, "--index", index, "--quiet", *patterns)
    found = []
    for one in sets:
        file = question_file(one)
        printed = run(SHARED / "check" / "questions.py", file, corpus, "--index", index, "--json")
        asked = sum(1 for line in file.read_text(encoding="utf-8").splitlines() if line.strip())
        found.append({"corpus": name, **json.loads(printed), "asked": asked})
        print(json.dumps(found[-1]), flush=True)
    return found


def main() -> int:
    """Ask everything, or what is named, and write the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", default=[], help="names of datasets and folders; by default all")
    parser.add_argument("--indexes", type=Path, help="a folder that keeps the indexes, so that another run only asks")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the JSON file")
    given = parser.parse_args()
    if not SHARED.is_dir():
        print("the datasets and questions are not beside the project: nothing to ask")
        return 0
    result: Figures = {**provenance(), "datasets": [], "questions": []}
    with tempfile.TemporaryDirectory(prefix="quality-") as scratch:
        home = given.indexes or Path(scratch)
        for name, sets in QUESTIONS.items():
            if not given.only or name in given.only:
                result["questions"] += of_folder(name, sets, home)
        for name, modes in DATASETS.items():
            if not given.only or name in given.only:
                result["datasets"] += of_dataset(name, modes, home)
    print(save("quality", result, given.results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
