"""Links of an index: a vault of notes and a site, resolved after each run, shown with sections, and checked."""

import sqlite3
from contextlib import closing
from functools import partial

import pytest

from schema.errors import NotIndexedError
from schema.index_files import stored_links
from schema.index_files.layout import links_path, store_dir
from schema.index_files.links import LinkFile
from schema.storage.table import SectionTable
from tests.integration.test_commands import run  # noqa: F401 — a fixture
from tests.linked import led, rows, shown
from tests.vault_notes import VAULT


def test_the_vault_has_forty_notes():
    assert len(VAULT) == 40


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
            VAULT[path]
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
    vault.write("Orchard.md", VAULT["Orchard.md"].replace("## Pruning", "## Cutting").replace("^age", "^years"))
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
