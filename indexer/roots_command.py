"""The command `index roots`: the folders of an index, listed, added under a name and removed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from indexer.options import FILES, SAYING, options
from indexer.report import tell_report, tell_roots
from indexer.running import end, open_indexer
from schema.commands import DefaultGroup, locate_index, project_root
from schema.completion import root_names


class _Commands(DefaultGroup):
    """`index roots` without more runs the command `list`."""

    default = "list"
    default_usage = "[OPTIONS]"

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and not args[0].startswith("-") and args[0] not in self.commands:
            raise click.UsageError(f"There is no command {args[0]!r}; the commands are {', '.join(self.commands)}.", ctx)
        return super().parse_args(ctx, args)


@click.group("roots", cls=_Commands)
def roots() -> None:
    """List, add and remove the folders and files that the index is made from."""


@roots.command("list")
@options("index", "json")
def list_roots(index_dir: Path | None, as_json: bool) -> None:
    """List the roots with their names, what is said of them, and the options that are kept for them."""
    with open_indexer(index_dir=index_dir, quiet=True, wait=0.0, is_continued=False) as (indexer, _):
        found = indexer.roots.load()
    tell_roots(found, project_root(locate_index(index_dir)), as_json=as_json)


@roots.command("add")
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--name",
    default="",
    metavar="NAME",
    help="What it is called; the paths of documents outside the project's folder begin with it.",
)
@click.option("--description", metavar="TEXT", help="What it holds, for people and agents.")
@options("index", "summaries", "wait", *FILES, "model", "device", *SAYING)
def add_root(path: Path, name: str, description: str | None, as_json: bool, quiet: bool, **given: Any) -> None:
    """Index PATH, a folder or file, and give it a name and a description; again to change them."""
    with open_indexer(quiet=quiet, **given) as (indexer, _):
        report = indexer.add_root(path, name=name, description=description)
    end(report, (path,), as_json=as_json, quiet=quiet)


@roots.command("remove")
@click.argument("root", shell_complete=root_names)
@options("index", "wait", *SAYING)
def remove_root(root: str, as_json: bool, quiet: bool, **given: Any) -> None:
    """Remove ROOT, by its path or name, and its documents from the index; no file is touched."""
    with open_indexer(quiet=quiet, **given) as (indexer, _):
        report = indexer.remove_root(root)
    tell_report(report, (), as_json=as_json, quiet=quiet)
