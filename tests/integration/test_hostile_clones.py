"""An index that came with somebody else's folder, and links in it, read and write nothing outside."""

import json
import os
import shutil
import sqlite3

import lancedb
import pytest

from indexer import Indexer
from schema.errors import IndexUntrustedError, SourceError
from schema.index_files.layout import claim, is_own
from schema.status import read_status
from search import SearchEngine
from tests.clones import SECRET, index_of_somebody_else, manifest_roots, run, texts, wish
from tests.conftest import Project

pytestmark = pytest.mark.process

# -- an index of somebody else -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("action", ["index", "scan", "dirty", "repair", "optimize", "summarize"])
def test_an_index_of_somebody_else_is_not_continued(clone, secret, action):
    index_of_somebody_else(clone, one=str(secret.parent))
    indexer = Indexer(clone.index_dir, root=clone.home, embedder=clone.embedder, summarizer=_Extractive())
    actions = {
        "index": lambda: indexer.index(clone.home / "docs"),
        "scan": indexer.scan,
        "dirty": indexer.process_dirty,
        "repair": lambda: indexer.verify(repair=True),
        "optimize": indexer.optimize,
        "summarize": indexer.summarize,
    }
    with pytest.raises(IndexUntrustedError, match="was not made by you on this machine"):
        actions[action]()
    assert SECRET not in texts(clone)


class _Extractive:
    name = "extractive-test"

    def summarize_document(self, text, *, title):
        return None

    def summarize_section(self, section, *, document, document_summary):
        return None


def test_a_rebuild_takes_nothing_from_an_index_of_somebody_else(clone, secret):
    index_of_somebody_else(clone, one=str(secret.parent), two="docs")
    (clone.index_dir / "summaries.sqlite").write_bytes(b"theirs")
    report = Indexer(clone.index_dir, root=clone.home, embedder=clone.embedder).rebuild(clone.home / "docs")
    assert (report.documents_added, report.vectors_reused) == (1, 0)
    assert SECRET not in texts(clone)
    assert not (clone.index_dir / "summaries.sqlite").exists()
    assert is_own(clone.index_dir)


@pytest.mark.parametrize("action", ["scan", "verify", "rebuild", "damaged"])
def test_paths_that_only_an_index_names_are_not_read_outside_the_folder(clone, secret, action):
    clone.index()
    for scope in (str(secret.parent), os.path.relpath(secret.parent, clone.home), "docs/link"):
        (clone.home / "docs" / "link").unlink(missing_ok=True)
        (clone.home / "docs" / "link").symlink_to(secret.parent)
        manifest_roots(clone, scope)
        if action == "damaged":
            for place in (clone.index_dir / "store" / "sections.lance" / "data").iterdir():
                place.write_bytes(b"junk")
        indexer = Indexer(clone.index_dir, root=clone.home, embedder=clone.embedder)
        {
            "scan": indexer.scan,
            "verify": indexer.verify,
            "rebuild": lambda indexer=indexer: indexer.rebuild(clone.home / "docs" / "a.md"),
            "damaged": lambda indexer=indexer: indexer.index(clone.home / "docs" / "a.md"),
        }[action]()
        assert SECRET not in texts(clone)


def test_paths_outside_that_the_user_named_are_read_again(clone, secret):
    clone.index()
    indexer = Indexer(clone.index_dir, root=clone.home, embedder=clone.embedder)
    indexer.index(secret.parent)
    secret.write_text("# Private\n\nchanged text\n")
    assert indexer.scan().documents_updated == 1


def test_a_moved_index_is_still_the_users(clone, tmp_path):
    clone.index()
    clone.home.rename(tmp_path / "moved")
    moved = Project(tmp_path / "moved", clone.embedder)
    assert moved.index().documents_unchanged == 1


def test_the_user_can_allow_an_index_of_somebody_else(clone):
    index_of_somebody_else(clone)
    assert run(clone, "trust", "--yes").returncode == 0
    assert is_own(clone.index_dir)
    assert run(clone, "trust", "--forget").returncode == 0
    assert not is_own(clone.index_dir)


def test_an_index_of_somebody_else_is_searched_only_when_it_is_named(clone):
    index_of_somebody_else(clone)
    found = run(clone, "text", module="search")
    assert (found.returncode, found.stdout) == (3, "")
    assert "was not made by you on this machine" in found.stderr
    named = run(clone, "--mode", "lexical", "--index", ".sectionary", "text", module="search")
    assert "was not made by you" not in named.stderr


