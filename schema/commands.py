"""What the commands share: exit codes, errors as one sentence, where the index is."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from enum import IntEnum
from pathlib import Path

import click

from schema.errors import IndexStoreError, SectionaryError
from schema.index_files.layout import INDEX_FOLDER, find_index
from schema.logs import is_json, log_event
from schema.text.characters import one_line


class ExitCode(IntEnum):
    """What a command's exit status says."""

    OK = 0
    NO_HIT = 1
    USAGE = 2
    NO_INDEX = 3
    SOME_FAILED = 4
    INTERRUPTED = 130


class DefaultGroup(click.Group):
    """A command with others inside: `NAME ARGS…` runs the one called `default`, `NAME COMMAND …` one of the others."""

    default = ""
    #: What follows the name in the first line of the usage.
    default_usage = ""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or (args[0] not in self.commands and args[0] not in ("-h", "--help", "--version")):
            args = [self.default, *args]
        return super().parse_args(ctx, args)

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_usage(ctx.info_name or "", self.default_usage)
        formatter.write_usage(ctx.info_name or "", "COMMAND [OPTIONS] ...", prefix="       ")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        click.Command.format_options(self.commands[self.default], ctx, formatter)
        self.format_commands(ctx, formatter)


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
    """The index folder to use: the one given, the nearest above the working folder, or a new one in it.

    Raises:
        click.BadParameter: the path given is a file.
    """
    if given is not None:
        if given.exists() and not given.is_dir():
            raise click.BadParameter(f"{given} is a file; give the index folder.", param_hint="--index")
        return given.resolve() if given.is_symlink() else given  # a link that the user names is the user's own word
    here = Path.cwd()
    return find_index(here) or here / INDEX_FOLDER


@contextlib.contextmanager
def error_boundary(command: str) -> Iterator[None]:
    """Turn errors a user can cause into one sentence on stderr and an exit code; faults of the program stay faults."""
    try:
        yield
    except SectionaryError as error:
        print_error(command, str(error))
        raise SystemExit(ExitCode.NO_INDEX if isinstance(error, IndexStoreError) else ExitCode.USAGE) from error
    except click.UsageError as error:
        print_error(command, error.format_message())
        raise SystemExit(ExitCode.USAGE) from error
    except (KeyboardInterrupt, click.Abort) as error:
        print_error(command, "Interrupted; what was finished is kept, and the next run goes on from there.")
        raise SystemExit(ExitCode.INTERRUPTED) from error
    except BrokenPipeError as error:  # the reader of our output left, as `head` does
        _silence_stdout()
        raise SystemExit(ExitCode.OK) from error
    except OSError as error:  # a full disk behind the output, a working folder that is gone
        print_error(
            command,
            f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}; correct that and try again.",
        )
        _silence_stdout()
        raise SystemExit(ExitCode.USAGE) from error


def project_root(index_dir: Path) -> Path:
    """The folder that holds an index folder; a link to itself is told by who opens it."""
    return Path(os.path.realpath(Path(os.path.abspath(index_dir)).parent))


def is_asked() -> bool:
    """Whether a person can be asked a question: both its text and the answer go through a terminal."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def _silence_stdout() -> None:
    """Let what is still buffered go nowhere, or it would fail once more at exit."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def print_error(command: str, message: str) -> None:
    """One line on stderr, in the format of the logs."""
    if is_json():
        is_warning = message.startswith("warning: ")
        text = one_line(message.removeprefix("warning: "))
        log_event(__name__, "message", text, level="warning" if is_warning else "error", command=command)
    else:
        click.echo(f"{command}: {one_line(message)}", err=True)
