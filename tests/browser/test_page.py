"""The page as a reader meets it: asking and moving, by typing, by an input method and by keys."""

import re

import pytest

from tests.browser.views import FIRST, QUESTION, SECTION, expect_text, focused, heading, headings, query_of, small

pytestmark = pytest.mark.browser


# -- asking ------------------------------------------------------------------------------------------------------------


def test_typing_shows_the_best_section_first(visit):
    visit.go()
    page = visit.type(QUESTION)
    assert headings(page)[0] == FIRST


def test_result_tells_where_it_stands(visit):
    page = visit.go("/?q=rotate+the+signing+key")
    hit = page.locator(".hit").first
    assert hit.locator(".crumbs").inner_text() == "Security"
    assert hit.locator(".number").inner_text() == "§ 1.2"
    assert re.fullmatch(r"docs/guide/security\.md:\d+", hit.locator(".place").inner_text())


def test_words_asked_for_are_marked(visit):
    page = visit.go("/?q=signing")
    marked = {text.lower() for text in page.locator(".hits mark").all_inner_texts()}
    assert "signing" in marked
    assert all(text.startswith("sign") for text in marked)


def test_a_match_with_a_hyphen_is_marked(open_page, serve, tmp_path):
    server = serve(small(tmp_path / "p", {"docs/a.md": "# Headers\n\nThe content-type matters.\n"}).index_dir)
    page = open_page(server).go("/?q=content-type")
    assert page.locator(".hits mark").all_inner_texts() == ["content-type"]


def test_number_of_results_is_announced(visit):
    page = visit.go("/?q=rotate+the+signing+key")
    assert re.fullmatch(r"The best 10 sections in [\d,]+ ms", page.get_by_role("status").first.inner_text())


def test_outdated_question_is_aborted_and_never_shown(open_page, serve, sample):
    server = serve(sample.answers.index_dir)
    server.delays["certificate"] = 0.8
    visit = open_page(server)
    page = visit.go()
    failed = []
    page.on("requestfailed", lambda request: failed.append(request.url))
    with page.expect_request("**/api/search?q=certificate&*"):
        page.locator("#page-query").fill("certificate")
    page.locator("#page-query").fill(QUESTION)
    page.locator(".hits h3", has_text=FIRST).wait_for()
    page.wait_for_timeout(900)
    assert headings(page)[0] == FIRST
    assert [url for url in failed if "q=certificate" in url]


def test_old_results_stay_while_new_ones_load(open_page, serve, sample):
    server = serve(sample.answers.index_dir)
    server.delays["the audit log"] = 4.0
    page = open_page(server).go("/?q=rotate+the+signing+key")
    page.locator("#page-query").fill("the audit log")
    page.locator("#page-progress").wait_for(state="visible")
    assert headings(page)[0] == FIRST
    page.locator(".hits li:first-child h3", has_text="The audit log").wait_for()


def test_emptied_field_shows_the_beginning(visit):
    page = visit.go("/?q=buffer")
    page.locator("#page-query").fill("")
    page.locator(".welcome").wait_for()
    assert query_of(page) == {}


def test_more_sections_are_added_below(visit):
    page = visit.go("/?q=the+gateway")
    before = headings(page)
    page.get_by_role("button", name="More sections").click()
    page.locator(".hit").nth(len(before)).wait_for()
    assert headings(page)[: len(before)] == before
    assert query_of(page)["n"] == ["20"]
    assert focused(page) == headings(page)[len(before)]


def test_nothing_found_comes_with_advice(visit):
    page = visit.go('/?q="zzqx+vvv"&mode=lexical&tag=audit')
    page.get_by_role("link", name="search without filters").click()
    visit.shown()
    assert query_of(page) == {"q": ['"zzqx vvv"']}


def test_filters_that_leave_nothing_come_with_what_the_server_says_of_them(visit):
    told = visit.go("/?q=key&path=doc/guide/").locator(".nothing p[lang=en]")
    assert "No document's path begins with doc/guide/" in told.inner_text()


def test_marks_stand_right_after_signs_beyond_the_basic_plane(open_page, tiny):
    page = open_page(tiny).go("/?q=zebra")
    assert set(page.locator(".hits mark").all_inner_texts()) == {"zebra"}


