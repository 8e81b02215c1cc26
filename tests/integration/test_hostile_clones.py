"""A folder that came from somebody else reads and sends nothing, whatever settings, index and links it brings."""

import json
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from indexer import Indexer
from schema.errors import IndexUntrustedError, ModelError
from schema.settings import load_settings
from schema.status import read_status
from schema.store import is_own
from search import SearchEngine
from tests.chat_server import ChatServer
from tests.conftest import Project, WordEmbedder

SECRET = "the-secret-text-of-another-folder"


class Listener:
    """A server on loopback that counts who comes, and what is said."""

    def __init__(self):
        self.heard = []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}/v1"
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self.heard.append(connection)
            connection.close()

    def close(self):
        self._socket.close()


@pytest.fixture
def listener():
    listener = Listener()
    yield listener
    listener.close()


@pytest.fixture
def secret(tmp_path):
    """A file of the user's, outside every clone."""
    place = tmp_path / "private" / "notes.md"
    place.parent.mkdir()
    place.write_text(f"# Private\n\n{SECRET}\n")
    return place


@pytest.fixture
def clone(tmp_path):
    project = Project(tmp_path / "clone", WordEmbedder())
    project.write("docs/a.md", "# A\n\nordinary text\n")
    return project


def wish(project, url, **more):
    """The settings file that a hostile project brings."""
    lines = [f'summaries = "llm"\nllm_base_url = "{url}"\nllm_model = "m"\ninclude = ["**"]\nhidden = true\n']
    lines += [f"{name} = {json.dumps(value)}\n" for name, value in more.items()]
    project.write("sectionary.toml", "".join(lines))


def index_of_somebody_else(project, **scopes):
    """An index that the user did not make: its ledger leads out of the folder."""
    project.index()
    with sqlite3.connect(project.index_dir / "store" / "ledger.sqlite") as ledger:
        if scopes:
            ledger.execute("insert or replace into facts values ('scopes', ?)", ("\n".join(scopes.values()),))
    (project.index_dir / "identity").unlink()


def ledger_scopes(project, *paths):
    with sqlite3.connect(project.index_dir / "store" / "ledger.sqlite") as ledger:
        ledger.execute("insert or replace into facts values ('scopes', ?)", ("\n".join(paths),))


def run(project, *arguments, module="indexer", **environment):
    return subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=project.home,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), **environment},
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def texts(project):
    """Everything that the index holds."""
    engine = SearchEngine(project.index_dir, embedder=project.embedder)
    return "\n".join(
        hit.section.content
        for word in ("secret", "text", "private")
        for hit in engine.search(word, limit=100, mode="lexical")
    )


# -- settings ----------------------------------------------------------------------------------------------------------


def test_settings_that_could_do_harm_are_left_out_and_told(clone, listener):
    wish(clone, listener.url, dense_weight=0.25, model="org/name", reranker="org/other")
    told = []
    settings = load_settings(clone.home, environ={}, on_left_out=lambda project, names: told.append((project.path, names)))
    assert (settings.summaries, settings.llm_base_url, settings.hidden, settings.model, settings.reranker) == (
        "none",
        "",
        False,
        "all-MiniLM-L6-v2",
        "",
    )
    assert settings.include == ("**/*.md", "**/*.markdown")
    assert settings.dense_weight == 0.25
    names = ["hidden", "include", "llm_base_url", "llm_model", "model", "reranker", "summaries"]
    assert told == [(str(clone.home / "sectionary.toml"), names)]


@pytest.mark.parametrize(
    ("name", "value", "is_free"),
    [
        ("include", ["docs/**/*.md", "!drafts/*.md", "*.TXT"], True),
        ("include", ["**"], False),
        ("include", ["**/*.md", ".env"], False),
        ("exclude", ["drafts/"], True),
        ("hidden", True, False),
        ("hidden", False, True),
        ("gitignore", False, False),
        ("summaries", "extractive", True),
        ("summaries", "llm", False),
        ("max_file_bytes", 1000, True),
        ("max_file_bytes", 10_000_001, False),
        ("batch_tokens", 1 << 20, False),
        ("model", "all-MiniLM-L6-v2", True),
        ("model", "./model", False),
        ("reranker", "x/y", False),
        ("document_prompt", "passage: ", False),
        ("llm_base_url", "http://127.0.0.1:1/v1", False),
        ("token_encoding", "o200k_base", True),
        ("dense_weight", 0.1, True),
    ],
)
def test_a_projects_file_sets_only_what_can_hurt_nobody(tmp_path, name, value, is_free):
    (tmp_path / "sectionary.toml").write_text(f"{name} = {json.dumps(value)}\n")
    settings = load_settings(tmp_path, environ={}, on_left_out=lambda *_: None)
    wanted = tuple(value) if isinstance(value, list) else value
    assert (getattr(settings, name) == wanted) == is_free


def test_what_the_user_allowed_is_asked_again_when_it_changes(tmp_path):
    from schema.settings import read_project_file

    place = tmp_path / "sectionary.toml"
    place.write_text('model = "one"\ndense_weight = 0.1\n')
    assert read_project_file(tmp_path).allow()
    assert load_settings(tmp_path, environ={}).model == "one"
    place.write_text('model = "one"\ndense_weight = 0.2\n')
    assert load_settings(tmp_path, environ={}).model == "one"
    place.write_text('model = "two"\n')
    assert load_settings(tmp_path, environ={}).model == "all-MiniLM-L6-v2"


def test_what_was_allowed_for_one_folder_is_not_allowed_for_its_copy(tmp_path):
    from schema.settings import read_project_file

    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "sectionary.toml").write_text('model = "one"\n')
    read_project_file(tmp_path / "one").allow()
    shutil.copytree(tmp_path / "one", tmp_path / "two")
    assert load_settings(tmp_path / "two", environ={}).model == "all-MiniLM-L6-v2"


