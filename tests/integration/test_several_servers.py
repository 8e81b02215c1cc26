"""Several servers of one index: all are found, one that is gone is passed over, and each stops without losing an answer."""

import contextlib
import errno
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from schema.kept import kept_settings
from schema.settings import Settings
from search.answers import local_server
from search.answers.local_server import MOST_KNOWN, Server, ServerRegistration, find_server, find_servers, is_served
from search.answers.service import SearchService
from search.server.http import create_app
from search.server.readiness import Readiness
from search.server.run import Named
from search.server.security import Access
from tests.conftest import GUIDE, Project, word_settings
from tests.http_site import Site, site_of
from tests.served import FakeEmbedder, served, until

TOKEN = "a-token-of-some-length"
LESS = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []


@pytest.fixture
def guide(project, monkeypatch):
    project.write("docs/guide.md", GUIDE)
    project.index()
    monkeypatch.chdir(project.home)
    return project


def known(project, port, *, settings=None):
    """Make a server at a port known."""
    registration = ServerRegistration(project.index_dir, Server.new("127.0.0.1", port, settings or word_settings()))
    assert registration.renew()
    return registration


def die(project, registration):
    """Leave what the first server leaves when it is killed: its file, and a lock that nobody holds."""
    file = project.index_dir / "server.json"
    written = file.read_bytes()
    registration.withdraw()
    file.touch(0o600)
    file.write_bytes(written)


def ports(project):
    return [server.port for server in find_servers(project.index_dir, Settings(**kept_settings(project.index_dir)))]


def test_every_server_of_an_index_is_found_the_first_one_first(guide):
    registrations = [known(guide, port) for port in (11, 12, 13)]
    assert ports(guide) == [11, 12, 13]
    registrations[0].withdraw()
    assert ports(guide) == [12, 13]
    for registration in registrations:
        registration.withdraw()
    assert (ports(guide), is_served(guide.index_dir)) == ([], False)
    assert not list(guide.index_dir.glob("server*.json"))


def test_a_killed_server_is_passed_over_and_the_next_one_takes_its_place(guide):
    first, second = known(guide, 11), known(guide, 12)
    die(guide, first)
    assert ports(guide) == [12]
    third = known(guide, 13)
    assert ports(guide) == [13, 12]
    second.withdraw()
    third.withdraw()


def test_servers_with_other_settings_do_not_hide_one_with_the_same(guide):
    other, same = known(guide, 11, settings=word_settings(dense_weight=0.1)), known(guide, 12)
    assert ports(guide) == [12]
    other.withdraw()
    same.withdraw()


def test_one_server_more_than_a_folder_can_name_is_not_known_and_takes_the_first_place_that_is_free(guide):
    registrations = [known(guide, port) for port in range(1, MOST_KNOWN + 1)]
    late = ServerRegistration(guide.index_dir, Server.new("127.0.0.1", 99, word_settings()))
    assert not late.renew()
    assert 99 not in ports(guide)
    registrations[4].withdraw()
    assert late.renew()
    assert ports(guide)[4] == 99
    for registration in (*registrations, late):
        registration.withdraw()


def test_a_server_that_withdrew_does_not_come_back_by_its_upkeep(guide):
    registration = known(guide, 11)
    registration.withdraw()
    assert registration.renew()
    assert ports(guide) == []


def test_a_server_of_another_machine_that_mounts_the_folder_is_not_asked(guide, monkeypatch):
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(local_server, "this_machine", lambda: "another")
        registration = known(guide, 11)
    assert find_server(guide.index_dir, word_settings()) is None
    assert is_served(guide.index_dir)
    registration.withdraw()


@contextlib.contextmanager
def without_locks(monkeypatch):
    """Files cannot be locked any more, as on some network file systems."""

    def refuse(*_):
        raise OSError(errno.ENOSYS, "Function not implemented")

    with monkeypatch.context() as patch:
        patch.setattr("fcntl.flock", refuse)
        yield


def test_a_file_system_without_locks_keeps_the_server_silent(guide, monkeypatch, caplog):
    registration = ServerRegistration(guide.index_dir, Server.new("127.0.0.1", 1, word_settings()))
    with without_locks(monkeypatch), caplog.at_level("INFO"):
        assert registration.renew()
        assert registration.renew()
    assert caplog.text.count("cannot make itself known") == 1
    assert not (guide.index_dir / "server.json").exists()


def test_where_nothing_can_be_locked_no_server_is_believed(guide, monkeypatch):
    registration = known(guide, 11)
    with without_locks(monkeypatch):
        assert (ports(guide), is_served(guide.index_dir)) == ([], False)
    assert ports(guide) == [11]
    registration.withdraw()


@contextlib.contextmanager
def second_server(project, first_port):
    """A server that answers, known as the second one; the first is at this port. Yields the first and what was asked."""
    answers = SearchService(project.index_dir, settings=word_settings(), embedder=project.embedder)
    inner, asked = create_app(answers, access=Access()), []

    async def app(scope, receive, send):
        if scope["type"] == "http":
            asked.append(scope["path"])
        await inner(scope, receive, send)

    server = Server.new("127.0.0.1", 0, word_settings())
    with site_of(Named(app, server.instance)) as site:
        first = known(project, first_port)
        instance = find_server(project.index_dir, word_settings()).instance
        second = ServerRegistration(project.index_dir, replace(server, port=site.port))
        assert second.renew()
        try:
            yield instance, asked
        finally:
            first.withdraw()
            second.withdraw()


