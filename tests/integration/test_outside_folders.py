"""Documents of folders outside of the project: their names, and what is read of these folders."""

import os
import shutil
import sqlite3
from pathlib import Path

import pytest

from indexer import Indexer
from indexer.consent import ask_for_all
from schema.index_files import layout
from schema.index_files.layout import is_own
from schema.index_files.roots import read_roots
from schema.storage.table import SectionTable
from tests.rooted import TEXTS, documents, kept, roots_file


def test_documents_outside_are_named_from_their_folder(project, notes):
    project.indexer().index(notes)
    assert documents(project) == ["notes/sub/y.md", "notes/x.md"]
    hit = project.engine().search("wooden bars")[0]
    assert (hit.section.document_path, hit.stale) == ("notes/x.md", False)
    (notes / "x.md").write_text("# Xylophone\n\nSteel bars.\n")
    assert project.engine().search("wooden bars")[0].stale
    assert project.indexer().scan().documents_updated == 1


def test_folders_of_one_name_get_names_of_their_own(project, notes, tmp_path_factory):
    other = tmp_path_factory.mktemp("third") / "notes"
    other.mkdir()
    (other / "z.md").write_text("# Zebra\n")
    project.write("notes-2/a.md", "# A\n")
    project.indexer().index(notes, other)
    assert documents(project) == ["notes-3/z.md", "notes/sub/y.md", "notes/x.md"]
    assert project.indexer().scan().documents_unchanged == 3


@pytest.mark.parametrize("spelling", ["absolute", "dots", "link", "subfolder", "file"])
def test_document_has_one_spelling_however_it_is_reached(project, notes, tmp_path, monkeypatch, spelling):
    project.indexer().index(notes)
    monkeypatch.chdir(project.home)
    link = notes.parent / "link"
    link.symlink_to(notes)
    paths = {
        "absolute": notes,
        "dots": os.path.relpath(notes),
        "link": link,
        "subfolder": notes / "sub" / ".." / "sub",
        "file": os.path.join(os.path.relpath(notes), "x.md"),
    }
    project.indexer().index(paths[spelling])
    assert documents(project) == ["notes/sub/y.md", "notes/x.md"]


def test_file_outside_is_named_from_its_folder(project, notes):
    project.indexer().index(notes / "x.md")
    assert documents(project) == ["notes/x.md"]
    (notes / "x.md").unlink()
    assert project.indexer().scan().documents_removed == 1


def test_run_over_the_project_leaves_documents_outside(project, notes):
    project.write("a.md", "# A\n")
    project.indexer().index(notes)
    project.index(".")
    assert documents(project) == ["a.md", "notes/sub/y.md", "notes/x.md"]


def test_folder_around_a_folder_outside_keeps_its_names(project, notes):
    (notes.parent / "b.md").write_text("# B\n")
    project.indexer().index(notes)
    project.indexer().index(notes.parent)
    around = notes.parent.name
    assert documents(project) == sorted([f"{around}/b.md", "notes/sub/y.md", "notes/x.md"])
    assert project.indexer().scan().documents_unchanged == 3


def test_document_of_the_project_that_has_the_path_of_one_outside_is_told(project, notes):
    project.indexer().index(notes)
    project.write("notes/x.md", "# Another\n")
    report = project.index(".")
    assert [failure.path for failure in report.failed] == ["notes/x.md"]
    assert f"the folder {notes} is called notes in the index" in report.failed[0].reason
    assert project.engine().search("wooden bars")[0].section.heading == "Xylophone"


def test_index_that_names_documents_outside_by_dots_is_mended_without_embedding(project, notes):
    project.indexer().index(notes)
    dots = os.path.relpath(notes, project.home)
    _as_an_older_index_has_it(project, "notes", dots)
    report = project.indexer().scan()
    assert (report.documents_added, report.documents_removed, report.vectors_reused) == (2, 2, 2)
    assert documents(project) == ["notes/sub/y.md", "notes/x.md"]


def _as_an_older_index_has_it(project, name, dots):
    """Let the index name the documents of a folder outside by the way there, and keep no roots."""
    from dataclasses import replace

    from schema.index_files.layout import manifest_path, store_dir
    from schema.index_files.manifest import Manifest

    store = store_dir(project.index_dir)
    table = SectionTable.open(store)
    rows = table.stored(sorted(table.paths()))
    moved = [
        replace(row, section=replace(row.section, document_path=f"{dots}{row.section.document_path.removeprefix(name)}"))
        for row in rows
    ]
    table.replace_documents(sorted(table.paths()), moved)
    with Manifest(manifest_path(store), store_id=table.store_id) as manifest:
        manifest.forget(list(manifest.files()))
    with sqlite3.connect(manifest_path(store)) as held:
        held.execute("insert or replace into facts values ('scopes', ?)", (dots,))
    roots_file(project).unlink()
    from schema.index_files.roots import remember_roots

    remember_roots(project.index_dir, [], is_needed=False)