def test_the_users_own_file_sets_anything(tmp_path, monkeypatch):
    monkeypatch.setenv("SECTIONARY_CONFIG_DIR", str(tmp_path / "config"))
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "settings.toml").write_text('model = "mine"\nkeep_warm = 5\ndense_weight = 0.3\n')
    (tmp_path / "sectionary.toml").write_text("dense_weight = 0.4\n")
    settings = load_settings(tmp_path, environ={})
    assert (settings.model, settings.keep_warm, settings.dense_weight) == ("mine", 5, 0.4)


def test_the_environment_takes_the_projects_file_as_the_users_own(tmp_path):
    (tmp_path / "sectionary.toml").write_text('model = "theirs"\n')
    assert load_settings(tmp_path, environ={"SECTIONARY_TRUST": "1"}).model == "theirs"
    assert load_settings(tmp_path, environ={"SECTIONARY_TRUST": "0"}).model == "all-MiniLM-L6-v2"


@pytest.mark.slow
def test_a_plain_run_over_a_clone_says_what_it_leaves_out_and_sends_nothing(clone, listener, secret):
    wish(clone, listener.url, model="somebody/model", reranker="somebody/reranker")
    clone.write(".hidden/b.md", f"# B\n\n{SECRET}\n")
    clone.write("key.pem", SECRET)
    done = run(clone, "docs", OPENAI_API_KEY="k", SECTIONARY_LLM_API_KEY="k", HF_ENDPOINT=listener.url.removesuffix("/v1"))
    assert done.returncode == 0, done.stderr
    assert "hidden, include, llm_base_url, llm_model, model, reranker and summaries in" in done.stderr
    assert "run `index trust`" in done.stderr
    found = run(clone, "text", module="search", HF_ENDPOINT=listener.url.removesuffix("/v1"))
    assert "docs/a.md" in found.stdout
    assert listener.heard == []


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
        ledger_scopes(clone, scope)
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
    ledger = clone.index_dir / "store" / "ledger.sqlite"
    ledger.unlink()
    ledger.symlink_to(foreign)
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
    ledger = clone.index_dir / "store" / "ledger.sqlite"
    ledger.unlink()
    os.mkfifo(ledger)
    with pytest.raises(IndexUntrustedError, match="no plain file"):
        clone.index()


def _everything(folder, *, but):
    return {
        str(place): place.read_bytes() if place.is_file() else b""
        for place in sorted(folder.rglob("*"))
        if not place.is_relative_to(but)
    }


# -- models ------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pytorch_model.bin", "2_Dense/pytorch_model.bin", "x.pkl"])
def test_weights_that_are_read_by_pickle_are_refused(tmp_path, name):
    from indexer.embedder import refuse_pickles

    place = tmp_path / "model" / name
    place.parent.mkdir(parents=True)
    place.write_bytes(b"cos\nsystem\n")
    with pytest.raises(ModelError, match="which can run code"):
        refuse_pickles(tmp_path / "model")


def test_a_models_server_gets_nothing_of_the_environment(monkeypatch):
    pytest.importorskip("openai")
    from indexer.llm.client import OpenAIChatClient

    monkeypatch.setenv("OPENAI_ORG_ID", "my-organisation")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "my-project")
    monkeypatch.setenv("OPENAI_ADMIN_KEY", "my-admin-key")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Mine: my-header\nAuthorization: Bearer my-key")
    with ChatServer([{"text": "yes"}]) as server:
        OpenAIChatClient(base_url=server.url, model="m", api_key="theirs").chat([{"role": "user", "content": "x"}])
        headers = server.requests[0]["headers"]
    assert headers["authorization"] == "Bearer theirs"
    assert "my-" not in json.dumps(headers)


# -- the question at the terminal --------------------------------------------------------------------------------------


def at_a_terminal(project, *arguments, answer):
    """What the command `index` says to a person at a terminal who answers every question so."""
    import pty

    leader, follower = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "TERM": "dumb", "COLUMNS": "200"}
    command = [sys.executable, "-m", "indexer", *arguments]
    process = subprocess.Popen(
        command, cwd=project.home, env=environment, stdin=follower, stdout=follower, stderr=follower, start_new_session=True
    )
    os.close(follower)
    said = b""
    while True:
        try:
            some = os.read(leader, 4096)
        except OSError:
            break
        if not some:
            break
        said += some
        if some.rstrip().endswith(b"[y/N]:"):
            os.write(leader, f"{answer}\n".encode())
    process.wait(60)
    os.close(leader)
    return said.decode()


@pytest.mark.slow
@pytest.mark.parametrize(("answer", "asks_again"), [("y", False), ("n", True)])
def test_a_person_is_asked_once_about_the_settings_of_a_folder(clone, answer, asks_again):
    clone.write("sectionary.toml", 'document_prompt = "passage: "\n')
    said = at_a_terminal(clone, "scan", "docs", answer=answer)
    assert "document_prompt = 'passage: '" in said
    assert f"Allow these settings of {clone.home / 'sectionary.toml'}? [y/N]" in said
    assert ("Allow these" in at_a_terminal(clone, "scan", "docs", answer=answer)) == asks_again


@pytest.mark.slow
def test_a_person_is_asked_before_an_index_of_somebody_else_is_continued(clone):
    run(clone, "scan", "docs")
    (clone.index_dir / "identity").unlink()
    clone.write("docs/b.md", "# B\n\nmore\n")
    refused = at_a_terminal(clone, "scan", "docs", answer="n")
    assert "was not made by you on this machine" in refused
    assert not is_own(clone.index_dir)
    at_a_terminal(clone, "scan", "docs", answer="y")
    assert is_own(clone.index_dir)
