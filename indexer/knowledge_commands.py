"""The commands `index interview` and `index extract`: what people and documents know → new Markdown documents."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from indexer.consent import settings_of
from indexer.daemon.schedule import StopSignals
from indexer.options import SAYING, options
from indexer.progress import say_stopping, shown_progress
from indexer.report import tell_extraction
from schema.commands import Command, ExitCode, locate_index, project_root
from schema.text.characters import printable

if TYPE_CHECKING:
    from indexer.llm.source_files import FoundSources
    from schema.settings import Settings

#: The most tokens of a reply that is a whole document, if the setting is lower.
_REPLY_TOKENS = 2000
_OUT = click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Folder for the documents, as docs/knowledge.",
)


@click.command(cls=Command)
@_OUT
@options("index")
def interview(out: Path, index_dir: Path | None) -> None:
    """Be interviewed by the language model of the settings, and keep what you know as Markdown documents.

    Each finished entry becomes one new file in DIR, which the next index run takes in. No file is replaced without asking.
    """
    from indexer.llm.client import OpenAIChatClient
    from indexer.llm.interview import Interview
    from indexer.llm.turns import PromptFlow

    settings = settings_of(project_root(locate_index(index_dir)))
    flow = PromptFlow(OpenAIChatClient.of(settings), max_tokens=max(settings.llm_max_tokens, _REPLY_TOKENS))
    Interview(
        flow,
        out=out,
        read=_read_line,
        say=lambda text: click.echo(printable(text)),
        confirm=_confirm,
    ).run()


def _confirm(question: str, default: bool) -> bool:
    """Return the user's answer; `default` at the end of input."""
    try:
        return click.confirm(printable(question), default=default)
    except click.Abort:
        click.echo()
        return default


def _read_line() -> str | None:
    """Return the user's next line; None at the end of input."""
    try:
        return str(click.prompt("you", prompt_suffix="> ", default="", show_default=False))
    except click.Abort:
        click.echo()
        return None


def _language(_context: click.Context, _parameter: click.Parameter, code: str | None) -> str:
    """Return the language of a code such as ja-JP; "" for none."""
    from indexer.llm.prompts import LANGUAGES

    plain = (code or "").replace("_", "-").partition("-")[0].strip().lower()
    if code is not None and plain not in LANGUAGES:
        raise click.BadParameter(f"give one of {', '.join(LANGUAGES)}.")
    return plain


@click.command(cls=Command, options_metavar="[OPTIONS]")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path, allow_dash=True))
@_OUT
@click.option("--report", "with_report", is_flag=True, help="Also write a report about each file.")
@click.option(
    "--language", callback=_language, metavar="CODE", help="Write in this language, as ja; else in that of the file."
)
@click.option("--replace", is_flag=True, help="Replace documents of files that changed since, unless they were edited.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Ask for at most this many documents.")
@click.option("--name", metavar="NAME", help="Name of what comes on standard input (FILE is -), as meeting.txt.")
@click.option("--dry-run", is_flag=True, help="Say what would be asked and written; send and write nothing.")
@options("index", *SAYING)
def extract(
    files: tuple[Path, ...],
    out: Path,
    with_report: bool,
    language: str,
    replace: bool,
    limit: int | None,
    name: str | None,
    dry_run: bool,
    index_dir: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Write what each FILE says as entries of a knowledge base, by the language model of the settings.

    FILE is a Markdown, text, PDF or Word file, a folder of such files, or - for standard input. Each becomes a new document
    in DIR that names its source, which the next index run takes in; a long one becomes several. Files that have their
    documents are not asked about again, so a run goes on where the last one ended. No document is replaced without
    --replace.

    Exit status: 0 done, 2 wrong use, 4 some files failed, 130 interrupted.
    """
    from indexer.llm.client import OpenAIChatClient
    from indexer.llm.extraction import Extraction
    from indexer.tokens import TokenCounter

    root = project_root(locate_index(index_dir))
    settings = settings_of(root)
    client = None if dry_run else OpenAIChatClient.of(settings)
    found = _sources(files, name, root=root, out=out, settings=settings)
    extraction = Extraction(
        out,
        model=settings.llm_model,
        reports=with_report,
        language=language,
        part_tokens=settings.llm_document_tokens,
        max_tokens=max(settings.llm_max_tokens, _REPLY_TOKENS),
        may_replace=replace,
        concurrency=settings.llm_concurrency,
        counter=TokenCounter(settings.token_encoding),
    )
    if client is None:
        report = extraction.plan(found.sources, limit=limit)
    else:
        with StopSignals(say_stopping) as stop, shown_progress(quiet=quiet) as progress:
            report = extraction.run(found.sources, client, limit=limit, should_stop=stop.is_set, progress=progress)
    report.failed[:0] = found.failed
    report.warnings[:0] = found.warnings
    if not found.sources and not found.failed:
        report.warnings.append(f"There is no file to read in {', '.join(map(str, files))}.")
    tell_extraction(report, is_plan=dry_run, as_json=as_json, quiet=quiet)
    if report.stopped:
        raise KeyboardInterrupt
    if report.failed:
        raise SystemExit(ExitCode.SOME_FAILED)


def _sources(files: tuple[Path, ...], name: str | None, *, root: Path, out: Path, settings: Settings) -> FoundSources:
    """Return the sources that the arguments name, standard input first."""
    from indexer.llm.source_files import find_sources, standard_input

    paths = [path for path in files if str(path) != "-"]
    has_input = len(paths) < len(files)
    if has_input != (name is not None):
        raise click.UsageError(
            "Give standard input a name, as in `index extract - --name meeting.txt`."
            if has_input
            else "--name is that of standard input; give - as FILE too, or leave it out."
        )
    s = settings
    found = find_sources(paths, root=root, out=out, exclude=s.exclude, hidden=s.hidden, gitignore=s.gitignore)
    if name is not None:
        found.sources.insert(0, standard_input(name, sys.stdin.buffer))
    return found
