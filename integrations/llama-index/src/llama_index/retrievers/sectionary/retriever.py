"""`SectionaryRetriever`: a question → the sections that answer it, as LlamaIndex nodes with scores."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from typing import Any, Literal

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.callbacks import CallbackManager
from llama_index.core.schema import NodeRelationship, NodeWithScore, QueryBundle, RelatedNodeInfo, TextNode
from llama_index.retrievers.sectionary.metadata import excluded_keys

from schema.requests import Mode, SearchRequest
from schema.results import SearchResult
from search import SearchEngine

Content = Literal["section", "snippet"]


class SectionaryRetriever(BaseRetriever):
    """Retrieves from the index in `index_dir`, or by an `engine` that the caller made, best first.

    `similarity_top_k` is the most nodes of an answer. `content` says what they hold: whole sections, or the passage of each
    that answers best. `mode` and `filters` are those of `SearchEngine.search`, `min_relevance` is from which relevance on,
    0..1, a section answers the question (by default the setting of that name): if none does, there are no nodes. With 0 the
    nearest sections are returned in any case.

    Raises:
        ValueError: neither `index_dir` nor `engine` is given, or a value is out of its range.
        SectionaryError: the index cannot be searched; when asked, the query is blank or a filter makes no sense.
    """

    def __init__(
        self,
        index_dir: str | os.PathLike[str] | None = None,
        *,
        similarity_top_k: int = 5,
        content: Content = "section",
        mode: Mode = "hybrid",
        filters: Mapping[str, Any] | None = None,
        min_relevance: float | None = None,
        engine: SearchEngine | None = None,
        callback_manager: CallbackManager | None = None,
        verbose: bool = False,
    ) -> None:
        if engine is None and index_dir is None:
            raise ValueError("Give index_dir, the folder of an index such as .sectionary, or an engine.")
        if content not in ("section", "snippet"):
            raise ValueError(f'content must be "section" or "snippet", not {content!r}')
        SearchRequest(query="any", limit=similarity_top_k, mode=mode, min_relevance=min_relevance)  # checks the values
        self._engine = engine or SearchEngine(index_dir or "")
        self.similarity_top_k = similarity_top_k
        self.content = content
        self.mode = mode
        self.filters = filters
        self.min_relevance = min_relevance
        super().__init__(callback_manager=callback_manager, verbose=verbose)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        page = self._engine.page(
            query_bundle.query_str,
            limit=self.similarity_top_k,
            mode=self.mode,
            filters=self.filters,
            min_relevance=self.min_relevance,
        )
        return [_node(result, is_snippet=self.content == "snippet") for result in page.answering]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        # a search computes for milliseconds, and the first one loads a model: neither may hold up the event loop
        return await asyncio.to_thread(self._retrieve, query_bundle)


def _node(result: SearchResult, *, is_snippet: bool) -> NodeWithScore:
    """A result as a node; its offsets are characters of the document."""
    section, shown = result.section, result.snippet if is_snippet else None
    metadata = result.to_metadata(snippet=is_snippet)
    kept = excluded_keys(metadata)
    node = TextNode(
        id_=section.id,
        text=result.to_text(snippet=is_snippet),
        metadata=metadata,
        excluded_embed_metadata_keys=kept,
        excluded_llm_metadata_keys=kept,
        start_char_idx=section.start + (shown.start if shown else 0),
        end_char_idx=section.start + shown.end if shown else section.end,
        relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=section.document_path)},
    )
    return NodeWithScore(node=node, score=result.score)
