"""`SummaryGenerator`: a source of summaries → summaries of sections and documents, each made once for each text.

The key of a section's summary consists of the source, its text and the summary of its document, so that equal texts are
asked for once, in whichever file they are.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from indexer.summaries.cache import SummaryCache
from schema.protocols import Summarizer
from schema.sections import Section, text_hash

_log = logging.getLogger(__name__)


class SummaryGenerator:
    """Makes summaries with a source, and a cache if the source is costly; threads may ask at once."""

    def __init__(self, summarizer: Summarizer, *, cache: SummaryCache | None = None) -> None:
        self._summarizer = summarizer
        self._cache = cache
        self._guard = threading.Lock()
        self._making: dict[str, threading.Lock] = {}

    @property
    def name(self) -> str:
        """The name of the source."""
        return self._summarizer.name

    def generate_document_summary(self, content: str, *, title: str = "") -> str | None:
        """Return the summary of a whole document, None if it needs none.

        Raises:
            SummaryError, SummarizerUnavailableError: the source made none.
        """
        key = text_hash("document", self.name, title, content)
        return self._cached(key, lambda: self._summarizer.summarize_document(content, title=title))

    def generate_section_summary(
        self, section: Section, *, document: str = "", document_summary: str | None = None
    ) -> str | None:
        """Return the summary of a section, None if it needs none.

        Raises:
            SummaryError, SummarizerUnavailableError: the source made none.
        """
        key = text_hash("section", self.name, section.content, document_summary or "")
        return self._cached(
            key,
            lambda: self._summarizer.summarize_section(
                section, document=document or section.content, document_summary=document_summary
            ),
        )

    def _cached(self, key: str, make: Callable[[], str | None]) -> str | None:
        if self._cache is None:
            return make()
        with self._guard:
            own = self._making.setdefault(key, threading.Lock())
        with own:  # two threads may need the summary of the same text
            try:
                is_known, summary = self._cache.get(key)
                if not is_known:
                    summary = make()
                    self._cache.put(key, summary)
            finally:
                with self._guard:
                    self._making.pop(key, None)
        return summary
