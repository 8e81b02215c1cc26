"""The commands `search serve` and `search mcp`: an index → one process that answers many."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from schema.commands import Command, print_error
from schema.index_files.layout import has_table, store_dir
from schema.logs import is_json, log_event, log_format_option
from schema.remote.folders import shown_place
from schema.text.characters import one_line
from search.options import options
from search.terminal import place_of

_INDEX = ("index", "model")
_SERVING = ("host", "port", "hosts", "token_file")


@click.command("serve", cls=Command)
@options(*_INDEX, "reranker", *_SERVING)
@click.option(
    "--watch",
    "watched",
    multiple=True,
    type=click.Path(exists=True, path_type=Path),
    metavar="PATH",
    help="Index this folder now and after every change; may be given several times.",
)
@click.option(
    "--allow-origin",
    "origins",
    multiple=True,
    metavar="ORIGIN",
    help="Exact origin of a site that may embed the search box, as https://docs.example.org.",
)
@click.option("--metrics", is_flag=True, envvar="SECTIONARY_METRICS", help="Answer /metrics, for Prometheus.")
@log_format_option()
@click.option("--idle", default=0.0, type=click.FloatRange(0, 10**7), metavar="SECONDS", help="End after idling so long.")
@click.option(
    "--drain",
    default=0.0,
    type=click.FloatRange(0, 3600),
    metavar="SECONDS",
    help="After SIGTERM, still answer for so long, without being ready.",
)
@click.option("--quiet", "-q", is_flag=True, help="Say nothing but errors.")
@click.argument("others", nargs=-1, metavar="")
def serve_command(others: tuple[str, ...], **given: Any) -> None:
    """Answer over HTTP, as a page and to agents, from one warm process.

    The page is at / and the agents' address at /mcp. `search` in a terminal asks a running server by itself.
    """
    if others:
        raise click.UsageError("--watch stands before each folder, as in `search serve --watch docs --watch notes`.")
    _need("server", "fastapi", "uvicorn", "nh3")
    _serve(given)


@click.command("mcp", cls=Command)
@options(*_INDEX, "reranker")
@click.option("--http", is_flag=True, help="Answer over HTTP, at /mcp, instead of standard input and output.")
@options(*_SERVING)
@log_format_option()
def mcp_command(http: bool, **given: Any) -> None:
    """Answer AI agents (Model Context Protocol), over standard input and output or over HTTP.

    `search serve` answers agents over HTTP too, beside the page.
    """
    _need("mcp", "mcp")
    if http:
        _serve(given, only_calls=True)
        return
    from search.answers.service import SearchService
    from search.server.mcp import run_stdio

    place, settings = place_of(given)
    run_stdio(SearchService(place, settings=settings))


def _serve(given: dict[str, Any], *, only_calls: bool = False) -> None:
    """Serve as the options say; those of `serve` alone have defaults."""
    # several answers at a time, each of them with several threads, would only wait for each other: 30 instead of 37 a second
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from search.answers.service import SearchService
    from search.server.run import ServerOptions, read_token, serve

    place, settings = place_of(given)
    if given["token_file"] is not None:
        settings = replace(settings, server_token=read_token(given["token_file"]))

    watched: tuple[Path, ...] = given.get("watched", ())
    shown = shown_place(place)

    def tell(url: str) -> None:
        address = f"{url}{'mcp' if only_calls else ''}"
        if is_json():
            log_event(__name__, "serving", f"Serving {shown} at {address}", index=shown, address=address)
        elif not given.get("quiet"):
            click.echo(f"Serving {one_line(shown)} at {address} (Ctrl+C stops).", err=True)
        if not given.get("quiet") and not watched and not has_table(store_dir(place)):
            print_error("search", "There is no index yet; `index FOLDER` makes one, and is answered from at once.")

    where = ServerOptions(
        host=given["host"],
        port=given["port"],
        hosts=given["hosts"],
        origins=given.get("origins", ()),
        idle=given.get("idle", 0.0),
        drain=given.get("drain", 0.0),
        watched=watched,
        has_metrics=given.get("metrics", False),
    )
    serve(SearchService(place, settings=settings), place=where, settings=settings, told=tell, only_calls=only_calls)


def _need(extra: str, *modules: str) -> None:
    """Refuse a command whose libraries are not installed."""
    import importlib.util

    if any(importlib.util.find_spec(module) is None for module in modules):
        raise click.UsageError(f"This needs the extra `{extra}`: install sectionary[{extra}] with pip.")
