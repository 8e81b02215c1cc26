"""How well sections match the words of a query, beside BM25: by headings, by neighbouring words, and how many they hold.

Every figure is weighted by idf, so that a rare word counts more than a usual one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from schema.text.fields import ABOVE, FIXED_LINES, HEADING, PATH
from search.index.inverted_index import InvertedIndex
from search.index.passages import Scores
from search.index.ranges import Indices
from search.index.vocabulary import NO_SYNONYMS, Synonyms

#: How much a word of the query counts in a heading above the section or in its path, in place of 1 in its own heading.
_ABOVE_SHARE = 0.65


def heading_match(inverted: InvertedIndex, weights: Mapping[str, float], rows: Indices) -> Scores:
    """How well headings and query cover each other, 0..1, shape (rows,): the idf of their common terms, divided by the
    square root of the product of both idf sums."""
    asked = inverted.mass(weights)
    gain = np.zeros(inverted.size, np.float32)  # by term
    for term, weight in weights.items():
        for code in inverted.codes_of_terms((term,)):
            gain[code] = weight * inverted.idf(term)
    scores = np.zeros(len(rows), np.float32)
    # the lines `HEADING` and `ABOVE` follow each other
    headings = [list(set(inverted.codes_of(row, HEADING, ABOVE + 1).tolist())) for row in rows]
    inverted.idf_of([code for codes in headings for code in codes])  # looks them up all at once
    for i, codes in enumerate(headings):
        whole = float(inverted.idf_of(codes).sum()) * asked
        scores[i] = min(1.0, float(gain[codes].sum()) / math.sqrt(whole)) if whole else 0.0
    return scores


def own_heading(
    inverted: InvertedIndex,
    query: Mapping[str, float],
    weights: Mapping[str, float],
    synonyms: Synonyms = NO_SYNONYMS,
    *,
    also: Mapping[str, float] | None = None,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """The share of the query that each section's headings hold, and the share of its own heading that the query holds.

    Both are 0..1 by idf, of shape (rows,); in the first one a term in a heading above, or in the path, counts
    `_ABOVE_SHARE`. `query` has the terms that were asked for, with their `synonyms`, `weights` those that are looked for.
    `also` are terms of the query that headings need not have: they add to the share of the query at most as much again.
    """
    also = also or {}
    asked = inverted.mass(query, synonyms) or 1.0
    of_query, of_also, of_heading = np.zeros((3, inverted.rows))
    for term, weight in {**also, **weights}.items():
        held = np.zeros(inverted.rows)
        for code in inverted.stems(term):
            lines = inverted.lines(code)
            rows = inverted.line_row[lines]
            kind = lines - inverted.first_line[rows]
            around = rows[(kind == ABOVE) | (kind == PATH)]
            held[around] = np.maximum(held[around], _ABOVE_SHARE)
            held[rows[kind == HEADING]] = 1.0
            of_heading += inverted.idf_of([code]) * np.bincount(rows[kind == HEADING], minlength=inverted.rows)
        share = of_query if term in weights else of_also
        share += weight * inverted.idf(term) / asked * held
    named = np.flatnonzero(of_heading)
    of_heading[named] /= np.maximum(inverted.heading_idf(named), 1e-9)
    return np.minimum(of_query + np.minimum(of_also, of_query), 1.0), np.minimum(of_heading, 1.0)


def coverage(
    inverted: InvertedIndex,
    weights: Mapping[str, float],
    rows: Indices,
    passages: Mapping[int, tuple[int, int]],
    synonyms: Synonyms = NO_SYNONYMS,
) -> npt.NDArray[np.float64]:
    """How much of the query's terms some sections hold, by idf: anywhere, and in their best passage and headings.

    Shape (2, rows); a section that holds all terms, or `synonyms` of them, has `InvertedIndex.mass`. A similar term, in
    place of an unknown one, counts four fifths. `passages` has, by row, the ordinals of the first and last sentence of its
    best passage.
    """
    held = np.zeros((2, len(rows)))
    first, last = inverted.first_line[rows], inverted.first_line[rows + 1]
    spans = np.array([passages.get(row, (0, -1)) for row in rows.tolist()], np.int64).reshape(-1, 2)
    sentences = first + FIXED_LINES
    # a section without sentences has no line behind the fixed ones: those are of the next section
    begins, ends = np.minimum(sentences + spans[:, 0], last), np.minimum(sentences + spans[:, 1] + 1, last)
    for term, readings in inverted.readings(weights, synonyms).items():
        holds = np.zeros((2, len(rows)), np.bool_)
        for code in inverted.codes_of_terms(readings):
            lines = inverted.lines(code)
            holds[0] |= np.searchsorted(lines, last) > np.searchsorted(lines, first)
            holds[1] |= np.searchsorted(lines, first + PATH) > np.searchsorted(lines, first)
            holds[1] |= np.searchsorted(lines, ends) > np.searchsorted(lines, begins)
        held += weights[term] * inverted.sought(term, readings) * holds
    return held


def proximity(inverted: InvertedIndex, sequence: Sequence[str], weights: Mapping[str, float], rows: Indices) -> Scores:
    """The share, 0..1 by idf, of the query's neighbouring terms that are neighbours in each section too, shape (rows,)."""
    scores = np.zeros(len(rows), np.float32)
    gain_of_pair: dict[int, float] = {}  # a pair is one number
    total = 0.0
    for one, other in sorted({(a, b) for a, b in pairwise(sequence) if a != b and a in weights and b in weights}):
        least = min(weights[one] * inverted.idf(one), weights[other] * inverted.idf(other))
        total += least
        first, second = inverted.code(one), inverted.code(other)
        if first is not None and second is not None:
            gain_of_pair[first * inverted.size + second] = least
    wanted = np.array(sorted(gain_of_pair), np.int64)
    gains = np.array([gain_of_pair[pair] for pair in wanted.tolist()])
    for i, row in enumerate(rows if len(wanted) else ()):
        codes = inverted.codes_of(row).astype(np.int64)
        pairs = codes[:-1] * inverted.size + codes[1:]
        nearest = np.minimum(np.searchsorted(wanted, pairs), len(wanted) - 1)
        is_there = np.zeros(len(wanted), np.bool_)
        is_there[nearest[wanted[nearest] == pairs]] = True
        scores[i] = gains[is_there].sum() / total
    return scores
