"""A query against a snapshot of the index → its sections in order, each with what every step gave to its score.

Words: BM25 of the whole section (half), of its best sentence and of its best two sentences (a quarter each). Vectors: cosine
of the section's first window and of its best one, by the second model for sections that it has read if it knows
the query's language, else by the first. Both sides are fused (`fusion`); the first fifty gain by boosts: how well
their headings meet the query, and whether words that stand together in it do so in the section. Then
the query's vector is moved towards the best window of the first hit, and the vectors are asked once more (Rocchio feedback,
in: The SMART Retrieval System, 1971). docs/retrieval.md has the measurement behind every number here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from schema.protocols import Vectors
from schema.text.analyzer import sets_blanks, terms
from search.index.ranges import Places
from search.index.snapshot import IndexSnapshot
from search.index.vectors import QueryVectors, Space, as_rows
from search.ranking.boosts import coverage, heading_match, own_heading, proximity
from search.ranking.fusion import Fusion, Retrieved, fuse
from search.ranking.query import Query, fold, holds_phrase

Mode = Literal["hybrid", "dense", "lexical"]
Mask = npt.NDArray[np.bool_]

#: Sections whose passages are scored: the best by BM25. Scoring those of all would cost time that grows with the index.
_PASSAGE_ROWS = 400
#: Sections that the vectors add to the ranking beside those found by words.
_DENSE_ROWS = 1000
#: Shares of the words' score.
_WORD_SHARES = {"lexical": 0.5, "sentence": 0.25, "passage": 0.25}
#: If no section holds so much of the query's weight, words have less say: another language, or other words for the same.
#: If one holds more, a model of several languages has less, and half of it where one holds all.
_FULL_WORDS, _WORDS_DECIDE = 0.3, 0.5
#: Share of a section's first window in the score of a model of several languages and of one; the best window has the rest.
#: For sections that hold no word of the query, the heading's vector has its share of the first of these.
_SECTION_VECTOR_SHARE, _SECTION_VECTOR_SHARE_OF_ONE = 0.3, 0.5
_HEADING_SHARE = 0.2
#: The best by fusion are looked at closely; a boost is worth so much beside a fused score of 0..1.
_CLOSE_ROWS = 50
_BOOSTS = {"heading": 0.1, "proximity": 0.1}
#: What a name that is all of the query is worth beside a fused score of 0..1, and how steeply that falls with less of it.
_NAME_WORTH, _NAME_POWER = 0.7, 3.0
#: What a section has of it at least whose heading is written so, that is named so, whose heading holds the identifier; and
#: what a name is worth that only the document has.
_WRITTEN, _NAMED, _IDENTIFIED, _ROOT_SHARE = 3.5, 2.5, 0.75, 0.8
#: A section with less own prose (words, by their logarithm) loses up to this share of its score, and one with hardly any up
#: to the second of what its name gives it.
_FULL_PROSE, _PROSE_SHARE = 150, 0.25
_FULL_STUB, _STUB_SHARE = 25, 0.5
#: A page of which so much stands in others loses of what its name gives it, with twice as much up to this share.
_SOME_REPEATED, _REPEATED_SHARE = 0.3, 0.95
#: What the mean of the best sections of its document is worth to a section, and how many are asked: who has more of them is
#: likelier meant.
_DOCUMENT_WORTH, _DOCUMENT_HITS = 0.4, 5
#: What a section in another language than the question's loses, for who prefers their own.
_DEFERRED_SHARE = 0.25
#: How far the query's vector moves towards the best window of the first hit.
_FEEDBACK = 0.3
#: Sections that the moved vector is compared with: the best so far.
_FEEDBACK_ROWS = 500
#: Sections whose text is read for a phrase in quotes.
_PHRASE_ROWS = 20_000
#: And how much text of them, the best by BM25 first (tokens).
_PHRASE_TOKENS = 5_000_000


@dataclass(frozen=True, slots=True)
class Ranked:
    """A row of the snapshot with its score, 0..1; what each retriever measured; and what each step gave to the score.

    `sentences`: first and last ordinal of the best passage by words, if words found it.
    """

    row: int
    score: float
    scores: Mapping[str, float]
    parts: Mapping[str, float]
    sentences: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Ranking:
    """All that was found, best first, as rows; `at` gives the details of some of them.

    `weights`: the terms looked for; `names`: how much the query is the name of each section, 0..1, if it has words.
    """

    order: Places
    total: npt.NDArray[np.float64]
    raw: Mapping[str, npt.NDArray[np.floating]]
    parts: Mapping[str, npt.NDArray[np.float64]]
    weights: Mapping[str, float]
    passages: Mapping[int, tuple[int, int]]
    names: npt.NDArray[np.float64] | None = None

    def at(self, rows: Sequence[int]) -> list[Ranked]:
        """The details of these rows, in the order given."""
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
    """Rank the allowed rows (a mask of shape (rows,)); `vector` holds the query's, None where vectors say nothing.

    `dense_weight`, 0..1, is the share of the vectors in hybrid mode. Sections that no word and no vector speaks for are
    left out, and those without the phrases in quotes too, unless no section has them. The `deferred` rows, a mask too,
    lose a quarter of their score.
    """
    weights = snapshot.inverted.expand_terms(query.weights)
    bm25 = np.where(allowed, snapshot.inverted.bm25(weights), 0.0)
    if query.phrases:
        kept = _with_phrases(snapshot, query, bm25)
        if kept is not None:
            allowed, bm25 = allowed & kept, np.where(kept, bm25, 0.0)
    has_words = mode != "dense" and bool(np.any(bm25))
    if mode == "lexical":
        vector = None
    share = 0.0 if vector is None else dense_weight if has_words and mode == "hybrid" else 1.0
    if has_words and 0 < share < 1:
        share = _balanced(snapshot, vector, share, held=_held(snapshot, query, bm25))
    words, passages = _words(snapshot, weights, bm25, 1.0 - share) if has_words else ({}, {})
    say = _Say.of(snapshot, bm25, mode)
    vectors = {} if vector is None else _vectors(snapshot, vector, share, allowed, say)
    chosen = _candidates(words, vectors, snapshot.rows)
    named = _names(snapshot, query, weights) if has_words else None
    names = {} if named is None else {"name": _NAME_WORTH * named}
    draft = _Draft(fuse({**words, **vectors}), chosen, names, worth=snapshot.prose)
    boosts = names
    if has_words:
        boosts = names | _boosts(snapshot, query, weights, draft.order(_CLOSE_ROWS))
    draft = _Draft(draft.fusion, chosen, boosts, worth=snapshot.prose)
    if words and vectors and vector is not None and len(chosen):
        first = draft.order(_FEEDBACK_ROWS)
        moved = _rocchio_update(snapshot, vector, int(first[0]))
        if moved is not vector:
            vectors_again = _vectors(snapshot, moved, share, allowed, say, rows=np.sort(first))
            fused = fuse({**words, **vectors_again})
            draft = _Draft(fused, chosen, boosts, tie_breaker=draft.fusion.tie_breaker, worth=snapshot.prose)
    draft.add_documents(snapshot.document)
    if deferred is not None:
        draft.defer(deferred)
    raw = {name: found.scores for name, found in {**words, **vectors}.items()}
    return Ranking(draft.order(), draft.total, raw, draft.parts, weights, passages, named)


class _Draft:
    """Fused scores with boosts on top, scaled to 0..1; `tie_breaker` orders the ties, by default as the fusion does."""

    def __init__(
        self,
        fusion: Fusion,
        candidates: Places,
        boosts: Mapping[str, npt.NDArray[np.float64]] | None = None,
        *,
        tie_breaker: npt.NDArray[np.float64] | None = None,
        worth: npt.NDArray[np.floating] | None = None,
    ) -> None:
        self.fusion = fusion
        self._candidates = candidates
        self._tie_breaker = fusion.tie_breaker if tie_breaker is None else tie_breaker
        scale = 1.0 / (1.0 + sum(_BOOSTS.values()) + _NAME_WORTH) if boosts else 1.0
        self.parts = {name: part * scale for name, part in {**fusion.parts, **(boosts or {})}.items()}
        self.total = sum(self.parts.values(), np.zeros(len(fusion.total)))
        if worth is not None and len(self.total):
            said = np.minimum(np.log1p(worth) / np.log1p(_FULL_PROSE), 1.0)
            by_text = self.total - self.parts.get("name", 0.0)
            self.parts["prose"] = -by_text * _PROSE_SHARE * (1.0 - said)
            self.total = self.total + self.parts["prose"]

    def add_documents(self, document: Places) -> None:
        """Add to each of the best rows what the best of its document have; `document` numbers the document of each row."""
        rows = self.order(_CLOSE_ROWS)
        scores = self.total[rows] - self.parts["name"][rows] if "name" in self.parts else self.total[rows]
        best: dict[int, list[float]] = {}
        for owner, score in zip(document[rows].tolist(), scores.tolist(), strict=True):
            best.setdefault(owner, []).append(score)
        share = {owner: sum(sorted(scores)[-_DOCUMENT_HITS:]) / _DOCUMENT_HITS for owner, scores in best.items()}
        added = np.zeros(len(self.total))
        added[rows] = [_DOCUMENT_WORTH * share[owner] for owner in document[rows].tolist()]
        scale = 1.0 / (1.0 + _DOCUMENT_WORTH)
        self.parts = {name: part * scale for name, part in {**self.parts, "document": added}.items()}
        self.total = (self.total + added) * scale

    def defer(self, rows: Mask) -> None:
        """Take from these rows a share of what they have."""
        self.parts["language"] = np.where(rows, -_DEFERRED_SHARE * self.total, 0.0)
        self.total = self.total + self.parts["language"]

    def order(self, first: int | None = None) -> Places:
        """The candidates, best first, or only the first of them; ties go by `tie_breaker`, then by reading order."""
        rows = self._candidates
        if first is not None and first < len(rows):
            least = np.partition(self.total[rows], -first)[-first]
            rows = rows[self.total[rows] >= least]
        return rows[np.lexsort((rows, -self._tie_breaker[rows], -self.total[rows]))][:first]


def _words(
    snapshot: IndexSnapshot, weights: Mapping[str, float], bm25: npt.NDArray[np.floating], share: float
) -> tuple[dict[str, Retrieved], dict[int, tuple[int, int]]]:
    """What words say of sections and of their passages, and where each section's best passage stands."""
    single, double, passages = _passages(snapshot, weights, bm25)
    scores = {"lexical": bm25, "sentence": single, "passage": double}
    found = {
        name: Retrieved(np.where(scores[name] > 0, scores[name], -np.inf), share * part)
        for name, part in _WORD_SHARES.items()
    }
    return found, passages


