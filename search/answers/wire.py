"""Results → the one JSON form that the command, HTTP and MCP share.

A record says its own part of it in `to_dict`; what is around the records, and the way back, is here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from pathlib import PurePath
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from schema.results import (
    Context,
    ContextPack,
    DocumentInfo,
    ResultPage,
    SearchResult,
    SectionLink,
    SimilarSection,
    Snippet,
    Translation,
    Window,
)
from schema.sections import Section
from schema.text.characters import moves, printable

if TYPE_CHECKING:
    from schema.reports import IndexStatus
    from search.evaluation import Evaluation
    from search.overview import Overview

#: Raised when a field is renamed, removed or changes its meaning; new fields do not raise it.
WIRE_VERSION = 1


def search_to_json(query: str, mode: str, page: ResultPage, *, took_ms: float) -> dict[str, Any]:
    """Return a whole answer; `took_ms` is wall time in milliseconds.

    `answered` is false if no section answers the question, so that the results are only the nearest ones.
    """
    return {
        "schema_version": WIRE_VERSION,
        "query": query,
        "mode": mode,
        "took_ms": round(took_ms, 1),
        **page.to_dict(),
    }


def result_to_json(result: SearchResult) -> dict[str, Any]:
    """Return one hit with its context, as the record itself says."""
    return result.to_dict()


def section_to_json(result: SearchResult) -> dict[str, Any]:
    """Return one section that was asked for by its id: a hit of score 0."""
    return {"schema_version": WIRE_VERSION, **result_to_json(result)}


def sections_to_json(
    sections: Sequence[Section],
    stale: Collection[str],
    told: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
) -> dict[str, Any]:
    """Return the texts of several sections, in the order given; `stale` are the paths of documents that have changed, and
    `told` has the properties of sections by their ids."""
    return {
        "schema_version": WIRE_VERSION,
        "sections": [
            {
                "id": section.id,
                "document_path": section.document_path,
                "heading": section.name,
                "depth": section.depth,
                "anchor": section.anchor,
                "start_line": section.start_line,
                "end_line": section.end_line,
                "place": section.place,
                "stale": section.document_path in stale,
                **({"properties": dict(told[section.id])} if told.get(section.id) else {}),
                "content": section.content,
            }
            for section in sections
        ],
    }


def outline_to_json(
    links: Sequence[SectionLink], translations: Sequence[Translation] = (), *, stale: bool = False
) -> dict[str, Any]:
    """Return the sections of one document in reading order, at least one, and the same page in other languages."""
    return {
        "schema_version": WIRE_VERSION,
        "document_path": links[0].document_path,
        "stale": stale,
        "sections": [link.to_dict() for link in links],
        "other_languages": [one.to_dict() for one in translations],
    }


def documents_to_json(documents: Sequence[DocumentInfo]) -> dict[str, Any]:
    """Return all documents of an index."""
    return {
        "schema_version": WIRE_VERSION,
        "documents": [document.to_dict() for document in documents],
    }


def editor_to_json(address: str = "") -> dict[str, Any]:
    """Return the address that opens a section in an editor; "" for whoever may not know it."""
    return {"schema_version": WIRE_VERSION, "address": address}


def status_to_json(status: IndexStatus) -> dict[str, Any]:
    """Return what an index holds and how fresh it is, without folders of this machine and without what the user trusts."""
    fields = status.to_dict()
    for name in ("index_dir", "root", "is_own", "outside", "settings_file", "settings_allowed", "settings_left_out"):
        del fields[name]
    fields["index_schema_version"] = fields.pop("schema_version")
    return {"schema_version": WIRE_VERSION, "name": PurePath(status.root).name, **fields}


def overview_to_json(overview: Overview) -> dict[str, Any]:
    """Return sizes, near-duplicates and other facts of an index's sections."""
    return {"schema_version": WIRE_VERSION, **asdict(overview)}


