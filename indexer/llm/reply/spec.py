"""`ReplySpec`: what a reply should contain; `ReplyError`: why it does not. Wrong specifications are refused."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from schema import arguments
from schema.errors import SectionaryError

Format = Literal["json", "markdown", "tags"]
Source = Literal["section", "h1"]

#: The message of each kind of error.
_WORDS = {
    "empty_reply": "the reply holds no answer",
    "no_json": "JSON形式の応答がありません",
    "truncated": "the reply is cut off",
    "malformed": "the reply cannot be read in one way only",
    "too_large": "the reply is larger than 10 MB",
    "too_deep": "the reply is nested more than 100 levels deep",
    "missing_field": "the reply lacks something that is required",
    "schema": "the reply does not fit its schema",
}
#: The characters of a reply that an error shows on each side of its position.
_CONTEXT = 40


@dataclass(frozen=True, slots=True)
class Field:
    """One value of a record.

    `aliases` are other names that it may have in a reply: headings, tags or keys. In Markdown its `source` is the section
    below such a heading, or "h1" for the title of the reply.
    """

    name: str
    aliases: tuple[str, ...] = ()
    required: bool = True
    source: Source = "section"

    def __post_init__(self) -> None:
        if not arguments.text("name", self.name, "the name of a field").strip():
            raise ValueError("a field needs a name that is not blank")
        if not isinstance(self.aliases, tuple) or not all(
            isinstance(alias, str) and alias.strip() for alias in self.aliases
        ):
            raise ValueError(f"aliases of {self.name!r} must be a tuple of texts that are not blank, not {self.aliases!r}")
        if self.source not in ("section", "h1"):
            raise ValueError(f"source of {self.name!r} must be section or h1, not {self.source!r}")


@dataclass(frozen=True, slots=True)
class ReplySpec:
    """The format of a reply, its fields, and a `schema` (JSON Schema, Draft 2020-12) that its record must fit.

    Without fields, which only JSON allows, any object is a record.
    """

    format: Format = "json"
    fields: tuple[Field, ...] = ()
    schema: Mapping[str, Any] | None = dataclasses.field(default=None, hash=False)

    def __post_init__(self) -> None:
        if self.format not in ("json", "markdown", "tags"):
            raise ValueError(f"format must be json, markdown or tags, not {self.format!r}")
        if not isinstance(self.fields, tuple | list):
            raise arguments.wrong("fields", "a tuple of Field", self.fields)
        for field in self.fields:
            arguments.instance("each of fields", field, Field)
        if self.schema is not None:
            arguments.instance("schema", self.schema, Mapping, "a JSON Schema as a mapping")
        names = [field.name for field in self.fields]
        if len(set(names)) < len(names):
            raise ValueError(f"fields must differ in their names, not {names}")
        if self.format != "json" and not self.fields:
            raise ValueError(f"a reply in {self.format} needs fields")
        if sum(field.source == "h1" for field in self.fields) > 1:
            raise ValueError("only one field can be the title")


class ReplyError(SectionaryError):
    """Raised when a reply holds no record; `kind` tells callers why, so that they can decide whether to ask again.

    `raw` is the reply as it came and `position` a character offset in it; `context` is the text around it or a message;
    `detail` names what was expected.
    """

    def __init__(self, kind: str, position: int, context: str, raw: str, *, detail: str = "") -> None:
        if kind not in _WORDS:
            raise ValueError(f"kind must be one of {', '.join(_WORDS)}, not {kind!r}")
        super().__init__(kind, position, context, raw)
        self.kind = kind
        self.position = position
        self.context = context
        self.raw = raw
        self.detail = detail

    def __str__(self) -> str:
        """Return what is wrong and where; no_json has no position."""
        words = _WORDS[self.kind]
        if self.kind == "no_json":
            return words
        what = f"{words}: {self.detail}" if self.detail else words
        return f"{what}, at character {self.position}: {self.context}" if self.context else what


def reply_error(kind: str, raw: str, position: int, detail: str = "") -> ReplyError:
    """Return the error at a character offset of `raw`, with the text around it."""
    at = max(0, min(position, len(raw)))
    return ReplyError(kind, at, raw[max(0, at - _CONTEXT) : at + _CONTEXT], raw, detail=detail)
