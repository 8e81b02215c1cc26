"""Results → the one JSON form that the command, HTTP and MCP share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from schema.results import SearchResult, SectionLink

#: Raised when a field is renamed, removed or changes its meaning; new fields do not raise it.
WIRE_VERSION = 1


def search_to_json(query: str, mode: str, results: Sequence[SearchResult], *, took_ms: float) -> dict[str, Any]:
    """A whole answer; `took_ms` is wall time in milliseconds."""
    return {
        "schema_version": WIRE_VERSION,
        "query": query,
        "mode": mode,
        "took_ms": round(took_ms, 1),
        "results": [result_to_json(result) for result in results],
    }


def result_to_json(result: SearchResult) -> dict[str, Any]:
    """One hit, its context included; lines are 1-based and inclusive, `window` holds offsets into `content`."""
    section, context = result.section, result.context
    return {
        "id": section.id,
        "document_path": section.document_path,
        "document_title": section.document_title,
        "heading": section.heading,
        "heading_path": list(section.heading_path),
        "depth": section.depth,
        "anchor": section.anchor,
        "content": section.content,
        "token_count": section.token_count,
        "start_line": section.start_line,
        "end_line": section.end_line,
        "section_number": list(section.section_number),
        "tags": list(section.tags),
        "score": round(result.score, 6),
        "scores": {name: round(score, 6) for name, score in result.scores.items()},
        "window": None if result.window is None else {"start": result.window.start, "end": result.window.end},
        "is_dirty": result.is_dirty,
        "stale": result.stale,
        "summary": result.summary,
        "document_summary": result.document_summary,
        "context": {
            "ancestors": [link_to_json(link) for link in context.ancestors],
            "previous": None if context.previous is None else link_to_json(context.previous),
            "next": None if context.next is None else link_to_json(context.next),
            "children": [link_to_json(link) for link in context.children],
        },
    }


def link_to_json(link: SectionLink) -> dict[str, Any]:
    """An outline entry or a neighbour of a hit."""
    return {
        "id": link.id,
        "heading": link.heading,
        "depth": link.depth,
        "anchor": link.anchor,
        "start_line": link.start_line,
        "end_line": link.end_line,
        "token_count": link.token_count,
        "summary": link.summary,
    }
