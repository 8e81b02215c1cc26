"""Help, usage and advice name commands and options that there are, under the name that the user called."""

import ast
import contextlib
import re
from dataclasses import replace
from pathlib import Path

import click
import pytest

from indexer.report import tell_status
from schema.commands import CALLED, as_called
from schema.one_command import run
from schema.startup import sectionary_command
from tests.unit.test_wire import STATUS

ROOT = Path(__file__).parents[2]
#: A command in a text: its name, and what follows up to the closing mark.
NAMED = re.compile("`(sectionary|index|search)((?: [^`]*)?)`")


def commands(command, path=()):
    """Yield each command that help lists, with its names from the outermost one on."""
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if not inner.hidden:
                yield from commands(inner, (*path, name))


ONE = sectionary_command()
COMMANDS = dict(commands(ONE))


def wrong_in(text, names=("sectionary", "index", "search")):
    """The commands in a text that are not there, or not under one of the names."""
    found = NAMED.findall(" ".join(text.split()))
    return [f"{name}{rest}" for name, rest in found if name not in names or not is_right(name, rest)]


def is_right(name, rest):
    """Whether a command of this name takes what follows it: names of commands, options, and others in its place."""
    typed = re.sub('"[^"]*"', "X", rest).partition(" -- ")[0].replace("…", "").split()
    words = (*(() if name == "sectionary" else (name,)), *typed)
    path = max((words[:n] for n in range(len(words) + 1) if words[:n] in COMMANDS), key=len)
    command, others = COMMANDS[path], words[len(path) :]
    default = getattr(command, "commands", {}).get(getattr(command, "default", ""))
    known = {option for each in (command, default) if each is not None for one in each.params for option in one.opts}
    if {word for word in others if word.startswith("--")} - known - {"--help"}:
        return False
    if not isinstance(command, click.Group) or not others or others[0].startswith("--"):
        return True
    # where a command's name may stand, FOLDER, ./docs and crank are no misspelt one
    return default is not None and (others[0] == "crank" or not re.fullmatch("[a-z]+", others[0]))


@pytest.fixture
def call(monkeypatch, capsys, tmp_path):
    """Runs `sectionary` in this process in an empty folder: arguments → what it prints on both streams."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SECTIONARY_INDEX", raising=False)

    def made(*args):
        monkeypatch.setattr("sys.argv", ["sectionary", *args])
        with contextlib.suppress(SystemExit):
            run(ONE)
        out, err = capsys.readouterr()
        return out + err

    return made


def test_checker_finds_commands_and_options_that_are_not_there():
    assert wrong_in("`index nothing`, `search serve --wathc a` and `sectionary serv`") == [
        "index nothing",
        "search serve --wathc a",
        "sectionary serv",
    ]
    assert wrong_in("`index FOLDER --rebuild`, `index roots list`, `search`, `sectionary status`") == []


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_help_under_the_one_name_names_commands_by_it(call, path):
    text = call(*path, "--help")
    assert text.startswith(f"Usage: {' '.join(('sectionary', *path))} ")
    names = ("sectionary",) if path != ("completion",) else ("sectionary", "index", "search")
    assert wrong_in(text, names) == []


@pytest.mark.parametrize("name", ["index", "search"])
def test_help_of_the_two_commands_names_themselves(name):
    group = COMMANDS[name,]
    for path, command in commands(group, (name,)):
        text = command.get_help(click.Context(command, info_name=" ".join(path)))
        assert text.startswith(f"Usage: {' '.join(path)} ")
        assert "sectionary index" not in text
        assert "sectionary search" not in text


def texts():
    """Yield where each text of the code stands, and the text, with X for what is only known later."""
    for package in ("schema", "indexer", "search"):
        for file in sorted((ROOT / package).rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.JoinedStr):
                    parts = (part.value if isinstance(part, ast.Constant) else "X" for part in node.values)
                    yield f"{file.name}:{node.lineno}", "".join(map(str, parts))
                elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield f"{file.name}:{node.lineno}", node.value


def unquoted():
    """Yield the values that a command in a text of the code gets as they are, without `shlex.quote`."""
    for package in ("schema", "indexer", "search"):
        for file in sorted((ROOT / package).rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.JoinedStr):
                    pieces = [ast.unparse(one.value) if isinstance(one, ast.FormattedValue) else "" for one in node.values]
                    text = "".join(f"\0{n}\0" if one else node.values[n].value for n, one in enumerate(pieces))
                    inside = "".join(match[0] for match in NAMED.finditer(text))
                    yield from (pieces[int(n)] for n in re.findall("\0([0-9]+)\0", inside))


def test_every_value_in_a_command_of_a_text_is_quoted_for_the_shell():
    found = [value for value in unquoted() if "shlex.quote(" not in value]
    assert sorted(found) == ["near[0]", "option"]  # the name of a command, and an option that is quoted already


def test_every_command_that_a_text_of_the_code_names_is_there_under_each_name():
    found = [(where, text) for where, text in texts() if NAMED.search(text)]
    assert len(found) > 80
    assert [(where, wrong) for where, text in found if (wrong := wrong_in(text))] == []
    token = CALLED.set("sectionary")
    try:
        assert [where for where, text in found if wrong_in(as_called(text), ("sectionary",))] == []
    finally:
        CALLED.reset(token)


def test_completion_helps_under_the_name_that_was_called():
    command = COMMANDS["search",].commands["query"]
    context = command.make_context("query", [], resilient_parsing=True)
    told = {item.value: item.help for item in command.shell_complete(context, "--ro")}
    assert told == {"--root": "Only documents of the root with this name; `index roots` lists them."}
    token = CALLED.set("sectionary")
    try:
        told = {item.value: item.help for item in command.shell_complete(context, "--ro")}
    finally:
        CALLED.reset(token)
    assert told["--root"].endswith("`sectionary index roots` lists them.")


def test_status_names_the_one_command(capsys):
    for name, advice in (("", "(`index trust` allows it)"), ("sectionary status", "(`sectionary index trust` allows it)")):
        token = CALLED.set(name)
        tell_status(replace(STATUS, is_own=False), as_json=False)
        CALLED.reset(token)
        assert advice in capsys.readouterr().out


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("search", "crank", "-linux"), "stands behind --, as in `sectionary search crank -- -linux`"),
        (("context", "crank", "-検索"), "`sectionary search context crank -- -検索`"),
        (("search", "crank", "-quick"), "-quick is no option; "),
        (("search", "crank", "-nobody"), "-nobody is no option; "),
        (("search", "-path:old/", "crank"), "-path:old/ is no option; "),
        (("search", "--path", "-foo", "-l"), "No such option '-l'. Words that begin with a dash stand in quotes"),
        (("search", "a", "-n0"), "Invalid value for '--limit' / '-n': 0 is not in the range"),
        (("search", "a", "--mode", "x", "-n5"), "Invalid value for '--mode'"),
        (("search", "a", "-" + "x" * 9999), "x is no option; "),
    ],
)  # fmt: skip
def test_word_to_leave_out_that_was_read_as_an_option_is_told_where_it_stands(call, args, told):
    said = call(*args)
    assert told in said
    assert said.count("\n") == 1
    assert len(said) < 600


def test_word_to_leave_out_is_told_under_the_name_search(search_command):
    told = "-linux is no option; a word to leave out, or any other that begins with a dash, stands behind --, as in "
    told += '`search crank -- -linux`, or in quotes with the others, as in `search "crank -linux"`.'
    assert search_command("crank", "-linux") == (2, "", f"search: {told}\n")
