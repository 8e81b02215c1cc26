"""What the commands share: exit codes, errors as one sentence, where the index is."""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from schema.errors import IndexStoreError, IndexUntrustedError, SectionaryError
from schema.index_files.layout import INDEX_FOLDER, find_index, has_store, is_own
from schema.logs import is_json, log_event
from schema.remote.folders import folder_of, project_of
from schema.settings import is_trusted
from schema.text.characters import one_line

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

#: What the user called, as `sectionary status`, where the command that runs does not know it; "" where it does.
CALLED: ContextVar[str] = ContextVar("CALLED", default="")
#: Where a message names one of the two commands.
_NAMED = re.compile("`(?=(?:index|search)[ `])")


class ExitCode(IntEnum):
    """What a command's exit status says."""

    OK = 0
    NO_HIT = 1
    USAGE = 2
    NO_INDEX = 3
    SOME_FAILED = 4
    INTERRUPTED = 130


class _Formatter(click.HelpFormatter):
    """Writes help with the commands in it as the user calls them."""

    def write_text(self, text: str) -> None:
        super().write_text(as_called(text))

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        super().write_dl([(term, as_called(text)) for term, text in rows], col_max, col_spacing)


class _Context(click.Context):
    formatter_class = _Formatter


class Command(click.Command):
    """A command whose help names commands as the user calls them."""

    context_class = _Context

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[Any]]:
        """Return what a shell may put in place of a word, with help as `--help` prints it."""
        return _as_called(super().shell_complete(ctx, incomplete))


class Group(click.Group):
    """A command with others inside, all of them as `Command`."""

    context_class = _Context
    command_class = Command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[Any]]:
        """Return what a shell may put in place of a word, with help as `--help` prints it."""
        return _as_called(super().shell_complete(ctx, incomplete))


class DefaultGroup(Group):
    """A command with others inside: `NAME ARGS…` runs the one called `default`, `NAME COMMAND …` one of the others."""

    default = ""
    #: What follows the name in the first line of the usage.
    default_usage = ""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        is_completed = ctx.resilient_parsing and not args  # then the name of a command may follow
        if not is_completed and (not args or args[0] not in (*self.commands, "-h", "--help", "--version")):
            args = [self.default, *args]
        return super().parse_args(ctx, args)

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_usage(ctx.command_path, self.default_usage)
        formatter.write_usage(ctx.command_path, "COMMAND [OPTIONS] ...", prefix="       ")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        click.Command.format_options(self.commands[self.default], ctx, formatter)
        self.format_commands(ctx, formatter)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[Any]]:
        """Return what a shell may put in place of the first word: a command, or what the default command takes there."""
        context = self.commands[self.default].make_context(self.default, [], parent=ctx, resilient_parsing=True)
        if incomplete.startswith("-"):
            own = context.command.shell_complete(context, incomplete)
        else:
            arguments = (each for each in context.command.params if isinstance(each, click.Argument))
            own = [item for each in arguments for item in each.shell_complete(context, incomplete)]
        # files first, since in click's script for bash what stands before them is lost
        found = [*own, *super().shell_complete(ctx, incomplete)]
        return list({(item.type, item.value): item for item in found}.values())


