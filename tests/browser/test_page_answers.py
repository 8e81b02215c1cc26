"""What a hit says of its answer: the passage, how likely it answers, sections like it; and the page where nothing answers."""

import re

import pytest

from tests.browser.conftest import documents_served
from tests.browser.views import FIRST, expect_text, focused, heading, headings, query_of, words

pytestmark = pytest.mark.browser

LONG = "\n\n".join(f"Paragraph {i} says what the others say, and nothing of any animal at all." for i in range(60))
EDITION = "The heron waits at the river until a fish comes near, then strikes with its long bill and swallows it whole."
DOCUMENTS = {
    "docs/long.md": f"# Long\n\n{LONG}\n\nWolves sleep. The **zebra** crosses the [`old` road](https://e.org/zebra) at noon. Owls hunt.\n\n{LONG}\n",
    "docs/code.md": "# Commands\n\nSome text.\n\n```sh\nmake wombat\n{\n  run --fast --quokka\n}\n```\n\n1. One.\n2. Two.\n3. The numbat sleeps.\n",
    "docs/site.md": "# Site\n\nThe tapir swims as in Listing 8:\n\n<Listing number='8' caption='Swimming in rivers with another animal'>\n\n```rust\nlet swim = true;\n```\n\n</Listing>\n",
    "docs/signs.md": "# Signs\n\n😀 The \\*gecko\\* &amp; the <kbd>skink</kbd> climb_walls. 😀 Another.\n",
    "docs/plain.md": "An ibex climbs before any heading.\n\n# Goats\n\nMore.\n",
    "docs/front.md": "---\nlang: en\n---\n\n# Front\n\nThe dingo runs.\n\nIt rests.\n",
    "docs/okapi.md": "---\nkeeper: Odile <b>Roux</b>\nage: 7\n---\n\n# Okapi\n\nThe okapi rests.\n",
    "docs/v1/birds.md": f"# Birds\n\n{EDITION}\n",
    "docs/v2/birds.md": f"# Birds\n\n{EDITION}\n",
    "docs/v3/birds.md": f"# Birds\n\n{EDITION}\n",
}
PASSAGE = "The zebra crosses the old road at noon."
animals = documents_served(DOCUMENTS)


def in_sight(locator):
    return locator.evaluate("e => e.getBoundingClientRect().top > 60 && e.getBoundingClientRect().bottom < innerHeight")


def passage(page):
    return " ".join("".join(page.locator(".passage").all_text_contents()).split())


# -- snippets ----------------------------------------------------------------------------------------------------------


def test_hit_shows_the_passage_that_answers_with_its_words_marked(open_page, animals):
    page = open_page(animals).go("/?q=zebra")
    hit = page.locator(".hit").first.locator(".snippet")
    assert PASSAGE in words(hit)
    assert len(words(hit)) < 500
    assert hit.locator("mark").all_inner_texts() == ["zebra"]


def test_field_of_the_front_matter_that_is_asked_for_is_shown_as_text(open_page, animals):
    hit = open_page(animals).go("/?q=keeper+of+the+okapi").locator(".hit").first
    assert hit.locator("h3").inner_text() == "Okapi"
    assert hit.locator(".properties li").all_inner_texts() == ["keeper: Odile <b>Roux</b>"]
    assert open_page(animals).go("/?q=zebra").locator(".properties").count() == 0


def test_markdown_of_a_snippet_is_shown_and_its_links_are_not_links(open_page, animals):
    hit = open_page(animals).go("/?q=zebra").locator(".hit").first.locator(".snippet")
    assert hit.locator("strong").inner_text() == "zebra"
    assert hit.locator("code").inner_text() == "old"
    assert hit.locator("a").count() == 0


def test_code_in_a_snippet_keeps_its_lines(open_page, animals):
    hit = open_page(animals).go("/?q=make+wombat+run+--quokka").locator(".hit").first.locator(".snippet")
    assert "make wombat\n{\n  run --fast --quokka\n" in hit.locator("pre").text_content()


def test_texts_of_a_component_are_shown_without_its_tags(open_page, animals):
    page = open_page(animals).go("/?q=tapir+swim+fn()")
    hit = page.locator(".hit").first
    shown = "The tapir swims as in Listing 8: Swimming in rivers with another animal let swim = true;"
    assert words(hit.locator(".snippet")) == shown
    hit.locator("h3 a").click()
    page.locator(".passage").first.wait_for()
    section = page.locator(".section .prose").inner_text()
    assert ("Swimming in rivers" in section, "caption" in section) == (True, False)
    assert "Swimming in rivers" in passage(page)


def test_item_in_a_snippet_keeps_its_number(open_page, animals):
    hit = open_page(animals).go("/?q=numbat").locator(".hit").first.locator(".snippet")
    item = hit.locator("li", has_text="numbat")
    number = "e => e.value || [...e.parentElement.children].indexOf(e) + (e.parentElement.firstElementChild.value || 1)"
    assert item.evaluate(number) == 3


