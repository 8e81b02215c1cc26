"""`search agents`: what is written where, what is asked before, and what is never written."""

import json
import os
import re
import stat
import sys
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

import search.agents.commands
from schema.commands import error_boundary
from search.agents.clients import BY_NAME, CLIENTS, AgentSetupError, Home
from search.agents.files import MAX_BYTES
from search.agents.setup import is_short_lived, server_command, skill_text
from search.cli import command

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A home with a project in it, which is the working folder; commands run in process."""
    project = tmp_path / "home" / "project"
    (project / ".sectionary").mkdir(parents=True)
    monkeypatch.chdir(project)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    for name in ("SECTIONARY_INDEX", "CODEX_HOME", "XDG_CONFIG_HOME", "APPDATA"):
        monkeypatch.delenv(name, raising=False)
    return project


def run(*arguments, answer=""):
    """The exit code, what was printed, and what was said on stderr."""

    def main():
        with error_boundary("search"):
            command.main(["agents", *arguments], prog_name="search", standalone_mode=False)

    import click

    @click.command()
    def outer():
        main()

    done = CliRunner().invoke(outer, [], input=answer)
    return done.exit_code, done.stdout, done.stderr


def entry_of(place):
    code, shown, _ = run("show", "cursor")
    assert code == 0
    return json.loads(shown.partition("\n\n")[2])["mcpServers"]["sectionary"]


FILES = {
    "claude-code": "project/.mcp.json",
    "cursor": "project/.cursor/mcp.json",
    "gemini": "project/.gemini/settings.json",
    "vscode": "project/.vscode/mcp.json",
    "windsurf": ".codeium/windsurf/mcp_config.json",
    "zed": ".config/zed/settings.json",
    "codex": "project/.codex/config.toml",
}


@pytest.mark.parametrize("client", FILES)
def test_file_of_a_client_starts_the_server_on_this_index(place, client):
    code, told, _ = run("install", client, "--yes")
    file = place.parent / FILES[client]
    text = file.read_text()
    whole = tomllib.loads(text) if file.suffix == ".toml" else json.loads(text)
    entry = whole[BY_NAME[client].key]["sectionary"]
    started = [entry["command"], *entry["args"]]
    assert (code, f"Wrote {file}." in told) == (0, True)
    assert Path(started[0]).is_absolute()
    assert started[-3:] == ["mcp", "--index", str(place / ".sectionary")]
    assert entry.get("type") == BY_NAME[client].extra.get("type")


def test_every_client_is_tested_or_is_not_on_this_platform():
    assert {*FILES, "claude-desktop"} == set(BY_NAME)


@pytest.mark.parametrize(
    ("client", "platform", "environ", "path"),
    [
        ("claude-desktop", "darwin", {}, "h/Library/Application Support/Claude/claude_desktop_config.json"),
        ("claude-desktop", "win32", {"APPDATA": "/roaming"}, "/roaming/Claude/claude_desktop_config.json"),
        ("claude-desktop", "linux", {}, "h/.config/Claude/claude_desktop_config.json"),
        ("claude-desktop", "linux", {"XDG_CONFIG_HOME": "/config"}, "/config/Claude/claude_desktop_config.json"),
        ("zed", "linux", {"XDG_CONFIG_HOME": "/config"}, "/config/zed/settings.json"),
        ("zed", "linux", {"XDG_CONFIG_HOME": "config"}, "h/.config/zed/settings.json"),
        ("zed", "darwin", {"XDG_CONFIG_HOME": "/config"}, "h/.config/zed/settings.json"),
        ("zed", "win32", {}, "h/AppData/Roaming/Zed/settings.json"),
        ("codex", "linux", {"CODEX_HOME": "/codex"}, "/codex/config.toml"),
        ("codex", "linux", {}, "h/.codex/config.toml"),
    ],
)
def test_file_depends_on_the_platform(client, platform, environ, path):
    home = Home(folder=Path("h"), environ=environ, platform=platform)
    assert BY_NAME[client].file(is_user=True, project=Path("p"), home=home)[0] == Path(path)


def test_platform_without_a_known_file_is_told():
    home = Home(folder=Path("h"), environ={}, platform="freebsd14")
    with pytest.raises(AgentSetupError, match="name yours with --file"):
        BY_NAME["claude-desktop"].file(is_user=False, project=Path("p"), home=home)


def test_codex_reads_the_file_of_a_trusted_project_and_says_so(place):
    code, told, _ = run("install", "codex", "--yes")
    assert (code, told.splitlines()[-1].endswith("only if you trust the project.")) == (0, True)
    assert not (place.parent / ".codex").exists()
    assert run("install", "codex", "--user", "--yes")[0] == 0
    written = (place.parent / ".codex" / "config.toml").read_text()
    assert written == (place / ".codex" / "config.toml").read_text()


@pytest.mark.skipif(sys.platform == "win32", reason="scripts are made by mode")
@pytest.mark.parametrize(
    ("scripts", "start"),
    [(["sectionary", "search"], ["{}/sectionary"]), (["search"], ["{}/search"]), ([], ["{}/python", "-P", "-m", "search"])],
)
def test_server_is_started_by_what_is_beside_the_interpreter(tmp_path, monkeypatch, scripts, start):
    folder = tmp_path / "venvs" / "sectionary" / "bin"
    elsewhere = tmp_path / "bin"
    for name in [*(folder / script for script in scripts), elsewhere / "sectionary", elsewhere / "search"]:
        name.parent.mkdir(parents=True, exist_ok=True)
        name.touch(0o755)
    monkeypatch.setenv("PATH", str(elsewhere))
    command = server_command(Path("i"), python=str(folder / "python"))
    assert command == [*(word.format(folder) for word in start), "mcp", "--index", os.path.abspath("i")]


def test_server_that_is_written_is_the_one_of_this_environment(place):
    started = entry_of(place)["command"]
    assert Path(started).parent == Path(sys.executable).parent


@pytest.mark.parametrize(
    ("environment", "is_so"),
    [
        ("/h/.cache/uv/archive-v0/kMj5F2ChP32ac_rV", True),  # uvx
        ("/h/uv-cache/environments-v2/1f2e3d", True),
        ("/h/.cache/pipx/31e61817e45e44f", True),  # pipx run
        ("/h/pipx/.cache/31e61817e45e44f", True),
        ("/h/.local/share/uv/tools/sectionary", False),
        ("/h/.local/share/pipx/venvs/sectionary", False),
        ("/h/project/.venv", False),
        ("/usr", False),
    ],
)
def test_environments_of_a_cache_are_known(environment, is_so):
    assert is_short_lived(Path(environment)) == is_so


def test_user_of_an_environment_of_a_cache_is_warned(place, monkeypatch):
    monkeypatch.setattr(sys, "prefix", "/h/.cache/uv/archive-v0/kMj5F2ChP32ac_rV")
    code, _, said = run("install", "cursor", "--yes")
    assert (code, (place / ".cursor/mcp.json").is_file()) == (0, True)
    assert said.splitlines()[-1] == (
        "search: warning: this runs from a cache, which is emptied now and then, and the server with it; install Sectionary, "
        "as with `uv tool install 'sectionary[mcp]'`, and run this again from there."
    )


def test_file_may_be_named(place):
    code, _, _ = run("install", "claude-desktop", "--file", "../desktop.json", "--yes")
    assert (code, json.loads((place.parent / "desktop.json").read_text())["mcpServers"]["sectionary"]) == (
        0,
        entry_of(place),
    )


def test_users_file_is_written_on_request(place):
    assert run("install", "cursor", "--user", "--yes")[0] == 0
    assert (place.parent / ".cursor" / "mcp.json").is_file()
    assert not (place / ".cursor").exists()


def test_client_without_a_users_file_says_so(place):
    code, _, said = run("install", "vscode", "--user", "--yes")
    assert (code, said) == (2, "search: The user's file of VS Code is not ours to edit; leave out --user.\n")


def test_change_is_shown_and_the_answer_no_writes_nothing(place, monkeypatch):
    monkeypatch.setattr(search.agents.commands, "is_asked", lambda: True)
    (place / ".mcp.json").write_text('{\n  "mcpServers": {}\n}\n')
    code, shown, said = run("install", "claude-code", answer="n\n")
    assert '+    "sectionary": {' in shown
    assert (code, "Nothing was written." in said) == (2, True)
    assert (place / ".mcp.json").read_text() == '{\n  "mcpServers": {}\n}\n'


def test_answer_yes_writes_what_was_shown(place, monkeypatch):
    monkeypatch.setattr(search.agents.commands, "is_asked", lambda: True)
    code, shown, _ = run("install", "claude-code", answer="y\n")
    added = [line[1:] for line in shown.splitlines() if re.match(r"\+(?!\+\+)", line)]
    assert (code, (place / ".mcp.json").read_text().splitlines()) == (0, added)


HOSTILE = {
    "env": {"LD_PRELOAD": "./.cursor/evil.so"}, "note": [1, 2, 3, 4, 5], "command": "search", "url": "http://evil.example",
}  # fmt: skip


@pytest.mark.parametrize("options", [(), ("--file", ".cursor/mcp.json")])
def test_fields_of_an_entry_in_a_project_are_replaced(place, options):
    file = place / ".cursor" / "mcp.json"
    file.parent.mkdir()
    for entry in (HOSTILE, {**HOSTILE, **entry_of(place)}):
        file.write_text(json.dumps({"mcpServers": {"sectionary": entry, "z": {}}}, indent=2))
        code, told, _ = run("install", "cursor", *options, "--yes")
        assert (code, f"Wrote {file}." in told) == (0, True)
        assert re.search(r'^-.*"LD_PRELOAD"', told, re.MULTILINE)
        assert json.loads(file.read_text())["mcpServers"] == {"sectionary": entry_of(place), "z": {}}


def test_fields_of_an_entry_in_the_users_file_are_kept_and_shown(place):
    file = place.parent / ".cursor" / "mcp.json"
    file.parent.mkdir()
    file.write_text(json.dumps({"mcpServers": {"sectionary": HOSTILE, "z": {}}}, indent=2))
    code, told, _ = run("install", "cursor", "--user", "--yes")
    kept = {**HOSTILE, **entry_of(place)}
    assert (code, json.loads(file.read_text())["mcpServers"]["sectionary"]) == (0, kept)
    shown = [line[1:].strip() for line in told.splitlines()]
    assert {line.strip() for line in json.dumps(kept, indent=2).splitlines()[1:-1]} <= set(shown)


def test_without_a_terminal_nothing_is_written_unless_yes_is_given(place):
    code, _, said = run("install", "claude-code")
    assert (code, said) == (2, "search: Nothing was written; add --yes to write it without being asked.\n")
    assert not (place / ".mcp.json").exists()


def test_client_that_is_set_up_is_not_written_again(place):
    run("install", "claude-code", "--yes")
    before = (place / ".mcp.json").stat()
    kept = before.st_ino, before.st_mtime_ns, before.st_size  # it is read, which may change the time of that
    code, told, _ = run("install", "claude-code")
    assert (code, told) == (0, "Claude Code is set up already.\n")
    after = (place / ".mcp.json").stat()
    assert (after.st_ino, after.st_mtime_ns, after.st_size) == kept


def test_file_with_comments_is_left_alone_and_what_to_add_is_shown(place):
    file = place / ".vscode" / "mcp.json"
    file.parent.mkdir()
    file.write_text('{\n  // mine\n  "servers": {}\n}\n')
    code, shown, said = run("install", "vscode", "--yes")
    assert json.loads(shown)["servers"]["sectionary"]["type"] == "stdio"
    assert code == 2
    assert said == (
        f"search: {file} is not edited, since it is not plain JSON (it may hold comments or trailing commas); "
        "add what is shown above to it yourself.\n"
    )
    assert file.read_text() == '{\n  // mine\n  "servers": {}\n}\n'


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights")
@pytest.mark.parametrize("kind", ["file", "folder"])
def test_link_out_of_the_project_is_not_written_through(place, tmp_path, kind):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "mcp.json").write_text("{}")
    if kind == "folder":
        (place / ".cursor").symlink_to(outside)
    else:
        (place / ".cursor").mkdir()
        (place / ".cursor" / "mcp.json").symlink_to(outside / "mcp.json")
    code, _, said = run("install", "cursor", "--yes")
    assert (code, "leads through a link out of" in said) == (2, True)
    assert [file.read_text() for file in outside.iterdir()] == ["{}"]


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights")
def test_link_inside_the_project_stays_a_link(place):
    (place / "config.json").write_text("{}")
    (place / ".mcp.json").symlink_to("config.json")
    assert run("install", "claude-code", "--yes")[0] == 0
    assert (place / ".mcp.json").is_symlink()
    assert "sectionary" in (place / "config.json").read_text()


@pytest.mark.skipif(sys.platform == "win32", reason="modes are those of POSIX")
def test_rights_of_a_file_stay(place):
    file = place / ".mcp.json"
    file.write_text("{}")
    file.chmod(0o640)
    run("install", "claude-code", "--yes")
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert [each.name for each in place.iterdir() if each.name.startswith(".sectionary-")] == []


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pipes in folders")
def test_what_is_no_plain_file_is_refused(place):
    os.mkfifo(place / ".mcp.json")
    assert "is not a plain file" in run("install", "claude-code", "--yes")[2]


def test_very_large_file_is_refused(place):
    (place / ".mcp.json").write_text(" " * (MAX_BYTES + 1))
    assert "is not a plain file of at most 2,000,000 bytes" in run("install", "claude-code", "--yes")[2]


def test_file_that_is_not_utf8_is_refused(place):
    (place / ".mcp.json").write_bytes(b'{"a": "\xff"}')
    assert "is not UTF-8" in run("install", "claude-code", "--yes")[2]


def test_file_that_changed_while_the_user_was_asked_is_not_written(place, monkeypatch):
    def edit_and_agree(*_given, **_options):
        (place / ".mcp.json").write_text('{"mine": 1}')
        return True

    monkeypatch.setattr(search.agents.commands, "is_asked", lambda: True)
    monkeypatch.setattr("click.confirm", edit_and_agree)
    code, _, said = run("install", "claude-code")
    assert (code, "has changed meanwhile; run the command again." in said) == (2, True)
    assert (place / ".mcp.json").read_text() == '{"mine": 1}'


def test_diff_cannot_paint_the_terminal(place):
    (place / ".mcp.json").write_text('{"a": "\x9b2J\u202e"}')
    shown = run("install", "claude-code", "--yes")[1]
    assert "\x9b" not in shown
    assert "\u202e" not in shown


def test_skill_is_put_into_the_project_on_request(place):
    assert run("install", "claude-code", "--skill", "--yes")[0] == 0
    assert (place / ".claude/skills/sectionary/SKILL.md").read_text() == skill_text()


def test_skill_is_for_claude_code(place):
    assert "--skill is for claude-code" in run("install", "cursor", "--skill", "--yes")[2]


def test_list_says_which_clients_are_set_up(place):
    run("install", "gemini", "--user", "--yes")
    lines = run("list")[1].splitlines()
    assert [line.split()[0] for line in lines] == [
        name for client in CLIENTS for name in [client.name] * (2 if client.project and client.user else 1)
    ]
    assert [line.split()[0] for line in lines if line.endswith("set up")] == ["gemini"]


def test_command_alone_prints_its_help(place):
    code, told, _ = run()
    assert (code, told.startswith("Usage: search agents ")) == (0, True)


def test_missing_index_is_told(place):
    assert run("install", "claude-code", "--yes")[2] == "search: There is no index yet; `index FOLDER` makes one.\n"


# -- the skill ---------------------------------------------------------------------------------------------------------


def test_skill_has_the_front_matter_that_clients_ask_for():
    head, body = re.fullmatch(r"---\n(.*?)\n---\n(.*)", skill_text(), re.DOTALL).groups()
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    assert (list(fields), fields["name"]) == (["name", "description"], "sectionary")
    assert 100 < len(fields["description"]) <= 1024
    assert len(body.splitlines()) < 100


def test_skill_names_only_tools_and_options_that_there_are():
    from search.server.tools import TOOLS

    body = skill_text()
    options = {name for each in command.commands.values() for one in each.params for name in one.opts}
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", body)) <= options
    assert {tool.name for tool in TOOLS} <= set(re.findall(r"`(\w+)`", body))


def test_skill_is_in_the_wheel():
    built = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]
    assert built["wheel"]["force-include"]["skills/sectionary/SKILL.md"] == "search/agents/SKILL.md"
    assert "/skills" in built["sdist"]["include"]
    assert (ROOT / "skills/sectionary/SKILL.md").read_text() == skill_text()
