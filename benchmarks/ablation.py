"""What each step of the ranking gives: the questions asked again without it, or with another value of it.

Asked are the datasets and the sets of questions that `quality.py` asks, over the indexes that it made (`--indexes FOLDER`),
through the engine, so that every step runs as it does for a user. Each variant replaces values or functions while it is
asked. What is measured goes to `benchmarks/results`, with both halves of the questions: a step is worth keeping if it pays
on both. `measurements.py` makes the table of docs/retrieval-log.md of it.
"""

from __future__ import annotations

import argparse
import json
import math
import pkgutil
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np
from meters import RESULTS, Figures, provenance, save
from quality import DATASETS, QUESTIONS, SHARED, question_file

from schema.results import SearchResult
from search import SearchEngine

Patch = Mapping[str, Any]
#: Questions of a dataset that are asked, at most: every second or third one of a longer set.
MOST_QUESTIONS = 450
#: What a section of each grade counts in nDCG.
_GAINS = {1: 1.0, 2: 3.0}


def no_message(_text: str) -> bool:
    """Take no text for a message."""
    return False


def same_ranking(ranking: Any, *_: Any) -> Any:
    """No step: the ranking as it was."""
    return ranking


def not_behind(_snapshot: Any, ranking: Any, _leads: Any) -> Any:
    """No step: every page stands where it stood."""
    return ranking, {}


def never(*_: Any) -> bool:
    """No document is of the past."""
    return False


def not_newer(_snapshot: Any, _query: Any, ranking: Any, _known: Any) -> Any:
    """No step: every version stands where it stood."""
    return ranking


def same_order(_snapshot: Any, _query: Any, ranking: Any) -> Any:
    """No step: every section stands where it stood."""
    return ranking


def no_amount(_query: Any, ranking: Any, *_: Any) -> Any:
    """No step: a section with the amount stands where it stood."""
    return ranking


def no_contact(_snapshot: Any, _query: Any, ranking: Any, _texts_of: Any) -> Any:
    """No step: a section with the number stands where it stood."""
    return ranking, None


def no_day(_snapshot: Any, _query: Any, ranking: Any) -> Any:
    """Let a day have the words that a question has it in."""
    return ranking, []


def not_told(_snapshot: Any, _query: Any, ranking: Any, *_: Any) -> Any:
    """No step: the beginning of a page stands where it stood."""
    return ranking, {}


def all_read(_snapshot: Any, _allowed: Any) -> float:
    """The second model counts fully for what it has read."""
    return 1.0


def same_text(text: str, *_: Any) -> str:
    """The query as it is typed."""
    return text


def no_synonyms(*_: Any) -> dict[str, tuple[str, ...]]:
    """No term stands for another."""
    return {}


def compared_with_none(_snapshot: Any, _ranking: Any) -> dict[str, float]:
    """No cosines to compare others with: all are as far above them as usual."""
    return {}


def not_revised(_snapshot: Any, _query: Any, ranking: Any, _relevance: Any) -> Any:
    """No step: every note stands where it stood."""
    return ranking


def no_rows(*_: Any) -> Any:
    """No rows."""
    return np.zeros(0, np.int64)


def no_page(_subject: Any, _snapshot: Any, rows: Any) -> Any:
    """No page has the subject as its name."""
    return np.zeros(len(rows), np.bool_)


def no_row(_snapshot: Any, _query: Any, _weights: Any, rows: Any) -> Any:
    """None of these rows."""
    return np.zeros(len(rows), np.bool_)


def first_place(*_: Any) -> int:
    """No later place."""
    return 0


def no_word(*_: Any) -> str:
    """No word is meant."""
    return ""


def no_english_word(*_: Any) -> tuple[str, bool]:
    """No English word is meant."""
    return "", False


def nothing(*_: Any) -> dict[str, Any]:
    """Nothing by any term."""
    return {}


def same_weights(_vocabulary: Any, weights: Mapping[str, float], *_: Any) -> dict[str, float]:
    """Words that no section has stay as they are."""
    return dict(weights)


