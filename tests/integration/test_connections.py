"""Clients that send or read slowly, hold connections, or send what is hardly HTTP: others are answered, and nothing fails."""

import asyncio
import contextlib
import os
import re
import socket
import time
from pathlib import Path

import pytest
from uvicorn.server import ServerState

import search.server.connections
from search.server.connections import Connection
from search.server.http import create_app
from search.server.mcp import HttpCalls
from search.server.pool import WorkPool
from search.server.run import configured
from search.server.security import MAX_BODY_BYTES, Access
from tests.conftest import GUIDE, Project
from tests.http_site import Site, site_of
from tests.mcp_agent import FIND, answers_over, calling, post
from tests.served import FakeEmbedder, served, until

pytestmark = pytest.mark.process


@pytest.fixture
def hasty(monkeypatch):
    """Time limits of half a second."""
    monkeypatch.setattr(search.server.connections, "REQUEST_SECONDS", 0.5)
    monkeypatch.setattr(search.server.connections, "ANSWER_SECONDS", 0.5)
    monkeypatch.setattr(search.server.connections, "CHECK_EVERY", 0.1)


@contextlib.contextmanager
def connected(site, sent=b""):
    with socket.create_connection(("127.0.0.1", site.port), timeout=20) as connection:
        if sent:
            connection.sendall(sent)
        yield connection


def head(site, first="GET /healthz HTTP/1.1", *lines):
    return "\r\n".join([first, f"Host: 127.0.0.1:{site.port}", *lines, "", ""]).encode()


def is_closed(connection, seconds=10):
    """Whether the server closes the connection; what it sends before is read."""
    connection.settimeout(seconds)
    try:
        while connection.recv(65536):
            pass
    except TimeoutError:
        return False
    except OSError:
        pass
    return True


def trickle(connection, data, seconds=5.0):
    """Send a byte at a time until the server hangs up; the seconds that took."""
    begun = time.monotonic()
    try:
        for byte in data:
            connection.sendall(bytes([byte]))
            time.sleep(0.05)
            if time.monotonic() - begun > seconds:
                break
    except OSError:
        pass
    return time.monotonic() - begun


# -- time ----------------------------------------------------------------------------------------------------------------


def test_a_connection_that_sends_nothing_is_closed(site, hasty):
    with connected(site) as connection:
        assert is_closed(connection)


def test_a_head_that_trickles_is_given_up(site, hasty):
    with connected(site) as connection:
        assert trickle(connection, head(site, "GET /healthz HTTP/1.1", "X: " + "x" * 500)) < 3


def test_a_second_head_that_trickles_is_given_up(site, hasty):
    with connected(site, head(site)) as connection:
        assert b" 200 " in connection.recv(4096)
        assert trickle(connection, head(site, "GET /healthz HTTP/1.1", "X: " + "x" * 500)) < 3


def test_a_body_that_trickles_is_given_up(calls, hasty):
    with connected(calls, head(calls, "POST /mcp HTTP/1.1", "Content-Length: 1000")) as connection:
        assert trickle(connection, b" " * 1000) < 3


def test_a_refused_body_that_trickles_is_given_up(site, hasty):
    with connected(site, head(site, "POST /healthz HTTP/1.1", "Content-Length: 1000")) as connection:
        assert trickle(connection, b" " * 1000) < 3


def test_an_endless_refused_body_is_given_up(site):
    with connected(site, head(site, "POST /healthz HTTP/1.1", "Transfer-Encoding: chunked")) as connection:
        chunks = chunk(b"x" * 10_000) * 5000
        with pytest.raises(OSError, match=r"reset|[Bb]roken|abort"):
            connection.sendall(chunks)
        assert site.get("/healthz").status == 200


def test_an_answer_that_nobody_reads_is_given_up(hasty):
    async def app(scope, receive, send):
        if scope["type"] == "http":
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b"x" * 50_000_000})

    with site_of(app) as site, connected(site, head(site)) as connection:
        until(lambda: not connected_here(site), seconds=10)
        assert is_closed(connection)


