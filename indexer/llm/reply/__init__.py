"""A raw reply of a language model → a record of the fields that were asked for, or an error that says why there is none.

Reads three formats: JSON, Markdown with a heading for each field, tagged sections. Refuses a reply that is cut off, can be
read in two ways or lacks a required field, so that a record is never a guess.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import re
from collections.abc import Mapping
from typing import Any

from indexer.llm.reply.json_format import fenced_json, find_object, parse_json
from indexer.llm.reply.locations import is_page
from indexer.llm.reply.markdown_format import parse_markdown
from indexer.llm.reply.names import named
from indexer.llm.reply.spec import Field, Format, ReplyError, ReplySpec, reply_error
from indexer.llm.reply.tags_format import parse_tags
from indexer.llm.reply.text import BLANKS, BrokenError, check_raw, read_answer
from schema import arguments

__all__ = [
    "KNOWLEDGE",
    "SUMMARY_ALIASES",
    "Field",
    "ReplyError",
    "ReplySpec",
    "check_schema",
    "extract_json_from_code_block",
    "extract_section",
    "parse_markdown_response",
    "parse_reply",
]

_PARSERS = {"json": parse_json, "markdown": parse_markdown, "tags": parse_tags}
_SECTION_TAG = re.compile(r"section\s{0,9}[:：_]|[<\[]/?\s{0,9}section", re.IGNORECASE)
#: Headings that a summary may have.
SUMMARY_ALIASES = ("要約", "要旨", "概要", "サマリー", "サマリ", "Summary", "요약")
#: A reply to the prompt knowledge_extraction.
KNOWLEDGE = ReplySpec(
    format="markdown",
    fields=(
        Field("title", aliases=("タイトル", "題名", "Title", "제목"), source="h1"),
        Field("summary", aliases=SUMMARY_ALIASES),
        Field(
            "summary_content",
            aliases=("内容", "本文", "詳細", "Content", "Contents", "Details", "Body", "내용", "본문"),
        ),
    ),
)


def parse_reply(raw: str, spec: ReplySpec, *, finish_reason: str | None = None) -> dict[str, Any]:
    """Return the record of a reply. Fields of Markdown and tags are texts without blanks around them.

    Optional fields may be missing. `finish_reason` is the server's; "length" means that the reply is cut off, even if it
    looks complete.

    Raises:
        ReplyError: there is no record, or it does not fit the schema of `spec`.
        ArgumentError: `raw` is no text, or `spec` no specification.

    >>> parse_reply('Sure: {"a": 1}', ReplySpec())
    {'a': 1}
    >>> parse_reply("## Summary\\n\\nShort.", ReplySpec(format="markdown", fields=(Field("summary"),)))
    {'summary': 'Short.'}
    """
    arguments.text("raw", raw, "the text of a reply")
    arguments.instance("spec", spec, ReplySpec)
    check_raw(raw)
    if finish_reason == "length":
        raise reply_error("truncated", raw, len(raw), "the model reached its limit of tokens")
    try:
        record = _PARSERS[spec.format](raw, spec)
    except ReplyError as error:
        other = _in_another_format(raw, spec) if error.kind == "missing_field" and spec.format != "json" else None
        if other is None:
            raise
        record = other
    if spec.schema is not None:
        check_schema(raw, record, spec.schema)
    return record


def parse_markdown_response(raw: str) -> tuple[dict[str, Any], str | None]:
    """Return the title, summary and summary_content of a reply in Markdown and None; if it has none, {} and the error."""
    try:
        return parse_reply(raw, KNOWLEDGE), None
    except ReplyError as error:
        return {}, str(error)


def extract_section(tag: str, text: str) -> str:
    """Return the text between `<tag>` and its closing tag without blanks around it; "" if there is none.

    `tag` may be given without SECTION:.

    >>> extract_section("SECTION:SUMMARY", "<SECTION:SUMMARY> Short. </SECTION:SUMMARY>")
    'Short.'
    """
    name = arguments.text("tag", tag, "the name of a tag").strip()
    arguments.text("text", text)
    name = name[len("section:") :].strip() if name.casefold().startswith("section:") else name
    if not name:
        return ""
    try:
        check_raw(text)
        return parse_tags(text, ReplySpec(format="tags", fields=(Field(name),)))[name]
    except ReplyError:
        return ""


def extract_json_from_code_block(text: str) -> str | None:
    """Return the JSON of the first code fence that holds an object, as it is written there; None if there is none.

    >>> extract_json_from_code_block('```json\\n{"a": 1}\\n```')
    '{"a": 1}'
    """
    return fenced_json(arguments.text("text", text))


def _in_another_format(raw: str, spec: ReplySpec) -> dict[str, Any] | None:
    """Return the record of a reply in another format than was asked for: JSON, else tags for Markdown or the reverse."""
    text = read_answer(raw).text
    if is_page(text):
        return None
    record = _from_json(text, spec)
    if record is not None or (spec.format == "tags" and _SECTION_TAG.search(text)):
        return record
    other: Format = "tags" if spec.format == "markdown" else "markdown"
    try:
        return _PARSERS[other](raw, dataclasses.replace(spec, format=other))
    except ReplyError:
        return None


def _from_json(text: str, spec: ReplySpec) -> dict[str, Any] | None:
    """Return the record of a reply that is JSON with texts for the fields and nothing else."""

    def texts(found: dict[str, Any]) -> dict[str, Any] | None:
        record = named(found, spec.fields) or {}
        names = {field.name for field in spec.fields}
        if not record or not record.keys() <= names or not all(isinstance(value, str) for value in record.values()):
            return None
        record = {name: value.strip(BLANKS) for name, value in record.items()}
        return record if all(record[field.name] for field in spec.fields if field.required) else None

    try:
        record = texts(find_object(text, lambda found: texts(found) is not None).record)
    except BrokenError:
        return None
    return {name: value for name, value in record.items() if value} if record else None


def check_schema(raw: str, record: Any, schema: Mapping[str, Any]) -> None:
    """Validate what was read from `raw`, or a part of it, by a JSON Schema (Draft 2020-12).

    Raises:
        ReplyError: of kind schema, with the most relevant error and its path in the record.
    """
    from jsonschema.exceptions import best_match

    error = best_match(_validator(json.dumps(schema, sort_keys=True)).iter_errors(record))
    if error is not None:
        raise reply_error("schema", raw, 0, f"at {error.json_path}: {error.message}")


@functools.lru_cache(maxsize=8)
def _validator(schema: str) -> Any:
    """Return the validator of a schema that is given as JSON; it is built once."""
    from jsonschema import Draft202012Validator

    return Draft202012Validator(json.loads(schema))
