"""`SectionaryRetriever`: a question → the sections that answer it, as Haystack documents."""

from __future__ import annotations

import asyncio
import os
import threading
from typing import Any, Literal

from haystack import Document, component, default_from_dict, default_to_dict

from schema.requests import Mode, SearchRequest
from schema.results import SearchResult
from search import SearchEngine


@component
class SectionaryRetriever:
    """Retrieves from the index in `index_dir`, best first.

    `top_k` is the most documents of an answer. `content` says what they hold: whole sections ("section"), or the passage of
    each that answers best ("snippet"). `mode` and `filters` are those of `SearchEngine.search`. `min_relevance` is from
    which relevance on, 0..1, a section answers the question (by default the setting of that name): if none does, there are
    no documents. With 0 the nearest sections are returned in any case.

    Raises:
        ValueError: a value is out of its range.
        SectionaryError: when warmed up, the index cannot be searched; when run, the query is blank or a filter makes no
            sense.
    """

    def __init__(
        self,
        index_dir: str | os.PathLike[str],
        *,
        top_k: int = 5,
        content: Literal["section", "snippet"] = "section",
        mode: Mode = "hybrid",
        filters: dict[str, Any] | None = None,
        min_relevance: float | None = None,
    ) -> None:
        if content not in ("section", "snippet"):
            raise ValueError(f'content must be "section" or "snippet", not {content!r}')
        SearchRequest(query="any", limit=top_k, mode=mode, min_relevance=min_relevance)  # checks the values
        self.index_dir = os.fspath(index_dir)
        self.top_k = top_k
        self.content = content
        self.mode: Mode = mode
        self.filters = filters
        self.min_relevance = min_relevance
        self._engine: SearchEngine | None = None
        self._opening = threading.Lock()

    def warm_up(self) -> None:
        """Open the index and load the model of queries, once; a pipeline does it before it runs.

        Raises:
            IndexStoreError: the index cannot be searched; the message says what to do.
        """
        self._opened(is_prepared=True)

    async def warm_up_async(self) -> None:
        """Do the same without holding up the event loop."""
        await asyncio.to_thread(self.warm_up)

    def to_dict(self) -> dict[str, Any]:
        """Return the component as a pipeline stores it."""
        return default_to_dict(
            self,
            index_dir=self.index_dir,
            top_k=self.top_k,
            content=self.content,
            mode=self.mode,
            filters=self.filters,
            min_relevance=self.min_relevance,
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> SectionaryRetriever:
        """Return the component that was stored; its index is opened by `warm_up`."""
        return default_from_dict(cls, data)

    @component.output_types(documents=list[Document])
    def run(self, query: str, filters: dict[str, Any] | None = None, top_k: int | None = None) -> dict[str, list[Document]]:
        """Return the `documents` that answer `query`; `filters` and `top_k` take the place of the component's own."""
        page = self._opened().page(
            query,
            limit=self.top_k if top_k is None else top_k,
            mode=self.mode,
            filters=self.filters if filters is None else filters,
            min_relevance=self.min_relevance,
        )
        return {"documents": [_document(result, is_snippet=self.content == "snippet") for result in page.answering]}

    @component.output_types(documents=list[Document])
    async def run_async(
        self, query: str, filters: dict[str, Any] | None = None, top_k: int | None = None
    ) -> dict[str, list[Document]]:
        """Return what `run` returns, without holding up the event loop."""
        return await asyncio.to_thread(self.run, query, filters, top_k)

    def _opened(self, *, is_prepared: bool = False) -> SearchEngine:
        with self._opening:
            if self._engine is None:
                engine = SearchEngine(self.index_dir)
                if is_prepared:
                    engine.prepare()
                self._engine = engine
            return self._engine


def _document(result: SearchResult, *, is_snippet: bool) -> Document:
    """A result as a document; its lines are those of its text, 1-based and inclusive."""
    meta = result.to_metadata(snippet=is_snippet)
    del meta["score"]  # a document has a field for it
    return Document(id=result.section.id, content=result.to_text(snippet=is_snippet), meta=meta, score=result.score)
