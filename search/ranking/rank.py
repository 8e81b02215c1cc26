"""A query and a snapshot of the index → its sections in order, each with what every step added to its score.

The steps, in the order in which `rank` runs them; docs/retrieval-log.md has the measurements behind the numbers here. "Part"
is the name under which a result lists what the step added.

| step | rows | part | what it adds |
|---|---|---|---|
| words | all | lexical | BM25 of the whole section: half of the words' share |
| | best 400 | sentence, passage | BM25 of its best sentence and of its best two in a row: a quarter each |
| vectors | all | dense, section_vector | cosine of its best window and of its first one, by the first model |
| | all | heading_vector | cosine of its heading, for a section without a word of the query |
| | all | second, second_section_vector | the same as the first line, by the second model, for what it has read |
| names | all | name | how far the query is the section's name (`names`) |
| prose | all | prose | less for a section with little text of its own |
| boosts | best 50 | heading, proximity | headings that meet the query; words that are neighbours in both (`boosts`) |
| feedback | best 500 | as vectors | the vectors again, the query's moved towards the best window of the first row |
| documents | best 50 | document | the mean of the best sections of its document |
| language | some | language | less for a section in another language than the query's |

Words and vectors are first normalised and added up (`fusion`). The feedback is Rocchio's (in: The SMART Retrieval System,
1971).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from schema.requests import Mode
from schema.tracing import traced
from search.index.ranges import Indices, best_rows
from search.index.snapshot import IndexSnapshot
from search.index.vectors import QueryVectors, as_rows
from search.ranking.balance import vector_share
from search.ranking.boosts import heading_match, proximity
from search.ranking.fusion import Fusion, Retrieved, fuse
from search.ranking.names import name_match
from search.ranking.nearness import Confidence, Mask, moved_to, vector_scores
from search.ranking.phrases import rows_with_phrases
from search.ranking.query import Query, parse_query

#: Sections whose passages are scored: the best by BM25. Scoring all would take time that grows with the index.
_PASSAGE_ROWS = 400
#: Sections that each kind of vector adds to those found by words.
_DENSE_ROWS = 1000
#: Shares of the words' score.
_WORD_SHARES = {"lexical": 0.5, "sentence": 0.25, "passage": 0.25}
#: The best rows that boosts and documents are looked up for, and what a full boost adds to a fused score of 0..1.
_CLOSE_ROWS = 50
_BOOSTS = {"heading": 0.1, "proximity": 0.1}
#: What a name score of 1 adds to a fused score of 0..1.
_NAME_WORTH = 0.7
#: What a name in English counts beside one as it is typed, for a query of loanwords alone.
_IN_ENGLISH = 0.9
#: A section with fewer words of prose than this loses up to this share of its score, by the logarithm of their number.
_FULL_PROSE, _PROSE_SHARE = 150, 0.25
#: What the mean of the best sections of its document adds to a section, as a share of it, and how many the mean is of.
_DOCUMENT_WORTH, _DOCUMENT_HITS = 0.4, 5
#: The share of its score that a section in another language than the query's loses, for users who prefer their own.
_DEFERRED_SHARE = 0.25
#: The rows that the query's vector is compared with when it has moved.
_FEEDBACK_ROWS = 500


@dataclass(frozen=True, slots=True)
class Ranked:
    """A row of the snapshot with its score, 0..1; what each retriever measured; and what each step added to the score.

    `sentences`: ordinals of the first and last sentence of the best passage by words; None if words did not find the row.
    """

    row: int
    score: float
    scores: Mapping[str, float]
    parts: Mapping[str, float]
    sentences: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Ranking:
    """All that was found, best first, as rows in `order`; `at` gives the details of some of them.

    `total`: the score of every row. `raw`: the scores of each retriever, and `parts`: what each step added, by name; all of
    shape (rows,). `weights`: the terms that were looked for. `passages`: by row, the ordinals of the first and last sentence
    of its best passage. `names`: how far the query is the name of each section; None if no word was found. `holds_phrases`:
    the query has phrases in quotes, and all that was found holds them.
    """

    order: Indices
    total: npt.NDArray[np.float64]
    raw: Mapping[str, npt.NDArray[np.floating]]
    parts: Mapping[str, npt.NDArray[np.float64]]
    weights: Mapping[str, float]
    passages: Mapping[int, tuple[int, int]]
    names: npt.NDArray[np.float64] | None = None
    holds_phrases: bool = False

    def plus(self, part: str, added: npt.NDArray[np.float64], *, most: float = 0.0) -> Ranking:
        """Return the ranking in the order of the scores with what a step `added` to each, shape (rows,), as a new part.

        `most` is the most that it adds, so that scores stay within 0..1. Rows with equal scores keep their order.
        """
        scale = 1.0 / (1.0 + most)
        total = (self.total + added) * scale
        order = self.order[np.argsort(-total[self.order], kind="stable")]
        parts = {name: values * scale for name, values in {**self.parts, part: added}.items()}
        return replace(self, order=order, total=total, parts=parts)

    def rearranged(self, rows: Sequence[int], part: str) -> Ranking:
        """Return the ranking with its first rows in this order, each with the score of the place where it stands now, as a
        new part; the ranking as it is if that is their order."""
        before = self.order[: len(rows)]
        order = np.asarray(rows, self.order.dtype)
        if np.array_equal(order, before):
            return self
        total = self.total.copy()
        total[order] = self.total[before]
        parts = {**self.parts, part: total - self.total}
        return replace(self, order=np.concatenate([order, self.order[len(rows) :]]), total=total, parts=parts)

    def led_by(self, place: int, part: str) -> Ranking:
        """Return the ranking with the row at a place first and those before it each one place later; see `rearranged`."""
        return self.rearranged([self.order[place], *self.order[:place]], part)

    def at(self, rows: Sequence[int]) -> list[Ranked]:
        """Return the details of these rows, in the order given."""
        return [
            Ranked(
                row,
                min(1.0, float(self.total[row])),
                {name: float(values[row]) for name, values in self.raw.items() if np.isfinite(values[row])},
                {name: float(values[row]) for name, values in self.parts.items() if values[row]},
                self.passages.get(row),
            )
            for row in rows
        ]


@traced("search.rank")
def rank(
    snapshot: IndexSnapshot,
    query: Query,
    vector: QueryVectors | None,
    *,
    mode: Mode,
    dense_weight: float,
    allowed: Mask,
    deferred: Mask | None = None,
) -> Ranking:
    """Rank the allowed rows (a mask of shape (rows,)); `vector` holds the query's vectors, None if no model knows the query.

    `dense_weight`, 0..1, is the share of the vectors in hybrid mode. Left out are sections without a word of the query that
    are not near it by a vector either, and those without the phrases in quotes, unless no section has these. The `deferred`
    rows, a mask too, lose a quarter of their score.
    """
    weights = snapshot.inverted.expand_terms(query.counting(query.weights), query.synonyms)
    bm25 = np.where(allowed, snapshot.inverted.bm25(weights), 0.0)
    has_phrases = rows_with_phrases(snapshot, query, bm25) if query.phrases else None
    if has_phrases is not None:
        allowed, bm25 = allowed & has_phrases, np.where(has_phrases, bm25, 0.0)
    has_words = mode != "dense" and bool(np.any(bm25))
    if mode == "lexical":
        vector = None
    share = vector_share(snapshot, query, vector, bm25, dense_weight) if has_words else float(vector is not None)

    # words and vectors
    words, passages = _word_scores(snapshot, weights, bm25, 1.0 - share) if has_words else ({}, {})
    confidence = Confidence.of(snapshot, bm25, mode, is_foreign=query.is_foreign)
    comparable = allowed & snapshot.has_text
    vectors = {} if vector is None else vector_scores(snapshot, vector, share, comparable, confidence)
    fusion = fuse({**words, **vectors})
    candidates = _candidates(words, vectors, snapshot.rows)
    # names and prose
    names = _names(snapshot, query, weights) if has_words else None
    boosts = {} if names is None else {"name": _NAME_WORTH * names}
    scores = _Scores(fusion, candidates, boosts, snapshot.prose)
    # boosts
    if has_words:
        boosts |= _boosts(snapshot, query, weights, scores.order(_CLOSE_ROWS))
        scores = _Scores(fusion, candidates, boosts, snapshot.prose)
    # feedback
    if words and vectors and vector is not None and len(candidates):
        first = scores.order(_FEEDBACK_ROWS)
        moved = moved_to(snapshot, vector, int(first[0]))
        if moved is not vector:
            moved_scores = vector_scores(snapshot, moved, share, comparable, confidence, (first, vectors))
            fused = replace(fuse({**words, **moved_scores}), tie_breaker=fusion.tie_breaker)
            scores = _Scores(fused, candidates, boosts, snapshot.prose)
    # documents and language
    scores.add_documents(snapshot.document)
    if deferred is not None and len(scores.total):
        scores.defer(deferred)
    raw = {name: found.scores for name, found in {**words, **vectors}.items()}
    return Ranking(scores.order(), scores.total, raw, scores.parts, weights, passages, names, has_phrases is not None)


class _Scores:
    """The score of every row, `total`, and its `parts` by step, all of shape (rows,).

    These are the fused scores, what `boosts` add to them, scaled to 0..1 again, and less for sections with little prose;
    `prose` are the words of each section's own prose, shape (rows,). `candidates` are the rows that are ordered.
    """

    def __init__(
        self,
        fusion: Fusion,
        candidates: Indices,
        boosts: Mapping[str, npt.NDArray[np.float64]],
        prose: npt.NDArray[np.floating],
    ) -> None:
        self._candidates = candidates
        self._tie_breaker = fusion.tie_breaker
        scale = 1.0 / (1.0 + sum(_BOOSTS.values()) + _NAME_WORTH) if boosts else 1.0
        self.parts = {name: part * scale for name, part in {**fusion.parts, **boosts}.items()}
        self.total = sum(self.parts.values(), np.zeros(len(fusion.total)))
        if len(self.total):
            fullness = np.minimum(np.log1p(prose) / np.log1p(_FULL_PROSE), 1.0)
            by_text = self.total - self.parts.get("name", 0.0)
            self.parts["prose"] = -by_text * _PROSE_SHARE * (1.0 - fullness)
            self.total = self.total + self.parts["prose"]

    def add_documents(self, document: Indices) -> None:
        """Add to each of the best rows the mean score of the best rows of its document; `document` numbers that of each row.

        The scores of names do not count.
        """
        rows = self.order(_CLOSE_ROWS)
        scores = self.total[rows] - self.parts["name"][rows] if "name" in self.parts else self.total[rows]
        by_document: dict[int, list[float]] = {}
        for owner, score in zip(document[rows].tolist(), scores.tolist(), strict=True):
            by_document.setdefault(owner, []).append(score)
        means = {owner: sum(sorted(own)[-_DOCUMENT_HITS:]) / _DOCUMENT_HITS for owner, own in by_document.items()}
        added = np.zeros(len(self.total))
        added[rows] = [_DOCUMENT_WORTH * means[owner] for owner in document[rows].tolist()]
        scale = 1.0 / (1.0 + _DOCUMENT_WORTH)
        self.parts = {name: part * scale for name, part in {**self.parts, "document": added}.items()}
        self.total = (self.total + added) * scale

    def defer(self, rows: Mask) -> None:
        """Take from these rows a share of their scores."""
        self.parts["language"] = np.where(rows, -_DEFERRED_SHARE * self.total, 0.0)
        self.total = self.total + self.parts["language"]

    def order(self, first: int | None = None) -> Indices:
        """Return the candidates, best first, or only the `first` of them; rows with equal scores are ordered by the fusion's
        tie breaker, then by reading order."""
        rows = self._candidates if first is None else best_rows(self._candidates, self.total, first)
        return rows[np.lexsort((rows, -self._tie_breaker[rows], -self.total[rows]))][:first]


def _names(snapshot: IndexSnapshot, query: Query, weights: Mapping[str, float]) -> npt.NDArray[np.float64]:
    """How far the query is the name of each section, as it is typed or, somewhat less, in English."""
    names = name_match(snapshot, query, weights)
    if not query.english_name:
        return names
    other = parse_query(query.english_name)
    in_english = name_match(snapshot, other, snapshot.inverted.expand_terms(other.weights))
    return np.maximum(names, _IN_ENGLISH * in_english)


def _word_scores(
    snapshot: IndexSnapshot, weights: Mapping[str, float], bm25: npt.NDArray[np.floating], share: float
) -> tuple[dict[str, Retrieved], dict[int, tuple[int, int]]]:
    """Return the scores of sections and of their passages by words, with a `share` of 0..1 all together, and by row the
    ordinals of the first and last sentence of its best passage."""
    rows = best_rows(as_rows(bm25 > 0), bm25, _PASSAGE_ROWS)
    best = snapshot.inverted.passages(weights, rows)
    single, double = np.zeros(snapshot.rows), np.zeros(snapshot.rows)
    single[rows], double[rows] = best.single, best.double
    scores = {"lexical": bm25, "sentence": single, "passage": double}
    found = {
        name: Retrieved(np.where(scores[name] > 0, scores[name], -np.inf), share * part, absent=0.0)
        for name, part in _WORD_SHARES.items()
    }
    ends = zip(best.first.tolist(), best.last.tolist(), strict=True)
    return found, dict(zip(rows.tolist(), ends, strict=True))


def _candidates(words: Mapping[str, Retrieved], vectors: Mapping[str, Retrieved], rows: int) -> Indices:
    """Return the rows that hold words of the query, and the best rows by each kind of vector, ascending."""
    is_candidate = np.zeros(rows, np.bool_)
    for found in words.values():
        is_candidate |= np.isfinite(found.scores)
    for found in vectors.values():
        counts = np.isfinite(found.scores)
        if found.confidence is not None:
            counts &= found.confidence > 0
        if found.share > 0:
            is_candidate[best_rows(as_rows(counts), found.scores, _DENSE_ROWS)] = True
    return as_rows(is_candidate)


def _boosts(
    snapshot: IndexSnapshot, query: Query, weights: Mapping[str, float], rows: Indices
) -> dict[str, npt.NDArray[np.float64]]:
    """Return what headings and neighbouring words add to these rows, each of shape (all rows,); 0 for the others."""
    found = {
        "heading": heading_match(snapshot.inverted, weights, rows),
        "proximity": proximity(snapshot.inverted, query.sequence, weights, rows),
    }
    boosts = {}
    for name, most in _BOOSTS.items():
        boosts[name] = np.zeros(snapshot.rows)
        boosts[name][rows] = most * found[name]
    return boosts
