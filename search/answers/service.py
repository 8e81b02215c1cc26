"""`SearchService`: what readers ask of one index → the one JSON form; the command, HTTP and MCP all ask here.

The index is opened at the first question and need not be there before; threads may ask at once. Refuses what an index does
not have with `NotIndexedError`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from schema.errors import NotIndexedError
from schema.filters import Filters
from schema.protocols import Embedder, Reranker
from schema.requests import SearchRequest
from schema.results import SearchResult, SectionLink, Translation
from schema.settings import Settings
from search.answers.changes_wire import changes_to_json, similar_to_json
from search.answers.links_wire import links_to_json
from search.answers.wire import (
    documents_to_json,
    outline_to_json,
    overview_to_json,
    pack_to_json,
    search_to_json,
    section_to_json,
    status_to_json,
)
from search.context.advice import did_you_mean
from search.context.links import find_section
from search.engine import SearchEngine
from search.overview import overview


class SearchService:
    """Answers about the index in `index_dir`, as JSON objects (see `search.answers.wire`).

    Every method raises `IndexStoreError` while there is no index that can be searched, and goes on when there is one.
    """

    def __init__(
        self,
        index_dir: Path,
        *,
        settings: Settings,
        embedder: Embedder | None = None,
        reranker: Reranker | None = None,
    ) -> None:
        self.index_dir = index_dir.resolve()
        self._settings = settings
        self._embedder = embedder
        self._reranker = reranker
        self._engine: SearchEngine | None = None
        self._opening = threading.Lock()

    def search(self, request: SearchRequest) -> dict[str, Any]:
        """The best sections."""
        engine = self.engine()
        started = time.perf_counter()
        page = engine.answer(request)
        return search_to_json(request.query, request.mode, page, took_ms=(time.perf_counter() - started) * 1000)

    def section(self, section_id: str) -> dict[str, Any]:
        """One section by its id."""
        return section_to_json(self.find_section(section_id))

    def find_section(self, section_id: str) -> SearchResult:
        """The record of one section by its id."""
        found = self.engine().get_section(section_id)
        if found is None:
            raise NotIndexedError(f"There is no section {section_id[:100]} in the index; a search shows the ids.")
        return found

    def outline(self, document_path: str) -> dict[str, Any]:
        """The sections of a document, by its path in the index, and the same page in other languages."""
        return outline_to_json(*self.find_outline(document_path))

    def find_outline(self, document_path: str) -> tuple[list[SectionLink], list[Translation]]:
        """The records that `outline` makes JSON of."""
        links, others = self.engine().read(
            lambda version: (
                version.outlines([document_path]).get(document_path),
                version.documents.translations(document_path),
            )
        )
        if not links:
            near = did_you_mean(document_path, [document.path for document in self.engine().documents()])
            raise NotIndexedError(
                f"There is no document {document_path[:500]} in the index{near or '; give its path as a search shows it.'}"
            )
        return links, others

    def links(self, reference: str) -> dict[str, Any]:
        """The links of a section and the links to it; `reference` is its id, path#anchor or path."""
        return links_to_json(*self.engine().section_links(reference))

    def similar(self, reference: str, *, limit: int = 10, filters: Filters | None = None) -> dict[str, Any]:
        """The sections most like one; `reference` is its id, path#anchor or path."""
        engine = self.engine()
        section = engine.read(lambda version: find_section(version, reference))
        return similar_to_json(section, engine.similar(section.id, limit=limit, filters=filters))

    def changes(
        self,
        since: str | None = None,
        *,
        since_commit: str | None = None,
        path: Sequence[str] = (),
        limit: int = 100,
    ) -> dict[str, Any]:
        """What changed since a moment, the last run that changed something, or a commit; see `SearchEngine.changes`."""
        return changes_to_json(self.engine().changes(since, since_commit=since_commit, path=path, limit=limit))

    def documents(self) -> dict[str, Any]:
        """Every document that has a section, by path."""
        return documents_to_json(self.engine().documents())

    def context(self, request: SearchRequest, *, max_tokens: int = 2000) -> dict[str, Any]:
        """The best passages within a token budget, by the request's query, mode and filters; see `SearchEngine.context`."""
        pack = self.engine().context(request.query, max_tokens=max_tokens, mode=request.mode, filters=request.filters)
        return pack_to_json(request.query, pack)

    def status(self) -> dict[str, Any]:
        """What the index holds and how true it is; needs no model and reads every file's times."""
        from schema.status import read_status

        return status_to_json(read_status(self.index_dir))

    def overview(self) -> dict[str, Any]:
        """How the index's sections are made: sizes, the largest, near-duplicates."""
        return overview_to_json(overview(self.engine()))

    def engine(self) -> SearchEngine:
        """The engine over the index, opened when it is first asked for."""
        with self._opening:
            if self._engine is None:
                self._engine = SearchEngine(
                    self.index_dir, settings=self._settings, embedder=self._embedder, reranker=self._reranker
                )
            return self._engine

    def prepare(self) -> None:
        """Load what the first question would wait for: the newest version of the index, and the model of queries."""
        self.engine().prepare()
