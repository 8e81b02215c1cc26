"""The command `search`: argv and the environment → the best sections, as text or JSON."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path
from typing import Any

import click

from schema.commands import ExitCode, complain, locate_index, sentences, to_json
from schema.settings import load_settings


@click.command(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.argument("query", nargs=-1, required=True)
@click.option("--limit", "-n", default=5, show_default=True, type=click.IntRange(1, 1000), help="Number of sections.")
@click.option("--offset", default=0, type=click.IntRange(0, 100_000), help="Leave out this many of the best.")
@click.option("--mode", type=click.Choice(["hybrid", "dense", "lexical"]), default="hybrid", show_default=True,
              help="Words and vectors, or one of them.")  # fmt: skip
@click.option("--path", multiple=True, metavar="PREFIX|GLOB", help="Only documents whose path begins or matches so.")
@click.option("--depth", multiple=True, type=click.IntRange(0, 3), help="Only sections of this heading depth.")
@click.option("--tag", "tags", multiple=True, help="Only documents with this front-matter tag.")
@click.option("--index", "index_dir", type=click.Path(path_type=Path), envvar="SECTIONARY_INDEX", metavar="DIR",
              help="Index folder; by default .sectionary here or in the nearest folder above.")  # fmt: skip
@click.option("--model", metavar="NAME", help="The embedding model the index was made with, if not the default.")
@click.option("--full", is_flag=True, help="Print whole sections.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--jsonl", "as_jsonl", is_flag=True, help="Print one JSON object for each section.")
@click.option("--exit-status", is_flag=True, help="Exit with 1 if nothing is found.")
@click.option("--quiet", "-q", is_flag=True, help="Nothing but results.")
@click.version_option(package_name="sectionary", prog_name="search")
def command(
    query: tuple[str, ...],
    limit: int,
    offset: int,
    mode: Any,
    path: tuple[str, ...],
    depth: tuple[int, ...],
    tags: tuple[str, ...],
    index_dir: Path | None,
    model: str | None,
    full: bool,
    as_json: bool,
    as_jsonl: bool,
    exit_status: bool,
    quiet: bool,
) -> None:
    """Find the sections that answer QUERY, best first.

    Exit status: 0 also when nothing is found (but see --exit-status), 2 wrong use, 3 no index or one that does not fit.
    """
    words = " ".join(query)
    if not words.strip():
        raise click.UsageError("The query is empty; ask a question or give some words.")
    place = locate_index(index_dir)
    settings = load_settings(place.resolve().parent, environ=os.environ, overrides={"model": model})

    from search.engine import SearchEngine
    from search.render import render_results
    from search.wire import result_to_json, search_to_json

    engine = SearchEngine(place, settings=settings)
    started = time.perf_counter()
    filters = {"path": path, "depth": depth, "tags": tags}
    results = engine.search(words, limit=limit, offset=offset, mode=mode, filters=filters)
    took = (time.perf_counter() - started) * 1000
    if as_json:
        click.echo(to_json(search_to_json(words, mode, results, took_ms=took), indent=2))
    elif as_jsonl:
        for result in results:
            click.echo(to_json(result_to_json(result)))
    elif results:
        click.echo(render_results(results, width=shutil.get_terminal_size().columns, full=full))
    elif not quiet:
        is_empty = not engine.documents()
        advice = "The index holds no text yet; run `index FOLDER`." if is_empty else "Nothing was found; try other words."
        complain("search", advice)
    if exit_status and not results:
        raise SystemExit(ExitCode.NO_HIT)


def main() -> None:
    """Run the command with the process's arguments."""
    with sentences("search"):
        command.main(prog_name="search", standalone_mode=False)
