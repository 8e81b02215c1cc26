"""A split document and the rows that the table has of it → the rows it should have, and which of them need a new vector.

The vector of a section depends on its *embedding input* alone: breadcrumb and own text, or for a heading without text its
children's headings. Sections with equal inputs of the same kind share a vector, also in different documents.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from schema.sections import Section, text_hash
from schema.storage.rows import Embedding, StoredSection
from schema.text.fields import prose_words
from schema.text.language import section_languages

#: Longer front matter is stored with the first section alone: a megabyte of it must not be stored a thousand times
#: (characters of JSON).
_MOST_REPEATED = 4096


@dataclass(frozen=True, slots=True)
class DocumentPlan:
    """All rows of one document, and how many sections are new, changed, the same or gone."""

    rows: tuple[StoredSection, ...]
    added: int
    updated: int
    unchanged: int
    removed: int
    reused: int


#: "section" and a content hash, or "document" and a document hash, since a section's text can be a whole document.
TextKey = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Summarized:
    """A summary, or None if there was nothing to summarize, and the source that was asked, or None if none was."""

    summary: str | None
    source: str | None


class Times(NamedTuple):
    """When a section was made and when its text last changed, and the hash of that text, as an earlier index has them."""

    content_hash: str
    created_at: datetime | None
    updated_at: datetime | None


#: Gives the times of the sections of some documents in an index that is replaced, by id.
EarlierTimes = Callable[[Sequence[str]], Mapping[str, Times]]


class PreviousEmbeddings(Protocol):
    """A source of vectors beside the table that is written, such as a damaged index."""

    def __call__(self, input_hashes: Sequence[str]) -> Mapping[str, Embedding]:
        """Return the embeddings that there are, by input hash."""
        ...


def summaries_of(rows: Iterable[StoredSection]) -> dict[TextKey, Summarized]:
    """Return the summaries of rows by their texts."""
    found: dict[TextKey, Summarized] = {}
    for row in rows:
        if row.summary_source is not None:
            found["section", row.section.content_hash] = Summarized(row.section.summary, row.summary_source)
        if row.document_summary_source is not None:
            found["document", row.section.document_hash] = Summarized(
                row.section.document_summary, row.document_summary_source
            )
    return found


def embedding_input(section: Section, child_headings: Sequence[str]) -> tuple[tuple[str, ...], str]:
    """Return what a model gets of a section: the breadcrumb's parts, and the text to cut into windows, line ends as \\n."""
    text = section.body or "\n".join(child_headings)
    return section.breadcrumb, text.replace("\r\n", "\n").replace("\r", "\n")


def input_hash(section: Section, child_headings: Sequence[str]) -> str:
    """Return a hash of a section's embedding input; kinds of line ends make no difference.

    A text and the same words as headings of children differ: the windows of an embedding are those of a text.
    """
    breadcrumb, text = embedding_input(section, child_headings)
    return text_hash(*breadcrumb, text) if section.body else text_hash(*breadcrumb, text, "")


def child_headings(sections: Sequence[Section]) -> dict[str, tuple[str, ...]]:
    """Return the headings of the direct children, in order, of each section without text of its own, by its id."""
    children: dict[str, list[str]] = {section.id: [] for section in sections if not section.body}
    for section in sections:
        if section.parent_id in children and section.heading:
            children[section.parent_id].append(section.heading)
    return {identity: tuple(headings) for identity, headings in children.items()}


def input_hashes(sections: Sequence[Section]) -> set[str]:
    """Return the hashes of the embedding inputs of a document's sections."""
    headings = child_headings(sections)
    return {input_hash(section, headings.get(section.id, ())) for section in sections}


def prose_below(sections: Sequence[Section], prose: Sequence[int]) -> list[int]:
    """Return for each section how much prose it has with all sections below it; the first one has the whole document's."""
    total = list(prose)
    above: list[int] = []
    for position, section in enumerate(sections):
        while above and sections[above[-1]].depth >= section.depth:
            above.pop()
        for higher in {0, *above} if position else ():
            total[higher] += prose[position]
        above.append(position)
    return total


def plan_document(
    sections: Sequence[Section],
    *,
    front_matter: Mapping[str, Any],
    stored: Mapping[str, StoredSection],
    reusable: Mapping[str, Embedding],
    now: datetime,
    summaries: Mapping[TextKey, Summarized] | None = None,
    times: Mapping[str, Times] | None = None,
) -> DocumentPlan:
    """Plan the rows of a document.

    `stored`: the table's rows of this document by section id. `reusable`: embeddings by input hash, from any document.
    A section whose input has no vector yet is dirty; it keeps its last vector until it gets the new one. A summary is kept
    only for the text it was made from. `times`: those of sections by id in an index that is replaced, so that a section
    is no newer than its text. Front matter of more than 4,096 characters is stored with the first section alone.
    """
    is_repeated = len(json.dumps(front_matter, ensure_ascii=False)) <= _MOST_REPEATED
    headings = child_headings(sections)
    prose = [prose_words(section) for section in sections]
    below = prose_below(sections, prose)
    languages = section_languages(sections, front_matter)
    made = {**(summaries or {}), **summaries_of(stored.values())}
    nothing = Summarized(None, None)
    rows = []
    added = updated = unchanged = reused = 0
    for section, own_prose, prose_with_below, language in zip(sections, prose, below, languages, strict=True):
        old = stored.get(section.id)
        children = headings.get(section.id, ())
        key = input_hash(section, children)
        is_same_text = old is not None and old.section.content_hash == section.content_hash
        own = made.get(("section", section.content_hash), nothing)
        whole = made.get(("document", section.document_hash), nothing)
        embedding = old.embedding if old is not None else None
        is_dirty = False
        if old is None or old.input_hash != key or old.section.is_dirty or embedding is None:
            if key in reusable:
                embedding = reusable[key]
                reused += 1
            else:
                is_dirty = True
        if old is None:
            added += 1
        elif is_same_text:
            unchanged += 1
        else:
            updated += 1
        before = (times or {}).get(section.id)
        if old is not None:
            before = Times(old.section.content_hash, old.section.created_at, old.section.updated_at)
        is_as_before = before is not None and before.content_hash == section.content_hash
        rows.append(
            StoredSection(
                section=replace(
                    section,
                    is_dirty=is_dirty,
                    created_at=before.created_at if before is not None else now,
                    updated_at=before.updated_at if before is not None and is_as_before else now,
                    summary=own.summary,
                    document_summary=whole.summary,
                ),
                input_hash=key,
                child_headings=children,
                front_matter=front_matter if is_repeated or section.position == 0 else {},
                embedding=embedding,
                prose_words=own_prose,
                prose_below=prose_with_below,
                language=language,
                summary_source=own.source,
                document_summary_source=whole.source,
            )
        )
    removed = len(stored.keys() - {section.id for section in sections})
    return DocumentPlan(tuple(rows), added, updated, unchanged, removed, reused)
