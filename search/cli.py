"""The command `search`: argv and the environment → the best sections, as text or JSON, and what else an index can tell."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from schema.commands import Command, DefaultGroup, ExitCode, as_called, error_boundary, print_error
from schema.requests import EVERYTHING, FILTERS, NAMES, OF_A_CONTEXT
from schema.text.characters import one_line, printable, to_json
from search.agents.commands import agents_command
from search.context.advice import FILE_CHANGED, FILE_GONE, MORE_DOCUMENTS, NO_ANSWER, reading_told
from search.exploring_commands import changes_command, similar_command
from search.open_command import open_command, search_as_typed
from search.options import options
from search.serving_commands import mcp_command, serve_command
from search.terminal import (
    client_of,
    explain_no_results,
    find_reference,
    find_section_id,
    is_terminal,
    place_of,
    print_json,
    print_results,
    read_request,
    refuse_signs,
    require_name,
    style_of,
    user_paths,
    with_included_lines,
)

if TYPE_CHECKING:
    from search.engine import SearchEngine

_DEFAULT = "query"


class _Commands(DefaultGroup):
    """`search QUERY…` runs the command `query`; a query that is the name of another one follows `--`."""

    default = _DEFAULT
    default_usage = "[OPTIONS] QUERY..."


#: How hits can be printed.
FORMATS = ("text", "json", "jsonl", "grep", "markdown", "files")
_INDEX = ("index", "model")
#: Most characters of a word that a message repeats.
_SHOWN = 100
#: What click reads as several short options, or as one with its value.
_SHORT_OPTIONS = re.compile(r"-[^-].")
#: A word that begins with a dash and others, but for an option with its value.
_DASHED_WORDS = re.compile(r"--?[^\s=]+\s+\S")


class _Question(Command):
    """A command whose words may look like options."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        given = args[: args.index("--")] if "--" in args else list(args)
        asked = self._in_quotes(given)
        if asked:  # as "--max-time is ignored": no option has a blank in its name
            behind = [*asked, *args[len(given) + 1 :]]
            return self.parse_args(ctx, [*(each for each in given if each not in asked), "--", *behind])
        name = "search" if self.hidden else f"search {self.name}"
        try:
            return super().parse_args(ctx, args)
        except (click.NoSuchOption, click.BadParameter) as error:
            word = self._left_out(given, error)
            if word:
                told = (
                    f"{word} is no option; a word to leave out, or any other that begins with a dash, stands behind --, as "
                    f'in `{name} crank -- {word}`, or in quotes with the others, as in `{name} "crank {word}"`.'
                )
            elif isinstance(error, click.NoSuchOption):
                told = (
                    f"{error.format_message()} Words that begin with a dash stand in quotes with the others, or after all "
                    f"options and --, as in `{name} -- {error.option_name}`."
                )
            else:
                raise
            raise click.UsageError(told, ctx) from error

    def _in_quotes(self, args: Sequence[str]) -> list[str]:
        """Return the arguments of several words of which the first begins with a dash, without values of options."""
        takes_value = {
            name for each in self.params if isinstance(each, click.Option) and not each.is_flag for name in each.opts
        }
        pairs = zip(["", *args], args, strict=False)
        return [each for before, each in pairs if _DASHED_WORDS.match(each) and before not in takes_value]

    def _left_out(self, args: Sequence[str], error: click.NoSuchOption | click.BadParameter) -> str:
        """Return the argument of several letters that was read as short options in vain, as -linux; "" for none."""
        options = [each for each in self.params if isinstance(each, click.Option)]
        short = {name[1]: each for each in options for name in each.opts if len(name) == 2}
        flags = {"h", *(sign for sign, option in short.items() if option.is_flag)}
        for each in filter(_SHORT_OPTIONS.match, args):
            sign = next((sign for sign in each[1:] if sign not in flags), "")
            if isinstance(error, click.NoSuchOption):
                is_meant = error.option_name == f"-{sign}"
            else:  # -nobody was read as -n with the value "obody"
                is_meant = (
                    error.param is not None and error.param is short.get(sign) and each.partition(sign)[2][:1].isalpha()
                )
            if is_meant:
                return one_line(each[:_SHOWN])
        return ""


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="sectionary", prog_name="search")
def command() -> None:
    """Find the sections that answer QUERY, best first. Words in "quotes" must stand so.

    Filters may stand in QUERY: path:guide/ tag:api title:install lang:ja since:7d root:notes depth:2 -path:old/ -tag:draft,
    and at its end -word.

    Exit status: 0 also when no section answers (but see --exit-status), 2 wrong use, 3 no index or one that does not fit.
    """


