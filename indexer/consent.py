"""Questions to the user before settings or an index that came with a folder are used, and what the answers allow.

Without a person at a terminal nothing is asked, and nothing is allowed that was not allowed before.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from schema.commands import is_asked, print_error, project_root
from schema.errors import SettingsError
from schema.index_files.layout import claim, disown, has_store, is_own
from schema.index_files.plain_files import refuse_links
from schema.index_files.roots import trust_roots
from schema.project_file import ProjectFile
from schema.settings import Settings, left_out_sentence, load_settings, read_project_file
from schema.text.characters import one_line


def settings_of(
    root: Path, overrides: Mapping[str, Any] | None = None, *, kept: Mapping[str, Any] | None = None
) -> Settings:
    """Return the settings of the project in `root`; a person is asked about those that the user has to allow.

    `kept` are those that its index was made with.

    Raises:
        SettingsError: as `load_settings` does.
    """

    def ask(project: ProjectFile, names: list[str]) -> None:
        if is_asked() and _may(project):
            _keep(project.allow())
            allowed.append(project)
        else:
            print_error("index", left_out_sentence(project, names))

    allowed: list[ProjectFile] = []
    settings = load_settings(root, environ=os.environ, overrides=overrides, on_left_out=ask, kept=kept)
    return load_settings(root, environ=os.environ, overrides=overrides, kept=kept) if allowed else settings


def ask_about_index(index_dir: Path) -> None:
    """Ask a person whether to go on with an index that somebody else made; without a yes, the run will refuse it."""
    if is_asked() and _is_foreign(index_dir) and _may_continue(index_dir):
        _own(index_dir)


def ask_for_all(index_dir: Path, *, is_allowed: bool) -> None:
    """Ask about everything that the folder of an index needs allowed; with `is_allowed`, allow it without asking."""
    project = read_project_file(project_root(index_dir))
    if project.is_allowed and not _is_foreign(index_dir):
        click.echo("There is nothing to allow: " + ("you allowed it before." if project.wanted else "nothing needs it."))
        return
    if not project.is_allowed and (is_allowed or _may(project)) and _keep(project.allow()):
        click.echo(one_line(f"Allowed: {', '.join(sorted(project.wanted))} of {project.path}."))
    if _is_foreign(index_dir) and (is_allowed or _may_continue(index_dir)) and _own(index_dir):
        click.echo(one_line(f"Allowed: the index in {index_dir}."))


def withdraw(index_dir: Path) -> None:
    """Take back what the user allowed for the folder of an index."""
    read_project_file(project_root(index_dir)).forget()
    disown(index_dir)
    click.echo("Nothing of this folder is allowed any more but what can hurt nobody.")


def _is_foreign(index_dir: Path) -> bool:
    return has_store(index_dir) and not is_own(index_dir)


def _own(index_dir: Path) -> bool:
    refuse_links(index_dir, index_dir=index_dir)
    is_remembered = _keep(claim(index_dir))
    trust_roots(index_dir)
    return is_remembered


def _may(project: ProjectFile) -> bool:
    for line in project.shown():
        click.echo(one_line(f"  {line}"), err=True)
    return _asked(f"Allow these settings of {project.path}?")


def _may_continue(index_dir: Path) -> bool:
    return _asked(f"The index in {index_dir} was not made by you on this machine. Go on with it?")


def _asked(question: str) -> bool:
    try:
        return click.confirm(one_line(question), default=False, err=True)
    except click.Abort:
        click.echo(err=True)
        return False


def _keep(is_remembered: bool) -> bool:
    if not is_remembered:
        raise SettingsError(
            "This cannot be remembered, since your configuration folder cannot be written; set SECTIONARY_CONFIG_DIR to a "
            "folder that can, or SECTIONARY_TRUST=1 for a run that takes everything as yours."
        )
    return True
