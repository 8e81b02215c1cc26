"""A user's own questions with known answers → nDCG@10, MRR@10 and recall of a search, measured by ir-measures.

An answer is a section (by id or path#anchor) or a document (by path), in either form of Unicode (NFC or NFD); a document has
the rank of its first section that is found.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import ir_measures
from ir_measures import RR, R, Success, nDCG

from schema.errors import QueryError
from schema.query_language import parse_fields
from schema.requests import Mode
from schema.results import SearchResult
from schema.sections import is_id
from schema.text.characters import one_line
from schema.text.names import composed
from search.engine import SearchEngine

#: What is measured, best known first.
_MEASURES = {"nDCG@10": nDCG @ 10, "MRR@10": RR @ 10, "Success@1": Success @ 1, "Recall@10": R @ 10, "Recall@100": R @ 100}
#: Short names that `--min` takes beside the full ones, all without regard to case.
_SHORT = {"s@1": "Success@1", "rr@10": "MRR@10", "r@10": "Recall@10", "r@100": "Recall@100"}
_DEPTH = 100
_SHARE = re.compile(r"[0-9]{0,4}\.?[0-9]{1,15}")


@dataclass(frozen=True, slots=True)
class Question:
    """A query and what answers it: section ids, "path#anchor" or "path"; `literal`: the query is plain words."""

    query: str
    gold: tuple[str, ...]
    literal: bool = True


@dataclass(frozen=True, slots=True)
class Judged:
    """One question with its own nDCG@10, 0..1, and the ranks of its answers (1-based; None for not in the first 100)."""

    question: Question
    score: float
    places: Mapping[str, int | None]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Means over all questions by measure, 0..1; each question; and answers that the index does not have."""

    mode: str
    means: Mapping[str, float]
    judged: tuple[Judged, ...]
    unknown: tuple[str, ...] = field(default=())


def read_questions(path: Path, *, under: str = "") -> list[Question]:
    """The questions of a JSON Lines file: `query`, and `gold` (one answer or several) or `path` with or without `anchor`.

    A query is plain words unless `literal` is false.

    `under` is the folder that paths are relative to; ids are left as they are.

    Raises:
        QueryError: naming the line that cannot be read and what it should be.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise QueryError(f"{path} is not UTF-8 text; save it as UTF-8.") from error
    found = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            found.append(_question(json.loads(line), under.removeprefix("./").strip("/")))
        except QueryError as error:
            raise QueryError(f"Line {number} of {path}: {error}") from error
        except (ValueError, TypeError, AttributeError, KeyError, RecursionError) as error:
            raise QueryError(
                f'Line {number} of {path} is no question; write {{"query": "…", "gold": "path#anchor"}} on one line.'
            ) from error
    if not found:
        raise QueryError(f'{path} holds no question; write {{"query": "…", "gold": "path#anchor"}}, one on each line.')
    return found


def _question(value: dict[str, Any], under: str) -> Question:
    """The question in a line; raises ValueError, TypeError, AttributeError or KeyError if there is none."""
    query = value["query"]
    gold = value.get("gold")
    if gold is None:
        gold = f"{value['path']}#{value['anchor']}" if value.get("anchor") else value["path"]
    answers = tuple(dict.fromkeys([gold] if isinstance(gold, str) else gold))
    if not isinstance(query, str) or not query.strip() or not answers or not all(isinstance(a, str) and a for a in answers):
        raise ValueError("a question needs a query and an answer")
    literal = value.get("literal", True)
    if not isinstance(literal, bool):
        raise TypeError("literal is true or false")
    parse_fields("" if literal else query)
    if under:
        answers = tuple(answer if is_id(answer) else f"{under}/{answer}" for answer in answers)
    return Question(query, answers, literal)


def read_minimums(texts: Sequence[str]) -> dict[str, float]:
    """Return the least mean, 0..1, that each measure must reach, from texts such as "0.6" (nDCG@10) or "s@1=0.8".

    >>> read_minimums(["0.6", "s@1=0.8"])
    {'nDCG@10': 0.6, 'Success@1': 0.8}

    Raises:
        QueryError: a text names no measure, or no number from 0 to 1.
    """
    names = {name.lower(): name for name in _MEASURES} | _SHORT
    found: dict[str, float] = {}
    for text in texts:
        name, _, number = text.rpartition("=")
        measure = names.get(name.strip().lower() or "ndcg@10")
        value = number.strip()
        if measure is None or not _SHARE.fullmatch(value) or not 0 <= float(value) <= 1:
            shown = one_line(text[:60])
            raise QueryError(
                f"--min takes a number from 0 to 1 for nDCG@10, as in 0.6, or for a measure, as in s@1=0.8, not {shown}; "
                f"the measures are {', '.join([*_MEASURES, *_SHORT])}."
            )
        found[measure] = float(value)
    return found


def unmet_minimums(evaluation: Evaluation, minimums: Mapping[str, float]) -> list[str]:
    """Return one sentence for each measure whose mean is below its minimum."""
    return [
        f"{name} is {evaluation.means[name]:.4f}, below the minimum of {least:g}."
        for name, least in minimums.items()
        if evaluation.means[name] < least
    ]


def evaluate(engine: SearchEngine, questions: Sequence[Question], *, mode: Mode = "hybrid") -> Evaluation:
    """Ask every question and compare what is found with what should be."""
    known = _known(engine)
    spelt = _spelt({gold for question in questions for gold in question.gold}, known)
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    ranks: list[dict[str, int | None]] = []
    for number, question in enumerate(questions):
        names = {gold: spelt[gold] for gold in question.gold}
        wanted = frozenset(names.values())
        keys = _keys(engine.search(question.query, limit=_DEPTH, mode=mode, literal=question.literal), wanted)
        qrels[str(number)] = dict.fromkeys(wanted, 1)
        run[str(number)] = {key: float(-rank) for rank, key in enumerate(keys)}
        ranks.append({gold: keys.index(name) + 1 if name in keys else None for gold, name in names.items()})
    means = ir_measures.calc_aggregate(_MEASURES.values(), qrels, run)
    own = {found.query_id: found.value for found in ir_measures.iter_calc([nDCG @ 10], qrels, run)}
    return Evaluation(
        mode=mode,
        means={name: float(means[measure]) for name, measure in _MEASURES.items()},
        judged=tuple(Judged(question, float(own.get(str(i), 0.0)), ranks[i]) for i, question in enumerate(questions)),
        unknown=tuple(sorted(gold for gold, name in spelt.items() if name not in known)),
    )


def _spelt(gold: AbstractSet[str], known: AbstractSet[str]) -> dict[str, str]:
    """Each answer and the known name that is the same in either form of Unicode; an unknown answer as it is."""
    by_composed = {composed(name): name for name in known if not name.isascii()}
    return {one: one if one in known else by_composed.get(composed(one), one) for one in gold}


def _keys(hits: Sequence[SearchResult], gold: AbstractSet[str]) -> list[str]:
    """The hits as a ranking of names: of each hit the answer that it is, or else its id; each name once."""
    keys = []
    for hit in hits:
        section = hit.section
        names = (section.id, f"{section.document_path}#{section.anchor}", section.document_path)
        keys.append(next((name for name in names if name in gold), section.id))
    return list(dict.fromkeys(keys))


def _known(engine: SearchEngine) -> set[str]:
    """Every name that an answer can have: ids, paths and paths with anchors."""
    known = set()
    for document in engine.documents():
        known.add(document.path)
        for link in engine.outline(document.path):
            known |= {link.id, f"{link.document_path}#{link.anchor}"}
    return known
