"""The arguments of an `Indexer` and of its runs → nothing; refuses those of the wrong type or out of their range."""

from __future__ import annotations

from typing import Any

from schema import arguments
from schema.index_files.roots import FileChoice
from schema.settings import Settings


def check_parts(**given: Any) -> None:
    """Refuse what an indexer cannot be made with; the names are those of its arguments, and None is left to its default.

    Raises:
        ArgumentError: naming the argument, its value and what it takes.
        SettingsError: a setting has a value that it may not have.
    """
    given = {name: value for name, value in given.items() if value is not None}
    for name, kind in (("settings", Settings), ("files", FileChoice)):
        if name in given:
            arguments.instance(name, given[name], kind)
    if "settings" in given:
        given["settings"].check()
    if "embedder" in given:
        arguments.offers("embedder", given["embedder"], "embed_sections", "token_spans", "coverage")
    if "summarizer" in given:
        arguments.offers("summarizer", given["summarizer"], "summarize_document", "summarize_section")
    for name in ("progress", "should_stop"):
        if name in given and not callable(given[name]):
            raise arguments.wrong(name, "a function", given[name])
    arguments.number("wait", given.get("wait", 0.0), takes="a number of seconds")
    arguments.flag("is_trusted", given.get("is_trusted", False))


def check_bounds(*, limit: Any = None, time_budget: Any = None, name: str = "time_budget") -> None:
    """Refuse bounds of a run that make no sense; `name` is that of the argument with the seconds, None is no bound.

    Raises:
        ArgumentError: naming the argument, its value and what it takes.
    """
    if limit is not None:
        arguments.whole("limit", limit, least=0)
    if time_budget is not None:
        arguments.number(name, time_budget, takes="a number of seconds")