def test_folder_outside_of_an_index_that_is_not_the_users_is_not_looked_at(project, notes):
    project.indexer().index(notes)
    (project.index_dir / "identity").unlink()
    roots = read_roots(project.index_dir, project.home, is_own=False)
    assert (roots.locate("notes/x.md"), roots.locate("a.md")) == (None, project.home / "a.md")
    (notes / "x.md").write_text("changed")
    hit = project.engine().search("wooden bars")[0]
    assert (hit.section.document_path, hit.stale) == ("notes/x.md", False)


def test_index_that_was_allowed_reads_no_folder_outside_until_it_is_named(project, notes):
    project.write("docs/a.md", "# A\n")
    project.index("docs", files=TEXTS)
    project.indexer().index(notes)
    (project.index_dir / "identity").unlink()
    ask_for_all(project.index_dir, is_allowed=True)
    report = project.indexer().scan()
    assert (report.documents_unchanged, report.documents_removed) == (1, 0)
    assert report.warnings[0].startswith(f"{notes} lies outside the project's folder")
    assert kept(project)["docs"]["include"] == list(TEXTS.include)


def test_users_files_outside_are_never_written(project, notes):
    before = {path: path.read_bytes() for path in notes.rglob("*") if path.is_file()}
    project.indexer().index(notes)
    shutil.rmtree(project.index_dir)
    Indexer(project.index_dir, root=project.home, embedder=project.embedder).rebuild(notes)
    assert {path: path.read_bytes() for path in notes.rglob("*") if path.is_file()} == before


def test_files_of_one_path_in_the_project_and_outside_are_told_apart_in_one_run(project, notes):
    project.indexer().index(notes)
    project.write("notes/x.md", "# Another\n")
    project.index(".")
    (notes / "x.md").write_text("# Xylophone\n\nSteel bars.\n")
    report = project.indexer().scan()
    assert ([failure.path for failure in report.failed], report.documents_updated) == (["notes/x.md"], 1)
    assert project.engine().search("steel bars", mode="lexical")[0].section.heading == "Xylophone"


def test_folder_outside_that_gets_another_name_keeps_its_vectors(project, notes):
    project.indexer().index(notes, notes / "sub")
    report = project.indexer().add_root(notes, name="handbook")
    assert (report.documents_added, report.documents_removed, report.sections_embedded) == (2, 2, 0)
    assert documents(project) == ["handbook/sub/y.md", "handbook/x.md"]
    assert project.indexer().scan().documents_unchanged == 2


def test_index_stays_the_users_own_however_many_paths_outside_are_named(project, notes):
    project.write("docs/a.md", "# A\n")
    project.index("docs", files=TEXTS)
    for number in range(250):
        (notes / f"{number}.md").write_text(f"# Bar {number}\n")
    project.indexer().scan(*sorted(notes.glob("*.md")))
    assert is_own(project.index_dir)
    (notes / "7.md").write_text("# Bar 7\n\nOf a rare wood.\n")
    assert project.indexer().scan().documents_updated == 1


def test_paths_outside_that_were_named_first_are_forgotten_first(project, monkeypatch):
    monkeypatch.setattr(layout, "MOST_OUTSIDE", 3)
    project.write("docs/a.md", "# A\n")
    project.index("docs", files=TEXTS)
    for name in "abcd":
        layout.remember_outside(project.index_dir, [Path(f"/{name}")])
    assert layout.outside_paths(project.index_dir) == ("/b", "/c", "/d")
    assert is_own(project.index_dir)


def test_index_that_is_rebuilt_remembers_its_own_table_alone_and_the_paths_outside(project, notes):
    project.write("docs/a.md", "# A\n")
    project.index("docs", files=TEXTS)
    project.indexer().scan(notes)
    for _ in range(3):
        project.indexer().rebuild()
    assert is_own(project.index_dir)
    assert layout.outside_paths(project.index_dir) == (str(notes.resolve()),)
    assert len(layout.remembered_texts(project.index_dir, "store ")) == 2


def test_more_than_can_be_read_again_is_not_remembered(project):
    project.write("docs/a.md", "# A\n")
    project.index("docs", files=TEXTS)
    layout.remember_outside(project.index_dir, [Path("/a")])
    layout.remember_outside(project.index_dir, [Path(f"/{number}{'x' * 1000}") for number in range(1100)])
    assert is_own(project.index_dir)
    assert layout.outside_paths(project.index_dir) == ("/a",)
