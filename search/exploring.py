"""`Exploring`: what a search engine tells of its index without a question: what is like a section, and what changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from schema import arguments
from schema.changes import Changes
from schema.filters import Filters
from schema.index_files.roots import read_roots
from schema.lifetime import Closable
from schema.links import SectionLinks
from schema.result_list import Results
from schema.results import SearchResult
from schema.settings import Settings
from schema.status import roots_of
from search.changes.asked import find_changes
from search.context.links import LinkReader
from search.context.similar import similar_to
from search.sources.base import Source
from search.sources.filtering import FileFacts
from search.sources.freshness import DocumentStates, modified_since, states_of
from search.sources.reader import IndexReader


class Exploring(Closable):
    """The part of `search.engine.SearchEngine` that no question is needed for; the engine sets the attributes."""

    _index_dir: Path
    _settings: Settings
    _reader: IndexReader
    _links: LinkReader

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
        where = Filters.of(filters)
        roots = read_roots(self._index_dir, self._index_dir.parent, is_own=False)

        def changed(earliest: datetime) -> list[str]:
            return modified_since(self._index_dir, earliest, is_own=self._reader.is_own)

        def states(paths: Sequence[str]) -> DocumentStates:
            return states_of(self._index_dir, paths, is_own=self._reader.is_own, settings=self._settings)

        def read(source: Source) -> list[SearchResult]:
            return similar_to(
                source,
                reference,
                where,
                limit=limit,
                dense_weight=self._settings.dense_weight,
                files=FileFacts(changed, roots.chooser),
                states=states,
            )

        def links(section_id: str) -> Callable[[], SectionLinks]:
            return lambda: self._reader.read(lambda source: self._links.of_section(source, section_id))

        hits = self._reader.read(read)
        titles = roots.titles(hit.section.document_path for hit in hits)
        return Results(replace(hit, root=titles[hit.section.document_path], linked=links(hit.section.id)) for hit in hits)

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
        return find_changes(
            self._reader.table().snapshot(),
            lambda metadata: roots_of(self._index_dir, metadata, is_own=self._reader.is_own),
            since=since,
            since_commit=since_commit,
            path=path,
            limit=limit,
            max_bytes=self._settings.max_file_bytes,
        )