def connected_here(site):
    """Connections of this process at the server's port that are open."""
    lines = Path("/proc/net/tcp").read_text().splitlines()[1:]
    return [line for line in lines if line.split()[1].endswith(f":{site.port:04X}") and line.split()[3] == "01"]


def test_a_slow_answer_is_waited_for(hasty):
    import asyncio

    async def app(scope, receive, send):
        if scope["type"] == "http":
            await asyncio.sleep(1)
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b"done"})

    with site_of(app) as site:
        assert site.get("/").body == b"done"


# -- many ----------------------------------------------------------------------------------------------------------------

HALF_OPEN = 400


def descriptors(process):
    return len(os.listdir(f"/proc/{process.pid}/fd"))


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="descriptors of a process are read from /proc")
@pytest.mark.parametrize(("command", "kind"), [("serve", "head"), ("serve", "body"), ("mcp --http", "silent")])
def test_others_are_answered_while_four_hundred_connections_hang(tmp_path, command, kind):
    project = Project(tmp_path, FakeEmbedder())
    project.write("docs/guide.md", GUIDE)
    project.index()

    def ask(site):
        if command == "serve":
            return site.get("/api/search?q=crank&mode=lexical").status
        return post(site, calling(1, "search", **FIND)).status

    with served(project, command=command) as (process, site), contextlib.ExitStack() as held:
        assert ask(site) == 200
        before = descriptors(process)
        sent = {
            "silent": b"",
            "head": head(site)[:-2],
            "body": head(site, "POST /mcp HTTP/1.1", "Content-Length: 1000", "Content-Type: application/json") + b"{",
        }[kind]
        for _ in range(HALF_OPEN):
            held.enter_context(connected(site, sent))
        for _ in range(5):
            begun = time.monotonic()
            assert ask(site) == 200
            assert time.monotonic() - begun < 5
        assert descriptors(process) < before + 200
        until(lambda: descriptors(process) <= before + 20, seconds=30)  # loading the model goes on meanwhile


class Wire(asyncio.Transport):
    """A transport that only tells whether it was given up."""

    is_given_up = False

    def get_extra_info(self, name, default=None):
        return default

    def get_write_buffer_size(self):
        return 0

    def write(self, data):
        pass

    def close(self):
        pass

    def is_closing(self):
        return self.is_given_up

    def abort(self):
        self.is_given_up = True


def test_a_new_connection_is_not_given_up_for_others_that_sent_something_since_it_was_accepted():
    async def app(scope, receive, send):
        await asyncio.Event().wait()

    async def given_up():
        config, state = configured(app), ServerState()
        config.load()

        def accepted():
            return Connection(config=config, server_state=state, app_state={})

        others = [accepted() for _ in range(search.server.connections.MAX_CONNECTIONS)]
        for each in others:
            each.connection_made(Wire())
        new = accepted()
        for each in others:
            await asyncio.sleep(0)
            each.data_received(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n")
        new.connection_made(Wire())
        found = [each.transport.is_given_up for each in (*others, new)]
        for each in (*others, new):
            each.connection_lost(None)
        for task in state.tasks:
            task.cancel()
        return found

    found = asyncio.run(given_up())
    assert (sum(found), found[-1]) == (1, False)


# -- hardly HTTP -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def calls(orchard):
    """A site with the page, the API and agents' calls."""
    answers = answers_over(orchard)
    http_calls = HttpCalls(answers, pool=WorkPool())
    with site_of(create_app(answers, access=Access(), calls=http_calls, running=http_calls.running)) as site:
        yield site


def statuses(site, sent, pause=0.2):
    """The statuses of all answers to these bytes, until the server hangs up or has nothing more to say."""
    with connected(site) as connection:
        with contextlib.suppress(OSError):  # refused before all was sent
            connection.sendall(sent)
        told = b""
        connection.settimeout(10.0)
        with contextlib.suppress(OSError):
            while part := connection.recv(65536):
                told += part
                connection.settimeout(pause)
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3}) ", told)]


