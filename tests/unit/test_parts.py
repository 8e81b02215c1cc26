"""The part of a page that tells what the question asks for, why or how, stands before its other parts."""

from dataclasses import replace

import numpy as np
import pytest

from search.ranking.parts import part_first
from search.ranking.query import parse_query
from search.ranking.rank import rank
from tests.unit.test_relevance import snapshot

FAILOVER = """# Database failover

The replica takes over from the primary.

## When to do it

Fail over the database if the primary is gone.

## Steps

1. Promote the replica.
2. Tell the team.

## Rolling back

Go back after the primary was mended.
"""
DECISION = """# Leave RabbitMQ

## Consequences

We left RabbitMQ, so the workers poll a table.

## Context

RabbitMQ was down three times in a month.

## Status

Accepted in May.
"""
JAPANESE = "# 二重請求\n\n## 概要\n\n顧客に二重に請求した。\n\n## 根本原因\n\n再試行が重なった。\n"
KOREAN = "# 이중 청구\n\n## 요약\n\n고객에게 이중으로 청구했다.\n\n## 근본 원인\n\n재시도가 겹쳤다.\n"


PIPELINE = """# Pipeline

A pipeline builds the code.

## Triggers

The command ci starts it.

## Steps

A step has a name and a script.
"""
OUTAGE = """# Checkout outage

## Summary

Payments failed: an expired certificate at the gateway made checkout fail.

## Background

Checkout is made of three services.
"""
LOGIN = "# ログイン\n\n## サポート\n\nどうしてもログインできないときは窓口に連絡。\n\n## 原因\n\n窓口の連絡先は内線123。\n"


def after(query, *, first, page=DECISION, near=None, likely=(0.9, 0.9)):
    """The heading of the first section after the step, where the one with the heading `first` was first; `near`: the cosine of
    each section, by its heading; `likely`: the relevance of the first section and of the part."""
    index = snapshot(page=page, other="# Other\n\n## Steps\n\nWalk.\n\n## Context\n\nTalk.\n")
    asked = parse_query(query)
    ranking = rank(index, asked, None, mode="lexical", dense_weight=0.0, allowed=np.ones(index.rows, np.bool_))
    headings = [text.splitlines()[0].lstrip("# ") for text in index.contents(range(index.rows))]
    begin = headings.index(first)
    total = np.array([0.9 if row == begin else 0.5 for row in range(index.rows)])
    raw = {"dense": np.array([near.get(heading, 0.5) for heading in headings])} if near else {}
    ranking = replace(ranking, total=total, order=np.argsort(-total, kind="stable"), raw=raw)
    found, lent = part_first(index, asked, ranking, lambda _: likely)
    moved = int(found.order[0])
    assert lent == ({moved: begin} if moved != begin else {})
    assert index.document[moved] == index.document[begin]
    return headings[moved]


@pytest.mark.parametrize(
    ("query", "first", "page", "expected"),
    [
        ("why did we leave rabbitmq", "Consequences", DECISION, "Context"),
        ("what was the reason to leave rabbitmq", "Consequences", DECISION, "Context"),
        ("how do I fail over the database", "When to do it", FAILOVER, "Steps"),
        ("how do I fail over the database", "Database failover", FAILOVER, "Steps"),
        ("なぜ二重に請求したのですか", "概要", JAPANESE, "根本原因"),
        ("왜 이중으로 청구했나요", "요약", KOREAN, "근본 원인"),
        ("why can't we use rabbitmq", "Consequences", DECISION, "Context"),
    ],
)
def test_part_of_the_kind_that_is_asked_for_takes_the_place(query, first, page, expected):
    assert after(query, first=first, page=page) == expected


@pytest.mark.parametrize(
    ("query", "first", "page"),
    [
        ("leave rabbitmq", "Consequences", DECISION),  # neither why nor how
        ("why did we leave rabbitmq", "Context", DECISION),
        ("why is the status accepted", "Status", DECISION),  # its heading is asked for
        ("why do workers poll a table", "Consequences", DECISION),  # of which the part has no word
        ("how do I fail over the database after a flood", "When to do it", FAILOVER),  # more than the page's name
        ("how do I do the rolling back", "Rolling back", FAILOVER),
        ("why did we leave rabbitmq", "Consequences", DECISION.replace("so the", "because the")),
        ("why did we leave rabbitmq", "Consequences", DECISION.replace("## Context", "## Notes")),
        ("how do I make a pipeline", "Pipeline", PIPELINE),  # no list of steps
        ("what caused the checkout outage", "Summary", OUTAGE.replace(": an", ". An")),  # no page of a decision
        ("what caused the checkout outage", "Summary", OUTAGE.replace("Background", "Reason")),  # it says why itself
        ("why not leave rabbitmq", "Consequences", DECISION),
        ("どうしてもログインできないときの連絡先", "サポート", LOGIN),
        ("なぜ二重に請求したのですか", "概要", JAPANESE.replace("請求した。", "請求した。設定が違ったため。")),
        ("왜 이중으로 청구했나요", "요약", KOREAN.replace("청구했다.", "청구했다. 설정 때문이다.")),
        ("why did we leave rabbitmq", "Status", DECISION.replace("## Context", "### Context").replace("## Cons", "# Cons")),
    ],
)
def test_first_section_stays(query, first, page):
    assert after(query, first=first, page=page) == first


def test_part_that_is_far_from_the_question_does_not_take_the_place():
    query = "why did we leave rabbitmq"
    assert after(query, first="Consequences", near={"Consequences": 0.6, "Context": 0.4}) == "Context"
    assert after(query, first="Consequences", near={"Consequences": 0.6, "Context": 0.2}) == "Consequences"


@pytest.mark.parametrize(
    ("likely", "expected"),
    [((0.9, 0.3), "Context"), ((0.9, 0.2), "Consequences"), ((0.06, 0.04), "Context"), ((0.06, 0.02), "Consequences")],
)
def test_part_that_hardly_answers_does_not_take_the_place_of_one_that_does(likely, expected):
    assert after("why did we leave rabbitmq", first="Consequences", likely=likely) == expected


CAUSE = DECISION.replace("## Context", "## Root cause")


def test_part_that_is_called_a_cause_may_be_farther_than_others():
    query = "why did we leave rabbitmq"
    near = {"Consequences": 0.6, "Root cause": 0.15}
    assert after(query, first="Consequences", page=CAUSE, near=near) == "Root cause"
    assert after(query, first="Consequences", page=CAUSE, near={**near, "Root cause": 0.1}) == "Consequences"


@pytest.mark.parametrize(("answers", "expected"), [(0.2, "Root cause"), (0.15, "Consequences")])
def test_part_that_is_called_a_cause_may_answer_less_than_others(answers, expected):
    assert after("why did we leave rabbitmq", first="Consequences", page=CAUSE, likely=(0.9, answers)) == expected


@pytest.mark.parametrize("question", ["이중 청구는 무엇 때문이었나요", "이중 청구가 뭐때문에 생겼나요"])
def test_question_for_what_caused_a_thing_in_korean_asks_why(question):
    assert after(question, first="요약", page=KOREAN) == "근본 원인"