@command.command(_DEFAULT, cls=_Question, hidden=True)
@click.argument("query", nargs=-1)
@options(*NAMES, "reranker", *_INDEX, "no_server")
@click.option("--full", is_flag=True, help="Print whole sections.")
@click.option("--explain", is_flag=True, help="Say what each step gave to each score.")
@click.option("--ids", is_flag=True, help="Show the id of each section.")
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="text",
    show_default=True,
    help="How to print: grep is path:line:text, for an editor's list of places.",
)
@click.option(
    "--files", "form", flag_value="files", help="Print only paths of documents, the best first; --limit counts them."
)
@click.option("--json", "form", flag_value="json", help="Print one JSON object.")
@click.option("--jsonl", "form", flag_value="jsonl", help="Print one JSON object for each section.")
@click.option("--exit-status", is_flag=True, help="Exit with 1 if no section answers.")
@click.option("--quiet", "-q", is_flag=True, help="Nothing but results.")
def query_command(
    query: tuple[str, ...],
    full: bool,
    explain: bool,
    ids: bool,
    form: str,
    exit_status: bool,
    quiet: bool,
    **given: Any,
) -> None:
    """Find the sections that answer QUERY."""
    client = client_of(given)
    if not query and (form != "text" or not is_terminal()):
        query = (EVERYTHING,) if any(given.get(name) for name in FILTERS) and not given["literal"] else ()
    if not query:
        if form != "text" or not is_terminal():
            raise click.MissingParameter(param_hint="'QUERY...'", param_type="argument", ctx=click.get_current_context())
        search_as_typed(client, given)
        return
    request = read_request(query, given, client)
    results: Sequence[Any]
    if form in ("json", "jsonl"):
        found = client.search_json(request) | ({"query": ""} if request.query == EVERYTHING else {})
        results, answered, told = found["results"], found["answered"], found.get("advice", "")
        refuse_signs(client, request, results)
        if form == "json":
            print_json(found)
        for result in results if form == "jsonl" else ():
            click.echo(to_json(result))
        if form == "jsonl" and results and not answered and not quiet:
            print_error("search", NO_ANSWER)
    else:
        hits, has_more = client.search_documents(request) if form == "files" else (client.search(request), False)
        results, answered, not_found, respelt = hits
        told = reading_told(request.parsed, not_found, respelt)
        refuse_signs(client, request, results)
        if results:
            print_results(
                client,
                request,
                results,
                form,
                is_told=not answered and not quiet,
                quiet=quiet,
                full=full,
                explain=explain,
                ids=ids,
            )
            if has_more and not request.parsed.words and not quiet:  # a ranking has always more
                print_error("search", MORE_DOCUMENTS)
        elif not quiet:
            explain_no_results(client, request, given)
    if told and form != "json" and not quiet:
        print_error("search", told)
    client.keep_warm()
    if exit_status and not (answered and results):
        raise SystemExit(ExitCode.NO_HIT)


@command.command("context", cls=_Question)
@options("query")
@click.option("--max-tokens", default=2000, show_default=True, type=click.IntRange(1, 1_000_000), help="The budget.")
@options(*OF_A_CONTEXT, "reranker", *_INDEX, "no_server", "json")
def context_command(query: tuple[str, ...], max_tokens: int, as_json: bool, **given: Any) -> None:
    """Pack the best passages for QUERY into a token budget, with citations: what to give to a model."""
    client = client_of(given)
    request = read_request(query, given, client)
    pack = client.context_json(request, max_tokens=max_tokens)
    refuse_signs(client, request, pack["text"] or pack["left_out"])
    if as_json:
        print_json(pack)
    elif pack["text"]:
        click.echo(printable(pack["text"]))
    elif not pack["left_out"]:
        explain_no_results(client, request, given)
    if not as_json and "advice" in pack:
        print_error("search", pack["advice"])
    client.keep_warm()


