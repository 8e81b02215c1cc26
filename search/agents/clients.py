"""Clients of agents' tools: the file that each one reads its servers from, and the form of an entry."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from schema.errors import SectionaryError

#: The name of our entry.
NAME = "sectionary"


class AgentSetupError(SectionaryError):
    """A client cannot be set up; the message says what to do instead, and `pasted` is what the user can add by hand."""

    def __init__(self, message: str, *, pasted: str = "") -> None:
        super().__init__(message)
        self.pasted = pasted


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """Where a user's files are: the home folder, the environment, and the platform as `sys.platform` names it."""

    folder: Path
    environ: Mapping[str, str]
    platform: str = sys.platform

    def set_to(self, variable: str, default: Path) -> Path:
        """The folder that a variable names, if it is an absolute path."""
        given = self.environ.get(variable, "")
        return Path(given) if Path(given).is_absolute() else default


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentClient:
    """A client: `key` is its table of servers, `extra` a part of each entry, and `after` what the user does then.

    `project` and `user` are the paths of its files in a project and in the user's home, "" where it has none or where
    `_SPECIAL` says more.
    """

    name: str
    title: str
    key: str = "mcpServers"
    form: Literal["json", "toml"] = "json"
    project: str = ""
    user: str = ""
    extra: Mapping[str, str]
    after: str

    def file(self, *, is_user: bool, project: Path, home: Home) -> tuple[Path, Path]:
        """The file to write, and the folder that it must be in.

        Raises:
            AgentSetupError: the client has no such file, or there is none on this platform.
        """
        if is_user and not (self.user or self.name in _SPECIAL):
            raise AgentSetupError(f"The user's file of {self.title} is not ours to edit; leave out --user.")
        if self.project and not is_user:
            return project / self.project, project
        special = _SPECIAL.get(self.name)
        place = special(home) if special is not None else home.folder / self.user
        return place, home.folder if place.is_relative_to(home.folder) else place.parent

    def entry(self, command: list[str]) -> dict[str, Any]:
        """The entry that starts the server with a command."""
        return {**self.extra, "command": command[0], "args": command[1:]}


def _claude_desktop(home: Home) -> Path:
    name = "claude_desktop_config.json"
    if home.platform == "darwin":
        return home.folder / "Library" / "Application Support" / "Claude" / name
    if home.platform == "win32":
        return home.set_to("APPDATA", home.folder / "AppData" / "Roaming") / "Claude" / name
    if home.platform == "linux":  # where its framework, Electron, keeps a program's data
        return home.set_to("XDG_CONFIG_HOME", home.folder / ".config") / "Claude" / name
    raise AgentSetupError("Claude Desktop has a known file only on macOS, Windows and Linux; name yours with --file.")


def _zed(home: Home) -> Path:
    if home.platform == "win32":
        return home.set_to("APPDATA", home.folder / "AppData" / "Roaming") / "Zed" / "settings.json"
    default = home.folder / ".config"
    above = default if home.platform == "darwin" else home.set_to("XDG_CONFIG_HOME", default)
    return above / "zed" / "settings.json"


def _codex(home: Home) -> Path:
    return home.set_to("CODEX_HOME", home.folder / ".codex") / "config.toml"


#: Files whose place depends on the platform or the environment.
_SPECIAL = {"claude-desktop": _claude_desktop, "zed": _zed, "codex": _codex}

CLIENTS: tuple[AgentClient, ...] = (
    AgentClient(
        name="claude-code",
        title="Claude Code",
        project=".mcp.json",
        extra={"type": "stdio"},
        after="Start `claude` in the project; it asks before it uses the server.",
    ),
    AgentClient(
        name="claude-desktop",
        title="Claude Desktop",
        extra={},
        after="Quit Claude Desktop and start it again.",
    ),
    AgentClient(
        name="codex",
        title="Codex",
        key="mcp_servers",
        form="toml",
        project=".codex/config.toml",
        user=".codex/config.toml",
        extra={},
        after="Start Codex again; `/mcp` lists its servers. It reads a project's file only if you trust the project.",
    ),
    AgentClient(
        name="cursor",
        title="Cursor",
        project=".cursor/mcp.json",
        user=".cursor/mcp.json",
        extra={},
        after="Switch the server on in Cursor's settings, under MCP.",
    ),
    AgentClient(
        name="gemini",
        title="Gemini CLI",
        project=".gemini/settings.json",
        user=".gemini/settings.json",
        extra={},
        after="Start Gemini CLI again; `/mcp` lists its servers.",
    ),
    AgentClient(
        name="vscode",
        title="VS Code",
        key="servers",
        project=".vscode/mcp.json",
        extra={"type": "stdio"},
        after="VS Code asks before it starts the server; `MCP: List Servers` shows it.",
    ),
    AgentClient(
        name="windsurf",
        title="Windsurf",
        user=".codeium/windsurf/mcp_config.json",
        extra={},
        after="Refresh the servers in Windsurf's settings of Cascade.",
    ),
    AgentClient(
        name="zed",
        title="Zed",
        key="context_servers",
        extra={},
        after="Zed reads its settings at once; the server stands in the settings of its agent.",
    ),
)
BY_NAME = {client.name: client for client in CLIENTS}
