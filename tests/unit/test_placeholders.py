"""A page without text of its own stands behind the page of its title that has text."""

from dataclasses import replace

import numpy as np
import pytest

from search.context.leads import has_facts
from search.ranking.placeholders import Lead, behind_their_pages
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
REDIRECT = "# Rotating keys\n\nThis page has moved to [the operator's guide](guide.md).\n"
GUIDE = (
    "# Operating\n\n## The rotation of keys and who takes part in it\n\nOnce a year the operator of the gateway makes new keys, hands "
    "them to the clients, and takes the old ones back when no client has used them for a week.\n"
)
TO_GUIDE = Lead(6, 0, frozenset({"guide.md"}), frozenset())
NOWHERE = Lead(0, 0, frozenset(), frozenset())


def ranked(query=QUERY, lead=NOWHERE, **documents):
    index = snapshot(**documents)
    asked = parse_query(query)
    ranking = rank(index, asked, None, mode="lexical", dense_weight=0.0, allowed=np.ones(index.rows, np.bool_))
    relevance = Relevance(index, asked, ranking)
    before = relevance.ordered()
    after, moved = behind_their_pages(index, before, lambda row: lead if index.position[row] == 0 else NOWHERE)
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


SHORT = "# Meeting\n\nAsked Ann for the budget.\n"
LONG = "# Meeting\n\nBob presented the roadmap for the mobile application and everybody agreed on it.\n"


def test_short_note_that_answers_keeps_its_place_before_another_one_of_its_title():
    index, before, after, _ = ranked(
        "budget meeting", Lead(5, 0, frozenset(), frozenset()), ann=SHORT, bob=LONG, other=OTHER
    )
    assert paths(index, before)[:2] == ["ann.md", "bob.md"]
    assert paths(index, after) == paths(index, before)


def test_short_note_stands_behind_one_of_its_title_that_has_the_same_words_of_the_question():
    longer = LONG + "The budget was left for the next one.\n"
    index, _, after, _ = ranked("budget meeting", Lead(5, 0, frozenset(), frozenset()), ann=SHORT, bob=longer, other=OTHER)
    assert paths(index, after)[0] == "bob.md"


def test_pages_without_a_title_are_no_placeholders_of_each_other():
    index, before, after, _ = ranked(app=PAGE, old="version 15 to 16\n", other="version 16\n")
    assert paths(index, after) == paths(index, before)


def test_redirect_stands_behind_the_section_of_the_document_that_it_links_to():
    index, before, after, _ = ranked("rotating keys", TO_GUIDE, guide=GUIDE, old=REDIRECT, other=OTHER)
    assert paths(index, before)[0] == "old.md"
    assert paths(index, after)[0] == "guide.md"


def test_redirect_to_a_page_that_only_the_site_has_is_known_by_the_name_of_the_file():
    lead = Lead(6, 0, frozenset(), frozenset({"guide"}))
    index, _, after, _ = ranked("rotating keys", lead, guide=GUIDE, old=REDIRECT, other=OTHER)
    assert paths(index, after)[0] == "guide.md"


@pytest.mark.parametrize(("own", "quoted", "first"), [(39, 60, "guide.md"), (30, 20, "old.md"), (45, 60, "old.md")])
def test_page_that_says_more_than_it_quotes_is_no_redirect(own, quoted, first):
    lead = Lead(own, quoted, frozenset({"guide.md"}), frozenset())
    index, _, after, _ = ranked("rotating keys", lead, guide=GUIDE, old=REDIRECT, other=OTHER)
    assert paths(index, after)[0] == first


@pytest.mark.parametrize(("quoted", "first"), [(0, "old.md"), (60, "guide.md")])
def test_short_page_that_answers_with_a_number_or_code_is_no_redirect_unless_it_quotes_more(quoted, first):
    lead = Lead(6, quoted, frozenset({"guide.md"}), frozenset(), has_facts=True)
    index, _, after, _ = ranked("rotating keys", lead, guide=GUIDE, old=REDIRECT, other=OTHER)
    assert paths(index, after)[0] == first


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The port is 8080. See [ports](ports.md).", True),
        ("Run `reset`.", True),
        ("Moved to [chapter 3](ch03.md).", False),
        ("Moved to [the guide][2].\n\n[2]: ch03.html\n", False),
        ("# Version 2\n\nSee https://example.org/v2.", False),
    ],
)
def test_numbers_and_code_outside_of_links_and_headings_are_facts(text, found):
    assert has_facts(text) is found


def test_redirect_stays_before_a_document_that_it_does_not_link_to():
    lead = Lead(6, 0, frozenset({"other.md"}), frozenset({"operating"}))
    index, before, after, _ = ranked("rotating keys", lead, guide=GUIDE, old=REDIRECT, other=OTHER)
    assert paths(index, after) == paths(index, before)


