"""Roots of an index: what runs keep of their options, and how documents of folders outside the project are named."""

import json
import os
import shutil

import pytest

from schema.errors import IndexAccessError, SettingsError
from schema.index_files.roots import FileChoice, IndexRoots, Root, read_roots, write_roots
from schema.settings import Settings
from tests.conftest import Project
from tests.rooted import TEXTS, documents, kept, roots_file

# -- what is kept ------------------------------------------------------------------------------------------------------


def test_plain_run_takes_the_files_that_the_last_one_included(mixed):
    mixed.index(files=TEXTS)
    report = mixed.index()
    assert (report.documents_unchanged, report.documents_removed) == (4, 0)
    assert documents(mixed) == ["docs/a.md", "docs/b.txt", "docs/sub/c.txt", "docs/sub/d.md"]


@pytest.mark.parametrize("paths", [(), ("docs/sub",), ("docs/b.txt",), (".",)])
def test_runs_over_all_a_part_or_more_of_a_folder_keep_its_documents(mixed, paths):
    mixed.index(files=TEXTS)
    before = documents(mixed)
    report = mixed.indexer().scan(*[mixed.home / path for path in paths])
    assert report.documents_removed == 0
    assert set(before) <= set(documents(mixed))


def test_text_is_taken_only_of_the_folder_that_it_was_chosen_for(mixed):
    mixed.index(files=TEXTS)
    mixed.index(".")
    assert documents(mixed) == ["docs/a.md", "docs/b.txt", "docs/sub/c.txt", "docs/sub/d.md", "other/f.md"]


def test_options_of_a_run_beat_what_is_kept_and_this_beats_the_settings(mixed):
    mixed.index(files=FileChoice(include=("**/*.txt",)))
    settings = Settings(include=("**/d.md",))
    mixed.index(settings=settings)
    assert documents(mixed) == ["docs/b.txt", "docs/sub/c.txt"]
    mixed.index(files=FileChoice(include=("**/*.md",)), settings=settings)
    assert documents(mixed) == ["docs/a.md", "docs/sub/d.md"]
    assert kept(mixed) == {"docs": {"path": "docs", "include": ["**/*.md"]}}


def test_each_option_is_kept_on_its_own(mixed):
    mixed.write("docs/.hidden/g.md", "# G\n")
    mixed.index(files=FileChoice(hidden=True))
    mixed.index(files=FileChoice(exclude=("sub",)))
    mixed.index()
    assert documents(mixed) == ["docs/.hidden/g.md", "docs/a.md"]
    assert kept(mixed)["docs"] == {"path": "docs", "exclude": ["sub"], "hidden": True}


def test_ignored_files_that_were_asked_for_stay(mixed):
    mixed.write("docs/.gitignore", "sub\n")
    mixed.index(files=FileChoice(gitignore=False))
    assert mixed.indexer().scan().documents_removed == 0
    assert "docs/sub/d.md" in documents(mixed)


def test_options_for_a_folder_inside_hold_there_alone(mixed):
    mixed.index()
    mixed.index("docs/sub", files=TEXTS)
    mixed.index()
    assert documents(mixed) == ["docs/a.md", "docs/sub/c.txt", "docs/sub/d.md"]


def test_options_for_a_folder_around_replace_those_of_the_folders_inside(mixed):
    mixed.index("docs/sub", files=FileChoice(include=("*.txt",)))
    mixed.index("docs", files=FileChoice(include=("*.md",)))
    mixed.index()
    assert documents(mixed) == ["docs/a.md", "docs/sub/d.md"]


def test_part_of_a_root_is_read_by_its_patterns_and_is_no_root_of_its_own(mixed):
    mixed.index(files=FileChoice(include=("sub/*.txt",)))
    mixed.write("docs/sub/more.txt", "# More\n")
    mixed.index("docs/sub")
    assert documents(mixed) == ["docs/sub/c.txt", "docs/sub/more.txt"]
    assert list(kept(mixed)) == ["docs"]


@pytest.mark.parametrize("path", ["docs/.hidden", "docs/.hidden/g.md"])
def test_hidden_folder_that_was_named_outlasts_a_run_around_it(mixed, path):
    mixed.write("docs/.hidden/g.md", "# G\n")
    mixed.index()
    mixed.index(path)
    assert mixed.index().documents_removed == 0
    assert len(documents(mixed)) == 3