def _balanced(snapshot: IndexSnapshot, vector: QueryVectors | None, share: float, *, held: float) -> float:
    """The share of the vectors where the best section holds so much of the query's weight, 0..1."""
    if held < _FULL_WORDS:
        return 1.0 - (1.0 - share) * held / _FULL_WORDS
    is_of_several = snapshot.headings is not None and (vector is None or vector.second is None)
    return share * (1.0 - _WORDS_DECIDE * (held - _FULL_WORDS) / (1.0 - _FULL_WORDS) * is_of_several)


def _held(snapshot: IndexSnapshot, query: Query, bm25: npt.NDArray[np.floating]) -> float:
    """The largest share, 0..1, of the query's weight (idf) that one of the best sections by BM25 holds."""
    rows = _best(as_rows(bm25 > 0), bm25, _CLOSE_ROWS)[:_CLOSE_ROWS]
    held = coverage(snapshot.inverted, query.weights, rows, {})[0]
    return float(held.max(initial=0.0)) / (snapshot.inverted.mass(query.weights) or 1.0)


def _vectors(
    snapshot: IndexSnapshot, vector: QueryVectors, share: float, allowed: Mask, say: _Say, rows: Places | None = None
) -> dict[str, Retrieved]:
    """What the vectors say of the allowed sections (or only of `rows`); `share` is that of all of them together.

    What the second model has read the first one does not speak of, if the second speaks of the query.
    """
    found: dict[str, Retrieved] = {}

    def add(name: str, scores: npt.NDArray[np.floating], part: float, worth: npt.NDArray[np.floating]) -> None:
        found[name] = Retrieved(np.where(allowed, scores, -np.inf), share * part, worth)

    worth = say.first
    if vector.second is not None and snapshot.second is not None:
        read = snapshot.has_second.astype(np.float64)
        section_vector, best = snapshot.second.cosines(vector.second, rows)
        add("second", best, 1.0 - _SECTION_VECTOR_SHARE_OF_ONE, read)
        add("second_section_vector", section_vector, _SECTION_VECTOR_SHARE_OF_ONE, read)
        worth = worth * (1.0 - read)
    if vector.first is not None:
        section_vector, best = snapshot.vectors.cosines(vector.first, rows)
        part = _SECTION_VECTOR_SHARE_OF_ONE if snapshot.headings is None else _SECTION_VECTOR_SHARE
        by_text = worth * (1.0 - _HEADING_SHARE * say.heading)
        add("dense", best, 1.0 - part, by_text)
        add("section_vector", section_vector, part, by_text)
        if snapshot.headings is not None:
            near, _ = snapshot.headings.cosines(vector.first, rows)
            add("heading_vector", near, _HEADING_SHARE, worth * say.heading)
    return found


