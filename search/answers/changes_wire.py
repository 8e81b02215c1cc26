"""Similar sections, and what changed → their JSON forms, which the command and HTTP share, and text for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from schema.changes import KINDS, ChangedSection, Changes
from schema.results import SearchResult, SectionLink
from schema.text.characters import one_line
from search.answers.wire import WIRE_VERSION, result_to_json

#: The signs of the kinds of changes in a terminal.
_SIGNS = {"added": "+", "changed": "~", "removed": "-"}


def similar_to_json(section: SectionLink, results: Sequence[SearchResult]) -> dict[str, Any]:
    """Return a section and the sections most like it, each as a hit of a search; `relevance` is how alike they are."""
    return {
        "schema_version": WIRE_VERSION,
        "id": section.id,
        "document_path": section.document_path,
        "anchor": section.anchor,
        "heading": section.heading,
        "results": [result_to_json(result) for result in results],
    }


def changes_to_json(changes: Changes) -> dict[str, Any]:
    """Return the changed documents, newest first, with their sections; times are ISO 8601, lines 1-based and inclusive.

    Lines are null for a removed section, and `opening`, how its text begins, is "" where that is not known. `since` is null
    where a `commit` was compared, and the other way round.
    """
    return {
        "schema_version": WIRE_VERSION,
        "since": changes.since and changes.since.isoformat(),
        "commit": changes.commit or None,
        "counts": {kind: changes.counts.get(kind, 0) for kind in KINDS},
        "omitted": changes.omitted,
        "removed_since": changes.removed_since and changes.removed_since.isoformat(),
        "documents": [
            {
                "path": document.path,
                "at": document.at and document.at.isoformat(),
                "sections": [_section(section) for section in document.sections],
            }
            for document in changes.documents
        ],
    }


def _section(section: ChangedSection) -> dict[str, Any]:
    return {
        "id": section.id,
        "kind": section.kind,
        "at": section.at and section.at.isoformat(),
        "heading": section.heading,
        "anchor": section.anchor,
        "depth": section.depth,
        "start_line": section.start_line or None,
        "end_line": section.end_line or None,
        "place": section.place,
        "opening": section.opening,
    }


def render_changes(answer: Mapping[str, Any], shown: Callable[[str], str] = str) -> str:
    """Return the text of the changes as JSON: a line for each document and for each of its sections; `shown` names paths."""
    return "\n".join(map(one_line, _lines(answer, shown)))


def _lines(answer: Mapping[str, Any], shown: Callable[[str], str]) -> Iterator[str]:
    begin = f"commit {answer['commit'][:12]}" if answer["commit"] else _minute(answer["since"])
    counts = answer["counts"]
    total = ", ".join(f"{counts[kind]:,} {kind}" for kind in _SIGNS)
    yield f"Since {begin}: {total}"
    for document in answer["documents"]:
        yield f"{shown(document['path'])}{'  ' + _minute(document['at']) if document['at'] else ''}"
        for section in document["sections"]:
            lines = f"L{section['start_line']}-{section['end_line']}" if section["start_line"] else "removed"
            yield f"  {_SIGNS[section['kind']]} {section['heading']}  {lines}  {section['id']}"
    if answer["omitted"]:
        yield f"{answer['omitted']:,} more; give a larger --limit."
    if answer["removed_since"] and answer["since"] and answer["since"] < answer["removed_since"]:
        yield f"Removed sections are known since {_minute(answer['removed_since'])}."


def _minute(moment: str) -> str:
    """The minute of a time, without seconds.

    >>> _minute("2026-11-23T07:05:35.123000+00:00")
    '2026-11-23 07:05 UTC'
    """
    return f"{moment[:10]} {moment[11:16]} UTC"