def test_rebuild_keeps_what_was_kept(mixed):
    mixed.index(files=TEXTS)
    mixed.index("other", files=FileChoice(include=("*.txt",)))
    mixed.indexer().rebuild(mixed.home / "docs")
    assert documents(mixed) == ["docs/a.md", "docs/b.txt", "docs/sub/c.txt", "docs/sub/d.md", "other/e.txt"]
    assert mixed.index("docs", "other").documents_unchanged == 5


def test_damaged_table_is_made_again_with_what_was_kept(mixed):
    mixed.index(files=TEXTS)
    for place in (mixed.index_dir / "store" / "sections.lance" / "data").iterdir():
        place.write_bytes(b"junk")
    mixed.index()
    assert documents(mixed) == ["docs/a.md", "docs/b.txt", "docs/sub/c.txt", "docs/sub/d.md"]


def test_manifest_that_is_lost_loses_no_choice(mixed):
    mixed.index(files=TEXTS)
    (mixed.index_dir / "store" / "ledger.sqlite").unlink()
    assert mixed.indexer().scan().documents_removed == 0
    assert len(documents(mixed)) == 4


def test_verify_reads_what_the_index_was_made_from(mixed):
    mixed.index(files=TEXTS)
    assert mixed.indexer().verify().differences == ()
    assert {each.kind for each in mixed.indexer(files=FileChoice(include=("*.md",))).verify().differences} == {"orphan"}
    assert kept(mixed)["docs"]["include"] == ["**/*.txt", "**/*.md"]


def test_scan_without_paths_keeps_its_options(mixed):
    mixed.index()
    mixed.indexer(files=TEXTS).scan()
    assert mixed.indexer().scan().documents_removed == 0
    assert len(documents(mixed)) == 4


# -- whose word counts -------------------------------------------------------------------------------------------------


def test_patterns_that_somebody_else_put_into_the_index_are_not_used(mixed):
    mixed.write("docs/.secret.md", "# Secret\n")
    mixed.index()
    written = json.loads(roots_file(mixed).read_text())
    written["roots"][0] |= {"include": ["**"], "hidden": True}
    roots_file(mixed).write_text(json.dumps(written))
    mixed.index()
    assert documents(mixed) == ["docs/a.md", "docs/sub/d.md"]
    assert read_roots(mixed.index_dir, mixed.home, is_own=True).roots[0].files == FileChoice()


@pytest.mark.parametrize("loss", ["gone", "changed", "nonsense", "link"])
def test_choice_that_is_lost_is_told_and_nothing_is_removed(mixed, loss):
    mixed.index(files=TEXTS)
    before = documents(mixed)
    if loss == "link":
        roots_file(mixed).rename(mixed.home / "real")
        roots_file(mixed).symlink_to(mixed.home / "real")
    elif loss == "gone":
        roots_file(mixed).unlink()
    else:
        roots_file(mixed).write_text('{"version": 1, "folders": {}, "roots": []}' if loss == "changed" else "[")
    for run in (mixed.index, mixed.indexer().scan, mixed.indexer().verify):
        with pytest.raises(Exception, match=r"is lost or was changed by somebody else|which is a link"):
            run()
    assert documents(mixed) == before
    roots_file(mixed).unlink(missing_ok=True)
    assert mixed.index(files=TEXTS).documents_unchanged == 4
    assert mixed.index().documents_unchanged == 4


def test_roots_without_patterns_that_are_lost_are_found_in_the_manifest(mixed):
    mixed.index()
    roots_file(mixed).unlink()
    assert mixed.indexer().scan().documents_unchanged == 2
    assert list(kept(mixed)) == ["docs"]


def test_roots_of_an_index_of_somebody_else_are_used_by_who_trusts_everything(mixed, monkeypatch, tmp_path):
    mixed.index(files=TEXTS)
    monkeypatch.setenv("SECTIONARY_CONFIG_DIR", str(tmp_path / "second"))
    assert mixed.indexer(is_trusted=True).scan().documents_removed == 0


