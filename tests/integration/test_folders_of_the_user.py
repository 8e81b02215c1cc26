"""A folder of the user that is named as the index folder is left as it is, and a deleted index folder stays deleted."""

import os
import shutil

import pytest

from indexer import Indexer
from schema.errors import IndexAccessError, IndexDamagedError, IndexNotFoundError, IndexUntrustedError
from schema.index_files.layout import claim, has_store, is_own, store_dir, summarizer_lock
from schema.settings import Settings
from schema.storage.table import SectionTable
from search.answers.local_server import Server, ServerRegistration
from tests.clones import index_of_somebody_else

#: What runs delete or write in an index folder, and what shows that a folder is the user's.
OF_THE_USER = {
    "converted/photo.txt": "mine",
    "store/index.js": "mine",
    "store.new/index.js": "mine",
    "summaries.sqlite": "mine",
    "roots.json": "mine",
    "identity": "AGE-SECRET-KEY",
    ".gitignore": "*.pyc\n",
    "server.json": '{"name": "mine"}',
    "lock": "mine" * 1000,
    "notes.md": "# Mine\n",
}


@pytest.fixture
def vault(project):
    project.write("docs/a.md", "# A\n\nzebra\n")
    return project


def everything(folder):
    """The content of each file in a folder, None for a folder in it."""
    return {str(place.relative_to(folder)): place.read_text() if place.is_file() else None for place in folder.rglob("*")}


@pytest.mark.parametrize("path", OF_THE_USER)
@pytest.mark.parametrize("run", ["index", "scan", "rebuild"])
def test_folder_of_the_user_is_left_as_it_is(vault, path, run):
    vault.write(f"mine/{path}", OF_THE_USER[path])
    place = vault.home / "mine"
    before = everything(place)
    with pytest.raises(IndexAccessError) as told:
        getattr(Indexer(place, root=vault.home, embedder=vault.embedder), run)(vault.home / "docs")
    assert str(told.value) == (
        f"The folder {place} holds other files and is no index; name an empty or a new folder, such as "
        f"{place / '.sectionary'}."
    )
    assert everything(place) == before


def test_folder_of_our_name_with_other_files_is_told_to_be_emptied(vault):
    vault.write(".sectionary/converted/photo.txt", "mine")
    with pytest.raises(IndexAccessError, match="move them away, or name another folder with --index"):
        vault.index()


def test_project_with_links_is_told_that_it_is_no_index(vault):
    (vault.home / "node").symlink_to("docs")
    with pytest.raises(IndexAccessError, match="holds other files and is no index"):
        Indexer(vault.home, root=vault.home, embedder=vault.embedder).scan(vault.home / "docs")


def test_who_trusts_everything_is_refused_a_folder_of_the_user_too(vault):
    indexer = Indexer(vault.home / "docs", root=vault.home, embedder=vault.embedder, is_trusted=True)
    with pytest.raises(IndexAccessError, match="holds other files and is no index"):
        indexer.scan(vault.home / "docs")


def test_summaries_lock_no_folder_of_the_user(vault):
    before = everything(vault.home)
    with pytest.raises(IndexAccessError, match="holds other files"), summarizer_lock(vault.home):
        pass
    assert everything(vault.home) == before


def test_server_writes_nothing_into_a_folder_of_the_user(vault):
    vault.write("server.json", '{"name": "mine"}')
    before = everything(vault.home)
    assert ServerRegistration(vault.home, Server.new("127.0.0.1", 8000, Settings())).renew()
    assert everything(vault.home) == before


# -- what is accepted --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "left",
    [
        {},
        {".gitignore": "*\n"},
        {".gitignore": ""},
        {".gitignore": "*\n", "lock": "", "summaries.lock": ""},
        {".gitignore": "*\n", "lock": "", "identity": ""},
        {"server.json": "", "server.lock": " 0123", "server-2.json": '{"host": "::1"}', "server-2.lock": ""},
        {".gitkeep": "", "lost+found/": "", ".DS_Store": "x"},
        {"store/": ""},
        {"store.new/": "", "lock": ""},
    ],
)
def test_folder_in_which_no_index_was_finished_is_taken(vault, left):
    vault.index_dir.mkdir()
    for path, text in left.items():
        if path.endswith("/"):
            (vault.index_dir / path).mkdir()
        else:
            vault.write(f".sectionary/{path}", text)
    assert vault.index().documents_added == 1
    assert is_own(vault.index_dir)


