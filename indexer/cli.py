"""The command `index`: argv and the environment → one index run and its report."""

from __future__ import annotations

import contextlib
import math
import os
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from schema.commands import ExitCode, complain, locate_index, sentences, to_json
from schema.settings import load_settings

if TYPE_CHECKING:
    from indexer.pipeline import Progress
    from schema.results import IndexReport

#: A first run over thousands of files may have hundreds; the report of --json has them all.
_MAX_WARNINGS = 10
_PHASES = {"scan": "Reading files", "embed": "Embedding sections"}


def _finite(_context: click.Context, _parameter: click.Parameter, seconds: float) -> float:
    if math.isnan(seconds):  # it passes every range
        raise click.BadParameter("give a number of seconds.")
    return seconds


@click.command(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--index", "index_dir", type=click.Path(path_type=Path), envvar="SECTIONARY_INDEX", metavar="DIR",
              help="Index folder; by default .sectionary here or in the nearest folder above.")  # fmt: skip
@click.option("--rebuild", is_flag=True, help="Build the index anew; the old one is searched until that is done.")
@click.option(
    "--wait",
    default=0.0,
    type=click.FloatRange(0, 86_400),
    callback=_finite,
    metavar="SECONDS",
    help="Wait this long for another process that writes the index.",
)
@click.option("--include", multiple=True, metavar="GLOB", help="Files to index (default **/*.md and **/*.markdown).")
@click.option("--exclude", multiple=True, metavar="GLOB", help="Files and folders to leave out.")
@click.option("--hidden/--no-hidden", default=None, help="Also look into names that begin with a dot.")
@click.option("--gitignore/--no-gitignore", default=None, help="Respect .gitignore files (default) or not.")
@click.option("--model", metavar="NAME", help="Embedding model, by name or folder (default all-MiniLM-L6-v2, bundled).")
@click.option("--device", metavar="NAME", help="Where the model runs: auto, cpu, cuda, mps.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as one JSON object.")
@click.option("--quiet", "-q", is_flag=True, help="No progress and no warnings; failures are still told.")
@click.version_option(package_name="sectionary", prog_name="index")
def command(
    paths: tuple[Path, ...],
    index_dir: Path | None,
    rebuild: bool,
    wait: float,
    as_json: bool,
    quiet: bool,
    **overrides: Any,
) -> None:
    """Bring the index up to date with the Markdown files in PATHS (folders or files).

    New and changed sections are embedded, moved ones keep their vectors, and what vanished is removed. Exit status: 0 done,
    2 wrong use, 3 the index cannot be used, 4 done but some files failed, 130 interrupted.
    """
    place = locate_index(index_dir)
    root = place.resolve().parent
    given = {name: (value or None) if isinstance(value, tuple) else value for name, value in overrides.items()}
    settings = load_settings(root, environ=os.environ, overrides=given)

    from indexer.pipeline import Indexer

    with _progress(quiet=quiet) as progress:
        indexer = Indexer(place, root=root, settings=settings, progress=progress, wait=wait)
        report = (indexer.rebuild if rebuild else indexer.index)(*paths)
    _tell(report, paths, as_json=as_json, quiet=quiet)
    if report.failed:
        raise SystemExit(ExitCode.SOME_FAILED)


def main() -> None:
    """Run the command with the process's arguments."""
    with sentences("index"):
        command.main(prog_name="index", standalone_mode=False)


def _tell(report: IndexReport, paths: tuple[Path, ...], *, as_json: bool, quiet: bool) -> None:
    if as_json:
        click.echo(to_json(asdict(report), indent=2))
        return
    r = report
    if not quiet:
        for warning in r.warnings[:_MAX_WARNINGS]:
            complain("index", f"warning: {warning}")
        if len(r.warnings) > _MAX_WARNINGS:
            complain("index", f"warning: … and {len(r.warnings) - _MAX_WARNINGS} more; --json lists them all")
    for failure in r.failed:
        complain("index", f"failed: {failure.path}: {failure.reason}")
    documents = r.documents_added + r.documents_updated + r.documents_unchanged
    if not documents and not r.failed:
        where = ", ".join(map(str, paths))
        complain("index", f"There is no Markdown file in {where}; --include takes other names, --hidden hidden folders.")
    elif documents and not r.sections_added + r.sections_updated + r.sections_unchanged + r.documents_unchanged:
        complain("index", "The files hold no text to search.")
    if quiet:
        return
    documents_line = (
        f"documents  {r.documents_added} added, {r.documents_updated} updated, {r.documents_removed} removed, "
        f"{r.documents_unchanged} unchanged, {len(r.failed)} failed"
    )
    sections_line = (
        f"sections   {r.sections_added} added, {r.sections_updated} updated, {r.sections_removed} removed, "
        f"{r.sections_unchanged} unchanged in changed documents"
    )
    click.echo(documents_line)
    click.echo(sections_line)
    click.echo(f"vectors    {r.sections_embedded} embedded, {r.vectors_reused} reused, in {sum(r.timings.values()):.1f} s")


@contextlib.contextmanager
def _progress(*, quiet: bool) -> Iterator[Progress | None]:
    """Bars on a terminal, nothing in pipes and with --quiet."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        tasks: dict[str, Any] = {}

        def show(phase: str, done: int, total: int) -> None:
            if phase not in tasks:
                tasks[phase] = bars.add_task(_PHASES.get(phase, phase), total=total)
            bars.update(tasks[phase], completed=done, total=total)

        yield show
