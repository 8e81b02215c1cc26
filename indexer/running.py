"""The options of a command → the indexer it works with, its signals and its progress; and how a run of it ends."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indexer.consent import ask_about_index, settings_of
from indexer.daemon.schedule import StopSignals
from indexer.options import FILES, file_choice
from indexer.progress import say_stopping, shown_progress
from indexer.report import tell_report
from schema.commands import ExitCode, locate_index, print_error, project_root
from schema.kept import kept_settings
from schema.logs import is_json, log_event
from schema.memory import share_heaps
from schema.settings import is_trusted

if TYPE_CHECKING:
    from indexer.pipeline import Indexer
    from schema.reports import IndexReport


@contextmanager
def open_indexer(
    *, index_dir: Path | None, quiet: bool, wait: float, is_continued: bool = True, **overrides: Any
) -> Iterator[tuple[Indexer, StopSignals]]:
    """Yield the indexer for these options and its signals to stop; `is_continued`: it goes on with the index there is."""
    folder = locate_index(index_dir)
    if index_dir is None and folder.parent != Path.cwd() and not (quiet or is_json()):
        print_error("index", f"The index is the one in {folder}; --index names another.")
    share_heaps()
    root = project_root(folder)
    files = file_choice(overrides)
    named = {name: value for name, value in overrides.items() if name not in FILES}
    settings = settings_of(root, named, kept=kept_settings(folder))
    if is_continued:
        ask_about_index(folder)
    with StopSignals(say_stopping) as stop, shown_progress(quiet=quiet) as progress:
        from indexer.pipeline import Indexer

        indexer = Indexer(
            folder,
            root=root,
            settings=settings,
            progress=progress,
            wait=wait,
            should_stop=stop.is_set,
            is_trusted=is_trusted(os.environ),
            files=files,
        )
        yield indexer, stop


def log_run(report: IndexReport) -> None:
    """Log the counts and times of a run that changed something, in the format of the logs."""
    counts: dict[str, Any] = {name: value for name, value in asdict(report).items() if type(value) is int and value}
    seconds = {phase: round(value, 3) for phase, value in report.timings.items()}
    log_event(__name__, "run", "The index was brought up to date.", **counts, failed=len(report.failed), seconds=seconds)


def end(report: IndexReport, paths: tuple[Path, ...], *, as_json: bool, quiet: bool) -> None:
    tell_report(report, paths, as_json=as_json, quiet=quiet)
    if report.stopped:
        raise KeyboardInterrupt
    if report.failed:
        raise SystemExit(ExitCode.SOME_FAILED)