@dataclass(frozen=True, slots=True)
class _Say:
    """What the first model's word is worth for each section, 0..1, and whether it speaks of headings too (1 or 0)."""

    first: npt.NDArray[np.floating]
    heading: npt.NDArray[np.floating]

    @classmethod
    def of(cls, snapshot: IndexSnapshot, bm25: npt.NDArray[np.floating], mode: Mode) -> _Say:
        """In hybrid mode as far as the model knows the section's language; headings where words say nothing."""
        has_heading = np.zeros(snapshot.rows) if snapshot.headings is None else snapshot.headings.present
        return cls(
            first=snapshot.dense_confidence if mode == "hybrid" else np.ones(snapshot.rows),
            heading=np.where(bm25 > 0, 0.0, has_heading.astype(np.float64)),
        )


def _names(snapshot: IndexSnapshot, query: Query, weights: Mapping[str, float]) -> npt.NDArray[np.float64]:
    """How much the query is the name of each section, 0..1, and 2.5 for a heading that is written exactly so."""
    inverted = snapshot.inverted
    # words that only connect others count too, since a name may differ from another in them alone
    joints = dict.fromkeys((term for term in query.sequence if sets_blanks(term[0])), 0.5)
    of_query, of_heading = own_heading(inverted, {**joints, **query.weights}, {**joints, **weights})
    found = np.asarray(of_query**_NAME_POWER * of_heading, np.float64)
    written, named, identified = inverted.named(query.text)
    found[identified] = np.maximum(found[identified], _IDENTIFIED)
    found[named] = np.maximum(found[named], _NAMED)
    found[snapshot.depth == 0] *= _ROOT_SHARE
    found *= 1.0 - _REPEATED_SHARE * np.clip((inverted.repeated - _SOME_REPEATED) / _SOME_REPEATED, 0.0, 1.0)
    found *= 1.0 - _STUB_SHARE * (1.0 - np.minimum(snapshot.prose_below / _FULL_STUB, 1.0))
    found[written] = _WRITTEN
    return found


