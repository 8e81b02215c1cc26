"""Sectionary for LlamaIndex: a retriever over an index, a reader of folders, and a node parser that makes sections."""

from llama_index.retrievers.sectionary.node_parser import SectionaryNodeParser
from llama_index.retrievers.sectionary.reader import SectionaryReader
from llama_index.retrievers.sectionary.retriever import SectionaryRetriever

__all__ = ["SectionaryNodeParser", "SectionaryReader", "SectionaryRetriever"]
