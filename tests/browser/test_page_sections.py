"""What can be done with a section: copying, opening elsewhere, following links; and which root a hit is in."""

import re
from urllib.parse import quote

import pytest

from schema.settings import Settings
from tests.browser.conftest import documents_served
from tests.browser.views import FIRST, SECTION, expect_text, query_of
from tests.conftest import Project, WordEmbedder

pytestmark = pytest.mark.browser

CLIPBOARD = ["clipboard-read", "clipboard-write"]
LINKED = {
    "docs/a.md": "# Alpha\n\nSee [the second part](sub/b.md#second) and [it again](sub/b.md#second).\n\n## Below\n\nUp to [Alpha](#alpha).\n",
    "docs/sub/b.md": "# Beta\n\nBack to [Alpha](../a.md).\n\n## Second\n\nText.\n",
    "docs/sub/c.md": "# Gamma\n\nAlso [the second part](b.md#second).\n",
}
linked = documents_served(LINKED, "my notes")


# -- copying -----------------------------------------------------------------------------------------------------------


def copied(page, name):
    """The text that a button copies."""
    page.get_by_role("button", name=name).click()
    page.locator(".said:not(:empty)").wait_for()
    return page.evaluate("navigator.clipboard.readText()")


def test_link_leads_back_to_the_section(open_page, sample):
    visit = open_page(sample, permissions=CLIPBOARD)
    page = visit.go(SECTION)
    link = copied(page, "Copy link")
    assert link == f"{sample.url}/?doc=docs/guide/security.md#rotate-keys"
    expect_text(page.get_by_role("status").filter(has_text="copied"), "The link is copied.")
    page.goto(link)
    expect_text(page.locator(".heading"), FIRST)


def test_citation_has_the_path_the_lines_and_the_headings(open_page, sample):
    page = open_page(sample, permissions=CLIPBOARD).go(SECTION)
    assert re.fullmatch(
        r"docs/guide/security\.md:\d+-\d+ \(Security › Rotate the signing key\)", copied(page, "Copy citation")
    )
    expect_text(page.locator(".said"), "The citation is copied.")


def test_markdown_is_copied_as_it_stands_in_the_file(open_page, linked):
    page = open_page(linked, permissions=CLIPBOARD).go("/?doc=docs/sub/b.md")
    assert copied(page, "Copy Markdown").strip() == "# Beta\n\nBack to [Alpha](../a.md)."


def test_text_is_copied_where_the_browser_has_no_clipboard(open_page, sample):
    visit = open_page(sample, permissions=CLIPBOARD)
    visit.context.add_init_script("Object.defineProperty(navigator, 'clipboard', { get: () => undefined })")
    page = visit.go(SECTION)
    page.evaluate("document.addEventListener('copy', () => { globalThis.taken = getSelection().toString() })")
    page.get_by_role("button", name="Copy link").click()
    expect_text(page.locator(".said"), "The link is copied.")
    assert page.evaluate("taken") == f"{sample.url}/?doc=docs/guide/security.md#rotate-keys"
    assert page.locator("textarea").count() == 0
    assert page.evaluate("document.activeElement.textContent") == "Copy link"


def test_copying_that_is_not_allowed_is_told(open_page, sample):
    visit = open_page(sample)
    visit.context.add_init_script(
        "Object.defineProperty(navigator, 'clipboard', { get: () => undefined }); Document.prototype.execCommand = () => false"
    )
    page = visit.go(SECTION)
    page.get_by_role("button", name="Copy citation").click()
    expect_text(page.locator(".said"), "The browser does not allow copying.")


# -- opening elsewhere -------------------------------------------------------------------------------------------------


