"""An index whose texts have changed → summaries for the sections and documents without one, committed in batches.

A summary is stale if its text has changed (then its row has no source) or if it comes from another kind of source; with
`refresh` also if it comes from another version, model or language of the source. A summary that fails stays None and is
tried again in the next run.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from indexer.summaries.cache import SummaryCache
from indexer.summaries.generator import SummaryGenerator
from schema.errors import IndexLockedError, SummarizerUnavailableError, SummaryError
from schema.index_files.layout import store_dir, summaries_path, summarizer_lock
from schema.protocols import Summarizer
from schema.reports import IndexReport
from schema.sections import Section
from schema.storage.table import SectionTable

#: How many summaries are committed together: of a source that takes seconds for each, and of a fast one.
_COSTLY_BATCH, _CHEAP_BATCH = 32, 2000
#: After so many failures in a row the source counts as unavailable, since each may take minutes.
_MAX_FAILURES = 8
#: The most failures that a report gives reasons for.
_MAX_REASONS = 5
_COLUMNS = (
    "id", "document_path", "position", "content_hash", "document_hash", "summary_source", "document_summary_source",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class SummaryResult:
    """A summary, or None if the text needs none, and the hash of the text it was made from."""

    text_hash: str
    summary: str | None


@dataclass(frozen=True, slots=True)
class Batch:
    """The summaries of one commit: of sections by id, of documents by path, and the name of their source."""

    source: str
    sections: Mapping[str, SummaryResult]
    documents: Mapping[str, SummaryResult]


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryRequest:
    """The limits of a run: at most `limit` summaries of sections, none begun after `time_budget` seconds.

    With `refresh`, summaries of another version of the source are made again. Texts whose summary failed before come last;
    those that failed less than `retry_after` seconds ago are left out.
    """

    refresh: bool = False
    limit: int | None = None
    time_budget: float | None = None
    retry_after: float = 0.0


def summarize_index(
    index_dir: Path,
    summarizer: Summarizer,
    *,
    is_costly: bool,
    concurrency: int,
    commit: Callable[[Batch], None],
    wait: float,
    should_stop: Callable[[], bool],
    progress: Callable[[str, int, int], None],
    request: SummaryRequest,
    is_single: bool = False,
) -> IndexReport:
    """Make the summaries that an index lacks, under a lock; those of a costly source are kept in the cache.

    `is_single`: no other process ever writes the index.

    Raises:
        IndexLockedError: another process still holds the lock after `wait` seconds.
        IndexAccessError: the cache cannot be used.
    """
    with contextlib.ExitStack() as stack:
        stack.enter_context(summarizer_lock(index_dir, wait=wait, give_up=should_stop, is_single=is_single))
        cache = None
        if is_costly:
            # a run without a model need not wait for this import
            from indexer.summaries.model import TranslatingSummarizer

            cache = stack.enter_context(SummaryCache(summaries_path(index_dir)))
            if isinstance(summarizer, TranslatingSummarizer):
                summarizer = summarizer.keeping(cache)
        upkeep = SummaryUpkeep(
            SummaryGenerator(summarizer, cache=cache),
            failures=cache,
            open_table=lambda: SectionTable.open(store_dir(index_dir)),
            commit=commit,
            batch=_COSTLY_BATCH if is_costly else _CHEAP_BATCH,
            concurrency=concurrency,
            should_stop=should_stop,
            progress=progress,
        )
        return upkeep.run(request)


@dataclass(slots=True)
class _Stale:
    """The missing summaries of one document: ids of sections in reading order, and whether its own is missing."""

    sections: list[str] = field(default_factory=list)
    is_document: bool = False


class SummaryUpkeep:
    """Makes the summaries that are missing.

    `open_table` returns the current table; `commit` writes the summaries of a batch whose texts have not changed. `batch`
    sections are committed together, `concurrency` summaries are made at a time. `progress` gets the number of sections done.
    """

    def __init__(
        self,
        generator: SummaryGenerator,
        *,
        failures: SummaryCache | None,
        open_table: Callable[[], SectionTable],
        commit: Callable[[Batch], None],
        batch: int,
        concurrency: int,
        should_stop: Callable[[], bool],
        progress: Callable[[str, int, int], None],
    ) -> None:
        self._generator = generator
        self._failures = failures
        self._open_table = open_table
        self._commit = commit
        self._batch = batch
        self._concurrency = concurrency
        self._should_stop = should_stop
        self._progress = progress
        self._deadline = float("inf")
        self._unavailable = ""
        self._in_a_row = 0
        self._is_given_up = False

    def run(self, request: SummaryRequest) -> IndexReport:
        """Make the missing summaries that are asked for, and return a report."""
        started = time.monotonic()
        self._deadline = started + request.time_budget if request.time_budget is not None else float("inf")
        report = IndexReport()
        stale = self._stale(request)
        total = sum(len(each.sections) for each in stale.values())
        done = 0
        with ThreadPoolExecutor(self._concurrency) as pool:
            for paths in _groups(stale, self._batch):
                if self._is_over():
                    break
                self._progress("summarize", done, total)
                done += self._documents({path: stale[path] for path in paths}, pool, report)
        self._progress("summarize", done, total)
        if self._unavailable:
            missing = total - done
            report.summaries_failed += max(1, missing)
            report.warnings.insert(
                0, f"{self._unavailable} {missing} sections wait for a summary; `index summarize` goes on."
            )
        report.stopped = self._is_given_up or self._should_stop()
        report.timings["summarize"] = time.monotonic() - started
        return report

    def _documents(self, stale: Mapping[str, _Stale], pool: ThreadPoolExecutor, report: IndexReport) -> int:
        """Summarise some documents and commit the summaries; return how many sections are done."""
        texts: dict[str, list[Section]] = {path: [] for path in stale}
        for section in self._open_table().sections(list(stale)):
            texts[section.document_path].append(section)
        whole = {path: "".join(section.content for section in sections) for path, sections in texts.items()}
        wanted = [path for path in stale if stale[path].is_document and texts[path]]
        found = pool.map(
            lambda path: self._try(
                f"document {texts[path][0].document_hash}", lambda: self._of_document(texts[path], whole[path])
            ),
            wanted,
        )
        documents = self._successes(zip(wanted, found, strict=True), report)
        summaries = {path: sections[0].document_summary for path, sections in texts.items() if sections}
        summaries.update({path: result.summary for path, result in documents.items()})
        ids = {identity for each in stale.values() for identity in each.sections}
        waiting = [section for sections in texts.values() for section in sections if section.id in ids]
        done = len(ids) - len(waiting)  # those that another process has changed since

        for start in range(0, len(waiting), self._batch):
            some = waiting[start : start + self._batch]

            def summarize(section: Section) -> SummaryResult | SummaryError | None:
                path = section.document_path
                return self._try(
                    f"section {section.content_hash}", lambda: self._of_section(section, whole[path], summaries[path])
                )

            results = list(pool.map(summarize, some))
            made = self._successes(zip(map(_label, some), results, strict=True), report)
            sections = {section.id: made[_label(section)] for section in some if _label(section) in made}
            done += sum(result is not None for result in results)
            self._commit_if_any(Batch(self._generator.name, sections, documents), report)
            documents = {}
        self._commit_if_any(Batch(self._generator.name, {}, documents), report)
        return done

    def _commit_if_any(self, batch: Batch, report: IndexReport) -> None:
        if not (batch.sections or batch.documents):
            return
        try:
            self._commit(batch)
        except IndexLockedError:  # asked to stop while another process held the lock
            self._is_given_up = True
            return
        report.summaries_written += sum(
            made.summary is not None for made in (*batch.sections.values(), *batch.documents.values())
        )

    def _of_document(self, sections: Sequence[Section], text: str) -> SummaryResult:
        first = sections[0]
        return SummaryResult(
            first.document_hash, self._generator.generate_document_summary(text, title=first.document_title)
        )

    def _of_section(self, section: Section, document: str, document_summary: str | None) -> SummaryResult:
        return SummaryResult(
            section.content_hash,
            self._generator.generate_section_summary(section, document=document, document_summary=document_summary),
        )

    def _try(self, key: str, make: Callable[[], SummaryResult]) -> SummaryResult | SummaryError | None:
        """Return the result, the error, or None if it was not tried."""
        if self._is_over():
            return None
        try:
            made = make()
        except SummarizerUnavailableError as error:
            self._unavailable = str(error)
            return None
        except SummaryError as error:
            if not error.is_silent:
                # a useless reply shows that the model can be reached; another text may get a better one
                if self._failures is not None:
                    self._failures.note_failure(key)
                return error
            self._in_a_row += 1
            if self._in_a_row >= _MAX_FAILURES:
                self._unavailable = f"{_MAX_FAILURES} requests in a row failed, the last one so: {error}"
            return error
        self._in_a_row = 0
        return made

    def _successes(
        self, results: Iterable[tuple[str, SummaryResult | SummaryError | None]], report: IndexReport
    ) -> dict[str, SummaryResult]:
        """Return the summaries that were made, by path or label; count the failures in the report and give their reasons."""
        made = {}
        for key, result in results:
            if isinstance(result, SummaryError):
                report.summaries_failed += 1
                if report.summaries_failed <= _MAX_REASONS:
                    report.warnings.append(f"no summary for {key}: {result}")
            elif result is not None:
                made[key] = result
        return made

    def _is_over(self) -> bool:
        return bool(self._unavailable) or self._is_given_up or self._should_stop() or time.monotonic() >= self._deadline

    def _stale(self, request: SummaryRequest) -> dict[str, _Stale]:
        refresh, limit, retry_after = request.refresh, request.limit, request.retry_after
        name = self._generator.name
        failed = self._failures.failures() if self._failures is not None else {}
        everything = self._open_table().contents(_COLUMNS).to_pylist()
        rows = [row for row in everything if failed.get(f"section {row['content_hash']}", retry_after) >= retry_after]
        # texts that failed before come last, so that they do not use up the limit
        rows.sort(key=lambda row: (f"section {row['content_hash']}" in failed, row["document_path"], row["position"]))
        stale: dict[str, _Stale] = {}
        chosen = (row for row in rows if _is_stale(row["summary_source"], name, refresh=refresh))
        for row in islice(chosen, limit):
            stale.setdefault(row["document_path"], _Stale()).sections.append(row["id"])
        waiting = sorted(
            {
                row["document_path"]
                for row in everything
                if _is_stale(row["document_summary_source"], name, refresh=refresh)
                and failed.get(f"document {row['document_hash']}", retry_after) >= retry_after
            }
        )
        for path in (path for path in waiting if path in stale):
            stale[path].is_document = True
        for path in islice((path for path in waiting if path not in stale), limit):
            stale[path] = _Stale(is_document=True)
        return stale


def _is_stale(source: str | None, name: str, *, refresh: bool) -> bool:
    if source is None:
        return True
    return source != name if refresh else _kind(source) != _kind(name)


def _label(section: Section) -> str:
    """Return the path and line of a section, which are unique."""
    return f"{section.document_path}:{section.start_line}"


def _kind(name: str) -> str:
    return name.partition("/")[0]


def _groups(stale: Mapping[str, _Stale], size: int) -> Iterator[list[str]]:
    """Yield documents in groups whose stale sections together fill a batch."""
    group: list[str] = []
    count = 0
    for path, each in stale.items():
        group.append(path)
        count += max(1, len(each.sections))
        if count >= size:
            yield group
            group, count = [], 0
    if group:
        yield group
