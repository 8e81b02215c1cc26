"""What an operator asks a server for: counts, logs, and searches from the pages of another site; over real HTTP."""

import json
import os
import subprocess
import sys

import pytest

from indexer.cli import watch
from schema.logs import use_format
from schema.settings import Settings
from search.answers.service import SearchService
from search.server.application import full_application
from search.server.meter import Meter
from search.server.security import Access
from search.server.watcher import watch_command
from tests.conftest import GUIDE, Project
from tests.http_site import site_of
from tests.served import FakeEmbedder, served

TOKEN = "a-token-of-some-length"
DOCS = "https://docs.example.org"
SHARED = {"access-control-allow-origin", "access-control-allow-methods", "access-control-allow-headers"}


def site_with(project, *, has_metrics=False, **access):
    answers = SearchService(project.index_dir, settings=Settings(), embedder=project.embedder)
    return site_of(full_application(answers, Access(**access), Meter(is_served=has_metrics)))


@pytest.fixture(scope="module")
def metered(orchard):
    with site_with(orchard, has_metrics=True, token=TOKEN) as site:
        yield site


@pytest.fixture(scope="module")
def shared(orchard):
    with site_with(orchard, origins=frozenset({DOCS})) as site:
        yield site


@pytest.fixture(scope="module")
def guarded(orchard):
    with site_with(orchard, origins=frozenset({DOCS}), token=TOKEN) as site:
        yield site


# -- counts ------------------------------------------------------------------------------------------------------------


def test_metrics_count_what_was_asked_and_never_say_what(metered):
    known = {"Authorization": f"Bearer {TOKEN}"}
    metered.get("/api/search?q=unspeakable+apples", headers=known)
    metered.get("/api/search?q=unspeakable")
    metered.get("/unspeakable")
    reply = metered.get("/metrics", headers=known)
    text = reply.body.decode()
    assert (reply.status, reply.headers["content-type"]) == (200, "text/plain; version=0.0.4; charset=utf-8")
    lines = text.splitlines()
    for line in (
        'sectionary_requests_total{route="/api/search",status="200"} 1',
        'sectionary_requests_total{route="/api/search",status="401"} 1',
        'sectionary_requests_total{route="other",status="401"} 1',
        "sectionary_search_seconds_count 1",
        "sectionary_sections 8",
        "sectionary_documents 2",
        "sectionary_dirty_sections 0",
        "sectionary_index_up 1",
    ):
        assert line in lines
    assert not {"unspeakable", "guide", str(metered.port)} & set(text.replace("/", " ").split())


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer wrong"}])
def test_metrics_want_the_token(metered, headers):
    assert metered.get("/metrics", headers=headers).status == 401


def test_metrics_are_answered_to_no_page_of_another_site(metered):
    headers = {"Authorization": f"Bearer {TOKEN}", "Origin": DOCS}
    assert metered.get("/metrics", headers=headers).status == 403


def test_metrics_are_off_unless_they_are_wanted(site):
    assert site.get("/metrics").status == 404


def test_metrics_without_an_index_say_so(project):
    with site_with(project, has_metrics=True) as site:
        reply = site.get("/metrics")
        assert reply.status == 200
        assert "sectionary_index_up 0" in reply.body.decode().splitlines()


def test_metrics_whose_index_cannot_be_read_for_any_reason_say_so(project, monkeypatch):
    def fail(_index_dir):
        raise RuntimeError("nobody thought of this")

    monkeypatch.setattr("search.server.meter.read_status", fail)
    with site_with(project, has_metrics=True) as site:
        for _ in range(2):
            reply = site.get("/metrics")
            assert reply.status == 200
            assert "sectionary_index_up 0" in reply.body.decode().splitlines()


def test_requests_are_logged_by_their_route_alone(shared, capsys):
    use_format("json")
    try:
        shared.get("/api/search?q=unspeakable+apples")
        shared.get("/unspeakable")
        text = capsys.readouterr().err
    finally:
        use_format("text")
    told = [json.loads(line) for line in text.splitlines()]
    assert [(line["event"], line["route"], line["status"]) for line in told] == [
        ("request", "/api/search", 200), ("request", "other", 404)
    ]  # fmt: skip
    assert "unspeakable" not in text


def test_every_message_of_a_watching_indexer_is_a_line_of_json(manual, capfd):
    from indexer.cli import again_and_again
    from indexer.daemon.schedule import StopSignals

    use_format("json")
    try:
        again_and_again([None, None], manual.indexer(), StopSignals(), (manual.home / "docs",), as_json=False, quiet=True)
        told = [json.loads(line) for line in capfd.readouterr().err.splitlines()]
    finally:
        use_format("text")
    [run] = [line for line in told if line["event"] == "run"]
    assert (run["documents_added"], run["sections_added"], run["failed"]) == (2, 9, 0)
    assert run["seconds"]["scan"] >= 0


@pytest.mark.parametrize("name", ["text", "json"])
def test_process_that_watches_files_writes_the_same_format(tmp_path, name):
    use_format(name)
    try:
        command = watch_command(tmp_path, "a model")
    finally:
        use_format("text")
    assert command[-2:] == ["--log-format", name]
    assert watch.make_context("watch", [*command[command.index("watch") + 1 :], "docs"]).params["until_input_ends"] is True
    use_format("text")


# -- pages of other sites ----------------------------------------------------------------------------------------------


