"""What the page shows of sections and documents: one section, narrowing down, addresses."""

import re

import pytest

from tests.browser.views import (
    FIRST,
    NETWORK,
    QUESTION,
    SECTION,
    VIEWS,
    expect_text,
    focused,
    heading,
    headings,
    query_of,
    small,
)

pytestmark = [pytest.mark.browser, pytest.mark.slow]


# -- one section -------------------------------------------------------------------------------------------------------


def test_section_is_shown_whole_with_its_place(visit):
    page = visit.go(SECTION)
    assert heading(page) == FIRST
    assert page.locator(".section .document").inner_text() == "Security"
    assert page.locator(".section > .number").inner_text() == "§ 1.2"
    assert page.locator(".section .prose pre").count() >= 2
    assert "old key" in page.locator(".section > .prose").inner_text()


def test_words_asked_for_are_marked_in_the_section_too(visit):
    page = visit.go(SECTION)
    assert {"signing", "key"} <= {text.lower() for text in page.locator(".prose mark").all_inner_texts()}


def test_outline_shows_where_the_reader_is_and_how_long_sections_are(visit):
    page = visit.go(SECTION)
    entries = page.locator(".outline .entry").all_inner_texts()
    assert entries[:3] == ["Security", "What the signing key protects", FIRST]
    assert page.locator(".outline a[aria-current] .entry").inner_text() == FIRST
    assert re.fullmatch(r"\d+ tokens", page.locator(".outline .tokens .small").first.inner_text())


def test_outline_leads_to_another_section(visit):
    page = visit.go(SECTION)
    page.locator(".outline a", has_text="The audit log").click()
    expect_text(page.locator(".heading"), "The audit log")
    assert focused(page) == "The audit log"


def test_heading_alone_leads_to_the_sections_below(visit):
    page = visit.go("/?doc=docs/guide/reference.md")
    below = page.get_by_role("navigation", name="Sections below")
    assert below.get_by_role("link").count() >= 3
    below.get_by_role("link", name="Value types").click()
    expect_text(page.locator(".heading"), "Value types")


def test_next_and_previous_lead_through_the_document(visit):
    page = visit.go(SECTION)
    page.get_by_role("link", name="Next").click()
    expect_text(page.locator(".heading"), "If a key has been stolen")
    page.get_by_role("link", name="Previous").click()
    expect_text(page.locator(".heading"), FIRST)


def test_link_to_another_document_stays_in_the_page(open_page, tiny):
    visit = open_page(tiny)
    page = visit.go("/?doc=docs/a.md&q=zebra")
    page.get_by_role("link", name="the other one").click()
    expect_text(page.locator(".heading"), "Second part")
    assert query_of(page) == {"doc": ["docs/sub/b.md"], "q": ["zebra"]}
    assert len([address for address in visit.asked if address.startswith("/?")]) == 1


def test_same_page_in_another_language_is_a_click_away(open_page, tiny):
    page = open_page(tiny).go("/?doc=docs/a.md&q=zebra")
    other = page.get_by_role("navigation", name="The same page in other languages").get_by_role("link")
    assert (other.inner_text(), other.get_attribute("lang")) == ("日本語", "ja")
    other.click()
    expect_text(page.locator(".heading"), "最初")
    expect_text(page.locator(".languages a"), "English")


def test_page_in_one_language_tells_no_others(open_page, tiny):
    page = open_page(tiny).go("/?doc=docs/sub/b.md")
    expect_text(page.locator(".heading"), "Other")
    assert page.locator(".languages").count() == 0


def test_link_to_the_web_tells_nobody_where_it_was(open_page, tiny):
    page = open_page(tiny).go("/?doc=docs/a.md")
    link = page.get_by_role("link", name="the web")
    assert (link.get_attribute("href"), link.get_attribute("rel")) == (
        "https://example.org/",
        "noopener noreferrer nofollow",
    )


def test_heading_without_text_has_a_name_and_an_address(open_page, tiny):
    visit = open_page(tiny)
    page = visit.go("/?doc=docs/signs.md")
    page.locator(".outline a", has_text="(no heading)").click()
    expect_text(page.locator(".heading"), "(no heading)")
    assert "Under a picture" in page.locator(".prose").inner_text()
    assert page.url.endswith("#L5")


def test_front_matter_is_not_shown(open_page, tiny):
    page = open_page(tiny).go("/?doc=docs/a.md")
    assert "secret-field" not in page.locator("body").inner_text()


def test_changed_file_is_told(open_page, serve, tmp_path):
    project = small(tmp_path / "p", {"docs/a.md": "# A\n\nzebra\n"})
    server = serve(project.index_dir)
    project.write("docs/a.md", "# A\n\nzebra and more than before\n")
    page = open_page(server).go("/?q=zebra")
    assert page.locator(".hit .flag").inner_text() == "file changed"
    visit = open_page(server)
    page = visit.go("/?view=index")
    page.get_by_text("1 file changed since").click()
    assert page.locator(".paths li").all_inner_texts() == ["docs/a.md"]


def test_file_that_is_gone_is_told(open_page, serve, tmp_path):
    project = small(tmp_path / "p", {"docs/a.md": "# A\n\nzebra\n"})
    server = serve(project.index_dir)
    (project.home / "docs/a.md").unlink()
    assert open_page(server).go("/?q=zebra").locator(".hit .flag").inner_text() == "file is gone"


