"""The JSON of a search → the same hits with their snippets instead of their contents, for readers who pay by the token."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: Fields of a hit that are always shown, and those that are shown where they say something.
_ALWAYS = (
    "id",
    "document_path",
    "heading",
    "trail",
    "anchor",
    "start_line",
    "end_line",
    "token_count",
    "relevance",
    "stale",
)
_IF_SET = ("place", "url", "is_pending")


def brief_search(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return a search (see `search.answers.wire`) with brief hits, and without what repeats the request."""
    kept = {name: answer[name] for name in ("schema_version", "answered", "advice") if name in answer}
    return {**kept, "results": [_brief_hit(hit) for hit in answer["results"]]}


def _brief_hit(hit: Mapping[str, Any]) -> dict[str, Any]:
    """Return a hit with where it stands and its snippet; `token_count` is the size of its whole section."""
    shown = {name: hit[name] for name in _ALWAYS} | {name: hit[name] for name in _IF_SET if hit[name]}
    shown["snippet"] = _brief_snippet(hit["snippet"])
    if hit["similar"]:
        shown["similar"] = [{name: one[name] for name in ("id", "document_path", "start_line")} for one in hit["similar"]]
    return shown


def _brief_snippet(snippet: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if snippet is None:
        return None
    names = ("text", "start_line", "end_line", *(["place"] if snippet["place"] else []))
    return {name: snippet[name] for name in names}
