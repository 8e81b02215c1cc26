"""The documents as a tree: folding, filtering, and thousands of them."""

import time

import pytest

from schema.results import DocumentInfo
from search.answers.wire import documents_to_json
from tests.browser.conftest import documents_served
from tests.browser.views import focused, query_of, small

pytestmark = pytest.mark.browser

FILES = {
    "docs/a.md": "# Alpha\n\nText.\n",
    "docs/deep/only/one/b.md": "# Beta\n\nText.\n",
    "docs/other/c.md": "# Gamma\n\nText.\n",
    "docs/other/d.md": "# Delta\n\nText.\n",
}
folders = documents_served(FILES, "p")


@pytest.fixture
def thousands(serve, folders):
    """A server whose index has 5,000 documents in 250 folders, and one folder of 1,000 more."""
    server = serve(folders.answers.index_dir)
    paths = [f"docs/part{i % 10}/chapter{i % 250:03}/page{i:04}.md" for i in range(5000)]
    paths += [f"flat/note{i:04}.md" for i in range(1000)]
    made = [
        DocumentInfo(path=path, title=f"Title of {path}", section_count=3, token_count=50, tags=()) for path in sorted(paths)
    ]
    server.answers.documents = lambda: documents_to_json(made)
    return server


def entries(page):
    return page.locator(".tree [data-step]")


def shown(page):
    return [text.split("\n")[0] for text in entries(page).all_inner_texts()]


def test_folders_that_hold_one_folder_alone_are_one_entry(open_page, folders):
    page = open_page(folders).go("/?view=documents")
    assert shown(page) == ["docs/", "deep/only/one/", "Beta", "other/", "Gamma", "Delta", "Alpha"]
    assert page.locator(".folder > button").first.inner_text().split() == ["docs/", "4", "documents"]


def test_folded_folder_is_not_in_the_page_and_stays_folded_on_return(open_page, folders):
    visit = open_page(folders)
    page = visit.go("/?view=documents")
    page.get_by_role("button", name="other/").click()
    assert shown(page) == ["docs/", "deep/only/one/", "Beta", "other/", "Alpha"]
    assert page.get_by_role("button", name="other/").get_attribute("aria-expanded") == "false"
    page.get_by_role("link", name="Alpha").click()
    page.locator(".heading").wait_for()
    page.go_back()
    page.locator(".tree").wait_for()
    visit.shown()
    assert shown(page) == ["docs/", "deep/only/one/", "Beta", "other/", "Alpha"]
    assert focused(page) == "Alpha"


def test_filter_unfolds_what_it_finds(open_page, folders):
    page = open_page(folders).go("/?view=documents")
    page.get_by_role("button", name="docs/").first.click()
    assert shown(page) == ["docs/"]
    page.get_by_label("Narrow down").fill("gamma")
    assert shown(page) == ["docs/other/", "Gamma"]
    assert page.locator("#page-view [role=status]").inner_text() == "1 of 4 documents"
    page.get_by_label("Narrow down").fill("")
    assert shown(page) == ["docs/"]


def test_folder_in_the_address_narrows_the_tree(open_page, folders):
    page = open_page(folders).go("/?view=documents&path=docs/other/")
    assert shown(page)[0] == "docs/other/"
    page.get_by_role("button", name="drop this filter").click()
    page.get_by_text("4 documents").first.wait_for()
    assert query_of(page) == {"view": ["documents"]}


def test_changed_document_is_told_in_the_tree(open_page, serve, tmp_path):
    project = small(tmp_path / "p", FILES)
    server = serve(project.index_dir)
    project.write("docs/a.md", "# Alpha\n\nMore than before.\n")
    page = open_page(server).go("/?view=documents")
    page.locator(".document .flag").wait_for()
    assert page.locator(".document", has=page.locator(".flag")).locator("a").all_inner_texts() == ["Alpha"]


def test_of_thousands_of_documents_only_what_is_unfolded_is_in_the_page(open_page, thousands):
    page = open_page(thousands).go("/?view=documents")
    assert shown(page) == ["docs/", "flat/"]
    assert page.locator("#page-view [role=status]").inner_text() == "6,000 documents"
    page.get_by_role("button", name="docs/").click()
    assert entries(page).count() == 12
    page.get_by_role("button", name="part3/").click()
    page.get_by_role("button", name="chapter013/").click()
    assert entries(page).count() == 12 + 25 + 20
    page.get_by_role("button", name="docs/").click()
    assert shown(page) == ["docs/", "flat/"]


def test_large_folder_shows_some_at_a_time(open_page, thousands):
    page = open_page(thousands).go("/?view=documents")
    page.get_by_role("button", name="flat/").click()
    assert entries(page).count() == 302
    page.get_by_role("button", name="Show 300 more").click()
    assert entries(page).count() == 602
    assert focused(page) == "Title of flat/note0300.md"
    page.get_by_role("button", name="Show 300 more").click()
    page.get_by_role("button", name="Show 100 more").click()
    assert entries(page).count() == 1002
    assert page.get_by_role("button", name="more").count() == 0


def test_thousands_of_documents_open_and_are_narrowed_down_in_bounded_time(open_page, thousands):
    visit = open_page(thousands)
    page = visit.go()
    begun = time.monotonic()
    page.locator(".views a", has_text="Documents").click()
    page.locator(".tree").wait_for()
    opened = time.monotonic() - begun
    narrowed = page.evaluate(
        """() => {
          const field = document.querySelector("#page-documents");
          const times = ["p", "page1", "page12", "page123", "chapter", ""].map((text) => {
            const begun = performance.now();
            field.value = text;
            field.dispatchEvent(new Event("input"));
            document.querySelector(".tree").getBoundingClientRect();
            return performance.now() - begun;
          });
          return Math.max(...times);
        }"""
    )
    print(f"\n6,000 documents: opened in {1000 * opened:.0f} ms, narrowed down in {narrowed:.0f} ms at most")
    assert (opened < 5, narrowed < 1000) == (True, True)


def test_path_and_tag_of_the_address_mean_what_they_mean_in_a_search(open_page, serve, tmp_path):
    files = {
        "docs/Guide/a.md": "---\ntags: [project/infra]\n---\n# Alpha\n\nText.\n",
        "docs/guide2/b.md": "---\ntags: [projects]\n---\n# Beta\n\nText.\n",
    }
    visit = open_page(serve(small(tmp_path / "p", files).index_dir))
    assert shown(visit.go("/?view=documents&tag=Project")) == ["docs/Guide/", "Alpha"]
    assert shown(visit.go("/?view=documents&path=./docs/guide/")) == ["docs/Guide/", "Alpha"]
