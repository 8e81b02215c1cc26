"""`search serve` as a real process: made known, guarded, kept fresh, and ended in every way a process can end."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlencode

import pytest

from schema.settings import Settings
from search import SearchEngine
from search.answers.local_server import find_server
from search.answers.wire import result_to_json
from search.cli import main
from tests.conftest import GUIDE, Project
from tests.http_site import Site
from tests.mcp_agent import agent_of, agent_of_process, command
from tests.served import FakeEmbedder, served, until

pytestmark = [pytest.mark.slow, pytest.mark.process]


def guide_in(home):
    project = Project(home, FakeEmbedder())
    project.write("docs/guide.md", GUIDE)
    project.write("docs/日本語.md", "# 検索 <img src=x onerror=alert(1)>\n\n全文を検索します\x1b[31m。\n")
    project.index()
    return project


@pytest.fixture(scope="module")
def guide(tmp_path_factory):
    return guide_in(tmp_path_factory.mktemp("served"))


def search(project, *args, **environment):
    return subprocess.run(
        [sys.executable, "-P", "-m", "search", *args],
        cwd=project.home,
        env={**os.environ, **environment},
        capture_output=True,
        check=False,
        text=True,
        timeout=120,
    )


def test_command_http_and_agents_get_the_same_bytes(guide, tmp_path):
    def results(text):
        return re.sub(r'"took_ms": [0-9.]+', '"took_ms": 0', text)

    def of_agent(agent, query):
        return results(agent.text("search", query=query, limit=5, content=True, max_tokens=20_000))

    queries = ["linux penguins", "検索 します", 'say "crank"']
    found = {}
    with served(guide) as (_, site), agent_of_process(command("--index", str(guide.index_dir)), tmp_path / "log") as stdio:
        until(lambda: site.get("/readyz").status == 200)
        for query in queries:
            over_http = results(site.get("/api/search?" + urlencode({"q": query, "limit": 5})).body.decode())
            warm = results(search(guide, "--json", "-n", "5", query).stdout.rstrip("\n"))
            cold = results(search(guide, "--json", "-n", "5", "--no-server", query).stdout.rstrip("\n"))
            with agent_of(f"{site.url}mcp") as agent:
                found[query] = [over_http, warm, cold, of_agent(agent, query), of_agent(stdio, query)]
    for over_http, warm, cold, to_agents, over_stdio in found.values():
        assert json.loads(over_http)["results"]
        assert over_http == warm == cold
        assert to_agents == over_stdio
        # agents are also told in words where no section answers, and hidden characters are spelt out in the text itself, so
        # that what decodes the JSON shows them too
        told = re.sub(r', "advice": "No section answers this[^"]*"}$', "}", to_agents)
        if "\\u001b" not in over_http:
            assert told == over_http


BEGIN = "The page begins here, and says at some length how a gateway of this kind is built and who looks after it, " * 4
EDITIONS = f"# Valves\n\n{BEGIN}\n\n```\nvalve --open\n```\n\nThe relief valve opens at four bar.\nIt closes at three.\n"


@pytest.mark.model
def test_passage_lines_and_relevance_are_the_same_in_every_interface(tmp_path):
    project = guide_in(tmp_path)
    for edition in ("one", "two"):
        project.write(f"docs/{edition}.md", EDITIONS)
    project.index()
    query = "when does the relief valve open?"
    engine = SearchEngine(project.index_dir, settings=Settings())
    hit = engine.search(query, limit=1, fold=True)[0]
    shown = ["valve --open", "The relief valve opens at four bar. It closes at three."]
    assert (hit.snippet.text.splitlines(), hit.snippet.start_line) == (shown, 6)
    expected = result_to_json(hit)

    def carried(result):
        return {name: result[name] for name in ("id", "trail", "snippet", "relevance", "similar")}

    with served(project) as (_, site):
        until(lambda: site.get("/readyz").status == 200)
        over_http = site.get("/api/search?" + urlencode({"q": query, "limit": 1})).json["results"][0]
        text = search(project, "-n", "1", query).stdout
        lines = [json.loads(search(project, "--jsonl", "-n", "1", *more, query).stdout) for more in ([], ["--no-server"])]
        with agent_of(f"{site.url}mcp") as agent:
            [to_agents] = agent.ask("search", query=query, limit=1, content=True)["results"]
    assert [carried(one) for one in (over_http, *lines, to_agents)] == [carried(expected)] * 4
    place = f"   {hit.section.document_path}:{hit.snippet.start_line}  section 1-10  relevance {hit.relevance:.2f}\n"
    assert place in text
    assert f"   +1 similar: {hit.similar[0].document_path}:1\n" in text
    assert text.endswith("".join(f"   | {line}\n" for line in shown))


def test_a_question_is_answered_warm_and_what_was_asked_is_not_logged(guide):
    with served(guide) as (process, _):
        told = search(guide, "unspeakable penguins", SECTIONARY_CACHE_DIR="/nonexistent")
        assert "Penguins need a special crank." in told.stdout
        process.send_signal(signal.SIGTERM)
        said = process.stderr.read()
        assert (process.wait(30), "unspeakable" in said) == (0, False)


def test_agents_alone_are_answered_over_http(guide):
    with served(guide, command="mcp --http") as (process, site):
        with agent_of(f"{site.url}mcp") as agent:
            assert "Penguins" in agent.text("search", query="penguins", mode="lexical")
        assert (site.get("/").status, site.get("/api/status").status) == (404, 404)
        assert site.get("/mcp", headers={"Host": "evil.example"}).status == 403
        assert find_server(guide.index_dir, Settings()) is None
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_lets_answers_end_and_withdraws(guide, number):
    with served(guide) as (process, site):
        site.get("/readyz")
        process.send_signal(number)
        assert process.wait(30) == 0
        assert "Traceback" not in process.stderr.read()
    assert not (guide.index_dir / "server.json").exists()


def test_a_killed_server_is_not_believed(guide):
    with served(guide) as (process, _):
        process.kill()
        process.wait(30)
        assert (guide.index_dir / "server.json").exists()
        assert find_server(guide.index_dir, Settings()) is None


def test_a_server_that_would_end_after_idling_is_refused_beside_another_in_one_sentence(guide):
    with served(guide):
        told = search(guide, "serve", "--port", "0", "--idle", "60")
        assert (told.returncode, told.stderr.count("\n")) == (2, 1)
        assert "is served already" in told.stderr


def test_it_ends_after_idling(guide):
    with served(guide, "--idle", "1") as (process, _):
        assert process.wait(60) == 0


def test_a_search_leaves_a_server_behind_where_that_is_wanted(tmp_path):
    project = guide_in(tmp_path)
    first = search(project, "--mode", "lexical", "penguins", SECTIONARY_KEEP_WARM="8")
    assert "Penguins" in first.stdout
    server = until(lambda: find_server(project.index_dir, Settings()))
    site = Site(server.port)
    until(lambda: site.get("/readyz").status == 200)
    assert "Penguins" in search(project, "--mode", "lexical", "penguins", SECTIONARY_KEEP_WARM="8").stdout
    until(lambda: find_server(project.index_dir, Settings()) is None)


def test_it_keeps_the_index_true_to_a_folder_and_its_watcher_ends_with_it(tmp_path):
    project = Project(tmp_path, None)
    project.write("docs/guide.md", GUIDE)
    with served(project, "--watch", "docs") as (process, site):
        until(lambda: site.get("/api/search?q=penguins&mode=lexical").status == 200)
        project.write("docs/new.md", "# Quinces\n\nQuinces are hard.\n")
        until(lambda: "Quinces" in site.get("/api/search?q=quinces&mode=lexical").body.decode())
        process.kill()
        process.wait(30)
    until(lambda: not watchers(project.index_dir))


def watchers(index_dir):
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if str(index_dir) in place.read_text() and "watch" in place.read_text():
                found.append(place)
    return found


# -- what is refused before anything is served -------------------------------------------------------------------------


@pytest.fixture
def run(guide, monkeypatch, capsys):
    def run(*args):
        monkeypatch.chdir(guide.home)
        monkeypatch.setattr("sys.argv", ["search", *args])
        with pytest.raises(SystemExit) as stop:
            main()
        return stop.value.code, capsys.readouterr().err

    return run


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.2", "example.com"])
def test_beyond_loopback_a_token_is_wanted(run, host):
    code, err = run("serve", "--host", host, "--port", "0")
    assert code == 2
    assert "a token is needed" in err


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604])
def test_a_token_file_that_others_can_read_is_refused(run, tmp_path, mode):
    token = tmp_path / "token"
    token.write_text("a-token-of-some-length\n")
    token.chmod(mode)
    code, err = run("serve", "--token-file", str(token), "--port", "0")
    assert code == 2
    assert "chmod 600" in err
    assert "a-token-of" not in err


@pytest.mark.parametrize("token", ["short", "with blanks in between it", "ünïcödé-ünïcödé-ünïcödé"])
def test_a_token_that_can_be_guessed_or_not_be_sent_is_refused(run, monkeypatch, token):
    monkeypatch.setenv("SECTIONARY_SERVER_TOKEN", token)
    code, err = run("serve", "--port", "0")
    assert code == 2
    assert token not in err


def test_an_empty_token_file_is_refused(run, tmp_path):
    (tmp_path / "token").touch(0o600)
    code, err = run("serve", "--token-file", str(tmp_path / "token"), "--port", "0")
    assert code == 2
    assert "16 characters" in err


@pytest.mark.parametrize("name", ["", "http://docs.example.com", "a b"])
def test_a_name_that_is_none_is_not_allowed(run, name):
    code, err = run("serve", "--allow-host", name, "--port", "0")
    assert code == 2
    assert "--allow-host takes a host name" in err


def test_each_folder_to_watch_stands_after_its_own_option(run):
    code, err = run("serve", "--watch", "docs", "notes", "--port", "0")
    assert code == 2
    assert "--watch stands before each folder, as in `search serve --watch docs --watch notes`." in err


def test_a_port_that_is_taken_is_told(run):
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        code, err = run("serve", "--port", str(taken.getsockname()[1]))
    assert code == 2
    assert "choose another --port" in err


def test_a_host_that_is_none_is_told(run, monkeypatch):
    monkeypatch.setenv("SECTIONARY_SERVER_TOKEN", "a-token-of-some-length")
    code, err = run("serve", "--host", "no such host", "--port", "0")
    assert code == 2
    assert "is no address" in err


def test_a_token_from_a_file_is_wanted(guide, tmp_path):
    token = tmp_path / "token"
    token.write_text("a-token-of-some-length\n")
    token.chmod(0o600)
    with served(guide, "--token-file", str(token)) as (_, site):
        assert site.get("/api/documents").status == 401
        assert site.get("/api/documents", headers={"Authorization": "Bearer a-token-of-some-length"}).status == 200
