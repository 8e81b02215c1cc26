"""Links of a site: addresses, anchors, what its pages make, and the check that lists the broken ones."""

import json
import os
from dataclasses import replace

import pytest

from indexer.sync.link_check import check_links
from schema.links import BROKEN
from schema.settings import Settings
from tests.conftest import Project, WordEmbedder
from tests.integration.test_commands import run  # noqa: F401 — a fixture
from tests.linked import led, rows

SITE = {
    "README.md": "# Project\n\n[docs](docs/index.md) [code](src/main.py) [licence](LICENSE) [gone](src/gone.py) [folder](docs) [up](../other/x.md)\n",
    "docs/index.md": "# Docs\n\n[guide](/guide/start) [page](guide/start.html#set-up) [clean](./guide/start/) [german](/de/guide/start) "
    "[api](/api/made) [picture](/logo.png)\n",
    "docs/guide/start.mdx": "---\nslug: /begin\n---\n# Start\n\n## Set up {#set-up}\n\n[next](./next) [next](../guide/next.md#L3) [made](#fnref-1) [route](#/a) "
    '<Card href="/guide/next#options--flag"/> [mailto](mailto:a@b.c) [top](#top) [host](//example.org/a)\n',
    "docs/guide/next.md": "# Next\n\n### Options & `flags`\n\n<a id='old-name'></a>\n\n[a](#options--flags) [b](#options-flags) [c](#OPTIONS--FLAGS) [d](#old-name) "
    "[e](#gone) [f](/guide/gone) [g](/begin) [h](start.md) [i](img/x.png) [j](nowhere.md) [k](%73tart.mdx?plain=1) [l]({{url}})\n",
}  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("site"), WordEmbedder())
    for path, text in SITE.items():
        project.write(path, text)
    project.write("src/main.py", "print()")
    project.write("LICENSE", "none")
    project.indexer(settings=replace_include()).index(project.home)
    return project


def replace_include():
    return replace(Settings(), include=("**/*.md", "**/*.mdx"))


def statuses(project, path):
    return {target: status for target, status, _, _ in led(project, path)}


def test_a_file_that_is_not_indexed_is_there_and_one_that_is_missing_is_not(site):
    assert statuses(site, "README.md") == {
        "docs/index.md": "section", "src/main.py": "file", "LICENSE": "file", "src/gone.py": "no file", "docs": "section",
        "../other/x.md": "outside",
    }  # fmt: skip


def test_addresses_of_a_site_lead_to_its_documents(site):
    assert statuses(site, "docs/index.md") == {
        "/guide/start": "section", "guide/start.html#set-up": "section", "./guide/start/": "section",
        "/de/guide/start": "unknown", "/api/made": "unknown", "/logo.png": "unknown",
    }  # fmt: skip


def test_what_a_page_makes_is_not_called_missing(site):
    assert statuses(site, "docs/guide/start.mdx") == {
        "./next": "section", "../guide/next.md#L3": "unknown", "#fnref-1": "unknown", "#/a": "unknown",
        "/guide/next#options--flag": "no anchor", "mailto:a@b.c": "external", "#top": "section", "//example.org/a": "external",
    }  # fmt: skip


def test_anchors_are_compared_as_sites_write_them(site):
    assert statuses(site, "docs/guide/next.md") == {
        "#options--flags": "section", "#options-flags": "section", "#OPTIONS--FLAGS": "section", "#old-name": "section",
        "#gone": "no anchor", "/guide/gone": "no file", "/begin": "section", "start.md": "no file", "img/x.png": "unknown",
        "nowhere.md": "no file", "%73tart.mdx?plain=1": "section", "{{url}}": "unknown",
    }  # fmt: skip


def test_the_check_lists_broken_links_with_lines_and_suggestions(site):
    report = check_links(site.index_dir)
    assert [(each.path, each.line, each.target, each.missing, each.suggestion) for each in report.broken] == [
        ("README.md", 3, "src/gone.py", "there is no such file", ""),
        ("docs/guide/next.md", 7, "#gone", "docs/guide/next.md has no heading or id gone", ""),
        ("docs/guide/next.md", 7, "/guide/gone", "there is no such file", ""),
        ("docs/guide/next.md", 7, "nowhere.md", "there is no such file", ""),
        ("docs/guide/next.md", 7, "start.md", "there is no such file", "start.mdx"),
        (
            "docs/guide/start.mdx",
            8,
            "/guide/next#options--flag",
            "docs/guide/next.md has no heading or id options--flag",
            "/guide/next#options--flags",
        ),
    ]
    assert report.statuses["no file"] + report.statuses["no anchor"] == len(report.broken)
    assert (report.documents, report.links, sum(report.statuses.values())) == (4, 32, 32)


def test_nothing_outside_the_folder_is_looked_at(tmp_path, monkeypatch):
    project = Project(tmp_path / "inside", WordEmbedder())
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "a.png").write_bytes(b"x")
    project.write("docs/a.md", "# A\n\n[x](../../secret/a.png) [y](out/a.png) [z](../../secret/b.md)\n")
    (project.home / "docs" / "out").symlink_to(tmp_path / "secret")
    looked = []
    look = os.lstat

    def looking(place, **given):
        looked.append(os.path.normpath(place))
        return look(place, **given)

    monkeypatch.setattr("os.lstat", looking)
    project.index()
    assert statuses(project, "docs/a.md") == {
        "../../secret/a.png": "outside",
        "out/a.png": "unknown",
        "../../secret/b.md": "outside",
    }
    assert str(project.home / "docs" / "out") in looked
    outside = [str(folder) + os.sep for folder in (tmp_path / "secret", project.home / "docs" / "out")]
    assert not [place for place in looked if place.startswith(tuple(outside))]


