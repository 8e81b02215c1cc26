"""Ranked rows of a collection → hits: their sections, passages, snippets, contexts and those that are folded into them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from schema.results import Context, SearchResult, SimilarSection, Window
from schema.sections import Section
from search.collection import Collection
from search.context import contexts_of
from search.highlight import find_matches, passage_span
from search.ranking import Ranked
from search.snippet import snippet_of
from search.source import Source
from search.vectors import QueryVectors


def hits_of(
    source: Source,
    collection: Collection,
    ranked: Sequence[Ranked],
    *,
    stale: Callable[[Sequence[str]], set[str]],
    weights: Mapping[str, float] = MappingProxyType({}),
    vector: QueryVectors | None = None,
    query: str = "",
) -> list[SearchResult]:
    """The hits in the order given; `weights` are the terms looked for, and `stale` tells which documents are old."""
    sections = sections_at(source, collection, [hit.row for hit in ranked])
    paths = sorted({section.document_path for section in sections})
    found: dict[str, list[str]] = {path: [] for path in paths}
    for section in sections:
        found[section.document_path].append(section.id)
    outlines = source.outlines(paths)
    contexts: dict[str, Context] = {}
    for path, ids in found.items():
        contexts.update(contexts_of(ids, outlines[path]))
    passages = [passage_span(section, hit.sentences) for hit, section in zip(ranked, sections, strict=True)]
    old = stale(paths)
    worth = {term: weight * collection.lexicon.idf(term) for term, weight in weights.items()}
    results = []
    for hit, section, passage in zip(ranked, sections, passages, strict=True):
        window = _best_window(collection, hit.row, section, vector)
        matches = find_matches(section.content, weights, passage=passage)
        results.append(
            SearchResult(
                section=section,
                score=hit.score,
                scores=hit.scores,
                parts=hit.parts,
                window=window,
                passage=passage,
                matches=matches,
                snippet=snippet_of(section, query, worth, matches, near=window, passage=passage),
                context=contexts[section.id],
                stale=section.document_path in old,
            )
        )
    return results


def sections_at(source: Source, collection: Collection, rows: Sequence[int]) -> list[Section]:
    """The sections in these rows of a collection, in the order given."""
    return source.sections(collection.keys[list(rows)].tolist()) if rows else []


def similar_to(
    source: Source, collection: Collection, others: Mapping[int, Sequence[int]]
) -> dict[int, tuple[SimilarSection, ...]]:
    """The sections that are folded into each of some rows, by these rows."""
    sections = iter(sections_at(source, collection, [row for rows in others.values() for row in rows]))
    return {
        first: tuple(
            SimilarSection(
                id=section.id, document_path=section.document_path, heading=section.name, start_line=section.start_line
            )
            for _, section in zip(rows, sections, strict=False)
        )
        for first, rows in others.items()
    }


def _best_window(collection: Collection, row: int, section: Section, vector: QueryVectors | None) -> Window | None:
    """The window nearest to the query, as offsets into the section's content."""
    best = None if vector is None or section.is_dirty else collection.best_window(row, vector)
    if best is None:
        return None
    shift = section.body_offset
    return Window(min(shift + best.start, len(section.content)), min(shift + best.end, len(section.content)))
