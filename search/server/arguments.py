"""The arguments of agents' tools: what each takes, as a JSON Schema and in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from schema import requests
from schema.errors import SectionaryError
from schema.requests import MAX_QUERY, PARAMETERS, Parameter
from search.answers.budget import MIN_TOKENS

#: Bounds of what one call may ask for.
MAX_TOKENS = 20_000
#: Agents' clients warn of answers above 10,000 tokens.
DEFAULT_TOKENS = 6000
#: What of a schema a model needs to know beforehand; other bounds are told when they are crossed.
_INSIDE = ("items", "additionalProperties")
_LISTED = ("type", "enum", "minimum", "maximum", "default", *_INSIDE)
#: A bound above this is not met by chance.
_FAR = 100_000


class ArgumentError(SectionaryError):
    """A tool was called with arguments that it does not take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """An argument; `takes` follows its name in the sentence that refuses a value, `told` describes it to a model."""

    takes: str
    schema: Mapping[str, Any]
    told: str = ""

    def described(self, *, is_brief: bool = False) -> dict[str, Any]:
        """The JSON Schema for a model, without a default that is nothing; a brief one has no words, choices or bounds."""
        listed = _listed(self.schema, ("type", *_INSIDE) if is_brief else _LISTED)
        if not listed.get("default", True):
            del listed["default"]
        return listed if is_brief or not self.told else {**listed, "description": self.told}


def _listed(schema: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return these keywords of a schema, without the bounds that a model need not know beforehand."""
    bounds = {"minimum", "maximum"} if schema.get("maximum", 0) > _FAR else set()
    kept = {name: schema[name] for name in names if name in schema and name not in bounds}
    return {name: _listed(value, names) if isinstance(value, Mapping) else value for name, value in kept.items()}


def text(longest: int, **more: Any) -> dict[str, Any]:
    return {"type": "string", "minLength": 1, "maxLength": longest, "pattern": requests.NOT_BLANK, **more}


def whole(least: int, most: int, default: int) -> dict[str, Any]:
    return {"type": "integer", "minimum": least, "maximum": most, "default": default}


def several(of: Mapping[str, Any], most: int = 20) -> dict[str, Any]:
    return {"type": "array", "items": of, "minItems": 1, "maxItems": most}


QUERY = Argument(
    takes=f"a question or words, 1 to {MAX_QUERY:,} characters",
    schema=text(MAX_QUERY),
    told='A question or words in any language; words in "quotes" must stand so; path:guide/ '
    "tag:api lang:ja since:7d and, last, -word limit it.",
)
CONTENT = Argument(
    takes="true or false",
    schema={"type": "boolean", "default": False},
    told="True adds the whole section, its scores and its neighbours' ids to each hit.",
)
TOKENS = Argument(
    takes=f"a whole number from {MIN_TOKENS} to {MAX_TOKENS:,}",
    schema=whole(MIN_TOKENS, MAX_TOKENS, DEFAULT_TOKENS),
    told="The answer is never longer.",
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
    return Argument(takes=parameter.takes, schema=schema, told=f"{parameter.help} {parameter.advice}".strip())


#: What a search may be asked for beside its query, and what of it a context may.
OF_A_SEARCH = {parameter.name: argument_of(parameter) for parameter in PARAMETERS}
OF_A_CONTEXT = {name: OF_A_SEARCH[name] for name in requests.OF_A_CONTEXT}
OF_CHANGES = {parameter.name: argument_of(parameter) for parameter in requests.OF_CHANGES if parameter.name != "limit"}
OFFSET = Argument(
    takes=OF_A_SEARCH["offset"].takes,
    schema=OF_A_SEARCH["offset"].schema,
    told="Leave out this many: next_offset of the answer before.",
)
