"""The options that the subcommands of `search` share; those of a search come from `schema.requests`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click

from schema.commands import options_from
from schema.completion import document_paths, root_names
from schema.requests import PARAMETERS, Parameter

#: What a shell offers for a parameter.
_COMPLETED = {"path": document_paths, "root": root_names}
#: Shorter names of options: `lang` is what a field of a query is called.
_SHORTER = {"limit": ("-n",), "language": ("--lang",)}


def option_of(parameter: Parameter) -> Callable[..., Any]:
    """The option of a parameter."""
    schema, default = parameter.value_schema("command"), parameter.default_at("command")
    name, metavar = parameter.outer_name.replace("_", "-"), parameter.metavar or None
    if default is True:
        return click.option(f"--no-{name}", parameter.name, flag_value=False, default=True, help=parameter.help_of_no)
    if schema["type"] == "boolean":
        return click.option(f"--{name}", parameter.name, is_flag=True, default=default, help=parameter.help)
    kind: click.ParamType[Any] = click.STRING
    if "enum" in schema:
        kind = click.Choice(schema["enum"])
    elif schema["type"] == "integer":
        kind = click.IntRange(schema.get("minimum"), schema.get("maximum"))
    elif schema["type"] == "number":
        kind = click.FloatRange(schema.get("minimum"), schema.get("maximum"))
    names = [f"--{name}", *_SHORTER.get(name, ()), parameter.name]
    if parameter.most > 1:
        offered = _COMPLETED.get(parameter.name)
        return click.option(*names, multiple=True, type=kind, metavar=metavar, help=parameter.help, shell_complete=offered)
    shows = bool(default)
    return click.option(*names, type=kind, default=default, show_default=shows, metavar=metavar, help=parameter.help)


_SHARED: dict[str, Any] = {
    "query": click.argument("query", nargs=-1, required=True),
    **{parameter.name: option_of(parameter) for parameter in PARAMETERS},
    "index": click.option("--index", "index_dir", type=click.Path(path_type=Path), envvar="SECTIONARY_INDEX", metavar="DIR",
                          help="Index folder, or s3://BUCKET/PREFIX (also gs://, az://); by default .sectionary here or "
                               "above."),
    "document": click.argument("document", shell_complete=document_paths),
    "section": click.argument("section", shell_complete=document_paths),
    "model": click.option("--model", metavar="NAME", help="The embedding model of the index, if not the default."),
    "reranker": click.option("--reranker", metavar="NAME", help="A cross-encoder that orders the best hits again."),
    "no_server": click.option("--no-server", is_flag=True, help="Answer in this process, even where a server runs."),
    "host": click.option("--host", default="127.0.0.1", show_default=True,
                         help="Address to listen at; beyond loopback only with a token."),
    "port": click.option("--port", default=8731, show_default=True, type=click.IntRange(0, 65535),
                         help="Port; 0 for any that is free."),
    "hosts": click.option("--allow-host", "hosts", multiple=True, metavar="NAME",
                          help="A further name under which it may be asked."),
    "token_file": click.option("--token-file", type=click.Path(path_type=Path), metavar="FILE",
                               help="File, mode 0600, with the token to want."),
    "json": click.option("--json", "as_json", is_flag=True, help="Print one JSON object."),
}  # fmt: skip
#: A decorator for the options with these names.
options = partial(options_from, _SHARED)