def test_escapes_and_signs_beyond_the_basic_plane_do_not_shift_a_snippet(open_page, animals):
    hit = open_page(animals).go("/?q=gecko").locator(".hit").first.locator(".snippet")
    assert words(hit).startswith("😀 The *gecko* & the skink climb_walls.")
    assert hit.locator("mark").all_inner_texts() == ["gecko"]


def test_place_is_the_line_that_answers_and_leads_to_it(open_page, animals):
    visit = open_page(animals)
    page = visit.go("/?q=zebra")
    link = page.locator(".hit").first.locator("a.place")
    line = DOCUMENTS["docs/long.md"][: DOCUMENTS["docs/long.md"].index("The **zebra")].count("\n") + 1
    first = int(link.inner_text().removeprefix("docs/long.md:"))
    assert line - 10 < first <= line
    link.click()
    page.locator(".passage").first.wait_for()
    assert PASSAGE in passage(page)


def test_trail_leads_from_the_title_down_and_names_no_root(open_page, animals, visit):
    page = visit.go("/?q=behind+a+data+diode")
    hit = page.locator(".hit", has_text="Does it work behind a data diode?").first
    assert hit.locator(".crumbs [lang], .crumbs span:not(.sep)").all_inner_texts() == [
        "Frequently asked questions",
        "Operation",
    ]
    page = open_page(animals).go("/?q=ibex+climbs")
    assert headings(page)[0] == "Goats"
    assert "root)" not in page.locator("body").inner_text()
    page.locator(".hit h3 a").first.click()
    page.locator(".heading").wait_for()
    assert "root)" not in page.locator("body").inner_text()


def test_bar_shows_the_relevance_and_says_it(visit):
    page = visit.go("/?q=rotate+the+signing+key")
    shown = page.locator(".hit").first.locator(".relevance")
    told = shown.inner_text()
    assert re.fullmatch(r"0\.[5-9]\d|1\.00", told)
    assert shown.get_attribute("aria-label") == f"relevance {told}"
    share = float(shown.locator(".share").evaluate("e => e.style.getPropertyValue('--share')"))
    assert abs(share - float(told)) < 0.006


# -- the passage in its section ----------------------------------------------------------------------------------------


def test_hit_opens_its_section_at_the_passage_and_marks_it(open_page, animals):
    visit = open_page(animals)
    page = visit.go("/?q=zebra")
    page.locator(".hit h3 a").first.click()
    page.locator(".passage").first.wait_for()
    visit.shown()
    assert PASSAGE in passage(page)
    assert len(passage(page)) < 500
    assert in_sight(page.locator(".passage", has_text="zebra").first)
    assert page.evaluate("scrollY") > 0
    assert focused(page) == "Long"
    assert page.locator(".passage mark").all_inner_texts() == ["zebra"]


def test_address_of_a_passage_can_be_sent_and_loaded_again(open_page, animals):
    visit = open_page(animals)
    page = visit.go("/?q=zebra")
    page.locator(".hit h3 a").first.click()
    page.locator(".passage").first.wait_for()
    shown = passage(page)
    assert re.fullmatch(r"\d+(-\d+)?", query_of(page)["line"][0])
    other = open_page(animals).go(page.url.removeprefix(animals.url))
    assert passage(other) == shown
    assert in_sight(other.locator(".passage", has_text="zebra").first)
    page.reload()
    visit.shown()
    assert passage(page) == shown


def test_line_alone_opens_the_section_that_holds_it(open_page, animals):
    text = DOCUMENTS["docs/long.md"]
    line = text[: text.index("zebra")].count("\n") + 1
    page = open_page(animals).go(f"/?doc=docs/long.md&line={line}")
    assert heading(page) == "Long"
    assert passage(page) == "Wolves sleep. The zebra crosses the old road at noon. Owls hunt."
    page = open_page(animals).go("/?doc=docs/plain.md&line=3")
    assert page.locator(".outline a[aria-current]").inner_text().startswith("Goats")


def test_lines_of_a_first_section_are_counted_from_the_blank_lines_above_its_heading(open_page, animals):
    page = open_page(animals).go("/?doc=docs/front.md&line=7")
    assert passage(page) == "The dingo runs."


@pytest.mark.parametrize("line", ["9999999", "0", "x", "3-1", "1e9", "-4"])
def test_line_that_is_not_there_marks_nothing_of_the_wrong_place(open_page, animals, line):
    page = open_page(animals).go(f"/?doc=docs/v1/birds.md&line={line}")
    assert heading(page) == "Birds"
    assert passage(page) in ("", EDITION)


