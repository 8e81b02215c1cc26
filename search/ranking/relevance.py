"""Hits → how likely each answers the question, 0..1, comparable between questions and indexes; and the order by it too.

A logistic regression of six features: the share of the question's weight (idf of its terms, as far as they count)
that the section holds, and that its best passage holds, the weight itself, how far the question is the section's name, the
cosine with the question's vector (where the model knows both languages; of the text or, somewhat less, of the heading), and
how far that is above the cosines of other sections. It was fitted on question sets with and without answers, to tell these
from each other, and which of the first sections of one question answers; docs/retrieval-log.md has the figures.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from schema.storage.fingerprint import model_names
from schema.text.analyzer import terms
from schema.text.language import question_language
from search.index.snapshot import IndexSnapshot
from search.ranking.boosts import coverage
from search.ranking.nearest import (
    CLOSE_ROWS,
    above_others,
    by_second,
    compared_cosines,
    cosines,
    first_is_nearest,
    heading_cosines,
    place_where_none_answers,
)
from search.ranking.query import Query
from search.ranking.question_terms import Counted, counted
from search.ranking.rank import Ranking

#: The idf of an unknown word in the indexes that the weights were fitted on (about 1,500 sections).
_USUAL_IDF = 8.0
#: Weights of the features: constant, share in the best passage, share anywhere, log(1 + weight), name, cosine, and how far
#: the cosine is above others.
_BY_MODEL = {
    "use-multilingual-v3": np.array([-5.75, 1.67, 2.14, 1.08, 1.99, 3.12, 5.28]),
    "all-MiniLM-L6-v2": np.array([-6.39, 1.17, 3.04, 0.34, 3.53, 4.27, 7.43]),
}
#: The same for a section in another language than the question, of which it has no words, by a model that knows both.
_ACROSS = {"use-multilingual-v3": np.array([-5.15, 1.9, 1.9, 0.0, 2.9, 13.3, 0.0])}
#: The same for other models, of which it is not known how far apart their cosines are.
_OTHER_MODEL = np.array([-8.3, 1.9, 3.2, 0.25, 1.3, 10.5, 0.0])
#: What the share of the weight of names, as far as a section lacks them, takes from what its vector gives.
_NAMES_LACKING = 3.0
#: The same for sections without a cosine.
_WORDS_ALONE = np.array([-8.1, 0.85, 1.15, 2.9, 6.7])
#: The most that a section has if a code or a name is asked for that stands in no section, or if it has another code in place
#: of that: less than counts as an answer.
_LACKING = 0.25
#: The least that a section has which says what the question asks the meaning of.
_DEFINITION = 0.5
#: The least that a section has which holds a text in quotes of at least so many different words, such as a message.
_QUOTED, _QUOTED_WORDS = 0.5, 3
#: The share of the question's weight, but for rounding, where the best passage holds all of it.
_ALL = 0.999
#: The best rows that are ordered by their relevance too, and what a relevance of 1 adds to a score of 0..1.
_CLOSE_ROWS, _WORTH = 30, 0.08
#: The first rows of a ranking among which those that answer stand first, and the least relevance of these: those that surely
#: do before those that may.
_FIRST_ROWS, _SURELY, _ANSWERS = 3, 0.35, 0.3
#: What the cosine of a section's heading counts in place of a lower one of its text, and the share of the question's weight
#: that the section has at least then.
_HEADING_SHARE, _HALF = 0.8, 0.5
_HIRAGANA = re.compile("[\u3041-\u3096]")


def features(
    snapshot: IndexSnapshot,
    query: Query,
    ranking: Ranking,
    rows: Sequence[int],
    weights: Mapping[str, float],
    compared: Mapping[str, float],
) -> np.ndarray:
    """The features of some rows, shape (rows, 6): share anywhere, share in the best passage, weight, name, cosine or NaN,
    and how far that is above the cosines that it is `compared` with."""
    row_array = np.asarray(rows, np.int64)
    anywhere, close = _held(snapshot, query, weights, ranking, row_array)
    asked = snapshot.inverted.mass(weights, query.synonyms) or 1.0
    # the idf of words grows with the index: it is scaled by that of a word that no section holds
    rarity = _USUAL_IDF / snapshot.inverted.idf("")
    name = ranking.names[row_array] if ranking.names is not None else np.zeros(len(rows))
    near = cosines(snapshot, ranking, row_array)
    # a heading is short, as a question is: its vector tells of a section that has half of the words
    heading = np.where(anywhere >= _HALF * asked, _HEADING_SHARE * heading_cosines(ranking, row_array), np.nan)
    near = np.where(np.isnan(near), near, np.fmax(near, heading))
    above = above_others(ranking, row_array, near, compared)
    return np.column_stack([anywhere / asked, close / asked, rarity * anywhere, name, near, above])


def _held(
    snapshot: IndexSnapshot, query: Query, weights: Mapping[str, float], ranking: Ranking, rows: np.ndarray
) -> np.ndarray:
    """How much of the weights counts in some rows, as `coverage` does; where the best passage holds all, everything does."""
    whole = coverage(snapshot.inverted, weights, rows, ranking.passages, query.synonyms)
    if not query.lowered:
        return whole
    is_all = whole[1] >= _ALL * snapshot.inverted.mass(weights, query.synonyms)
    counting = coverage(snapshot.inverted, query.counting(weights), rows, ranking.passages, query.synonyms)
    return np.where(is_all, whole, counting)


def relevance(
    snapshot: IndexSnapshot,
    query: Query,
    ranking: Ranking,
    rows: Sequence[int],
    *,
    asked: Counted,
    compared: Mapping[str, float],
    model: str = "",
) -> list[float]:
    """The relevance of some rows of a ranking, 0..1; `asked` is what counts of the question, `compared` are the cosines that
    those of the rows are compared with, and `model` names the model, or both models."""
    if not len(rows):
        return []
    found = features(snapshot, query, ranking, rows, asked.weights, compared)
    row_array = np.asarray(rows, np.int64)
    anywhere, close, mass, name, cosine, above = found.T
    by_words = np.column_stack([np.ones(len(rows)), close, anywhere, np.log1p(mass), np.minimum(name, 1.0)])
    by_all = np.column_stack([by_words, np.nan_to_num(np.column_stack([cosine, above]))])
    first_model, second_model = model_names(model)
    own_language = by_all @ _BY_MODEL.get(first_model, _OTHER_MODEL)
    across = by_all @ _ACROSS[first_model] if first_model in _ACROSS else own_language
    first = np.where(snapshot.in_other_languages(query.text)[row_array], across, own_language)
    second = by_all @ _BY_MODEL.get(second_model, _OTHER_MODEL)
    with_vector = np.where(by_second(ranking, row_array), second, first)
    with_vector -= _NAMES_LACKING * _lacking_names(snapshot, query, ranking, asked, row_array)
    words_alone = by_words @ _WORDS_ALONE
    logit = np.where(np.isnan(cosine), words_alone, with_vector)
    # words that a passage holds all of answer whatever the model makes of it
    holds_all = (close >= _ALL) | _holds_all_but_particles(snapshot, query, ranking, row_array)
    logit = np.where(holds_all, np.maximum(logit, words_alone), logit)
    is_found = (mass > 0) | ~np.isnan(cosine)
    found = is_found / (1 + np.exp(-logit))
    if query.weights and all(snapshot.inverted.frequency(term) == 1 for term in query.weights):
        # in a few sections every word seems common
        found = np.where(close >= _ALL, np.maximum(found, _ANSWERS), found)
    if ranking.holds_phrases and any(len(set(terms(phrase))) >= _QUOTED_WORDS for phrase in query.phrases):
        found = np.maximum(found, _QUOTED)
    lacks = _lacks_code(snapshot, asked, ranking, row_array)
    if asked.unheard_of:  # a section in another language may write a name in its own letters
        lacks |= np.isin(snapshot.languages[row_array], [question_language(query.text), ""])
    found[lacks] /= 1 + (1 / _LACKING - 1) * found[lacks]  # 1 becomes `_LACKING`, and little stays what it is
    return [round(float(value), 4) for value in found]


def _lacking_names(
    snapshot: IndexSnapshot, query: Query, ranking: Ranking, asked: Counted, rows: np.ndarray
) -> np.ndarray | float:
    """The share of the weight of a question's names that each of these rows lacks, 0..1."""
    whole = snapshot.inverted.mass(asked.names, query.synonyms)
    if not whole:
        return 0.0
    return np.asarray(1.0 - coverage(snapshot.inverted, asked.names, rows, ranking.passages, query.synonyms)[0] / whole)


