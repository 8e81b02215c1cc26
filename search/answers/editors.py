"""A file and a line → the program and arguments that open it there; nothing goes through a shell."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from schema.errors import QueryError
from schema.text.characters import one_line

#: Editors by how they take a line, by the names of their programs.
_PLUS = frozenset("vi vim nvim gvim mvim view nano pico emacs emacsclient kak joe jed ne mg micro mcedit gedit kate".split())
_GOTO = frozenset({"code", "code-insiders", "codium", "vscodium", "cursor", "windsurf"})
_COLON = frozenset({"subl", "sublime_text", "hx", "helix", "zed", "zeditor"})
_LINE = frozenset({"idea", "idea64", "pycharm", "pycharm64", "webstorm", "goland", "clion", "rubymine", "phpstorm", "rider"})
#: What is looked for where the user names no editor, in this order: those that run in a terminal, and the others.
_IN_TERMINAL, _IN_WINDOW = ("nano", "vim", "vi"), ("notepad",)
#: What the interpreter of batch files on Windows reads as more than a character, even in quotes.
_BATCH = frozenset('&|<>^%!"')
_VSCODE = ("code", "codium", "cursor", "code-insiders", "windsurf")


def editor_command(path: Path, line: int, environ: Mapping[str, str], *, has_terminal: bool = True) -> list[str]:
    """Return the command of the user's editor ($VISUAL, else $EDITOR) for a file at a line, 1-based.

    Raises:
        QueryError: the name of the editor cannot be read, or the user names none and there is no terminal to start one in.
    """
    named = environ.get("VISUAL", "").strip() or environ.get("EDITOR", "").strip()
    usual = (*_IN_TERMINAL, *_IN_WINDOW) if has_terminal else _IN_WINDOW
    named = named or next(filter(shutil.which, usual), "vi" if has_terminal else "")
    if not named:
        raise QueryError("There is no terminal to start an editor in; set EDITOR, or give --print or --with.")
    try:
        program = shlex.split(named, posix=os.name == "posix")
    except ValueError as error:
        raise QueryError(f"VISUAL or EDITOR cannot be read ({error}): {named[:100]}.") from error
    if not program or not program[0]:
        raise QueryError("VISUAL or EDITOR names no program; set EDITOR to the name of an editor.")
    return _startable([*program, *_place(program[0], path, line)])


def vscode_command(path: Path, line: int) -> list[str]:
    """Return the command of Visual Studio Code, or of an editor made of it, for a file at a line.

    Raises:
        QueryError: there is none.
    """
    program = next(filter(shutil.which, _VSCODE), None)
    if program is None:
        raise QueryError(f"None of {', '.join(_VSCODE)} is installed; give --with editor.")
    return _startable([program, *_place(program, path, line)])


def _startable(command: list[str]) -> list[str]:
    return windows_command(command) if os.name == "nt" else command


def windows_command(command: list[str], which: Callable[[str], str | None] = shutil.which) -> list[str]:
    """Return a command as Windows starts it: with the path of its program, which need not end in .exe.

    Raises:
        QueryError: the program is a batch file, and an argument has what its interpreter takes for its own.
    """
    program = which(command[0]) or command[0]
    if program.casefold().endswith((".cmd", ".bat")) and (odd := sorted(_BATCH.intersection("".join(command[1:])))):
        raise QueryError(
            f"{one_line(command[-1])[:500]} has {' '.join(odd)} in it, which {one_line(program)} cannot be given safely; "
            "set EDITOR to a program that ends in .exe, or rename the file."
        )
    return [program, *command[1:]]


def _place(program: str, path: Path, line: int) -> list[str]:
    """The arguments for a file at a line; the path is absolute, so that no editor takes it for an option."""
    name = Path(program).name.casefold().removesuffix(".exe").removesuffix(".cmd")
    if name in _PLUS:
        return [f"+{line}", str(path)]
    if name in _GOTO:
        return ["--goto", f"{path}:{line}"]
    if name in _COLON:
        return [f"{path}:{line}"]
    if name in _LINE:
        return ["--line", str(line), str(path)]
    return [str(path)]
