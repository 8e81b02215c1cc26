"""Words and options of a user in a terminal → an index and a request; how an answer is shown there, or why there is none."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from schema.commands import index_to_search, print_error, project_root
from schema.errors import IndexDamagedError, NotIndexedError, QueryError
from schema.filters import Filters
from schema.index_files.layout import is_own, manifest_path, store_dir
from schema.kept import kept_settings
from schema.query_language import map_paths
from schema.requests import FILTERS, SearchRequest
from schema.sections import LEAST_DIGITS, looks_like_id
from schema.settings import is_trusted, left_out_sentence, load_settings
from schema.text.characters import one_line, to_json
from search.context.advice import EMPTY_INDEX, NEAREST, NO_ANSWER, NOTHING_FOUND, did_you_mean, emptied_by, past_the_end

if TYPE_CHECKING:
    from schema.project_file import ProjectFile
    from schema.results import SearchResult, SectionLink
    from schema.settings import Settings
    from search.answers.client import SearchClient
    from search.answers.paths import UserPaths
    from search.answers.render import Style

_EMPTY = "The query is empty; ask a question or give some words."


def place_of(given: dict[str, Any]) -> tuple[Path, Settings]:
    """The index folder that options name, and the settings."""
    place = index_to_search(given["index_dir"])
    overrides = {"model": given["model"], "reranker": given.get("reranker")}
    root = project_root(place)
    return place, load_settings(
        root, environ=os.environ, overrides=overrides, on_left_out=_tell_left_out, kept=kept_settings(place)
    )


def _tell_left_out(project: ProjectFile, names: list[str]) -> None:
    if not {"model", "reranker"}.isdisjoint(names):  # nothing else changes what a search finds
        print_error("search", left_out_sentence(project, names))


def client_of(given: dict[str, Any]) -> SearchClient:
    """The client that asks the index that options name."""
    from search.answers.client import SearchClient

    return SearchClient(*place_of(given), is_server_asked=not given["no_server"])


def print_json(answer: dict[str, Any]) -> None:
    """Print one JSON object: over several lines for a reader, on one for a program."""
    click.echo(to_json(answer, indent=2 if sys.stdout.isatty() else None))


def find_section_id(client: SearchClient, typed: str) -> str:
    """Return the id of a section that was typed: by its id or the beginning of it, which are returned as they are, by the
    number of a hit of the last search, by its place, or by the path of a document for its first section."""
    return _found(client, typed, lambda _path, links: links[0].id)


def find_reference(client: SearchClient, typed: str) -> str:
    """Return what `find_section_id` does, but the path in the index where a whole document was typed."""
    return _found(client, typed, lambda path, _links: path)


def _found(client: SearchClient, typed: str, of_document: Callable[[str, Sequence[SectionLink]], str]) -> str:
    """Return the id of a section that was typed, or for a document what is made of its path and its sections."""
    from search.answers.paths import places
    from search.context.references import with_anchor

    require_name(typed)
    if looks_like_id(typed):
        return typed
    if is_number(typed):
        return numbered_hit(client, typed)[0].section.id
    refused: NotIndexedError | None = None
    readings = places(typed)
    for name, anchor, line in readings:
        meant = user_paths(client.place).documents(name)
        if not meant:
            continue
        try:
            path, links = client.meant(meant)
        except NotIndexedError as error:
            refused = refused or error
            continue
        if not anchor and line is None:
            return of_document(path, links)
        held = (link for link in links if link.start_line <= (line or 0) <= link.end_line)
        found = with_anchor(links, anchor) if anchor else next(held, None)
        if found is not None:
            return found.id
        if anchor:  # of a heading H4 to H6, or another place inside of a section
            with contextlib.suppress(NotIndexedError, IndexDamagedError):
                return str(client.links_json(f"{path}#{anchor}")["id"])
        near = did_you_mean(anchor, [link.anchor for link in links if link.anchor])
        advice = near or f"; `search outline {shlex.quote(path)}` shows those there are."
        refused = NotIndexedError(f"There is no section {typed[:500]} in the index{advice}")
    name, anchor, line = readings[0]
    if refused is not None and (anchor or line is not None or Path(name).suffix):
        raise refused
    return typed


def is_number(typed: str) -> bool:
    """Whether what was typed is the number of a hit: the beginning of an id has more digits."""
    return typed.isascii() and typed.isdigit() and len(typed) < LEAST_DIGITS


def numbered_hit(client: SearchClient, number: str) -> tuple[SearchResult, int]:
    """Return the section that the last search here showed under a number, and the line to open it at: as far below its first
    line as the one that answered, since a run may have moved the section, or its last one, if it has become shorter.

    Raises:
        NotIndexedError: there is no such hit, or a run has removed the section.
    """
    from search.answers.last_search import remembered_hit

    found, numbers = remembered_hit(client.place, int(number), os.environ)
    if found is None:
        told = f"the last search here has {numbers.start} to {numbers.stop - 1}" if numbers else "search first"
        raise NotIndexedError(f"There is no hit {number}; {told}.")
    try:
        hit = client.section(found[0])
    except NotIndexedError as error:
        raise NotIndexedError(f"Hit {number} is not in the index any more; search again.") from error
    return hit, min(hit.section.start_line + found[1], hit.section.end_line)


def require_name(typed: str) -> None:
    """Refuse a blank name of a section or document, which an unset variable of a shell leaves."""
    if not typed.strip():
        raise click.UsageError("The name of the section or document is empty; give a path or an id as a search shows it.")


def read_request(query: tuple[str, ...], given: dict[str, Any], client: SearchClient) -> SearchRequest:
    """Return the request for a query and options; paths are read as the user types them."""
    words = _words(query)
    if not given["literal"] and map_paths(words, lambda _: "") != words:
        paths = user_paths(client.place)
        words = map_paths(words, lambda path: paths.pattern(path) or "**")
    given |= read_filters(given, client)
    return SearchRequest.of(words, given)


def read_filters(given: dict[str, Any], client: SearchClient) -> dict[str, Any]:
    """Return the filters among the options; paths are read as the user types them.

    Raises:
        QueryError: there is no such root.
    """
    filters = {name: given[name] for name in FILTERS if name in given}
    for name in ("path", "root"):  # a blank one is refused, not taken for all
        Filters.of({name: [value for value in filters.get(name) or () if not value.strip()]})
    if filters.get("path"):
        paths = user_paths(client.place)
        filters["path"] = tuple(filter(None, map(paths.pattern, filters["path"])))
    if filters.get("root") and (told := user_paths(client.place).roots.unknown(filters["root"])):
        raise QueryError(told)
    return filters


def _words(query: tuple[str, ...]) -> str:
    words = " ".join(query)
    if not words.strip():
        raise click.UsageError(_EMPTY)
    return words


def refuse_signs(client: SearchClient, request: SearchRequest, found: Sequence[Any]) -> None:
    """Refuse a request that found nothing if its words are signs, such as `?`, that no section has: they say no more than an
    empty query."""
    if not found and request.parsed.is_of_signs and not client.search(request.without_filters()).results:
        raise click.UsageError(_EMPTY)


def print_results(
    client: SearchClient,
    request: SearchRequest,
    results: Sequence[SearchResult],
    form: str,
    *,
    is_told: bool,
    quiet: bool = False,
    **shown: bool,
) -> None:
    """Print hits as text of a form, and remember them for `search open`; `is_told`: that no section answers; `quiet`: say no
    more than that."""
    from search.answers import formats
    from search.answers.render import render_results

    style, first = style_of(client.place), request.offset + 1
    if form == "text":
        if is_told:
            click.echo(f"{NO_ANSWER} {NEAREST}\n")
        shown_results = with_included_lines(results, client.place) if shown.get("full") else results
        click.echo(render_results(shown_results, style, first=first, **shown))
    else:
        print_as = {"files": formats.render_files, "grep": formats.render_grep, "markdown": formats.render_markdown}
        click.echo(print_as[form](results, style))
        if is_told:
            print_error("search", NO_ANSWER)
        if form != "markdown" and not quiet:
            print_stale(results, style)
    remember_results(client, results, first=first)


def print_stale(results: Sequence[SearchResult], style: Style) -> None:
    """Tell which documents have changed since they were indexed, and which are gone, where the output has no room for it."""
    marks = {style.shown(hit.section.document_path): style.mark(hit) for hit in results if hit.stale}
    changed, gone = (one_line(", ".join(path for path in marks if marks[path] == mark)) for mark in ("stale", "gone"))
    if changed:
        print_error("search", f"Changed since indexed, so lines may be others: {changed}")
    if gone:
        print_error("search", f"Gone since indexed; `index scan` takes them out of the index: {gone}")


def remember_results(client: SearchClient, results: Sequence[SearchResult], *, first: int = 1) -> None:
    """Remember hits for `search open`; the first one was shown with the number `first`."""
    from search.answers.formats import answering_line
    from search.answers.last_search import remember_hits

    hits = [(hit.section.id, answering_line(hit)[0] - hit.section.start_line) for hit in results]
    remember_hits(client.place, hits, first=first, environ=os.environ)


def with_included_lines(results: Sequence[SearchResult], place: Path) -> list[SearchResult]:
    """Return whole sections as a reader sees them, with the lines of files that they include."""
    from search.context.includes import Includes, with_includes

    return [with_includes(result, Includes(place)) for result in results]


def is_terminal() -> bool:
    """Whether a person types and reads here: both standard input and output are a terminal that can be drawn on."""
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def explain_no_results(client: SearchClient, request: SearchRequest, given: dict[str, Any]) -> None:
    """Print why nothing was found: the index is empty, or the filters or the offset left nothing."""
    first = replace(request, limit=1, offset=0)
    if not client.documents():
        print_error("search", EMPTY_INDEX)
    elif request.offset and client.search(first)[0]:
        print_error("search", past_the_end(request.offset))
    elif request.parsed.filters and client.search(request.without_filters())[0]:
        told = emptied_by(request.told_filters(given), client.documents(), client.tags())
        unknown = user_paths(client.place).roots.unknown(
            [name for each in request.parsed.filters.parts for name in each.root]
        )
        print_error("search", f"{told} {unknown}".rstrip())
    else:
        print_error("search", f"{NO_ANSWER} {NOTHING_FOUND}")


def style_of(place: Path) -> Style:
    from search.answers.render import Style

    shows_more = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    paths = user_paths(place)
    root = paths.roots.project if shows_more else None
    return Style(width=shutil.get_terminal_size().columns, colour=shows_more, root=root, paths=paths)


def user_paths(place: Path) -> UserPaths:
    """The paths of an index as the user types and reads them here."""
    from schema.index_files.manifest import read_manifest
    from schema.index_files.roots import roots_of
    from search.answers.paths import UserPaths

    metadata = read_manifest(manifest_path(store_dir(place)), ()).metadata
    roots = roots_of(place, metadata, is_own=is_own(place), is_trusted=is_trusted(os.environ))
    return UserPaths(roots, Path.cwd())