def test_process_that_dies_while_roots_are_written_leaves_the_old_ones(mixed, monkeypatch):
    mixed.index(files=TEXTS)
    before = roots_file(mixed).read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(os, "fdopen", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            write_roots(mixed.index_dir, IndexRoots(mixed.home, (Root(path="other"),)))
    assert roots_file(mixed).read_bytes() == before
    assert mixed.index().documents_unchanged == 4


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"version": 2, "folders": {}, "roots": []}', '{"version": 1, "folders": {"../x": "/"}, "roots": []}',
     '{"version": 1, "folders": {"x": "relative"}, "roots": []}', '{"version": 1, "folders": {}, "roots": [{"path": 1}]}',
     '{"version": 1, "folders": {}, "roots": [{"path": "a", "include": [1]}]}', "[" * 100_000,
     '{"version": 1, "folders": {}, "roots": [{"path": "a", "hidden": "yes"}]}', '{"version": 1, "folders": [], "roots": {}}'],
)  # fmt: skip
def test_file_of_roots_that_makes_no_sense_is_none(tmp_path, text):
    (tmp_path / "roots.json").write_text(text)
    assert read_roots(tmp_path, tmp_path, is_own=True) == IndexRoots(tmp_path)


# -- folders outside ---------------------------------------------------------------------------------------------------


# -- adding and removing -----------------------------------------------------------------------------------------------


def test_root_that_was_added_has_a_name_and_a_description(project, notes):
    project.write("docs/a.md", "# A\n\nApples.\n")
    project.indexer().add_root(project.home / "docs", name="manual", description="How it works.")
    project.indexer().add_root(notes, name="handbook")
    assert documents(project) == ["docs/a.md", "handbook/sub/y.md", "handbook/x.md"]
    hits = project.engine().search("wooden apples milk", mode="lexical")
    assert {hit.section.document_path: hit.root for hit in hits} == {
        "docs/a.md": "manual", "handbook/x.md": "handbook", "handbook/sub/y.md": "handbook",
    }  # fmt: skip
    assert [(one.name, one.description) for one in project.indexer().status().roots] == [
        ("manual", "How it works."), ("handbook", ""),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("names", "found"),
    [("manual", ["docs/a.md"]), ("docs", ["docs/a.md"]), ("HANDBOOK", ["handbook/x.md"]),
     (["manual", "handbook"], ["docs/a.md", "handbook/x.md"])],
)  # fmt: skip
def test_filter_of_roots_takes_names_and_paths(project, notes, names, found):
    project.write("docs/a.md", "# A\n\nWooden apples.\n")
    project.indexer().add_root(project.home / "docs", name="manual")
    project.indexer().add_root(notes, name="handbook")
    hits = project.engine().search("wooden", mode="lexical", filters={"root": names})
    assert sorted(hit.section.document_path for hit in hits) == found


def test_filter_of_a_root_that_is_none_leaves_nothing(project):
    project.write("docs/a.md", "# A\n\nApples.\n")
    project.index()
    assert project.engine().search("apples", filters={"root": "nowhere"}) == []
    assert project.engine().roots().unknown(["docs", "x"]) == "There is no root x in the index; its roots are docs."


def test_many_files_given_by_name_are_roots_in_linear_time(project):
    paths = [project.write(f"docs/{number}.md", "# A\n") for number in range(300)]
    assert project.indexer().scan(*paths).documents_added == 300
    assert project.indexer().scan(*paths).documents_unchanged == 300
    assert project.indexer().scan().documents_unchanged == 300


def test_document_is_of_the_innermost_root(mixed):
    mixed.index(".")
    mixed.indexer().add_root(mixed.home / "docs", name="manual")
    hits = mixed.engine().search("text", mode="lexical")
    assert {hit.section.document_path: hit.root for hit in hits} == {
        "docs/a.md": "manual", "docs/sub/d.md": "manual", "other/f.md": mixed.home.name,
    }  # fmt: skip
    inside = mixed.engine().search("text", mode="lexical", filters={"root": mixed.home.name})
    assert [hit.section.document_path for hit in inside] == ["other/f.md"]


@pytest.mark.parametrize("name", ["docs", "Other", "elsewhere", "a/b", "../x", ".x", "x" * 101, "a*", "a\nb", " "])
def test_name_that_stands_for_something_else_or_cannot_be_one_is_refused(project, notes, name):
    project.write("elsewhere/a.md", "# A\n")
    project.write("docs/a.md", "# A\n")
    project.index()
    project.indexer().add_root(project.home / "elsewhere", name="other")
    with pytest.raises(SettingsError, match=r"stands for something else|cannot be called"):
        project.indexer().add_root(notes, name=name)
    assert documents(project) == ["docs/a.md", "elsewhere/a.md"]


