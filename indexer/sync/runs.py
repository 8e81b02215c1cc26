"""A run → its report; the manifest notes when the run began and how it ended."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from schema.clock import now
from schema.index_files.manifest import Manifest
from schema.reports import IndexReport, RunRecord
from schema.status import RUN_KEY, run_metadata
from schema.tracing import report_attributes, traced

if TYPE_CHECKING:
    from indexer.found import Discovery
    from indexer.sync.writer import Writer

#: What a run does with the open index.
Job = Callable[["Writer"], IndexReport]


@traced("index", report_attributes)
def recorded(work: Callable[[], IndexReport], manifest: Manifest) -> IndexReport:
    """Do the work of a run and note in the manifest how it went."""
    run = RunRecord(started=now().isoformat())
    manifest.set_metadata(RUN_KEY, run_metadata(run))
    outcome, counts = "failed", {}
    try:
        report = work()
        outcome = "stopped" if report.stopped else "finished"
        counts = {name: value for name, value in asdict(report).items() if type(value) is int}
        counts["failed"] = len(report.failed)
    finally:
        with contextlib.suppress(Exception):  # the error of the job says more than one of this note
            ended = replace(run, ended=now().isoformat(), outcome=outcome, counts=counts)
            manifest.set_metadata(RUN_KEY, run_metadata(ended))
    return report


def done(job: Job, writer: Writer) -> IndexReport:
    """Do a job, which the manifest notes, and optimize the table after it."""

    def work() -> IndexReport:
        report = job(writer)
        writer.optimize_if_changed()
        return report

    return recorded(work, writer.manifest)


def scan_and_embed(writer: Writer, found: Discovery, **doubts: Collection[str]) -> IndexReport:
    """Write what is found, with the same `doubts` as `Writer.scan`, and embed it."""
    report = writer.scan(found, **doubts)
    if not report.stopped:
        report += writer.process_dirty()
    return report