def test_status_shows_what_is_trusted(clone, listener, secret):
    wish(clone, listener.url)
    clone.index()
    Indexer(clone.index_dir, root=clone.home, embedder=clone.embedder).scan(secret.parent)
    status = read_status(clone.index_dir)
    assert status.is_own
    assert status.outside == (str(secret.parent),)
    assert status.settings_file == str(clone.home / "sectionary.toml")
    assert status.settings_left_out == ("hidden", "include", "llm_base_url", "llm_model", "summaries")
    told = run(clone, "status").stdout
    assert "made by you" in told
    assert "llm_base_url" in told


# -- links -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [".gitignore", "lock", "identity", "summaries.sqlite", "store", "store/ledger.sqlite"])
def test_no_link_in_the_index_folder_is_followed(clone, tmp_path, name):
    clone.index()
    outside = tmp_path / "outside"
    place = clone.index_dir / name
    if place.exists():
        place.rename(outside)
    place.symlink_to(outside)
    before = _everything(tmp_path, but=clone.home)
    clone.write("docs/b.md", "# B\n\nmore\n")
    with pytest.raises(IndexUntrustedError, match="is a link or no plain file"):
        clone.index()
    assert _everything(tmp_path, but=clone.home) == before


def test_a_link_to_a_foreign_database_is_not_written(clone, tmp_path):
    clone.index()
    foreign = tmp_path / "foreign.sqlite"
    with sqlite3.connect(foreign) as database:
        database.execute("create table mine (x)")
    before = foreign.read_bytes()
    manifest = clone.index_dir / "store" / "ledger.sqlite"
    manifest.unlink()
    manifest.symlink_to(foreign)
    with pytest.raises(IndexUntrustedError):
        clone.index()
    assert foreign.read_bytes() == before


def test_a_link_among_the_tables_files_is_not_read(clone, tmp_path):
    clone.index()
    data = clone.index_dir / "store" / "sections.lance" / "data"
    data.rename(tmp_path / "data")
    data.symlink_to(tmp_path / "data")
    with pytest.raises(IndexUntrustedError):
        SearchEngine(clone.index_dir, embedder=clone.embedder)
    with pytest.raises(IndexUntrustedError):
        read_status(clone.index_dir)


def test_an_index_folder_that_is_a_link_is_used_only_when_it_is_named(clone, tmp_path):
    clone.index()
    clone.index_dir.rename(tmp_path / "elsewhere")
    clone.index_dir.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(IndexUntrustedError, match="give the folder it leads to with --index"):
        clone.index()


def test_a_pipe_in_the_index_folder_is_not_waited_for(clone):
    clone.index()
    manifest = clone.index_dir / "store" / "ledger.sqlite"
    manifest.unlink()
    os.mkfifo(manifest)
    with pytest.raises(IndexUntrustedError, match="no plain file"):
        clone.index()


def _everything(folder, *, but):
    return {
        str(place): place.read_bytes() if place.is_file() else b""
        for place in sorted(folder.rglob("*"))
        if not place.is_relative_to(but)
    }


# -- an index that was overwritten -------------------------------------------------------------------------------------


def overwritten(project, metadata):
    """The user's own index, whose table somebody put another in place of, with what the schema of that one says."""
    project.index()
    place = project.index_dir / "store"
    stamped = lancedb.connect(place).open_table("sections").schema
    shutil.rmtree(place / "sections.lance")
    said = {**(stamped.metadata or {}), **metadata}
    lancedb.connect(place).create_table("sections", schema=stamped.with_metadata(said))
    project.write("docs/b.md", "# B\n\nmore\n")


EMBEDDING = json.dumps(
    [{"name": "openai", "model": {"base_url": "URL"}, "source_column": "content", "vector_column": "vector"}]
)


