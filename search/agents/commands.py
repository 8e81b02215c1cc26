"""The commands `search agents …`: argv and the environment → clients that are set up."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from schema.commands import Group, is_asked, locate_index, print_error, project_root
from schema.index_files.layout import has_store
from schema.text.characters import one_line, printable
from search.agents.clients import BY_NAME, CLIENTS, AgentClient, AgentSetupError, Home

if TYPE_CHECKING:
    from search.agents.files import FileChange

_index = click.option(
    "--index", "index_dir", type=click.Path(path_type=Path), envvar="SECTIONARY_INDEX", metavar="DIR",
    help="Index folder, or s3://BUCKET/PREFIX (also gs://, az://); by default .sectionary here or above.",
)  # fmt: skip
_user = click.option("--user", "is_user", is_flag=True, help="The file in your home folder, not the one of the project.")
_client = click.argument("client", type=click.Choice(list(BY_NAME)), metavar="CLIENT")


@click.group("agents", cls=Group, invoke_without_command=True)
@click.pass_context
def agents_command(context: click.Context) -> None:
    """Set up AI agents: which clients there are, and the file that each of them reads."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@agents_command.command("list")
@_index
def list_command(index_dir: Path | None) -> None:
    """Print the clients that can be set up, their files, and which have the server."""
    from search.agents.setup import is_set_up

    project, home = project_root(locate_index(index_dir)), _home()
    for client in CLIENTS:
        for is_user in [False, True] if client.project and client.user else [False]:
            try:
                path, _ = client.file(is_user=is_user, project=project, home=home)
            except AgentSetupError:
                told = "no known file on this platform"
            else:
                state = ", set up" if is_set_up(client, project, home, is_user=is_user) else ""
                told = f"{one_line(str(path))}{' (--user)' if is_user else ''}{state}"
            click.echo(f"{client.name:<15} {told}")


@agents_command.command("show")
@_client
@_index
@_user
def show_command(client: str, index_dir: Path | None, is_user: bool) -> None:
    """Print what belongs into the file of CLIENT, without reading or writing it."""
    from search.agents.setup import pasted, server_command

    chosen, index = BY_NAME[client], locate_index(index_dir)
    path, _ = chosen.file(is_user=is_user, project=project_root(index), home=_home())
    click.echo(f"In {one_line(str(path))}:\n\n{printable(pasted(chosen, server_command(index)))}")


@agents_command.command("install")
@_client
@_index
@_user
@click.option(
    "--file", "file", type=click.Path(path_type=Path), metavar="FILE", help="The client's file, if it is elsewhere."
)
@click.option("--skill", is_flag=True, help="Also put the skill into the project; for claude-code.")
@click.option("--yes", is_flag=True, help="Write without asking.")
def install_command(client: str, index_dir: Path | None, is_user: bool, file: Path | None, skill: bool, yes: bool) -> None:
    """Add the server to the file of CLIENT, after showing the change and asking."""
    from search.agents.setup import server_change, server_command, skill_change

    _need_mcp()
    chosen, index = BY_NAME[client], locate_index(index_dir)
    project = project_root(index)
    if skill and client != "claude-code":
        raise click.UsageError("--skill is for claude-code; the skill is `skills/sectionary/SKILL.md` in the repository.")
    if file is not None:
        path = Path(os.path.abspath(file))
        folder = path.parent
        is_own = is_user or not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(project))
    else:
        path, folder = chosen.file(is_user=is_user, project=project, home=_home())
        is_own = is_user or not chosen.project
    try:
        changes = [server_change(chosen, server_command(index), path, folder, is_own=is_own)]
    except AgentSetupError as error:
        click.echo(printable(error.pasted), nl=bool(error.pasted))
        raise
    if skill:
        changes.append(skill_change(project))
    needed = [change for change in changes if change.is_needed]
    for change in needed:
        click.echo(change.diff())
    if needed:
        _ask(needed, is_agreed=yes)
        for change in needed:
            change.write()
            click.echo(f"Wrote {one_line(str(change.path))}.")
    _tell_next(chosen, index, is_changed=bool(needed))


def _ask(changes: list[FileChange], *, is_agreed: bool) -> None:
    """Go on only if the user agrees.

    Raises:
        click.UsageError: nobody can be asked, or the answer is no.
    """
    if is_agreed:
        return
    if not is_asked():
        raise click.UsageError("Nothing was written; add --yes to write it without being asked.")
    files = " and ".join(one_line(str(change.path)) for change in changes)
    if not click.confirm(f"Write {files}?", err=True):
        raise click.UsageError("Nothing was written.")


def _tell_next(client: AgentClient, index: Path, *, is_changed: bool) -> None:
    from search.agents.setup import is_short_lived

    click.echo(client.after if is_changed else f"{client.title} is set up already.")
    if not has_store(index):
        print_error("search", "There is no index yet; `index FOLDER` makes one.")
    if is_short_lived(Path(sys.prefix)):
        print_error(
            "search",
            "warning: this runs from a cache, which is emptied now and then, and the server with it; install Sectionary, as "
            "with `uv tool install 'sectionary[mcp]'`, and run this again from there.",
        )


def _need_mcp() -> None:
    import importlib.util

    if importlib.util.find_spec("mcp") is None:
        raise click.UsageError("This needs the extra `mcp`: install sectionary[mcp] with pip.")


def _home() -> Home:
    return Home(folder=Path.home(), environ=os.environ)
