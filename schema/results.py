"""What an index run and a search give back: `IndexReport`, `SearchResult` and the records inside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from schema.sections import Section


@dataclass(frozen=True, slots=True)
class Failure:
    """A path that should be searchable and is not (or not in its newest state), with the reason as one sentence."""

    path: str
    reason: str


@dataclass(slots=True, kw_only=True)
class IndexReport:
    """What one run did. Counts are of documents and sections; `timings` are wall seconds by phase.

    `sections_embedded` got a vector from the model, `vectors_reused` one that was made from the same text before.
    `summaries_written` were made now, of sections and of documents (those with nothing to say not counted);
    `summaries_failed` could not be made; `index summarize` tries again. `stopped` says that the run was told to stop before
    all was done.
    """

    documents_added: int = 0
    documents_updated: int = 0
    documents_removed: int = 0
    documents_unchanged: int = 0
    sections_added: int = 0
    sections_updated: int = 0
    sections_removed: int = 0
    sections_unchanged: int = 0
    sections_embedded: int = 0
    vectors_reused: int = 0
    summaries_written: int = 0
    summaries_failed: int = 0
    stopped: bool = False
    failed: list[Failure] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    timings: dict[str, float] = field(default_factory=dict)

    def __iadd__(self, other: IndexReport) -> Self:
        """Add another phase's counts, failures, warnings and timings to this one."""
        for name in self.__slots__:
            mine, theirs = getattr(self, name), getattr(other, name)
            if isinstance(mine, dict):
                for phase, seconds in theirs.items():
                    mine[phase] = mine.get(phase, 0.0) + seconds
            elif isinstance(mine, list):
                mine.extend(theirs)
            elif isinstance(mine, bool):
                self.stopped = mine or theirs
            else:
                setattr(self, name, mine + theirs)
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """The last run of a writer: `outcome` is "finished", "stopped" or "failed", or "unfinished" while it runs or if it died.

    Times are UTC in ISO 8601; `ended` is None for an unfinished run. `counts` are those of its `IndexReport`.
    """

    started: str
    ended: str | None = None
    outcome: str = "unfinished"
    counts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexStatus:
    """What an index holds and how true it is.

    `dirty` counts sections whose vector is older than their text. `stale` are documents whose files have changed since they
    were indexed, `orphans` documents whose files are gone, `failed` paths that could not be read at their last visit.
    `summaries` counts sections that have one. `data_bytes` is the newest version's size, `disk_bytes` all that the index
    folder takes.
    """

    index_dir: str
    root: str
    documents: int
    sections: int
    dirty: int
    summaries: int
    stale: tuple[str, ...]
    orphans: tuple[str, ...]
    failed: tuple[Failure, ...]
    paths: tuple[str, ...]
    last_run: RunRecord | None
    is_being_written: bool
    model: str
    dimension: int
    token_encoding: str
    schema_version: int
    data_bytes: int
    disk_bytes: int
    fragments: int
    unindexed_rows: int


@dataclass(frozen=True, slots=True, order=True)
class Difference:
    """One way in which the index is not what the files say; `path` is empty where the table itself is meant.

    `kind` is one of: unreadable, missing, orphan, changed, duplicate, vector, index.
    """

    path: str
    kind: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyReport:
    """What a check of the whole index found: `differences` are there now, `repaired` were there before a repair."""

    documents: int
    sections: int
    dirty: int
    differences: tuple[Difference, ...] = ()
    repaired: tuple[Difference, ...] = ()
    failed: tuple[Failure, ...] = ()


@dataclass(frozen=True, slots=True)
class DocumentInfo:
    """A document as the index knows it: where it is, what it is called, how many sections and tokens it has."""

    path: str
    title: str
    section_count: int
    token_count: int
    tags: tuple[str, ...] = ()
    front_matter: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionLink:
    """A section without its text: an entry of an outline, or a neighbour of a hit."""

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


@dataclass(frozen=True, slots=True)
class Context:
    """Where a section stands: ancestors from the outermost inwards, neighbours in reading order, direct children."""

    ancestors: tuple[SectionLink, ...] = ()
    previous: SectionLink | None = None
    next: SectionLink | None = None
    children: tuple[SectionLink, ...] = ()


@dataclass(frozen=True, slots=True)
class Window:
    """A part of a section that fits the embedding model: character offsets into `Section.content`."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """One hit. `score`, 0..1, and every value of `scores` are higher for better.

    `scores` holds what each retriever measured: `lexical`, `sentence` and `passage` (BM25, above 0, of the section, its best
    sentence and its best two), `dense` and `lead` (cosine, -1..1, of its best window and its beginning), `rerank`. `parts`
    is what each of these and of the kinds of evidence (`heading`, `adjacency`) gave to `score`; they add up to it.

    `window` is the best matching part for the vectors, `passage` for the words, `matches` are the places of the query's
    terms: all offsets into `section.content`. `stale` says that the file on disk has changed since it was indexed,
    `is_dirty` that the stored vector is older than the text.
    """

    section: Section
    score: float
    scores: Mapping[str, float] = field(default_factory=dict)
    parts: Mapping[str, float] = field(default_factory=dict)
    window: Window | None = None
    passage: Window | None = None
    matches: tuple[Window, ...] = ()
    context: Context = field(default_factory=Context)
    stale: bool = False

    @property
    def ancestors(self) -> tuple[SectionLink, ...]:
        """The sections above this one, outermost first."""
        return self.context.ancestors

    @property
    def previous(self) -> SectionLink | None:
        """The section before this one in reading order, if any."""
        return self.context.previous

    @property
    def next(self) -> SectionLink | None:
        """The section after this one in reading order, if any."""
        return self.context.next

    @property
    def children(self) -> tuple[SectionLink, ...]:
        """The sections directly below this one, in order."""
        return self.context.children

    @property
    def summary(self) -> str | None:
        """The section's summary, if one was written."""
        return self.section.summary

    @property
    def document_summary(self) -> str | None:
        """The summary of the section's document, if one was written."""
        return self.section.document_summary

    @property
    def is_dirty(self) -> bool:
        """Whether the stored vector is older than the text."""
        return self.section.is_dirty


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextPiece:
    """Whole lines of one section, blank ones at the ends left out; `citation` is "path#anchor:Lstart-Lend" of just these.

    Lines are joined by "\\n" whatever the file has; `is_whole` says that they are all of the section.
    """

    section_id: str
    citation: str
    text: str
    start_line: int
    end_line: int
    is_whole: bool
    token_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextPack:
    """The best evidence for a query as one text of `token_count` tokens, at most `max_tokens`.

    `left_out` cites the sections that would have helped too but found no room.
    """

    text: str
    token_count: int
    max_tokens: int
    pieces: tuple[ContextPiece, ...] = ()
    left_out: tuple[str, ...] = ()
