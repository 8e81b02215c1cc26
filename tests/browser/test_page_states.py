"""The page in every state: themes, what goes wrong, what everybody needs, pictures at three widths."""

import pytest

from tests.browser.conftest import SCREENSHOTS
from tests.browser.views import FIRST, NETWORK, QUESTION, VIEWS, assert_no_barrier, focused, headings, query_of
from tests.conftest import Project, WordEmbedder

pytestmark = pytest.mark.browser


# -- themes ------------------------------------------------------------------------------------------------------------


def background(page):
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


def test_theme_follows_the_system(open_page, sample):
    light = background(open_page(sample, color_scheme="light").go())
    dark = background(open_page(sample, color_scheme="dark").go())
    assert (light, dark) == ("rgb(253, 253, 252)", "rgb(18, 21, 20)")


def test_chosen_theme_is_kept(open_page, sample):
    visit = open_page(sample, color_scheme="light")
    page = visit.go()
    page.get_by_role("button", name="Dark theme").click()
    assert background(page) == "rgb(18, 21, 20)"
    page.reload()
    visit.shown()
    assert background(page) == "rgb(18, 21, 20)"
    assert page.get_by_role("button", name="Dark theme").get_attribute("aria-pressed") == "true"


def test_less_motion_is_respected(open_page, sample):
    page = open_page(sample, reduced_motion="reduce").go()
    assert page.evaluate("getComputedStyle(document.getElementById('page-progress'), '::after').animationName") == "none"


# -- what goes wrong ---------------------------------------------------------------------------------------------------


def test_server_that_is_gone_is_told_and_found_again(open_page, serve, sample):
    server = serve(sample.answers.index_dir)
    visit = open_page(server)
    visit.expected = NETWORK
    page = visit.go("/?q=rotate+the+signing+key")
    server.stop()
    page.locator("#page-query").fill("the audit log")
    page.get_by_role("heading", name="The server is gone").wait_for()
    assert headings(page)[0] == FIRST
    server.start()
    page.get_by_role("button", name="Try now").click()
    page.locator(".notice").wait_for(state="detached")
    visit.shown()
    assert headings(page)[0] == "The audit log"


def test_busy_server_is_asked_again_by_itself(visit):
    visit.expected = NETWORK
    page = visit.go()
    answers = iter([503, None])

    def once(route):
        if next(answers, None) is None:
            return route.continue_()
        body = '{"error": {"kind": "busy", "message": "Too many questions at a time."}}'
        return route.fulfill(status=503, headers={"retry-after": "1", "content-type": "application/json"}, body=body)

    page.route("**/api/search?*", once)
    page.locator("#page-query").fill(QUESTION)
    page.get_by_role("heading", name="The server is busy").wait_for()
    page.locator(".hits").wait_for()
    assert headings(page)[0] == FIRST
    assert page.locator(".notice").count() == 0


def test_index_that_is_not_there_yet_is_told_and_found_later(open_page, serve, tmp_path):
    project = Project(tmp_path / "new", WordEmbedder(max_tokens=256))
    project.write("docs/a.md", "# A\n\nzebra\n")
    visit = open_page(serve(project.index_dir))
    visit.expected = NETWORK
    page = visit.go("/?q=zebra")
    page.get_by_role("heading", name="No index to search yet").wait_for()
    project.index()
    page.get_by_role("button", name="Try now").click()
    page.locator(".hits").wait_for()
    assert headings(page) == ["A"]


def test_server_that_wants_a_token_asks_for_it(open_page, serve, sample):
    visit = open_page(serve(sample.answers.index_dir, token="right-" * 8))
    visit.expected = NETWORK
    page = visit.go("/?q=rotate+the+signing+key")
    dialog = page.get_by_role("dialog", name="This server wants a token")
    dialog.get_by_role("textbox", name="Token").fill("wrong")
    page.keyboard.press("Enter")
    page.get_by_text("does not take this token").wait_for()
    dialog.get_by_role("textbox", name="Token").fill("right-" * 8)
    page.keyboard.press("Enter")
    dialog.wait_for(state="hidden")
    visit.shown()
    assert headings(page)[0] == FIRST


def test_token_is_kept_in_the_tab_and_never_in_an_address(open_page, serve, sample):
    token = "secret" * 6
    visit = open_page(serve(sample.answers.index_dir, token=token))
    visit.expected = NETWORK
    page = visit.go("/?q=buffer")
    page.get_by_role("textbox", name="Token").fill(token)
    page.keyboard.press("Enter")
    page.locator(".hits").wait_for()
    page.reload()
    page.locator(".hits").wait_for()
    assert page.evaluate("[JSON.stringify(localStorage), document.cookie]") == ["{}", ""]
    assert not [address for address in (*visit.asked, page.url) if token in address]


# -- for everybody -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", VIEWS)
def test_no_barrier_in_either_theme(visit, name):
    assert_no_barrier(visit.go(VIEWS[name]))


def test_no_barrier_on_a_narrow_screen_and_in_the_help(open_page, sample):
    page = open_page(sample, width=375).go("/?q=key&depth=2")
    page.get_by_text("Filters (1)").click()
    assert_no_barrier(page)
    page.get_by_role("button", name="Keys and help").click()
    assert_no_barrier(page)


def test_no_barrier_where_something_went_wrong(visit):
    visit.expected = NETWORK
    refused = {"busy": 503, "token": 401}
    body = '{"error": {"kind": "busy", "message": "Busy."}}'
    visit.context.route(
        "**/api/search?*", lambda route: route.fulfill(status=refused[query_of(route.request)["q"][0]], body=body)
    )
    assert_no_barrier(visit.go("/?q=busy"))
    assert_no_barrier(visit.go("/?q=token"))


def test_skip_link_leads_to_the_content(visit):
    page = visit.go("/?q=buffer")
    page.keyboard.press("Tab")
    assert focused(page) == "Skip to the content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "page-main"
    assert page.locator(".hits").is_visible()


def test_focus_can_be_seen(visit):
    page = visit.go("/?q=buffer")
    page.keyboard.press("j")
    assert page.evaluate("getComputedStyle(document.activeElement.closest('.hit'), '::before').borderLeftWidth") == "3px"
    page.get_by_label("Path").focus()
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_nothing_is_wider_than_the_smallest_screen(open_page, sample):
    visit = open_page(sample, width=320)
    assert {name: overflow(visit.go(address)) for name, address in VIEWS.items()} == dict.fromkeys(VIEWS, 0)


def overflow(page):
    """By how much one would have to scroll sideways."""
    return page.evaluate("Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [375, 768, 1440])
def test_page_fits_the_screen_in_pictures(open_page, sample, width, theme):
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    visit = open_page(sample, width=width, color_scheme=theme)
    for name in ("results", "section", "japanese", "index"):
        page = visit.go(VIEWS[name])
        page.screenshot(path=SCREENSHOTS / f"{name}-{width}-{theme}.png")
        assert overflow(page) == 0
