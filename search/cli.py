"""The command `search`: argv and the environment → the best sections, as text or JSON, and what else an index can tell."""

from __future__ import annotations

import os
import shutil
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from schema.commands import DefaultGroup, ExitCode, complain, locate_index, options_from, sentences, to_json
from schema.settings import load_settings

if TYPE_CHECKING:
    from search.engine import SearchEngine

_DEFAULT = "query"


class _Commands(DefaultGroup):
    """`search QUERY…` runs the command `query`; a query that is the name of another one follows `--`."""

    default = _DEFAULT
    default_usage = "[OPTIONS] QUERY..."


_SHARED = {
    "query": click.argument("query", nargs=-1, required=True),
    "mode": click.option(
        "--mode", type=click.Choice(["hybrid", "dense", "lexical"]), default="hybrid", show_default=True,
        help="Words and vectors, or one of them.",
    ),
    "path": click.option("--path", multiple=True, metavar="PREFIX|GLOB",
                         help="Only documents whose path begins or matches so."),
    "depth": click.option("--depth", multiple=True, type=click.IntRange(0, 3), help="Only sections of this heading depth."),
    "tag": click.option("--tag", "tags", multiple=True, help="Only documents with this front-matter tag."),
    "field": click.option("--field", "fields", multiple=True, metavar="NAME=VALUE",
                          help="Only documents whose front matter has this value."),
    "language": click.option("--language", multiple=True, metavar="CODE", help="Only sections in this language, e.g. ja."),
    "since": click.option("--since", metavar="DATE|AGE", help="Only files modified since: 2026-11-01, 7d, 12h."),
    "clean": click.option("--clean", is_flag=True, help="No section whose vector is older than its text."),
    "index": click.option("--index", "index_dir", type=click.Path(path_type=Path), envvar="SECTIONARY_INDEX", metavar="DIR",
                          help="Index folder; by default .sectionary here or in the nearest folder above."),
    "model": click.option("--model", metavar="NAME", help="The embedding model of the index, if not the default."),
    "reranker": click.option("--reranker", metavar="NAME", help="A cross-encoder that orders the best hits anew."),
    "json": click.option("--json", "as_json", is_flag=True, help="Print one JSON object."),
}  # fmt: skip
_options = partial(options_from, _SHARED)
_FILTERS = ("path", "depth", "tag", "field", "language", "since", "clean")
_INDEX = ("index", "model")
_RANKING = ("mode", "reranker")


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="sectionary", prog_name="search")
def command() -> None:
    """Find the sections that answer QUERY, best first. Words in "quotes" must stand so.

    Exit status: 0 also when nothing is found (but see --exit-status), 2 wrong use, 3 no index or one that does not fit.
    """


@command.command(_DEFAULT, hidden=True)
@_options("query")
@click.option("--limit", "-n", default=5, show_default=True, type=click.IntRange(1, 1000), help="Number of sections.")
@click.option("--offset", default=0, type=click.IntRange(0, 100_000), help="Leave out this many of the best.")
@_options(*_RANKING, *_FILTERS, *_INDEX)
@click.option("--full", is_flag=True, help="Print whole sections.")
@click.option("--explain", is_flag=True, help="Say what each step gave to each score.")
@_options("json")
@click.option("--jsonl", "as_jsonl", is_flag=True, help="Print one JSON object for each section.")
@click.option("--exit-status", is_flag=True, help="Exit with 1 if nothing is found.")
@click.option("--quiet", "-q", is_flag=True, help="Nothing but results.")
def query_command(
    query: tuple[str, ...],
    limit: int,
    offset: int,
    mode: Any,
    full: bool,
    explain: bool,
    as_json: bool,
    as_jsonl: bool,
    exit_status: bool,
    quiet: bool,
    **given: Any,
) -> None:
    """Find the sections that answer QUERY."""
    words = _words(query)
    engine, filters = _engine(given), _filters(given)

    from search.render import render_results
    from search.wire import result_to_json, search_to_json

    started = time.perf_counter()
    results = engine.search(words, limit=limit, offset=offset, mode=mode, filters=filters)
    took = (time.perf_counter() - started) * 1000
    if as_json:
        click.echo(to_json(search_to_json(words, mode, results, took_ms=took), indent=2))
    elif as_jsonl:
        for result in results:
            click.echo(to_json(result_to_json(result)))
    elif results:
        width = shutil.get_terminal_size().columns
        marks = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        click.echo(render_results(results, width=width, full=full, explain=explain, marks=marks, first=offset + 1))
    elif not quiet:
        _complain_of_nothing(engine, "Nothing was found; try other words.")
    if exit_status and not results:
        raise SystemExit(ExitCode.NO_HIT)