def test_neighbour_and_new_question_leave_the_line_behind(visit):
    page = visit.go("/?doc=docs/guide/security.md&line=22-24&q=signing+key#rotate-keys")
    assert passage(page).startswith("Rotate the device signing key")
    page.get_by_role("link", name="Next").click()
    expect_text(page.locator(".heading"), "If a key has been stolen")
    assert "line" not in query_of(page)
    assert passage(page) == ""


# -- sections like a hit -----------------------------------------------------------------------------------------------


def test_sections_that_say_the_same_fold_into_one_hit_and_unfold(open_page, animals):
    visit = open_page(animals)
    page = visit.go("/?q=heron+strikes+a+fish")
    assert headings(page).count("Birds") == 1
    hit = page.locator(".hit").first
    assert not hit.locator(".similar li").first.is_visible()
    hit.get_by_text("+2 similar").click()
    assert page.locator(".hits").is_visible()
    shown = {
        hit.locator("a.place").inner_text().split(":")[0],
        *(t.split(":")[0] for t in hit.locator(".similar .place").all_inner_texts()),
    }
    assert shown == {f"docs/v{i}/birds.md" for i in (1, 2, 3)}
    second = hit.locator(".similar li").nth(1)
    path, line = second.locator(".place").inner_text().split(":")
    assert line == "1"
    second.locator("a").click()
    expect_text(page.locator(".heading"), "Birds")
    assert query_of(page)["doc"] == [path]
    page.go_back()
    page.locator(".hits").wait_for()
    visit.shown()
    assert focused(page) == "Birds"


# -- where nothing answers ---------------------------------------------------------------------------------------------


def test_page_says_that_no_section_answers_above_the_nearest(visit):
    page = visit.go("/?q=pizza+dough+recipe")
    status = page.get_by_role("status").first
    assert re.fullmatch(r"No section answers this\. The nearest 10 sections in [\d,]+ ms", words(status))
    assert page.locator(".hit").count() == 10
    below = status.evaluate(
        "e => e.getBoundingClientRect().bottom <= document.querySelector('.hit').getBoundingClientRect().top"
    )
    assert below


def test_page_does_not_say_so_where_a_section_answers(visit):
    page = visit.go("/?q=rotate+the+signing+key")
    assert headings(page)[0] == FIRST
    assert page.get_by_text("No section answers this").count() == 0


def test_filters_can_be_dropped_where_nothing_answers_within_them(visit):
    page = visit.go("/?q=rotate+the+signing+key&path=docs/ko/")
    assert page.get_by_text("No section answers this.").is_visible()
    page.get_by_role("link", name="clear the filters").click()
    page.locator(".hits h3", has_text=FIRST).wait_for()
    assert query_of(page) == {"q": ["rotate the signing key"]}


def test_filters_that_leave_nothing_are_told_and_cleared(visit):
    page = visit.go("/?q=rotate+the+signing+key&tag=nowhere")
    page.get_by_role("heading", name="The filters leave out every section").wait_for()
    page.get_by_role("button", name="Clear the filters").click()
    page.locator(".hits h3", has_text=FIRST).wait_for()
    assert query_of(page) == {"q": ["rotate the signing key"]}


def test_filters_are_not_blamed_where_nothing_is_found_without_them(visit):
    page = visit.go('/?q="zzqx+vvv"&mode=lexical&tag=nowhere')
    assert page.get_by_role("heading", name="Nothing found").is_visible()


@pytest.mark.parametrize(("words", "told"), [("tag:nowhere+buffer", "the tag nowhere"), ("path:nope/+buffer", "nope/")])
def test_fields_of_the_question_that_leave_nothing_are_told(visit, words, told):
    page = visit.go(f"/?q={words}")
    said = page.locator(".nothing p[lang=en]").inner_text()
    assert said.startswith("The filters leave nothing")
    assert told in said


# -- the frame ---------------------------------------------------------------------------------------------------------


def test_header_stays_where_it_is_at_the_first_key(visit):
    page = visit.go()
    places = [page.locator(one).bounding_box() for one in (".brand", ".views", "#page-query")]
    visit.type("b")
    page.locator(".hits").wait_for()
    assert [page.locator(one).bounding_box() for one in (".brand", ".views", "#page-query")] == places


def test_line_above_the_results_says_which_words_were_left_out(visit):
    page = visit.go("/?q=signing+key+-wombat")
    told = "Sections with these words are left out: wombat. Put them in quotes to search for them."
    assert page.locator("#page-status").inner_text().endswith(told)


def test_line_above_the_results_says_for_what_was_searched(visit):
    page = visit.go("/?q=rotate+the+sgining+key")
    assert page.locator("#page-status").inner_text().endswith("Searched for: rotate the signing key")


def test_line_above_the_results_says_which_phrase_no_section_has(visit):
    page = visit.go("/?q=%22signing+wombat%22+key")
    told = "No section has this as it is written: “signing wombat”"
    assert page.locator("#page-status").inner_text().endswith(told)
