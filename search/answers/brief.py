"""The JSON of a search → the same hits with their snippets instead of their contents, for readers who pay by the token.

And that of changes → one list of sections.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
_IF_SET = ("gone", "place", "url", "is_pending", "properties")
#: A longer section may not fit an answer whole (tokens).
_LONG = 2000


def brief_search(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return a search (see `search.answers.wire`) with brief hits, and without what repeats the request."""
    kept = {name: answer[name] for name in ("schema_version", "answered", "advice") if name in answer}
    return {**kept, "results": brief_hits(answer["results"])}


def brief_hits(hits: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return hits in their brief form."""
    return [_brief_hit(hit) for hit in hits]


def brief_pack(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return a context pack (see `search.answers.wire`) without what repeats the request, and with pieces that have neither
    their texts, which stand in that of the pack, nor what their citations say."""
    kept = {name: value for name, value in answer.items() if name not in ("query", "max_tokens")}
    return {**kept, "pieces": list(map(_brief_piece, answer["pieces"]))}


def _brief_piece(piece: Mapping[str, Any]) -> dict[str, Any]:
    shown = {name: piece[name] for name in ("section_id", "citation", "language")}
    return shown | {name: piece[name] for name in ("place", "stale") if piece[name]}


def brief_section(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return one section (see `search.answers.wire`) with its content and lines, and briefly what stands around it."""
    own = [name for name in _ALWAYS if name != "relevance"]
    shown = {name: answer[name] for name in ("schema_version", *own)}
    shown |= {name: answer[name] for name in _IF_SET if answer[name]} | {"content": answer["content"]}
    around = answer["context"]
    shown["context"] = {
        "ancestors": [_brief_link(one) for one in around["ancestors"]],
        **{name: around[name] and _brief_link(around[name]) for name in ("previous", "next")},
        "children": [_brief_link(one) for one in around["children"]],
    }
    return shown | ({"included": answer["included"]} if "included" in answer else {})


def _brief_link(link: Mapping[str, Any]) -> dict[str, Any]:
    return {name: link[name] for name in ("id", "heading", "start_line", "token_count")}


def brief_links(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return links (see `search.answers.links_wire`) whose entries have only what is set, and no path of their document."""
    own = answer["document_path"]

    def set_of(link: Mapping[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in link.items() if value and (name, value) != ("document_path", own)}

    return {**answer, **{name: list(map(set_of, answer[name])) for name in ("links", "backlinks")}}


def brief_changes(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return changes (see `search.answers.changes_wire`) as one list of sections, each with its document's path.

    Times are in whole seconds. A section has what is known of it. `removed_since` is there if older removals are not known.
    """
    is_partial = answer["removed_since"] and answer["since"] and answer["since"] < answer["removed_since"]
    times = {name: answer[name] for name in ("since", *(["removed_since"] if is_partial else []))}
    return {
        "schema_version": answer["schema_version"],
        **{name: _second(time) for name, time in times.items()},
        "counts": answer["counts"],
        "sections": [
            _brief_change(one, document["path"]) for document in answer["documents"] for one in document["sections"]
        ],
        **({"omitted": answer["omitted"]} if answer["omitted"] else {}),
    }


def _brief_change(section: Mapping[str, Any], document_path: str) -> dict[str, Any]:
    fields = {"id": section["id"], "kind": section["kind"], "document_path": document_path, "heading": section["heading"]}
    told = {name: section[name] for name in ("anchor", "start_line", "end_line", "place", "opening") if section[name]}
    return {**fields, **({"at": _second(section["at"])} if section["at"] else {}), **told}


def _second(time: str) -> str:
    """Return a time in UTC without fractions of a second.

    >>> _second("2026-11-23T07:05:35.123000+00:00")
    '2026-11-23T07:05:35Z'
    """
    return f"{time[:19]}Z"


def _brief_hit(hit: Mapping[str, Any]) -> dict[str, Any]:
    """Return a hit with where it stands and its snippet; `token_count` is the size of its whole section, and `read_from`
    what names a long one so that it is read from the snippet on."""
    shown = {name: hit[name] for name in _ALWAYS} | {name: hit[name] for name in _IF_SET if hit[name]}
    shown["snippet"] = snippet = _brief_snippet(hit["snippet"])
    if snippet is not None and hit["token_count"] > _LONG and not hit["place"]:
        shown["read_from"] = f"{hit['document_path']}:{snippet['start_line']}"
    if hit["similar"]:
        shown["similar"] = [{name: one[name] for name in ("id", "document_path", "start_line")} for one in hit["similar"]]
    return shown


def _brief_snippet(snippet: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if snippet is None:
        return None
    names = ("text", "start_line", "end_line", *(["place"] if snippet["place"] else []))
    return {name: snippet[name] for name in names}