@command.command("context")
@_options("query")
@click.option("--max-tokens", default=2000, show_default=True, type=click.IntRange(1, 1_000_000), help="The budget.")
@_options(*_RANKING, *_FILTERS, *_INDEX, "json")
def context_command(query: tuple[str, ...], max_tokens: int, mode: Any, as_json: bool, **given: Any) -> None:
    """Pack the best evidence for QUERY into a token budget, with citations: what to give to a model."""
    from schema.commands import printable
    from search.wire import pack_to_json

    words = _words(query)
    engine = _engine(given)
    pack = engine.context(words, max_tokens=max_tokens, mode=mode, filters=_filters(given))
    if as_json:
        click.echo(to_json(pack_to_json(words, pack), indent=2))
    elif pack.text:
        click.echo(printable(pack.text))
    else:
        _complain_of_nothing(engine, "Nothing was found that fits; try other words or a larger --max-tokens.")


@command.command("eval")
@click.argument("questions", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@_options(*_RANKING, *_INDEX, "json")
@click.option("--under", default="", metavar="FOLDER", help="What the paths in the file are relative to, in the index.")
@click.option("--worst", default=0, type=click.IntRange(0, 10_000), help="Also print this many questions that went worst.")
def eval_command(questions: Path, mode: Any, as_json: bool, under: str, worst: int, **given: Any) -> None:
    """Measure how well the questions of a JSON Lines file are answered.

    Each line: {"query": "…", "gold": "…"}, where gold is a section's id, path#anchor or path, or a list of these.
    """
    from search.evaluation import evaluate, read_questions
    from search.render import render_evaluation
    from search.wire import evaluation_to_json

    asked = read_questions(questions, under=under)
    found = evaluate(_engine(given), asked, mode=mode)
    for gold in found.unknown:
        complain("search", f"There is no {gold} in the index; it counts as not found.")
    click.echo(to_json(evaluation_to_json(found), indent=2) if as_json else render_evaluation(found, worst=worst))


@command.command("outline")
@click.argument("document")
@_options(*_INDEX, "json")
def outline_command(document: str, as_json: bool, **given: Any) -> None:
    """Print the sections of a document, by its path in the index."""
    from search.render import render_outline
    from search.wire import link_to_json

    links = _engine(given).outline(document.removeprefix("./"))
    if not links:
        raise click.UsageError(f"There is no document {document} in the index; give its path as a search shows it.")
    click.echo(to_json([link_to_json(link) for link in links], indent=2) if as_json else render_outline(links))


@command.command("section")
@click.argument("section_id")
@_options(*_INDEX, "json")
def section_command(section_id: str, as_json: bool, **given: Any) -> None:
    """Print one section, by the id that --json shows."""
    from search.render import render_results
    from search.wire import result_to_json

    found = _engine(given).get_section(section_id)
    if found is None:
        raise click.UsageError(f"There is no section {section_id} in the index; `search --json` shows the ids.")
    width = shutil.get_terminal_size().columns
    click.echo(to_json(result_to_json(found), indent=2) if as_json else render_results([found], width=width, full=True))


def _words(query: tuple[str, ...]) -> str:
    words = " ".join(query)
    if not words.strip():
        raise click.UsageError("The query is empty; ask a question or give some words.")
    return words


def _complain_of_nothing(engine: SearchEngine, advice: str) -> None:
    """Say that nothing was found, and why if the index is empty."""
    complain("search", advice if engine.documents() else "The index holds no text yet; run `index FOLDER`.")


def _engine(given: dict[str, Any]) -> SearchEngine:
    place = locate_index(given["index_dir"])
    overrides = {"model": given["model"], "reranker": given.get("reranker")}
    settings = load_settings(place.resolve().parent, environ=os.environ, overrides=overrides)

    from search.engine import SearchEngine

    return SearchEngine(place, settings=settings)


def _filters(given: dict[str, Any]) -> dict[str, Any]:
    return {name: given[name] for name in ("path", "depth", "tags", "fields", "language", "since", "clean")}


def main() -> None:
    """Run the command with the process's arguments."""
    with sentences("search"):
        command.main(prog_name="search", standalone_mode=False)