def _lacks_code(snapshot: IndexSnapshot, asked: Counted, ranking: Ranking, rows: np.ndarray) -> np.ndarray:
    """Which rows have none of the codes that no section has as a whole, in parts either, or have another code in place
    of each that one has: they answer nothing."""
    lacks = np.full(len(rows), bool(asked.lacking))
    for code in asked.lacking:
        parts = dict.fromkeys(code.parts, 1.0)  # as in "MKL 500"
        _, close = coverage(snapshot.inverted, parts, rows, ranking.passages)
        lacks &= close < _ALL * snapshot.inverted.mass(parts, {}) if parts else True
    for at, row in enumerate(rows.tolist() if asked.known else ()):
        own = snapshot.inverted.terms_of(np.unique(snapshot.inverted.codes_of(row)))
        lacks[at] |= all(code.is_other_of(own) for code in asked.known)
    return lacks


def _holds_all_but_particles(snapshot: IndexSnapshot, query: Query, ranking: Ranking, rows: np.ndarray) -> np.ndarray:
    """Which of some rows have a passage with all terms of a Japanese question that are not hiragana in part, as particles
    and endings are; none of them for another question, and for one of fewer than three such terms."""
    weights = {term: weight for term, weight in query.weights.items() if not _HIRAGANA.search(term)}
    if len(weights) in (0, 1, 2, len(query.weights)):
        return np.zeros(len(rows), np.bool_)
    _, close = coverage(snapshot.inverted, weights, rows, ranking.passages, query.synonyms)
    return np.asarray(close >= _ALL * snapshot.inverted.mass(weights, query.synonyms), np.bool_)


