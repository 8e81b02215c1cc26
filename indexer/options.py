"""The options that commands of `index` share."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import click

from indexer.daemon.schedule import duration
from schema.commands import options_from
from schema.index_files.roots import FileChoice


class Duration(click.ParamType[float]):
    """A duration such as 60s or 15m, in seconds."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            return duration(value) if isinstance(value, str) else float(value)
        except ValueError as error:
            self.fail(f"{error}.", param, ctx)


class _Source(click.Path):
    """A path that is not empty, which would be the working folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            raise click.UsageError("A path is empty; give a folder or file, as . for the working folder.", ctx)
        return super().convert(value, param, ctx)


def _finite(_context: click.Context, _parameter: click.Parameter, seconds: float) -> float:
    if math.isnan(seconds):  # it passes every range
        raise click.BadParameter("give a number of seconds.")
    return seconds


_SHARED = {
    "paths": click.argument("paths", nargs=-1, type=_Source(path_type=Path)),
    "index": click.option(
        "--index", "index_dir", type=click.Path(path_type=Path), envvar="SECTIONARY_INDEX", metavar="DIR",
        help="Index folder, or s3://BUCKET/PREFIX (also gs://, az://); by default .sectionary here or above.",
    ),
    "wait": click.option(
        "--wait", default=0.0, type=click.FloatRange(0, 86_400), callback=_finite, metavar="SECONDS",
        help="Wait this long for another process that writes the index.",
    ),
    "include": click.option(
        "--include", multiple=True, metavar="GLOB",
        help="Files to index (default: all Markdown, as **/*.md); kept for later runs.",
    ),
    "exclude": click.option(
        "--exclude", multiple=True, metavar="GLOB", help="Files and folders to leave out; kept for later runs.",
    ),
    "hidden": click.option("--hidden/--no-hidden", default=None, help="Also look into names that begin with a dot."),
    "gitignore": click.option("--gitignore/--no-gitignore", default=None, help="Respect .gitignore files (default) or not."),
    "convert": click.option(
        "--convert/--no-convert", default=None,
        help="Also index PDF, Word, HTML, notebook, reStructuredText and AsciiDoc files (extra convert).",
    ),
    "model": click.option(
        "--model", metavar="NAME", help="Embedding model, by name or folder; `index models` lists those that are there.",
    ),
    "device": click.option("--device", metavar="NAME", help="Where the model runs: auto, cpu, cuda, mps."),
    "workers": click.option(
        "--workers", type=click.IntRange(1, 64), metavar="N", help="Split and embed in so many processes of this machine.",
    ),
    "cluster": click.option(
        "--cluster", metavar="ADDRESS",
        help="Split and embed on a Ray cluster (extra cluster): ray, or its address, as ray://HOST:10001.",
    ),
    "summaries": click.option(
        "--summaries", type=click.Choice(["none", "extractive", "llm"]),
        help="Also make the summaries that are missing: offline, or by the language model of the settings.",
    ),
    "repair": click.option("--repair", is_flag=True, help="Set right what differs."),
    "links": click.option("--links", is_flag=True, help="List the links that lead to nothing, and check nothing else."),
    "json": click.option("--json", "as_json", is_flag=True, help="Print the report as one JSON object."),
    "quiet": click.option("--quiet", "-q", is_flag=True, help="No progress and no warnings; failures are still told."),
}  # fmt: skip


#: Names of the options for which files are documents, and for how a command reports.
FILES = ("include", "exclude", "convert", "hidden", "gitignore")
SAYING = ("json", "quiet")
#: Names of the options for who does the work.
WORKING = ("workers", "cluster")


def file_choice(given: Mapping[str, Any]) -> FileChoice:
    """Return what the options `FILES` say about which files are documents.

    Raises:
        click.BadParameter: a glob is blank.
    """
    for name in ("include", "exclude"):
        if any(not pattern.strip() for pattern in given.get(name) or ()):
            raise click.BadParameter("give a glob that is not blank.", param_hint=f"--{name}")
    return FileChoice(**{name: given[name] for name in FILES if given.get(name) not in (None, ())})


#: A decorator that adds some of these options to a command, by their names.
options = partial(options_from, _SHARED)
