"""A question that names a page and a detail of it finds the section with the detail."""

from dataclasses import replace

import numpy as np
import pytest

from search.ranking.details import detail_first
from search.ranking.placeholders import Lead, text_first
from search.ranking.query import parse_query
from search.ranking.rank import rank
from tests.unit.test_relevance import snapshot

BOILER = "# Boiler\n\nThe boiler hangs in the hall.\n\n## Errors\n\nAt 632 the pump is stuck.\n\n## Winter\n\nDrain it.\n"
OTHER = "# Lines\n\n## Numbers\n\nA boiler of line 632.\n"


def first(query, *, at_first="Boiler", page=BOILER, lost=(), **given):
    """The heading of the first section after the step, for a ranking by words that has one section at its top; those with
    the headings `lost` stand behind descriptions."""
    index = snapshot(a=page, b=OTHER)
    asked = replace(parse_query(query), **given)
    ranking = rank(index, asked, None, mode="lexical", dense_weight=0.0, allowed=np.ones(index.rows, np.bool_))
    headings = [text.split("\n")[0].lstrip("# ") for text in index.contents(range(index.rows))]
    rows = sorted(ranking.order.tolist(), key=lambda row: (headings[row] != at_first, headings[row] == "Numbers"))
    ranking = ranking.rearranged(rows, "test")
    ranking.parts["release"] = np.array([-0.1 * (heading in lost) for heading in headings])
    return headings[detail_first(index, asked, ranking).order[0]]


def test_section_with_all_words_of_the_question_stands_before_the_beginning_that_lacks_some():
    assert first("boiler 632") == "Errors"


@pytest.mark.parametrize("query", ["boiler", "boiler hall", "boiler drain stuck"])
def test_beginning_stays_first_where_no_section_has_more_or_none_has_all(query):
    assert first(query) == "Boiler"


def test_words_that_no_section_has_are_not_needed():
    assert first("boiler 632 price tag of it") == "Errors"


def test_section_needs_no_word_that_only_the_beginning_has():
    assert first("hall pump stuck") == "Errors"


@pytest.mark.parametrize(("lost", "expected"), [((), "Errors"), (("Errors",), "Boiler"), (("Boiler", "Errors"), "Errors")])
def test_section_that_lost_its_place_to_descriptions_does_not_get_it_back(lost, expected):
    assert first("boiler 632", lost=lost) == expected


def first_of_two(query, near, *, lists="A new pump has group settings."):
    """The text of the first section after the step, of two pages, with cosines by the second model."""
    index = snapshot(a="# Pumps\n\nA pump is set by its group settings.\n", b=f"# Lists\n\n{lists}\n")
    asked = parse_query(query)
    ranking = rank(index, asked, None, mode="lexical", dense_weight=0.0, allowed=np.ones(index.rows, np.bool_))
    ranking = replace(ranking, order=np.array([0, 1]), raw={**ranking.raw, "second": np.array(near)})
    return index.contents([int(detail_first(index, asked, ranking).order[0])])[0].split("\n")[0]


@pytest.mark.parametrize(
    ("query", "near", "expected"),
    [
        ("new pump group settings", (0.5, 0.45), "# Lists"),
        ("new pump group settings", (0.5, 0.3), "# Pumps"),  # it is farther
        ("pump group settings", (0.5, 0.45), "# Pumps"),  # both have all
    ],
)
def test_section_of_another_page_with_all_words_takes_the_place_if_it_is_about_as_near(query, near, expected):
    assert first_of_two(query, near) == expected


def test_section_of_another_page_that_has_the_words_far_from_each_other_does_not_take_the_place():
    query = "new red old thin flat pump"
    far = "\n\n".join(f"The {word} one is one of many things that are told here." for word in query.split())
    assert first_of_two(query, (0.5, 0.45), lists=far) == "# Pumps"
    assert first_of_two(query, (0.5, 0.45), lists=f"A {query}.") == "# Lists"


def test_first_section_in_another_language_than_the_question_stays():
    words = "Der Schlüssel für das Haus ist in dem Schrank, und die Tür ist mit dem Schlüssel zu."
    index = snapshot(a=f"# Pumps\n\n{words} Group settings.\n", b="# Lists\n\nRun the group settings.\n")
    asked = parse_query("how do I run the group settings")
    ranking = rank(index, asked, None, mode="lexical", dense_weight=0.0, allowed=np.ones(index.rows, np.bool_))
    ranking = replace(ranking, order=np.array([0, 1]))
    assert detail_first(index, asked, ranking).order.tolist() == [0, 1]


def test_beginning_stays_first_for_a_question_in_another_language():
    assert first("boiler 632", is_foreign=True) == "Boiler"


@pytest.mark.parametrize(("near", "expected"), [((0.5, 0.35), "Errors"), ((0.5, 0.2), "Boiler")])
def test_section_that_is_much_farther_from_the_question_does_not_take_the_place(near, expected):
    index = snapshot(a=BOILER, b=OTHER)
    asked = parse_query("boiler 632")
    ranking = rank(index, asked, None, mode="lexical", dense_weight=0.0, allowed=np.ones(index.rows, np.bool_))
    order = np.array([0, *(row for row in ranking.order.tolist() if row)])
    dense = np.full(index.rows, -np.inf)
    dense[[0, 1]] = near
    found = detail_first(index, asked, replace(ranking, order=order, raw={**ranking.raw, "dense": dense}))
    assert index.contents([int(found.order[0])])[0].split("\n")[0].lstrip("# ") == expected


@pytest.mark.parametrize(("words", "expected"), [("amber birch cedar delta ember fjord", "Boiler"), ("amber", "Errors")])
def test_first_section_that_lacks_little_stays_first(words, expected):
    said = "Amber birch cedar delta ember fjord."
    page = BOILER.replace("The boiler", f"{said} The boiler").replace("At 632", f"{said} At 632")
    assert first(f"{words} 632", page=page) == expected


def after_text(query, *, beginning, own_words=(0, 0), page="## When\n\nBefore any drawing is sent to them.\n"):
    """The heading of the first section after the step `text_first`, and the rows that it moved, for a page whose beginning is
    first; `own_words`: how many words it says and quotes."""
    index = snapshot(a=f"---\naliases: [NDA]\n---\n# Secrecy\n\n{beginning}\n\n{page}", b=OTHER)
    asked = parse_query(query)
    ranking = rank(index, asked, None, mode="lexical", dense_weight=0.0, allowed=np.ones(index.rows, np.bool_))
    rest = [row for row in range(index.rows) if row]
    lead = Lead(*own_words, frozenset(), frozenset())
    found, moved = text_first(index, asked, replace(ranking, order=np.array([0, *rest])), lambda _: lead)
    return index.contents([int(found.order[0])])[0].split("\n")[0], moved


def test_beginning_without_text_gives_its_place_to_a_section_of_its_page():
    assert after_text("NDA before which step", beginning="") == ("## When", {1: 0})


@pytest.mark.parametrize(
    ("query", "given"),
    [
        ("NDA before which step", {"beginning": "It is signed by both of them."}),
        ("NDA", {"beginning": ""}),  # its name
        ("NDA before which step", {"beginning": "Ann Lee", "own_words": (2, 0)}),
        ("NDA before which step", {"beginning": "```\nsign\n```", "own_words": (0, 1)}),
        ("NDA before which step", {"beginning": "", "page": "## When\n\n## Where\n"}),  # no section says anything
    ],
)
def test_beginning_that_says_something_or_has_the_name_stays_first(query, given):
    assert after_text(query, **given) == ("# Secrecy", {})