def options_from(
    shared: Mapping[str, Callable[[Callable[..., None]], Callable[..., None]]], *names: str
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A decorator that adds the options of these names, in this order."""

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        for name in reversed(names):
            function = shared[name](function)
        return function

    return decorate


def locate_index(given: Path | None) -> Path:
    """The index folder to use: the one given, that of an address, the nearest above the working folder, or a new one in it.

    Raises:
        click.BadParameter: the path given is a file.
        ArgumentError: the address given cannot hold an index.
    """
    if given is not None:
        place = folder_of(given)
        if place is not None:
            return place
        if given.exists() and not given.is_dir():
            raise click.BadParameter(f"{given} is a file; give the index folder.", param_hint="--index")
        return given.resolve() if given.is_symlink() else given  # a link that the user names is the user's own word
    here = Path.cwd()
    return find_index(here) or here / INDEX_FOLDER


def index_to_search(given: Path | None) -> Path:
    """The index folder to search: as `locate_index`; one that was only found must be this user's.

    Raises:
        click.BadParameter: the path given is a file.
        IndexUntrustedError: somebody else made the index that was found.
    """
    place = locate_index(given)
    if given is None and has_store(place) and not is_own(place) and not is_trusted(os.environ):
        raise IndexUntrustedError(
            f"The index in {place} was not made by you on this machine; allow it with `index trust` if you know who made "
            "it, make it again with `index FOLDER --rebuild`, or name it with --index.",
            index_dir=place,
        )
    return place


@contextlib.contextmanager
def error_boundary(command: str) -> Iterator[None]:
    """Turn errors a user can cause into one sentence on stderr and an exit code; faults of the program stay faults."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:  # it was closed by who started the command, as some daemons do
            setattr(sys, name, Path(os.devnull).open("r" if name == "stdin" else "w", encoding="utf-8"))  # noqa: SIM115
    _write_any_text()
    try:
        yield
    except SectionaryError as error:
        print_error(command, str(error))
        raise SystemExit(ExitCode.NO_INDEX if isinstance(error, IndexStoreError) else ExitCode.USAGE) from error
    except click.UsageError as error:
        message = error.format_message().replace("\n\t", " ")  # between the choices that there are
        print_error(command, message.replace("is not a valid integer range", "is no whole number"))
        raise SystemExit(ExitCode.USAGE) from error
    except (KeyboardInterrupt, click.Abort) as error:
        kept = "" if command == "search" else "; what was finished is kept, and the next run goes on from there"
        print_error(command, f"Interrupted{kept}.")
        raise SystemExit(ExitCode.INTERRUPTED) from error
    except BrokenPipeError as error:  # the reader of our output left, as `head` does
        _silence_stdout()
        raise SystemExit(ExitCode.OK) from error
    except OSError as error:  # a full disk behind the output, a working folder that is gone
        if isinstance(error, FileNotFoundError) and _has_no_working_folder():
            print_error(command, "The working folder is gone; change to another folder and try again.")
        else:
            about = f": {error.filename}" if error.filename else ""
            print_error(command, f"{error.strerror or error}{about}; correct that and try again.")
        _silence_stdout()
        raise SystemExit(ExitCode.USAGE) from error


def _has_no_working_folder() -> bool:
    try:
        Path.cwd()
    except FileNotFoundError:
        return True
    return False


def _write_any_text() -> None:
    """Let stdout take every text: UTF-8 for a file or a program, and on a terminal the characters that it has."""
    stdout = sys.stdout
    if isinstance(stdout, io.TextIOWrapper) and codecs.lookup(stdout.encoding).name != "utf-8":
        if stdout.isatty():
            stdout.reconfigure(errors="backslashreplace")
        else:
            stdout.reconfigure(encoding="utf-8")


def project_root(index_dir: Path) -> Path:
    """The folder of the project of an index; a link to itself is told by who opens it."""
    return project_of(index_dir)


def is_asked() -> bool:
    """Whether a person can be asked a question: both its text and the answer go through a terminal."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def called(command: str) -> str:
    """Return the name that the user called, as `sectionary status`, for what runs under the name of a command."""
    return CALLED.get() or command


def as_called(message: str) -> str:
    """Return a message with its commands `index …` and `search …` under the one name, if the user called that."""
    return _NAMED.sub("`sectionary ", message) if CALLED.get() else message


def _as_called(found: list[CompletionItem[Any]]) -> list[CompletionItem[Any]]:
    for item in found:
        item.help = as_called(item.help) if item.help else item.help
    return found


def _silence_stdout() -> None:
    """Let what is still buffered go nowhere, or it would fail once more at exit."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def print_error(command: str, message: str) -> None:
    """One line on stderr, in the format of the logs, under the name that the user called; so are commands in it."""
    message = as_called(message)
    if is_json():
        is_warning = message.startswith("warning: ")
        text = one_line(message.removeprefix("warning: "))
        log_event(__name__, "message", text, level="warning" if is_warning else "error", command=called(command))
    else:
        click.echo(f"{called(command)}: {one_line(message)}", err=True)