_MISSPELT, _RANK, _BALANCE = "search.ranking.misspelt.", "search.ranking.rank.", "search.ranking.balance."
_NEARNESS = "search.ranking.nearness."
_SATURATION = "search.index.saturation."
#: The ranking without each of its steps, in their order.
STEPS: dict[str, Patch] = {
    "misspelt words stay": {_MISSPELT + "_meant": no_word, _MISSPELT + "_katakana": no_word, _MISSPELT + "_hangul": no_word},
    "loanwords are not read as English words": {_MISSPELT + "_english": no_english_word},
    "loanwords have no English synonyms": {_MISSPELT + "_synonyms": nothing},
    "words in a rare language count fully": {"search.ranking.presence.Languages.lowered": nothing},
    "unknown words are not expanded": {"search.index.vocabulary.Vocabulary.expand_terms": same_weights},
    "no sentences, whole sections only": {_RANK + "_WORD_SHARES": {"lexical": 1.0, "sentence": 0.0, "passage": 0.0}},
    "no windows, beginnings only": {
        _NEARNESS + "_SECTION_VECTOR_SHARE": 1.0,
        _NEARNESS + "_SECTION_VECTOR_SHARE_OF_ONE": 1.0,
    },
    "no beginnings, windows only": {
        _NEARNESS + "_SECTION_VECTOR_SHARE": 0.0,
        _NEARNESS + "_SECTION_VECTOR_SHARE_OF_ONE": 0.0,
        _NEARNESS + "_LESS_WITHOUT_WORDS": 0.0,
    },
    "the second model alone counts for what it has read": {_NEARNESS + "_share_of_second": all_read},
    "no vectors of headings": {_NEARNESS + "_HEADING_SHARE": 0.0},
    "words keep their share where few are held": {_BALANCE + "_FULL_WORDS": 1e-9},
    "words count fully for another language": {_BALANCE + "_FOREIGN": 1.0},
    "vectors keep theirs where all words are held": {_BALANCE + "_WORDS_DECIDE": 0.0},
    "no names": {_RANK + "_NAME_WORTH": 0.0},
    "identifiers count only alone": {"search.ranking.names._BEGINS_ASKED": 0.0},
    "stubs gain by their names like others": {
        "search.ranking.names._STUB_SHARE": 0.0,
        "search.ranking.names._REPEATED_SHARE": 0.0,
    },
    "own prose not counted": {_RANK + "_PROSE_SHARE": 0.0},
    "no boost of headings": {_RANK + "_BOOSTS": {"heading": 0.0, "proximity": 0.1}},
    "no boost of neighbours": {_RANK + "_BOOSTS": {"heading": 0.1, "proximity": 0.0}},
    "no feedback": {_NEARNESS + "FEEDBACK": 0.0},
    "no documents": {_RANK + "_DOCUMENT_WORTH": 0.0},
    "no order by relevance": {"search.ranking.relevance._WORTH": 0.0},
    "answers do not stand first": {"search.ranking.relevance._FIRST_ROWS": 0},
    "the nearest stays where none answers": {"search.ranking.relevance.place_where_none_answers": first_place},
    "cosines are not compared with others": {"search.ranking.relevance.compared_cosines": compared_with_none},
    "headings' vectors say nothing of relevance": {"search.ranking.relevance._HALF": math.inf},
    "messages are read whole": {
        "search.query_vectors.is_message": no_message,
        "search.ranking.messages.is_message": no_message,
    },
    "releases and days stay": {"search.ranking.releases._SHARE": 0.0},
    "lists of works stay": {"search.ranking.releases._lists_of_works": no_rows},
    "what says no is not looked for": {"search.ordering.saying_no_first": same_order},
    "problems stay before remedies": {"search.ordering.remedy_first": not_told},
    "parts of another kind stay": {"search.ordering.part_first": not_told},
    "releases that are not named stay": {"search.ordering.named_release_first": not_revised},
    "what is deprecated stays": {"search.ordering.current_first": not_revised},
    "amounts are not looked for": {"search.ordering.amount_first": no_amount},
    "contacts are words": {"search.ordering.contact_first": no_contact},
    "days are words": {"search.ordering.day_first": no_day},
    "Korean nouns of one syllable stay": {"search.query_vectors.noun_forms": no_synonyms},
    "replaced notes stay": {
        "search.ordering.behind_replacements": same_order,
        "search.ordering.revised_first": not_revised,
    },
    "the past stays": {"search.ranking.releases._is_past": never},
    "older versions stay": {"search.ordering.behind_newer": not_newer},
    "verbs stand for themselves": {"search.query_vectors.other_verbs": no_synonyms},
    "Korean words stay together": {"search.ranking.query.with_blanks": same_text},
    "Korean verbs stand for themselves": {"search.query_vectors.verb_forms": no_synonyms},
    "forms of words stand for themselves": {"search.query_vectors.inflected_forms": no_synonyms},
    "irregular forms stand for themselves": {"search.query_vectors.irregular_forms": no_synonyms},
    "spellings stand for themselves": {"search.query_vectors.other_spellings": no_synonyms},
    "no names in English for loanwords": {_RANK + "_IN_ENGLISH": 0.0},
    "numbers stay as they are typed": {"search.query_vectors.as_written": same_text},
    "short forms stand for themselves": {"search.query_vectors.long_forms": no_synonyms},
    "names that are told of stay": {"search.ranking.mentions._WORTH": 0.0},
    "beginnings stay": {"search.ordering.beginning_first": same_order},
    "details stay": {"search.ordering.detail_first": same_order},
    "details may have the words anywhere": {"search.ranking.details._IN_PASSAGE": 0.0},
    "details need words of the beginning too": {"search.ranking.details._has_rest": no_row},
    "beginnings without text stay": {"search.ordering.text_first": not_told},
    "pages of a name do not define": {"search.ranking.definitions._are_pages_of": no_page},
    "no links": {"search.ordering.linked_first": same_ranking},
    "no definitions": {"search.ranking.definitions._WORTH": 0.0},
    "placeholders and overviews stay": {"search.ordering.behind_their_pages": not_behind},
    "words alone": {"mode": "lexical"},
    "vectors alone": {"mode": "dense"},
}
#: The ranking with other values.
VALUES: dict[str, Patch] = {
    "feedback .15": {_NEARNESS + "FEEDBACK": 0.15},
    "feedback .5": {_NEARNESS + "FEEDBACK": 0.5},
    "boosts doubled": {_RANK + "_BOOSTS": {"heading": 0.2, "proximity": 0.2}},
    "a third for section, sentence and pair each": {
        _RANK + "_WORD_SHARES": {"lexical": 1 / 3, "sentence": 1 / 3, "passage": 1 / 3},
    },
    "BM25 k1 1.2 for every language": {_SATURATION + "_K1_OF_PAIRS": 1.2},
    "BM25 k1 .6 for every language": {_SATURATION + "_K1_OF_WORDS": 0.6},
    "BM25 b .9": {_SATURATION + "_B": 0.9},
    "passages of every section": {_RANK + "_PASSAGE_ROWS": 1 << 30},
    "feedback over every section": {_RANK + "_FEEDBACK_ROWS": 1 << 30},
}
VARIANTS = {**STEPS, **VALUES}


