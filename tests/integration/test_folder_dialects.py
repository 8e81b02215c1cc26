"""Dialects of real folders: how they are found, kept true, searched and shown."""

import json

import pytest

from indexer.sync import documents
from schema.settings import Settings
from search import SearchEngine
from tests.conftest import Project, WordEmbedder

MDX = "import Tabs from '@theme/Tabs'\n\n# Ports\n\n<Card title=\"Choose a port\">\n  The port is {props.port}.\n</Card>\n"
NOTE = "# Plum\n\n#fruit/stone [[Pears|the pear]] %%secret%% is ==ripe== ^b1\n"


def only(project, query):
    with_words = SearchEngine(project.index_dir, embedder=project.embedder)
    return with_words.search(query, mode="lexical", limit=5)


def test_markup_of_a_component_is_not_found_but_its_text_is(project):
    project.write("docs/a.mdx", MDX)
    project.index()
    assert only(project, "theme Tabs") == []
    (hit,) = only(project, "choose a port")
    assert (hit.section.content, hit.snippet.text) == (MDX, "Choose a port The port is.")
    assert (hit.section.start_line, hit.snippet.start_line) == (3, 5)


def test_notes_of_a_vault_are_read_as_such(project):
    project.write("docs/plum.md", NOTE)
    project.write("docs/.obsidian/app.json", "{}")
    project.index()
    assert only(project, "secret") == []
    (hit,) = only(project, "ripe pear")
    assert (hit.snippet.text, hit.section.tags) == ("#fruit/stone the pear is ripe", ("fruit/stone",))
    assert [hit.section.heading for hit in only(project, "plum")] == ["Plum"]


def test_tag_of_a_note_filters_with_those_below_it(project):
    project.write("docs/plum.md", NOTE)
    project.write("docs/.obsidian/app.json", "{}")
    project.index()
    engine = SearchEngine(project.index_dir, embedder=project.embedder)
    assert len(engine.search("plum", mode="lexical", filters={"tags": "fruit"})) == 1
    assert engine.search("plum", mode="lexical", filters={"tags": "stone"}) == []


def test_folder_above_is_no_vault_of_the_folder_beside(project):
    project.write("docs/vault/plum.md", NOTE)
    project.write("docs/vault/.obsidian/app.json", "{}")
    project.write("docs/plain.md", NOTE)
    project.index()
    assert [hit.section.document_path for hit in only(project, "secret")] == ["docs/plain.md"]


TABBED = '# Install\n\n=== "pip"\n\n    Type it at the [prompt](a.md).\n'


@pytest.mark.parametrize("name", ["mkdocs.yml", "zensical.toml", "properdocs.yml"])
def test_configuration_beside_an_indexed_folder_outside_of_the_project_is_found(project, tmp_path, name):
    (tmp_path / "site" / "docs").mkdir(parents=True)
    (tmp_path / "site" / "docs" / "install.md").write_text(TABBED)
    (tmp_path / "site" / name).write_text("")
    project.indexer().index(tmp_path / "site" / "docs")
    (hit,) = only(project, "prompt")
    assert hit.snippet.text == "pip\nType it at the prompt."


@pytest.mark.parametrize(
    ("name", "text", "shown"),
    [
        (".nav.yml", TABBED, "pip\nType it at the prompt."),
        (".pages", TABBED, "pip\nType it at the prompt."),
        (
            ".gitbook.yaml",
            '# Keys\n\n{% hint style="info" %}\nType it at the prompt.\n{% endhint %}\n',
            "Type it at the prompt.",
        ),
        ("_config.yml", "# Keys\n{: .no_toc }\n\nType it at the [prompt]({% link a.md %}).\n", "Type it at the prompt."),
    ],
)
def test_file_in_the_folder_itself_tells_the_dialect(project, name, text, shown):
    project.write("docs/install.md", text)
    project.write(f"docs/{name}", "plugins: []\n")
    project.index()
    (hit,) = only(project, "prompt")
    assert hit.snippet.text == shown


@pytest.mark.parametrize(("name", "text"), [("_config.yml", "theme: slate\n"), (".nojekyll", "")])
def test_configuration_without_settings_of_jekyll_or_beside_its_refusal_is_none(project, name, text):
    project.write("docs/install.md", "# Keys\n\nType {{ name }} at the prompt.\n")
    project.write("docs/_config.yml", "plugins: []\n")
    project.write(f"docs/{name}", text)
    project.index()
    (hit,) = only(project, "prompt")
    assert hit.snippet.text == "Type {{ name }} at the prompt."


def test_configuration_of_another_tool_goes_before_that_of_jekyll(project):
    project.write("docs/install.md", TABBED)
    project.write("docs/mkdocs.yml", "")
    project.write("docs/_config.yml", "plugins: []\n")
    project.index()
    assert project.indexer().status().dialects == {"docs": "mkdocs"}


