"""`Source`: what answers are read from, one version of an index; whatever its size, the engine asks it the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Protocol

from schema.filters import Filters
from schema.results import SectionLink
from schema.sections import Section
from search.collection import Collection
from search.documents import Documents
from search.query import Query
from search.ranking import Mask, Mode
from search.survey import Survey
from search.vectors import QueryVectors

#: Gives the documents whose files were modified at a time or later.
ModifiedSince = Callable[[datetime], Iterable[str]]


class Source(Protocol):
    """One version of an index, from which questions are answered; immutable."""

    #: Whether a second model's vectors are there, and whether it has read every section that it is to read.
    has_second: bool
    second_has_all: bool

    def candidates(
        self,
        asked: Query,
        vector: QueryVectors | None,
        where: Filters,
        *,
        mode: Mode,
        most: int,
        modified_since: ModifiedSince,
    ) -> tuple[Collection, Mask]:
        """Sections among which the best `most` answers are, and a mask of those that the filters allow."""
        ...

    def collection_with(self, section_id: str) -> tuple[Collection, int] | None:
        """A collection that has a section, and its row there; None if there is no such id."""
        ...

    def sections(self, keys: Sequence[int]) -> list[Section]:
        """The sections with these keys of a collection, in the order given."""
        ...

    def first_keys(self, most: int) -> list[int]:
        """The keys of some sections, whichever."""
        ...

    def outlines(self, paths: Sequence[str]) -> dict[str, list[SectionLink]]:
        """The sections of documents in reading order, by path; unknown documents are left out."""
        ...

    @property
    def documents(self) -> Documents:
        """Every document that has a section."""
        ...

    @property
    def survey(self) -> Survey:
        """A few facts of every section."""
        ...
