"""The command `sectionary`: it holds the two others and their commands, loads what it needs, and names itself in messages."""

import click
import pytest
from click.testing import CliRunner

import indexer.cli
import search.cli
from schema.commands import CALLED, print_error
from schema.one_command import OneCommand, run
from schema.startup import sectionary_command


def group(*names):
    @click.group()
    def made():
        """A group."""

    for name in names:
        made.add_command(click.Command(name, callback=lambda name=name: click.echo(name), help=f"Says {name}."))
    return made


def refused():
    raise AssertionError("this was not asked for")


@pytest.fixture
def call(monkeypatch, capsys, tmp_path):
    """Runs `sectionary` in this process in an empty folder: arguments → exit status, standard output, standard error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SECTIONARY_INDEX", raising=False)

    def made(*args, command=None):
        monkeypatch.setattr("sys.argv", ["sectionary", *args])
        code = 0
        try:
            run(command or sectionary_command())
        except SystemExit as stop:
            code = stop.code or 0
        return (int(code), *capsys.readouterr())

    return made


@pytest.mark.parametrize(("name", "whole"), [("index", indexer.cli.command), ("search", search.cli.command)])
def test_every_command_of_both_is_one_of_this(name, whole):
    one = sectionary_command()
    assert one.get_command(None, name) is whole
    shown = {each: command for each, command in whole.commands.items() if not command.hidden}
    assert {each: one.get_command(None, each) for each in shown} == shown


def test_no_name_is_there_twice():
    inner = sectionary_command().inner
    shown = [name for each in (indexer.cli, search.cli) for name, one in each.command.commands.items() if not one.hidden]
    assert sorted(name for names in inner.values() for name in names) == sorted(shown)


@pytest.mark.parametrize("name", ["run", "query"])
def test_command_without_a_name_is_none_of_this(name):
    assert sectionary_command().get_command(None, name) is None


def test_version_loads_neither(call):
    one = OneCommand({"search": refused, "index": refused}, {"doctor": refused})
    code, out, _ = call("--version", command=one)
    assert (code, out.split(",")[0]) == (0, "sectionary")


def test_command_of_one_group_loads_not_the_other(call):
    one = OneCommand({"search": lambda: group("outline"), "index": refused}, {"doctor": refused})
    assert call("search", "outline", command=one) == (0, "outline\n", "")
    assert call("outline", command=one) == (0, "outline\n", "")


def test_name_in_both_groups_is_that_of_the_first():
    first, second = group("status"), group("status", "verify")
    one = OneCommand({"search": lambda: first, "index": lambda: second}, {})
    assert one.get_command(None, "status") is first.commands["status"]
    assert one.inner == {"search": ["status"], "index": ["verify"]}
    assert CliRunner().invoke(one, ["index", "status"]).output == "status\n"


def test_help_lists_all_commands_by_group(call):
    code, out, _ = call("--help")
    assert code == 0
    assert call() == (code, out, "")
    assert [line.strip() for line in out.splitlines() if line.endswith(":")] == [
        "Options:",
        "Commands:",
        "Commands of `sectionary index`:",
        "Commands of `sectionary search`:",
    ]
    for name in ("index", "search", "completion", "doctor", "export", "serve"):
        assert f"\n  {name} " in out


@pytest.mark.parametrize("word", ["outlin", "./docs", "x" * 5000])
def test_unknown_command_says_what_to_type(call, word):
    code, out, err = call(word)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("sectionary: There is no command ")
    assert "`sectionary index FOLDER`" in err
    assert len(err) < 400
    assert ("Did you mean `sectionary outline`?" in err) == (word == "outlin")


def test_usage_says_the_whole_name(call):
    assert call("search", "--help")[1].startswith("Usage: sectionary search [OPTIONS] QUERY...\n")
    assert call("roots", "--help")[1].startswith("Usage: sectionary roots [OPTIONS]\n")


def test_error_names_what_was_called_and_advises_under_the_same_name(call, tmp_path):
    place = tmp_path / ".sectionary"
    told = f"There is no index in {place}; make one with `sectionary index FOLDER`.\n"
    assert call("status") == (3, "", f"sectionary status: {told}")
    assert call("index", "status") == (3, "", f"sectionary index: {told}")
    assert call("search", "a", "--no-such")[2].startswith("sectionary search: No such option")


def test_messages_of_the_two_commands_stay_as_they_are(call, search_command, monkeypatch, capsys):
    call("status")
    assert CALLED.get() == ""
    assert search_command("a", "--no-such")[2].startswith("search: No such option")
    monkeypatch.setattr("sys.argv", ["index", "status"])
    with pytest.raises(SystemExit):
        indexer.cli.main()
    assert capsys.readouterr().err.endswith("make one with `index FOLDER`.\n")
    print_error("index", "see `search serve` and `search`")
    assert capsys.readouterr().err == "index: see `search serve` and `search`\n"
