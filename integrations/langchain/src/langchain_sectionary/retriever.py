"""`SectionaryRetriever`: a question → the sections that answer it, as LangChain documents."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables.config import run_in_executor
from pydantic import ConfigDict, Field, PrivateAttr

from schema.requests import Mode
from schema.results import SearchResult
from search import SearchEngine

Content = Literal["section", "snippet"]


class SectionaryRetriever(BaseRetriever):
    """Retrieves from the index in `index_dir`, or by an `engine` that the caller made, best first.

    `k` is the most documents of an answer. `content` says what they hold: whole sections, or the passage of each that
    answers best. `mode` and `filters` are those of `SearchEngine.search`, `min_relevance` is from which relevance on, 0..1,
    a section answers the question (by default the setting of that name): if none does, there are no documents. With 0 the
    nearest sections are returned in any case. Each of these may also be given to `invoke` and `ainvoke`, for one call.

    Raises:
        ValueError: neither `index_dir` nor `engine` is given, or a value is out of its range.
        SectionaryError: the index cannot be searched; when asked, the query is blank or a filter makes no sense.
    """

    model_config = ConfigDict(extra="forbid")

    index_dir: Path | None = None
    k: int = Field(default=5, ge=1)
    content: Content = "section"
    mode: Mode = "hybrid"
    filters: Mapping[str, Any] | None = None
    min_relevance: float | None = Field(default=None, ge=0, le=1)
    engine: SearchEngine | None = Field(default=None, exclude=True, repr=False)
    _engine: SearchEngine = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        super().model_post_init(context)
        if self.engine is None and self.index_dir is None:
            raise ValueError("Give index_dir, the folder of an index such as .sectionary, or an engine.")
        self._engine = self.engine or SearchEngine(self.index_dir or "")

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun | None = None,  # noqa: ARG002 — the interface has it
        **given: Any,
    ) -> list[Document]:
        unknown = given.keys() - _PER_CALL
        if unknown:
            raise TypeError(f"invoke takes no argument {min(unknown)!r}; it takes {', '.join(sorted(_PER_CALL))}.")
        asked = {name: getattr(self, name) for name in _PER_CALL} | given
        if asked["content"] not in ("section", "snippet"):
            raise ValueError(f'content must be "section" or "snippet", not {asked["content"]!r}')
        page = self._engine.page(
            query,
            limit=asked["k"],
            mode=asked["mode"],
            filters=asked["filters"],
            min_relevance=asked["min_relevance"],
        )
        return [_document(result, is_snippet=asked["content"] == "snippet") for result in page.answering]

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun | None = None, **given: Any
    ) -> list[Document]:
        # a search computes for milliseconds, and the first one loads a model: neither may hold up the event loop
        manager = None if run_manager is None else run_manager.get_sync()
        return await run_in_executor(None, self._get_relevant_documents, query, run_manager=manager, **given)


#: What a call may give for itself.
_PER_CALL = frozenset({"k", "content", "mode", "filters", "min_relevance"})


def _document(result: SearchResult, *, is_snippet: bool) -> Document:
    """A result as a document; its lines are those of its text, 1-based and inclusive."""
    metadata = result.to_metadata(snippet=is_snippet)
    return Document(
        id=result.section.id,
        page_content=result.to_text(snippet=is_snippet),
        metadata={"source": metadata["path"], **metadata},  # the name that LangChain's own prompts and chains use
    )
