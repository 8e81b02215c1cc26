"""A few words that name a page find its beginning before its other sections."""

from dataclasses import replace

import numpy as np
import pytest

from search.ranking.beginnings import beginning_first
from search.ranking.query import parse_query
from search.ranking.rank import rank
from tests.unit.test_relevance import snapshot

PROSE = "It simulates many nodes of a large cluster on few machines, so that the control plane can be measured cheaply. "
#: The word stands more often below the second heading.
START = "## Starting a Kubemark cluster\n\nKubemark starts with a script. Kubemark needs a project. Run kubemark.\n"
PAGE = f"# Kubemark User Guide\n\n{PROSE}\n\n{START}"


def headings(query, **documents):
    """The headings in the ranking by words after the step."""
    index = snapshot(**documents)
    asked = parse_query(query)
    ranking = rank(index, asked, None, mode="lexical", dense_weight=0.0, allowed=np.ones(index.rows, np.bool_))
    texts = index.contents(beginning_first(index, asked, ranking).order.tolist())
    return [text.splitlines()[0].lstrip("# ") for text in texts]


@pytest.mark.parametrize("query", ["kubemark", "Kubemark", "how does kubemark work", "How does kubemark work?"])
def test_name_of_a_page_finds_its_beginning(query):
    assert headings(query, guide=PAGE)[0] == "Kubemark User Guide"


def test_first_section_is_the_beginning_of_a_page_without_text_of_its_own():
    page = f"# Guide to clusters, scripts, projects, nodes and Kubemark\n\n## Introduction\n\n{PROSE} Kubemark.\n\n{START}"
    assert headings("kubemark", guide=page)[0] == "Introduction"


@pytest.mark.parametrize(
    "query",
    [
        "starting kubemark",  # the heading says more of it
        "kubemark script",  # and so does the text
        "what is kubemark",
        "how do I use kubemark",
        "kubemark?",
        "starting a kubemark cluster",
        "why kubemark",
        "is kubemark slow",
    ],
)
def test_section_that_says_more_of_the_question_stays_first(query):
    assert headings(query, guide=PAGE)[0] == "Starting a Kubemark cluster"


@pytest.mark.parametrize(("text", "expected"), [("No word of it.", START), ("It has a script.", "# Kubemark User Guide")])
def test_beginning_of_nearly_the_same_score_must_hold_the_word_that_the_title_lacks(text, expected):
    page = PAGE.replace("# Kubemark User Guide\n\n", f"# Kubemark User Guide\n\n{text} ")
    index = snapshot(guide=page, **{f"other{n}": f"# Page {n}\n\nA script that release {n} runs." for n in range(6)})
    asked = parse_query("kubemark script")
    ranking = rank(index, asked, None, mode="lexical", dense_weight=0.0, allowed=np.ones(index.rows, np.bool_))
    ranking = replace(ranking, total=np.linspace(1.0, 0.9, index.rows)[np.argsort(ranking.order)])
    first = index.contents(beginning_first(index, asked, ranking).order[:1].tolist())[0]
    assert first.startswith(expected.splitlines()[0])


def test_section_with_the_question_as_its_name_stays_first():
    page = f"{PAGE.replace('Starting a Kubemark cluster', 'Kubemark')}{PROSE * 2}"
    assert headings("kubemark", guide=page)[0] == "Kubemark"


def test_section_stays_first_for_a_question_in_another_language():
    index = snapshot(guide=PAGE)
    asked = replace(parse_query("kubemark"), is_foreign=True)
    ranking = rank(index, asked, None, mode="lexical", dense_weight=0.0, allowed=np.ones(index.rows, np.bool_))
    assert beginning_first(index, asked, ranking) is ranking


def test_beginning_that_only_mentions_the_other_word_stays_behind():
    page = f"# Kubemark Guide\n\n{PROSE} Here is how to install, upgrade and delete it.\n\n## Removing it\n\nDelete Kubemark so.\n"
    others = {f"other{n}": f"# Page {n}\n\nA delete of pods number {n}." for n in range(6)}
    assert headings("delete kubemark", guide=page, **others)[0] == "Removing it"


def test_section_on_how_it_works_goes_before_the_beginning_if_that_is_asked():
    page = f"{PAGE}\n\n## How it works\n\nIt is hollow.\n"
    assert headings("how does kubemark work", guide=page)[0] == "How it works"
    assert headings("kubemark", guide=page)[0] == "Kubemark User Guide"


def test_section_stays_first_where_the_title_has_less_than_half_of_the_question():
    page = PAGE.replace("cheaply", "cheaply by a script of the project")
    assert headings("script project kubemark", guide=page)[0] == "Starting a Kubemark cluster"


def test_section_of_a_page_with_another_name_stays_first():
    assert headings("kubemark", guide=f"# Scalability\n\n{PROSE}\n\n{START}")[0] == "Starting a Kubemark cluster"


def test_beginning_of_few_words_stays_behind():
    page = f"# Guide to Kubemark\n\nSee below.\n\n{START}\n\n## Other\n\n{PROSE}"
    assert headings("kubemark", guide=page)[0] == "Starting a Kubemark cluster"
