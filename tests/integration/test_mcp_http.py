"""Agents' calls over HTTP: who may ask, what is refused, and how the application is run."""

import asyncio

import httpx2
import pytest
from mcp.client.streamable_http import streamable_http_client
from starlette.applications import Starlette
from starlette.routing import Route

import schema
from search.server.http import create_app
from search.server.mcp import HttpCalls, build_server
from search.server.pool import WorkPool
from search.server.security import Access
from tests.http_site import site_of
from tests.mcp_agent import FIND, HEADERS, agent_of, answers_over, calling, heading, http_calls, post


@pytest.fixture
def indexed(indexed_manual):
    return indexed_manual


@pytest.fixture
def site(indexed):
    with http_calls(answers_over(indexed), origins=["https://allowed.example"]) as site:
        yield site


def test_call_over_http_is_answered_in_one_document(site):
    reply = post(site, calling(1, "search", **FIND))
    assert (reply.status, reply.headers["content-type"]) == (200, "application/json")
    assert reply.json["result"]["structuredContent"]["results"][0]["heading"] == "Linux"


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1.evil.example:1", ""]
)
def test_request_under_a_foreign_name_is_refused(site, host):
    assert post(site, calling(1, "status"), Host=host).status in (400, 421)


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://localhost:9999", "https://allowed.example.evil.com"]
)
def test_request_of_a_foreign_page_is_refused(site, origin):
    assert post(site, calling(1, "status"), Origin=origin).status == 403


def test_request_of_an_allowed_page_is_answered(site):
    assert post(site, calling(1, "search", **FIND), Origin="https://allowed.example").status == 200


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "OPTIONS"])
def test_only_post_is_answered(site, method):
    reply = site.get("/mcp", method=method, headers=HEADERS)
    assert (reply.status, reply.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize(
    ("body", "status"),
    [(b"{", 400), (b"[]", 400), (b"", 400), (b"\xff", 400), (b"[" * 5000, 400), (b'"x"' + b" " * 256_000, 413)],
)
def test_body_that_is_no_call_is_refused(site, body, status):
    assert post(site, body).status == status


def test_body_of_another_kind_is_refused(site):
    assert post(site, calling(1, "status"), **{"Content-Type": "text/plain"}).status == 400


@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
def test_half_of_a_surrogate_pair_is_a_question_mark(site, version):
    meta = {"io.modelcontextprotocol/protocolVersion": version, "io.modelcontextprotocol/clientCapabilities": {}}
    call = calling(1, "search", query="penguins crank \ud83d", mode="lexical", limit=1)
    call["params"]["_meta"] = meta if version > "2026" else {}
    reply = post(site, call, **{"MCP-Protocol-Version": version, "MCP-Method": "tools/call", "MCP-Name": "search"})
    assert (reply.status, reply.json["id"]) == (200, 1)
    assert reply.json["result"]["structuredContent"]["results"][0]["heading"] == "Linux"


@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
@pytest.mark.parametrize(
    ("body", "number"),
    [
        (b'{"jsonrpc": "2.0", "id": 27, "method": "tools/call", "params": [1]}', 27),
        (b'{"jsonrpc": "2.0", "id": "a", "method": 7}', "a"),
        (b'{"id": 0}', 0),
        (b'{"id": true}', None),
        (b"[1]", None),
    ],
)
def test_body_that_is_no_call_is_refused_under_its_id(site, version, body, number):
    reply = post(site, body, **{"MCP-Protocol-Version": version})
    assert (reply.status, reply.json["id"], reply.json["error"]["code"]) == (400, number, -32600)
    assert reply.json["error"]["message"].startswith("The message is none of JSON-RPC 2.0; send an object")


def test_foreign_page_is_refused_before_its_body_is_looked_at(site):
    assert post(site, b"[1]", Origin="https://evil.example").status == 403


@pytest.mark.parametrize("params", [{"name": "status", "arguments": [1]}, {"name": 7}, {"arguments": {}}, {}, None])
def test_call_that_is_none_is_an_error_of_the_protocol(site, params):
    reply = post(site, {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    assert reply.json["error"]["code"] in (-32602, -32600)


def test_application_that_is_not_running_says_so(indexed):
    calls = HttpCalls(answers_over(indexed), pool=WorkPool())
    with pytest.raises(RuntimeError, match=r"only while running\(\) is entered"):
        asyncio.run(calls({"type": "http", "method": "POST"}, None, None))


def test_application_can_run_again(indexed):
    calls = HttpCalls(answers_over(indexed), pool=WorkPool())
    for _ in range(2):
        with site_of(Starlette(routes=[Route("/mcp", calls)], lifespan=lambda _: calls.running())) as site:
            assert post(site, calling(1, "status")).status == 200


def test_token_of_the_guard_is_wanted_for_calls(indexed):
    calls = HttpCalls(answers_over(indexed), pool=WorkPool())
    app = create_app(answers_over(indexed), access=Access(token="t" * 20), calls=calls, running=calls.running)
    with site_of(app) as site:
        assert post(site, calling(1, "status")).status == 401
        client = httpx2.AsyncClient(headers={"Authorization": f"Bearer {'t' * 20}"})
        with agent_of(streamable_http_client(f"{site.url}mcp", http_client=client)) as agent:
            assert heading(agent) == "Linux"
            agent.portal.call(client.aclose)


def test_name_of_the_server_has_its_version(indexed):
    server = build_server(answers_over(indexed), pool=WorkPool())
    assert (server.name, server.version) == ("sectionary", schema.VERSION)
