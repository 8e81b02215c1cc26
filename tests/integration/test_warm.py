"""`search` beside a running server of its index: it asks that one, believes only the right one, and otherwise answers itself."""

import contextlib
import json
import os
import re
import shutil
import socket
import stat
import subprocess
import sys
import threading
from dataclasses import replace
from types import SimpleNamespace

import pytest

from search.answers.local_server import NoServerError, Server, ServerRegistration, find_server, is_served
from search.answers.service import SearchService
from search.server.http import create_app
from search.server.run import Named
from search.server.security import Access
from tests.conftest import GUIDE, word_settings
from tests.http_site import site_of


@pytest.fixture
def guide(project, copied, monkeypatch):
    monkeypatch.chdir(project.home)
    return copied(odd_guide, project)


def odd_guide(project):
    project.write("docs/guide.md", GUIDE)
    project.write("docs/odd.md", "# Odd \x1b[31m\u202e\n\nQuoted 'quinces' & \"pears\" 100%.\n")
    project.index()


@pytest.fixture
def run(guide, search_command):
    return search_command


@pytest.fixture
def alone(monkeypatch, embedder):
    """Lets this process answer by itself."""
    monkeypatch.setattr("search.engine.embedder_of", lambda _settings: embedder)


@contextlib.contextmanager
def serving(project, *, settings=None, token="", **changes):
    """A server of the index, made known; nothing else in this process may open the index."""
    settings = settings or word_settings()
    answers = SearchService(project.index_dir, settings=settings, embedder=project.embedder)
    server = Server.new("127.0.0.1", 0, settings)
    with site_of(Named(create_app(answers, access=Access(token=token)), changes.get("name", server.instance))) as site:
        registration = ServerRegistration(project.index_dir, replace(server, port=site.port))
        assert registration.renew()
        try:
            yield registration
        finally:
            registration.withdraw()


