"""A note that another one has replaced stands behind it."""

from dataclasses import replace

import numpy as np
import pytest

from search.ranking.query import parse_query
from search.ranking.rank import rank
from search.ranking.revisions import behind_replacements, revised_first
from tests.unit.test_relevance import snapshot

OLD = "# Rate limits\n\nA partner may make 60 requests a second.\n"
NEW = "# Rate limits, revised\n\nA partner may make 90 requests a second. This replaces the earlier limit.\n"
NAMES = {"old": "notes/2025-02-27-limits", "new": "notes/2025-05-06-limits", "far": "other/2025-06-01-limits",
         "menu": "notes/2025-05-06-menu"}  # fmt: skip


def ranked(query, documents, *, first):
    """A snapshot, the parsed query, and a ranking in which the document `first` is."""
    index = snapshot(**documents)
    asked = parse_query(query)
    ranking = rank(index, asked, None, mode="lexical", dense_weight=0.0, allowed=np.ones(index.rows, np.bool_))
    total = np.array([0.6 if index.path(row) == f"{first}.md" else 0.55 for row in range(index.rows)])
    order = np.argsort(-total, kind="stable")
    return index, asked, replace(ranking, total=total, order=order, names=np.zeros(index.rows))


def after_revision(query, *, new=NEW, relevances=(0.9, 0.8), other="new"):
    documents = {NAMES["old"]: OLD, NAMES[other]: new}
    index, asked, ranking = ranked(query, documents, first=NAMES["old"])
    found = revised_first(index, asked, ranking, lambda rows: [relevances[int(row != ranking.order[0])] for row in rows])
    return index.path(int(found.order[0])).removesuffix(".md")


def test_newer_note_of_a_folder_that_speaks_of_a_change_stands_first():
    assert after_revision("how many requests may a partner make") == NAMES["new"]


@pytest.mark.parametrize(
    ("query", "given"),
    [
        ("how many requests may a partner make", {"new": OLD.replace("60", "90")}),
        ("how many requests may a partner make", {"relevances": (0.9, 0.25)}),  # it hardly answers
        ("how many requests may a partner make", {"other": "far"}),
        ("how many requests may a partner make", {"new": NEW.replace("Rate limits", "Menu"), "other": "menu"}),
        ("how many requests could a partner make before", {}),
        ("requests of a partner on 27 February 2025", {}),
        ("what changed for requests of a partner", {}),
    ],
)
def test_older_note_stays_first_where_the_newer_one_revises_nothing_or_the_past_is_asked_for(query, given):
    assert after_revision(query, **given) == NAMES["old"]


def after_status(query, status):
    old = f"# ADR 12: A queue\n\n{status}\n\n## Decision\n\nThe queue is Rabbit.\n"
    new = "# ADR 17: A stream\n\nStatus: accepted\n\n## Decision\n\nThe queue is a stream.\n"
    index, asked, ranking = ranked(query, {"adr-12": old, "adr-17": new}, first="adr-12")
    found = behind_replacements(index, asked, ranking)
    return index.path(int(found.order[0])), found.parts.get("replaced")


@pytest.mark.parametrize(
    "status", ["Status: superseded by ADR 17", "- **Status:** Deprecated", "## Status\n\nSuperseded by ADR 17", "状態: 廃止"]
)
def test_sections_of_a_document_that_says_that_it_is_replaced_lose_a_quarter(status):
    path, taken = after_status("which queue is it", status)
    assert path == "adr-17.md"
    assert taken.min() == pytest.approx(-0.15)


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("which queue is it", "Status: accepted"),
        ("which queue is it", "The status page was superseded by a chat."),
        ("which queue was it before", "Status: superseded by ADR 17"),
    ],
)
def test_document_that_is_not_replaced_or_that_is_asked_for_stays(query, status):
    assert after_status(query, status) == ("adr-12.md", None)
