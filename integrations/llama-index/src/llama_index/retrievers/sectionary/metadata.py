"""A section → the metadata of its node, and which of it embeddings and language models are shown."""

from __future__ import annotations

from typing import Any

from schema.results import Snippet
from schema.sections import Section

#: What a language model and an embedding model are shown of a node's metadata: what names it. The rest is for programs.
_SHOWN = frozenset({"path", "title", "heading_path"})


def section_metadata(section: Section, shown: Snippet | None = None) -> dict[str, Any]:
    """Return where a section stands, or the passage `shown` of it; lines are 1-based and inclusive.

    All values are texts and numbers, since many vector stores take no lists.
    """
    metadata = {
        "path": section.document_path,
        "title": section.document_title,
        "heading_path": " > ".join(section.heading_path) if section.depth else section.name,
        "anchor": section.anchor,
        "start_line": (shown or section).start_line,
        "end_line": (shown or section).end_line,
        "section_id": section.id,
    }
    place = (shown or section).place
    return {**metadata, "place": place} if place else metadata


def excluded_keys(metadata: dict[str, Any]) -> list[str]:
    """Return the names of the metadata that are kept from models."""
    return [name for name in metadata if name not in _SHOWN]
