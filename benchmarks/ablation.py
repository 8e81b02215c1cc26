"""What each step of the ranking gives: nDCG@10 with it, without it or with another value, on datasets in BEIR layout.

Reads an index that `quality.py NAME --keep DIR` made (a section's anchor r12 is the record of line 12). A difference comes
with the bounds of 95 % of 2,000 paired bootstrap samples, and with its value on the even and the odd questions: a step is
worth keeping if it pays on both.
"""

from __future__ import annotations

import argparse
import json
import math
import pkgutil
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from schema.text.analyzer import STOP_TERMS, terms
from search import SearchEngine
from search.index.vectors import dense_confidence
from search.ranking.query import Query, parse_query
from search.ranking.rank import rank

Patch = Mapping[str, Any]


def without_similar_terms(_lexicon: Any, weights: Mapping[str, float]) -> dict[str, float]:
    """Unknown words stay unknown."""
    return dict(weights)


def by_rank(scores: np.ndarray) -> np.ndarray:
    """Reciprocal ranks in place of normalised scores (k = 60), scaled to 0..1."""
    found = np.full(len(scores), -10.0)
    order = np.argsort(-scores, kind="stable")[:100]
    order = order[np.isfinite(scores[order])]
    found[order] = 61 / (61 + np.arange(len(order)))
    return found


def z_scores(scores: np.ndarray) -> np.ndarray:
    """Standard scores of the first hundred, a third of a deviation for 0.1."""
    found = np.full(len(scores), -10.0)
    order = np.argsort(-scores, kind="stable")[:100]
    order = order[np.isfinite(scores[order])]
    if len(order):
        spread = float(scores[order].std()) or 1.0
        found[order] = 0.5 + (scores[order] - scores[order].mean()) / (6 * spread)
    return found


#: Each variant by name: attributes of modules to replace, and the dense weight where it is another.
VARIANTS: dict[str, Patch] = {
    "no feedback": {"search.ranking.rank.FEEDBACK": 0.0},
    "feedback .15": {"search.ranking.rank.FEEDBACK": 0.15},
    "feedback .5": {"search.ranking.rank.FEEDBACK": 0.5},
    "no boosts": {"search.ranking.rank._BOOSTS": {"heading": 0.0, "proximity": 0.0}},
    "no heading boost": {"search.ranking.rank._BOOSTS": {"heading": 0.0, "proximity": 0.1}},
    "no proximity": {"search.ranking.rank._BOOSTS": {"heading": 0.1, "proximity": 0.0}},
    "boosts doubled": {"search.ranking.rank._BOOSTS": {"heading": 0.2, "proximity": 0.2}},
    "no documents": {"search.ranking.rank._DOCUMENT_WORTH": 0.0},
    "no own prose": {"search.ranking.rank._PROSE_SHARE": 0.0},
    "no names": {"search.ranking.rank._NAME_WORTH": 0.0},
    "stubs named as others": {"search.ranking.names._STUB_SHARE": 0.0, "search.ranking.names._REPEATED_SHARE": 0.0},
    "no passages": {"search.ranking.rank._WORD_SHARES": {"lexical": 1.0, "sentence": 0.0, "passage": 0.0}},
    "no single sentences": {"search.ranking.rank._WORD_SHARES": {"lexical": 0.5, "sentence": 0.0, "passage": 0.5}},
    "no pairs of sentences": {"search.ranking.rank._WORD_SHARES": {"lexical": 0.5, "sentence": 0.5, "passage": 0.0}},
    "thirds of words": {"search.ranking.rank._WORD_SHARES": {"lexical": 1 / 3, "sentence": 1 / 3, "passage": 1 / 3}},
    "no windows": {
        "search.ranking.rank._SECTION_VECTOR_SHARE": 1.0,
        "search.ranking.rank._SECTION_VECTOR_SHARE_OF_ONE": 1.0,
    },
    "no beginning": {
        "search.ranking.rank._SECTION_VECTOR_SHARE": 0.0,
        "search.ranking.rank._SECTION_VECTOR_SHARE_OF_ONE": 0.0,
    },
    "reciprocal ranks": {"search.ranking.fusion._min_max": by_rank},
    "z-scores": {"search.ranking.fusion._min_max": z_scores},
    "dense weight .3": {"weight": 0.3},
    "dense weight .7": {"weight": 0.7},
    "BM25 k1 .9, b .4": {"search.index.inverted_index._K1": 0.9, "search.index.inverted_index._B": 0.4},
    "BM25 k1 .6, b .9": {"search.index.inverted_index._K1": 0.6, "search.index.inverted_index._B": 0.9},
    "BM25 k1 2": {"search.index.inverted_index._K1": 2.0},
    "pairs of hiragana at whole weight": {"schema.text.analyzer._HIRAGANA_PAIR_WEIGHT": 1.0},
    "no similar terms": {"search.index.vocabulary.Vocabulary.expand_terms": without_similar_terms},
    "at most two of a document": {"after": "diverse"},
    "parents of two hits first": {"after": "parents"},
    "near-duplicates once": {"after": "distinct"},
    "long sections up a little": {"length": 0.02},
    "short sections up a little": {"length": -0.02},
    "words of the first three": {"expand": 0.1},
    "words of the first three, .2": {"expand": 0.2},
    "passages of every section": {"search.ranking.rank._PASSAGE_ROWS": 1 << 30},
    "feedback over every section": {"search.ranking.rank._FEEDBACK_ROWS": 1 << 30},
    "words alone": {"mode": "lexical"},
    "vectors alone": {"mode": "dense"},
}


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


