"""A query that asks for several things → its parts, each of which is looked for by itself.

An agent asks for all that it needs at once: "a config that extends standard, warns instead of failing, allows three levels".
No section has all of it, and the best sections for the whole are about one or two of these things.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from schema.requests import SearchRequest
from schema.results import ResultPage, SearchResult
from schema.text.analyzer import terms
from schema.text.query_words import ASKING_TERMS, query_terms
from schema.text.request_words import without_request
from search.ranking.messages import is_question, sentences_of

#: What stands between the things of a list.
_BETWEEN = re.compile(r"[,;]\s+(?:and\s+|or\s+)?|\s+(?:and|as well as)\s+|[とや]?[、，；]|\s+(?:그리고|및)\s+")
#: A comma in Chinese, Japanese or Korean stands between things only if they are this short (characters).
_CJK, _SHORT = re.compile("[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]"), 15
#: The parts of a list, at least and at most, and the characters of a query that is read so.
_LEAST, MOST_PARTS, _MOST_CHARACTERS = 3, 6, 500
_SAYING_NOTHING = ASKING_TERMS | set(terms("help hello hi hey anyone anybody somebody"))
#: What points back to the sentence before: such a question says too little by itself.
_POINTING = re.compile(
    r"(?i:\b(?:it|its|they|them|that|this|those|these|one)\b)|[そこ](?:れ|の)|그것|그건|그게|이것|이건|이게"
)
#: The two things that are compared.
_COMPARED = (
    re.compile(
        r"(?i:.{0,40}\b(?:differences? between|compare|comparing|comparison of|cho(?:ose|osing) between)\s+(?:the\s+)?)"
        r"(?P<one>\S.{0,60}?)(?i:\s+(?:and|or|with|to|vs\.?|versus)\s+(?:the\s+)?)(?P<other>\S.{0,60}?)[?.!]*"
    ),
    re.compile(r"(?P<one>\S.{0,60}?)(?i:\s+(?:vs\.?|versus)\s+)(?P<other>\S.{0,60}?)[?.!]*"),
    re.compile(
        r"(?P<one>[^\sと、，][^と、，]{0,30}?)\s*と\s*(?P<other>[^\sと、，][^と、，]{0,30}?)\s*"
        r"(?:の(?:違い|ちがい|比較|差|使い分け)|は(?:どう|何が)違).*"
    ),
    re.compile(
        r"(?P<one>[^\s,]{1,30})(?:와|과|랑|하고)\s+(?P<other>(?!함께|같이|관련|다른)[^\s,].{0,30}?)(?:의|은|는)?\s+"
        r"(?:차이|비교|어떻게 다).*"
    ),
)
#: Words that the heading of a thing may have beside it.
_MOST_BESIDE = 2


def parts_of(words: str) -> tuple[str, ...]:
    """The things that one sentence lists, at least three, or the questions that several ask, at least two; none for other
    queries, and for one with quotes.

    >>> parts_of("read a file, hash it with sha256 and write the result")
    ('read a file', 'hash it with sha256', 'write the result')
    >>> parts_of("What is a slot? How are props declared?")
    ('What is a slot?', 'How are props declared?')
    >>> parts_of("the difference between admins and owners"), parts_of("Hi, I am new, what do I do?")
    ((), ())
    """
    if '"' in words or len(words) > _MOST_CHARACTERS:
        return ()
    sentences = sentences_of(words)
    if len(sentences) > 1:
        questions = [one for one in sentences if is_question(one) and not _POINTING.search(one) and _tells(one)]
        return tuple(dict.fromkeys(questions))[:MOST_PARTS] if len(questions) > 1 else ()
    parts = [part.strip(" ?!.") for part in _BETWEEN.split(without_request(words))]
    parts = [part for part in parts if part and _tells(part)]
    if any(_CJK.search(part) and len(part) > _SHORT for part in parts):
        return ()
    return tuple(dict.fromkeys(parts))[:MOST_PARTS] if len(parts) >= _LEAST else ()


def _tells(part: str) -> bool:
    """Whether a part says what it asks for."""
    return not _SAYING_NOTHING.issuperset(query_terms(part))


def compared_in(words: str) -> tuple[str, ...]:
    """The two things that a question compares; none for any other one.

    >>> compared_in("What is the difference between onRequest and preHandler hooks?"), compared_in("v-if vs v-show")
    (('onRequest', 'preHandler hooks'), ('v-if', 'v-show'))
    >>> compared_in("v-ifとv-showの違いは？"), compared_in("ref와 reactive의 차이"), compared_in("compare backups")
    (('v-if', 'v-show'), ('ref', 'reactive'), ())
    """
    if '"' in words:
        return ()
    found = next((found for each in _COMPARED if (found := each.fullmatch(words.strip())) is not None), None)
    return (found["one"], found["other"]) if found is not None else ()


def best_of_parts(answer: Callable[[SearchRequest], ResultPage], request: SearchRequest) -> tuple[SearchResult, ...]:
    """The best section for each thing that a request asks for, each section once; none unless most of them are answered.

    Of two things that are compared these are the sections with their names, if both have one.
    """
    asked = request.parsed
    one = replace(request, filters=asked.filters, literal=True, limit=1, offset=0)

    def answers(parts: tuple[str, ...]) -> Iterator[tuple[str, SearchResult]]:
        pages = ((part, answer(replace(one, query=part))) for part in parts)
        yield from ((part, page.results[0]) for part, page in pages if page.answered)

    if parts := parts_of(asked.words):
        hits = [hit for _, hit in answers(parts)]
        return tuple({hit.section.id: hit for hit in hits}.values()) if 2 * len(hits) > len(parts) else ()
    compared = compared_in(asked.words)
    named = {hit.section.id: hit for thing, hit in answers(compared) if _is_name(hit.section.heading, thing)}
    return tuple(named.values()) if len(named) == len(compared) else ()


def _is_name(heading: str, thing: str) -> bool:
    """Whether a heading has all words of a thing and few others, or the thing has those of the heading and few others."""
    one, other = set(terms(heading)), set(terms(thing))
    return (one <= other or other <= one) and bool(one) and bool(other) and len(one ^ other) <= _MOST_BESIDE
