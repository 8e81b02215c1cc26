"""What a reply should hold, and the error of one that does not; wrong values are refused."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from schema.errors import SectionaryError

Format = Literal["json", "markdown", "tags"]
Source = Literal["section", "h1"]

#: What each kind of error says; the words for no_json are those of the specification.
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
#: Characters of a reply that are shown on each side of where it is wrong.
_CONTEXT = 40


@dataclass(frozen=True, slots=True)
class Field:
    """One value of a record.

    `aliases` are the names it may have in a reply besides its own: headings, tags or keys. Its `source` in Markdown is the
    section below such a heading, or "h1" for the title of the reply.
    """

    name: str
    aliases: tuple[str, ...] = ()
    required: bool = True
    source: Source = "section"

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise ValueError("a field needs a name that is not blank")
        if not isinstance(self.aliases, tuple) or not all(alias.strip() for alias in self.aliases):
            raise ValueError(f"aliases of {self.name!r} must be a tuple of texts that are not blank, not {self.aliases!r}")
        if self.source not in ("section", "h1"):
            raise ValueError(f"source of {self.name!r} must be section or h1, not {self.source!r}")


@dataclass(frozen=True, slots=True)
class ReplySpec:
    """How a reply is written and which fields it has; `schema` (JSON Schema, Draft 2020-12) is what its record must fit.

    JSON may do without fields: then any object is a record.
    """

    format: Format = "json"
    fields: tuple[Field, ...] = ()
    schema: Mapping[str, Any] | None = dataclasses.field(default=None, hash=False)

    def __post_init__(self) -> None:
        if self.format not in ("json", "markdown", "tags"):
            raise ValueError(f"format must be json, markdown or tags, not {self.format!r}")
        names = [field.name for field in self.fields]
        if len(set(names)) < len(names):
            raise ValueError(f"fields must differ in their names, not {names}")
        if self.format != "json" and not self.fields:
            raise ValueError(f"a reply in {self.format} needs fields")
        if sum(field.source == "h1" for field in self.fields) > 1:
            raise ValueError("only one field can be the title")


class ReplyError(SectionaryError):
    """A reply holds no record; `kind` is what a caller decides by, and says whether asking again can help.

    `position` is a character offset in `raw`, the reply as it came; `context` is the text around it, or says what is wrong
    there; `detail` names what was expected.
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
        """What is wrong and where; for no_json only that there is none, since no place is to blame."""
        words = _WORDS[self.kind]
        if self.kind == "no_json":
            return words
        what = f"{words}: {self.detail}" if self.detail else words
        return f"{what}, at character {self.position}: {self.context}" if self.context else what


def reply_error(kind: str, raw: str, position: int, detail: str = "") -> ReplyError:
    """The error at a character offset of `raw`, with the text around it."""
    place = max(0, min(position, len(raw)))
    return ReplyError(kind, place, raw[max(0, place - _CONTEXT) : place + _CONTEXT], raw, detail=detail)
