"""The arguments of agents' tools: what each takes, as a JSON Schema and in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from schema.errors import SectionaryError
from search.answers.budget import MIN_TOKENS

#: Bounds of what one call may ask for.
MAX_QUERY, MAX_LIMIT, MAX_OFFSET, MAX_TOKENS = 2000, 50, 1_000_000, 20_000
#: Agents' clients warn of answers above 10,000 tokens; five hits of `sample_docs` take 4,000.
DEFAULT_LIMIT, DEFAULT_TOKENS = 5, 6000


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
    more='Any language of the documents; identifiers are found whole and in parts; words in "quotes" must stand so. '
    'Examples: "how do I rotate the signing key?", "ERR_CONN_RESET", "証明書の有効期限".',
)
MODE = Argument(
    takes='"hybrid", "lexical" or "dense"',
    schema={"type": "string", "enum": ["hybrid", "lexical", "dense"], "default": "hybrid"},
    more='Leave it at "hybrid" (words and meaning); "lexical" (words alone) needs no model, "dense" goes by meaning alone.',
)
TOKENS = Argument(
    takes=f"a whole number from {MIN_TOKENS} to {MAX_TOKENS:,}",
    schema=whole(MIN_TOKENS, MAX_TOKENS, DEFAULT_TOKENS),
    more="The answer's JSON is never longer than this many tokens.",
)
OFFSET = Argument(
    takes=f"a whole number from 0 to {MAX_OFFSET:,}",
    schema=whole(0, MAX_OFFSET, 0),
    more="Leaves out so many of the first; take it from next_offset of the answer before.",
)
FILTERS: dict[str, Argument] = {
    "path": Argument(
        takes="an array of 1 to 20 path prefixes or globs",
        schema=several(text(500)),
        more='Only these documents. Examples: ["docs/guide/"], ["**/README.md"].',
    ),
    "depth": Argument(
        takes="an array of heading depths, each 0 to 3",
        schema=several({"type": "integer", "minimum": 0, "maximum": 3}, 4),
        more="Only such sections; 0 is the text before the first heading.",
    ),
    "tags": Argument(
        takes="an array of 1 to 20 tags",
        schema=several(text(200)),
        more="Only documents whose front matter has one of these tags.",
    ),
    "fields": Argument(
        takes="an object of front-matter fields and the text each must have",
        schema={"type": "object", "additionalProperties": {"type": "string", "maxLength": 500}, "maxProperties": 20},
        more='Only documents that have them all. Example: {"status": "draft"}.',
    ),
    "language": Argument(
        takes="an array of 1 to 20 language codes of 2 or 3 letters",
        schema=several({"type": "string", "pattern": "^[A-Za-z]{2,3}$", "maxLength": 3}),
        more='Only sections in these languages. Example: ["ja", "en"].',
    ),
    "since": Argument(
        takes="a date such as 2026-11-01 or an age such as 12h, 7d or 2w",
        schema=text(40),
        more="Only documents whose files were modified since.",
    ),
    "clean": Argument(
        takes="true or false",
        schema={"type": "boolean", "default": False},
        more="True leaves out sections that were changed after their vector was made.",
    ),
}