@command.command("eval")
@click.argument("questions", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@options("mode", "reranker", *_INDEX, "json")
@click.option("--under", default="", metavar="FOLDER", help="What the paths in the file are relative to, in the index.")
@click.option("--worst", default=0, type=click.IntRange(0, 10_000), help="Also print this many questions that went worst.")
@click.option(
    "--min", "least", multiple=True, metavar="[MEASURE=]VALUE", help="Exit with 1 below it: 0.6 (nDCG@10), s@1=0.8."
)
def eval_command(
    questions: Path, mode: Any, as_json: bool, under: str, worst: int, least: tuple[str, ...], **given: Any
) -> None:
    """Measure how well the questions of a JSON Lines file are answered.

    Each line: {"query": "…", "gold": "…"}, where gold is a section's id, path#anchor or path, or a list of these.
    """
    from search.answers.render import render_evaluation
    from search.answers.wire import evaluation_to_json
    from search.evaluation import evaluate, read_minimums, read_questions, unmet_minimums

    minimums = read_minimums(least)
    asked = read_questions(questions, under=under)
    found = evaluate(_engine(given), asked, mode=mode)
    for gold in found.unknown:
        print_error("search", f"There is no {gold} in the index; it counts as not found.")
    click.echo(to_json(evaluation_to_json(found), indent=2) if as_json else render_evaluation(found, worst=worst))
    unmet = unmet_minimums(found, minimums)
    for sentence in unmet:
        print_error("search", sentence)
    if unmet:
        raise SystemExit(ExitCode.NO_HIT)


@command.command("outline")
@options("document", *_INDEX, "no_server", "json")
def outline_command(document: str, as_json: bool, **given: Any) -> None:
    """Print the sections of a document, by its path as a search shows it."""
    from search.answers.paths import places

    require_name(document)
    client = client_of(given)
    paths = user_paths(client.place)
    meant = [path for name in (document, *(place[0] for place in places(document))) for path in paths.documents(name)]
    path = client.meant(meant or [document])[0]
    if as_json:
        print_json(client.outline_json(path))
    else:
        from search.answers.render import render_outline, render_translations

        links, translations, is_stale = client.outline(path)
        style = style_of(client.place)
        click.echo(render_outline(links, style) + render_translations(translations, style))
        if is_stale:
            is_gone = user_paths(client.place).is_gone(links[0].document_path)
            click.echo(as_called(f"[gone] {FILE_GONE}") if is_gone else f"[stale] {FILE_CHANGED}", err=True)


@command.command("section")
@options("section", *_INDEX, "no_server", "json")
def section_command(section: str, as_json: bool, **given: Any) -> None:
    """Print one section; SECTION is a hit's number, an id or the first 6 or more digits of it, FILE:LINE or FILE#ANCHOR."""
    client = client_of(given)
    section_id = find_section_id(client, section)
    if as_json:
        print_json(client.section_json(section_id))
    else:
        from search.answers.render import render_results

        shown = with_included_lines([client.section(section_id)], client.place)
        click.echo(render_results(shown, style_of(client.place), full=True))


@command.command("links")
@options("section", *_INDEX, "no_server", "json")
def links_command(section: str, as_json: bool, **given: Any) -> None:
    """Print where a section links to, and what links to it; SECTION is FILE#anchor, an id, a hit's number, or FILE."""
    client = client_of(given)
    found = client.links_json(find_reference(client, section))
    if as_json:
        print_json(found)
    else:
        from search.answers.links_wire import render_links

        click.echo(render_links(found))


def _engine(given: dict[str, Any]) -> SearchEngine:
    from search.engine import SearchEngine

    place, settings = place_of(given)
    return SearchEngine(place, settings=settings)


for _command in (similar_command, changes_command, serve_command, mcp_command, agents_command, open_command):
    command.add_command(_command)


def main() -> None:
    """Run the command with the process's arguments."""
    with error_boundary("search"):
        command.main(prog_name="search", standalone_mode=False)
