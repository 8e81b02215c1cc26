"""A question for something has the name of it, whether the heading asks too or not."""

import pytest

from search.ranking.names import name_match
from search.ranking.query import parse_query
from tests.unit.test_relevance import snapshot

HEADINGS = ("Install the pump", "How do I clean the sieve?", "Clean the sieve", "What to do with steam", "Steam")
TEXT = "It takes some minutes, and nothing else is needed for it than what came in the box, so that anybody who reads this can do it alone."
MANUAL = "---\ntitle: Manual\n---\n" + "\n\n".join(
    f"# {heading}\n\n{number}: {TEXT}" for number, heading in enumerate(HEADINGS)
)


def names(query):
    """The score of each heading's name, by the heading."""
    index = snapshot(manual=MANUAL)
    asked = parse_query(query)
    scores = name_match(index, asked, asked.weights).tolist()
    return dict(zip(HEADINGS, scores, strict=True))


@pytest.mark.parametrize(
    "begin", ["how do I", "How can we", "How to", "can I", "Where do you", "What is", "what’s", "should I"]
)
def test_words_that_begin_a_question_are_no_part_of_the_name_that_it_asks_for(begin):
    assert names(f"{begin} install the pump")["Install the pump"] == pytest.approx(1.0)


def test_heading_that_asks_the_same_question_goes_before_one_that_does_not():
    found = names("how do I clean the sieve")
    assert found["How do I clean the sieve?"] > 2 * found["Clean the sieve"] > 1.9


def test_heading_that_asks_nearly_the_same_question_goes_before_one_that_does_not():
    found = names("how do I clean the sieve quickly")
    assert found["How do I clean the sieve?"] > found["Clean the sieve"] > 0.2


@pytest.mark.parametrize("query", ["how do I install the pump", "how do I install", "What is steam"])
def test_heading_that_asks_something_else_has_nothing_of_the_name(query):
    assert names(query)["How do I clean the sieve?"] < 0.05


def test_same_words_elsewhere_are_a_part_of_the_name():
    found = names("steam: what to do")
    assert found["What to do with steam"] > found["Steam"]


def test_heading_that_is_the_identifier_goes_before_one_with_a_sign_more():
    text = "The callback runs later, once everything that was changed is shown on the page to whoever looks at it, and not before."
    lines = "\n\n".join(f"nextTick {place} {text}" for place in range(3))
    index = snapshot(
        general=f"# General\n\n## nextTick()\n\n{text}\n", instance=f"# Instance\n\n## $nextTick()\n\n{lines}\n"
    )
    query = parse_query("nextTick")
    scores = name_match(index, query, query.weights)
    rows = {index.path(row): row for row in range(index.rows) if index.depth[row] == 2}
    assert scores[rows["general.md"]] > scores[rows["instance.md"]]
