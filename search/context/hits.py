"""Ranked rows of a snapshot → hits: their sections, passages, snippets, contexts and near-duplicates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from urllib.parse import quote

from schema.results import Context, SearchResult, SimilarSection, Window
from schema.sections import Section
from schema.tracing import traced
from search.context.highlight import find_matches, passage_span, shown_matches
from search.context.marks import whole_words
from search.context.outline import contexts_of
from search.context.properties import asked_properties
from search.context.snippet import snippet_of
from search.index.snapshot import IndexSnapshot
from search.index.vectors import QueryVectors
from search.ranking.rank import Ranked
from search.sources.base import Found, Source
from search.sources.freshness import DocumentStates


@traced("search.hits")
def hits_of(
    source: Source,
    snapshot: IndexSnapshot,
    ranked: Sequence[Ranked],
    *,
    states: Callable[[Sequence[str]], DocumentStates],
    weights: Mapping[str, float] = MappingProxyType({}),
    vector: QueryVectors | None = None,
    query: str = "",
    others: Mapping[int, Sequence[int]] = MappingProxyType({}),
    has_all_properties: bool = False,
) -> list[SearchResult]:
    """The hits in the order given; `weights` are the terms that were looked for; `states` gives what is known of documents
    now. `others` are the near-duplicates of rows, by row. They have all properties, or those that are asked for."""
    rows = [hit.row for hit in ranked]
    similar = {row: others.get(row, ()) for row in rows}
    paths = sorted({snapshot.path(row) for row in rows})
    all_rows = [*rows, *(other for more in similar.values() for other in more)]
    found, outlines = source.found_in(_keys(snapshot, all_rows), paths)
    by_row = dict(zip(all_rows, found, strict=True))
    ids: dict[str, list[str]] = {path: [] for path in paths}
    for row in rows:
        ids[by_row[row].section.document_path].append(by_row[row].section.id)
    contexts: dict[str, Context] = {}
    for path, wanted in ids.items():
        contexts.update(contexts_of(wanted, outlines[path]))
    now = states(paths)
    by_idf = {term: weight * snapshot.inverted.idf(term) for term, weight in weights.items()}
    results = []
    for hit in ranked:
        section = by_row[hit.row].section
        passage = passage_span(section, hit.sentences)
        window = _best_window(snapshot, hit.row, by_row[hit.row], vector)
        told = by_row[hit.row].properties
        spans = find_matches(section.text, weights, passage=passage)
        matches = whole_words(section.text, spans, query)
        results.append(
            SearchResult(
                section=section,
                score=hit.score,
                scores=hit.scores,
                parts=hit.parts,
                window=window,
                passage=passage,
                matches=shown_matches(matches, passage),
                snippet=snippet_of(section, query, by_idf, spans, near=window, passage=passage, marks=matches),
                context=contexts[section.id],
                properties=told if has_all_properties else asked_properties(told, by_idf, section.breadcrumb),
                similar=tuple(_similar(by_row[row].section) for row in similar[hit.row]),
                stale=section.document_path in now.stale,
                gone=section.document_path in now.gone,
                url=_url(now.addresses.get(section.document_path, ""), section.anchor),
            )
        )
    return results


def shown_at(hit: SearchResult, places: Sequence[Window]) -> SearchResult:
    """A hit with these places in its content marked, and with a snippet of the first one below its heading."""
    section = hit.section
    first = next((place for place in places if place.start >= section.body_offset), None)
    snippet = snippet_of(section, "", {}, (), passage=first, marks=places)
    return replace(hit, matches=shown_matches(places, first), passage=first, snippet=snippet)


def _url(page: str, anchor: str) -> str:
    return f"{page}#{quote(anchor)}" if page and anchor else page


def sections_at(source: Source, snapshot: IndexSnapshot, rows: Sequence[int]) -> list[Section]:
    """The sections in these rows of a snapshot, in the order given."""
    return [each.section for each in source.found(_keys(snapshot, rows))] if rows else []


def _keys(snapshot: IndexSnapshot, rows: Sequence[int]) -> list[int]:
    keys: list[int] = snapshot.keys[list(rows)].tolist()
    return keys


def _similar(section: Section) -> SimilarSection:
    return SimilarSection(
        id=section.id,
        document_path=section.document_path,
        heading=section.name,
        start_line=section.start_line,
        place=section.place,
    )


def _best_window(snapshot: IndexSnapshot, row: int, found: Found, vector: QueryVectors | None) -> Window | None:
    """The window nearest to the query, as offsets into the section's content."""
    section = found.section
    window = None if vector is None or section.is_dirty else snapshot.best_window(row, vector)
    if window is None or window >= len(found.windows):
        return None
    shift, best = section.body_offset, found.windows[window]
    return Window(min(shift + best.start, len(section.content)), min(shift + best.end, len(section.content)))