def test_section_without_a_fresh_vector_is_told(open_page, serve, tmp_path):
    project = small(tmp_path / "p", {"docs/a.md": "# A\n\nzebra\n"})
    project.write("docs/a.md", "# A\n\nzebra changed\n")
    project.indexer().scan(project.home / "docs")
    server = serve(project.index_dir)
    page = open_page(server).go("/?q=zebra")
    assert page.locator(".hit .flag").inner_text() == "vector pending"
    page = open_page(server).go("/?q=zebra&clean=true")
    assert headings(page) == []


# -- narrowing down ----------------------------------------------------------------------------------------------------


def test_filter_narrows_the_results_and_stands_in_the_address(visit):
    page = visit.go("/?q=key")
    page.get_by_label("audit").check()
    visit.shown()
    page.locator(".chip").wait_for()
    assert query_of(page)["tag"] == ["audit"]
    assert {text.split(":")[0] for text in page.locator(".hit .place").all_inner_texts()} == {"docs/guide/security.md"}


def test_filter_keeps_the_focus(visit):
    page = visit.go("/?q=key")
    page.get_by_label("Second level").focus()
    page.keyboard.press("Space")
    page.locator(".chip").wait_for()
    visit.shown()
    assert page.evaluate("document.activeElement.value") == "2"


def test_chip_drops_its_filter(visit):
    page = visit.go("/?q=key&depth=2&mode=lexical")
    page.get_by_role("button", name="Second level").click()
    page.locator(".chip").nth(1).wait_for(state="detached")
    assert query_of(page) == {"q": ["key"], "mode": ["lexical"]}


def test_path_filter_takes_a_folder(visit):
    page = visit.go("/?q=key")
    page.get_by_label("Path").fill("docs/ja/")
    page.keyboard.press("Enter")
    page.locator(".chip").wait_for()
    visit.shown()
    assert {text.split("/")[1] for text in page.locator(".hit .place").all_inner_texts()} == {"ja"}


def test_mode_is_asked_for(visit):
    page = visit.go("/?q=key")
    page.get_by_label("Words", exact=True).check()
    page.locator(".chip").wait_for()
    assert "mode=lexical" in visit.searches()[-1]


def test_filters_fold_away_where_there_is_little_room(open_page, sample):
    page = open_page(sample, width=375).go("/?q=key&depth=2")
    assert not page.get_by_label("Path").is_visible()
    page.get_by_text("Filters (1)").click()
    assert page.get_by_label("Path").is_visible()


def test_documents_are_narrowed_down_by_typing(visit):
    page = visit.go("/?view=documents")
    page.get_by_label("Narrow down").fill("secur")
    assert page.locator(".tree a").all_inner_texts() == ["Security"]


# -- addresses ---------------------------------------------------------------------------------------------------------


def test_back_and_forward_restore_what_was_shown(visit):
    page = visit.go()
    visit.type(QUESTION)
    page.locator(".hit h3 a").first.click()
    expect_text(page.locator(".heading"), FIRST)
    page.go_back()
    page.locator(".hits").wait_for()
    assert page.locator("#page-query").input_value() == QUESTION
    page.go_back()
    page.locator(".welcome").wait_for()
    assert page.locator("#page-query").input_value() == ""
    page.go_forward()
    page.go_forward()
    expect_text(page.locator(".heading"), FIRST)


def test_back_restores_the_place_in_the_list(visit):
    page = visit.go("/?q=the+gateway")
    link = page.locator(".hit h3 a").nth(7)
    link.scroll_into_view_if_needed()
    page.wait_for_timeout(50)
    before = page.evaluate("scrollY")
    assert before > 0
    link.click()
    page.locator(".heading").wait_for()
    visit.shown()
    assert abs(page.evaluate("scrollY") - before) > 5
    page.go_back()
    page.locator(".hits").wait_for()
    visit.shown()
    assert abs(page.evaluate("scrollY") - before) < 5


@pytest.mark.parametrize("name", ["filtered", "section", "documents", "index"])
def test_address_alone_gives_the_same_page(open_page, sample, name):
    first = open_page(sample).go(VIEWS[name]).locator("main").inner_text()
    second = open_page(sample).go(VIEWS[name]).locator("main").inner_text()
    strip = re.compile(r"in [\d,]+ ms|\d+ \w+ ago|just now")
    assert strip.sub("", first) == strip.sub("", second)


def test_typing_on_adds_no_steps_to_the_history(visit):
    page = visit.go()
    visit.type("sign")
    steps = page.evaluate("history.length")
    visit.type("ing")
    visit.type(" key")
    assert page.evaluate("history.length") == steps


def test_title_names_what_is_shown(visit):
    assert visit.go("/?q=signing+key").title() == "signing key – Sectionary"
    assert visit.go(SECTION).title() == f"{FIRST} – Sectionary"


def test_address_of_a_section_that_is_gone_shows_its_document(visit):
    page = visit.go("/?doc=docs/guide/security.md#no-such-part")
    assert heading(page) == "Security"
    assert "no such section" in page.locator("#page-status").inner_text()


@pytest.mark.parametrize("address", ["/?doc=docs/none.md", "/?doc=../../etc/passwd"])
def test_document_that_is_not_there_is_told(visit, address):
    visit.expected = NETWORK
    page = visit.go(address)
    assert page.locator(".notice h2").inner_text() == "Not in the index"


@pytest.mark.parametrize(
    "address", ["/?q=x&depth=9&n=-5&mode=odd&language=<b>", "/?view=nowhere", "/?doc=", "/?q=%F0%28%8C%28", "/#page-main"]
)
def test_odd_addresses_are_shown_as_far_as_they_make_sense(visit, address):
    page = visit.go(address)
    assert page.locator("#page-view > *").count() > 0