def chunk(data, extension=b""):
    return b"%x%s\r\n%s\r\n" % (len(data), extension, data)


CHUNKED = ("Content-Type: application/json", "Accept: application/json", "Transfer-Encoding: chunked")
POST = "POST /mcp HTTP/1.1"
END = b"0\r\n\r\n"


def test_an_oversized_body_in_chunks_is_refused_with_a_sentence(calls, caplog):
    with connected(calls, head(calls, POST, *CHUNKED)) as connection:
        for _ in range(5):
            connection.sendall(chunk(b" " * (MAX_BODY_BYTES // 4)))
        told = b""
        while b"}" not in told:
            told += connection.recv(65536)
    assert told.startswith(b"HTTP/1.1 413 ")
    assert b"A request may have a body of 256,000 bytes at most." in told
    assert caplog.text == ""


def test_a_client_that_leaves_in_the_middle_of_a_body_is_no_fault(calls, caplog):
    with connected(calls, head(calls, POST, *CHUNKED) + chunk(b"{")):
        pass
    time.sleep(0.3)
    assert caplog.text == ""


@pytest.mark.parametrize(
    ("first", "lines", "body", "told"),
    [
        (POST, CHUNKED, b"zz\r\n{}\r\n" + END, [400]),
        (POST, CHUNKED, b"-1\r\n{}\r\n" + END, [400]),
        (POST, CHUNKED, b"fffffffffffffffffffffff\r\n{}\r\n", [400]),
        (POST, CHUNKED, chunk(b"{}")[:-2] + b"no line end", [400]),
        (POST, CHUNKED, chunk(b"{}", b";" + b"x" * 100_000) + END, [400]),
        (POST, CHUNKED, chunk(b"{}") + b"0\r\nTrailer-Field: value\r\n\r\n", [400]),
        (POST, CHUNKED, b"".join(chunk(b" ") for _ in range(20_000)) + END, [400]),
        (POST, CHUNKED, END, [400]),
        (POST, (*CHUNKED, "Content-Length: 5"), chunk(b"{}") + END, [400, 413]),
        (POST, ("Transfer-Encoding: gzip, chunked",), chunk(b"{}") + END, [400, 501]),
        (POST, ("Content-Length: 3", "Content-Length: 4"), b"{}  ", [400]),
        (POST, ("Content-Length: +3",), b"{} ", [400]),
        (POST, ("Content-Length: 99999999999999999999",), b"{}", [413]),
        (POST, ("Expect: 100-continue", "Content-Length: 300000"), b"", [413]),
        (POST, ("Content-Type: application/json; charset=\xff",), b"", [400, 406]),
        ("GET /api/status HTTP/1.1", CHUNKED, chunk(b"x" * 1000) + END, [413]),
        ("GET /api/status HTTP/1.1", CHUNKED, b"zz\r\n", [400, 413]),
        ("GET /healthz HTTP/1.1", ("Content-Length: 5",), b"hello", [413]),
        ("DELETE /healthz HTTP/1.1", ("Content-Length: 5",), b"hello", [405]),
        ("GET /healthz HTTP/1.0", (), b"", [200]),
        ("HEAD /healthz HTTP/1.1", (), b"", [200]),
        ("OPTIONS /healthz HTTP/1.1", (), b"", [405]),
        ("OPTIONS * HTTP/1.1", (), b"", [405]),
        ("OPTIONS /mcp HTTP/1.1", (), b"", [405]),
        ("HEAD /mcp HTTP/1.1", (), b"", [405]),
        ("TRACE / HTTP/1.1", (), b"", [405]),
        ("CONNECT 127.0.0.1:80 HTTP/1.1", (), b"", [405]),
        ("CONNECT /mcp HTTP/1.1", (), b"", [405]),
        ("PRI * HTTP/2.0", (), b"SM\r\n\r\n", [405]),
        ("GET http://127.0.0.1/healthz HTTP/1.1", (), b"", [404]),
        ("GET //evil.example/healthz HTTP/1.1", (), b"", [404]),
        ("GET /%ff%00 HTTP/1.1", (), b"", [404]),
        ("GET /healthz?%ff=%00 HTTP/1.1", (), b"", [422]),
        ("GET /h\xe9 HTTP/1.1", (), b"", [400]),
        ("GET /healthz HTTP/1.1 x", (), b"", [400]),
        ("GET /healthz HTTP/9.9", (), b"", [200, 400]),
        ("G\x00T /healthz HTTP/1.1", (), b"", [400]),
        ("GET /healthz HTTP/1.1", ("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Key: x"), b"", [200]),
        ("GET /healthz HTTP/1.1", ("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMA"), b"", [200]),
        (POST, ("Connection: Upgrade", "Upgrade: websocket"), b"", [400]),
        ("GET /healthz HTTP/1.1", ("Expect: 100-continue",), b"", [200]),
        ("GET /healthz HTTP/1.1", ("Expect: nonsense",), b"", [200]),
        ("GET /healthz HTTP/1.1", tuple(f"X{i}: y" for i in range(3000)), b"", [200]),
        ("GET /healthz HTTP/1.1", tuple(f"X{i}: y" for i in range(30_000)), b"", [400]),
        ("GET /healthz HTTP/1.1", ("X: " + "y" * 200_000,), b"", [400]),
        ("GET /healthz HTTP/1.1", ("X: a", " folded: b"), b"", [200, 400]),
        ("GET /healthz HTTP/1.1", ("X : a",), b"", [400]),
        ("GET /healthz HTTP/1.1", ("no colon",), b"", [400]),
        ("GET /healthz HTTP/1.1", ("Origin: http://[",), b"", [403]),
        ("GET /healthz HTTP/1.1", ("Authorization: Bearer \xff",), b"", [200]),
        ("GET /healthz HTTP/1.1", ("If-None-Match: \xff\xfe",), b"", [200]),
        (POST, ("MCP-Protocol-Version: \xff", "Content-Type: application/json", "Content-Length: 2"), b"{}", [400, 406]),
        (POST, ("Mcp-Session-Id: \xff", "Accept: \xff", "Content-Length: 2"), b"{}", [400, 406]),
    ],
)  # fmt: skip
def test_what_is_hardly_http_is_refused_or_answered_and_never_a_fault(calls, caplog, first, lines, body, told):
    sent = "\r\n".join([first, f"Host: 127.0.0.1:{calls.port}", *lines, "", ""]).encode("latin-1") + body
    found = [status for status in statuses(calls, sent) if status != 100]
    assert found
    assert found[0] in told
    assert not [status for status in found if status >= 500 and status not in told]
    assert not [record for record in caplog.records if record.exc_info or record.levelname == "ERROR"]
    assert calls.get("/healthz").status == 200


def last(site):
    """A request after whose answer the server hangs up, so that nobody waits for more."""
    return head(site, "GET /healthz HTTP/1.1", "Connection: close")


def test_requests_sent_one_behind_another_are_answered_in_order(calls):
    sent = head(calls) + head(calls, "GET /nothing HTTP/1.1") + head(calls, "POST /x HTTP/1.1") + last(calls)
    assert statuses(calls, sent, pause=3) == [200, 404, 405, 200]


def test_a_thousand_requests_sent_at_once_are_answered(calls):
    assert statuses(calls, head(calls) * 999 + last(calls), pause=3) == [200] * 1000


def test_lines_that_are_no_request_are_refused(calls, hasty, caplog):
    for sent in (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200), b"\x00" * 100, b"\r\n" * 50_000, b"GET"):
        assert set(statuses(calls, sent)) <= {400}
    assert not [record for record in caplog.records if record.exc_info or record.levelname == "ERROR"]


def test_a_site_that_was_attacked_still_answers(calls):
    assert post(Site(calls.port), calling(1, "search", **FIND)).status == 200
