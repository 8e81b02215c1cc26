"""The code → the pages of docs/reference; `python -m tests.documentation.reference` writes them again.

Each page is a list of what there is: settings, routes of the server, agents' tools, and Python's public names.
"""

import inspect
import re
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Protocol

import indexer
import schema
import search
from schema.project_file import SECRETS
from schema.settings import CHOICES, ENVIRONMENT_PREFIX, Settings
from schema.settings_files import PERSONAL, needs_consent
from search.server.http import create_app
from search.server.security import Access
from search.server.tools import INSTRUCTIONS, TOOLS

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "reference"
PACKAGES = ("indexer.", "search.", "schema.")
#: Methods of engines that take or give versions of an index, which other modules need.
_OF_VERSIONS = {"source", "read", "states", "resolve", "resolve_place"}
_HEADED = re.compile(r"(Args|Attributes|Raises|Returns|Yields|Example|Examples):")


def row(*cells):
    return "| " + " | ".join(str(cell).replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def table(*rows):
    return "\n".join([row(*rows[0]), row(*["---"] * len(rows[0])), *(row(*each) for each in rows[1:])])


def code(text):
    return f"`{text}`" if str(text) else ""


# Settings


def values(setting):
    if setting.name in CHOICES:
        return ", ".join(map(code, CHOICES[setting.name]))
    low, high = setting.metadata["low"], setting.metadata["high"]
    if low is None:
        return ""
    return f"{low:,} or more" if high is None else f"{low:,} to {high:,}"


def project_may_set(setting):
    """Whether a project's file may set this, as docs/settings.md explains."""
    if setting.name in PERSONAL:
        return "never"
    kind = type(setting.default)
    if kind in (int, float):
        lower, other = setting.default - 1, 10**9
    else:
        lower, other = None, (".*",) if kind is tuple else f"{setting.default}x" if kind is str else not setting.default
    other = "llm" if setting.name == "summaries" else other
    if not needs_consent(setting.name, other, setting.default):
        return "yes"
    if setting.name == "include":
        return "Markdown and text"
    if setting.name == "summaries":
        return "`none`, `extractive`"
    return "lower values" if lower is not None and not needs_consent(setting.name, lower, setting.default) else "if allowed"


def settings_page():
    yield "# Values of settings"
    yield (
        "What each setting does is in [settings](../settings.md); this table has what it takes. `index trust` allows what a project's "
        "file may set only *if allowed*; what it may *never* set belongs to the environment or to your own file."
    )
    lines = [("setting", "type", "values", "environment", "project's file")]
    for setting in fields(Settings):
        kind = {"tuple[str, ...]": "list of texts", "str": "text", "bool": "true or false", "int": "whole number"}
        shown = kind.get(str(setting.type), "number")
        secret = ", never shown" if setting.name in SECRETS else ""
        variable = code(f"{ENVIRONMENT_PREFIX}{setting.name.upper()}")
        lines.append((code(setting.name), shown + secret, values(setting), variable, project_may_set(setting)))
    yield table(*lines)


# HTTP and agents


def json_type(one):
    """What a JSON Schema takes, in words."""
    if "anyOf" in one:
        return " or ".join(dict.fromkeys(json_type(each) for each in one["anyOf"] if each.get("type") != "null"))
    if "enum" in one:
        return ", ".join(code(each) for each in one["enum"])
    if one.get("type") == "array":
        return f"up to {one['maxItems']} of: {json_type(one['items'])}" if "maxItems" in one else json_type(one["items"])
    low, high = one.get("minimum"), one.get("maximum")
    if low is not None or high is not None:
        return f"{low:,} to {high:,}" if high is not None else f"{low:,} or more"
    if one.get("type") == "string":
        most = f", up to {one['maxLength']:,} characters" if "maxLength" in one else ""
        return {"date": "a date"}.get(one.get("format"), "text") + most
    return {"boolean": "true or false", "integer": "whole number", "object": "object"}.get(one.get("type"), "number")


def default_of(one):
    default = one.get("default")
    return "" if default in (None, [], "") else code(str(default).lower())


def http_page():
    document = create_app(None, access=Access()).openapi()
    yield "# HTTP"
    yield (
        "The routes of `search serve`. [The server](../server.md#http) says how to start it, what errors look like and when they "
        "come; `/openapi.json` of a running server has the answers' schemas too. The page is at `/`, and agents ask at `/mcp`."
    )
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            yield f"## `{method.upper()} {path}`"
            yield operation["summary"] + "."
            asked = operation.get("parameters", [])
            if asked:
                yield table(
                    ("parameter", "takes", "default", "what it does"),
                    *(
                        (
                            code(one["name"]) + (" (required)" if one.get("required") else ""),
                            json_type(one["schema"]),
                            default_of(one["schema"]),
                            one.get("description", ""),
                        )
                        for one in asked
                    ),
                )


def tools_page():
    yield "# Agents' tools"
    yield (
        "What an agent is told by `search mcp`, and at `/mcp` of a running server. [AI agents](../agents.md) says how to connect "
        "one."
    )
    for tool in TOOLS:
        yield f"## `{tool.name}`"
        yield tool.description
        yield table(
            ("argument", "takes", "default", "what it does"),
            *(
                (
                    code(name) + (" (required)" if name in tool.required else ""),
                    argument.takes,
                    default_of(argument.schema),
                    argument.told,
                )
                for name, argument in tool.arguments.items()
            ),
        )
    yield "## Instructions"
    yield "The server sends this text to every agent that connects:"
    yield "\n".join(f"> {line}".rstrip() for line in INSTRUCTIONS.splitlines())


# Python


def shown_default(value):
    if isinstance(value, Path):
        return f"Path({value.as_posix()!r})"
    if inspect.isclass(value) or inspect.isfunction(value):
        return value.__name__
    text = repr(value)
    return "..." if " at 0x" in text or text.startswith("<") else text


def signature(name, called):
    """A call as it is written in Python, on one line where it fits."""
    parts, is_keyword_only = [], False
    found = inspect.signature(called)
    for one in found.parameters.values():
        if one.name in ("self", "cls"):
            continue
        if one.kind is one.KEYWORD_ONLY and not is_keyword_only:
            parts.append("*")
        is_keyword_only = is_keyword_only or one.kind in (one.KEYWORD_ONLY, one.VAR_POSITIONAL)
        stars = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
        part = stars + one.name
        if one.annotation is not one.empty:
            part += f": {annotation(one.annotation)}"
        if one.default is not one.empty:
            part += f" = {shown_default(one.default)}"
        parts.append(part)
    answer = "" if found.return_annotation in (found.empty, "None", None) else f" -> {annotation(found.return_annotation)}"
    line = f"{name}({', '.join(parts)}){answer}"
    if len(line) <= 100:
        return line
    return f"{name}(\n" + "".join(f"    {part},\n" for part in parts) + f"){answer}"


def annotation(given):
    return given if isinstance(given, str) else inspect.formatannotation(given)


def described(one):
    """A docstring as Markdown: lists where it has headed parts, code where it has examples."""
    lines, headed = [], False
    for line in (inspect.getdoc(one) or "").splitlines():
        if _HEADED.fullmatch(line):
            headed = True
            lines += [f"**{line.removesuffix(':')}**", ""]
        elif headed and re.match(r" {4}\S", line):
            lines.append(f"* {line.strip()}")
        elif headed and line.strip():
            lines.append(f"  {line.strip()}")
        else:
            lines.append(line)
    text = "\n".join(lines).strip()
    # examples stand as code until the next empty line
    return re.sub(r"^(>>> .*(?:\n.+)*)", r"```pycon\n\1\n```", text, flags=re.MULTILINE)


def methods(kind):
    """The public methods and properties of a class, in the order in which they are written; not those of another class, but
    for one that it extends and that has no entry of its own."""
    public = {each for package in (search, indexer, schema) for each in package.__all__}
    extended = [base for base in kind.__mro__[1:] if base.__module__.startswith(PACKAGES) and base.__name__ not in public]
    written = {name: (of, one) for of in reversed([kind, *extended]) for name, one in vars(of).items()}
    order = dict.fromkeys(name for of in (kind, *extended) for name in vars(of))
    for name, (of, one) in ((name, written[name]) for name in order):
        if name.startswith("_") or (of in extended and name in _OF_VERSIONS):
            continue
        if not (callable(one) or isinstance(one, property | classmethod | staticmethod)):
            continue
        if hasattr(one, "__wrapped__") and one.__qualname__ != f"{of.__qualname__}.{name}":
            continue
        if isinstance(one, property):
            answer = one.fget.__annotations__.get("return", "")
            yield name, f"{name}: {annotation(answer)}" if answer else name, one
        else:
            called = one.__func__ if isinstance(one, classmethod | staticmethod) else one
            start = "async " if inspect.iscoroutinefunction(called) else ""
            yield name, signature(f"{start}{name}", called), called


def entry(name, one):
    """What there is to say about a public name."""
    yield f"### `{name}`"
    if not inspect.isclass(one) and not inspect.isfunction(one):
        choices = ", ".join(code(repr(each)) for each in getattr(one, "__args__", ()))
        yield f"One of {choices}." if choices else f"The value {code(repr(one))}."
        return
    is_called = not inspect.isclass(one) or inspect.isfunction(one.__init__)
    if is_called and Protocol not in getattr(one, "__bases__", ()):
        yield f"```py\n{signature(name, one)}\n```"
    if text := described(one):
        yield text
    if inspect.isclass(one):
        for method, call, called in methods(one):
            yield f"#### `{name}.{method}`"
            yield f"```py\n{call}\n```"
            if text := described(called):
                yield text


def is_error(one):
    return inspect.isclass(one) and issubclass(one, Exception)


def errors_table(names):
    lines = [("error", "is a", "when")]
    for name in names:
        one = getattr(schema, name)
        lines.append((code(name), ", ".join(code(base.__name__) for base in one.__bases__), described(one).split("\n\n")[0]))
    return table(*lines)


def python_page():
    yield "# Python, name by name"
    yield (
        "Every public name with its signature, from the code. [Python](../python.md) shows how to use them. What both packages "
        "have is listed once, where it is found first: `search`, `indexer`, `schema`."
    )
    listed = set()
    for package in (search, indexer, schema):
        names = [name for name in package.__all__ if name not in listed and not is_error(getattr(package, name))]
        names = [name for name in names if name not in ("DISTRIBUTION", "VERSION")]
        # what does something comes before what holds values
        names.sort(key=lambda name: (is_dataclass(getattr(package, name)), name))
        listed.update(names)
        yield f"## Names of `{package.__name__}`"
        for name in names:
            yield from entry(name, getattr(package, name))
    yield "## Errors"
    yield errors_table(name for name in schema.__all__ if is_error(getattr(schema, name)))


PAGES = {"settings": settings_page, "http": http_page, "tools": tools_page, "python": python_page}


def page(name):
    """The text of a page, by the name of its file."""
    return "\n\n".join(PAGES[name]()) + "\n"


def main():
    for name in PAGES:
        (FOLDER / f"{name}.md").write_text(page(name), encoding="utf-8")


if __name__ == "__main__":
    main()
