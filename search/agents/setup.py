"""A client and an index → the change of the client's file, and of the skill's."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

from schema.remote.folders import remote_of, shown_place
from schema.text.characters import printable
from search.agents.clients import NAME, AgentClient, AgentSetupError, Home
from search.agents.edits import EditError, has_server, lines_of_server, snippet, with_server
from search.agents.files import FileChange, read_text

#: Where Claude Code reads a project's skills.
_SKILL = Path(".claude", "skills", NAME, "SKILL.md")
#: Folders of uv's cache with environments in them.
_UV_CACHE = re.compile(r"(?:archive|environments)-v[0-9]+")
#: Names of folders for caches, in which pipx has its own.
_CACHES = (".cache", "cache", "caches")


def server_command(index_dir: Path, *, python: str = sys.executable) -> list[str]:
    """The command that answers agents about an index, with absolute paths: clients start it in other folders.

    It is a script beside the interpreter `python`, so that it needs no PATH: `sectionary`, the name of no other program, or
    `search`; without them, as after an installation for the user alone, the interpreter itself.
    """
    beside = str(Path(python).parent)
    program = next(filter(None, (shutil.which(name, path=beside) for name in ("sectionary", "search"))), None)
    start = [program] if program else [python, "-P", "-m", "search"]
    return [*start, "mcp", "--index", os.path.abspath(index_dir) if remote_of(index_dir) is None else shown_place(index_dir)]


def is_short_lived(environment: Path) -> bool:
    """Whether an environment is one that uvx or `pipx run` made in its cache, which is emptied now and then.

    >>> is_short_lived(Path("/home/me/.cache/uv/archive-v0/kMj5F2ChP32ac"))
    True
    """
    above = environment.parent
    of_pipx = above.parent if above.name == "pipx" else above
    return _UV_CACHE.fullmatch(above.name) is not None or of_pipx.name.lower() in _CACHES


def pasted(client: AgentClient, command: list[str]) -> str:
    """The text of a client's file that holds nothing but the server."""
    return snippet(client.form, client.key, NAME, client.entry(command)).rstrip("\n")


def server_change(client: AgentClient, command: list[str], path: Path, folder: Path, *, is_own: bool) -> FileChange:
    """The change of a client's file at `path`, which must be in `folder`; its diff shows the whole entry.

    Further fields of our entry, such as an environment, are kept only if the file is the user's own: a project's may come
    from somebody else.

    Raises:
        AgentSetupError: the file cannot be read or edited.
    """
    place, before = read_text(path, folder)
    try:
        text = with_server((before or b"").decode(), client.form, client.key, NAME, client.entry(command), keeps=is_own)
        lines = lines_of_server(text, client.form, client.key, NAME)
    except EditError as error:
        raise AgentSetupError(
            f"{printable(str(path))} is not edited, since {error}; add what is shown above to it yourself.",
            pasted=pasted(client, command),
        ) from error
    return FileChange(path=path, folder=folder, place=place, before=before, text=text, context=max(2, lines))


def is_set_up(client: AgentClient, project: Path, home: Home, *, is_user: bool) -> bool:
    """Whether a client's file has our server; a file that cannot be read has not."""
    try:
        path, folder = client.file(is_user=is_user, project=project, home=home)
        _, before = read_text(path, folder)
        return has_server((before or b"").decode(), client.form, client.key, NAME)
    except (AgentSetupError, EditError, OSError):
        return False


def skill_change(project: Path) -> FileChange:
    """The change that puts the skill into a project."""
    path = project / _SKILL
    place, before = read_text(path, project)
    return FileChange(path=path, folder=project, place=place, before=before, text=skill_text())


def skill_text() -> str:
    """The skill: what an agent that can run commands should know. In a wheel it is beside this module."""
    beside = Path(__file__).with_name("SKILL.md")
    source = beside if beside.is_file() else Path(__file__).parents[2] / "skills" / NAME / "SKILL.md"
    return source.read_text(encoding="utf-8")