@contextlib.contextmanager
def never_itself(monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("search.answers.service.SearchService", lambda *_, **__: pytest.fail("it opened the index itself"))
        yield


@pytest.mark.parametrize(
    "args",
    [
        ["--json", "linux penguins"],
        ["--jsonl", "-n", "3", "apples and pears"],
        ["--explain", "--mode", "lexical", "crank"],
        ["--full", "--depth", "2", "--depth", "3", "--tag", "api", "apples"],
        ["--path", "docs/g*", "--field", "title=The Guide", "--language", "en", "--since", "1d", "--clean", "widget"],
        ["--offset", "1", "apples"],
        ["quoted 'quinces' & \"pears\" 100%"],
        ["context", "--max-tokens", "120", "--json", "apples"],
        ["context", "linux"],
        ["outline", "docs/guide.md"],
        ["outline", "--json", "./docs/odd.md"],
        ["--exit-status", "--path", "nowhere/", "apples"],
        ["outline", "docs/none.md"],
        ["section", "0" * 24],
    ],
)
def test_the_server_answers_as_this_process_would(guide, run, alone, monkeypatch, args):
    def without_time(answer):
        return answer[0], re.sub(r'"took_ms": [0-9.]+', "", answer[1]), answer[2]

    alone_said = without_time(run(*args))
    with serving(guide), never_itself(monkeypatch):
        assert without_time(run(*args)) == alone_said


@pytest.mark.parametrize("identity", ["0 HTTP/1.0\r\nHost: evil\r\n\r\n", "../documents", "\ud800?x=1#", "none"])
def test_an_id_cannot_become_another_question(guide, run, alone, identity):
    said = run("section", identity)
    assert said[0] == 2
    with serving(guide):
        assert run("section", identity) == said


def test_a_section_is_asked_for_by_its_id(guide, run, monkeypatch):
    with serving(guide), never_itself(monkeypatch):
        hit = json.loads(run("--json", "penguins")[1])["results"][0]
        assert json.loads(run("section", hit["id"], "--json")[1])["content"] == hit["content"]
        assert "Penguins need a special crank." in run("section", hit["id"])[1]


def test_no_server_forbids_it(guide, run, monkeypatch):
    asked = []
    monkeypatch.setattr("search.answers.client.find_server", lambda *_: asked.append(1))
    monkeypatch.setattr("search.engine.embedder_of", lambda _settings: guide.embedder)
    assert run("--no-server", "penguins")[0] == 0
    assert asked == []


def test_the_file_is_for_its_owner_alone(guide):
    with serving(guide):
        assert stat.S_IMODE(os.stat(guide.index_dir / "server.json").st_mode) == 0o600


def test_a_server_that_withdrew_is_not_found(guide):
    with serving(guide):
        assert find_server(guide.index_dir, word_settings()) is not None
    assert find_server(guide.index_dir, word_settings()) is None
    assert not (guide.index_dir / "server.json").exists()


def test_a_file_left_behind_by_a_dead_server_is_not_believed(guide):
    with serving(guide):
        left = (guide.index_dir / "server.json").read_bytes()
    (guide.index_dir / "server.json").write_bytes(left)
    assert find_server(guide.index_dir, word_settings()) is None


def test_a_copied_index_does_not_lead_to_the_server_of_the_original(guide, tmp_path_factory):
    with serving(guide):
        copy = tmp_path_factory.mktemp("copy") / ".sectionary"
        shutil.copytree(guide.index_dir, copy)
        assert find_server(copy, word_settings()) is None


@pytest.mark.parametrize(
    "change", [{"model": "other"}, {"dense_weight": 0.1}, {"reranker": "x"}, {"token_encoding": "o200k_base"}]
)
def test_a_server_with_other_settings_is_not_asked(guide, change):
    with serving(guide):
        assert find_server(guide.index_dir, word_settings(**change)) is None


def test_a_file_put_in_the_place_of_the_servers_own_gets_no_query(guide, run, alone, monkeypatch):
    monkeypatch.setenv("SECTIONARY_SERVER_TOKEN", "a-token-of-some-length")
    with socket.create_server(("127.0.0.1", 0)) as listener, serving(guide) as registration:
        listener.setblocking(False)
        place = guide.index_dir / "server.json"
        own = place.read_bytes()
        put_in_place(place, json.dumps({**json.loads(own), "port": listener.getsockname()[1]}).encode())
        assert run("penguins")[0] == 0
        with pytest.raises(BlockingIOError):
            listener.accept()
        assert registration.renew()
        assert place.read_bytes() == own
        assert find_server(guide.index_dir, word_settings()) is not None


def test_a_lock_put_in_the_place_of_the_servers_own_is_not_believed(guide):
    with serving(guide) as registration:
        lock = guide.index_dir / "server.lock"
        put_in_place(lock, lock.read_bytes())
        assert find_server(guide.index_dir, word_settings()) is None
        assert registration.renew()
        assert find_server(guide.index_dir, word_settings()) is not None


def test_other_processes_that_try_the_lock_leave_the_digest_in_it(guide):
    with serving(guide):
        first = find_server(guide.index_dir, word_settings())
        another = ServerRegistration(guide.index_dir, Server.new("127.0.0.1", 1, word_settings()))
        assert another.renew()
        assert is_served(guide.index_dir)
        assert find_server(guide.index_dir, word_settings()) == first
        another.withdraw()


def put_in_place(place, content):
    """Replace a file as git does, by a new one."""
    place.unlink()
    place.write_bytes(content)
    place.chmod(0o644)


def test_settings_that_change_no_answer_do_not_matter(guide):
    with serving(guide):
        assert find_server(guide.index_dir, word_settings(llm_model="x", keep_warm=5)) is not None


@pytest.mark.parametrize(
    "change",
    [
        {"version": "0.0.9"},
        {"host": "192.0.2.1"},
        {"host": "example.com"},
        {"port": 0},
        {"port": "80"},
        {"port": 70000},
        {"extra": 1},
        {"host": None},
    ],
)
def test_a_strange_file_leads_nowhere(guide, change):
    with serving(guide):
        place = guide.index_dir / "server.json"
        place.write_text(json.dumps({**json.loads(place.read_text()), **change}))
        assert find_server(guide.index_dir, word_settings()) is None


@pytest.mark.parametrize("text", ["", "[]", "null", "{", "[" * 9000, "x" * 20_000])
def test_a_broken_file_leads_nowhere(guide, text):
    with serving(guide):
        (guide.index_dir / "server.json").write_text(text)
        assert find_server(guide.index_dir, word_settings()) is None


def test_another_server_on_the_port_is_not_believed(guide, run, alone):
    with serving(guide, name="another"):
        server = find_server(guide.index_dir, word_settings())
        with pytest.raises(NoServerError):
            server.ask("/healthz", [])
        assert run("penguins")[0] == 0


def test_a_server_that_hangs_up_is_stood_in_for(guide, run, alone):
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def hang_up():
            with contextlib.suppress(OSError):
                listener.accept()[0].close()

        threading.Thread(target=hang_up, daemon=True).start()
        registration = ServerRegistration(
            guide.index_dir, Server.new("127.0.0.1", listener.getsockname()[1], word_settings())
        )
        registration.renew()
        try:
            assert run("penguins")[0] == 0
        finally:
            registration.withdraw()


def test_the_token_is_sent_from_the_environment(guide, run, monkeypatch):
    token = "a-token-of-some-length"
    monkeypatch.setenv("SECTIONARY_SERVER_TOKEN", token)
    with serving(guide, token=token), never_itself(monkeypatch):
        assert run("penguins")[0] == 0


def test_without_its_token_this_process_answers(guide, run, alone):
    with serving(guide, token="a-token-of-some-length"):
        assert run("penguins")[0] == 0


def test_more_than_the_server_gives_is_answered_here(guide, run, alone):
    with serving(guide):
        assert len(json.loads(run("--json", "-n", "500", "the")[1])["results"]) > 0


def test_a_server_makes_itself_known_again_after_its_index_was_made_again(guide):
    with serving(guide) as registration:
        shutil.rmtree(guide.index_dir)
        assert registration.renew()
        assert not guide.index_dir.exists()
        guide.index()
        assert registration.renew()
        assert find_server(guide.index_dir, word_settings()) is not None


def test_a_folder_that_cannot_be_written_keeps_the_server_silent(guide, monkeypatch):
    def deny(*_args, **_options):
        raise PermissionError

    monkeypatch.setattr("search.answers.local_server.os.open", deny)
    registration = ServerRegistration(guide.index_dir, Server.new("127.0.0.1", 1, word_settings()))
    assert registration.renew()
    assert not (guide.index_dir / "server.json").exists()
    registration.withdraw()


@pytest.mark.process
def test_a_warm_question_imports_nothing_heavy(guide, run, monkeypatch):
    code = (
        "import sys; sys.argv = ['search', '--quiet', 'penguins']\n"
        "from search.cli import main\nmain()\n"
        "print(sorted(sys.modules), file=sys.stderr)"
    )
    with serving(guide):
        told = subprocess.run([sys.executable, "-c", code], cwd=guide.home, capture_output=True, text=True, check=True)
    assert "Penguins" in told.stdout
    loaded = {part for name in json.loads(told.stderr.replace("'", '"')) for part in (name, name.split(".")[0])}
    heavy = "lancedb pyarrow numpy torch onnxruntime tokenizers rich filelock pydantic schema.reports"
    assert not loaded & set(heavy.split())


def test_a_wanted_server_is_left_behind_and_only_then(guide, run, alone, monkeypatch):
    started = []
    monkeypatch.setattr("subprocess.Popen", lambda command, **_: started.append(command))
    run("penguins")
    assert started == []
    monkeypatch.setenv("SECTIONARY_KEEP_WARM", "60")
    run("--no-server", "penguins")
    assert started == []
    run("penguins")
    assert started[0][-2:] == ["--idle", "60"]
    with serving(guide):
        run("penguins")
    assert len(started) == 1


@pytest.mark.process
def test_a_module_in_the_working_folder_is_not_imported(guide, run, alone, monkeypatch):
    (guide.home / "search").mkdir()
    (guide.home / "search" / "__main__.py").write_text("open('came-alive', 'w')\n")
    (guide.home / "click.py").write_text("open('came-alive', 'w')\n")
    started = []
    with monkeypatch.context() as patch:
        patch.setattr("subprocess.Popen", lambda command, **_: started.append(command))
        patch.setenv("SECTIONARY_KEEP_WARM", "60")
        run("penguins")
    command = [part if part != "serve" else "--help" for part in started[0][: started[0].index("serve") + 1]]
    told = subprocess.run(
        command, cwd=guide.home, capture_output=True, text=True, check=True, env={"PATH": os.environ["PATH"]}
    )
    assert "Find the sections that answer QUERY" in told.stdout
    assert not (guide.home / "came-alive").exists()


@pytest.mark.parametrize("name", ["server.json", "server.lock"])
@pytest.mark.parametrize("mode", [0o666, 0o620])
def test_files_that_others_could_have_written_are_not_believed(guide, name, mode):
    with serving(guide):
        (guide.index_dir / name).chmod(mode)
        assert find_server(guide.index_dir, word_settings()) is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_what_is_no_plain_file_is_not_read(guide):
    with serving(guide):
        place = guide.index_dir / "server.json"
        place.rename(guide.index_dir / "elsewhere.json")
        place.symlink_to(guide.index_dir / "elsewhere.json")
        assert find_server(guide.index_dir, word_settings()) is None
        place.unlink()
        os.mkfifo(place)
        assert find_server(guide.index_dir, word_settings()) is None


def test_another_thread_makes_the_server_known_again_and_withdraws_it(guide):
    with serving(guide) as registration:
        (guide.index_dir / "server.json").unlink()
        told = []
        thread = threading.Thread(target=lambda: told.append(registration.renew()))
        thread.start()
        thread.join()
        assert told == [True]
        assert find_server(guide.index_dir, word_settings()) is not None
    assert not (guide.index_dir / "server.json").exists()


def test_a_reader_that_looks_at_the_lock_is_no_other_server(guide):
    import fcntl

    (guide.index_dir / "server.lock").touch(0o600)
    with open(guide.index_dir / "server.lock") as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)
        threading.Timer(0.1, lambda: fcntl.flock(lock, fcntl.LOCK_UN)).start()
        registration = ServerRegistration(guide.index_dir, Server.new("127.0.0.1", 1, word_settings()))
        assert registration.renew()
        registration.withdraw()


def test_no_server_is_left_behind_where_one_runs_that_was_not_asked(guide, run, alone, monkeypatch):
    monkeypatch.setenv("SECTIONARY_KEEP_WARM", "60")
    with serving(guide, settings=word_settings(dense_weight=0.1)), monkeypatch.context() as patch:
        patch.setattr("subprocess.Popen", lambda *_, **__: pytest.fail("a server was started"))
        assert run("penguins")[0] == 0


def test_a_server_goes_on_where_nothing_can_be_loaded_yet(caplog):
    from search.server.run import prepare

    def fail():
        raise RuntimeError("no memory")

    prepare(SimpleNamespace(prepare=fail))
    assert "could not be loaded" in caplog.text