def test_redirect_stays_before_a_section_whose_headings_lack_words_of_the_question():
    guide = GUIDE.replace("The rotation of keys", "The keys")
    index, before, after, _ = ranked("rotating keys", TO_GUIDE, guide=guide, old=REDIRECT, other=OTHER)
    assert paths(index, before)[0] == "old.md"
    assert paths(index, after) == paths(index, before)


@pytest.mark.parametrize(("quoted", "first"), [(0, "guide.md"), (60, "old.md")])
def test_page_that_shows_nothing_of_its_own_stands_behind_a_section_with_the_words_in_its_text(quoted, first):
    guide = GUIDE.replace("The rotation of keys", "The keys") + "Rotating them takes an hour.\n"
    lead = Lead(6, quoted, frozenset({"guide.md"}), frozenset())
    index, before, after, _ = ranked("rotating keys", lead, guide=guide, old=REDIRECT, other=OTHER)
    assert paths(index, before)[0] == "old.md"
    assert paths(index, after)[0] == first


def test_page_that_shows_nothing_stays_before_a_section_that_says_no_more():
    index, _, after, _ = ranked("rotating keys", TO_GUIDE, guide="# Keys\n\nRotating.\n", old=REDIRECT, other=OTHER)
    assert paths(index, after)[0] == "old.md"


OVERVIEW = (
    "# Operating\n\nAll that operators do.\n\n## Rotating keys\n\nKeys of 2048 bits are rotated once a year. Rotating keys is "
    "told in [Rotating keys](rotating.md), and what rotating keys takes too: a machine that is off, two operators and a list.\n"
)
ROTATING = "# Rotating keys\n\nFor operators.\n\n## Steps\n\n" + "Hand them to the clients. " * 9
TO_ROTATING = Lead(10, 0, frozenset({"rotating.md"}), frozenset(), has_facts=True)


def ranked_overview(lead=TO_ROTATING, overview=OVERVIEW, page=ROTATING, query="rotating keys"):
    """The paths of the hits, before and after, where one section is an overview of a page."""
    index = snapshot(operating=overview, rotating=page, other=OTHER)
    asked = parse_query(query)
    ranking = rank(index, asked, None, mode="lexical", dense_weight=0.0, allowed=np.ones(index.rows, np.bool_))
    before = Relevance(index, asked, ranking).ordered()
    after, _ = behind_their_pages(index, before, lambda row: lead if index.position[row] else NOWHERE)
    return paths(index, before)[0], paths(index, after)[0]


def test_section_that_the_query_names_stands_behind_the_page_of_the_same_name_that_it_links_to():
    assert ranked_overview() == ("operating.md", "rotating.md")


@pytest.mark.parametrize(("query", "first"), [("rotating keys", "rotating.md"), ("Rotating keys", "operating.md")])
def test_page_may_have_one_word_more_in_its_name_unless_the_heading_was_typed_exactly(query, first):
    page = ROTATING.replace("# Rotating keys", "# Rotating keys: process")
    assert ranked_overview(page=page, query=query) == ("operating.md", first)


@pytest.mark.parametrize(
    ("path", "address", "expected"),
    [
        ("docs/keys.md", "https://example.org/blob/main/docs/keys.md", True),
        ("docs/keys.md", "https://example.org/blob/main/other/keys.md", False),
        ("docs/keys.md", "https://example.org/blob/main/mydocs/keys.md", False),
        ("keys.md", "https://example.org/blob/main/keys.md", False),  # any project may have one
    ],
)
def test_address_leads_to_the_document_whose_folder_and_file_it_ends_with(path, address, expected):
    assert Lead(0, 0, frozenset(), frozenset(), addresses=(address,)).is_to(path) == expected


@pytest.mark.parametrize(
    "other",
    [
        {"lead": replace(TO_ROTATING, paths=frozenset({"other.md"}))},
        {"query": "2048 bits of the keys once a year"},
        {"page": ROTATING.replace("# Rotating keys", "# Rotating the keys of the gateway")},
        {"overview": OVERVIEW + "They are long words of prose about operators. " * 14},
    ],
    ids=["no link", "no name", "another name", "much text"],
)
def test_section_stays_before_a_page_that_is_not_the_one_it_announces(other):
    assert ranked_overview(**other) == ("operating.md", "operating.md")


def test_text_of_a_page_is_not_read_where_no_section_could_take_its_place():
    index = snapshot(old=REDIRECT, other=OTHER)
    asked = parse_query("rotating keys")
    ranking = rank(index, asked, None, mode="lexical", dense_weight=0.0, allowed=np.ones(index.rows, np.bool_))

    def lead_of(row):
        raise AssertionError(row)

    assert behind_their_pages(index, Relevance(index, asked, ranking).ordered(), lead_of)[1] == {}
