"""A few words that name a page → its beginning before its other sections whose headings say no more of them.

Who types "kubemark" wants the page "Kubemark User Guide" from its beginning, and not "Starting a Kubemark cluster", although
the word stands there more often.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from schema.text.analyzer import terms
from schema.text.fields import ABOVE, HEADING
from schema.text.query_words import HOW_IT_WORKS
from search.index.snapshot import IndexSnapshot
from search.ranking.boosts import coverage
from search.ranking.names import begins_question, is_name
from search.ranking.query import Query
from search.ranking.rank import Ranking

#: The best rows among which the beginning is looked for, and the most words of a question.
_CLOSE_ROWS, _MOST_WORDS = 30, 3
#: The share of the question's weight that a title holds at least, the prose of a beginning (words), how much less of the
#: question than the other section it may hold, and the share of its score that it has where the title lacks a word.
_NAMED, _LEAST_PROSE, _LESS, _NEAR = 0.5, 15, 0.01, 0.9
#: The term of a heading "How it works".
_WORKING = terms("works")[0]
#: What begins a sentence that asks for more than a thing.
_ASKS = re.compile(r"(?:why|when|which|who|whose|is|are|do|does|did|will|would)\b", re.IGNORECASE)


def topic_of(text: str) -> str:
    """What a question is about that is no more than a few words, or asks how something works; empty for another sentence.

    >>> topic_of("kubemark"), topic_of("How does prefix caching work?"), topic_of("how do I start kubemark")
    ('kubemark', 'prefix caching', '')
    """
    works = HOW_IT_WORKS.fullmatch(text)
    is_sentence = begins_question(text) or _ASKS.match(text) or text.endswith(("?", "？"))
    return works["thing"] if works is not None else "" if is_sentence else text


def beginning_first(snapshot: IndexSnapshot, query: Query, ranking: Ranking) -> Ranking:
    """Return the ranking in which the first section has given its place and score to the beginning of its page, as the part
    "beginning", if the question has few words, the page's title most of their weight, and neither the heading nor the text
    of the section more of them. If it asks how something works, a section "How it works" of that page goes before that.

    It is the same ranking for a question in a sentence, for one in another language than the sections, since a title holds
    only what is known of it, and for a section with the question as its name.
    """
    topic = topic_of(query.text)
    if ranking.names is None or query.is_foreign or not 0 < len(topic.split()) <= _MOST_WORDS:
        return ranking
    rows = ranking.order[:_CLOSE_ROWS].tolist()
    working = _places_of_working(snapshot, rows) if topic != query.text else []
    if 0 in working:
        return ranking
    beginning = _beginning_of(snapshot, rows) if rows and snapshot.position[rows[0]] else None
    if working:
        beginning = working[0]
    elif not beginning or not _names_page(snapshot, query, ranking, rows[0], rows[beginning]):
        return ranking
    return ranking.led_by(beginning, "beginning")


def _places_of_working(snapshot: IndexSnapshot, rows: Sequence[int]) -> list[int]:
    """The places among these rows of the sections of the first one's page that are named by how something works."""
    own = set(snapshot.inverted.codes_of_terms([_WORKING]))
    same = (place for place, row in enumerate(rows) if snapshot.document[row] == snapshot.document[rows[0]])
    return [place for place in same if not own.isdisjoint(snapshot.inverted.heading_words(rows[place]))]


def _beginning_of(snapshot: IndexSnapshot, rows: Sequence[int]) -> int | None:
    """The place among these rows of the beginning of the first one's page: its first section with prose, or else the next
    one; None if it is not there."""
    document = snapshot.document[rows[0]]
    for position in (0, 1):
        for place, row in enumerate(rows):
            if snapshot.document[row] == document and snapshot.position[row] == position:
                if snapshot.prose[row] >= _LEAST_PROSE:
                    return place
                break
    return None


def _names_page(snapshot: IndexSnapshot, query: Query, ranking: Ranking, row: int, beginning: int) -> bool:
    """Whether the question names the page of a section, and neither the section's heading nor its text holds more of it than
    the page's beginning."""
    inverted = snapshot.inverted
    if ranking.names is None or is_name(ranking.names[row]):
        return False
    title = {*inverted.codes_of(beginning, HEADING, ABOVE + 1).tolist()}
    weights = query.counting(query.weights)
    in_title = {term for term in weights if not title.isdisjoint(inverted.stems(term))}
    own = inverted.heading_words(row)
    if any(not own.isdisjoint(inverted.stems(term)) for term in weights.keys() - in_title):
        return False
    held = inverted.mass({term: weights[term] for term in in_title}) if in_title else 0.0
    whole = inverted.mass(weights, query.synonyms)
    if len(in_title) < len(weights) and ranking.total[beginning] < _NEAR * ranking.total[row]:
        return False  # it may only mention the word that makes the other one the answer
    of_section, of_beginning = coverage(inverted, weights, np.array([row, beginning]), {}, query.synonyms)[0]
    return bool(held >= _NAMED * whole and of_beginning >= of_section - _LESS * whole)