class Relevance:
    """The relevance of rows of one ranking, each computed once."""

    def __init__(self, snapshot: IndexSnapshot, query: Query, ranking: Ranking, *, model: str = "") -> None:
        self._snapshot, self._query, self._ranking, self._model = snapshot, query, ranking, model
        self._asked = counted(query, snapshot.inverted)
        self._compared = compared_cosines(snapshot, ranking)
        self._known: dict[int, float] = {}

    def of(self, rows: Sequence[int]) -> list[float]:
        """Return the relevance of some rows, 0..1, in the order given."""
        fresh = [row for row in rows if row not in self._known]
        found = relevance(
            self._snapshot,
            self._query,
            self._ranking,
            fresh,
            asked=self._asked,
            compared=self._compared,
            model=self._model,
        )
        self._known.update(zip(fresh, found, strict=True))
        return [self._known[row] for row in rows]

    def lend(self, rows: Mapping[int, int]) -> None:
        """Let each of these rows have the relevance of the one it is mapped to, if that is higher."""
        for row, other in rows.items():
            self._known[row] = max(self.of([row, other]))

    def answer_with(self, strengths: Mapping[int, float]) -> None:
        """Let rows answer the question that steps have found to do so, each with how far it does (0..1)."""
        for row, value in zip(strengths, self.of(list(strengths)), strict=True):
            self._known[row] = max(value, _DEFINITION * strengths[row])

    def ordered(self) -> Ranking:
        """Return the ranking with the relevance of its first rows added to their scores, as the part "relevance".

        Scores of one question say which of its sections is better, and little about whether one answers at all: what hardly
        answers does not stand before what does. Scores stay within 0..1.
        """
        ranking = self._ranking
        rows = ranking.order[:_CLOSE_ROWS]
        added = np.zeros(len(ranking.total))
        added[rows] = _WORTH * np.asarray(self.of(rows.tolist()))
        return ranking.plus("relevance", added, most=_WORTH)

    def answering_first(self, ranking: Ranking) -> Ranking:
        """Return a ranking of the same rows in which, of the first three, those that likely answer stand before the others,
        by places and scores that change hands, as the part "answers": who asks for one section gets one that answers.

        Where none of them does, one that is nearer to the question may stand first: see `place_where_none_answers`.
        """
        rows = ranking.order[:_FIRST_ROWS]
        near = np.nan_to_num(cosines(self._snapshot, ranking, ranking.order[:CLOSE_ROWS]))
        if not len(rows) or first_is_nearest(near):
            return ranking
        relevances = np.asarray(self.of(rows.tolist()))
        if relevances.max() < _ANSWERS:
            place = place_where_none_answers(near, relevances)
            return ranking.led_by(place, "answers") if place else ranking
        answers = (relevances >= _SURELY).astype(np.int64) + (relevances >= _ANSWERS)
        return ranking.rearranged(rows[np.argsort(-answers, kind="stable")].tolist(), "answers")
