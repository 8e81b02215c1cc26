"""The arguments of agents' tools: what each takes, as a JSON Schema and in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from schema import requests
from schema.errors import SectionaryError
from schema.requests import PARAMETERS, Parameter
from search.answers.budget import MIN_TOKENS

#: Bounds of what one call may ask for.
MAX_QUERY, MAX_TOKENS = 2000, 20_000
#: Agents' clients warn of answers above 10,000 tokens.
DEFAULT_TOKENS = 6000


class ArgumentError(SectionaryError):
    """A tool was called with arguments that it does not take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """An argument; `takes` follows its name in sentences, `more` is for its description alone."""

    takes: str
    schema: Mapping[str, Any]
    more: str = ""

    def described(self) -> dict[str, Any]:
        """The JSON Schema with the description."""
        description = f"{self.takes[0].upper()}{self.takes[1:]}. {self.more}".strip()
        return {**self.schema, "description": description}


def text(longest: int, **more: Any) -> dict[str, Any]:
    return {"type": "string", "minLength": 1, "maxLength": longest, "pattern": r"\S", **more}


def whole(least: int, most: int, default: int) -> dict[str, Any]:
    return {"type": "integer", "minimum": least, "maximum": most, "default": default}


def several(of: Mapping[str, Any], most: int = 20) -> dict[str, Any]:
    return {"type": "array", "items": of, "minItems": 1, "maxItems": most}


QUERY = Argument(
    takes=f"a question or words, 1 to {MAX_QUERY:,} characters",
    schema=text(MAX_QUERY),
    more='Any language of the documents; identifiers are found whole and in parts; words in "quotes" must stand so; '
    "path:guide/ title:install tag:api lang:ja since:7d and, last, -word limit it, unless `literal`. "
    'Examples: "how do I rotate the signing key?", "ERR_CONN_RESET", "証明書の有効期限".',
)
TOKENS = Argument(
    takes=f"a whole number from {MIN_TOKENS} to {MAX_TOKENS:,}",
    schema=whole(MIN_TOKENS, MAX_TOKENS, DEFAULT_TOKENS),
    more="The answer's JSON is never longer than this many tokens.",
)


def argument_of(parameter: Parameter) -> Argument:
    """The argument that agents give for a parameter of searches."""
    schema, default = parameter.value_schema("agents"), parameter.default_at("agents")
    if parameter.name == "fields":
        value = {"type": "string", "maxLength": schema["maxLength"]}
        schema = {"type": "object", "additionalProperties": value, "maxProperties": parameter.most}
    elif parameter.most > 1:
        schema = several(schema, parameter.most)
    elif default is not None:
        schema = {**schema, "default": default}
    return Argument(takes=parameter.takes, schema=schema, more=f"{parameter.help} {parameter.advice}".strip())


#: What a search may be asked for beside its query, and what of it a context may.
OF_A_SEARCH = {parameter.name: argument_of(parameter) for parameter in PARAMETERS}
OF_A_CONTEXT = {name: OF_A_SEARCH[name] for name in requests.OF_A_CONTEXT}
OFFSET = OF_A_SEARCH["offset"]
