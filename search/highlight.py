"""Sections and terms → where the terms stand in the text, and which lines answer best, as offsets into the content."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice

from schema.results import Window
from schema.sections import Section
from schema.terms import sentence_spans, term_spans

#: A terminal or a page shows no more of one section (spans).
_MAX_MATCHES = 500


def find_matches(content: str, weights: Mapping[str, float]) -> tuple[Window, ...]:
    """Where terms of the query stand, in order, none overlapping another.

    Single Chinese or Japanese characters are left out where the query has pairs: alone they mean little.
    """
    wanted = {term for term in weights if len(term) > 1} or set(weights)
    merged: list[Window] = []
    for start, end in sorted(term_spans(content, wanted)):
        if merged and start <= merged[-1].end:
            merged[-1] = Window(merged[-1].start, max(end, merged[-1].end))
        elif len(merged) < _MAX_MATCHES:
            merged.append(Window(start, end))
        else:
            break
    return tuple(merged)


def passage_span(section: Section, sentences: tuple[int, int] | None) -> Window | None:
    """The span of the sentences `first`..`last` (ordinals) in the section's content; None where there are none."""
    if sentences is None:
        return None
    first, last = sentences
    spans = list(islice(sentence_spans(section.body), last + 1))
    if last >= len(spans):
        return None
    shift = section.body_offset
    return Window(shift + spans[first][0], shift + spans[last][1])