def test_configuration_beside_the_project_is_found(tmp_path):
    project = Project(tmp_path / "site" / "docs", WordEmbedder())
    project.write("install.md", TABBED)
    (tmp_path / "site" / "mkdocs.yml").write_text("")
    project.indexer().index(project.home)
    (hit,) = only(project, "prompt")
    assert hit.snippet.text == "pip\nType it at the prompt."


def test_vault_beside_the_project_is_not_looked_at(tmp_path):
    project = Project(tmp_path / "vault" / "notes", WordEmbedder())
    project.write("plum.md", NOTE)
    (tmp_path / "vault" / ".obsidian").mkdir()
    project.indexer().index(project.home)
    assert len(only(project, "secret")) == 1


def test_configuration_two_folders_above_the_project_is_not_looked_at(tmp_path):
    project = Project(tmp_path / "site" / "a" / "docs", WordEmbedder())
    project.write("install.md", TABBED)
    (tmp_path / "site" / "mkdocs.yml").write_text("")
    project.indexer().index(project.home)
    (hit,) = only(project, "prompt")
    assert "===" in hit.snippet.text


def test_documents_are_read_again_when_their_folder_becomes_a_vault(project):
    project.write("docs/plum.md", NOTE)
    project.write("docs/apple.md", "# Apple\n\nred\n")
    project.index()
    assert len(only(project, "secret")) == 1
    project.write("docs/.obsidian/app.json", "{}")
    report = project.index()
    assert (report.documents_updated, only(project, "secret")) == (2, [])
    (project.home / "docs/.obsidian/app.json").unlink()
    (project.home / "docs/.obsidian").rmdir()
    assert (project.index().documents_updated, len(only(project, "secret"))) == (2, 1)
    assert project.index().documents_updated == 0


def test_documents_are_read_again_when_the_rules_change(project, monkeypatch):
    project.write("docs/notes/plum.md", NOTE)
    project.write("docs/notes/.obsidian/app.json", "{}")
    project.write("docs/plain.md", "# Plain\n")
    project.index()
    monkeypatch.setattr(documents, "RULES", "of another version")
    assert [project.index().documents_updated for _ in range(2)] == [2, 0]


def test_an_indexer_that_lives_on_looks_at_the_folders_in_each_run(project):
    project.write("docs/plum.md", NOTE)
    project.write("docs/forms/day.md", "# Day\n\nquestions\n")
    indexer = project.indexer()
    indexer.index(project.home / "docs")
    project.write("docs/.obsidian/app.json", "{}")
    assert (indexer.index().documents_updated, only(project, "secret")) == (2, [])
    project.write("docs/.obsidian/templates.json", '{"folder": "forms"}')
    assert (indexer.index().documents_updated, only(project, "questions")) == (1, [])
    assert (indexer.verify().differences, indexer.index().documents_updated) == ((), 0)


def test_documents_are_read_again_when_the_setting_changes(project):
    project.write("docs/plum.md", NOTE)
    project.index()
    report = project.indexer(settings=Settings(dialects=("obsidian",))).index(project.home / "docs")
    assert (report.documents_updated, only(project, "secret")) == (1, [])


def test_documents_of_another_dialect_are_read_again_by_the_run_that_finds_them(project):
    project.write("docs/plum.md", NOTE)
    project.write("docs/sub/pear.md", NOTE)
    project.index()
    project.write("docs/.obsidian/app.json", "{}")
    assert project.index("docs/sub").documents_updated == 1
    assert [hit.section.document_path for hit in only(project, "secret")] == ["docs/plum.md"]
    assert (project.index().documents_updated, only(project, "secret")) == (1, [])
    assert project.indexer().verify().differences == ()


def test_note_becomes_a_template_when_the_vault_says_so(project):
    project.write("docs/plum.md", NOTE)
    project.write("docs/.obsidian/app.json", "{}")
    project.write("docs/forms/day.md", "# Day\n\nquestions\n")
    project.index()
    project.write("docs/.obsidian/templates.json", '{"folder": "forms"}')
    assert (project.index().documents_updated, only(project, "questions")) == (1, [])
    (project.home / "docs/.obsidian/templates.json").unlink()
    project.index()
    assert len(only(project, "questions")) == 1


def test_links_are_read_again_when_another_dialect_moves_the_sections(project):
    project.write("docs/a.md", "# A\n\nsee [b](b.md)\n")
    project.write("docs/b.md", "%%\n# Hidden\n%%\n\n# Shown\n\n[a](a.md)\n")
    project.index()
    project.write("docs/.obsidian/app.json", "{}")
    project.index()
    shown, found = SearchEngine(project.index_dir, embedder=project.embedder).section_links("docs/b.md")
    assert shown.heading == "Shown"
    assert [(link.line, link.to_path) for link in found.links] == [(7, "docs/a.md")]
    assert [link.document_path for link in found.backlinks] == ["docs/a.md"]