def test_a_question_goes_on_to_the_next_server_where_one_hangs_up(guide, search_command, monkeypatch):
    monkeypatch.setattr("search.answers.service.SearchService", lambda *_, **__: pytest.fail("it opened the index itself"))
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def hang_up():
            with contextlib.suppress(OSError):
                listener.accept()[0].close()

        threading.Thread(target=hang_up, daemon=True).start()
        with second_server(guide, listener.getsockname()[1]):
            assert "Penguins" in search_command("penguins")[1]


def test_a_question_that_a_server_is_stuck_with_is_asked_of_no_other_one(guide, search_command, monkeypatch):
    monkeypatch.setattr("search.engine.embedder_of", lambda _settings: guide.embedder)
    monkeypatch.setattr(local_server, "ANSWER_TIMEOUT", 0.1)
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,  # connections to it are made, and nobody reads
        second_server(guide, listener.getsockname()[1]) as (_, asked),
    ):
        assert "Penguins" in search_command("penguins")[1]
        assert asked == []


@pytest.mark.parametrize(("status", "is_next_asked"), [(503, True), (504, False), (500, False)])
def test_only_where_a_server_refused_is_the_next_one_asked(guide, search_command, monkeypatch, status, is_next_asked):
    monkeypatch.setattr("search.engine.embedder_of", lambda _settings: guide.embedder)
    body = json.dumps({"error": {"kind": "some", "code": "some", "message": "No."}}).encode()
    names = []

    async def refuse(scope, receive, send):
        headers = [(b"sectionary-instance", names[0].encode()), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    with site_of(refuse) as site, second_server(guide, site.port) as (name, asked):
        names.append(name)
        assert "Penguins" in search_command("penguins")[1]
        assert bool(asked) == is_next_asked


# -- health ----------------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def site_with(project, readiness=None):
    answers = SearchService(project.index_dir, settings=word_settings(), embedder=project.embedder)
    readiness = readiness or Readiness(answers.prepare)
    with site_of(create_app(answers, access=Access(token=TOKEN), readiness=readiness)) as site:
        yield site, readiness


def test_a_balancer_needs_no_token_for_the_health_and_learns_no_path(project):
    with site_with(project) as (site, _):
        missing = site.get("/readyz")
        assert (missing.status, missing.code, missing.headers["retry-after"]) == (503, "index_missing", "5")
        assert str(project.home) not in missing.message
        assert site.get("/healthz").json == {"status": "ok"}
        project.write("docs/guide.md", GUIDE)
        project.index()
        assert (site.get("/readyz").status, site.get("/readyz").json) == (200, {"status": "ready"})


def test_while_it_drains_a_server_is_alive_and_answers_but_is_not_ready(guide):
    with site_with(guide) as (site, readiness):
        assert site.get("/readyz").status == 200
        readiness.is_stopping = True
        refused = site.get("/readyz")
        assert (refused.status, refused.code, refused.headers["retry-after"]) == (503, "stopping", "1")
        assert site.get("/healthz").status == 200
        assert site.get("/api/documents", headers={"Authorization": f"Bearer {TOKEN}"}).status == 200


# -- processes ---------------------------------------------------------------------------------------------------------------


def guide_in(home):
    project = Project(home, FakeEmbedder())
    project.write("docs/guide.md", GUIDE)
    project.index()
    return project


def asked(site, words):
    return site.get(f"/api/search?q={words}&mode=lexical")


@pytest.mark.slow
@pytest.mark.process
def test_of_two_servers_one_drains_and_the_other_is_asked_on(tmp_path):
    project = guide_in(tmp_path)
    with served(project, "--drain", "3") as (process, site), served(project) as (_, other):
        until(lambda: len(ports(project)) == 2)
        assert asked(site, "penguins").status == 200
        process.send_signal(signal.SIGTERM)
        told = time.monotonic()
        until(lambda: "stopping" in site.get("/readyz").body.decode())
        answer = asked(site, "penguins")
        assert (answer.status, answer.headers["connection"]) == (200, "close")
        until(lambda: ports(project) == [other.port], seconds=3)
        assert asked(site, "apples").status == 200
        assert process.wait(30) == 0
        assert 3 <= time.monotonic() - told < 15
        assert asked(other, "penguins").json["results"]


@pytest.mark.process
@pytest.mark.skipif(bool(LESS) and shutil.which("setpriv") is None, reason="nothing is denied to root")
def test_an_index_folder_that_cannot_be_written_is_served_by_two_and_left_as_it_was(tmp_path):
    project = guide_in(tmp_path)

    def contents():
        return {path: path.read_bytes() for path in sorted(project.index_dir.rglob("*")) if path.is_file()}

    before = contents()
    everything = [project.index_dir, *project.index_dir.rglob("*")]
    rights = [(path, path.stat().st_mode) for path in everything]
    command = [*LESS, sys.executable, "-P", "-m", "search", "serve", "--index", str(project.index_dir), "--port"]
    with contextlib.ExitStack() as stack:
        stack.callback(lambda: [path.chmod(mode) for path, mode in rights])
        for path, mode in rights:
            path.chmod(mode & ~0o222)
        for _ in range(2):
            with socket.create_server(("127.0.0.1", 0)) as free:
                port = free.getsockname()[1]
            process = stack.enter_context(
                subprocess.Popen([*command, str(port)], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
            )
            stack.callback(process.kill)
            assert "Serving" in process.stderr.readline()
            site = Site(port)
            assert asked(site, "penguins").json["results"][0]["document_path"] == "docs/guide.md"
            assert site.get("/api/status").json["sections"] > 0
        process.send_signal(signal.SIGTERM)
        assert (process.wait(30), "Traceback" in process.stderr.read()) == (0, False)
    assert contents() == before
    assert not (Path(project.index_dir) / "server.json").exists()
