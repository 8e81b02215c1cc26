"""A section → the sections that are most like it, as hits; without itself, its copies, and those that only contain it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from schema import arguments
from schema.filters import Filters
from schema.results import SearchResult, SectionLink
from search.context.hits import hits_of
from search.index.snapshot import IndexSnapshot
from search.ranking.folding import folded
from search.ranking.likeness import holds_whole, rank_like, telling_terms
from search.ranking.query import Query
from search.sources.base import Question, Source
from search.sources.filtering import FileFacts
from search.sources.freshness import DocumentStates

#: Most sections that are listed.
MOST_SIMILAR = 100
#: Sections that are less alike are not listed.
_LEAST_ALIKE = 0.1
#: Rows beyond the limit that are looked at, since some of them are copies or hold the section.
_SPARE = 60


def similar_to(
    source: Source,
    section: SectionLink,
    where: Filters,
    *,
    limit: int,
    dense_weight: float,
    files: FileFacts,
    states: Callable[[Sequence[str]], DocumentStates],
) -> list[SearchResult]:
    """The sections most like one, at most `limit`, best first.

    Their `relevance` says how alike they are, 0..1. Near-duplicates of each other are one hit, as in a search.

    Raises:
        NotIndexedError: there is no such section.
        ArgumentError: the limit is not 1 to 100.
    """
    arguments.whole("limit", limit, least=1, most=MOST_SIMILAR)
    found = source.snapshot_with(section.id, with_vectors=True)
    if found is None:
        return []
    own, own_row = found
    asked = Query("", telling_terms(own.inverted, own_row), (), ())
    vector = own.mean_vectors(own_row)
    key = int(own.keys[own_row])
    wanted = limit + _SPARE
    question = Question(asked, vector, dense_weight, where, "hybrid", wanted, 0, fold=True, prefers=False, about=key)
    snapshot, allowed = source.candidates(question, files)
    row = int(np.flatnonzero(snapshot.keys == key)[0])
    ranking, alike = rank_like(snapshot, row, asked, vector, dense_weight=dense_weight, allowed=allowed)
    above = _positions_above(section, source.outlines([section.document_path])[section.document_path])
    order = [
        each
        for each in ranking.order[:wanted].tolist()
        if alike[each] >= _LEAST_ALIKE
        and not holds_whole(snapshot, row, each)
        and not _is_heading_above(snapshot, row, each, above)
    ]
    # its own group is the first one
    groups = folded(snapshot.inverted, [row, *order], limit + 1)[1:]
    hits = hits_of(
        source,
        snapshot,
        ranking.at([group.row for group in groups]),
        states=states,
        weights=ranking.weights,
        vector=vector,
        others={group.row: group.others for group in groups},
    )
    return [replace(hit, relevance=round(float(alike[group.row]), 4)) for hit, group in zip(hits, groups, strict=True)]


def _positions_above(section: SectionLink, outline: Sequence[SectionLink]) -> set[int]:
    """The positions of the sections above one."""
    by_id = {each.id: each for each in outline}
    above: set[int] = set()
    parent = by_id.get(section.parent_id or "")
    while parent is not None and parent.position not in above:
        above.add(parent.position)
        parent = by_id.get(parent.parent_id or "")
    return above


def _is_heading_above(snapshot: IndexSnapshot, row: int, other: int, above: set[int]) -> bool:
    """Whether a row is a heading without text of its own, above the section in `row`."""
    is_above = snapshot.document[row] == snapshot.document[other] and int(snapshot.position[other]) in above
    return is_above and not snapshot.inverted.words(other)
