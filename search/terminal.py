"""Words and options of a user in a terminal → an index and a request; how an answer is shown there, or why there is none."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from schema.commands import locate_index, print_error, project_root
from schema.errors import IndexUntrustedError, NotIndexedError, QueryError
from schema.filters import Filters
from schema.index_files.layout import has_store, is_own
from schema.requests import FILTERS, SearchRequest
from schema.settings import is_trusted, left_out_sentence, load_settings
from schema.text.characters import to_json
from search.context.advice import NO_ANSWER, NOTHING_FOUND, emptied_by

if TYPE_CHECKING:
    from schema.settings import ProjectFile, Settings
    from search.answers.client import SearchClient
    from search.answers.paths import UserPaths
    from search.answers.render import Style


def place_of(given: dict[str, Any]) -> tuple[Path, Settings]:
    """Return the index folder and the settings."""
    place = locate_index(given["index_dir"])
    if given["index_dir"] is None and has_store(place) and not is_own(place) and not is_trusted(os.environ):
        raise IndexUntrustedError(
            f"The index in {place} was not made by you on this machine; allow it with `index trust` if you know who made "
            "it, make it again with `index FOLDER --rebuild`, or name it with --index.",
            index_dir=place,
        )
    overrides = {"model": given["model"], "reranker": given.get("reranker")}
    root = project_root(place)
    return place, load_settings(root, environ=os.environ, overrides=overrides, on_left_out=_tell_left_out)


def _tell_left_out(project: ProjectFile, names: list[str]) -> None:
    if not {"model", "reranker"}.isdisjoint(names):  # nothing else changes what a search finds
        print_error("search", left_out_sentence(project, names))


def client_of(given: dict[str, Any]) -> SearchClient:
    """Return what asks the index that was given, by itself or by its server."""
    from search.answers.client import SearchClient

    return SearchClient(*place_of(given), is_server_asked=not given["no_server"])


def print_json(answer: dict[str, Any]) -> None:
    """Print one JSON object: over several lines for a reader, on one for a program."""
    click.echo(to_json(answer, indent=2 if sys.stdout.isatty() else None))


def find_section_id(client: SearchClient, typed: str) -> str:
    """Return the id of a section that was typed, by its id or its place."""
    from search.answers.paths import split_place

    path, anchor, line = split_place(typed)
    meant = user_paths(client.place).documents(path) if anchor or line is not None else []
    if not meant:
        return typed
    path, links = client.meant(meant)
    for link in links:
        if link.anchor == anchor if anchor else link.start_line <= (line or 0) <= link.end_line:
            return link.id
    raise NotIndexedError(f"There is no section {typed[:500]} in the index; `search outline {path}` shows those there are.")


def read_request(query: tuple[str, ...], given: dict[str, Any], client: SearchClient) -> SearchRequest:
    """Return the request for a query and options; paths are read as the user types them."""
    words = _words(query)
    given |= read_filters(given, client)
    return SearchRequest.of(words, given)


def read_filters(given: dict[str, Any], client: SearchClient) -> dict[str, Any]:
    """Return the filters among the options; paths are read as the user types them.

    Raises:
        QueryError: there is no such root.
    """
    filters = {name: given[name] for name in FILTERS if name in given}
    if filters.get("path"):
        paths = user_paths(client.place)
        filters["path"] = tuple(filter(None, map(paths.pattern, filters["path"])))
    if filters.get("root") and (told := user_paths(client.place).roots.unknown(filters["root"])):
        raise QueryError(told)
    return filters


def _words(query: tuple[str, ...]) -> str:
    words = " ".join(query)
    if not words.strip():
        raise click.UsageError("The query is empty; ask a question or give some words.")
    return words


def explain_no_results(client: SearchClient, request: SearchRequest, given: dict[str, Any]) -> None:
    """Print why nothing was found: the index is empty, or the filters or the offset left nothing."""
    first = replace(request, limit=1, offset=0)
    if not client.documents():
        print_error("search", "The index holds no text yet; run `index FOLDER`.")
    elif request.offset and client.search(first)[0]:
        print_error("search", "There are fewer sections than --offset leaves out.")
    elif request.filters and client.search(replace(first, filters=Filters()))[0]:
        print_error("search", emptied_by({name: given[name] for name in FILTERS}, client.documents()))
    else:
        print_error("search", f"{NO_ANSWER} {NOTHING_FOUND}")


def style_of(place: Path) -> Style:
    from search.answers.render import Style

    shows_more = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    root = project_root(place) if shows_more else None
    return Style(width=shutil.get_terminal_size().columns, colour=shows_more, root=root, paths=user_paths(place))


def user_paths(place: Path) -> UserPaths:
    """The paths of an index as the user types and reads them here."""
    from schema.index_files.roots import read_roots
    from search.answers.paths import UserPaths

    project = project_root(place)
    roots = read_roots(place, project, is_own=False)
    if roots.folders:
        roots = read_roots(place, project, is_own=is_own(place), is_trusted=is_trusted(os.environ))
    return UserPaths(roots, Path.cwd())
