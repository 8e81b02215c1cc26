"""A folder of real documentation and its questions → the files that all systems index, and the questions they are asked."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

#: (path, line of its heading, or None for the text before the first one) → 2 for the answer, 1 for an acceptable one.
Gold = Mapping[tuple[str, int | None], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """Which files of a folder are taken, and which sets of questions are asked of them."""

    name: str
    under: str = ""
    questions: tuple[str, ...]


CORPORA = (
    Corpus(name="rust-book", under="src/", questions=("rust-book", "ja-to-rust-book", "ko-to-rust-book")),
    Corpus(name="k8s-community", questions=("k8s-community",)),
    Corpus(name="vue-docs-ja", questions=("vue-docs-ja",)),
    Corpus(name="react-ko", questions=("react-ko",)),
)


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the sections that answer it."""

    text: str
    gold: Gold


def read_questions(file: Path, paths: Sequence[str]) -> list[Question]:
    """Return the questions of a JSON Lines file that have an answer of grade 2 in one of the files taken."""
    taken = set(paths)
    questions = []
    for line in file.read_text(encoding="utf-8").splitlines():
        if not line.strip():
            continue
        told: dict[str, Any] = json.loads(line)
        gold = {
            (one["path"], one["start_line"] if one["heading"] is not None else None): one["grade"]
            for one in told["gold"]
            if one["path"] in taken
        }
        if 2 in gold.values():
            questions.append(Question(told["query"], gold))
    return questions


def gold_paths(file: Path) -> set[str]:
    """Return the paths of all files that answer a question of a file."""
    lines = [line for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    return {one["path"] for line in lines for one in json.loads(line)["gold"]}


def choose(sizes: Mapping[str, int], wanted: set[str], most_bytes: int) -> list[str]:
    """Return paths whose files have at most `most_bytes` together, sorted (0 for no limit).

    Files that answer questions are always taken; others follow in the order of a hash of their paths, the same each time.
    """
    chosen = sorted(wanted & sizes.keys())
    taken = sum(sizes[path] for path in chosen)
    for path in sorted(sizes.keys() - wanted, key=lambda one: hashlib.sha256(one.encode()).hexdigest()):
        if not most_bytes or taken + sizes[path] <= most_bytes:
            chosen.append(path)
            taken += sizes[path]
    return sorted(chosen)


def sizes_under(folder: Path, under: str) -> dict[str, int]:
    """Return path and bytes of every Markdown file, except what is in hidden folders or behind a link."""
    found = {}
    for file in folder.rglob("*.md"):
        path = file.relative_to(folder).as_posix()
        is_hidden = any(part.startswith(".") for part in path.split("/"))
        if path.startswith(under) and not is_hidden and file.is_file() and not file.is_symlink():
            found[path] = file.stat().st_size
    return found


def copy(folder: Path, paths: Sequence[str], target: Path) -> None:
    """Copy files with their folders; times are those of the originals."""
    for path in paths:
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(folder / path, target / path)


def edited(text: str, sentence: str) -> str:
    """Return a text with one line more, below the heading in its middle, or at its end if it has none."""
    lines = text.splitlines(keepends=True)
    fences = 0
    headings = []
    for number, line in enumerate(lines):
        fences += line.lstrip().startswith(("```", "~~~"))
        if fences % 2 == 0 and line.startswith(("# ", "## ", "### ")):
            headings.append(number)
    added = f"\n{sentence}\n"
    if not headings:
        return text + added
    place = headings[len(headings) // 2]
    if not lines[place].endswith("\n"):
        lines[place] += "\n"
    return "".join([*lines[: place + 1], added, *lines[place + 1 :]])