@pytest.mark.process
def test_run_goes_on_wherever_the_first_one_was_killed(vault, monkeypatch, tmp_path_factory):
    vault.write("docs/b.rst", "B\n=\n\nyak\n")
    really = {name: getattr(os, name) for name in ("open", "rename", "unlink")}
    memory, killed = tmp_path_factory.mktemp("memory"), tmp_path_factory.mktemp("killed")
    monkeypatch.setenv("SECTIONARY_CONFIG_DIR", str(memory))
    copies = []

    def watched(name):
        def call(*arguments, **options):
            with monkeypatch.context() as inner:
                for each, function in really.items():
                    inner.setattr(os, each, function)
                if vault.index_dir.is_dir():
                    copies.append(killed / str(len(copies)))
                    shutil.copytree(vault.index_dir, copies[-1] / "index")
                    shutil.copytree(memory, copies[-1] / "memory")
            return really[name](*arguments, **options)

        return call

    with monkeypatch.context() as patch:
        for name in really:
            patch.setattr(os, name, watched(name))
        vault.index(settings=Settings(convert=True))
    assert {"identity", "store.new", "store"} <= {path.name for copy in copies for path in (copy / "index").iterdir()}
    for copy in copies:
        monkeypatch.setenv("SECTIONARY_CONFIG_DIR", str(copy / "memory"))
        Indexer(copy / "index", root=vault.home, embedder=vault.embedder).index(vault.home / "docs")
        assert is_own(copy / "index")


def test_what_a_server_leaves_is_taken(vault):
    vault.index_dir.mkdir()
    server = ServerRegistration(vault.index_dir, Server.new("127.0.0.1", 8000, Settings()))
    server.renew()
    assert {path.name for path in vault.index_dir.iterdir()} == {"server.json", "server.lock"}
    assert vault.index().documents_added == 1


def test_index_that_has_lost_its_table_is_made_again(vault):
    vault.index()
    shutil.rmtree(vault.index_dir / "store" / "sections.lance")
    assert vault.index().documents_added == 1


def test_index_without_an_identity_is_still_the_one_of_somebody_else(vault):
    index_of_somebody_else(vault)
    with pytest.raises(IndexUntrustedError, match="not made by you"):
        vault.index()


def test_of_an_index_of_somebody_else_without_a_table_nothing_is_taken(vault):
    vault.write("docs/.hidden/b.md", "# B\n")
    index_of_somebody_else(vault, outer="docs", inner="docs/.hidden")
    (vault.index_dir / "roots.json").unlink()
    (vault.index_dir / "identity").write_text("0" * 32)
    shutil.rmtree(vault.index_dir / "store" / "sections.lance")
    vault.write(".sectionary/converted/x.conv", "theirs")
    assert vault.index().documents_added == 1
    assert not (vault.index_dir / "converted").exists()


def test_empty_store_counts_as_no_index(vault):
    store_dir(vault.index_dir).mkdir(parents=True)
    assert not has_store(vault.index_dir)
    claim(vault.index_dir)
    assert not has_store(vault.index_dir)


# -- readers -----------------------------------------------------------------------------------------------------------


def test_reader_does_not_make_a_deleted_index_folder_again(vault):
    vault.index()
    engine = vault.engine()
    table = SectionTable.open(store_dir(vault.index_dir))
    engine.search("zebra")
    shutil.rmtree(vault.index_dir)
    with pytest.raises(IndexNotFoundError):
        engine.search("zebra")
    for ask in (table.snapshot, table.count, lambda: table.stored(["docs/a.md"])):
        with pytest.raises(IndexDamagedError):
            ask()
    assert not vault.index_dir.exists()


def test_folder_that_goes_away_while_it_is_opened_is_not_made_again(vault, monkeypatch):
    vault.index()
    monkeypatch.setattr("schema.storage.table.check_files", lambda *_, **__: shutil.rmtree(vault.index_dir))
    with pytest.raises(IndexDamagedError):
        SectionTable.open(store_dir(vault.index_dir))
    assert not vault.index_dir.exists()
