"""`Source`: one version of an index, small or large, as the engine reads it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from schema.filters import Filters
from schema.requests import Mode
from schema.results import SectionLink, Window
from schema.sections import Section
from schema.storage.rows import SECTION_COLUMNS, to_section, to_windows
from schema.text.fields import told_properties
from search.index.documents import Documents
from search.index.snapshot import IndexSnapshot, with_headings
from search.index.survey import Survey
from search.index.vectors import QueryVectors
from search.index.vocabulary import Vocabulary
from search.ranking.folding import BLOCK, Sizes
from search.ranking.nearness import Mask
from search.ranking.query import Query
from search.sources.filtering import FileFacts

#: The rows of a ranking of a large index for which the usual number of candidates is enough; later ones are of a ranking of
#: more. They are whole blocks of folding, so that the groups of the first ones do not depend on the others.
FIRST_ROWS = 3 * BLOCK
#: Sections that hold a term of which the texts are read, to tell in which forms they have it.
TEXTS_OF_TERM = 30
#: The columns that `Found` is read from.
FOUND_COLUMNS = (*SECTION_COLUMNS, "windows", "front_matter")


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of one version of an index.

    `asked` is the query, `vector` its vectors, `weight` their share in the ranking, 0..1, and `where` the filters.
    `prefers`: sections in the query's language go first. `half_life`: that of the preference for recent documents in days, 0
    for none. `about`: the key of a section that others are compared with, which is among the candidates and not allowed.
    `after`: the keys of the `FIRST_ROWS` sections that stand first; what follows them is asked for. They are candidates too.
    """

    asked: Query
    vector: QueryVectors | None
    weight: float
    where: Filters
    mode: Mode
    limit: int
    offset: int
    fold: bool
    prefers: bool
    half_life: int = 0
    about: int | None = None
    after: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """A section and its windows (the parts that have a vector each), as offsets into its body; none without a vector; and
    the properties of its document, which belong to the first section."""

    section: Section
    windows: Sequence[Window] = ()
    properties: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Found:
        """Read it from a row with at least `FOUND_COLUMNS`."""
        section = to_section(row)
        return cls(section, to_windows(row["windows"]), told_properties(section, json.loads(row["front_matter"] or "{}")))

    @property
    def words(self) -> str:
        """What phrases and filters by words are looked for in, as `IndexSnapshot.words` gives it."""
        return with_headings(self.section.breadcrumb, self.section.text)


class Source(Protocol):
    """One version of an index, from which questions are answered; immutable."""

    #: Whether the index has vectors by a second model, and whether every section that should have one has it.
    has_second: bool
    second_has_all: bool
    #: Whether `candidates` gives every section.
    is_whole: bool

    def candidates(self, question: Question, files: FileFacts) -> tuple[IndexSnapshot, Mask]:
        """Sections among which the best answers are, and a mask of those that the filters allow."""
        ...

    def listing(self, where: Filters, files: FileFacts) -> tuple[list[str], list[int]]:
        """The documents and keys of the sections that the filters allow, in reading order."""
        ...

    def snapshot_of(self, keys: Sequence[int]) -> tuple[IndexSnapshot, list[int]]:
        """A snapshot that has these sections, and their rows there, in the order given."""
        ...

    def snapshot_with(self, section_id: str, *, with_vectors: bool = False) -> tuple[IndexSnapshot, int] | None:
        """A snapshot that has a section, and its row there; None if there is no such id. It may lack vectors without
        `with_vectors`."""
        ...

    def ids_from(self, beginning: str, most: int) -> list[str]:
        """At most `most` ids of sections that begin so, ascending."""
        ...

    def found(self, keys: Sequence[int]) -> list[Found]:
        """The sections with these keys of a snapshot, in the order given."""
        ...

    def found_in(self, keys: Sequence[int], paths: Sequence[str]) -> tuple[list[Found], dict[str, list[SectionLink]]]:
        """What `found` and `outlines` give, read together."""
        ...

    @property
    def vocabulary(self) -> Vocabulary:
        """The terms of the index; those of its newest sections may be missing, which `holds` knows."""
        ...

    def holds(self, term: str) -> bool:
        """Whether any section holds a term."""
        ...

    def texts_with(self, term: str) -> Iterator[str]:
        """Yield the words of some sections that hold a term, with headings and title, `TEXTS_OF_TERM` at most."""
        ...

    def share_of_languages(self, languages: Sequence[str]) -> float:
        """The share of all sections, 0..1, that are in one of these languages."""
        ...

    def best_match(self, weights: Mapping[str, float], vector: QueryVectors) -> tuple[float, float]:
        """How much the index has to say to a text, as `search.ranking.best_match` tells it of all sections."""
        ...

    def first_keys(self, most: int) -> list[int]:
        """The keys of at most `most` sections, in any order."""
        ...

    def outlines(self, paths: Sequence[str]) -> dict[str, list[SectionLink]]:
        """The sections of documents in reading order, by path; unknown documents are left out."""
        ...

    def section_counts(self, paths: Sequence[str]) -> Mapping[str, int]:
        """How many sections each of these documents has, by path; unknown documents are left out."""
        ...

    def sections_of(self, path: str) -> list[Section]:
        """The sections of a document in reading order; none for an unknown document."""
        ...

    @property
    def documents(self) -> Documents:
        """Every document that has a section."""
        ...

    @property
    def survey(self) -> Survey:
        """A few facts of every section."""
        ...


def sizes_in(source: Source, snapshot: IndexSnapshot) -> Sizes:
    """What tells how many sections the document of a row of the snapshot has."""

    def sizes(rows: Sequence[int]) -> list[int]:
        paths = [snapshot.path(row) for row in rows]
        counts = source.section_counts(list(dict.fromkeys(paths)))
        return [counts[path] for path in paths]

    return sizes
