"""docs/commands.md: what it lists is what the commands, HTTP and agents take; `python -m tests.documentation.test_commands_page`
writes it again."""

from pathlib import Path

import click
import pytest

import indexer.cli
import search.cli
from schema.requests import NAMES, OF_A_CONTEXT, PARAMETERS
from schema.startup import sectionary_command
from search.server.http import create_app
from search.server.security import Access
from search.server.tools import TOOLS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "commands.md"
HEAD = """# Commands and parameters

`sectionary --help`, `index --help`, `search --help` and `search COMMAND --help` print this too. How to use the commands is
explained in [installing](installing.md), [searching](searching.md), [freshness](freshness.md), [exporting](exporting.md),
[summaries](summaries.md), [server](server.md) and [agents](agents.md).
"""


def row(*cells):
    return "| " + " | ".join(str(cell).replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def parameters_table():
    yield "## Parameters of a search"
    yield (
        "The command `search`, `/api/search`, the agents' tool `search` and `SearchEngine.page` in Python have the same parameters.\n"
        "A default is the same everywhere, unless its row says otherwise. The last eight are filters."
    )
    lines = [row("Python, agents", "command", "HTTP", "default", "what it does"), row(*["---"] * 5)]
    for parameter in PARAMETERS:
        option = f"--{'no-' if parameter.default is True else ''}{parameter.outer_name.replace('_', '-')}"
        lines.append(
            row(f"`{parameter.name}`", f"`{option}`", f"`{parameter.outer_name}=`", defaults(parameter), parameter.help)
        )
    yield "\n".join(lines)


def defaults(parameter):
    """The default of a parameter, or one for each interface if they differ."""
    python = parameter.default
    found = {"Python": python, "HTTP": parameter.default_at("http"), "command": parameter.default_at("command")}
    found["agents"] = parameter.default_at("agents")
    if all(value == python for value in found.values()):
        return "" if python is None else f"`{str(python).lower()}`"
    return "; ".join(
        f"{', '.join(name for name in found if found[name] == value)}: `{str(value).lower()}`"
        for value in dict.fromkeys(found.values())
    )


def commands_of(group, name, shown=None):
    yield f"## `{name}`"
    lines = [row("command", "what it does", "options"), row(*["---"] * 3)]
    # the command without a name stands first
    found = dict(shown or group.commands)
    for outer, inner in group.commands.items():
        found |= {f"{outer} {one}": each for one, each in getattr(inner, "commands", {}).items()}
    for one, command in sorted(found.items(), key=lambda each: (not each[1].hidden, each[0])):
        options = [max(each.opts, key=len) for each in command.params if isinstance(each, click.Option) and not each.hidden]
        called = name if command.hidden else f"{name} {one}"
        lines.append(row(f"`{called}`", command.help.split("\n\n")[0], " ".join(f"`{option}`" for option in options)))
    yield "\n".join(lines)


def one_name():
    whole = sectionary_command()
    yield from commands_of(whole, "sectionary", {name: whole.get_command(None, name) for name in whole.own})
    for name, inner in sorted(whole.inner.items()):
        yield f"From `{name}`: {', '.join(f'`sectionary {each}`' for each in (name, *inner))}."


def page():
    groups = ((indexer.cli.command, "index"), (search.cli.command, "search"))
    parts = [HEAD.rstrip(), *parameters_table(), *(part for each in groups for part in commands_of(*each)), *one_name()]
    return "\n\n".join(parts) + "\n"


def test_page_of_commands_lists_what_there_is():
    assert PAGE.read_text(encoding="utf-8") == page()


def options_of(command):
    return {each.name: each for each in search.cli.command.commands[command].params}


def query_names(path):
    operation = create_app(None, access=Access()).openapi()["paths"][path]["get"]
    return [each["name"] for each in operation["parameters"]]


@pytest.mark.parametrize("name", NAMES)
def test_each_parameter_of_a_search_is_an_option_of_the_command(name):
    assert name in options_of("query")


@pytest.mark.parametrize("name", OF_A_CONTEXT)
def test_each_parameter_of_a_context_is_an_option_of_the_command(name):
    assert name in options_of("context")


def test_http_takes_the_parameters_of_a_search_and_html():
    assert query_names("/api/search") == ["q", "html", *(parameter.outer_name for parameter in PARAMETERS)]


def test_http_takes_mode_filters_and_a_budget_for_a_context():
    outer = [parameter.outer_name for parameter in PARAMETERS if parameter.name in OF_A_CONTEXT]
    assert query_names("/api/context") == ["q", "max_tokens", *outer]


def test_agents_give_the_parameters_of_a_search_and_a_budget():
    arguments = {tool.name: list(tool.arguments) for tool in TOOLS}
    assert arguments["search"] == ["query", *NAMES, "content", "max_tokens"]
    assert arguments["context"] == ["query", *OF_A_CONTEXT, "max_tokens"]


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
