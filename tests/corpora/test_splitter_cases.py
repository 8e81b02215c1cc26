"""The cases of the splitter that stand beside the project: every section, its text and its place."""

import json
from pathlib import Path

import pytest

from indexer.discover import decode  # where users find it
from indexer.splitter import MarkdownSplitter

CASES = Path(__file__).resolve().parents[3] / "shared" / "cases" / "splitter"


@pytest.mark.skipif(not CASES.is_dir(), reason="the splitter cases are not beside the project")
def test_splitter_cases_are_all_right():
    wrong = []
    for path in sorted(CASES.glob("*.json")):
        case = json.loads(path.read_text(encoding="utf-8"))
        split = MarkdownSplitter().parse(decode(path.with_suffix(".md").read_bytes()).text, "case.md")
        expected = [(s["depth"], s["heading"], s["order"], s["content"], s["start"], s["end"]) for s in case["sections"]]
        found = [(s.depth, s.heading, s.order, s.content, s.start, s.end) for s in split.sections]
        if found != expected or split.front_matter_raw != case["front_matter_raw"]:
            wrong.append(path.stem)
    assert wrong == []