def test_what_a_table_tells_the_library_to_run_is_refused(clone, listener, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    overwritten(clone, {b"embedding_functions": EMBEDDING.replace("URL", listener.url).encode()})
    with pytest.raises(IndexUntrustedError, match="holds settings that Sectionary did not write"):
        clone.index()
    assert listener.heard == []


def test_a_table_that_somebody_put_in_place_of_the_users_is_not_continued(clone):
    clone.index()
    other = Project(clone.home.parent / "other", clone.embedder)
    other.write("docs/a.md", "# Other\n\nother text\n")
    other.index()
    shutil.rmtree(clone.index_dir / "store")
    shutil.copytree(other.index_dir / "store", clone.index_dir / "store")
    with pytest.raises(IndexUntrustedError, match="was not made by you"):
        clone.index()
    assert run(clone, "text", module="search").returncode == 3


@pytest.mark.parametrize("own", [True, False])
def test_a_table_with_files_elsewhere_is_not_opened(clone, own):
    clone.index()
    other = Project(clone.home.parent / "other", clone.embedder)
    other.write("docs/a.md", f"# Other\n\n{SECRET}\n")
    other.index()
    place = clone.index_dir / "store"
    shutil.rmtree(place / "sections.lance")
    lancedb.connect(place).clone_table("sections", str(other.index_dir / "store" / "sections.lance"))
    if own:
        claim(clone.index_dir)
    for action in (lambda: read_status(clone.index_dir), clone.engine):
        with pytest.raises(IndexUntrustedError, match="has files elsewhere"):
            action()


def test_a_rebuilt_index_is_still_the_users(clone):
    clone.index()
    clone.indexer().rebuild(clone.home / "docs")
    assert is_own(clone.index_dir)
    assert clone.index().documents_unchanged == 1


def test_two_users_can_share_an_index_that_both_allowed(clone, monkeypatch, tmp_path):
    clone.index()
    with monkeypatch.context() as patch:
        patch.setenv("SECTIONARY_CONFIG_DIR", str(tmp_path / "second"))
        assert not is_own(clone.index_dir)
        assert claim(clone.index_dir)
        assert clone.index().documents_unchanged == 1
    assert is_own(clone.index_dir)


def test_who_trusts_everything_claims_nothing(clone, monkeypatch, tmp_path):
    clone.index()
    monkeypatch.setenv("SECTIONARY_CONFIG_DIR", str(tmp_path / "second"))
    assert clone.indexer(is_trusted=True).index(clone.home / "docs").documents_unchanged == 1
    assert not is_own(clone.index_dir)


def test_a_rebuild_tells_which_paths_it_leaves_out(clone, secret):
    clone.index()
    manifest_roots(clone, "docs", str(secret.parent))
    report = clone.indexer().rebuild(clone.home / "docs")
    assert report.warnings == [
        f"{secret.parent} lies outside the project's folder and is not looked at again; name it, as in `index {secret.parent}`"
    ]


def test_a_given_folder_that_is_a_link_out_of_the_project_is_refused(clone, secret):
    (clone.home / "linked").symlink_to(secret.parent)
    with pytest.raises(SourceError, match="is a link out of the project's folder"):
        clone.index("linked")


@pytest.mark.parametrize("scope", ["docs/loop", "y" * 300, "docs\0x"])
def test_odd_paths_in_an_index_end_no_run(clone, scope):
    clone.index()
    (clone.home / "docs" / "loop").symlink_to("loop")
    manifest_roots(clone, "docs", scope)
    assert clone.indexer().scan().documents_unchanged == 1


@pytest.mark.parametrize("arguments", [("scan", "docs"), ("status",), ("trust",)])
def test_an_index_folder_that_is_a_link_to_itself_is_one_sentence(clone, arguments):
    clone.index_dir.symlink_to(".sectionary")
    done = run(clone, *arguments)
    assert (done.returncode in (0, 3), "Traceback" in done.stderr) == (True, False)


def test_an_index_folder_that_is_a_file_is_one_sentence(clone):
    clone.index_dir.write_text("x")
    assert "is a file, not an index folder" in run(clone, "scan", "docs").stderr


def test_nothing_is_allowed_where_nothing_can_be_remembered(clone, tmp_path):
    index_of_somebody_else(clone)
    (tmp_path / "file").write_text("")
    done = run(clone, "trust", "--yes", SECTIONARY_CONFIG_DIR=str(tmp_path / "file"))
    assert (done.returncode, "Allowed" in done.stdout) == (2, False)
    assert "set SECTIONARY_CONFIG_DIR to a folder that can" in done.stderr
    refused = run(clone, "scan", "docs", SECTIONARY_CONFIG_DIR=str(tmp_path / "file"))
    assert "SECTIONARY_TRUST=1" in refused.stderr
