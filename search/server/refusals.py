"""What the framework says of a parameter that cannot be used → one sentence that says what the parameter takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel

from schema import arguments
from schema.clock import MOMENTS
from schema.text.characters import one_line

#: Most characters of a name in a sentence.
_SHOWN = 100
#: The kind of the error that a parameter of one value is given several times.
_REPEATED = "repeated"
#: What a parameter takes that its schema does not say in words.
_TAKES = {
    "prefer_recent": "an age such as 90d or 12w",
    "field": "name=value, as in field=status=draft",
    "language": "a language code such as en, ja or ko",
    "since": MOMENTS,
    "section_id": "the id of a section, as a search shows it, or its first 6 or more digits",
}


async def refuse_repeated(request: Request) -> None:
    """Refuse a request that gives a parameter of one value several times, of which all but one would be lost.

    Raises:
        RequestValidationError: it does.
    """
    times = Counter(name for name, _ in request.query_params.multi_items())
    repeated = {name for name, count in times.items() if count > 1}
    schemas = _schemas(request) if repeated else {}  # which takes a millisecond
    for name in sorted(repeated & schemas.keys()):
        if schemas[name].get("type") != "array":
            raise RequestValidationError([{"type": _REPEATED, "loc": ("query", name), "times": times[name]}])


def refusal_of(request: Request, error: Mapping[str, Any]) -> str:
    """Return the sentence for an error of a request: which parameter it is about and what that takes. The value is not
    repeated, since it may be private, except by a filter that says what it cannot read."""
    parts = [str(part) for part in error["loc"][1:]]
    name = one_line((parts or ["?"])[0][:_SHOWN])
    schemas = _schemas(request)
    if error["type"] == "extra_forbidden":
        if not schemas:
            return f"There is no parameter {name}; {request.url.path[:_SHOWN]} takes none."
        return f"There is no parameter {name}{arguments.meant(name, schemas)}; there are {', '.join(schemas)}."
    schema = schemas.get(name, {})
    takes = _TAKES.get(name) or _takes(schema)
    if error["type"] == _REPEATED:
        return f"The parameter {name} can be given once, not {error['times']:,} times."
    if error["type"] == "missing":
        return f"The parameter {name} is missing; it takes {takes}."
    if error["type"] == "too_long" and "maxItems" in schema:
        return f"The parameter {name} can be given {schema['maxItems']} times, not {len(error['input']):,} times."
    reason = error.get("ctx", {}).get("error")
    if error["type"] == "value_error" and reason is not None:
        return f"{str(reason).rstrip('.')}."
    return f"The parameter {name} takes {takes}."


def _schemas(request: Request) -> dict[str, dict[str, Any]]:
    """Return the JSON Schemas of the parameters that the route of a request takes, by name."""
    found: dict[str, dict[str, Any]] = {}
    dependant = getattr(request.scope.get("route"), "dependant", None)
    for field in getattr(dependant, "query_params", ()):
        kind = field.field_info.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            found |= kind.model_json_schema()["properties"] if kind.model_fields else {}
    return found


def _takes(schema: Mapping[str, Any]) -> str:
    """Return what values of a JSON Schema are, in words."""
    some: Sequence[Mapping[str, Any]] = [one for one in schema.get("anyOf", ()) if one.get("type") != "null"]
    schema = schema.get("items") or (some[0] if some else schema)
    if "enum" in schema or "const" in schema:
        *others, last = map(str, schema.get("enum", [schema.get("const")]))
        return f"{', '.join(others)} or {last}" if others else last
    kind = schema.get("type")
    if kind == "boolean":
        return "true or false"
    if kind in ("integer", "number"):
        what = "a whole number" if kind == "integer" else "a number"
        least, most = schema.get("minimum"), schema.get("maximum")
        return f"{what} from {least:,} to {most:,}" if least is not None and most is not None else what
    longest = schema.get("maxLength")
    return f"a text of 1 to {longest:,} characters that is not blank" if longest else "a text that is not blank"