@pytest.mark.parametrize("code", ["ja", "ko"])
def test_section_says_its_language(visit, code):
    question = {"ja": "証明書", "ko": "버퍼"}[code]
    page = visit.go(f"/?q={question}")
    assert page.locator(".hit .snippet").first.get_attribute("lang") == code
    page.locator(".hit h3 a").first.click()
    assert visit.shown().locator(".section > .prose").get_attribute("lang") == code


# -- input methods -----------------------------------------------------------------------------------------------------


def test_no_search_in_the_middle_of_a_composition(visit):
    page = visit.go()
    page.locator("#page-query").click()
    keyboard = visit.context.new_cdp_session(page)
    for text in ("し", "しょ", "しょうめいしょ"):
        keyboard.send("Input.imeSetComposition", {"text": text, "selectionStart": len(text), "selectionEnd": len(text)})
        page.wait_for_timeout(200)
    assert visit.searches() == []
    with page.expect_response("**/api/search*"):
        keyboard.send("Input.insertText", {"text": "証明書"})
    visit.shown()
    assert len(visit.searches()) == 1
    assert query_of(page)["q"] == ["証明書"]


# -- keys --------------------------------------------------------------------------------------------------------------


def test_slash_goes_to_the_field(visit):
    page = visit.go("/?q=buffer")
    page.keyboard.press("/")
    assert focused(page) == "page-query"
    assert page.locator("#page-query").input_value() == "buffer"


def test_arrows_and_j_k_move_through_the_results(visit):
    page = visit.go("/?q=buffer")
    names = headings(page)
    page.keyboard.press("/")
    moved = []
    for key in ("ArrowDown", "ArrowDown", "j", "k", "ArrowUp"):
        page.keyboard.press(key)
        moved.append(focused(page))
    assert moved == [names[0], names[1], names[2], names[1], names[0]]


def test_up_from_the_first_result_leads_back_to_the_field(visit):
    page = visit.go("/?q=buffer")
    page.keyboard.press("/")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    assert focused(page) == "page-query"


def test_enter_in_the_field_leads_to_the_first_result_and_opens_it(visit):
    page = visit.go()
    page.locator("#page-query").click()
    page.keyboard.type(QUESTION)
    page.keyboard.press("Enter")
    page.locator(".hit h3 a:focus").wait_for()
    page.keyboard.press("Enter")
    expect_text(page.locator(".heading"), FIRST)


def test_escape_leads_back_to_the_result_that_was_opened(visit):
    page = visit.go("/?q=buffer")
    third = headings(page)[2]
    for _ in range(3):
        page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.locator(".heading").wait_for()
    page.keyboard.press("Escape")
    page.locator(".hits").wait_for()
    visit.shown()
    assert focused(page) == third


def test_escape_leads_to_the_results_where_the_section_was_opened_directly(visit):
    page = visit.go(SECTION)
    page.keyboard.press("Escape")
    page.locator(".hits").wait_for()
    assert query_of(page) == {"q": ["signing key"]}


def test_question_mark_shows_the_keys_and_escape_closes_them(visit):
    page = visit.go("/?q=buffer")
    page.keyboard.press("?")
    page.get_by_role("dialog", name="Keys").wait_for()
    page.keyboard.press("Escape")
    page.locator("#page-help").wait_for(state="hidden")


def test_question_mark_is_a_sign_in_the_field(visit):
    page = visit.go()
    page.locator("#page-query").click()
    page.keyboard.type("why?")
    assert page.locator("#page-query").input_value() == "why?"
    assert not page.locator("#page-help").is_visible()


def test_o_goes_to_the_outline_of_the_result(visit):
    page = visit.go("/?q=rotate+the+signing+key")
    page.keyboard.press("j")
    page.keyboard.press("o")
    page.locator(".outline a[aria-current]:focus").wait_for()
    assert page.locator(".outline a[aria-current] .entry").inner_text() == FIRST


def test_j_k_and_u_turn_to_neighbours_and_up(visit):
    page = visit.go(SECTION)
    seen = []
    for key in ("j", "k", "u"):
        page.keyboard.press(key)
        visit.shown()
        page.wait_for_timeout(100)
        seen.append(heading(page))
    assert seen == ["If a key has been stolen", FIRST, "Security"]


def test_keys_with_modifiers_are_left_to_the_browser(visit):
    page = visit.go("/?q=buffer")
    page.keyboard.press("Control+j")
    assert page.evaluate("document.activeElement.tagName") in ("BODY", "INPUT", "MAIN")
    page.keyboard.press("Alt+o")
    assert page.locator(".hits").is_visible()