def _boosts(
    snapshot: IndexSnapshot, query: Query, weights: Mapping[str, float], rows: Places
) -> dict[str, npt.NDArray[np.float64]]:
    """What headings and neighbouring words add to these rows; 0 for the others."""
    found = {
        "heading": heading_match(snapshot.inverted, weights, rows),
        "proximity": proximity(snapshot.inverted, query.sequence, weights, rows),
    }
    boosts = {}
    for name, worth in _BOOSTS.items():
        boosts[name] = np.zeros(snapshot.rows)
        boosts[name][rows] = worth * found[name]
    return boosts


def _rocchio_update(snapshot: IndexSnapshot, vector: QueryVectors, row: int) -> QueryVectors:
    """The query's vectors moved towards the best window of a section; the same object if it has no window."""
    first = _moved(snapshot.vectors, vector.first, row)
    second = _moved(snapshot.second, vector.second, row)
    return vector if first is vector.first and second is vector.second else QueryVectors(first, second)


def _moved(space: Space | None, vector: Vectors | None, row: int) -> Vectors | None:
    near = None if space is None or vector is None else space.best_window_vector(row, vector)
    if near is None or vector is None:
        return vector
    moved: Vectors = (vector + _FEEDBACK * near).astype(np.float32)
    length = float(np.linalg.norm(moved))
    return (moved / length).astype(np.float32) if length > 0 else vector


