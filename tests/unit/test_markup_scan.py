"""The candidates of the dialects' rules: none is missed, whatever stands before it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.dialects.rules import rules_of
from indexer.dialects.scan import Rules, Scan, run
from schema.settings import DIALECTS

PIECES = (
    *"` \\ < > { } [ ] ! $ # = ^ % : - * + 1. a é 漢 \t".split(" "),
    *(" ", "    ", "\n", "\n\n", "\n    x", "```", "~~~\n", "word", "\u00a0"),
    *(
        "<!--",
        "-->",
        "{/*",
        "*/}",
        "{/* id */}",
        "{#id}",
        "{#",
        "{{",
        "}}",
        "{%",
        "%}",
        "> [!NOTE]",
        ">[!tip]- ",
        "<b>",
        "</b>",
    ),
    *("![[", "]]", "==", "%%", " ^id\n", "#tag", ":::", "> :::", "\n::: note", "\n!!! note", '\n=== "Tab"', "\n--8<-- "),
    *(
        "\nimport x",
        "\nexport {",
        "\n[TOC]",
        "\n[[toc]]",
        "\n<<< a",
        "\n*[a]: b",
        "{{< note >}}",
        "{{#include a}}",
        "{.class}",
    ),
)


def run_at_every_offset(scan: Scan, rules: Rules) -> None:
    """Ask the rules about every offset of a text, as `run` does about candidates alone."""
    at = 0
    while (match := rules.begins.search(scan.text, at)) is not None:
        end = rules.rules[(match.lastindex or 1) - 1].take(scan, match.start(), match.end())
        at = max(match.start() + 1, end or 0)


@pytest.mark.parametrize("dialect", ["", *DIALECTS])
@given(pieces=st.lists(st.sampled_from(PIECES), max_size=25))
def test_the_rules_take_what_they_take_when_they_are_asked_about_every_offset(dialect: str, pieces: list[str]) -> None:
    rules = rules_of(frozenset({dialect} - {""}))
    quick, slow = (Scan("".join(pieces), is_mdx=dialect in ("mdx", "docusaurus")) for _ in range(2))
    run(quick, rules)
    run_at_every_offset(slow, rules)
    assert (quick.hidden, quick.opaque, quick.fences, quick.tags) == (slow.hidden, slow.opaque, slow.fences, slow.tags)


@pytest.mark.parametrize("dialect", ["", *DIALECTS])
def test_a_rule_says_with_which_characters_it_begins_or_begins_a_line(dialect: str) -> None:
    for rule in rules_of(frozenset({dialect} - {""})).rules:
        assert rule.first or rule.pattern.startswith("^"), rule.pattern


def test_an_id_in_a_comment_of_mdx_takes_the_blanks_before_it() -> None:
    scan = Scan("## Title   {/* id */}\n")
    run(scan, rules_of(frozenset()))
    assert scan.hidden == [(8, 21)]
