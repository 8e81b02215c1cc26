"""Sectionary for LangChain: a question → the sections of indexed Markdown that answer it, as documents."""

from langchain_sectionary.retriever import SectionaryRetriever

__all__ = ["SectionaryRetriever"]
