"""The commands `index` and `search`, and all commands in them → one command, `sectionary`.

It is built from what it is given and imports nothing of it before it is asked for: `sectionary search …` costs what
`search …` costs.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from functools import cached_property

import click

from schema.commands import CALLED, error_boundary
from schema.completion import completion
from schema.text.characters import one_line

#: Name of the command.
NAME = "sectionary"
#: Most characters of a word that a message repeats.
_SHOWN = 100
_HELP = """Index Markdown by section and find the section that answers a question.

`sectionary index ./docs` makes an index, `sectionary search "how do I …?"` asks it. Each command of these two is also one of
this command: `sectionary status` is `sectionary index status`.
"""


class OneCommand(click.Group):
    """A command with whole `groups` in it, by name, with their commands, and with some `others`; all are loaded late.

    A name means one of the groups, else one of `others`, else a command of the first group that has one of that name; that
    of another group has the group's name before it.
    """

    def __init__(
        self, groups: Mapping[str, Callable[[], click.Group]], others: Mapping[str, Callable[[], click.Command]]
    ) -> None:
        super().__init__(
            NAME,
            help=_HELP,
            callback=_without_command,
            invoke_without_command=True,
            context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
        )
        click.version_option(package_name="sectionary", prog_name=NAME)(self)
        self.add_command(completion)
        self.groups = groups
        self._others = others

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return the command of a name, without loading more than must be asked."""
        loader = self.groups.get(cmd_name) or self._others.get(cmd_name)
        if loader is not None:
            return loader()
        found = (group().commands.get(cmd_name) for group in self.groups.values())
        return self.commands.get(cmd_name) or next((each for each in found if each is not None and not each.hidden), None)

    @cached_property
    def inner(self) -> dict[str, list[str]]:
        """The names of the commands of each group that mean it here, by the group's name."""
        taken = {*self.groups, *self._others, *self.commands}
        inner: dict[str, list[str]] = {}
        for name, group in self.groups.items():
            shown = [each for each, command in group().commands.items() if not command.hidden]
            inner[name] = sorted(set(shown) - taken)
            taken.update(shown)
        return inner

    @property
    def own(self) -> list[str]:
        """The names of the commands that are in no group."""
        return sorted((*self._others, *self.commands))

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names of all commands."""
        return [*sorted(self.groups), *(name for names in self.inner.values() for name in names), *self.own]

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the name and the command of the first word, and the other words.

        Raises:
            click.UsageError: there is no such command.
        """
        name = args[0]
        found = self.get_command(ctx, name)
        if ctx.resilient_parsing:
            return name, found, args[1:]
        if found is None:
            near = difflib.get_close_matches(name, self.list_commands(ctx), n=1)
            meant = f"Did you mean `{NAME} {near[0]}`?" if near else f"`{NAME} --help` lists those there are."
            raise click.UsageError(
                f"There is no command {one_line(name)[:_SHOWN]!r}. {meant} A folder is indexed with `{NAME} index FOLDER`, "
                f"and a question asked with `{NAME} search QUESTION`.",
                ctx,
            )
        if CALLED.get():  # as `run` does
            CALLED.set(f"{NAME} {name}")
        return name, found, args[1:]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the names of the commands, by group."""
        titles = {name: f"Commands of `{NAME} {name}`" for name in self.groups}
        parts = {"Commands": [*sorted(self.groups), *self.own]} | {
            titles[name]: self.inner[name] for name in sorted(self.groups)
        }
        width = formatter.width - 6 - max(len(name) for names in parts.values() for name in names)
        for title, names in parts.items():
            commands = ((name, self.get_command(ctx, name)) for name in names)
            with formatter.section(title):
                formatter.write_dl([(name, each.get_short_help_str(width)) for name, each in commands if each is not None])


@click.pass_context
def _without_command(ctx: click.Context) -> None:
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def run(command: click.Group) -> None:
    """Run the command with the process's arguments."""
    token = CALLED.set(NAME)
    try:
        with error_boundary(NAME):
            command.main(prog_name=NAME, standalone_mode=False)
    finally:
        CALLED.reset(token)
