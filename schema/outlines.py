"""Documents, and sections without their texts: `DocumentInfo`, `Translation`, `SectionLink` and a section's `Context`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class DocumentInfo:
    """A document as the index knows it: where it is, what it is called, how many sections and tokens it has."""

    path: str
    title: str
    section_count: int
    token_count: int
    tags: tuple[str, ...] = ()
    front_matter: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The document as plain values, by the names of the JSON of documents, which leaves the front matter out."""
        return {
            "path": self.path,
            "title": self.title,
            "section_count": self.section_count,
            "token_count": self.token_count,
            "tags": list(self.tags),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Translation:
    """A document that is the same page in another language: a code such as "ja" or "pt-br", "" where it is not known."""

    path: str
    title: str
    language: str

    def to_dict(self) -> dict[str, Any]:
        """The document as plain values, by the names of its fields."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionLink:
    """A section without its text: an entry of an outline, or a neighbour of a hit.

    `heading` is the document's title for the text before the first heading, whose depth is 0.
    """

    id: str
    document_path: str
    heading: str
    depth: int
    parent_id: str | None
    order: int
    position: int
    anchor: str
    start_line: int
    end_line: int
    token_count: int
    section_number: tuple[int, ...]
    summary: str | None = None
    place: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The section as plain values, by the names of the JSON of outlines; lines are 1-based and inclusive."""
        return {
            "id": self.id,
            "heading": self.heading,
            "depth": self.depth,
            "anchor": self.anchor,
            "start_line": self.start_line,
            "end_line": self.end_line,
            "token_count": self.token_count,
            "summary": self.summary,
            "place": self.place,
        }


@dataclass(frozen=True, slots=True)
class Context:
    """Where a section stands: ancestors from the outermost inwards, neighbours in reading order, direct children."""

    ancestors: tuple[SectionLink, ...] = ()
    previous: SectionLink | None = None
    next: SectionLink | None = None
    children: tuple[SectionLink, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The sections around it as plain values."""
        return {
            "ancestors": [link.to_dict() for link in self.ancestors],
            "previous": None if self.previous is None else self.previous.to_dict(),
            "next": None if self.next is None else self.next.to_dict(),
            "children": [link.to_dict() for link in self.children],
        }
