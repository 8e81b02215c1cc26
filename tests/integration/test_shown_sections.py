"""Sections as the server shows them: included files are read and code has colours only where one section is opened."""

import re
import shutil

import pytest
from jsonschema import Draft202012Validator

from schema.settings import Settings
from search.answers.budget import fit_section
from search.answers.service import SearchService
from search.answers.wire_schema import SCHEMAS
from tests.budgets import within
from tests.http_site import site_over

LISTING = "# Listing\n\nThe cherry keeps.\n\n```rust\n{{#include main.rs:2}}\n```\n"


@pytest.fixture
def book(project):
    project.write("docs/book.toml", "[book]\n")
    project.write("docs/src/listing.md", LISTING)
    project.write("docs/src/main.rs", "// one\nlet a = 1;\n")
    project.index()
    return project


def section_html(site):
    (hit,) = site.get("/api/search?q=cherry&html=true").json["results"]
    return hit["html"], site.get(f"/api/sections/{hit['id']}?html=true").json


def test_a_section_shows_the_file_that_it_includes(book):
    with site_over(book) as site:
        hit, section = section_html(site)
    assert section["content"] == LISTING
    assert section["html"] == (
        '<p>The cherry keeps.</p>\n<pre class="included"><code class="language-rust"><span class="k">let </span>a = '
        '<span class="n">1</span>;\n</code></pre>\n'
    )
    assert hit == '<p>The cherry keeps.</p>\n<pre><code class="language-rust">(included from main.rs)\n</code></pre>\n'


def test_the_file_is_read_when_the_section_is_shown(book):
    book.write("docs/src/main.rs", "// one\nlet b = 1;\n")
    with site_over(book) as site:
        assert "let </span>b" in section_html(site)[1]["html"]
        (book.home / "docs" / "src" / "main.rs").unlink()
        assert "{{#include main.rs:" in section_html(site)[1]["html"]


def test_an_index_that_was_copied_shows_no_files_of_its_first_folder(book, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("copy")
    shutil.copytree(book.index_dir, elsewhere / ".sectionary")
    book.index_dir = elsewhere / ".sectionary"
    with site_over(book) as site:
        reply = section_html(site)[1]["html"]
    assert "{{#include main.rs:" in reply
    assert "let" not in reply


def test_json_of_a_section_has_its_included_lines(book):
    with site_over(book) as site:
        section = section_html(site)[1]
    assert section["included"] == [{"written": "{{#include main.rs:2}}", "text": "let a = 1;"}]
    assert not list(Draft202012Validator(SCHEMAS["section"]).iter_errors(section))


def test_agents_get_included_lines_if_there_is_room(book):
    service = SearchService(book.index_dir, settings=Settings(), embedder=book.embedder)
    answer = service.section(service.find_outline("docs/src/listing.md")[0][0].id)
    assert fit_section(answer, within(2000))["included"] == [{"written": "{{#include main.rs:2}}", "text": "let a = 1;"}]
    answer["included"][0]["text"] = "let a = 1;\n" * 5000
    fitted = fit_section(answer, within(2000))
    assert (fitted["content"], "included" in fitted) == (LISTING, False)
    assert fitted["advice"] == "Lines of included files are left out: a larger max_tokens may hold them."


def test_terminal_prints_included_lines(book, search_command, monkeypatch):
    monkeypatch.setattr("search.engine.embedder_of", lambda _: book.embedder)
    code, out, _ = search_command("section", "docs/src/listing.md#listing", "--index", str(book.index_dir), "--no-server")
    assert (code, "   | let a = 1;" in out.split("\n")) == (0, True)


LINKED = {
    "docs/a.md": "# Start\n\n[part](b.md#deep-part), [id](b.md#own-id), [case](b.md#Second-Part), [own](#inner-notes), "
    "[bare](sub/c), [page](sub/c.html), [none](b.md#nowhere), [out](https://example.org) and [file](x.png).\n\n"
    "## Notes\n\n#### Inner notes\n\nText.\n",
    "docs/b.md": '# Other\n\n## Second part\n\n<a id="own-id"></a>\n\n#### Deep part\n\nText.\n',
    "docs/sub/c.md": "# Third\n\nText.\n",
}


def test_links_of_a_section_lead_where_the_index_says(project):
    for path, text in LINKED.items():
        project.write(path, text)
    project.index()
    with site_over(project) as site:
        section = site.get("/api/links?section=docs/a.md%23start").json["id"]
        html = site.get(f"/api/sections/{section}?html=true").json["html"]
    assert {name: href for href, name in re.findall(r'<a href="([^"]*)"[^>]*>(\w+)</a>', html)} == {
        **dict.fromkeys(["part", "id", "case"], "?doc=docs/b.md#second-part"),
        "own": "?doc=docs/a.md#notes",
        **dict.fromkeys(["bare", "page"], "?doc=docs/sub/c.md#third"),
        "none": "?doc=docs/b.md#nowhere",
        "out": "https://example.org",
    }
