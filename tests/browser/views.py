"""What the tests of the page share: addresses of its views, what to read off them, and small projects."""

from urllib.parse import parse_qs, urlsplit

from tests.conftest import Project, WordEmbedder

QUESTION = "rotate the signing key"
FIRST = "Rotate the signing key"
SECTION = "/?doc=docs/guide/security.md&q=signing+key#rotate-keys"
VIEWS = {
    "welcome": "/",
    "results": "/?q=rotate+the+signing+key",
    "filtered": "/?q=buffer&tag=tls&depth=2&mode=lexical",
    "nothing": "/?q=%22zzqx+vvv%22&mode=lexical",
    "unanswered": "/?q=pizza+dough+recipe&depth=2",
    "emptied": "/?q=key&tag=nowhere",
    "passage": "/?doc=docs/guide/security.md&line=22-24&q=signing+key#rotate-keys",
    "section": SECTION,
    "japanese": "/?doc=docs/ja/certificates.md",
    "table": "/?doc=docs/guide/reference.md#settings-by-table",
    "documents": "/?view=documents",
    "index": "/?view=index",
}
NETWORK = r"Failed to load resource"


def headings(page):
    return page.locator(".hits h3").all_inner_texts()


def heading(page):
    return page.locator(".heading").inner_text()


def words(locator):
    """The text of an element, its blanks as one each."""
    return " ".join(locator.inner_text().split())


def query_of(asked):
    """The query of a page's or a request's address."""
    return parse_qs(urlsplit(asked.url).query)


def focused(page):
    return page.evaluate("document.activeElement.textContent || document.activeElement.id")


def expect_text(locator, text):
    from playwright.sync_api import expect

    expect(locator).to_have_text(text)


def assert_no_barrier(page):
    """Nothing that axe knows keeps anybody out, in either theme."""
    from axe_playwright_python.sync_playwright import Axe

    page.evaluate(Axe().axe_script)
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")  # or colours would still be on their way
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
        assert [
            (theme, each["id"], each["nodes"][0]["html"][:200], each["nodes"][0]["failureSummary"]) for each in found
        ] == []


TINY = {
    "docs/a.md": (
        "---\ntitle: First\nsecret-field: hidden\n---\n# First\n\n😀😀𝔘𝔫𝔦 a zebra and a zebra.\n\n"
        "See [the other one](sub/b.md#second-part), [the web](https://example.org/) and ![a picture](x.png).\n"
    ),
    "docs/signs.md": "# Signs\n\nText.\n\n## <!-- -->\n\nUnder a picture.\n",
    "docs/ja/a.md": "# 最初\n\nシマウマの話です。\n",
    "docs/sub/b.md": "# Other\n\nText.\n\n## Second part\n\nMore text.\n",
}


def small(home, files):
    project = Project(home, WordEmbedder(max_tokens=256))
    for path, text in files.items():
        project.write(path, text)
    project.index()
    return project
