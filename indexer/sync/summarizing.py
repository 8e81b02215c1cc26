"""The summaries that an index lacks → commits, by the source of summaries that a run was given or that the settings name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.summaries.sources import asks_model, make_summarizer
from indexer.sync.phases import Progress
from indexer.sync.store import Store
from indexer.sync.tools import RunTools
from schema.errors import IndexLockedError, SectionaryError
from schema.protocols import Summarizer
from schema.reports import IndexReport
from schema.settings import Settings
from schema.tracing import report_attributes, traced

if TYPE_CHECKING:
    from indexer.summaries.upkeep import Batch, SummaryRequest

#: An index run tries a summary that failed again only after this time (seconds).
_RETRY_AFTER = 6 * 3600.0


class Summaries:
    """Makes the summaries of the index in `index_dir`, by `given` or else by the source that the settings name.

    `wait` is how many seconds to wait for another process that makes summaries (below 0: forever).
    """

    def __init__(
        self,
        index_dir: Path,
        store: Store,
        settings: Settings,
        *,
        given: Summarizer | None,
        tools: RunTools,
        progress: Progress,
        wait: float,
        should_stop: Callable[[], bool],
    ) -> None:
        self._index_dir = index_dir
        self._store = store
        self._settings = settings
        self._given = given
        self._tools = tools
        self._progress = progress
        self._wait = wait
        self._should_stop = should_stop

    def source(self) -> Summarizer | None:
        """Return what writes the summaries; None if none are asked for.

        Raises:
            SettingsError: a language model is asked for, and the settings do not say which.
        """
        return self._given or make_summarizer(self._settings, lambda: self._tools.counter)

    def add(self, report: IndexReport, source: Summarizer | None, budget: float | None = None) -> IndexReport:
        """Make summaries after a run, and return its report with theirs; what fails here is only a warning."""
        if source is not None and not report.stopped:
            from indexer.summaries.upkeep import SummaryRequest

            try:
                made = self.make(source, SummaryRequest(time_budget=budget, retry_after=_RETRY_AFTER))
            except IndexLockedError:
                report.warnings.insert(0, "another process is making summaries at this moment; this run made none")
            except SectionaryError as error:
                report.warnings.insert(0, f"no summaries were made: {error}")
            else:
                report.warnings[:0], made.warnings = made.warnings, []
                report += made
        return report

    @traced("index.summaries", report_attributes)
    def make(self, source: Summarizer, request: SummaryRequest) -> IndexReport:
        """Make the summaries that a request asks for."""
        from indexer.summaries.upkeep import summarize_index

        self._store.check()  # before anything is paid for
        is_costly = self._given is not None or asks_model(self._settings)
        return summarize_index(
            self._index_dir,
            source,
            is_costly=is_costly,
            concurrency=self._settings.llm_concurrency if is_costly else 1,
            commit=self._write,
            wait=self._wait,
            should_stop=self._should_stop,
            progress=self._progress,
            request=request,
            is_single=self._settings.single_writer,
        )

    def _write(self, batch: Batch) -> None:
        """Commit summaries as soon as no other process writes; wait without a limit, since they may have cost money."""
        with self._store.locked(wait=-1), self._store.open() as writer:
            writer.write_summaries(batch)
            writer.optimize_if_changed()
