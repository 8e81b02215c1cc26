"""A raw reply of a language model → a record of the fields that were asked for, or one error that says why there is none.

Three formats: JSON, Markdown with a heading for each field, tagged sections. Refuses what is cut off or can be read in two
ways, and what lacks a required field: a record is never a guess.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from typing import Any

from indexer.llm.reply_json import fenced_json, parse_json, whole_object
from indexer.llm.reply_markdown import parse_markdown
from indexer.llm.reply_spec import Field, ReplyError, ReplySpec, reply_error
from indexer.llm.reply_tags import parse_tags
from indexer.llm.reply_text import BLANKS, check_raw, read_answer

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
#: Headings under which a summary may stand.
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
    """The record of a reply. Fields of Markdown and tags are texts without blanks around them; optional ones may be missing.

    `finish_reason` is what the server said; "length" means that the reply is cut off, however whole it looks.

    Raises:
        ReplyError: there is no record, or it does not fit the schema of `spec`.

    >>> parse_reply('Sure: {"a": 1}', ReplySpec())
    {'a': 1}
    >>> parse_reply("## Summary\\n\\nShort.", ReplySpec(format="markdown", fields=(Field("summary"),)))
    {'summary': 'Short.'}
    """
    check_raw(raw)
    if finish_reason == "length":
        raise reply_error("truncated", raw, len(raw), "the model reached its limit of tokens")
    try:
        record = _PARSERS[spec.format](raw, spec)
    except ReplyError as error:
        texts = _from_json(raw, spec) if error.kind == "missing_field" and spec.format != "json" else None
        if texts is None:
            raise
        record = texts
    if spec.schema is not None:
        check_schema(raw, record, spec.schema)
    return record


def parse_markdown_response(raw: str) -> tuple[dict[str, Any], str | None]:
    """The title, summary and summary_content of a reply in Markdown, and no error; or nothing, and what is wrong."""
    try:
        return parse_reply(raw, KNOWLEDGE), None
    except ReplyError as error:
        return {}, str(error)


def extract_section(tag: str, text: str) -> str:
    """The text between `<tag>` and its closing tag, blanks around it trimmed; "" if there is none. SECTION: may be left out.

    >>> extract_section("SECTION:SUMMARY", "<SECTION:SUMMARY> Short. </SECTION:SUMMARY>")
    'Short.'
    """
    name = tag.strip()
    name = name[len("section:") :].strip() if name.casefold().startswith("section:") else name
    if not name:
        return ""
    try:
        return str(parse_reply(text, ReplySpec(format="tags", fields=(Field(name),)))[name])
    except ReplyError:
        return ""


def extract_json_from_code_block(text: str) -> str | None:
    """The JSON of the first code fence that holds an object, as it is written there; None if there is none.

    >>> extract_json_from_code_block('```json\\n{"a": 1}\\n```')
    '{"a": 1}'
    """
    return fenced_json(text)


def _from_json(raw: str, spec: ReplySpec) -> dict[str, Any] | None:
    """The record of a reply that is JSON although another format was asked for: texts under the names of the fields."""
    whole = whole_object(read_answer(raw).text)
    if whole is None or not all(isinstance(value, str) for value in whole.values()):
        return None
    texts = {field.name: whole.pop(field.name, "").strip(BLANKS) for field in spec.fields}
    if whole or not all(texts[field.name] for field in spec.fields if field.required):
        return None
    return {name: text for name, text in texts.items() if text}


def check_schema(raw: str, record: Any, schema: Mapping[str, Any]) -> None:
    """Hold what was read from `raw`, or a part of it, against a JSON Schema (Draft 2020-12).

    Raises:
        ReplyError: of kind schema, with the error that says most and its place in the record.
    """
    from jsonschema.exceptions import best_match

    error = best_match(_validator(json.dumps(schema, sort_keys=True)).iter_errors(record))
    if error is not None:
        raise reply_error("schema", raw, 0, f"at {error.json_path}: {error.message}")


@functools.lru_cache(maxsize=8)
def _validator(schema: str) -> Any:
    """Built once for each schema, given as JSON."""
    from jsonschema import Draft202012Validator

    return Draft202012Validator(json.loads(schema))