def result_from_json(hit: Mapping[str, Any]) -> SearchResult:
    """Return the result that `result_to_json` was given, except for hashes, times and offsets into the file."""
    context = hit["context"]

    def link(neighbour: Mapping[str, Any] | None) -> SectionLink | None:
        return None if neighbour is None else link_from_json(neighbour, document_path=hit["document_path"])

    def links(neighbours: Sequence[Mapping[str, Any]]) -> tuple[SectionLink, ...]:
        return tuple(link_from_json(one, document_path=hit["document_path"]) for one in neighbours)

    def span(window: Mapping[str, int] | None) -> Window | None:
        return None if window is None else Window(window["start"], window["end"])

    return SearchResult(
        section=Section(
            id=hit["id"],
            document_path=hit["document_path"],
            document_title=hit["document_title"],
            heading=hit["heading"],
            heading_path=tuple(hit["heading_path"]),
            depth=hit["depth"],
            anchor=hit["anchor"],
            content=hit["content"],
            body_start=hit["body_start"],
            token_count=hit["token_count"],
            start_line=hit["start_line"],
            end_line=hit["end_line"],
            section_number=tuple(hit["section_number"]),
            hidden=tuple(offset for span in hit["hidden"] for offset in span),
            place=hit["place"],
            tags=tuple(hit["tags"]),
            is_dirty=hit["is_dirty"],
            summary=hit["summary"],
            document_summary=hit["document_summary"],
            parent_id=context["ancestors"][-1]["id"] if context["ancestors"] else None,
            order=0,
        ),
        score=hit["score"],
        relevance=hit["relevance"],
        snippet=_snippet_from_json(hit["snippet"]),
        properties=hit["properties"],
        similar=tuple(SimilarSection(**one) for one in hit["similar"]),
        scores=hit["scores"],
        parts=hit["parts"],
        window=span(hit["window"]),
        passage=span(hit["passage"]),
        matches=tuple(Window(start, end) for start, end in hit["matches"]),
        stale=hit["stale"],
        gone=hit["gone"],
        url=hit["url"],
        root=hit["root"],
        is_pending=hit["is_pending"],
        context=Context(
            ancestors=links(context["ancestors"]),
            previous=link(context["previous"]),
            next=link(context["next"]),
            children=links(context["children"]),
        ),
    )


def _snippet_from_json(snippet: Mapping[str, Any] | None) -> Snippet | None:
    if snippet is None:
        return None
    matches = tuple(Window(start, end) for start, end in snippet["matches"])
    answer = None if snippet.get("answer") is None else Window(**snippet["answer"])
    return Snippet(**{**snippet, "matches": matches, "answer": answer})


def link_from_json(link: Mapping[str, Any], *, document_path: str) -> SectionLink:
    """Return the link that `SectionLink.to_dict` was asked of, except for fields that the JSON form lacks."""
    return SectionLink(
        id=link["id"],
        document_path=document_path,
        heading=link["heading"],
        depth=link["depth"],
        anchor=link["anchor"],
        start_line=link["start_line"],
        end_line=link["end_line"],
        token_count=link["token_count"],
        summary=link["summary"],
        place=link["place"],
        parent_id=None,
        order=0,
        position=0,
        section_number=(),
    )


def pack_to_json(query: str, pack: ContextPack) -> dict[str, Any]:
    """Return a context pack; lines are 1-based and inclusive."""
    return {
        "schema_version": WIRE_VERSION,
        "query": query,
        **pack.to_dict(),
    }


def evaluation_to_json(evaluation: Evaluation) -> dict[str, Any]:
    """Return what an evaluation measured, with each question."""
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


def spelt(value: Any) -> Any:
    """Return the same JSON with unsafe characters in its texts written as escapes, and with spans moved accordingly.

    For readers that show the decoded texts, as agents do.
    """
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, list):
        return [spelt(one) for one in value]
    if not isinstance(value, dict):
        return value
    shown = {name: spelt(part) for name, part in value.items()}
    if "body_start" in value and shown["content"] != value["content"]:
        moved = moves(value["content"])
        shown["body_start"] = moved(value["body_start"])
        for name in ("matches", "hidden"):
            shown[name] = [[moved(start), moved(end)] for start, end in value[name]]
        for name in ("window", "passage"):
            if value[name] is not None:
                shown[name] = {end: moved(offset) for end, offset in value[name].items()}
        if value["snippet"] is not None:
            snippet = value["snippet"]
            shown["snippet"] |= {name: moved(snippet[name]) for name in ("start", "end")}
            if snippet.get("answer") is not None:
                shown["snippet"]["answer"] = {end: moved(offset) for end, offset in snippet["answer"].items()}
    if "matches" in value and "text" in value and shown["text"] != value["text"]:
        moved = moves(value["text"])
        shown["matches"] = [[moved(start), moved(end)] for start, end in value["matches"]]
    return shown
