"""The page in English, Japanese and Korean: which language it speaks, that it speaks it alone, and that all can use it."""

import pytest

from tests.browser.views import NETWORK, SECTION, VIEWS, assert_no_barrier, expect_text, small, words

pytestmark = [pytest.mark.browser, pytest.mark.slow]

#: Texts and attributes in the language of the page that have words of Latin letters: names apart, there are none of them.
LATIN = """() => {
  const isOwn = (element) => element.closest("[lang]") === document.documentElement && !element.closest("[translate=no], noscript, script");
  const names = /Sectionary|Markdown|VS Code|\\\\d\\\\s?(?:ms|[kKMG]?B)\\\\b|docs\\\\/\\\\S*/g;
  const found = [];
  const look = (text, where) => { if (/[A-Za-z]{2,}/.test(text.replace(names, ""))) found.push(where + text.trim().slice(0, 80)); };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) if (isOwn(walker.currentNode.parentElement)) look(walker.currentNode.data, "");
  for (const element of document.body.querySelectorAll("*"))
    for (const name of ["title", "aria-label", "placeholder", "alt"])
      if (element.hasAttribute(name) && isOwn(element)) look(element.getAttribute(name), name + ": ");
  return found;
}""".replace("\\\\", "\\")
SPOKEN = {"en": "Search", "ja": "検索", "ko": "검색"}


def language(page):
    return page.evaluate("document.documentElement.lang"), page.locator(".views a").first.inner_text()


@pytest.mark.parametrize(
    ("locale", "code"), [("en-GB", "en"), ("ja-JP", "ja"), ("ja", "ja"), ("ko-KR", "ko"), ("de-DE", "en"), ("zh-CN", "en")]
)
def test_page_speaks_the_language_of_the_browser_or_english(open_page, tiny, locale, code):
    assert language(open_page(tiny, locale=locale).go()) == (code, SPOKEN[code])


def test_first_language_of_the_browser_that_the_page_has_is_taken(open_page, tiny):
    visit = open_page(tiny)
    visit.context.add_init_script("Object.defineProperty(navigator, 'languages', { get: () => ['fr-FR', 'ko', 'ja'] })")
    assert language(visit.go()) == ("ko", "검색")


def test_chosen_language_is_spoken_at_once_and_remembered(open_page, sample):
    visit = open_page(sample)
    page = visit.go("/?q=rotate+the+signing+key")
    page.get_by_role("combobox", name="Language").focus()
    page.get_by_role("combobox", name="Language").select_option("ja")
    page.locator("#page-status", has_text="関連度の高い").wait_for()
    visit.shown()
    assert language(page) == ("ja", "検索")
    assert page.locator("#page-rail legend").first.inner_text() == "比べ方"
    assert page.evaluate("document.activeElement.id") == "page-language"
    assert page.url.endswith("/?q=rotate+the+signing+key")
    page.reload()
    visit.shown()
    assert language(page) == ("ja", "検索")
    page.get_by_role("combobox", name="言語").select_option("English")
    expect_text(page.locator(".views a").first, "Search")
    assert page.evaluate("localStorage.getItem('sectionary.language')") == "en"


def test_numbers_and_dates_are_written_as_the_language_writes_them(open_page, tiny):
    for locale, size, run in (
        ("en", "MB|kB|byte", " ago|just now"),
        ("ja", "MB|kB|KB|バイト", "前|たった今"),
        ("ko", "MB|kB|KB|바이트", "전|방금"),
    ):
        page = open_page(tiny, locale=locale).go("/?view=index")
        assert any(word in words(page.locator(".made")) for word in size.split("|"))
        assert any(word in words(page.locator("#page-view section").first) for word in run.split("|"))


def test_document_keeps_its_own_language(open_page, sample):
    page = open_page(sample, locale="ja").go(SECTION)
    assert page.locator(".heading").get_attribute("lang") == ""
    assert page.locator(".section > .prose").get_attribute("lang") == ""
    page = open_page(sample, locale="ko").go("/?doc=docs/ja/certificates.md")
    assert page.locator(".section > .prose").get_attribute("lang") == "ja"
    assert open_page(sample).go(SECTION).locator(".heading").get_attribute("lang") is None


def test_walk_finds_english_where_the_page_speaks_it(visit):
    found = visit.go("/?q=rotate+the+signing+key").evaluate(LATIN)
    assert {"Documents", "Words and meaning", "placeholder: Ask a question or give words"} <= set(found)
    assert len(found) > 30


@pytest.mark.parametrize("code", ["ja", "ko"])
def test_no_english_and_no_barrier_in_any_view(open_page, sample, code):
    visit = open_page(sample, locale=code)
    for name, address in VIEWS.items():
        page = visit.go(address)
        page.locator("#page-foot:not(:empty)").wait_for()
        assert (name, page.evaluate(LATIN)) == (name, [])
        assert_no_barrier(page)
    page.locator("#page-fields summary").click()
    assert page.evaluate(LATIN) == []
    assert_no_barrier(page)
    page.locator("#page-fields summary").click()
    page.locator("#page-help-button").click()
    assert page.evaluate(LATIN) == []
    assert_no_barrier(page)


@pytest.mark.parametrize("code", ["ja", "ko"])
def test_no_english_where_something_is_wrong(open_page, serve, tmp_path, sample, code):
    project = small(tmp_path / "p", {"docs/a.md": "# A\n\nzebra\n", "docs/b.md": "# B\n\nzebra and [A](a.md)\n"})
    project.write("docs/a.md", "# A\n\nzebra changed\n")
    (project.home / "docs/b.md").unlink()
    server = serve(project.index_dir)
    visit = open_page(server, locale=code)
    visit.expected = NETWORK
    for address in ("/?q=zebra", "/?view=index", "/?doc=docs/b.md#gone", "/?doc=docs/none.md", "/?q=since:x"):
        page = visit.go(address)
        assert (address, page.evaluate(LATIN)) == (address, [])
    assert (page.locator(".notice code").count(), page.locator(".notice [lang=en]").count()) == (3, 0)
    visit.context.route(
        "**/api/search?*",
        lambda route: route.fulfill(status=503, body='{"error": {"kind": "busy", "message": "Busy."}}'),
    )
    page = visit.go("/?q=busy")
    assert page.locator(".notice .again").is_visible()
    assert page.evaluate(LATIN) == []
    assert_no_barrier(page)
    visit.context.route("**/api/outline?*", lambda route: route.fulfill(status=401, body="{}"))
    page = visit.go("/?doc=docs/a.md")
    page.locator("#page-token").wait_for()
    assert page.evaluate(LATIN) == []


@pytest.mark.parametrize("code", ["ja", "ko"])
def test_nothing_is_wider_than_a_narrow_screen(open_page, sample, code):
    visit = open_page(sample, width=320, locale=code)
    for name in ("welcome", "results", "unanswered", "section", "documents", "index"):
        page = visit.go(VIEWS[name])
        wide = "Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)"
        assert (name, page.evaluate(wide)) == (name, 0)