def test_root_that_is_removed_takes_its_documents_and_no_file(project, notes):
    project.write("docs/a.md", "# A\n")
    project.index()
    project.indexer().index(notes)
    report = project.indexer().remove_root("notes")
    assert (report.documents_removed, documents(project)) == (2, ["docs/a.md"])
    assert (notes / "x.md").exists()
    assert project.indexer().scan().documents_added == 0
    assert (project.indexer().status().outside, list(kept(project))) == ((), ["docs"])


@pytest.mark.parametrize("word", ["docs", "manual", "{home}/docs", "./docs"])
def test_root_is_removed_by_its_name_or_any_path_of_it(mixed, monkeypatch, word):
    monkeypatch.chdir(mixed.home)
    mixed.index("other")
    mixed.indexer().add_root(mixed.home / "docs", name="manual")
    mixed.indexer().remove_root(word.format(home=mixed.home))
    assert documents(mixed) == ["other/f.md"]


def test_root_inside_another_one_leaves_its_documents_to_it(mixed):
    mixed.index("docs")
    mixed.index("docs/sub", files=TEXTS)
    report = mixed.indexer().remove_root("docs/sub")
    assert (report.documents_removed, documents(mixed)) == (1, ["docs/a.md", "docs/sub/d.md"])
    assert list(kept(mixed)) == ["docs"]


def test_root_around_another_one_leaves_that_one(mixed):
    mixed.index("docs/sub", files=TEXTS)
    mixed.index(".", files=FileChoice(exclude=("nothing",)))
    mixed.indexer().remove_root(".")
    assert documents(mixed) == ["docs/sub/c.txt", "docs/sub/d.md"]


def test_root_that_is_gone_from_the_disk_is_removed(project, notes):
    project.indexer().index(notes)
    shutil.rmtree(notes)
    assert project.indexer().remove_root("notes").documents_removed == 2


def test_root_that_is_none_is_refused(mixed):
    mixed.index()
    with pytest.raises(SettingsError, match=r"There is no root other in the index; its roots are docs\."):
        mixed.indexer().remove_root("other")


def test_a_glob_that_is_too_long_is_refused(mixed):
    with pytest.raises(SettingsError, match="The globs of include have more than"):
        mixed.index(files=FileChoice(include=("*" * 60_000,)))


def test_a_folder_in_place_of_the_file_of_roots_is_refused_in_one_sentence(project):
    project.write("docs/a.md", "# A\n")
    project.index()
    place = project.index_dir / "roots.json"
    place.unlink()
    place.mkdir()
    with pytest.raises(IndexAccessError) as refused:
        project.index()
    assert str(refused.value) == f"A folder stands in place of the file {place}; move it away and run `index` again."


# -- one folder from several projects ----------------------------------------------------------------------------------


@pytest.fixture
def run_of(tmp_path, notes, embedder):
    """Runs over `notes` into one index, from a project's folder; what the run says, and the documents of the index."""
    from indexer import Indexer

    def run(root):
        indexer = Indexer(tmp_path / "index" / ".sectionary", root=root, embedder=embedder)
        report = indexer.index(notes)
        assert indexer.verify().differences == ()
        return report, sorted(indexer.status().roots), documents(Project(tmp_path / "index", embedder))

    return run


def test_a_run_from_another_projects_folder_gives_documents_new_names_and_no_second_ones(run_of, tmp_path, notes):
    names = [run_of(root)[2] for root in (tmp_path, notes, notes.parent, notes.parent / "notes", tmp_path)]
    outside, inside, above = ["notes/sub/y.md", "notes/x.md"], ["sub/y.md", "x.md"], ["notes/sub/y.md", "notes/x.md"]
    assert names == [outside, inside, above, inside, outside]


def test_a_run_over_a_part_from_another_projects_folder_leaves_the_names_of_the_rest(tmp_path, notes, embedder):
    from indexer import Indexer

    at = tmp_path / "index" / ".sectionary"
    Indexer(at, root=tmp_path, embedder=embedder).index(notes)
    Indexer(at, root=notes / "sub", embedder=embedder).index(notes / "sub")
    assert documents(Project(tmp_path / "index", embedder)) == ["notes/x.md", "y.md"]
