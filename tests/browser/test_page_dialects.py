"""What dialects of Markdown mean, in a real browser: callouts, tabs, included files and code with colours."""

import pytest

from tests.browser.conftest import SCREENSHOTS, served
from tests.browser.views import words

pytestmark = pytest.mark.browser

ADMONITIONS = """# Pump

!!! warning "Read me"
    The pump is **hot**.

=== "npm"

    Run the npm step.

=== "yarn"

    Run the yarn step.

??? tip "More"
    The zebra valve is folded away.

```python title="pump.py"
def open_valve(name):  # opens it
    return name + "valve 1"
```
"""
BOOK = (
    "# Listing\n\nBefore the listing.\n\n```rust\n{{#rustdoc_include main.rs:here}}\n```\n\nThe giraffe comes behind it.\n"
)
RUST = "# use std::io;\n// ANCHOR: here\n# hidden\nfn main() {\n    let giraffe = 1;\n}\n// ANCHOR_END: here\n"
NOTES = "# Note\n\n> [!tip]- Folded\n> The otter is in here.\n\n> [!danger] Hot\n> one\n\n> [!info]\n> two\n\n> [!note]\n> three\n"


def write(project):
    project.write("docs/site/mkdocs.yml", "site_name: x\n")
    project.write("docs/site/pump.md", ADMONITIONS)
    project.write("docs/book/book.toml", "[book]\n")
    project.write("docs/book/src/listing.md", BOOK)
    project.write("docs/book/src/main.rs", RUST)
    project.write("docs/vault/.obsidian/app.json", "{}")
    project.write("docs/vault/note.md", NOTES)


@pytest.fixture(scope="module")
def dialects(tmp_path_factory):
    server = served(tmp_path_factory.mktemp("dialects") / "site", write)
    yield server
    server.stop()


def test_admonitions_and_tabs_are_boxes_with_titles(open_page, dialects):
    page = open_page(dialects).go("/?doc=docs/site/pump.md")
    assert page.locator(".callout.warning > .title").inner_text() == "Read me"
    assert page.locator(".callout.warning strong").inner_text() == "hot"
    assert page.locator(".tab > .title").all_inner_texts() == ["npm", "yarn", "pump.py"]
    assert page.locator("details.callout > summary").inner_text() == "More"
    assert not page.locator("details.callout p").is_visible()


def test_code_has_colours_by_classes_alone(open_page, dialects):
    page = open_page(dialects).go("/?doc=docs/site/pump.md")
    code = page.locator("pre code.language-python")
    assert code.locator(".k").first.inner_text().strip() == "def"
    assert code.locator(".c").inner_text().strip() == "# opens it"
    assert page.locator(".prose [style]").count() == 0
    colours = code.locator("span").evaluate_all("spans => [...new Set(spans.map(s => getComputedStyle(s).color))]")
    assert len(colours) >= 4


def test_words_are_marked_across_the_colours_of_code(open_page, dialects):
    page = open_page(dialects).go("/?doc=docs/site/pump.md&line=18-19&q=valve+name")
    code = page.locator("pre code.language-python")
    assert code.inner_text() == 'def open_valve(name):  # opens it\n    return name + "valve 1"\n'
    assert "valve" in code.locator("mark").all_inner_texts()
    assert code.locator(".k").count() >= 2
    assert words(code.locator(".passage").first).startswith("def")


def test_folded_callout_is_opened_at_its_passage(open_page, dialects):
    page = open_page(dialects).go("/?doc=docs/vault/note.md&line=4&q=otter")
    assert page.locator("details.callout").get_attribute("open") is not None
    assert page.locator("details .passage").first.inner_text() == "The otter is in here."


def test_hit_in_a_folded_callout_is_shown(open_page, dialects):
    page = open_page(dialects).go("/?q=otter&mode=lexical")
    assert "The otter is in here." in page.locator(".hits .snippet").first.inner_text()
    assert page.locator(".hits details").count() == 0


def test_included_file_is_shown_and_no_passage(open_page, dialects):
    page = open_page(dialects).go("/?doc=docs/book/src/listing.md&line=9&q=giraffe")
    assert page.locator("pre.included").inner_text() == "fn main() {\n    let giraffe = 1;\n}\n"
    assert page.locator(".passage").all_inner_texts() == ["The giraffe comes behind it."]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_have_enough_contrast(open_page, dialects, scheme):
    from axe_playwright_python.sync_playwright import Axe

    visit = open_page(dialects, color_scheme=scheme)
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    for name in ("site/pump", "vault/note", "book/src/listing"):
        page = visit.go(f"/?doc=docs/{name}.md")
        page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
        page.screenshot(path=SCREENSHOTS / f"dialects-{name.replace('/', '-')}-{scheme}.png")
        found = Axe().run(page, options={"runOnly": ["color-contrast"]}).response["violations"]
        assert [node["html"] for rule in found for node in rule["nodes"]] == []
