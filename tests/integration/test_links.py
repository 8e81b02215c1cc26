"""Links of an index: a vault of notes and a site, resolved after each run, shown with sections, and checked."""

import shutil
import sqlite3
from contextlib import closing
from functools import partial

import pytest
from jsonschema import Draft202012Validator

from schema.errors import NotIndexedError
from schema.index_files import stored_links
from schema.index_files.layout import links_path, store_dir
from schema.index_files.links import LinkFile
from schema.settings import Settings
from schema.storage.table import SectionTable
from schema.text.characters import to_json
from search.answers.links_wire import render_links
from search.answers.service import SearchService
from search.answers.wire_schema import SCHEMAS
from search.server.arguments import DEFAULT_TOKENS
from search.server.tools import TOOLS
from tests.agent_answers import ANSWERS
from tests.budgets import COUNTER
from tests.conftest import Project, WordEmbedder
from tests.http_site import site_over
from tests.integration.test_commands import run  # noqa: F401 — a fixture
from tests.linked import led, rows

#: Forty notes: people and days with simple links, and some with every kind of link.
PEOPLE = ["Ada", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gwen", "Hugo", "Iris", "Jon"]
NOTES = {
    **{f"People/{name}.md": f"# {name}\n\nKnows [[{other}]].\n" for name, other in zip(PEOPLE, PEOPLE[1:] + PEOPLE[:1], strict=True)},
    **{f"Daily/2026-01-{day:02}.md": f"# Day {day}\n\nMet [[{PEOPLE[day % 10]}|a friend]] about [[Harvest]].\n" for day in range(1, 21)},
    "Home.md": "# Home\n\n[[Orchard]], [[orchard#pruning]], [[Orchard#^age|how old]], [[The big garden]], [[Garden/Pears]].\n\n"
    "## More\n\n![[Orchard]] and ![[sketch.png]] and [Apples](Garden/Apples.md#Keeping%20them) and [[Missing note]].\n",
    "Orchard.md": "---\naliases: [The big garden, OG]\ntitle: Old trees\n---\n# Orchard\n\nTrees are 90 years old. ^age\n\n"
    "## Pruning\n\nIn winter: see [here](#pruning), [[#Orchard]] and [[OG]].\n\n#### Tools needed\n\nA saw.\n",
    "Garden/Apples.md": "# Apples\n\n## Keeping them\n\nBeside [[Pears]]. %% not [[Hidden]] %%\n\n`[[Code]]`\n",
    "Garden/Pears.md": "# Pears\n\nSee [tools](../Orchard.md#tools-needed), [[Apples#Keeping them]] and <https://example.org>.\n",
    "Archive/Pears.md": "# Old pears\n\n[[Apples]]\n",
    "Harvest.md": "# Harvest\n\n[Orchard] and [the days][d].\n\n[orchard]: Orchard.md 'A title'\n[d]: <Daily/>\n",
    "Recipes/Pie.md": "# Pie\n\n[[Pears]] and [[Archive/Pears|old ones]].\n",
    "Recipes/Jam.md": "# Jam\n\n[[Nobody wrote this]]\n",
    "Index.md": "# Index\n\n" + "\n".join(f"- [[{name}]]" for name in PEOPLE) + "\n",
    "Lonely.md": "# Lonely\n\nNo link here.\n",
}  # fmt: skip


@pytest.fixture(scope="module")
def made_vault(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("vault"), WordEmbedder())
    for path, text in NOTES.items():
        project.write(path, text)
    project.write("attachments/sketch.png", b"\x89PNG")
    project.index(".")
    return project


@pytest.fixture
def vault(made_vault, tmp_path):
    """The same vault, for a test that changes it."""
    home = tmp_path / "vault"
    shutil.copytree(made_vault.home, home)
    return Project(home, WordEmbedder())


def shown(links):
    return [(link.document_path, link.line, link.target, link.heading) for link in links]


def test_the_vault_has_forty_notes():
    assert len(NOTES) == 40


def test_links_are_looked_up_by_an_index(made_vault, monkeypatch):
    asked = []

    def opened(*args, _open, **given):
        connection = _open(*args, **given)
        connection.set_trace_callback(asked.append)
        return connection

    path = links_path(store_dir(made_vault.index_dir))
    monkeypatch.setattr(stored_links, "read_sqlite", partial(opened, _open=stored_links.read_sqlite))
    store_id = SectionTable.open(store_dir(made_vault.index_dir)).store_id
    reader = stored_links.StoredLinks(path, store_id=store_id)
    assert reader.of_document("Orchard.md").backlink_count == 7
    reader.of_section("x")
    reader.backlink_count("x")
    with closing(sqlite3.connect(path)) as connection:
        queries = [query for query in asked if "from links" in query]
        plans = [row[3] for query in queries for row in connection.execute(f"explain query plan {query}")]
    assert len(queries) == 11
    assert [plan for plan in plans if "SCAN" in plan] == []


def test_wikilinks_lead_to_notes_headings_blocks_and_aliases(made_vault):
    assert led(made_vault, "Home.md") == [
        ("Orchard", "section", "Orchard.md", "Orchard"),
        ("orchard#pruning", "section", "Orchard.md", "Pruning"),
        ("Orchard#^age", "section", "Orchard.md", "Orchard"),
        ("The big garden", "section", "Orchard.md", "Orchard"),
        ("Garden/Pears", "section", "Garden/Pears.md", "Pears"),
        ("Orchard", "section", "Orchard.md", "Orchard"),
        ("sketch.png", "file", "", ""),
        ("Garden/Apples.md#Keeping%20them", "section", "Garden/Apples.md", "Keeping them"),
        ("Missing note", "no file", "", ""),
    ]


def test_links_within_a_document_and_by_label_are_resolved(made_vault):
    assert led(made_vault, "Orchard.md") == [
        ("#pruning", "section", "Orchard.md", "Pruning"),
        ("#Orchard", "section", "Orchard.md", "Orchard"),
        ("OG", "section", "Orchard.md", "Orchard"),
    ]
    assert led(made_vault, "Harvest.md") == [("Orchard.md", "section", "Orchard.md", "Orchard"), ("Daily/", "file", "", "")]


def test_a_heading_below_a_section_is_held_by_that_section(made_vault):
    assert led(made_vault, "Garden/Pears.md")[0] == ("../Orchard.md#tools-needed", "section", "Orchard.md", "Pruning")


def test_the_note_in_the_same_folder_is_the_nearest(made_vault):
    assert led(made_vault, "Garden/Apples.md") == [("Pears", "section", "Garden/Pears.md", "Pears")]


def test_two_notes_equally_near_are_ambiguous_and_a_path_tells_them_apart(made_vault):
    assert led(made_vault, "Recipes/Pie.md") == [
        ("Pears", "ambiguous", "Archive/Pears.md", "Old pears"),
        ("Archive/Pears", "section", "Archive/Pears.md", "Old pears"),
    ]


def test_a_hit_has_its_links_and_backlinks(made_vault):
    engine = made_vault.engine()
    (pruning,) = [hit for hit in engine.search("pruning winter", mode="lexical") if hit.section.heading == "Pruning"]
    assert shown(pruning.links) == [
        ("Orchard.md", 11, "#pruning", "Pruning"),
        ("Orchard.md", 11, "#Orchard", "Orchard"),
        ("Orchard.md", 11, "OG", "Orchard"),
    ]
    assert shown(pruning.backlinks) == [
        ("Garden/Pears.md", 3, "../Orchard.md#tools-needed", "Pears"),
        ("Home.md", 3, "orchard#pruning", "Home"),
    ]


def test_at_most_twenty_are_shown_and_all_are_counted(made_vault):
    section, found = made_vault.engine().section_links("Harvest.md")
    assert (section.heading, len(found.backlinks), found.backlink_count) == ("Harvest", 20, 20)
    made = made_vault.engine().section_links("Home.md#home")[1]
    assert (made.link_count, made.backlink_count) == (5, 0)


def test_a_section_without_links_has_none(made_vault):
    _, found = made_vault.engine().section_links("Lonely.md#lonely")
    assert (found.links, found.backlinks, found.link_count, found.backlink_count) == ((), (), 0, 0)


def test_a_section_that_is_not_there_is_refused_with_advice(made_vault):
    engine = made_vault.engine()
    with pytest.raises(NotIndexedError, match=r"There is no document or section Nowhere\.md in the index"):
        engine.section_links("Nowhere.md")
    with pytest.raises(NotIndexedError, match=r"Home\.md has no section with the anchor nowhere"):
        engine.section_links("Home.md#nowhere")


def test_renaming_a_note_mends_its_backlinks_and_keeps_its_vectors(vault):
    before = vault.engine().section_links("Orchard.md")[1].backlink_count
    (vault.home / "Orchard.md").rename(vault.home / "Garden" / "Old orchard.md")
    for path in ("Home.md", "Harvest.md"):
        text = (
            NOTES[path]
            .replace("Orchard.md", "Garden/Old orchard.md")
            .replace("orchard#", "Old orchard#")
            .replace("[[Orchard", "[[Old orchard")
        )
        vault.write(path, text.replace("[orchard]: Garden/Old orchard.md", "[orchard]: <Garden/Old orchard.md>"))
    vault.embedder.embedded.clear()
    report = vault.index(".")
    assert (report.documents_added, report.documents_removed) == (1, 1)
    section, found = vault.engine().section_links("Garden/Old orchard.md")
    assert section.heading == "Orchard"
    assert found.backlink_count == before
    assert {link.document_path for link in found.backlinks} == {"Home.md", "Harvest.md", "Garden/Old orchard.md"}
    # its own links go with it, and the one that nobody mended is broken now
    assert [row[3] for row in rows(vault) if row[0] == "Garden/Old orchard.md"] == ["section"] * 3
    assert next(row[3] for row in rows(vault) if row[0] == "Garden/Pears.md") == "no file"
    assert not any("90 years" in text for text in vault.embedder.embedded)


def test_a_new_note_mends_links_of_notes_that_did_not_change(vault):
    vault.write("People/Missing note.md", "# Found\n")
    vault.index(".")
    assert led(vault, "Home.md")[-1] == ("Missing note", "section", "People/Missing note.md", "Found")


def test_a_deleted_note_leaves_broken_links_and_no_links_of_its_own(vault):
    (vault.home / "Harvest.md").unlink()
    vault.index(".")
    assert led(vault, "Harvest.md") == []
    assert {row[3] for row in rows(vault) if row[2] == "Harvest"} == {"no file"}


def test_links_of_an_edited_note_and_to_it_are_those_of_a_fresh_index(vault):
    vault.write("Orchard.md", NOTES["Orchard.md"].replace("## Pruning", "## Cutting").replace("^age", "^years"))
    vault.write("Garden/Pears.md", "# Pears\n\n[[Harvest]] and [[Missing note]] and [[Orchard#Cutting]]\n")
    vault.index(".")
    edited = rows(vault)
    assert [row[3] for row in edited if row[0] == "Home.md"][:3] == ["section", "no anchor", "no anchor"]
    assert [row[3] for row in edited if row[0] == "Garden/Pears.md"] == ["section", "no file", "section"]
    links_path(store_dir(vault.index_dir)).unlink()
    vault.index(".")
    assert rows(vault) == edited


def test_a_new_alias_mends_links_of_notes_that_did_not_change(vault):
    vault.write("Lonely.md", "---\naliases: Missing note\n---\n# Lonely\n")
    vault.index(".")
    assert led(vault, "Home.md")[-1] == ("Missing note", "section", "Lonely.md", "Lonely")


def test_an_alias_in_long_front_matter_is_found(vault):
    vault.write(
        "Lonely.md", f"---\naliases: [Missing note]\nnotes: {'x' * 5000}\n---\n# Lonely\n\n## One\n\n## Two\n\n## Three\n"
    )
    vault.index(".")
    assert led(vault, "Home.md")[-1] == ("Missing note", "section", "Lonely.md", "Lonely")


def test_links_that_a_killed_run_left_unresolved_are_resolved_by_the_next(vault, monkeypatch):
    wanted = rows(vault)
    vault.write("Lonely.md", "# Lonely\n\nChanged.\n")
    with monkeypatch.context() as patch:
        patch.setattr(LinkFile, "resolve", lambda *_, **__: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            vault.index(".")
    with sqlite3.connect(links_path(store_dir(vault.index_dir))) as file:
        file.execute("update links set status = 'unknown', to_path = '', to_section = '' where path = 'Home.md'")
    vault.index(".")
    assert rows(vault) == wanted


def test_a_deleted_note_beside_an_edited_one_leaves_broken_links(vault):
    (vault.home / "Harvest.md").unlink()
    vault.write("Lonely.md", "# Lonely\n\nChanged.\n")
    vault.index(".")
    assert {row[3] for row in rows(vault) if row[2] == "Harvest"} == {"no file"}


# -- over HTTP and to agents -------------------------------------------------------------------------------------------


def test_http_gives_the_links_of_a_section(made_vault):
    with site_over(made_vault) as server:
        reply = server.get("/api/links?section=Garden/Pears.md%23pears")
        assert reply.status == 200
        Draft202012Validator(SCHEMAS["links"]).validate(reply.json)
        assert [(link["target"], link["status"], link["heading"], link["anchor"]) for link in reply.json["links"]] == [
            ("../Orchard.md#tools-needed", "section", "Pruning", "pruning"),
            ("Apples#Keeping them", "section", "Keeping them", "keeping-them"),
            ("https://example.org", "external", None, None),
        ]
        assert [(link["document_path"], link["line"]) for link in reply.json["backlinks"]] == [
            ("Garden/Apples.md", 5),
            ("Home.md", 3),
        ]
        same = server.get(f"/api/links?section={reply.json['id']}")
        assert same.json == reply.json
        missing = server.get("/api/links?section=Nowhere.md")
        assert (missing.status, missing.kind) == (404, "not_indexed")
        assert server.get("/api/links").status == 422


def ask_links(project, **given):
    tool = next(tool for tool in TOOLS if tool.name == "links")
    service = SearchService(project.index_dir, settings=Settings(), embedder=project.embedder)
    answer = tool.answer(service, tool.checked(given), COUNTER)
    assert COUNTER.count(to_json(answer)) <= given.get("max_tokens", DEFAULT_TOKENS)
    Draft202012Validator(ANSWERS["links"]).validate(answer)
    return answer


def test_an_agent_gets_the_links_of_a_section_within_its_budget(made_vault):
    whole = ask_links(made_vault, section="Harvest.md")
    assert (len(whole["backlinks"]), "omitted" in whole) == (20, False)
    small = ask_links(made_vault, section="Harvest.md", max_tokens=500)
    assert 0 < len(small["backlinks"]) < 20
    assert small["omitted"] == len(whole["links"]) + 20 - len(small["links"]) - len(small["backlinks"])


def test_pages_of_links_and_backlinks_make_the_whole(made_vault):
    whole, pages, offset = ask_links(made_vault, section="Orchard.md"), [], 0
    assert whole["backlinks"]
    while offset is not None:
        pages.append(ask_links(made_vault, section="Orchard.md", offset=offset, max_tokens=400))
        offset = pages[-1].get("next_offset")
    assert len(pages) > 1
    for name in ("links", "backlinks"):
        assert [one for page in pages for one in page[name]] == whole[name]


def test_an_agent_is_told_of_links_beyond_the_most_that_are_listed(project):
    project.write("docs/many.md", "# Many\n\n" + "".join(f"[one](other.md#{n})\n" for n in range(230)))
    project.write("docs/other.md", "# Other\n\nText.\n")
    project.index()
    found = ask_links(project, section="docs/many.md#many", max_tokens=20_000)
    assert (found["link_count"], len(found["links"])) == (230, 200)
    assert "the first 200 of 230 links" in found["advice"]


def test_links_of_an_agents_answer_have_only_what_is_set(made_vault):
    (link, *_) = ask_links(made_vault, section="Garden/Pears.md")["links"]
    assert all(link.values())


def test_section_is_read_by_its_place_from_python(made_vault):
    engine = made_vault.engine()
    section = engine.get_section("Home.md#more").section
    assert section.heading == "More"
    for place in (f"Home.md:{section.start_line}", f"[Home.md#more:L{section.start_line}-L{section.end_line}]"):
        assert engine.get_section(place).section == section
    assert engine.get_section("Home.md#nothing") is None


def test_long_section_is_read_from_a_heading_inside_of_it(project):
    text = (
        "# Long\n\n"
        + "Walruses sleep.\n" * 2000
        + "\n#### The fourth level\n\nNarwhals are here.\n"
        + "Seals sleep.\n" * 2000
    )
    project.write("docs/long.md", text)
    project.index()
    tool = next(tool for tool in TOOLS if tool.name == "get_section")
    service = SearchService(project.index_dir, settings=Settings(), embedder=project.embedder)
    read = tool.answer(service, tool.checked({"id": "docs/long.md#the-fourth-level", "max_tokens": 500}), COUNTER)
    assert read["content"].startswith("#### The fourth level\n\nNarwhals are here.\nSeals")
    assert read["content_offset"] == text.index("####")


def test_links_of_a_file_are_those_of_all_its_sections_and_those_to_it_from_other_documents(made_vault):
    sections, found = made_vault.engine().document_links("Home.md")
    assert [section.heading for section in sections] == ["Home", "More"]
    assert [link.target for link in found.links] == [
        "Orchard", "orchard#pruning", "Orchard#^age", "The big garden", "Garden/Pears",
        "Orchard", "sketch.png", "Garden/Apples.md#Keeping%20them", "Missing note",
    ]  # fmt: skip
    assert (found.link_count, found.broken_count, found.backlink_count) == (9, 1, 0)
    _, orchard = made_vault.engine().document_links("Orchard.md")
    assert {link.document_path for link in orchard.backlinks} == {"Home.md", "Harvest.md", "Garden/Pears.md"}


def test_every_door_gives_the_links_of_a_whole_document_for_its_path_and_of_a_section_for_its_anchor(made_vault):
    answer = links_answer(made_vault, "Home.md")
    Draft202012Validator(SCHEMAS["links"]).validate(answer)
    assert (answer["anchor"], answer["link_count"], answer["broken_count"]) == ("", 9, 1)
    assert [one["heading"] for one in answer["sections"]] == ["Home", "More"]
    assert {link["section_id"] for link in answer["links"]} == {one["id"] for one in answer["sections"]}
    part = links_answer(made_vault, "Home.md#more")
    assert (part["link_count"], part["broken_count"], "sections" in part) == (4, 1, False)
    tool = next(tool for tool in TOOLS if tool.name == "links")
    service = SearchService(made_vault.index_dir, settings=Settings(), embedder=made_vault.embedder)
    told = tool.answer(service, tool.checked({"section": "Home.md", "similar": True}), COUNTER)
    assert (told["link_count"], len(told["similar"]) > 0) == (9, True)
    Draft202012Validator(ANSWERS["links"]).validate(told)


def test_a_terminal_shows_the_links_of_a_document_below_its_sections(made_vault):
    text = render_links(links_answer(made_vault, "Home.md")).split("\n")
    assert text[:4] == ["Home.md", "links: 9, 1 broken", "  Home  #home", "    Home.md:3  Orchard → Orchard.md  Orchard"]
    assert "  More  #more" in text
    assert "    Home.md:7  Missing note → no file" in text
    back = render_links(links_answer(made_vault, "Orchard.md")).split("\n")
    assert "    Garden/Pears.md:3  Pears  (../Orchard.md#tools-needed)" in back[back.index("  Pruning  #pruning") :]


@pytest.mark.parametrize(
    ("reference", "told"),
    [
        ("Home#more", "There is no document Home in the index; did you mean Home.md?"),
        ("Orchrd.md", "There is no document or section Orchrd.md in the index; did you mean Orchard.md?"),
        ("Home.md#mor", "Home.md has no section with the anchor mor; did you mean more?"),
    ],
)
def test_a_misspelt_reference_is_refused_with_the_names_like_it(made_vault, reference, told):
    for ask in (made_vault.engine().section_links, made_vault.engine().similar, lambda name: links_answer(made_vault, name)):
        with pytest.raises(NotIndexedError) as refused:
            ask(reference)
        assert str(refused.value) == told


@pytest.mark.parametrize(
    ("reference", "heading"),
    [("Orchard.md#tools-needed", "Pruning"), ("Orchard.md#Tools-Needed", "Pruning"), ("Orchard.md#^age", "Orchard")],
)
def test_a_place_inside_of_a_section_names_the_section_that_holds_it(made_vault, reference, heading):
    service = SearchService(made_vault.index_dir, settings=Settings(), embedder=made_vault.embedder)
    (section,) = service.sections([reference])["sections"]
    assert section["heading"] == heading
    assert service.place_of(reference)[0] == service.links(reference)["id"] == section["id"]


def test_a_block_is_no_heading_of_its_name(made_vault):
    with pytest.raises(NotIndexedError, match="no section with the anchor age"):
        made_vault.engine().section_links("Orchard.md#age")


def test_without_links_an_anchor_inside_of_a_section_names_nothing(vault):
    vault.index(".")
    links_path(store_dir(vault.index_dir)).write_bytes(b"no database")
    with pytest.raises(NotIndexedError, match="no section with the anchor tools-needed"):
        vault.engine().section_links("Orchard.md#tools-needed")


def links_answer(project, reference):
    return SearchService(project.index_dir, settings=Settings(), embedder=project.embedder).links(reference)