@contextmanager
def replaced(patch: Patch) -> Iterator[None]:
    """Put other values in the places named like "search.ranking.rank.FEEDBACK"."""
    kept = []
    for name, value in patch.items():
        if "." not in name:
            continue
        home, attribute = name.rsplit(".", 1)
        owner = pkgutil.resolve_name(home)
        kept.append((owner, attribute, getattr(owner, attribute)))
        setattr(owner, attribute, value)
    try:
        yield
    finally:
        for owner, attribute, value in kept:
            setattr(owner, attribute, value)


def ndcg(found: Sequence[float], possible: Sequence[float]) -> float:
    """nDCG at 10 (Järvelin & Kekäläinen 2002) of the gains of what was found, in order, and of all that could be found."""

    def gain(gains: Sequence[float]) -> float:
        return sum(one / math.log2(place + 2) for place, one in enumerate(gains[:10]))

    return gain(found) / gain(sorted(possible, reverse=True))


@dataclass(frozen=True)
class Question:
    """A text, the gains of the sections that answer it, by what `Asked.key` gives of them, and the highest gain, `best`."""

    text: str
    gains: Mapping[Any, float]
    best: float


class Asked:
    """The questions of one set, and the engine over the index that they are asked of."""

    def __init__(self, name: str, folder: Path) -> None:
        self._path_prefix = ""
        self._records: dict[str, str] = {}
        if name in DATASETS:
            self.questions = self._of_dataset(SHARED / "datasets" / name)
            home = folder / name
        else:
            corpus = next(corpus for corpus, sets in QUESTIONS.items() if name in sets)
            self.questions = self._of_set(question_file(name))
            home, self._path_prefix = folder / corpus, f"{corpus}/"
        self.engine = SearchEngine(home / ".sectionary")

    def _of_dataset(self, source: Path) -> list[Question]:
        records = _lines(source / "corpus.jsonl")
        self._records = {f"r{number}": record["_id"] for number, record in enumerate(records)}
        gains: dict[str, dict[str, float]] = defaultdict(dict)
        for line in (source / "qrels.tsv").read_text("utf-8").split("\n"):
            fields = line.split("\t")
            if len(fields) >= 3 and fields[-1].strip().isdigit() and int(fields[-1]) > 0:
                gains[fields[0]][fields[-2]] = float(fields[-1])
        asked = [one for one in _lines(source / "queries.jsonl") if one["_id"] in gains]
        step = -(-len(asked) // MOST_QUESTIONS)
        return [Question(one["text"], gains[one["_id"]], max(gains[one["_id"]].values())) for one in asked[::step]]

    def _of_set(self, source: Path) -> list[Question]:
        found = []
        for one in _lines(source):
            gains = {
                (each["path"], each["start_line"] if each["heading"] is not None else None): _GAINS[each["grade"]]
                for each in one["gold"]
            }
            if gains:
                found.append(Question(one["query"], gains, _GAINS[2]))
        return found

    def key(self, hit: SearchResult) -> Any:
        """What names the section of a hit in the gains of a question."""
        section = hit.section
        if self._records:
            return self._records.get(section.anchor)
        path = str(section.document_path)
        return path.partition(self._path_prefix)[2], section.start_line if section.depth else None

    def figures(self, patch: Patch) -> tuple[np.ndarray, np.ndarray]:
        """Whether the expected section came first, 0 or 1, and nDCG@10, of every question under a variant."""
        first, scores = [], []
        with replaced(patch):
            for question in self.questions:
                hits = self.engine.search(question.text, limit=10, mode=patch.get("mode", "hybrid"))
                gains = [question.gains.get(key, 0.0) for key in dict.fromkeys(map(self.key, hits))]
                first.append(float(bool(gains) and gains[0] == question.best))
                scores.append(ndcg(gains, list(question.gains.values())))
        return np.array(first), np.array(scores)


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line.strip()]