def test_site_of_astro_is_known_by_its_folder_of_documents(project):
    project.write("docs/site/astro.config.mjs", "")
    project.write("docs/site/src/content/docs/plum.md", "# Plum\n\n:::tip[Ripe]\nred\n:::\n")
    project.write("docs/other/astro.config.mjs", "")
    project.write("docs/other/pear.md", "# Pear\n\n:::tip[Ripe]\nred\n:::\n")
    project.index()
    assert project.indexer().status().dialects == {"docs/site": "starlight"}
    texts = {hit.section.heading: hit.section.body for hit in only(project, "red")}
    assert (texts["Plum"].split(), texts["Pear"]) == (["Ripe", "red"], ":::tip[Ripe]\nred\n:::")


def test_home_page_of_front_matter_is_found(project):
    project.write("docs/index.md", "---\nlayout: home\nhero:\n  name: Plums\n  tagline: Ripe in autumn\n---\n")
    project.index()
    (hit,) = only(project, "ripe in autumn")
    assert (hit.section.document_title, hit.snippet.text, hit.section.start_line) == ("Plums", "Plums\nRipe in autumn", 4)
    assert project.indexer().verify().differences == ()


def test_check_of_an_index_reads_the_same_dialects(project):
    project.write("docs/plum.md", NOTE)
    project.write("docs/.obsidian/app.json", "{}")
    project.index()
    assert project.indexer().verify().differences == ()


def test_status_tells_the_dialects(project):
    project.write("docs/plum.md", NOTE)
    project.write("docs/.obsidian/app.json", "{}")
    project.index()
    assert project.indexer().status().dialects == {"docs": "obsidian"}


def test_hidden_parts_of_a_hit_are_told_in_json(project):
    from search.answers.wire import result_from_json, result_to_json

    project.write("docs/a.mdx", MDX)
    project.index()
    (hit,) = only(project, "choose a port")
    answer = json.loads(json.dumps(result_to_json(hit)))
    assert answer["hidden"][0] == [0, 30]
    assert result_from_json(answer).section.text == hit.section.text


def test_templates_and_drawings_of_a_vault_are_left_out_and_told(project):
    project.write("docs/.obsidian/templates.json", '{"folder": "meta/templates"}')
    project.write("docs/meta/templates/daily.md", "# Daily plum\n")
    project.write("docs/sketch.md", "---\nexcalidraw-plugin: parsed\n---\n# Drawn plum\n")
    project.write("docs/plum.md", NOTE)
    report = project.index()
    assert [hit.section.heading for hit in only(project, "plum")] == ["Plum"]
    assert report.warnings == [
        "docs/meta/templates/daily.md: it is left out, since it is a template for notes",
        "docs/sketch.md: it is left out, since it is a drawing",
    ]
    assert project.indexer().verify().differences == ()


def test_settings_of_a_vault_that_make_no_sense_leave_nothing_out(project):
    project.write("docs/.obsidian/templates.json", "[" * 100_000)
    project.write("docs/plum.md", NOTE)
    assert (project.index().warnings, len(only(project, "plum"))) == ([], 1)


def test_hit_has_the_address_of_its_section_on_the_site(project):
    project.write("site/mkdocs.yml", "site_name: x\n")
    project.write("site/docs/guide/plum.md", "# Plum\n\n## Ripe plums {#ripe}\n\nsoft\n")
    project.index("site")
    engine = project.engine(settings=Settings(base_url="https://example.org/x"))
    (hit,) = engine.search("soft", mode="lexical")
    assert hit.url == "https://example.org/x/guide/plum/#ripe"
    assert project.engine().search("soft", mode="lexical")[0].url == ""


def test_document_of_front_matter_alone_is_told(project):
    project.write("docs/home.md", "---\nlayout: home\n---\n")
    project.write("docs/empty.md", "")
    assert project.index().warnings == ["docs/home.md: it holds front matter alone, and no text to search"]


def test_status_tells_no_dialect_of_a_root_that_was_removed(project):
    project.write("notes/.obsidian/app.json", "{}")
    project.write("notes/a.md", "# A\n\nText.\n")
    project.write("docs/b.md", "# B\n\nText.\n")
    project.index()
    project.indexer().add_root(project.home / "notes")
    assert project.indexer().status().dialects == {"notes": "obsidian"}
    project.indexer().remove_root("notes")
    assert project.indexer().status().dialects == {}
