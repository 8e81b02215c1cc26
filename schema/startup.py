"""The commands' first step: make sure that `schema`, `search` and `indexer` are Sectionary's, then start.

The wheel carries this file a second time under a name nobody else uses, `sectionary_startup`, because a foreign package
of one of those names could not be asked to check itself. Standard library only; imports nothing else of Sectionary.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import click

#: For each import name a module that only Sectionary's package of that name has.
_OWN_FILES = {"schema": "storage/table.py", "indexer": "splitter.py", "search": "engine.py"}


def foreign_packages() -> dict[str, str]:
    """Import names that lead to something else than Sectionary, with the place they lead to ("nowhere" if to nothing)."""
    foreign = {}
    for name, file in _OWN_FILES.items():
        try:
            spec = importlib.util.find_spec(name)
        except (ImportError, ValueError):
            spec = None
        if spec is None:
            foreign[name] = "nowhere"
        elif not any((Path(place) / file).is_file() for place in spec.submodule_search_locations or ()):
            foreign[name] = str(spec.origin or next(iter(spec.submodule_search_locations or ()), "nowhere"))
    return foreign


def complaint(foreign: dict[str, str]) -> str:
    """One sentence for `foreign_packages()` that found some."""
    found = ", ".join(f"{name} at {place}" for name, place in foreign.items())
    return (
        f"Python finds packages that are not Sectionary's under its import names: {found}. Install Sectionary in an "
        "environment of its own, and keep such folders and files out of PYTHONPATH and the working folder."
    )


def index() -> None:
    """The command `index`."""
    _check("index")
    from indexer.cli import main

    main()


def search() -> None:
    """The command `search`."""
    _check("search")
    from search.cli import main

    main()


def sectionary() -> None:
    """The command `sectionary`: the two others, and each of their commands, under one name."""
    _check("sectionary")
    from schema.one_command import run

    run(sectionary_command())


def sectionary_command() -> click.Group:
    """Return the command `sectionary`; the others are imported when they are asked for."""
    from schema.one_command import OneCommand

    return OneCommand({"search": _search_group, "index": _index_group}, {"doctor": _doctor})


def _index_group() -> click.Group:
    from indexer.cli import command

    return command


def _search_group() -> click.Group:
    from search.cli import command

    return command


def _doctor() -> click.Command:
    from search.doctor import doctor

    return doctor


def _check(command: str) -> None:
    foreign = foreign_packages()
    if foreign:
        sys.stderr.write(f"{command}: {complaint(foreign)}\n")
        raise SystemExit(2)
