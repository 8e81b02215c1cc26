"""The command `sectionary doctor`: whether an installation and an index are in order, and what to do if not."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from schema.commands import Command, as_called, locate_index
from schema.text.characters import one_line, to_json
from search.options import options

if TYPE_CHECKING:
    from search.diagnosis.findings import Finding


@click.command("doctor", cls=Command, context_settings={"help_option_names": ["-h", "--help"]})
@options("index", "json")
def doctor(index_dir: Path | None, as_json: bool) -> None:
    """Look at installation, settings, model, index, rights and servers, and say what to do. Nothing is written.

    Exit status: 0 without a problem, else 1. Secrets and the values of settings are not shown.
    """
    found = list(_look(index_dir))
    is_well = all(one.state != "problem" for one in found)
    if as_json:
        checks = [{**asdict(one), "advice": as_called(one.advice), "found": as_called(one.found)} for one in found]
        click.echo(to_json({"ok": is_well, "checks": checks}, indent=2))
    else:
        for one in found:
            click.echo(one_line(as_called(f"{one.state:<8} {one.name:<13} {one.found}")))
            if one.advice:
                click.echo(one_line(as_called(f"{'':<22} {one.advice}")))
    if not is_well:
        raise SystemExit(1)


def _look(given: Path | None) -> Iterator[Finding]:
    from search.diagnosis.index_folder import index, permissions, server, settings_in_use
    from search.diagnosis.installation import installation, model

    yield from installation()
    index_dir = locate_index(given)
    settings, found = settings_in_use(index_dir, os.environ)
    yield from found
    if settings is not None:
        yield from model(settings)
    yield from index(index_dir, settings, is_named=given is not None)
    yield from permissions(index_dir, settings)
    yield from server(index_dir, settings)
