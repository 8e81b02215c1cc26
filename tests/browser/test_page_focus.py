"""Where the focus goes: to the answer that is awaited, and on from what is replaced, never to the body of the page."""

from urllib.parse import urlsplit

import pytest

from tests.browser.views import QUESTION, focused, heading, headings

pytestmark = pytest.mark.browser

ANSWER = "The audit log"
SLOW = 0.6


@pytest.fixture
def slow(serve, sample):
    """A server whose answers to one question come late."""
    server = serve(sample.answers.index_dir)
    server.delays["the audit log"] = SLOW
    return server


def has_focus(page):
    """Whether more than the body has the focus."""
    return page.evaluate("document.activeElement !== document.body")


def control(page):
    """The kind of input that has the focus, and its value."""
    return page.evaluate("[document.activeElement.name, document.activeElement.value]")


def await_heading(page, text):
    page.locator(".heading", has_text=text).wait_for()


# -- the answer that is awaited ----------------------------------------------------------------------------------------


def ask_late(page):
    """Write a question whose answer comes late, in the place of an answered one."""
    page.locator("#page-query").select_text()
    page.keyboard.insert_text("the audit log")


@pytest.mark.parametrize("pause", [0, 60])
def test_arrow_after_typing_goes_to_the_first_result_of_what_was_typed(open_page, slow, pause):
    visit = open_page(slow)
    page = visit.go("/?q=rotate+the+signing+key")
    ask_late(page)
    page.wait_for_timeout(pause)
    page.keyboard.press("ArrowDown")
    page.locator(".hits a:focus", has_text=ANSWER).wait_for()
    assert focused(page) == headings(page)[0] == ANSWER


def test_arrow_and_enter_while_an_answer_is_awaited_open_nothing_of_the_list_before(open_page, slow):
    visit = open_page(slow)
    page = visit.go("/?q=rotate+the+signing+key")
    ask_late(page)
    for key in ("Enter", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    page.locator(".hits a:focus", has_text=ANSWER).wait_for()
    page.keyboard.press("Enter")
    await_heading(page, ANSWER)


def test_who_types_on_after_the_arrow_stays_in_the_field(open_page, slow):
    visit = open_page(slow)
    page = visit.go("/?q=rotate+the+signing+key")
    ask_late(page)
    page.keyboard.press("ArrowDown")
    page.keyboard.type(" x")
    page.wait_for_timeout(1000 * SLOW + 300)
    visit.shown()
    assert page.locator("#page-query:focus").input_value() == "the audit log x"


def test_focus_on_a_result_goes_to_the_list_that_takes_its_place(open_page, slow):
    visit = open_page(slow)
    page = visit.go("/?q=rotate+the+signing+key")
    ask_late(page)
    page.wait_for_timeout(250)
    page.locator(".hits h3 a").nth(1).focus()
    page.locator(".hits li:first-child h3", has_text=ANSWER).wait_for()
    assert page.locator(".hits h3 a:focus").count() == 1


# -- filters -----------------------------------------------------------------------------------------------------------


def test_arrow_on_a_choice_of_the_filters_takes_the_next_choice(visit):
    page = visit.go("/?q=buffer")
    page.locator("input[name=mode]").first.focus()
    page.keyboard.press("ArrowDown")
    page.wait_for_url("**mode=lexical")
    visit.shown()
    assert control(page) == ["mode", "lexical"]


@pytest.mark.parametrize("key", ["j", "k", "ArrowDown", "ArrowUp"])
def test_keys_of_the_list_do_nothing_on_a_checkbox(visit, key):
    page = visit.go("/?q=buffer")
    page.locator("input[name=depth]").nth(1).focus()
    page.keyboard.press(key)
    assert control(page) == ["depth", "1"]


def test_slash_on_a_checkbox_goes_to_the_field(visit):
    page = visit.go("/?q=buffer")
    page.locator("input[name=depth]").first.focus()
    page.keyboard.press("/")
    assert focused(page) == "page-query"


@pytest.mark.parametrize("name", ["tag", "depth", "clean"])
def test_space_on_a_filter_leaves_the_focus_on_it(visit, name):
    page = visit.go("/?q=buffer&mode=lexical")
    page.locator(f"input[name={name}]").nth(0).focus()
    before = control(page)
    for checked in (True, False):
        page.keyboard.press("Space")
        page.wait_for_function("([name, on]) => new URLSearchParams(location.search).has(name) === on", arg=[name, checked])
        visit.shown()
        assert control(page) == before


def test_focus_goes_to_the_filter_that_stands_where_one_was_dropped(visit):
    page = visit.go("/?q=buffer&depth=1&depth=2&depth=3")
    page.locator(".chip").nth(1).focus()
    page.keyboard.press("Space")
    page.locator(".chip").nth(2).wait_for(state="detached")
    assert page.evaluate("[...document.querySelectorAll('.chip')].indexOf(document.activeElement)") == 1


# -- back --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["back", "Escape"])
def test_back_from_a_section_that_a_key_opened_goes_to_the_heading(visit, way):
    page = visit.go("/?doc=docs/guide/security.md#rotate-keys")
    first = heading(page)
    page.keyboard.press("j")
    await_heading(page, "If a key has been stolen")
    visit.shown()
    page.go_back() if way == "back" else page.keyboard.press(way)
    await_heading(page, first)
    visit.shown()
    assert page.locator(".heading:focus").inner_text() == first


def test_back_to_results_without_a_focus_goes_to_the_content(visit):
    page = visit.go("/?q=buffer")
    page.locator(".hit .snippet").first.click()
    page.locator(".heading").wait_for()
    visit.shown()
    page.go_back()
    page.locator(".hits").wait_for()
    visit.shown()
    assert has_focus(page)


# -- history -----------------------------------------------------------------------------------------------------------


def test_question_typed_after_a_section_was_open_leaves_the_one_before_in_the_history(visit):
    page = visit.go()
    visit.type(QUESTION)
    page.locator(".hits h3 a").first.click()
    page.locator(".heading").wait_for()
    visit.shown()
    page.keyboard.press("Escape")
    page.locator(".hits").wait_for()
    visit.shown()
    page.keyboard.press("/")
    visit.type("the audit log")
    page.go_back()
    page.locator(".hits li:first-child h3", has_text="Rotate the signing key").wait_for()
    assert page.locator("#page-query").input_value() == QUESTION


def test_one_question_that_is_changed_is_one_entry_of_the_history(visit):
    page = visit.go()
    visit.type("rotate")
    visit.type(" the signing key")
    page.go_back()
    page.locator(".welcome").wait_for()
    assert not urlsplit(page.url).query