def told(first: np.ndarray, scores: np.ndarray) -> Figures:
    """The figures of a variant: S@1, nDCG@10, and the latter of the odd and the even questions."""
    figures = {"S@1": first.mean(), "nDCG@10": scores.mean(), "odd": scores[::2].mean(), "even": scores[1::2].mean()}
    return {name: round(float(value), 4) for name, value in figures.items()}


def of_set(name: str, folder: Path, variants: Sequence[str]) -> Figures:
    """What a set of questions gives as the ranking is, and under each variant, with the bounds of 95 % of 2,000 paired
    bootstrap samples of the difference in nDCG@10."""
    asked = Asked(name, folder)
    first, whole = asked.figures({})
    found: Figures = {"name": name, "questions": len(whole), "as it is": told(first, whole), "variants": {}}
    draw = np.random.default_rng(0)
    for variant in variants:
        first, scores = asked.figures(VARIANTS[variant])
        gain = scores - whole
        bounds = np.percentile([draw.choice(gain, len(gain)).mean() for _ in range(2000)], [2.5, 97.5])
        found["variants"][variant] = {**told(first, scores), "bounds": [round(float(bound), 4) for bound in bounds]}
        print(f"{name:16} {variant:46} {found['variants'][variant]}", flush=True)
    return found


def main() -> int:
    """Ask all sets, or those that are named, and write the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("indexes", type=Path, help="the folder that quality.py was given with --indexes")
    parser.add_argument("--only", nargs="*", default=[""], help="only variants with one of these in their names")
    parser.add_argument("--sets", nargs="*", default=[], help="names of datasets and sets of questions; by default all")
    parser.add_argument("--processes", type=int, default=2, help="sets that are asked at once")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the JSON file")
    options = parser.parse_args()
    names = options.sets or [*DATASETS, *(name for sets in QUESTIONS.values() for name in sets)]
    variants = [name for name in VARIANTS if any(part in name for part in options.only)]
    result = provenance()  # of what is measured, whatever is committed meanwhile
    with ProcessPoolExecutor(options.processes) as processes:
        sets = list(processes.map(of_set, names, repeat(options.indexes), repeat(variants)))
    print(save("ablation", {**result, "sets": sets}, options.results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