def test_page_of_an_allowed_origin_may_read_a_search(shared):
    reply = shared.get("/api/search?q=apples+keep", headers={"Origin": DOCS, "Sec-Fetch-Site": "cross-site"})
    assert (reply.status, reply.json["results"][0]["heading"]) == (200, "Apples")
    assert reply.headers["access-control-allow-origin"] == DOCS
    assert reply.headers["cross-origin-resource-policy"] == "cross-origin"
    assert "Origin" in reply.headers["vary"]
    assert "access-control-allow-credentials" not in reply.headers


def test_error_of_a_search_may_be_read_too(shared):
    reply = shared.get("/api/search?q=a&limit=0", headers={"Origin": DOCS})
    assert (reply.status, reply.headers["access-control-allow-origin"]) == (422, DOCS)


@pytest.mark.parametrize(
    "origin",
    ["null", "https://docs.example.org.evil.example", "https://evil-docs.example.org", "https://docs.example.org:8443",
     "http://docs.example.org", "https://docs.example.org/", "https://sub.docs.example.org", "*", [DOCS, DOCS], [DOCS, "null"]],
)  # fmt: skip
@pytest.mark.parametrize("method", ["GET", "OPTIONS"])
def test_hostile_origin_is_refused_and_reads_nothing(shared, origin, method):
    headers = {"Origin": origin, "Access-Control-Request-Method": "GET"}
    reply = shared.get("/api/search?q=apples", method=method, headers=headers)
    assert (reply.status, SHARED & set(reply.headers)) == (403, set())
    assert reply.headers["cross-origin-resource-policy"] == "same-origin"


@pytest.mark.parametrize(
    "path", ["/", "/api/status", "/api/documents", "/api/overview", "/api/context?q=a", "/openapi.json", "/healthz", "/mcp"]
)
def test_allowed_origin_gets_nothing_but_searches(shared, path):
    reply = shared.get(path, headers={"Origin": DOCS})
    assert (reply.status, SHARED & set(reply.headers)) == (403, set())


def test_search_without_an_origin_is_as_before(shared):
    cross = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "script"}
    assert shared.get("/api/search?q=a", headers=cross).status == 403
    reply = shared.get("/api/search?q=a")
    assert (reply.status, SHARED & set(reply.headers)) == (200, set())
    assert reply.headers["cross-origin-resource-policy"] == "same-origin"
    assert reply.headers["vary"] == "Origin"


def test_browser_that_asks_in_advance_is_told_of_get_alone(guarded):
    asked = {"Origin": DOCS, "Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "authorization"}
    reply = guarded.get("/api/search?q=a", method="OPTIONS", headers=asked)
    assert (reply.status, reply.body) == (204, b"")
    assert "content-length" not in reply.headers
    told = {name: reply.headers[name] for name in SHARED}
    assert told == {
        "access-control-allow-origin": DOCS, "access-control-allow-methods": "GET", "access-control-allow-headers": "authorization"
    }  # fmt: skip
    assert (
        guarded.get("/api/search?q=a", method="OPTIONS", headers={**asked, "Access-Control-Request-Method": "POST"}).status
        == 405
    )
    assert guarded.get("/api/status", method="OPTIONS", headers=asked).status == 403


def test_allowed_origin_needs_the_token_all_the_same(guarded):
    assert guarded.get("/api/search?q=apples", headers={"Origin": DOCS}).status == 401
    known = {"Origin": DOCS, "Authorization": f"Bearer {TOKEN}"}
    assert guarded.get("/api/search?q=apples", headers=known).status == 200


@pytest.mark.parametrize("origin", ["*", "null", "https://docs.example.org/", "docs.example.org"])
def test_server_does_not_start_with_an_origin_that_is_none(search_command, tmp_path, origin):
    code, _, err = search_command("serve", "--index", str(tmp_path), "--port", "0", "--allow-origin", origin)
    assert (code, "one exact origin" in err) == (2, True)


def test_script_of_the_box_is_loaded_by_other_sites_only_where_one_is_allowed(guarded, site):
    cross = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "script"}
    reply = guarded.get("/embed.js", headers=cross)
    assert (reply.status, reply.headers["content-type"]) == (200, "text/javascript; charset=utf-8")
    assert reply.headers["cross-origin-resource-policy"] == "cross-origin"
    text = reply.body.decode()
    assert "/[]/gu" not in text
    assert "const UNSAFE = /[" in text
    assert site.get("/embed.js").status == 404
    assert site.get("/embed.js", headers=cross).status == 403


@pytest.mark.process
@pytest.mark.slow
def test_command_serves_counts_and_writes_every_line_as_json(tmp_path):
    project = Project(tmp_path, FakeEmbedder())
    project.write("docs/guide.md", GUIDE)
    project.index()
    with served(project, "--metrics", "--log-format", "json", "--allow-origin", DOCS) as (process, site):
        reply = site.get("/api/search?q=unspeakable+apples&mode=lexical", headers={"Origin": DOCS})
        assert (reply.status, reply.headers["access-control-allow-origin"]) == (200, DOCS)
        assert "sectionary_search_seconds_count 1" in site.get("/metrics").body.decode().splitlines()
        process.terminate()
        text = process.stderr.read()
    told = [json.loads(line) for line in text.splitlines()]
    assert [line["route"] for line in told if line["event"] == "request"] == ["/api/search", "/metrics"]
    assert "unspeakable" not in text


@pytest.mark.process
def test_library_of_graphs_notes_nothing_about_its_user(tmp_path):
    code = "from indexer.models.query_graph import onnx_runtime; print(onnx_runtime().__name__)"
    homes = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache"), "LOCALAPPDATA": str(tmp_path)}
    kept = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    done = subprocess.run([sys.executable, "-c", code], env={**kept, **homes}, capture_output=True, text=True, check=True)
    assert done.stdout == "onnxruntime\n"
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
