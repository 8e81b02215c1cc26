"""A job of a writer → its report, with a note in the ledger of when it ran and how it ended."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import asdict, replace

from indexer.sync.writer import Writer
from schema.clock import now
from schema.reports import IndexReport, RunRecord
from schema.status import RUN_FACT, run_fact

Job = Callable[[Writer], IndexReport]


def recorded(job: Job, writer: Writer) -> IndexReport:
    """Do a job and note in the ledger how it went."""
    run = RunRecord(started=now().isoformat())
    writer.ledger.set_fact(RUN_FACT, run_fact(run))
    outcome, counts = "failed", {}
    try:
        report = job(writer)
        writer.settle()
        outcome = "stopped" if report.stopped else "finished"
        counts = {name: value for name, value in asdict(report).items() if type(value) is int}
        counts["failed"] = len(report.failed)
    finally:
        with contextlib.suppress(Exception):  # the error on its way out says more
            ended = replace(run, ended=now().isoformat(), outcome=outcome, counts=counts)
            writer.ledger.set_fact(RUN_FACT, run_fact(ended))
    return report
