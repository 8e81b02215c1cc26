"""`SectionaryNodeParser`: Markdown documents → a node for each section, with exact offsets and the headings above it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from llama_index.core.bridge.pydantic import Field, PrivateAttr
from llama_index.core.node_parser import NodeParser
from llama_index.core.node_parser.node_utils import default_id_func
from llama_index.core.schema import BaseNode, Document, MetadataMode, NodeRelationship, TextNode
from llama_index.core.utils import get_tqdm_iterable
from llama_index.retrievers.sectionary.metadata import excluded_keys

from indexer.splitter import MarkdownSplitter
from schema.sections import Section


class SectionaryNodeParser(NodeParser):
    """Splits Markdown at headings of level 1 to `max_depth` (at most 3), as Sectionary's index does.

    `text` of a node is the section with blanks in place of what is markup alone, so that it is as long as the slice
    `start_char_idx` to `end_char_idx` of the document and ends its lines where that does. A node's id is the section's,
    unless there is an `id_func`: the same whenever the document is parsed again. Front matter is in no node.

    The metadata `path` of a document is part of these ids (else the document's id is), and `dialects`, such as "mdx", says
    which markup it has (else the ending of the path does); `SectionaryReader` gives both.
    """

    max_depth: int = Field(default=3, ge=1, le=3, description="The deepest level of headings that begin a section.")
    _splitter: MarkdownSplitter = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        super().model_post_init(context)
        self._splitter = MarkdownSplitter(max_depth=self.max_depth)

    @classmethod
    def class_name(cls) -> str:
        """The name under which pipelines are stored."""
        return "SectionaryNodeParser"

    def _parse_nodes(self, nodes: Sequence[BaseNode], show_progress: bool = False, **_given: Any) -> list[BaseNode]:
        return [
            node
            for document in get_tqdm_iterable(nodes, show_progress, "Parsing nodes")
            for node in self._nodes_of(document)
        ]

    async def _aparse_nodes(self, nodes: Sequence[BaseNode], show_progress: bool = False, **given: Any) -> list[BaseNode]:
        return await asyncio.to_thread(self._parse_nodes, nodes, show_progress, **given)

    def _nodes_of(self, document: BaseNode) -> list[TextNode]:
        text = document.get_content(metadata_mode=MetadataMode.NONE)
        path = str(document.metadata.get("path") or document.node_id)
        dialects = document.metadata.get("dialects")
        split = self._splitter.parse(text, path, dialects=None if dialects is None else str(dialects).split())
        source = document.source_node or document.as_related_node_info()
        nodes = [self._node(index, section, document) for index, section in enumerate(split.sections)]
        for node in nodes:
            node.relationships[NodeRelationship.SOURCE] = source
        if self.include_prev_next_rel:
            for before, after in pairwise(nodes):
                after.relationships[NodeRelationship.PREVIOUS] = before.as_related_node_info()
                before.relationships[NodeRelationship.NEXT] = after.as_related_node_info()
        return nodes

    def _node(self, index: int, section: Section, document: BaseNode) -> TextNode:
        own = section.to_metadata()
        base = getattr(document, "start_char_idx", None) or 0  # of a node that is itself a part of a document
        return TextNode(
            id_=section.id if self.id_func is default_id_func else self.id_func(index, document),
            text=section.text,
            metadata={**document.metadata, **own} if self.include_metadata else own,
            excluded_embed_metadata_keys=[*{**dict.fromkeys(document.excluded_embed_metadata_keys), **_kept(own)}],
            excluded_llm_metadata_keys=[*{**dict.fromkeys(document.excluded_llm_metadata_keys), **_kept(own)}],
            start_char_idx=base + section.start,
            end_char_idx=base + section.end,
        )

    def _postprocess_parsed_nodes(
        self,
        nodes: list[BaseNode],
        parent_doc_map: dict[str, Document],  # noqa: ARG002 — the interface has it
    ) -> list[BaseNode]:
        # the base class looks for each text in the document, which finds the wrong place for one that stands there twice
        return nodes


def _kept(metadata: dict[str, Any]) -> dict[str, None]:
    return dict.fromkeys(excluded_keys(metadata))
