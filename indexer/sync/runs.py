"""A job of a writer → its report; the manifest notes when the job ran and how it ended."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import asdict, replace

from indexer.sync.writer import Writer
from schema.clock import now
from schema.reports import IndexReport, RunRecord
from schema.status import RUN_KEY, run_metadata
from schema.tracing import report_attributes, traced

Job = Callable[[Writer], IndexReport]


@traced("index", report_attributes)
def recorded(job: Job, writer: Writer) -> IndexReport:
    """Do a job and note in the manifest how it went."""
    run = RunRecord(started=now().isoformat())
    writer.manifest.set_metadata(RUN_KEY, run_metadata(run))
    outcome, counts = "failed", {}
    try:
        report = job(writer)
        writer.optimize_if_changed()
        outcome = "stopped" if report.stopped else "finished"
        counts = {name: value for name, value in asdict(report).items() if type(value) is int}
        counts["failed"] = len(report.failed)
    finally:
        with contextlib.suppress(Exception):  # the error of the job says more than one of this note
            ended = replace(run, ended=now().isoformat(), outcome=outcome, counts=counts)
            writer.manifest.set_metadata(RUN_KEY, run_metadata(ended))
    return report
