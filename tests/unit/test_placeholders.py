"""A page without text of its own stands behind the page of its title that has text."""

import numpy as np
import pytest

from search.ranking.placeholders import behind_their_pages
from search.ranking.query import parse_query
from search.ranking.rank import rank
from search.ranking.relevance import Relevance
from tests.unit.test_relevance import snapshot

MOVED = "---\ntitle: Upgrading to version 16\ndescription: Upgrade your gateway from version 15 to 16.\n---\n{front}\n"
PLACEHOLDER = MOVED.format(front="<!-- made from the page of the app -->")
PAGE = (
    "---\ntitle: Upgrading to version 16\n---\n\n## Before you begin\n\nMake a copy of all settings and of the keys that the "
    "gateway uses, since the new one may write them in another form.\n\n## Run the installer\n\nThe installer of version 16 "
    "asks for the folder of the old gateway and for a port that no other program on the machine listens on.\n"
)
OTHER = (
    "# Gateway\n\n## Versions\n\nThe version is shown by the gateway when it starts, and by the page of its state, so that "
    "an operator can compare it with what was installed.\n"
)
QUERY = "upgrade from version 15 to 16"


def ranked(**documents):
    index = snapshot(**documents)
    asked = parse_query(QUERY)
    ranking = rank(index, asked, None, mode="lexical", dense_weight=0.0, allowed=np.ones(index.rows, np.bool_))
    relevance = Relevance(index, asked, ranking)
    before = relevance.ordered()
    after, moved = behind_their_pages(index, before)
    relevance.lend(moved)
    return index, before, after, relevance


def paths(index, ranking):
    return [index.path(row) for row in ranking.order]


def test_placeholder_stands_behind_the_page_of_its_title():
    index, before, after, _ = ranked(app=PAGE, old=PLACEHOLDER, other=OTHER)
    assert paths(index, before)[0] == "old.md"
    assert paths(index, after)[0] == "app.md"
    assert sorted(after.order) == sorted(before.order)


def test_page_and_placeholder_change_their_scores_and_say_so():
    _, before, after, _ = ranked(app=PAGE, old=PLACEHOLDER, other=OTHER)
    page, placeholder = after.order[0], before.order[0]
    assert after.total[page] == before.total[placeholder] > before.total[page] == after.total[placeholder]
    gained = after.parts["placeholder"]
    assert gained[page] == -gained[placeholder] > 0
    assert np.all(np.diff(after.total[after.order]) <= 0)


def test_page_is_as_relevant_as_the_placeholder_that_announces_it():
    _, before, after, relevance = ranked(app=PAGE, old=PLACEHOLDER, other=OTHER)
    page, placeholder = relevance.of([int(after.order[0]), int(before.order[0])])
    assert page == placeholder


def test_several_placeholders_stand_behind_one_page():
    index, _, after, _ = ranked(app=PAGE, old=PLACEHOLDER, older=PLACEHOLDER, other=OTHER)
    assert paths(index, after)[0] == "app.md"


@pytest.mark.parametrize(
    "page",
    [PAGE.replace("title: Upgrading to version 16", "title: Upgrading"), PAGE.replace("title: Upgrading to version 16", "")],
)
def test_placeholder_stays_before_pages_of_other_titles(page):
    index, before, after, _ = ranked(app=page, old=PLACEHOLDER, other=OTHER)
    assert paths(index, after) == paths(index, before)
    assert "placeholder" not in after.parts


def test_page_with_text_of_its_own_keeps_its_place():
    said = MOVED.format(front="\nStop the gateway, copy its folder, and start version 16 of it. " * 5)
    index, before, after, _ = ranked(app=PAGE, old=said, other=OTHER)
    assert paths(index, after) == paths(index, before)


def test_page_with_a_definition_in_one_sentence_keeps_its_place():
    said = "# Upgrading to version 16\n\nUpgrading from version 15 to 16 is the change of a gateway to the newer form.\n"
    index, before, after, _ = ranked(app=PAGE, glossary=said, other=OTHER)
    assert paths(index, before)[0] == "glossary.md"
    assert paths(index, after) == paths(index, before)


def test_pages_without_a_title_are_no_placeholders_of_each_other():
    index, before, after, _ = ranked(app=PAGE, old="version 15 to 16\n", other="version 16\n")
    assert paths(index, after) == paths(index, before)
