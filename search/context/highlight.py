"""Sections and terms → the spans of the terms, and of the passage that answers best, as offsets into the content."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import islice

from schema.results import Window
from schema.sections import Section
from schema.text.analyzer import is_mark, sentence_spans, term_spans

#: Spans that are looked at of one section, and those that are given to readers, at most.
_MAX_MATCHES, _MOST_SHOWN = 10_000, 500
#: Characters of a section that are read for the query's terms, and for the best passage, at most.
_MATCHED_CHARACTERS = 100_000
_PASSAGE_CHARACTERS = 1_000_000


def find_matches(content: str, weights: Mapping[str, float], *, passage: Window | None = None) -> tuple[Window, ...]:
    """The spans of terms of the query, in order, without overlaps.

    Single Chinese or Japanese characters are left out if the query has pairs: alone they mean little. So are single digits
    if they belong to a date or a numbered part. At most 100,000 characters are read: the first ones, or, if the `passage`
    ends beyond these, those from its start on.
    """
    has_numbers = not any(is_mark(term) for term in weights)
    wanted = {term for term in weights if len(term) > 1 or (has_numbers and term.isdecimal())} or set(weights)
    first = passage.start if passage is not None and passage.end > _MATCHED_CHARACTERS else 0
    spans = term_spans(content[first : first + _MATCHED_CHARACTERS], wanted)
    merged: list[Window] = []
    for start, end in sorted((first + start, first + end) for start, end in spans):
        if merged and start <= merged[-1].end:
            merged[-1] = Window(merged[-1].start, max(end, merged[-1].end))
        elif len(merged) < _MAX_MATCHES:
            merged.append(Window(start, end))
        else:
            break
    return tuple(merged)


def shown_matches(matches: Sequence[Window], passage: Window | None) -> tuple[Window, ...]:
    """At most 500 of the spans of a section: the first ones, or those from half as many before the `passage` on."""
    at = 0 if passage is None else bisect_left(matches, passage.start, key=lambda match: match.start)
    first = max(0, min(at - _MOST_SHOWN // 2, len(matches) - _MOST_SHOWN))
    return tuple(matches[first : first + _MOST_SHOWN])


def passage_span(section: Section, sentences: tuple[int, int] | None) -> Window | None:
    """The span of the sentences `first`..`last` (ordinals) in the section's content, as far as they are in it, since the
    properties of the document are behind them; None if there are none, or if they are after its first million characters."""
    if sentences is None:
        return None
    first, last = sentences
    body = section.body
    spans = list(islice(sentence_spans(body[:_PASSAGE_CHARACTERS]), first, last + 1))
    if not spans:
        return None
    shift = section.body_offset
    return Window(shift + spans[0][0], shift + spans[-1][1])
