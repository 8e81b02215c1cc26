"""The command `index`: arguments and environment → one index run or many, and their reports."""

from __future__ import annotations

import difflib
import os
import signal
import sys
from collections.abc import Iterable
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import click

from indexer.consent import ask_for_all, withdraw
from indexer.daemon.schedule import LastRun, StopSignals, run_every
from indexer.export_command import export
from indexer.knowledge_commands import extract, interview
from indexer.link_report import tell_broken_links
from indexer.options import FILES, SAYING, WORKING, Duration, options
from indexer.report import tell_care, tell_differences, tell_models, tell_report, tell_status
from indexer.roots_command import roots
from indexer.running import end, log_run, open_indexer
from schema.commands import DefaultGroup, ExitCode, error_boundary, locate_index, print_error, project_root
from schema.errors import IndexLockedError, SectionaryError, SourceError
from schema.logs import log_format_option

if TYPE_CHECKING:
    from indexer.pipeline import Indexer
    from schema.reports import IndexReport

_DEFAULT = "run"
#: Most seconds for the summaries of one of many runs: changed files must not wait for a language model.
_SUMMARY_BUDGET = 60.0


class _Commands(DefaultGroup):
    """`index PATHS…` runs the command `run`; a path like the name of another one is `./NAME`."""

    default = _DEFAULT
    default_usage = "[OPTIONS] PATHS..."


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="sectionary", prog_name="index")
def command() -> None:
    """Bring the index up to date with the Markdown files in PATHS (folders or files).

    New and changed sections are embedded, moved ones keep their vectors, and what vanished is removed. Exit status: 0 done,
    2 wrong use, 3 the index cannot be used, 4 done but some files failed or differ, 130 interrupted.
    """


@command.command(_DEFAULT, hidden=True, options_metavar="[OPTIONS]")
@options("paths", "index")
@click.option("--rebuild", is_flag=True, help="Build the index again; the old one is searched until that is done.")
@click.option("--every", type=Duration(), metavar="TIME", help="Run again and again, this long from start to start, as 15m.")
@options("summaries", "wait", *FILES, "model", "device", *WORKING, *SAYING)
def run(paths: tuple[Path, ...], rebuild: bool, every: float | None, as_json: bool, quiet: bool, **options: Any) -> None:
    """Scan PATHS and embed what is dirty."""
    if not paths and every is None:
        raise click.UsageError(
            "Give at least one folder or file to index, as in `index ./docs`, or a command for what is indexed already, as "
            "`index scan`, `index watch` or `index status`; `index --help` lists them."
        )
    if every is not None and rebuild:
        raise click.UsageError("--every keeps an index up to date and --rebuild makes it again; give one of them.")
    if every is not None and every < 1:
        raise click.BadParameter("give at least 1s.", param_hint="--every")
    with open_indexer(quiet=quiet, is_continued=not rebuild, **options) as (indexer, stop):
        try:
            if every is not None:
                again_and_again(run_every(every, stop), indexer, stop, paths, as_json=as_json, quiet=quiet)
                return
            report = (indexer.rebuild if rebuild else indexer.index)(*paths)
        except SourceError as error:
            raise _with_hint(error, paths) from error
    end(report, paths, as_json=as_json, quiet=quiet)


@command.command()
@options("paths", "index", "wait", *FILES, *WORKING, *SAYING)
def scan(paths: tuple[Path, ...], as_json: bool, quiet: bool, **options: Any) -> None:
    """Write what changed in PATHS (default: all indexed before) without embedding it.

    New text is found by its words at once; `index dirty` gives it vectors.
    """
    with open_indexer(quiet=quiet, **options) as (indexer, _):
        report = indexer.scan(*paths)
    end(report, paths, as_json=as_json, quiet=quiet)


@command.command()
@options("index")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Embed at most this many sections.")
@click.option("--time-budget", type=Duration(), metavar="TIME", help="Begin no batch after this long, as 60s.")
@options("wait", "model", "device", *WORKING, *SAYING)
def dirty(limit: int | None, time_budget: float | None, as_json: bool, quiet: bool, **options: Any) -> None:
    """Embed the sections whose text is newer than their vector, oldest first."""
    with open_indexer(quiet=quiet, **options) as (indexer, _):
        report = indexer.process_dirty(limit=limit, time_budget=time_budget)
    end(report, (), as_json=as_json, quiet=quiet)


