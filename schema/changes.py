"""What changed in an index since a moment or a commit: its records, and their order.

A section is `added` if it was not there before, `changed` if its text is another one, and `removed` if it is gone. A section
is known by its document's path and its headings, so a renamed file is removed and added.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

from schema.sections import Section, beginning

ChangeKind = Literal["added", "changed", "removed"]
KINDS: tuple[ChangeKind, ...] = ("added", "changed", "removed")
#: Most characters of the beginning of a section's text.
OPENING_CHARACTERS = 160


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedSection:
    """One section that was added, changed or removed; `at` is when the index learnt of it, None where that is not known.

    A removed section has no lines (0), and its `position` is behind all others. `opening` is how its text begins, in one
    line; "" where there is none, or where the text is no longer known. `place` is as in `Section`.
    """

    id: str
    document_path: str
    heading: str
    kind: ChangeKind
    at: datetime | None = None
    anchor: str = ""
    depth: int = 0
    start_line: int = 0
    end_line: int = 0
    position: int = 1 << 30
    opening: str = ""
    place: str = ""

    @classmethod
    def of(cls, section: Section, kind: ChangeKind) -> ChangedSection:
        """Return the record of a section; a removed one is as it was."""
        told = cls(
            id=section.id,
            document_path=section.document_path,
            heading=section.name,
            kind=kind,
            depth=section.depth,
            opening=beginning(section.body, OPENING_CHARACTERS),
        )
        if kind == "removed":
            return told
        return replace(
            told,
            at=section.updated_at,
            anchor=section.anchor,
            start_line=section.start_line,
            end_line=section.end_line,
            position=section.position,
            place=section.place,
        )


@dataclass(frozen=True, slots=True)
class ChangedDocument:
    """A document with its changed sections in reading order, the removed ones last; `at` is the newest of them."""

    path: str
    sections: tuple[ChangedSection, ...]
    at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """The changed documents, newest first, since a moment (`since`) or a `commit`.

    `counts`: how many sections of each kind there are, also those beyond the limit, of which there are `omitted`.
    `removed_since`: from when on the index remembers what was removed; None if it remembers all, or a commit was compared.
    """

    documents: tuple[ChangedDocument, ...] = ()
    since: datetime | None = None
    commit: str = ""
    counts: Mapping[ChangeKind, int] = field(default_factory=dict)
    omitted: int = 0
    removed_since: datetime | None = None


def by_document(sections: Iterable[ChangedSection], *, limit: int) -> tuple[tuple[ChangedDocument, ...], int]:
    """Return the documents of these sections, newest first, with at most `limit` sections; and how many are left out."""
    found: dict[str, list[ChangedSection]] = {}
    for section in sections:
        found.setdefault(section.document_path, []).append(section)
    newest = {path: max((one.at for one in some if one.at is not None), default=None) for path, some in found.items()}
    paths = sorted(found)
    paths.sort(key=lambda path: -(moment.timestamp() if (moment := newest[path]) is not None else 0.0))
    documents, left = [], limit
    for path in paths:
        ordered = sorted(found[path], key=lambda one: (one.position, one.heading, one.id))[: max(left, 0)]
        left -= len(ordered)
        if ordered:
            documents.append(ChangedDocument(path, tuple(ordered), newest[path]))
    return tuple(documents), sum(map(len, found.values())) - (limit - left)


def counted(sections: Iterable[ChangedSection]) -> dict[ChangeKind, int]:
    """Return how many of the sections are of each kind."""
    counts = Counter(section.kind for section in sections)
    return {kind: counts[kind] for kind in KINDS}
