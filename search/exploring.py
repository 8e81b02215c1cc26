"""`Exploring`: what a search engine tells of its index without a question: sections, outlines, links, likeness, changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from schema import arguments
from schema.changes import Changes
from schema.errors import NotIndexedError
from schema.filters import Filters
from schema.index_files.roots import IndexRoots, read_roots, roots_of
from schema.index_files.stored_links import MOST_LISTED
from schema.lifetime import Closable
from schema.links import SectionLinks
from schema.remote.folders import project_of
from schema.result_list import Results
from schema.results import DocumentInfo, SearchResult, SectionLink, Translation
from schema.sections import looks_like_id
from schema.settings import Settings
from search.changes.asked import find_changes
from search.context.hits import hits_of
from search.context.links import LinkReader
from search.context.references import find_document, find_place, unknown_document, whole_id
from search.context.similar import similar_to
from search.ranking.rank import Ranked
from search.sources.base import Source
from search.sources.filtering import FileFacts
from search.sources.freshness import DocumentStates, modified_since, states_of
from search.sources.reader import IndexReader

_Answer = TypeVar("_Answer")


class Exploring(Closable):
    """The part of `search.engine.SearchEngine` that no question is needed for; the engine sets the attributes."""

    _index_dir: Path
    _settings: Settings
    _reader: IndexReader
    _links: LinkReader

    def get_section(self, section_id: str) -> SearchResult | None:
        """One section with its context, by its id or its first 6 or more digits, path#anchor, path:line, or a citation of a
        context; None if there is none; its score is 0."""
        arguments.text("section_id", section_id)

        def read(source: Source) -> SearchResult | None:
            whole = whole_id(source, section_id)
            if whole is None and not looks_like_id(section_id):
                with suppress(NotIndexedError):
                    whole = self.resolve(source, section_id).id
            found = None if whole is None else source.snapshot_with(whole)
            if found is None:
                return None
            snapshot, row = found
            return self._completed(
                hits_of(source, snapshot, [Ranked(row, 0.0, {}, {})], states=self.states, has_all_properties=True)
            )[0]

        return self.read(read)

    def resolve(self, source: Source, reference: str) -> SectionLink:
        """The section that a reference names in one version of the index (see `search.context.references.find_place`).

        Raises:
            NotIndexedError: there is none, or several ids begin so.
        """
        return self.resolve_place(source, reference)[0]

    def resolve_place(self, source: Source, reference: str) -> tuple[SectionLink, int | None]:
        """The section that a reference names, and the line that it names inside of it, None for none.

        Raises:
            NotIndexedError: there is none, or several ids begin so.
        """
        return find_place(source, reference, self._links.holder_of)

    def section_links(self, reference: str) -> tuple[SectionLink, SectionLinks]:
        """A section and its links; `reference` is its id, path#anchor, or a path for the first section of a document.

        Raises:
            NotIndexedError: there is no such section.
            IndexDamagedError: the links cannot be read.
        """
        arguments.text("reference", reference)

        def read(source: Source) -> tuple[SectionLink, SectionLinks]:
            section = self.resolve(source, reference)
            return section, self._links.of_section(source, section.id, MOST_LISTED)

        found = self.read(read)
        self._links.require()
        return found

    def document_links(self, document_path: str) -> tuple[list[SectionLink], SectionLinks]:
        """The sections of a document in reading order, the links of all of them, and the links to it from other documents.

        Raises:
            NotIndexedError: there is no such document.
            IndexDamagedError: the links cannot be read.
        """
        arguments.text("document_path", document_path)

        def read(source: Source) -> tuple[list[SectionLink], SectionLinks]:
            path, sections = find_document(source, document_path)
            if not sections:
                raise unknown_document(source, document_path)
            return sections, self._links.of_document(source, path)

        found = self.read(read)
        self._links.require()
        return found

    def _linked(self, section_id: str) -> Callable[[], SectionLinks]:
        return lambda: self.read(lambda source: self._links.of_section(source, section_id))

    def outline(self, document_path: str) -> list[SectionLink]:
        """The sections of a document in reading order; empty for a document the index does not have."""
        arguments.text("document_path", document_path)
        return self.read(lambda source: find_document(source, document_path))[1]

    def translations(self, document_path: str) -> list[Translation]:
        """The same page in other languages, by language; empty for a document the index does not have."""
        arguments.text("document_path", document_path)
        return self.read(lambda source: source.documents.translations(document_path))

    def documents(self) -> list[DocumentInfo]:
        """Every document that has a section, by path."""
        return list(self.read(lambda source: source.documents.all))

    def roots(self) -> IndexRoots:
        """The roots of the index by their names; where they are is not needed here."""
        return read_roots(self._index_dir, project_of(self._index_dir), is_own=False)

    def similar(self, reference: str, *, limit: int = 10, filters: Filters | Mapping[str, Any] | None = None) -> Results:
        """The sections most like one, best first, at most `limit` (1 to 100), by words and vectors that the index holds.

        `reference` is a section's id, path#anchor, or a path for the first section of a document. Left out are the section,
        its near-duplicates, and those that only contain it. `relevance` says how alike they are, 0..1.

        Raises:
            NotIndexedError: there is no such section.
            QueryError: a filter makes no sense.
            ArgumentError: another value is of the wrong type or out of its range.
        """
        arguments.text("reference", reference)
        where, files = Filters.of(filters), self._files()
        weight = self._settings.dense_weight

        def read(source: Source) -> list[SearchResult]:
            section = self.resolve(source, reference)
            return similar_to(source, section, where, limit=limit, dense_weight=weight, files=files, states=self.states)

        return Results(self._completed(self.read(read)))

    def changes(
        self,
        since: str | datetime | None = None,
        *,
        since_commit: str | None = None,
        path: str | Sequence[str] = (),
        limit: int = 100,
    ) -> Changes:
        """The sections that were added, changed or removed, by document, newest first, at most `limit` (1 to 10,000).

        Since a moment (a time, or a text such as "7d" or "2026-11-01"), by default since the last run that changed
        something; or since a git commit (`since_commit`), whose documents are compared with those of the index. `path` has
        what documents' paths begin with, or globs.

        Raises:
            QueryError: a value makes no sense, no run is known, or there is no such commit, no repository or no git.
            ArgumentError: a value is of the wrong type or out of its range, or a moment and a commit are given.
        """
        return self._reader.read_table(
            lambda table: find_changes(
                table,
                lambda metadata: roots_of(self._index_dir, metadata, is_own=self._reader.is_own),
                since=since,
                since_commit=since_commit,
                path=path,
                limit=limit,
                max_bytes=self._settings.max_file_bytes,
            )
        )

    def source(self) -> Source:
        """The newest version of the index."""
        return self._reader.source()

    def read(self, what: Callable[[Source], _Answer]) -> _Answer:
        """What is read from the newest version of the index; of the next one where its files go away meanwhile."""
        return self._reader.read(what)

    def _files(self) -> FileFacts:
        return FileFacts(self._modified_since, lambda names: self.roots().chooser(names))

    def _modified_since(self, earliest: datetime) -> list[str]:
        return modified_since(self._index_dir, earliest, is_own=self._reader.is_own)

    def states(self, paths: Sequence[str]) -> DocumentStates:
        """Which of these documents' files are no longer what was indexed (or are gone), and the addresses of their pages."""
        return states_of(self._index_dir, paths, is_own=self._reader.is_own, settings=self._settings)

    def _completed(self, hits: Sequence[SearchResult]) -> list[SearchResult]:
        """Hits with their roots and links."""
        titles = self.roots().titles(hit.section.document_path for hit in hits)
        return [replace(hit, root=titles[hit.section.document_path], linked=self._linked(hit.section.id)) for hit in hits]