@command.command()
@options("index")
@click.option(
    "--source",
    "summaries",
    type=click.Choice(["extractive", "llm"]),
    help="Where they come from, if not as the settings say.",
)
@click.option("--refresh", is_flag=True, help="Make those again that another model, prompt or version made.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Summarise at most this many sections.")
@click.option("--time-budget", type=Duration(), metavar="TIME", help="Begin no summary after this long, as 60s.")
@options("wait", "model", *SAYING)
def summarize(
    refresh: bool, limit: int | None, time_budget: float | None, as_json: bool, quiet: bool, **options: Any
) -> None:
    """Make the summaries that sections and documents lack; exit status 4 if some could not be made."""
    with open_indexer(quiet=quiet, **options) as (indexer, _):
        report = indexer.summarize(refresh=refresh, limit=limit, time_budget=time_budget)
    tell_report(report, (), as_json=as_json, quiet=quiet)
    if report.stopped:
        raise KeyboardInterrupt
    if report.summaries_failed:
        raise SystemExit(ExitCode.SOME_FAILED)


@command.command()
@options("paths", "index")
@click.option("--full-every", type=Duration(), default=600.0, metavar="TIME", help="Look at all files this often (10m).")
@click.option("--settle", type=Duration(), default=0.4, metavar="TIME", help="Gather changes for this long (400ms).")
@click.option("--poll", is_flag=True, help="Look at the files every second, where the system tells of no changes.")
@click.option("--until-input-ends", is_flag=True, hidden=True, help="Stop at the end of standard input.")
@options("summaries", "wait", *FILES, "model", "device", *WORKING, *SAYING)
@log_format_option()
def watch(
    paths: tuple[Path, ...],
    full_every: float,
    settle: float,
    poll: bool,
    until_input_ends: bool,
    as_json: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Index PATHS (default: all indexed before) now and after every change, until interrupted."""
    if until_input_ends:
        Thread(target=_stop_at_end_of_input, daemon=True).start()
    from indexer.daemon.watch import watch_changes

    def tell(reason: str) -> None:
        print_error("index", f"The system cannot watch these files ({reason}); they are looked at every second instead.")

    with open_indexer(quiet=quiet, **options) as (indexer, stop):
        watched, last = paths or indexer.roots.places(), LastRun()
        when = watch_changes(
            watched,
            stop=stop,
            settle=settle,
            full_every=full_every,
            poll=poll,
            on_fallback=tell,
            index_dir=locate_index(options["index_dir"]),
            last=last,
        )
        again_and_again(when, indexer, stop, paths, as_json=as_json, quiet=quiet, last=last)


@command.command()
@options("index", "json")
def status(index_dir: Path | None, as_json: bool) -> None:
    """Print what the index contains, which files changed since, and its size on disk."""
    from indexer.sync.roots import Roots
    from indexer.sync.status import status_of
    from schema.settings import is_trusted, load_settings

    folder = locate_index(index_dir)
    root = project_root(folder)
    roots = Roots(folder, root, load_settings(root, environ=os.environ), is_trusted=is_trusted(os.environ))
    tell_status(status_of(folder, roots), as_json=as_json)


@command.command()
@options("index", "repair", "links", "wait", *FILES, "model", "device", *SAYING)
def verify(links: bool, repair: bool, as_json: bool, quiet: bool, **options: Any) -> None:
    """Compare every file, row and index with each other; exit status 4 on any difference or broken link."""
    if links:
        tell_broken_links(options["index_dir"], as_json=as_json, quiet=quiet)
        return
    with open_indexer(quiet=quiet, is_continued=repair, **options) as (indexer, _):
        report = indexer.verify(repair=repair)
    tell_differences(report, as_json=as_json, quiet=quiet)
    if report.stopped:
        raise KeyboardInterrupt
    if report.differences or report.failed:
        raise SystemExit(ExitCode.SOME_FAILED)


@command.command()
@options("index", "wait", *SAYING)
def optimize(as_json: bool, quiet: bool, **options: Any) -> None:
    """Merge the table's files, refresh its indexes and remove old versions."""
    with open_indexer(quiet=quiet, **options) as (indexer, _):
        before, after = indexer.optimize()
    tell_care(before, after, as_json=as_json, quiet=quiet)


@command.command()
@options("json")
def models(as_json: bool) -> None:
    """List the embedding models that are there, with their languages, their cost and what each is good for."""
    from indexer.models.catalog import known_models

    tell_models(known_models(), as_json=as_json)


command.add_command(interview)
command.add_command(export)
command.add_command(extract)
command.add_command(roots)


def main() -> None:
    """Run the command with the process's arguments."""
    with error_boundary("index"):
        command.main(prog_name="index", standalone_mode=False)


@command.command()
@options("index")
@click.option("--yes", is_flag=True, help="Allow without being asked.")
@click.option("--forget", is_flag=True, help="Take back what you allowed.")
def trust(index_dir: Path | None, yes: bool, forget: bool) -> None:
    """Allow what a folder that came from somebody else wants: settings that could do harm, and its index.

    What you allow is remembered in your own configuration folder. Settings are asked about again when they change.
    """
    folder = locate_index(index_dir)
    if forget:
        withdraw(folder)
    else:
        ask_for_all(folder, is_allowed=yes)


def _stop_at_end_of_input() -> None:
    """Stop this process when the one that started it has ended, which closes standard input."""
    while os.read(sys.stdin.fileno(), 4096):  # without a buffer, whose lock would be held when the process ends
        pass
    os.kill(os.getpid(), signal.SIGTERM)


def again_and_again(
    when: Iterable[None],
    indexer: Indexer,
    stop: StopSignals,
    paths: tuple[Path, ...],
    *,
    as_json: bool,
    quiet: bool,
    last: LastRun | None = None,
) -> None:
    """Index each time `when` yields, and note in `last`, by which it may yield soon, whether that was done.

    Errors of the first run are raised, except that of a lock; later ones are printed, with `last` each once until another
    one comes.
    """
    is_first, told, is_soon, last = True, "", last is not None, last or LastRun()
    for _ in when:
        last.is_done = False
        try:
            report, missing = _index_what_is_there(indexer, paths, is_strict=is_first)
        except IndexLockedError as error:
            now_told = "" if stop.is_set() else str(error)
        except SectionaryError as error:
            if is_first:
                raise
            now_told = str(error)
        except OSError as error:  # rights, or a disk that may be back at the next run
            if is_first:
                raise
            place = f": {error.filename}" if error.filename else ""
            now_told = f"{error.strerror or error}{place}; the next run tries again."
        else:
            now_told, last.is_done = missing, True
            if is_first or _has_news(report):
                log_run(report)
                tell_report(report, paths if is_first else (), as_json=as_json, quiet=quiet, is_one_line=True)
        if now_told and not (is_soon and now_told == told):
            print_error("index", now_told)
        is_first, told = False, now_told


def _index_what_is_there(indexer: Indexer, paths: tuple[Path, ...], *, is_strict: bool) -> tuple[IndexReport, str]:
    """Index the paths, without those that are missing unless `is_strict`; also the sentences about these."""
    told: list[str] = []
    while True:
        try:
            return indexer.index(*paths, summary_budget=_SUMMARY_BUDGET), " ".join(told)
        except SourceError as error:
            others = tuple(path for path in paths if path != error.path)
            if is_strict or not others or len(others) == len(paths):
                raise
            told.append(str(error))
            paths = others


def _has_news(report: IndexReport) -> bool:
    r = report
    counts = (r.documents_added, r.documents_updated, r.documents_removed, r.sections_embedded, r.summaries_written)
    return bool(sum(counts) + len(r.failed))


def _with_hint(error: SourceError, paths: tuple[Path, ...]) -> SourceError:
    """Return the error of a path that does not exist with the command that was perhaps meant by it."""
    word = str(error.path)
    if error.path in paths and error.path.parent == Path() and not error.path.exists():
        near = difflib.get_close_matches(word, [name for name in command.commands if name != _DEFAULT], n=1)
        if near:
            hint = "put the command first" if near[0] == word else "did you mean the command"
            return SourceError(f"{error} Or {hint}: `index {near[0]}`{'' if near[0] == word else '?'}", path=error.path)
    return error
