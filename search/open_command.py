"""The command `search open`: a hit, an id or a place → the editor or the browser that opens it."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import click

from schema.commands import Command
from schema.errors import QueryError
from schema.text.characters import one_line
from search.options import options
from search.terminal import (
    client_of,
    find_section_id,
    is_number,
    is_terminal,
    numbered_hit,
    print_stale,
    read_request,
    remember_results,
    style_of,
    user_paths,
)

if TYPE_CHECKING:
    from schema.results import SearchResult
    from search.answers.client import SearchClient


@click.command("open", cls=Command)
@click.argument("target")
@click.option(
    "--with",
    "program",
    type=click.Choice(["editor", "vscode", "browser"]),
    default="editor",
    show_default=True,
    help="What opens it; editor is $VISUAL or $EDITOR.",
)
@click.option("--print", "is_printed", is_flag=True, help="Print what would be started, and start nothing.")
@options("index", "model", "no_server")
def open_command(target: str, program: str, is_printed: bool, **given: Any) -> None:
    """Open a section: TARGET is the number of a hit of the last search, an id, FILE:LINE or FILE#ANCHOR."""
    client = client_of(given)
    hit, line = _meant(client, target)
    open_hit(client, hit, program=program, line=line, is_printed=is_printed)


def open_hit(client: SearchClient, hit: SearchResult, *, program: str, line: int, is_printed: bool = False) -> None:
    """Open a section in a program ("editor", "vscode", "browser"), at a line of its file.

    Raises:
        QueryError: the program or the file is not there or fails, or the section has no address.
    """
    if program == "browser":
        address = _address(client, hit)
        if is_printed:
            click.echo(one_line(address))
            return
        import webbrowser

        if not webbrowser.open(address):
            raise QueryError(f"No browser could be started; the address is {address}")
        return
    from search.answers.editors import editor_command, vscode_command
    from search.answers.paths import line_to_open

    path = _file(client, hit.section.document_path)
    print_stale([hit], style_of(client.place))
    line = line_to_open(hit.section.place, line) or 1
    if program == "vscode":
        command = vscode_command(path, line)
    else:
        command = editor_command(path, line, os.environ, has_terminal=is_printed or is_terminal())
    if is_printed:
        click.echo(one_line(shlex.join(command)))
        return
    import subprocess

    try:
        status = subprocess.run(command, check=False).returncode
    except OSError as error:
        raise QueryError(
            f"{command[0]} could not be started ({error.strerror or error}); set EDITOR to another editor."
        ) from error
    if status:
        raise QueryError(f"{one_line(command[0])} ended with status {status}.")


def _meant(client: SearchClient, target: str) -> tuple[SearchResult, int]:
    """The section that was typed, and the line to open it at."""
    from search.answers.paths import split_place

    if is_number(target):
        return numbered_hit(client, target)
    hit = client.section(find_section_id(client, target))
    return hit, split_place(target)[2] or hit.section.start_line


def _file(client: SearchClient, path: str) -> Path:
    """The file of a document, which must be in its root."""
    from search.answers.document_files import document_file

    return document_file(user_paths(client.place).roots, path)


def _address(client: SearchClient, hit: SearchResult) -> str:
    """The address of a section: on the published site, else on the page of the running server."""
    if hit.url.startswith(("http://", "https://")):
        return hit.url
    server = client.server_address()
    if server is None:
        raise QueryError("The section has no address; set base_url, or start `search serve`.")
    section = hit.section
    anchor = quote(section.anchor or f"L{section.start_line}", errors="replace")
    return f"{server}?doc={quote(section.document_path, errors='replace')}#{anchor}"


def search_as_typed(client: SearchClient, given: dict[str, Any]) -> None:
    """Let the user type a question and see what it finds, with the options that were given, until Esc is pressed.

    The last hits that were shown are remembered for `search open`, under their numbers on the screen.
    """
    from search.interactive import Finder, build_application

    client.asks_once = False

    def ask(text: str) -> tuple[Sequence[SearchResult], bool]:
        found = client.search(read_request((text,), dict(given), client))
        return found.results, found.answered

    def opened(hit: SearchResult) -> None:
        from search.answers.formats import answering_line

        open_hit(client, hit, program="editor", line=answering_line(hit)[0])

    finder = Finder(ask, user_paths(client.place).shown)
    try:
        build_application(finder, opened).run()
    finally:
        if finder.last_shown:
            remember_results(client, finder.last_shown)