def _passages(
    snapshot: IndexSnapshot, weights: Mapping[str, float], bm25: npt.NDArray[np.floating]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], dict[int, tuple[int, int]]]:
    """Passage scores of the best sections by BM25 (0 for the others), and where each one's best passage stands."""
    rows = _best(as_rows(bm25 > 0), bm25, _PASSAGE_ROWS)
    found = snapshot.inverted.passages(weights, rows)
    single, double = np.zeros(snapshot.rows), np.zeros(snapshot.rows)
    single[rows], double[rows] = found.single, found.double
    places = zip(found.first.tolist(), found.last.tolist(), strict=True)
    return single, double, dict(zip(rows.tolist(), places, strict=True))


def _candidates(words: Mapping[str, Retrieved], vectors: Mapping[str, Retrieved], rows: int) -> Places:
    """Rows that words speak for, and the best rows of each kind of vector."""
    chosen = np.zeros(rows, np.bool_)
    for found in words.values():
        chosen |= np.isfinite(found.scores)
    for found in vectors.values():
        speaks = np.isfinite(found.scores)
        if found.worth is not None:
            speaks &= found.worth > 0
        if found.share > 0:
            chosen[_best(as_rows(speaks), found.scores, _DENSE_ROWS)] = True
    return as_rows(chosen)


def _best(rows: Places, scores: npt.NDArray[np.floating], most: int) -> Places:
    """The rows with the highest scores, in no order, and those that score as the last of them does."""
    if len(rows) <= most:
        return rows
    least = np.partition(scores[rows], -most)[-most]
    kept: Places = rows[scores[rows] >= least]
    return kept


def _with_phrases(snapshot: IndexSnapshot, query: Query, bm25: npt.NDArray[np.floating]) -> Mask | None:
    """Which rows hold every phrase, or None if no row does."""
    spoken = [term for phrase in query.phrases for term in terms(phrase)]
    rows = _best(as_rows((bm25 > 0) & snapshot.inverted.holds_all(spoken)), bm25, _PHRASE_ROWS)
    kept = np.zeros(snapshot.rows, np.bool_)
    lengths = snapshot.token_count[rows].astype(np.int64)
    if lengths.sum() > _PHRASE_TOKENS:
        order = np.argsort(-bm25[rows], kind="stable")
        rows = rows[order][np.cumsum(lengths[order]) - lengths[order] < _PHRASE_TOKENS]
    for row, content in zip(rows.tolist(), snapshot.contents(rows.tolist()), strict=True):
        folded = fold(content)
        kept[row] = all(holds_phrase(folded, phrase) for phrase in query.phrases)
    return kept if kept.any() else None
