"""`SearchEngine`: a question → the sections that answer it, best first, each with its place in its document."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

import numpy as np

from indexer.embedder import SentenceTransformerEmbedder
from schema.errors import IndexDamagedError, IndexNotFoundError, QueryError
from schema.filters import Filters
from schema.ledger import is_changed, read_ledger
from schema.protocols import Embedder, Vectors
from schema.results import DocumentInfo, SearchResult, SectionLink, Window
from schema.sections import Section
from schema.settings import Settings, load_settings
from schema.status import ROOT_FACT
from schema.store import ledger_path, store_dir
from schema.table import SectionTable
from search.context import context_of
from search.fusion import Fused, fuse, trust

Mode = Literal["hybrid", "dense", "lexical"]
_Answer = TypeVar("_Answer")

#: Each retriever gives this many candidates, or a multiple for later pages; fusion ranges over the first 100 of each.
_CANDIDATES = 1000
#: Waits before a question is asked again whose version of the table went away under it (seconds).
_PAUSES = (0.0, 0.02, 0.1)


class SearchEngine:
    """Searches the index in `index_dir`. One engine may be used for many queries; it follows updates of the index.

    Settings come from the project's settings file unless given; the embedder must be the one the index was made with.

    Raises:
        IndexNotFoundError, IndexIncompatibleError, IndexDamagedError: the index cannot be searched; each says what to do.
    """

    def __init__(
        self,
        index_dir: str | os.PathLike[str],
        *,
        settings: Settings | None = None,
        embedder: Embedder | None = None,
    ) -> None:
        self._index_dir = Path(index_dir).resolve()
        self._settings = settings or load_settings(self._index_dir.parent, environ={})
        self._embedder: Embedder = embedder or SentenceTransformerEmbedder.of(self._settings)
        self._opened: tuple[tuple[str, int, int], SectionTable] | None = None
        self._table()

    def search(
        self,
        query: str,
        *,
        limit: int = 10,
        offset: int = 0,
        mode: Mode = "hybrid",
        filters: Filters | Mapping[str, Any] | None = None,
    ) -> list[SearchResult]:
        """The sections `offset`..`offset + limit` of the ranking, best first; fewer or none if no more match.

        `filters` is `Filters` or a mapping such as `{"path": "docs/guide/", "depth": [1, 2], "tags": "api"}`.

        Raises:
            QueryError: the query is blank, or a filter makes no sense.
        """
        if mode not in get_args(Mode):
            raise ValueError(f"mode must be one of {', '.join(get_args(Mode))}, not {mode!r}")
        if limit < 1 or offset < 0:
            raise ValueError(f"limit must be at least 1 and offset at least 0, not {limit!r} and {offset!r}")
        if not query.strip():
            raise QueryError("The query is empty; ask a question or give some words.")
        where = Filters.of(filters)
        # blanks at the ends and in between say nothing, and what is no Unicode cannot stand in any document
        words = " ".join(query.encode("utf-8", "replace").decode("utf-8").split())
        # in few steps, so that the pages of one question are cut from the same ranking
        depth = -(-(offset + limit) // _CANDIDATES) * _CANDIDATES
        self._table()  # an index that cannot be searched is told before a model is loaded for it
        weight = self._dense_weight(words, mode)
        vector = self._embedder.embed_query(words) if weight else None

        def answer(table: SectionTable) -> list[SearchResult]:
            ranked = _rank(table, words, mode, depth, where, weight=weight, vector=vector)
            return self._results(table, ranked[offset : offset + limit], vector)

        return self._read(answer)

    def get_section(self, section_id: str) -> SearchResult | None:
        """One section with its context, or None if there is no such id; its score is 0."""
        found = self._read(lambda table: self._results(table, [Fused(section_id, 0.0)], None))
        return found[0] if found else None

    def outline(self, document_path: str) -> list[SectionLink]:
        """The sections of a document in reading order; empty for a document the index does not have."""
        return self._read(lambda table: table.links([document_path])).get(document_path, [])

    def documents(self) -> list[DocumentInfo]:
        """Every document that has a section, by path."""
        return list(self._read(lambda table: table.documents()))

    def _dense_weight(self, words: str, mode: Mode) -> float:
        """Share of the vectors in the ranking; 0 means that the model need not even be loaded."""
        if mode == "hybrid":
            return self._settings.dense_weight * trust(self._embedder.coverage(words))
        return 1.0 if mode == "dense" else 0.0

    def _results(self, table: SectionTable, ranked: Sequence[Fused], vector: Vectors | None) -> list[SearchResult]:
        ids = [fused.id for fused in ranked]
        sections = table.sections(ids)
        paths = sorted({section.document_path for section in sections.values()})
        outlines = table.links(paths)
        windows = table.windows(ids) if vector is not None else {}
        stale = self._stale(paths)
        return [
            SearchResult(
                section=section,
                score=fused.score,
                scores=fused.scores,
                window=_best_window(section, windows.get(fused.id), vector),
                context=context_of(section.id, outlines.get(section.document_path, ())),
                stale=section.document_path in stale,
            )
            for fused in ranked
            if (section := sections.get(fused.id)) is not None
        ]

    def _read(self, answer: Callable[[SectionTable], _Answer]) -> _Answer:
        """An answer from one version of the table; asked again where that version was removed or replaced meanwhile."""
        for pause in _PAUSES:
            try:
                return answer(self._table().snapshot())
            except (IndexDamagedError, IndexNotFoundError):
                self._opened = None
                time.sleep(pause)
        return answer(self._table().snapshot())

    def _table(self) -> SectionTable:
        """The open table; opened anew when a rebuilt index took its place."""
        place = store_dir(self._index_dir)
        try:
            status = (place / "sections.lance").stat()
            identity = (place.name, status.st_ino, status.st_mtime_ns)
        except OSError:
            identity = (place.name, 0, 0)
        if self._opened is None or self._opened[0] != identity:
            expected = {"model": self._embedder.name, "token_encoding": self._settings.token_encoding}
            self._opened = (identity, SectionTable.open(place, expected=expected))
        return self._opened[1]

    def _stale(self, paths: Sequence[str]) -> set[str]:
        """The documents whose files are no longer what was indexed (or are gone)."""
        ledger = read_ledger(ledger_path(store_dir(self._index_dir)), paths)
        root = ledger.facts.get(ROOT_FACT)
        if root is None:
            return set()
        base = self._index_dir / root
        limit = self._settings.max_file_bytes
        return {path for path, record in ledger.files.items() if is_changed(base / path, record, max_bytes=limit)}


def _rank(
    table: SectionTable, words: str, mode: Mode, depth: int, where: Filters, *, weight: float, vector: Vectors | None
) -> list[Fused]:
    lexical = [] if mode == "dense" else table.search_text(words, limit=depth, where=where)
    if mode == "lexical":
        return [Fused(match.id, match.score, {"lexical": match.score}) for match in lexical]
    dense = [] if vector is None else table.search_vector(vector, limit=depth, where=where)
    if mode == "dense":
        return [Fused(match.id, match.score, {"dense": match.score}) for match in dense]
    return fuse(dense, lexical, weight=weight)


def _best_window(
    section: Section, windows: tuple[tuple[Window, ...], Vectors] | None, vector: Vectors | None
) -> Window | None:
    """The window nearest to the query, as offsets into the section's content."""
    if windows is None or vector is None or section.is_dirty:
        return None
    best = windows[0][int(np.argmax(windows[1] @ vector))]
    tail = section.content[section.body_start :]
    shift = section.body_start + len(tail) - len(tail.lstrip())
    return Window(min(shift + best.start, len(section.content)), min(shift + best.end, len(section.content)))
