"""One peer over one corpus → its figures of one repeat: index, no change, an edit, a cold query, warm queries, quality."""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.peers import scoring
from benchmarks.peers.corpora import Question, copy, edited
from benchmarks.peers.environments import Runner
from benchmarks.peers.processes import FailedError, StoppedError, process, run

Figures = dict[str, Any]
#: Hits that are asked for: of what is timed, and of what is judged, where several chunks may be of one section.
LIMIT, DEPTH = 10, 30
#: Files younger than this may be read again by whoever goes by their times (seconds).
_YOUNG = 2.2
SENTENCE = "The harbour lantern number {} hums quietly at dusk while the ferry waits."


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What is indexed and asked: files under a folder, a file that is edited, questions by the name of their set."""

    corpus: str
    folder: Path
    paths: Sequence[str]
    edited_path: str
    questions: Mapping[str, Sequence[Question]]
    texts: Mapping[str, scoring.FileText]


class Repeat:
    """The measurements of one repeat, in a folder that is removed in the end."""

    def __init__(self, runner: Runner, task: Task, model: Path, home: Path, limit_s: float) -> None:
        self._runner, self._task, self._limit_s = runner, task, limit_s
        self._docs, self._store, self._home = home / "docs", home / "store", home
        self._given = ["--store", str(self._store), "--docs", str(self._docs), "--model", str(model)]
        self.figures: Figures = {}
        self._edits = 0

    def measure(self, *, with_quality: bool) -> None:
        """Do every step; `figures` has those of the steps that were done, also when one fails."""
        copy(self._task.folder, self._task.paths, self._docs)
        self.figures["index"] = self._step("index")
        self.figures["disk_mb"] = _disk_bytes(self._store) / 1e6
        time.sleep(_YOUNG)
        self.figures["unchanged"] = self._step("update")
        sentence = self._edit()
        self.figures["edit"] = self._step("update")
        self._session(sentence, with_quality=with_quality)

    def _place(self) -> tuple[Mapping[str, str], Path, float]:
        return self._runner.environ, self._home, self._limit_s

    def _step(self, command: str) -> Figures:
        measured = run([*self._runner.command, command, *self._given], *self._place())
        return {**measured.figures(), "call_s": round(measured.lines[0]["call_s"], 3)}

    def _edit(self) -> str:
        """Add a line to a file; return the sentence."""
        self._edits += 1
        sentence = SENTENCE.format(self._edits)
        file = self._docs / self._task.edited_path
        file.write_text(edited(file.read_text(encoding="utf-8"), sentence), encoding="utf-8")
        return sentence

    def _holds(self, found: Sequence[Mapping[str, Any]]) -> bool:
        return self._task.edited_path in [hit["path"] for hit in found[:LIMIT]]

    def _session(self, sentence: str, *, with_quality: bool) -> None:
        """A first query in a new process, which has to find an edit; warm ones, their quality; updates in that process."""
        questions = [question for each in self._task.questions.values() for question in each]
        with process([*self._runner.command, "session", *self._given], *self._place()) as one:
            modes = one.read()["modes"]
            self.figures["edit"]["found"] = self._holds(one.ask({"do": "ask", "question": sentence})["found"])
            self.figures["cold"] = {"wall_s": round(one.age_s, 3)}
            times = [1000 * one.ask({"do": "ask", "question": each.text, "limit": LIMIT})["s"] for each in questions]
            self.figures["warm"] = {
                "p50_ms": round(statistics.median(times), 2),
                "p95_ms": round(percentile(times, 95), 2),
                "questions": len(times),
            }
            if with_quality:
                self.figures["quality"] = {mode: self._quality(one, mode) for mode in modes}
            time.sleep(_YOUNG)
            unchanged = one.ask({"do": "update"})["s"]
            sentence = self._edit()
            updated = one.ask({"do": "update"})["s"]
            told = one.ask({"do": "ask", "question": sentence})
            self.figures["running"] = {
                "unchanged_s": round(unchanged, 4),
                "edit_s": round(updated + told["s"], 4),
                "found": self._holds(told["found"]),
            }
            self.figures["running"]["peak_mb"] = one.end().figures()["peak_mb"]

    def _quality(self, one: Any, mode: str) -> Figures:
        """S@1 and nDCG@10 of every set of questions, for sections and for files."""
        told: Figures = {}
        for name, questions in self._task.questions.items():
            of_sections, of_files = [], []
            for question in questions:
                found = one.ask({"do": "ask", "question": question.text, "limit": DEPTH, "mode": mode})["found"]
                of_sections.append(scoring.score(scoring.section_keys(found, self._task.texts), question.gold))
                of_files.append(scoring.score(scoring.file_keys(found), scoring.of_files(question.gold)))
            told[name] = {"questions": len(questions), "sections": _means(of_sections), "files": _means(of_files)}
        return told


def measure(runner: Runner, task: Task, model: Path, limit_s: float, *, with_quality: bool) -> Figures:
    """Return the figures of one repeat; `failed` or `stopped` says why some are missing."""
    begun = time.perf_counter()
    kept: Figures = {"date": datetime.now(UTC).isoformat(timespec="seconds"), "load": round(os.getloadavg()[0], 2)}
    with tempfile.TemporaryDirectory(prefix="peers-") as home:
        repeat = Repeat(runner, task, model, Path(home), limit_s)
        try:
            repeat.measure(with_quality=with_quality)
        except StoppedError as error:
            kept["stopped"] = f"{_next_step(repeat.figures)}: {error} ({limit_s / 60:.0f} minutes)"
        except FailedError as error:
            kept["failed"] = f"{_next_step(repeat.figures)}: {error}"
        except (OSError, ValueError, LookupError) as error:  # an answer that lacks something
            kept["failed"] = f"{_next_step(repeat.figures)}: {type(error).__name__}: {error}"
    return {**kept, **repeat.figures, "took_s": round(time.perf_counter() - begun, 1)}


def _next_step(figures: Figures) -> str:
    """Return the name of the first step that has no figures."""
    steps = {"index": "index", "unchanged": "no change", "edit": "edit", "cold": "cold query", "warm": "warm queries"}
    return next((name for key, name in steps.items() if key not in figures), "updates in a process that stays")


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value that `share` percent of the values do not exceed (nearest rank)."""
    ranked = sorted(values)
    return ranked[max(0, -(-len(ranked) * int(share) // 100) - 1)]


def _means(scores: Sequence[tuple[float, float]]) -> Figures:
    if not scores:
        return {"S@1": None, "nDCG@10": None}
    return {
        "S@1": round(statistics.fmean(one for one, _ in scores), 4),
        "nDCG@10": round(statistics.fmean(one for _, one in scores), 4),
    }


def _disk_bytes(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file() and not file.is_symlink())
