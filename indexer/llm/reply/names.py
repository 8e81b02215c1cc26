"""The object of a JSON reply → a record with the fields of a specification under their own names.

A key may differ in case, blanks, `_` and `-`, and the record may stand inside a wrapper ({"result": {…}}, a function call),
if there is only one reading.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from indexer.llm.reply.objects import DECODER
from indexer.llm.reply.spec import Field, ReplySpec
from schema.text.normal_form import compatible

_NOT_LETTERS = re.compile(r"[\W_]+")
#: The deepest wrapper around a record.
_MOST_WRAPPERS = 4


def fields_of(spec: ReplySpec) -> tuple[Field, ...]:
    """Return the fields of a specification; if it has none, those that its schema names."""
    if spec.fields or spec.schema is None:
        return spec.fields
    required = spec.schema.get("required", ())
    return tuple(Field(name, required=name in required) for name in spec.schema.get("properties", {}) if name.strip())


def named(record: Mapping[str, Any], fields: Sequence[Field]) -> dict[str, Any] | None:
    """Return the record with its fields first, under their own names; None if a required one is missing."""
    own = _own_names(record, fields)
    if own is not None:
        return own
    if any(_key_of(field, record) is not None for field in fields):
        return None  # a part of the record is here and another part in a wrapper
    inner = [each for value in record.values() for each in _records(value, fields, _MOST_WRAPPERS)]
    return inner[0] if len(inner) == 1 else None


def missing(record: Mapping[str, Any], fields: Sequence[Field]) -> str:
    """Return the name of the first required field that a record lacks."""
    return next(field.name for field in fields if field.required and _key_of(field, record) is None)


def _own_names(record: Mapping[str, Any], fields: Sequence[Field]) -> dict[str, Any] | None:
    rest, found = dict(record), {}
    for field in fields:
        key = _key_of(field, rest)
        if key is not None:
            found[field.name] = rest.pop(key)
        elif field.required:
            return None
    return {**found, **rest}


def _key_of(field: Field, record: Mapping[str, Any]) -> str | None:
    """Return the key of a field: its name, else an alias, else the only key that differs from them in case or separators."""
    names = (field.name, *field.aliases)
    exact = next((name for name in names if name in record), None)
    if exact is not None:
        return exact
    folded = {_folded(name) for name in names}
    alike = [key for key in record if _folded(key) in folded]
    return alike[0] if len(alike) == 1 else None


def _folded(name: str) -> str:
    return _NOT_LETTERS.sub("", compatible(name).casefold()) or name


def _records(value: Any, fields: Sequence[Field], depth: int) -> Iterator[dict[str, Any]]:
    """Yield the records with all required fields in a value: an object, a list with one object, or either as a JSON text."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            value = DECODER.decode(value)
        except (ValueError, RecursionError):
            return
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if not isinstance(value, dict) or not depth:
        return
    own = _own_names(value, fields)
    if own is not None:
        yield own
        return
    for each in value.values():
        yield from _records(each, fields, depth - 1)
