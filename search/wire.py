"""Results → the one JSON form that the command, HTTP and MCP share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from schema.results import ContextPack, SearchResult, SectionLink, Window

if TYPE_CHECKING:
    from search.evaluation import Evaluation

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
    """One hit, its context included; lines are 1-based and inclusive, spans are offsets into `content`."""
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
        "parts": {name: round(part, 6) for name, part in result.parts.items()},
        "window": _span(result.window),
        "passage": _span(result.passage),
        "matches": [[match.start, match.end] for match in result.matches],
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


def pack_to_json(query: str, pack: ContextPack) -> dict[str, Any]:
    """A context pack; lines are 1-based and inclusive."""
    return {
        "schema_version": WIRE_VERSION,
        "query": query,
        "max_tokens": pack.max_tokens,
        "token_count": pack.token_count,
        "text": pack.text,
        "pieces": [
            {
                "section_id": piece.section_id,
                "citation": piece.citation,
                "text": piece.text,
                "start_line": piece.start_line,
                "end_line": piece.end_line,
                "is_whole": piece.is_whole,
                "token_count": piece.token_count,
            }
            for piece in pack.pieces
        ],
        "left_out": list(pack.left_out),
    }


def evaluation_to_json(evaluation: Evaluation) -> dict[str, Any]:
    """What an evaluation measured, all questions included."""
    return {
        "schema_version": WIRE_VERSION,
        "mode": evaluation.mode,
        "means": {name: round(value, 6) for name, value in evaluation.means.items()},
        "unknown": list(evaluation.unknown),
        "questions": [
            {"query": judged.question.query, "nDCG@10": round(judged.score, 6), "places": dict(judged.places)}
            for judged in evaluation.judged
        ],
    }


def _span(window: Window | None) -> dict[str, int] | None:
    return None if window is None else {"start": window.start, "end": window.end}


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
