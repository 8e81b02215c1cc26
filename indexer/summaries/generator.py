"""`SummaryGenerator`: a source of summaries → summaries of sections and documents, each made once for each text.

The key of a section's summary consists of the source, its text and the summary of its document, so that equal texts are
asked for once, in whichever file they are.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from indexer.summaries.cache import SummaryCache
from schema.errors import SummarizerUnavailableError, SummaryError
from schema.protocols import Summarizer
from schema.sections import Section, text_hash

_log = logging.getLogger(__name__)


class SummaryGenerator:
    """Makes summaries with a source, a cache if the source is costly, and at most `concurrency` requests at a time."""

    def __init__(self, summarizer: Summarizer, *, cache: SummaryCache | None = None, concurrency: int = 1) -> None:
        self._summarizer = summarizer
        self._cache = cache
        self._concurrency = concurrency
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

    def add_summaries(self, sections: Sequence[Section], document_content: str) -> list[Section]:
        """Return the sections of one document with their and its summaries; a summary that cannot be made is None."""
        title = sections[0].document_title if sections else ""
        whole = self._or_none(lambda: self.generate_document_summary(document_content, title=title))

        def summarized(section: Section) -> Section:
            own = self._or_none(
                lambda: self.generate_section_summary(section, document=document_content, document_summary=whole)
            )
            return replace(section, summary=own, document_summary=whole)

        with ThreadPoolExecutor(self._concurrency) as pool:
            return list(pool.map(summarized, sections))

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

    def _or_none(self, make: Callable[[], str | None]) -> str | None:
        try:
            return make()
        except SummarizerUnavailableError:
            raise
        except SummaryError as error:
            _log.warning("a summary could not be made: %s", error)
            return None