def test_section_opens_in_an_editor_at_its_line_or_at_the_passage(open_page, linked):
    visit = open_page(linked)
    page = visit.go("/?doc=docs/sub/b.md#second")
    path = quote(str(linked.answers.index_dir.parent / "docs/sub/b.md"))
    link = page.get_by_role("link", name="Open in VS Code")
    assert (link.get_attribute("href"), "my%20notes" in path) == (f"vscode://file{path}:5", True)
    page = visit.go("/?doc=docs/sub/b.md&line=3")
    assert page.get_by_role("link", name="Open in VS Code").get_attribute("href") == f"vscode://file{path}:3"


def test_page_that_came_through_a_proxy_has_no_link_to_an_editor(open_page, linked):
    page = open_page(linked, extra_http_headers={"X-Forwarded-For": "203.0.113.5"}).go("/?doc=docs/sub/b.md#second")
    assert page.get_by_role("button", name="Copy link").is_visible()
    assert page.locator("a[href^=vscode]").count() == 0
    assert str(linked.answers.index_dir.parent) not in page.content()


def test_published_page_is_a_click_away_where_there_is_one(open_page, serve, linked):
    page = open_page(linked).go("/?doc=docs/sub/b.md#second")
    assert page.get_by_role("link", name="Open on the site").count() == 0
    server = serve(linked.answers.index_dir, settings=Settings(base_url="https://docs.example.com/"))
    page = open_page(server).go("/?doc=docs/sub/b.md#second")
    link = page.get_by_role("link", name="Open on the site")
    assert (link.get_attribute("href").startswith("https://docs.example.com/"), link.get_attribute("rel")) == (
        True,
        "noopener noreferrer",
    )


# -- links -------------------------------------------------------------------------------------------------------------


def test_links_of_a_section_are_listed_once_and_lead_there(open_page, linked):
    page = open_page(linked).go("/?doc=docs/a.md&q=alpha")
    links = page.get_by_role("navigation", name="Links to").get_by_role("listitem")
    assert [" ".join(text.split()) for text in links.all_inner_texts()] == ["Second docs/sub/b.md"]
    links.get_by_role("link", name="Second").click()
    expect_text(page.locator(".heading"), "Second")
    assert query_of(page) == {"doc": ["docs/sub/b.md"], "q": ["alpha"]}


def test_backlinks_lead_to_the_sections_that_link_here(open_page, linked):
    page = open_page(linked).go("/?doc=docs/sub/b.md#second")
    sources = page.get_by_role("navigation", name="Linked from").get_by_role("link")
    assert sources.all_inner_texts() == ["Alpha", "Gamma"]
    sources.last.click()
    expect_text(page.locator(".heading"), "Gamma")


def test_section_without_links_has_no_lists_of_them(open_page, linked):
    page = open_page(linked).go("/?doc=docs/sub/c.md")
    assert page.get_by_role("navigation", name="Linked from").count() == 0
    assert page.get_by_role("navigation", name="Links to").count() == 1


# -- roots -------------------------------------------------------------------------------------------------------------


def test_root_of_a_hit_is_told_where_there_are_several(open_page, serve, tmp_path):
    project = Project(tmp_path / "p", WordEmbedder(max_tokens=256))
    project.write("docs/a.md", "# Alpha\n\nThe zebra.\n")
    project.write("notes/b.md", "# Beta\n\nAnother zebra crosses.\n")
    for name in ("docs", "notes"):
        project.indexer().index(project.home / name)
    server = serve(project.index_dir)
    visit = open_page(server)
    page = visit.go("/?q=zebra")
    page.locator(".hit .root").first.wait_for(state="visible")
    assert sorted(page.locator(".hit .root").all_inner_texts()) == ["root docs", "root notes"]
    page = visit.go("/?q=zebra+root:notes")
    assert page.locator(".hit .root").all_inner_texts() == ["root notes"]
    page.locator(".hit h3 a").click()
    expect_text(page.locator(".section .root"), "root notes")


def test_root_is_not_told_where_there_is_one(visit):
    page = visit.go("/?q=rotate+the+signing+key")
    page.locator("#page-foot:not(:empty)").wait_for()
    assert page.locator(".hit").count() == 10
    assert page.locator(".hit .root").first.is_visible() is False
