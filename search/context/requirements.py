"""A query that lists several things → its parts, each of which is looked for by itself.

An agent asks for all that it needs at once: "a config that extends standard, warns instead of failing, allows three levels".
No section has all of it, and the best sections for the whole are about one or two of these things.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from schema.requests import SearchRequest
from schema.results import ResultPage, SearchResult
from schema.text.query_words import ASKING_TERMS, query_terms
from schema.text.sentences import split_sentences

#: What stands between the things of a list.
_BETWEEN = re.compile(r"[,;]\s+(?:and\s+|or\s+)?|\s+(?:and|as well as)\s+|[、，；]|\s+(?:그리고|및)\s+")
#: A comma in Chinese, Japanese or Korean stands between things only if they are this short (characters).
_CJK, _SHORT = re.compile("[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]"), 15
#: The parts of a list, at least and at most, and the characters of a query that is read so.
_LEAST, MOST_PARTS, _MOST_CHARACTERS = 3, 6, 500


def parts_of(words: str) -> tuple[str, ...]:
    """The things that one sentence lists, at least three; none for other queries, and for one with quotes.

    >>> parts_of("read a file, hash it with sha256 and write the result")
    ('read a file', 'hash it with sha256', 'write the result')
    >>> parts_of("the difference between admins and owners"), parts_of("Hi, I am new, what do I do?")
    ((), ())
    """
    if '"' in words or len(words) > _MOST_CHARACTERS or len(list(split_sentences(words))) > 1:
        return ()
    parts = [part.strip(" ?!.") for part in _BETWEEN.split(words)]
    parts = [part for part in parts if part and not ASKING_TERMS.issuperset(query_terms(part))]
    if any(_CJK.search(part) and len(part) > _SHORT for part in parts):
        return ()
    return tuple(dict.fromkeys(parts))[:MOST_PARTS] if len(parts) >= _LEAST else ()


def best_of_parts(answer: Callable[[SearchRequest], ResultPage], request: SearchRequest) -> tuple[SearchResult, ...]:
    """The best section for each thing that a request lists, each section once; none unless most of them are answered."""
    asked = request.parsed
    one = replace(request, filters=asked.filters, literal=True, limit=1, offset=0)
    pages = [answer(replace(one, query=part)) for part in parts_of(asked.words)]
    hits = [page.results[0] for page in pages if page.answered]
    return tuple({hit.section.id: hit for hit in hits}.values()) if 2 * len(hits) > len(pages) else ()
