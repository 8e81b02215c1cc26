"""The cases of replies that stand beside the project: what must be read is, and no record is invented."""

import json
from pathlib import Path

import pytest

from indexer.llm.reply import Field, ReplyError, ReplySpec, parse_reply

CASES = Path(__file__).resolve().parents[3] / "shared" / "cases" / "replies"
FILES = sorted(CASES.glob("*.jsonl")) if CASES.is_dir() else []

pytestmark = pytest.mark.skipif(not FILES, reason="the reply cases are not beside the project")


def read_specs():
    specs = {None: ReplySpec(format="json")}
    for name, spec in json.loads((CASES / "specs.json").read_text(encoding="utf-8")).items():
        fields = tuple(
            Field(
                field, aliases=tuple(rule.get("aliases", ())), required=rule["required"], source=rule.get("from", "section")
            )
            for field, rule in spec["fields"].items()
        )
        specs[name] = ReplySpec(format=spec["format"], fields=fields)
    return specs


def read_cases(path):
    for line in path.read_text(encoding="utf-8").strip("\n").split("\n"):
        case = json.loads(line)
        prefix, unit, count, suffix = case.get("reply_gen", (case["reply"], "", 0, ""))
        yield case, prefix + unit * count + suffix


def is_right(case, outcome):
    """As the check beside the cases has it; a huge record is given by the length of its one text."""
    if isinstance(outcome, ReplyError):
        if case["level"] == "refuse":
            return outcome.kind in (case["error"], *case.get("also_error", ()))
        return case["level"] == "repair" or outcome.kind in case.get("also_error", ())
    accepted = [*([case["expected"]] if case["level"] != "refuse" else []), *case.get("also_ok", ())]
    lengths = [{"__len__": len(text)} for text in outcome.values() if isinstance(text, str)] if len(outcome) == 1 else []
    return any(one in accepted for one in [outcome, *lengths])


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_reply_is_read_as_it_deserves(path):
    specs, wrong, repaired, repairs = read_specs(), [], 0, 0
    for case, reply in read_cases(path):
        try:
            outcome = parse_reply(reply, specs[case.get("spec")])
        except ReplyError as error:
            outcome = error
        if not is_right(case, outcome):
            wrong.append(case["id"])
        repairs += case["level"] == "repair"
        repaired += case["level"] == "repair" and not isinstance(outcome, ReplyError)
    assert wrong == []
    assert repaired >= 0.85 * repairs