def ndcg(ranked: list[str], gold: Mapping[str, int]) -> float:
    """nDCG at 10 (Järvelin & Kekäläinen 2002), linear gain."""
    gain = sum(gold.get(found, 0) / math.log2(place + 2) for place, found in enumerate(ranked[:10]))
    ideal = sum(value / math.log2(place + 2) for place, value in enumerate(sorted(gold.values(), reverse=True)[:10]))
    return gain / ideal


class Dataset:
    """Questions with their answers, the engine over the index, and the vectors of the questions."""

    def __init__(self, source: Path, home: Path) -> None:
        records = [json.loads(line) for line in (source / "corpus.jsonl").read_text("utf-8").split("\n") if line.strip()]
        self.records = {f"r{number}": record["_id"] for number, record in enumerate(records)}
        gold: dict[str, dict[str, int]] = defaultdict(dict)
        for line in (source / "qrels.tsv").read_text("utf-8").split("\n"):
            fields = line.split("\t")
            if len(fields) >= 3 and fields[-1].strip().isdigit() and int(fields[-1]) > 0:
                gold[fields[0]][fields[-2]] = int(fields[-1])
        asked = [json.loads(line) for line in (source / "queries.jsonl").read_text("utf-8").split("\n") if line.strip()]
        self.questions = [(question["text"], gold[question["_id"]]) for question in asked if question["_id"] in gold]
        self.engine = SearchEngine(home / ".sectionary")
        self.source = self.engine.source()
        self.snapshot = self.source.snapshot
        embedder = self.engine._asking.embedder
        self.confidence = [float(dense_confidence(embedder.coverage(text))) for text, _ in self.questions]
        self.vectors = [
            embedder.embed_query(parse_query(text).text) if worth else None
            for (text, _), worth in zip(self.questions, self.confidence, strict=True)
        ]

    def scores(self, patch: Patch) -> np.ndarray:
        """nDCG@10 of every question under a variant."""
        found = []
        everything = np.ones(self.snapshot.rows, np.bool_)
        mode = patch.get("mode", "hybrid")
        after = {"diverse": diverse, "parents": parents, "distinct": distinct}.get(patch.get("after", ""), list)
        with replaced(patch):
            for (text, gold), worth, vector in zip(self.questions, self.confidence, self.vectors, strict=True):
                weight = patch.get("weight", 0.5) * worth
                query = parse_query(text)
                seen = vector if weight else None
                ask = partial(rank, self.snapshot, mode=mode, dense_weight=weight, allowed=everything)
                ranking = ask(query, seen)
                if "expand" in patch:
                    ranking = ask(self.expanded(query, ranking.order[:3].tolist(), patch["expand"]), seen)
                order = ranking.order
                if "length" in patch:
                    lengths = np.log(np.maximum(self.snapshot.token_count, 1) / self.snapshot.token_count.mean())
                    order = order[np.argsort(-(ranking.total + patch["length"] * lengths)[order], kind="stable")]
                sections = after(self.source.sections(self.snapshot.keys[order[:40]].tolist()))
                ranked = [self.records[s.anchor] for s in sections if s.anchor in self.records]
                found.append(ndcg(list(dict.fromkeys(ranked)), gold))
        return np.array(found)

    def expanded(self, query: Query, rows: list[int], weight: float) -> Query:
        """The query with the ten most telling terms of some sections, at this weight (after Lavrenko & Croft 2001)."""
        sections = self.source.sections(self.snapshot.keys[rows].tolist())
        counts = Counter(term for section in sections for term in terms(section.body) if term not in STOP_TERMS)
        inverted = self.snapshot.inverted
        telling = sorted(counts, key=lambda term: -counts[term] * inverted.idf(term))[:10]
        return replace(query, weights={**dict.fromkeys(telling, weight), **query.weights})