def test_the_commands_list_links_and_broken_ones(run, manual):  # noqa: F811
    manual.write("docs/links.md", "# Links\n\n[ok](guide.md#install) [bad](guide.md#instal) [x](no.md)\n")
    assert run("index", "docs")[0] == 0
    code, out, _ = run("index", "verify", "--links")
    assert code == 4
    assert out.splitlines()[:2] == [
        "docs/links.md:3: guide.md#instal: docs/guide.md has no heading or id instal; did you mean guide.md#install?",
        "docs/links.md:3: no.md: there is no such file",
    ]
    code, out, _ = run("index", "verify", "--links", "--json")
    assert (code, len(json.loads(out)["broken"])) == (4, 2)
    code, out, _ = run("search", "links", "docs/guide.md#install")
    assert code == 0
    assert out.splitlines() == [
        "docs/guide.md#install  Install", "links: 0", "backlinks: 1", "  docs/links.md:3  Links  (guide.md#install)",
    ]  # fmt: skip
    code, out, _ = run("search", "links", "docs/links.md", "--json")
    assert [link["status"] for link in json.loads(out)["links"]] == ["section", "no anchor", "no file"]
    (manual.home / "docs" / "links.md").unlink()
    assert run("index", "docs")[0] == 0
    assert run("index", "verify", "--links", "--quiet") == (0, "", "")


def test_broken_is_what_has_no_target():
    assert BROKEN == ("no file", "no anchor")


def test_references_of_hugo_lead_from_the_folder_of_contents(project):
    project.write("content/posts/x.md", '# X\n\n[a]({{< ref "posts/y.md" >}}) [b]({{< relref "z.md#zed" >}})\n')
    project.write("content/posts/y.md", "# Y\n")
    project.write("content/docs/z.md", "# Z\n\n## Zed\n")
    project.index("content")
    assert [row[3] for row in rows(project) if row[0] == "content/posts/x.md"] == ["section", "section"]


def test_anchor_of_a_page_that_a_plugin_fills_is_not_called_broken(project):
    project.write("docs/a.md", "# A\n\n[x](ref.md#run)\n")
    project.write("docs/ref.md", "# Ref\n\n::: mkdocs-click\n    :module: a\n")
    project.index()
    assert [row[3] for row in rows(project)] == ["unknown"]


def test_anchor_of_a_page_without_text_is_not_called_broken(project):
    project.write("docs/a.md", "# A\n\n[x](shared.md#run)\n")
    project.write("docs/shared.md", "---\ntitle: Shared\ndescription: All about it.\nsource: other/page\n---\n")
    project.index()
    assert [row[3] for row in rows(project)] == ["unknown"]


def test_files_of_a_folder_outside_the_project_are_looked_for_there(tmp_path):
    project = Project(tmp_path / "inside", WordEmbedder())
    docs = tmp_path / "beside" / "docs"
    (docs / ".github").mkdir(parents=True)
    (docs / ".github" / "RULES.md").write_text("# Rules\n")
    (docs / "img").mkdir()
    (docs / "img" / "a.png").write_bytes(b"x")
    (docs / "a.md").write_text(
        "# A\n\n[r](.github/RULES.md) [a](img/a.png) [b](img/b.png) [up](../READ.md) [no](no.md) ![[a.png]]\n"
    )
    (tmp_path / "beside" / "READ.md").write_text("# Read\n")
    project.indexer().index(docs)
    expected = {
        ".github/RULES.md": "file", "img/a.png": "file", "img/b.png": "no file", "../READ.md": "outside", "no.md": "no file",
        "a.png": "file",
    }  # fmt: skip
    assert statuses(project, "docs/a.md") == expected
    assert [each.target for each in check_links(project.index_dir).broken] == ["img/b.png", "no.md"]


def test_files_of_a_folder_that_is_away_are_not_called_missing(tmp_path):
    project = Project(tmp_path / "inside", WordEmbedder())
    docs = tmp_path / "beside" / "docs"
    docs.mkdir(parents=True)
    (docs / "a.md").write_text("# A\n\n[a](a.png)\n\n[b](img/b.png)\n")
    project.indexer().index(docs)
    docs.rename(tmp_path / "beside" / "moved")
    assert check_links(project.index_dir).broken == ()


def test_picture_that_is_missing_is_shown_and_one_that_is_there_is_not(project):
    project.write("b.md", "# B\n\n![no](missing.png) and ![yes](ok.png) and [text](c.md)\n")
    project.write("ok.png", b"x")
    project.write("c.md", "# C\n\nText.\n")
    project.index(".")
    _, found = project.engine().document_links("b.md")
    assert [(link.target, link.status) for link in found.links] == [("missing.png", "no file"), ("c.md", "section")]
    assert (found.link_count, found.broken_count) == (2, 1)
