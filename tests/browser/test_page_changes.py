"""What the page shows of changes, and of sections like one."""

import pytest

from tests.browser.conftest import Served
from tests.browser.test_page_languages import LATIN
from tests.browser.views import NETWORK, assert_no_barrier, expect_text, focused, query_of, small

pytestmark = [pytest.mark.browser, pytest.mark.slow]

KEYS = "# Keys\n\n## Rotate a key\n\nMake a new key, then retire the old one.\n\n## Lose a key\n\nTell everybody.\n"
CHANGED = KEYS.replace("retire the old one", "wait a day").replace("## Lose a key", "## Find a key")
UNKNOWN = '{"error": {"kind": "invalid_query", "message": "Ask since a date."}}'


@pytest.fixture(scope="module")
def edited(tmp_path_factory):
    """A server over an index whose last run changed, added and removed a section each."""
    project = small(tmp_path_factory.mktemp("edited"), {"docs/keys.md": KEYS, "docs/locks.md": "# Locks\n\nTurn the key.\n"})
    project.write("docs/keys.md", CHANGED)
    project.index()
    server = Served(project.index_dir)
    yield server
    server.stop()


def entries(page):
    return [" ".join(text.split()) for text in page.locator(".changed li").all_inner_texts()]


LAST_RUN = [
    "changed Rotate a key lines 3–6 Make a new key, then wait a day.",
    "added Find a key lines 7–9 Tell everybody.",
    "removed Lose a key",
]


def test_what_changed_is_listed_by_document_and_leads_to_its_sections(open_page, edited):
    page = open_page(edited).go()
    page.get_by_role("link", name="Changes").click()
    page.locator(".changed").wait_for()
    assert (page.locator(".changed h3 a").all_inner_texts(), entries(page)) == (["docs/keys.md"], LAST_RUN)
    assert page.locator(".changed ~ p, [role=status].small").first.inner_text().startswith("1 added, 1 changed, 1 removed")
    page.get_by_role("link", name="7 days").focus()
    page.keyboard.press("Enter")
    page.locator(".changed").nth(1).wait_for()
    assert (query_of(page), focused(page)) == ({"view": ["changes"], "since": ["7d"]}, "7 days")
    page.get_by_label("or since a date").fill("2099-01-01")
    page.get_by_role("button", name="Show").click()
    page.get_by_text("No section was added, changed or removed since").wait_for()
    page.go_back()
    page.locator(".changed").nth(1).wait_for()
    page.locator("main").focus()
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect_text(page.locator(".heading"), "Keys")
    assert query_of(page) == {"doc": ["docs/keys.md"]}


def test_changes_keep_nobody_out_fit_a_narrow_screen_and_say_what_is_not_known(open_page, edited):
    for code in ("en", "ja", "ko"):
        visit = open_page(edited, width=320, locale=code)
        visit.expected = NETWORK
        visit.context.route("**/api/changes?limit=300", lambda route: route.fulfill(status=400, body=UNKNOWN))
        for address in ("/?view=changes", "/?view=changes&since=all", "/?view=changes&since=2099-01-01&path=docs/"):
            page = visit.go(address)
            assert page.locator(".since a").count() == 4
            assert_no_barrier(page)
            assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
            assert code == "en" or page.evaluate(LATIN) == []
        if code == "en":
            visit.go("/?view=changes").get_by_text("The index does not know yet when a run changed").wait_for()


def test_similar_sections_are_asked_for_when_they_are_unfolded(open_page, edited):
    visit = open_page(edited)
    visit.expected = NETWORK
    page = visit.go("/?doc=docs/keys.md#rotate-a-key")
    assert not [address for address in visit.asked if "/api/similar" in address]
    visit.context.route("**/api/similar?*", lambda route: route.abort(), times=1)
    unfold = page.get_by_text("Similar sections")
    unfold.focus()
    page.keyboard.press("Enter")
    page.get_by_text("The server does not answer").wait_for()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    first = page.locator("details.links li a").first
    first.wait_for()
    assert_no_barrier(page)
    name = first.inner_text()
    first.click()
    expect_text(page.locator(".heading"), name)
