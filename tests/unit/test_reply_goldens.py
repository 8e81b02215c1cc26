"""Raw replies of language models and the record or the kind of error that must come of them: tests/goldens/replies.

The folder of a reply names what was asked for, by `specs.json` or as a turn of a talk. Beside each `NAME.txt` stands
`NAME.json` with either `record` or `error`; the name says what the reply shows. A `fault` says why the reader is wrong about
a reply so far: who corrects it removes the line.
"""

import json
from pathlib import Path

import pytest

from indexer.llm.prompts import load_schema
from indexer.llm.reply import Field, ReplyError, ReplySpec, parse_reply
from indexer.llm.turns import parse_and_validate_turn

FOLDER = Path(__file__).resolve().parents[1] / "goldens" / "replies"
REPLIES = sorted(FOLDER.glob("*/*.txt"))


def read_spec(written):
    fields = tuple(Field(**{**field, "aliases": tuple(field.get("aliases", ()))}) for field in written.get("fields", ()))
    return ReplySpec(format=written["format"], fields=fields, schema=written.get("schema"))


SPECS = {name: read_spec(spec) for name, spec in json.loads((FOLDER / "specs.json").read_text(encoding="utf-8")).items()}


def named(path):
    return f"{path.parent.name}/{path.stem}"


def read_golden(path):
    """The raw reply as it came, and what must come of it."""
    return path.read_bytes().decode(), json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))


def outcome(kind, raw, finish_reason=None):
    """What a reply to a request of this kind comes to: {"record": …} or {"error": kind}."""
    if kind == "turn":
        turn = parse_and_validate_turn(raw, load_schema("turn"), load_schema("entry"), finish_reason=finish_reason)
        if not turn.ok:
            return {"error": turn.error_kind}
        names = ("assistant_message", "mode", "phase")
        lists = {"missing_info": list(turn.missing_info), "knowledge": list(turn.knowledge)}
        return {"record": {**{name: getattr(turn, name) for name in names}, **lists}}
    try:
        return {"record": parse_reply(raw, SPECS[kind], finish_reason=finish_reason)}
    except ReplyError as error:
        return {"error": error.kind}


def with_known_faults(path):
    fault = read_golden(path)[1].get("fault")
    return pytest.param(path, marks=pytest.mark.xfail(reason=fault, strict=True) if fault else ())


@pytest.mark.parametrize("path", map(with_known_faults, REPLIES), ids=map(named, REPLIES))
def test_reply_comes_to_the_expected_record_or_error(path):
    raw, expected = read_golden(path)
    found = outcome(path.parent.name, raw, expected.get("finish_reason"))
    assert found == {name: expected[name] for name in expected if name in ("record", "error")}


@pytest.mark.parametrize("path", [path for path in REPLIES if path.parent.name in ("object", "product", "turn")], ids=named)
def test_no_part_of_a_json_reply_comes_to_another_record(path):
    raw, expected = read_golden(path)
    for end in range(len(raw)):
        found = outcome(path.parent.name, raw[:end])
        assert "error" in found or found == expected, raw[:end]


def is_tagged_record(path):
    raw, expected = read_golden(path)
    return path.parent.name == "report" and "SECTION" in raw and "record" in expected


@pytest.mark.parametrize("path", filter(is_tagged_record, REPLIES), ids=named)
def test_no_part_of_a_tagged_reply_comes_to_another_text_of_a_section(path):
    raw, expected = read_golden(path)
    for end in range(len(raw)):
        found = outcome(path.parent.name, raw[:end])
        assert "error" in found or found["record"].items() <= expected["record"].items(), raw[:end]


@pytest.mark.parametrize("path", REPLIES, ids=named)
def test_reply_at_the_limit_of_tokens_is_never_a_record(path):
    raw, _ = read_golden(path)
    assert outcome(path.parent.name, raw, "length") == {"error": "truncated"}


def test_every_reply_has_its_expectation_and_every_expectation_its_reply():
    assert REPLIES
    expectations = sorted(FOLDER.glob("*/*.json"))
    assert list(map(named, REPLIES)) == list(map(named, expectations))
    assert {path.parent.name for path in REPLIES} == {*SPECS, "turn"}
