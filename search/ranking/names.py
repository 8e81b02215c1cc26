"""How far a query is the name of a section: its heading, as it is written or by its words, or an identifier in a line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice

import numpy as np
import numpy.typing as npt

from schema.text.analyzer import joined_terms, sets_blanks, signed_terms, terms
from schema.text.fields import identifiers
from search.index.inverted_index import InvertedIndex
from search.index.ranges import Indices
from search.index.snapshot import IndexSnapshot
from search.ranking.boosts import own_heading
from search.ranking.query import Query, option_asked

#: How steeply the score of a name falls the less of the query it holds.
_NAME_POWER = 3.0
#: Scores of a heading that is written exactly like the query; and the least ones of a section with the query as its name,
#: and of a heading that holds the query as an identifier.
_WRITTEN, _NAMED, _IDENTIFIED = 3.5, 2.5, 0.75
#: What other sections have at most: one called `$nextTick()`, with lines that begin so, is not the one called nextTick().
_MOST_OTHERWISE = 3.3
#: The score of a section with a heading within, or another line, that is just the identifier which the query is, unless more
#: sections have such a line.
_LINE, _MOST_WITH_LINE = 1.2, 20
#: What a section gains that has the identifier anywhere, and one in which it begins a line, as that of a table.
_HELD, _BEGINS = 0.6, 0.6
#: What a section gains in which a rare identifier of a longer question begins a line, how many are looked for, and the words
#: of a question from which on it is less: the identifier may only say where something happens.
_BEGINS_ASKED, _MOST_ASKED, _FEW_WORDS = 0.3, 5, 3
#: A name that only the document has counts this much.
_ROOT_SHARE = 0.8
#: Words that only connect others count this much of a word.
_CONNECTING_WEIGHT = 0.5
#: The beginning of a question, which a heading need not have.
_BEGINS_QUESTION = re.compile(
    r"\A(?:how (?:to|do|does|can|could|should|would)|what(?:['’]s| is| are| do| does)|where (?:is|are|do|does|can)"
    r"|can|could|should)\b(?: (?:I|we|you|one)\b)?",
    re.IGNORECASE,
)
#: A section with fewer words of prose, those below it included, loses up to this share of the score of its name.
_FULL_STUB, _STUB_SHARE = 25, 0.5
#: A section of which more than this share stands in other sections too loses of the score of its name; from twice as much
#: on, this share of it.
_SOME_REPEATED, _REPEATED_SHARE = 0.3, 0.95


def name_match(snapshot: IndexSnapshot, query: Query, weights: Mapping[str, float]) -> npt.NDArray[np.float64]:
    """How far the query is the name of each section, shape (rows,): 0..1 by words, 2.5 for a name that is the query, and
    3.5 for a heading that is written exactly like it. `weights` are the terms that are looked for."""
    inverted = snapshot.inverted
    # they count here because two names may differ in nothing else, but those that begin a question are no part of a name
    connecting = dict.fromkeys((term for term in query.sequence if sets_blanks(term[0])), _CONNECTING_WEIGHT)
    of_name = {*terms(_BEGINS_QUESTION.sub("", query.text)), *weights}
    begin = {term: connecting.pop(term) for term in tuple(connecting) if term not in of_name}
    of_query, of_heading = own_heading(
        inverted, {**connecting, **query.weights}, {**connecting, **weights}, query.synonyms, also=begin
    )
    scores = np.asarray(of_query**_NAME_POWER * of_heading, np.float64)
    name = option_asked(query.text) or query.text
    written, named, identified = inverted.named(name)
    scores[identified] = np.maximum(scores[identified], _IDENTIFIED)
    scores[named] = np.maximum(scores[named], _NAMED)
    is_identifier = any(name in (one, f"{one}()") for one in identifiers(name))
    sequence, signed = terms(name), signed_terms(name)
    if is_identifier:
        line = inverted.rows_with_sentence(" ".join((*sequence, *joined_terms(name))))
        scores[line] = np.maximum(scores[line], _LINE if len(line) <= _MOST_WITH_LINE else 0.0)
    scores[snapshot.depth == 0] *= _ROOT_SHARE
    scores *= 1.0 - _REPEATED_SHARE * np.clip((inverted.repeated - _SOME_REPEATED) / _SOME_REPEATED, 0.0, 1.0)
    scores *= 1.0 - _STUB_SHARE * (1.0 - np.minimum(snapshot.prose_below / _FULL_STUB, 1.0))
    if is_identifier:
        holds = inverted.holds_all(signed or sequence[:1])  # its whole term, which its parts follow
        if signed and holds.any():
            scores[~holds] = 0.0  # who types --set does not mean Sets
        scores[holds] += _HELD
        begins = inverted.rows_with_beginning(sequence[0])
        scores[begins] += _BEGINS if len(begins) <= _MOST_WITH_LINE else 0.0
    else:
        words = sum(not query.weights.keys().isdisjoint(terms(word)) for word in query.text.split())
        for one in islice(identifiers(query.text), _MOST_ASKED):
            scores[_explaining(inverted, one)] += _BEGINS_ASKED * min(1.0, _FEW_WORDS / max(1, words))
    scores = np.minimum(scores, _MOST_OTHERWISE)
    scores[written] = _WRITTEN
    return scores


def _explaining(inverted: InvertedIndex, name: str) -> Indices:
    """The rows in which an identifier begins a line, and those with a line that is the name of an option alone; none for an
    identifier that many sections hold, which is what they are about."""
    term = next(iter((*signed_terms(name), *terms(name))), "")  # none of signs alone
    is_rare = bool(term) and inverted.frequency(term) <= _MOST_WITH_LINE
    rows = inverted.rows_with_beginning(term) if is_rare else np.zeros(0, np.int64)
    bare = name.lstrip("-")
    if term and bare != name:
        rows = np.union1d(rows, inverted.rows_with_sentence(" ".join((*terms(bare), *joined_terms(bare)))))
    return rows if len(rows) <= _MOST_WITH_LINE else rows[:0]


def begins_question(text: str) -> bool:
    """Whether a text begins as a question in English does ("how do I", "what is")."""
    return _BEGINS_QUESTION.match(text) is not None


def is_name(score: float) -> bool:
    """Whether a score of `name_match` is that of a section with the query as its name, as its heading or as the page's."""
    return score >= _NAMED * _ROOT_SHARE


def is_written(score: float) -> bool:
    """Whether a score of `name_match` is that of a section with a heading that is written exactly like the query."""
    return score >= _WRITTEN
