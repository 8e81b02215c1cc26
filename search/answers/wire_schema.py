"""JSON Schemas (2020-12) of the JSON that `search.answers.wire` makes, for the OpenAPI document and for agents' tools."""

from __future__ import annotations

from typing import Any

from schema.changes import KINDS
from schema.links import STATUSES
from schema.sections import ID

_TEXT: dict[str, Any] = {"type": "string"}
_COUNT: dict[str, Any] = {"type": "integer", "minimum": 0}
_LINE: dict[str, Any] = {"type": "integer", "minimum": 1}
_FLAG: dict[str, Any] = {"type": "boolean"}
_NUMBER: dict[str, Any] = {"type": "number"}
_NUMBERS: dict[str, Any] = {"type": "object", "additionalProperties": _NUMBER}
_TEXTS: dict[str, Any] = {"type": "object", "additionalProperties": _TEXT}
_ID: dict[str, Any] = {"type": "string", "pattern": f"^{ID}$"}


def _list(of: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": of}


def _maybe(of: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [of, {"type": "null"}]}


def _object(optional: tuple[str, ...] = (), /, **properties: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of an object with these properties; those in `optional` may be missing, others may be added."""
    return {"type": "object", "properties": properties, "required": [name for name in properties if name not in optional]}


_SPAN = _maybe(_object(start=_COUNT, end=_COUNT))
_LINK = _object(
    id=_ID, heading=_TEXT, depth=_COUNT, anchor=_TEXT, start_line=_LINE, end_line=_LINE, token_count=_COUNT,
    summary=_maybe(_TEXT), place=_TEXT,
)  # fmt: skip
_MATCHES = _list({"type": "array", "items": _COUNT, "minItems": 2, "maxItems": 2})
_SNIPPET = _object(
    text=_TEXT, start=_COUNT, end=_COUNT, start_line=_LINE, end_line=_LINE, place=_TEXT, answer=_SPAN, matches=_MATCHES
)
_RESULT_FIELDS: dict[str, dict[str, Any]] = {
    "id": _ID,
    "document_path": _TEXT,
    "document_title": _TEXT,
    "heading": _TEXT,
    "heading_path": _list(_TEXT),
    "trail": _list(_TEXT),
    "depth": {"type": "integer", "minimum": 0, "maximum": 3},
    "anchor": _TEXT,
    "content": _TEXT,
    "body_start": _COUNT,
    "hidden": _MATCHES,
    "place": _TEXT,
    "token_count": _COUNT,
    "start_line": _LINE,
    "end_line": _LINE,
    "section_number": _list(_COUNT),
    "tags": _list(_TEXT),
    "root": _TEXT,
    "relevance": {"type": "number", "minimum": 0, "maximum": 1},
    "snippet": _maybe(_SNIPPET),
    "properties": _TEXTS,
    "similar": _list(_object(id=_ID, document_path=_TEXT, heading=_TEXT, start_line=_LINE, place=_TEXT)),
    "score": {"type": "number", "minimum": 0},
    "scores": _NUMBERS,
    "parts": _NUMBERS,
    "window": _SPAN,
    "passage": _SPAN,
    "matches": _MATCHES,
    "is_dirty": _FLAG,
    "is_pending": _FLAG,
    "stale": _FLAG,
    "gone": _FLAG,
    "url": _TEXT,
    "summary": _maybe(_TEXT),
    "document_summary": _maybe(_TEXT),
    "context": _object(ancestors=_list(_LINK), previous=_maybe(_LINK), next=_maybe(_LINK), children=_list(_LINK)),
    "html": _TEXT,
}
_PIECE = _object(
    stale=_FLAG,
    section_id=_ID,
    citation=_TEXT,
    text=_TEXT,
    start_line=_LINE,
    end_line=_LINE,
    place=_TEXT,
    is_whole=_FLAG,
    token_count=_COUNT,
    language=_TEXT,
)
_REFERENCE = _object(
    ("section_id",), line=_LINE, place=_TEXT, kind=_TEXT, target=_TEXT, text=_TEXT, status={"enum": list(STATUSES)},
    document_path=_maybe(_TEXT), id=_maybe(_ID), heading=_maybe(_TEXT), anchor=_maybe(_TEXT), section_id=_maybe(_ID),
)  # fmt: skip
_DOCUMENT = _object(path=_TEXT, title=_TEXT, section_count=_COUNT, token_count=_COUNT, tags=_list(_TEXT))
_CHANGE = _object(
    id=_ID, kind={"enum": list(KINDS)}, at=_maybe(_TEXT), heading=_TEXT, anchor=_TEXT, depth=_COUNT,
    start_line=_maybe(_LINE), end_line=_maybe(_LINE), place=_TEXT, opening=_TEXT,
)  # fmt: skip
_SIZE = _object(id=_ID, document_path=_TEXT, heading=_TEXT, anchor=_TEXT, start_line=_LINE, token_count=_COUNT)
_FACET = _object(value=_TEXT, count=_COUNT)
_FAILURE = _object(path=_TEXT, reason=_TEXT)
_RUN = _object(started=_TEXT, ended=_maybe(_TEXT), outcome=_TEXT, counts=_NUMBERS)

#: The schema of each answer, by the name of the method of `SearchService` that returns it.
SCHEMAS: dict[str, dict[str, Any]] = {
    "search": _object(
        ("advice", "words_left_out", "phrases_not_found", "respelt"), advice=_TEXT, words_left_out=_list(_TEXT),
        phrases_not_found=_list(_TEXT), respelt=_TEXT,
        schema_version=_LINE, query=_TEXT, mode=_TEXT, took_ms=_NUMBER, answered=_FLAG, min_relevance=_NUMBER,
        results=_list(_object(("html",), **_RESULT_FIELDS)),
    ),
    "section": _object(
        ("html", "included"), schema_version=_LINE, **_RESULT_FIELDS, included=_list(_object(written=_TEXT, text=_TEXT)),
    ),
    "outline": _object(
        schema_version=_LINE, document_path=_TEXT, stale=_FLAG, sections=_list(_LINK),
        other_languages=_list(_object(path=_TEXT, title=_TEXT, language=_TEXT)),
    ),
    "links": _object(
        ("sections",), schema_version=_LINE, id=_ID, document_path=_TEXT, anchor=_TEXT, heading=_TEXT, link_count=_COUNT,
        broken_count=_COUNT, links=_list(_REFERENCE), backlink_count=_COUNT, backlinks=_list(_REFERENCE),
        sections=_list(_object(id=_ID, heading=_TEXT, anchor=_TEXT)),
    ),
    "similar": _object(
        schema_version=_LINE, id=_ID, document_path=_TEXT, anchor=_TEXT, heading=_TEXT,
        results=_list(_object(("html",), **_RESULT_FIELDS)),
    ),
    "changes": _object(
        schema_version=_LINE, since=_maybe(_TEXT), commit=_maybe(_TEXT),
        counts=_object(added=_COUNT, changed=_COUNT, removed=_COUNT), omitted=_COUNT, removed_since=_maybe(_TEXT),
        documents=_list(_object(path=_TEXT, at=_maybe(_TEXT), sections=_list(_CHANGE))),
    ),
    "documents": _object(schema_version=_LINE, documents=_list(_DOCUMENT)),
    "editor": _object(schema_version=_LINE, address=_TEXT),
    "context": _object(
        ("advice",), advice=_TEXT,
        schema_version=_LINE, query=_TEXT, answered=_FLAG, max_tokens=_COUNT, token_count=_COUNT, text=_TEXT,
        pieces=_list(_PIECE), left_out=_list(_TEXT),
    ),
    "status": _object(
        schema_version=_LINE, name=_TEXT, documents=_COUNT, sections=_COUNT, dirty=_COUNT, summaries=_COUNT,
        stale=_list(_TEXT), orphans=_list(_TEXT), failed=_list(_FAILURE), paths=_list(_TEXT), last_run=_maybe(_RUN),
        is_being_written=_FLAG, model=_TEXT, dimension=_LINE, token_encoding=_TEXT, index_schema_version=_LINE,
        data_bytes=_COUNT, disk_bytes=_COUNT, fragments=_COUNT, unindexed_rows=_COUNT,
        roots=_list(_object(path=_TEXT, name=_TEXT, description=_TEXT)),
    ),
    "overview": _object(
        schema_version=_LINE, documents=_COUNT, sections=_COUNT, tokens=_COUNT, dirty=_COUNT, window_tokens=_LINE,
        over_window=_COUNT, histogram=_list(_object(least=_COUNT, most=_maybe(_COUNT), sections=_COUNT)),
        largest=_list(_SIZE), compared=_COUNT, near_duplicates=_list(_object(cosine=_NUMBER, first=_SIZE, second=_SIZE)),
        unsettled=_list(_object(path=_TEXT, dirty=_COUNT, stale=_FLAG)), tags=_list(_FACET), languages=_list(_FACET),
        folders=_list(_FACET),
    ),
    "health": _object(status=_TEXT),
}  # fmt: skip


#: Why a request was refused: what programs and the page go by, since the sentences may change.
ERROR_CODES = (
    "invalid_query", "empty_query", "too_many_fields", "too_many_sections", "path_filter",
    "field_depth", "field_lang", "field_minus", "field_since", "invalid_parameter",
    "not_indexed", "not_found",
    "index_missing", "index_incompatible", "index_damaged", "index_denied", "index_untrusted", "index_locked",
    "index_unavailable", "model_unavailable", "unavailable", "busy", "stopping", "time_limit", "fault",
    "token_wanted", "host_refused", "origin_refused", "site_refused",
    "address_too_long", "body_too_large", "method_not_allowed", "refused",
)  # fmt: skip


def error_schema(description: str) -> dict[str, Any]:
    """Return an error response for the OpenAPI document."""
    schema = _object(error=_object(kind=_TEXT, code={"enum": list(ERROR_CODES)}, message=_TEXT))
    return {"description": description, "content": {"application/json": {"schema": schema}}}
