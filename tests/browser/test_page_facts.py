"""What an open page says of the index follows the runs of the indexer."""

import pytest

from tests.browser.views import small

pytestmark = pytest.mark.browser

SHOWN = "document.dispatchEvent(new Event('visibilitychange'))"


@pytest.fixture
def project(tmp_path):
    return small(tmp_path / "notes", {"docs/a.md": "---\ntags: [first]\n---\n# A\n\nA wren.\n"})


def add(project):
    project.write("docs/b.md", "---\ntags: [second]\n---\n# B\n\nAnother wren.\n")
    project.index()


def tags(page):
    return sorted(page.locator("input[name=tag]").evaluate_all("all => all.map((one) => one.value)"))


def asked_for(visit, path):
    return [address for address in visit.asked if address.startswith(f"/api/{path}")]


@pytest.mark.parametrize("address", ["/?q=wren", "/"])
def test_page_that_is_looked_at_again_has_the_new_tags_and_numbers(open_page, serve, project, address):
    page = open_page(serve(project.index_dir)).go(address)
    page.locator("#page-foot", has_text="1 document").wait_for()
    assert tags(page) == ["first"]
    add(project)
    page.evaluate(SHOWN)
    page.locator("#page-foot", has_text="2 documents").wait_for()
    page.locator("input[name=tag][value=second]").wait_for()


def test_answer_a_minute_later_brings_the_new_tags_and_numbers(open_page, serve, project):
    visit = open_page(serve(project.index_dir))
    visit.page.clock.install()
    page = visit.go("/?q=wren")
    page.locator("#page-foot", has_text="1 document").wait_for()
    add(project)
    page.clock.fast_forward(61_000)
    page.locator("#page-query").fill("another wren")
    page.locator("#page-foot", has_text="2 documents").wait_for()
    page.locator("input[name=tag][value=second]").wait_for()


def test_answers_of_one_minute_ask_for_the_numbers_once(open_page, serve, project):
    visit = open_page(serve(project.index_dir))
    page = visit.go("/?q=wren")
    page.locator("#page-foot", has_text="1 document").wait_for()
    for question in ("another wren", "a wren"):
        page.locator("#page-query").fill(question)
        page.wait_for_url(f"**q={question.replace(' ', '+')}")
        visit.shown()
    page.wait_for_timeout(200)
    assert (len(asked_for(visit, "status")), len(asked_for(visit, "overview"))) == (1, 1)


def test_page_that_is_looked_at_again_without_a_run_asks_for_no_tags(open_page, serve, project):
    visit = open_page(serve(project.index_dir))
    page = visit.go("/?q=wren")
    page.locator("#page-foot", has_text="1 document").wait_for()
    with page.expect_response("**/api/status"):
        page.evaluate(SHOWN)
    page.wait_for_timeout(200)
    assert len(asked_for(visit, "overview")) == 1


def test_age_of_the_index_grows_with_the_answers(open_page, serve, project):
    visit = open_page(serve(project.index_dir))
    visit.page.clock.install()
    page = visit.go("/?q=wren")
    page.locator("#page-foot", has_text="just now").wait_for()
    page.clock.fast_forward(3 * 60_000)
    page.locator("#page-query").fill("another wren")
    page.locator("#page-foot", has_text="3 minutes ago").wait_for()


def test_path_that_is_being_typed_stays_while_the_tags_change(open_page, serve, project):
    page = open_page(serve(project.index_dir)).go("/?q=wren")
    page.locator("#page-foot", has_text="1 document").wait_for()
    page.locator("#page-path").fill("docs/")
    add(project)
    page.evaluate(SHOWN)
    page.locator("#page-foot", has_text="2 documents").wait_for()
    page.wait_for_timeout(300)
    assert page.locator("#page-path:focus").input_value() == "docs/"
