"""JSON Schemas of the answers to agents: those of `wire_schema`, changed by what `brief` and `budget` add and leave out."""

from __future__ import annotations

from typing import Any

from search.answers.wire_schema import SCHEMAS

Schema = dict[str, Any]

_COUNT: Schema = {"type": "integer", "minimum": 0}
_LEFT: Schema = {
    "omitted": {**_COUNT, "description": "How many were left out to stay within max_tokens."},
    "next_offset": {**_COUNT, "description": "The offset to ask for next."},
    "advice": {"type": "string", "description": "What to make of the answer, and how to get what was left out."},
}
_CUT: Schema = {
    "content_truncated": {"type": "boolean", "description": "The content is a part of the section."},
    "content_offset": {**_COUNT, "description": "Where in the section the content begins, in characters."},
    "context_truncated": {"type": "boolean", "description": "The sections around it are left out; outline shows them."},
}


def _changed(schema: Schema, *, required: tuple[str, ...] | None = None, without: str = "", **added: Schema) -> Schema:
    """Return the schema of an object with `added` fields and other `required` ones; the field `without` is not required."""
    kept = [name for name in schema["required"] if name != without] if required is None else list(required)
    return {**schema, "properties": {**schema["properties"], **added}, "required": kept}


_WHOLE = SCHEMAS["search"]["properties"]["results"]["items"]
#: A snippet outside of the part of the content that is sent has a text and lines, but no offsets.
_SNIPPET = _changed(_WHOLE["properties"]["snippet"]["anyOf"][0], required=("text", "start_line", "end_line", "matches"))
_CUT["snippet"] = {"anyOf": [_SNIPPET, {"type": "null"}]}
_HIT = _changed(_WHOLE, **_CUT)
_BRIEF_FIELDS = (
    "id",
    "document_path",
    "heading",
    "trail",
    "anchor",
    "start_line",
    "end_line",
    "token_count",
    "relevance",
    "snippet",
)
_BRIEF = _changed(
    _WHOLE,
    required=_BRIEF_FIELDS,
    snippet={"anyOf": [_changed(_SNIPPET, required=("text", "start_line", "end_line")), {"type": "null"}]},
    similar={
        "type": "array",
        "items": _changed(_WHOLE["properties"]["similar"]["items"], required=("id", "document_path", "start_line")),
    },
    content=False,
    read_from={"type": "string"},
)
_READ = _changed(
    _WHOLE,
    required=("id", "document_path", "heading", "depth", "anchor", "start_line", "end_line", "place", "stale", "content"),
    **_CUT,
)
_LINK = _changed(
    _WHOLE["properties"]["context"]["properties"]["children"]["items"],
    required=("id", "heading", "start_line", "token_count"),
)
_LINKS, _LINK_OR_NONE = {"type": "array", "items": _LINK}, {"anyOf": [_LINK, {"type": "null"}]}
_AROUND = _changed(
    _WHOLE["properties"]["context"], ancestors=_LINKS, children=_LINKS, previous=_LINK_OR_NONE, next=_LINK_OR_NONE
)
_CHANGE = _changed(
    SCHEMAS["changes"]["properties"]["documents"]["items"]["properties"]["sections"]["items"],
    required=("id", "kind", "document_path", "heading"),
    document_path={"type": "string"},
)
_REFERENCE = _changed(SCHEMAS["links"]["properties"]["links"]["items"], required=("line", "kind", "target", "status"))
_PIECE = _changed(SCHEMAS["context"]["properties"]["pieces"]["items"], required=("section_id", "citation", "language"))

#: The schema of each tool's answer, by the tool's name; only the fields of the shortest answer are required.
ANSWERS: dict[str, Schema] = {
    "search": _changed(
        SCHEMAS["search"],
        required=("schema_version", "answered", "results"),
        results={"anyOf": [{"type": "array", "items": _HIT}, {"type": "array", "items": _BRIEF}]},
        **_LEFT,
    ),
    "get_section": {
        "anyOf": [
            _changed(SCHEMAS["section"], required=("schema_version", "id"), context=_AROUND, **_CUT, **_LEFT),
            {
                "type": "object",
                "properties": {"schema_version": {"const": 1}, "sections": {"type": "array", "items": _READ}, **_LEFT},
                "required": ["schema_version", "sections"],
                "additionalProperties": False,
            },
        ]
    },
    "outline": _changed(SCHEMAS["outline"], required=("schema_version", "sections"), **_LEFT),
    "links": _changed(
        SCHEMAS["links"],
        required=("schema_version", "links", "backlinks"),
        links={"type": "array", "items": _REFERENCE},
        backlinks={"type": "array", "items": _REFERENCE},
        similar={"type": "array", "items": _BRIEF},
        **_LEFT,
    ),
    "changes": {
        "type": "object",
        "properties": {
            **{name: SCHEMAS["changes"]["properties"][name] for name in ("schema_version", "since", "counts")},
            "removed_since": {"type": "string"},
            "sections": {"type": "array", "items": _CHANGE},
            **_LEFT,
        },
        "required": ["schema_version", "sections"],
        "additionalProperties": False,
    },
    "list_documents": _changed(SCHEMAS["documents"], required=("schema_version", "documents"), **_LEFT),
    "context": _changed(
        SCHEMAS["context"],
        required=("schema_version", "answered", "text", "pieces"),
        pieces={"type": "array", "items": _PIECE},
        omitted={**_COUNT, "description": "How many citations left_out lacks."},
        advice=_LEFT["advice"],
    ),
    "status": _changed(
        SCHEMAS["status"],
        required=("schema_version",),
        omitted={"type": "object", "additionalProperties": _COUNT, "description": "How many of each were left out."},
    ),
}
