"""The commands → their man pages in docs/man, which the wheel carries; `python -m tests.documentation.man_pages` writes them.

One page for each of the three commands, with all commands inside it. A general generator would make forty pages, and knows
nothing of a command without a name inside a group, which `index` and `search` have.
"""

import inspect
import re
from pathlib import Path

import click

import indexer.cli
import search.cli
from schema.startup import sectionary_command

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "man"
ENVIRONMENT = {
    "SECTIONARY_INDEX": "The index folder, as --index gives it.",
    "SECTIONARY_CONFIG_DIR": "The folder of the user's own settings.",
    "SECTIONARY_TRUST": "With 1, settings and indexes of every folder are taken as the user's own.",
    "SECTIONARY_...": "Each setting, by its name in capitals.",
}


def escaped(text):
    r"""The text as roff prints it.

    >>> escaped("--a… 한\n.c")
    '\\-\\-a... \\[uD55C]\n\\&.c'
    """
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("…", "...")
    text = re.sub(r"[^\x00-\x7f]", lambda found: f"\\[u{ord(found[0]):04X}]", text)
    return re.sub(r"(?m)^([.'])", r"\\&\1", text)


def paragraphs(text):
    for number, part in enumerate(inspect.cleandoc(text or "").split("\n\n")):
        yield from [".PP"] * (number > 0)
        yield escaped(" ".join(part.split()))


def items(records):
    for term, text in records:
        yield from (".TP", f"\\fB{escaped(term)}\\fR", escaped(" ".join(text.split())))


def options(command, context):
    records = (each.get_help_record(context) for each in command.get_params(context) if isinstance(each, click.Option))
    yield from items(record for record in records if record)


def default_of(command):
    name = getattr(command, "default", "")
    return command.commands[name] if name else command


def usage(command, context):
    words = getattr(command, "default_usage", "") or " ".join(command.collect_usage_pieces(context))
    return f"\\fB{escaped(context.command_path)}\\fR {escaped(words)}"


def inside(command, context):
    """Every command in a group, and in the groups in it, in the order of their names."""
    for name in sorted(getattr(command, "own", command.commands)):
        inner = command.get_command(context, name)
        if not inner.hidden:
            own = click.Context(inner, info_name=name, parent=context)
            yield f'.SS "{escaped(own.command_path)}"'
            yield from (usage(inner, own), ".PP", *paragraphs(inner.help), *options(default_of(inner), own))
            yield from inside(inner, own) if isinstance(inner, click.Group) else ()


def page(name, command, others):
    context = click.Context(command, info_name=name, **command.context_settings)
    yield f'.TH {name.upper()} 1 "" "Sectionary" "Sectionary"'
    yield from (".SH NAME", f"{name} \\- {escaped(command.get_short_help_str(200).rstrip('.'))}")
    yield from (".SH SYNOPSIS", usage(command, context), ".br", f"\\fB{name}\\fR COMMAND [OPTIONS] ...")
    yield from (".SH DESCRIPTION", *paragraphs(command.help))
    yield from (".SH OPTIONS", *options(default_of(command), context), ".SH COMMANDS", *inside(command, context))
    for group, names in getattr(command, "inner", {}).items():
        yield from (".PP", escaped(f"As in {group}(1): {', '.join(names)}."))
    yield from (".SH ENVIRONMENT", *items(ENVIRONMENT.items()))
    yield from (".SH SEE ALSO", ", ".join(f"\\fB{other}\\fR(1)" for other in others))


def pages():
    commands = {"index": indexer.cli.command, "search": search.cli.command, "sectionary": sectionary_command()}
    return {
        f"{name}.1": "\n".join(page(name, command, sorted(set(commands) - {name}))) + "\n"
        for name, command in commands.items()
    }


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for file, text in pages().items():
        (FOLDER / file).write_text(text, encoding="ascii")
