"""What is typed so far → what a shell may put there: documents and roots of the index; and the scripts that ask for it.

A completion must never keep a shell waiting or say anything: it reads the manifest or `roots.json` alone, gives at most 50
candidates, and none where something is wrong.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable
from pathlib import Path

import click

from schema.commands import locate_index, project_root
from schema.errors import SectionaryError
from schema.index_files.layout import is_own, manifest_path, store_dir
from schema.settings import is_trusted
from schema.text.characters import one_line

#: Most candidates of one completion.
MOST = 50
SHELLS = ("bash", "zsh", "fish")
#: The commands that the scripts complete.
COMMANDS = ("sectionary", "index", "search")
#: Where click's script for bash takes a candidate, and how ours does: a name with blanks or signs of the shell is quoted.
_UNQUOTED, _QUOTED = "COMPREPLY+=($value)", """COMPREPLY+=("$(printf '%%q' "$value")")"""
_READ, _READ_RAW = "IFS=',' read type", "IFS=',' read -r type"

Candidates = Callable[[click.Context, click.Parameter, str], list[str]]


def document_paths(context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return paths of documents that begin so: from the working folder, or else as they are in the index."""

    from schema.index_files.manifest import paths_beginning  # a search that a server answers needs none of it

    def find(index_dir: Path) -> Iterable[str]:
        base = os.path.relpath(Path.cwd(), project_root(index_dir))
        base = "" if base == "." or base.startswith("..") else f"{Path(base).as_posix()}/"
        manifest = manifest_path(store_dir(index_dir))
        typed = incomplete.removeprefix("./")
        lead = incomplete[: len(incomplete) - len(typed)]
        found = [f"{lead}{path[len(base) :]}" for path in paths_beginning(manifest, f"{base}{typed}", most=MOST)]
        return found or (paths_beginning(manifest, incomplete, most=MOST) if base else [])

    return _candidates(context, incomplete, find)


def root_names(context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return names of the index's roots that begin so."""

    from schema.index_files.roots import read_roots

    def find(index_dir: Path) -> Iterable[str]:
        roots = read_roots(index_dir, project_root(index_dir), is_own=is_own(index_dir))
        return (name for root in roots.roots if (name := roots.name_of(root)).startswith(incomplete))

    return _candidates(context, incomplete, find)


def _candidates(context: click.Context, incomplete: str, find: Callable[[Path], Iterable[str]]) -> list[str]:
    """Return what `find` gives for the index that the words so far mean, if it is one that may be read."""
    with contextlib.suppress(SectionaryError, click.UsageError, OSError, ValueError):
        given = context.params.get("index_dir")
        index_dir = locate_index(given)
        if given is None and not is_own(index_dir) and not is_trusted(os.environ):
            return []
        # a name with a line end or hidden characters could pass for another one
        fitting = sorted(text for text in find(index_dir) if text != incomplete and text == one_line(text))
        return fitting[:MOST]
    return []


@click.command("completion", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> None:
    """Print the script by which SHELL (bash, zsh or fish) completes `sectionary`, `index` and `search`.

    Load it with `eval "$(sectionary completion bash)"` in ~/.bashrc, the same with zsh in ~/.zshrc behind compinit, or
    `sectionary completion fish | source` in ~/.config/fish/config.fish.
    """
    click.echo("\n".join(completion_script(shell, command) for command in COMMANDS))


def completion_script(shell: str, command: str) -> str:
    """Return the script for one command: click's own, with names quoted in bash."""
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    if kind is None:
        raise ValueError(f"click knows no shell {shell}")
    script = kind(click.Command(command), {}, command, f"_{command.upper()}_COMPLETE")
    template = script.source_template.replace(_UNQUOTED, _QUOTED).replace(_READ, _READ_RAW)
    return template % script.source_vars()
