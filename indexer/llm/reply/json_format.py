"""A reply → the JSON object that answers: the whole reply, else the first in a fence, else the first in its prose.

Refuses objects that are cut off, nested too deep, hold NaN or lone surrogates, or can be read in two ways: then an object
inside them is not the answer either. Each character is read a bounded number of times.
"""

from __future__ import annotations

from typing import Any

from indexer.llm.reply.json_scanner import Fits, Found, JsonScanner
from indexer.llm.reply.locations import Location
from indexer.llm.reply.names import fields_of, missing, named
from indexer.llm.reply.objects import whole_object
from indexer.llm.reply.spec import ReplySpec, reply_error
from indexer.llm.reply.text import BrokenError, read_answer
from indexer.llm.reply.wrapping import (
    without_doubled_braces,
    without_doubled_quotes,
    without_entities,
    without_escapes,
    without_line_numbers,
    without_quote_marks,
)

#: How JSON may be written in another form; the first one that a text is written in counts.
_OTHER_FORMS = (without_escapes, without_entities, without_doubled_quotes, without_doubled_braces, without_quote_marks)


def parse_json(raw: str, spec: ReplySpec) -> dict[str, Any]:
    """Return the record of a reply in JSON, with its fields first, under their own names.

    Raises:
        ReplyError: there is none.
    """
    fields = fields_of(spec)
    whole = whole_object(raw)
    if whole is None:
        answer = read_answer(raw)
        try:
            whole = find_object(answer.text, lambda record: named(record, fields) is not None).record
        except BrokenError as error:
            raise answer.error(error.kind, error.position) from None
    record = named(whole, fields)
    if record is not None:
        return record
    if spec.fields:
        raise reply_error("missing_field", raw, 0, f"there is no {missing(whole, fields)!r}")
    return whole  # the fields are those of a schema, whose check names what is missing


def find_object(text: str, fits: Fits | None = None) -> Found:
    """Return the object that answers: of those that fit, the first one in the best location.

    Raises:
        BrokenError: there is none.
    """
    if not any(character in text for character in "{}｛"):
        raise BrokenError("no_json", 0)
    # line numbers come off first: a brace and its key may stand on two numbered lines
    unnumbered = without_line_numbers(text)
    if unnumbered is not None:
        return _find_in_other_form(unnumbered, fits)
    try:
        return JsonScanner(text, fits).scan()
    except BrokenError as error:
        for without_form in _OTHER_FORMS:
            may_help = error.kind == "no_json" or (error.kind == "malformed" and without_form is without_doubled_braces)
            plain = without_form(text) if may_help else None
            if plain is not None:
                return _find_in_other_form(plain, fits)
        raise


def _find_in_other_form(plain: str, fits: Fits | None) -> Found:
    """Return the object in a text that was rewritten, so that offsets in it mean nothing to the reader of the reply."""
    try:
        return Found(JsonScanner(plain, fits).scan().record)
    except BrokenError as error:
        raise BrokenError(error.kind, 0) from None


def fenced_json(text: str) -> str | None:
    """Return the source of the object that answers, if it stands in a fence for JSON or without a language."""
    try:
        found = find_object(text)
    except BrokenError:
        return None
    return text[found.start : found.end] if found.location < Location.PROSE and found.end else None