def diverse(sections: list[Any]) -> list[Any]:
    """At most two sections of one document before all others."""
    seen: dict[str, int] = defaultdict(int)
    first, rest = [], []
    for section in sections:
        seen[section.document_path] += 1
        (first if seen[section.document_path] <= 2 else rest).append(section)
    return first + rest


def distinct(sections: list[Any]) -> list[Any]:
    """No section of which nine tenths of the words are those of an earlier one."""
    kept: list[tuple[Any, set[str]]] = []
    for section in sections:
        words = set(terms(section.body))
        if not any(words and len(words & other) >= 0.9 * len(words | other) for _, other in kept):
            kept.append((section, words))
    return [section for section, _ in kept]


def parents(sections: list[Any]) -> list[Any]:
    """A parent of two of the first ten comes before the first of them, if it is among the first forty."""
    count: dict[str, int] = defaultdict(int)
    for section in sections[:10]:
        count[section.parent_id or ""] += 1
    by_id = {section.id: section for section in sections}
    ordered: dict[str, Any] = {}
    for section in sections:
        parent = by_id.get(section.parent_id or "")
        if parent is not None and count[parent.id] >= 2:
            ordered.setdefault(parent.id, parent)
        ordered.setdefault(section.id, section)
    return list(ordered.values())


def main() -> int:
    """Print a table of all variants."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dataset", type=Path, help="folder with corpus.jsonl, queries.jsonl and qrels.tsv")
    parser.add_argument("index", type=Path, help="folder that quality.py was given with --keep")
    parser.add_argument("--only", default="", help="only variants with this in their name")
    options = parser.parse_args()
    data = Dataset(options.dataset, options.index)
    draw = np.random.default_rng(0)
    whole = data.scores({})
    print(f"{options.dataset.name}: nDCG@10 {whole.mean():.4f} over {len(whole)} questions")
    chosen = {name: patch for name, patch in VARIANTS.items() if options.only in name}
    for name, patch in chosen.items():
        other = data.scores(patch)
        gain = other - whole
        low, high = np.percentile([draw.choice(gain, len(gain)).mean() for _ in range(2000)], [2.5, 97.5])
        halves = f"{gain[::2].mean():+.4f} {gain[1::2].mean():+.4f}"
        print(f"  {name:<27} {other.mean():.4f}  {gain.mean():+.4f} [{low:+.4f}, {high:+.4f}]  halves {halves}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
