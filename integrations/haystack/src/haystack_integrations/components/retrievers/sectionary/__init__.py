"""Sectionary for Haystack: a question → the sections of indexed Markdown that answer it, as documents."""

from haystack_integrations.components.retrievers.sectionary.retriever import SectionaryRetriever

__all__ = ["SectionaryRetriever"]
