"""The commands `search similar` and `search changes`: what is like a section, and what changed."""

from __future__ import annotations

from typing import Any

import click

from schema.commands import Command, print_error
from schema.filters import Filters
from schema.requests import FILTERS, OF_CHANGES
from search.context.advice import emptied_by
from search.options import option_of, options
from search.terminal import client_of, find_section_id, print_json, read_filters, style_of, user_paths

_SINCE, _PATH, _LIMIT = OF_CHANGES


@click.command("similar", cls=Command)
@click.argument("section")
@click.option("--limit", "-n", default=5, show_default=True, type=click.IntRange(1, 100), help="Most sections.")
@options(*FILTERS, "index", "model", "no_server")
@click.option("--full", is_flag=True, help="Print whole sections.")
@click.option("--explain", is_flag=True, help="Say what words and vectors gave to each score.")
@options("json")
def similar_command(section: str, limit: int, full: bool, explain: bool, as_json: bool, **given: Any) -> None:
    """Print the sections that are most like one; SECTION is a hit's number, an id, FILE:LINE or FILE#ANCHOR, or FILE."""
    client = client_of(given)
    where = Filters.of(read_filters(given, client))
    reference = find_section_id(client, section)
    if as_json:
        print_json(client.similar_json(reference, limit=limit, filters=where))
        return
    from search.answers.render import render_results

    results = client.similar(reference, limit=limit, filters=where)
    if results:
        click.echo(render_results(results, style_of(client.place), full=full, explain=explain))
    elif where and client.similar(reference, limit=1, filters=Filters()):
        given_filters = {name: given[name] for name in FILTERS if given.get(name) not in (None, False)}
        print_error("search", emptied_by([given_filters], client.documents(), client.tags()))
    else:
        click.echo("Nothing is like this section.")


@click.command("changes", cls=Command)
@option_of(_SINCE)
@click.option("--since-run", is_flag=True, help="Since the last run that changed something; this is the default.")
@click.option("--since-commit", metavar="REV", help="Compare with a commit of the git repository that the documents are in.")
@option_of(_PATH)
@option_of(_LIMIT)
@options("index", "model", "no_server", "json")
def changes_command(
    since: str | None, since_run: bool, since_commit: str | None, limit: int, as_json: bool, **given: Any
) -> None:
    """Print which sections were added, changed and removed, by document, newest first."""
    if (since is not None) + since_run + (since_commit is not None) > 1:
        raise click.UsageError("Give one of --since, --since-run and --since-commit.")
    client = client_of(given)
    paths = read_filters(given, client)["path"]
    if since_commit is None:
        found = client.changes_json(since, path=paths, limit=limit)
    else:
        found = client.changes_since_commit(since_commit, path=paths, limit=limit)
    if as_json:
        print_json(found)
        return
    from search.answers.changes_wire import render_changes

    click.echo(render_changes(found, user_paths(client.place).shown))
