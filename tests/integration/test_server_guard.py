"""Who may ask the HTTP server, and what nobody learns from it: hosts, origins, tokens, headers, logs."""

from types import SimpleNamespace

import pytest

from schema.settings import Settings
from search.server.http import create_app
from search.server.security import Access
from tests.http_site import site_of, site_over

TOKEN = "a-token-of-some-length"


# -- who may ask -------------------------------------------------------------------------------------------------------

EVERY_ROUTE = [
    "/", "/assets/0/app.js", "/api/search?q=a", "/api/sections/" + "0" * 24, "/api/outline?path=a", "/api/links?section=a", "/api/editor?section=a",
    "/api/documents", "/api/context?q=a", "/api/status", "/api/overview", "/healthz", "/readyz", "/openapi.json", "/nothing", "/metrics", "/embed.js",
]  # fmt: skip


@pytest.mark.parametrize("path", EVERY_ROUTE)
@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "localhost.evil.example:80"},
        {"Host": "127.0.0.1@evil.example"},
        {"Host": "127.0.0.1/evil"},
        {"Host": ""},
        {"Host": ["127.0.0.1", "127.0.0.1"]},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "file://"},
    ],
)
def test_foreign_hosts_and_origins_are_refused_on_every_route(site, path, headers):
    assert site.get(path, headers=headers).status in {400, 403}


@pytest.mark.parametrize("path", EVERY_ROUTE)
def test_requests_that_other_sites_make_are_refused(site, path):
    told = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "script"}
    assert site.get(path, headers=told).status == 403


def test_a_link_from_another_site_leads_to_the_page(site):
    told = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert site.get("/", headers=told).status == 200


@pytest.mark.parametrize("host", ["localhost:9", "LOCALHOST", "[::1]:80", "127.0.0.1"])
def test_the_names_of_this_machine_are_answered(site, host):
    assert site.get("/healthz", headers={"Host": host}).status == 200


def test_its_own_origin_is_answered(site):
    assert site.get("/api/status", headers={"Origin": f"http://127.0.0.1:{site.port}"}).status == 200


def test_no_answer_may_be_read_by_other_origins(site):
    headers = site.get("/api/status", headers={"Origin": f"http://127.0.0.1:{site.port}"}).headers
    assert not [name for name in headers if name.startswith("access-control")]
    assert headers["cross-origin-resource-policy"] == "same-origin"


@pytest.mark.parametrize("path", ["/", "/api/status", "/nothing", "/api/search"])
def test_every_answer_is_protected(site, path):
    headers = site.get(path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["content-security-policy"].startswith("default-src 'none'")
    assert "unsafe" not in headers["content-security-policy"]
    assert "server" not in headers


@pytest.fixture(scope="module")
def guarded(orchard):
    with site_over(orchard, token=TOKEN) as site:
        yield site


@pytest.mark.parametrize(
    "given", [None, "Bearer", "Bearer wrong", f"Basic {TOKEN}", f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", TOKEN]
)
def test_without_the_token_nothing_is_told(guarded, given):
    reply = guarded.get("/api/status", headers={"Authorization": given})
    assert (reply.status, reply.kind, reply.headers["www-authenticate"]) == (401, "unauthorized", "Bearer")


def test_with_two_tokens_nothing_is_told(guarded):
    given = [f"Bearer {TOKEN}", "Bearer other"]
    assert guarded.get("/api/status", headers={"Authorization": given}).status == 401


def test_with_the_token_all_is_told(guarded):
    assert guarded.get("/api/status", headers={"Authorization": f"bearer {TOKEN}"}).status == 200


@pytest.mark.parametrize("path", ["/api/status", "/api/documents", "/openapi.json", "/nothing"])
def test_the_token_is_wanted_everywhere_but_on_the_empty_page(guarded, path):
    assert guarded.get(path).status == 401
    assert guarded.get("/").status == 200


def test_the_token_shows_in_no_text():
    assert TOKEN not in repr(Access(token=TOKEN))
    assert TOKEN not in repr(Settings(server_token=TOKEN))


# -- logs ----------------------------------------------------------------------------------------------------------------


def test_a_fault_of_the_program_is_told_and_logged_without_what_was_asked(caplog):
    asked = "".join(["un", "speakable"])  # the line that fails is logged, what it works on is not

    def fail():
        raise ValueError(asked)

    with site_of(create_app(SimpleNamespace(status=fail), access=Access())) as site:
        reply = site.get("/api/status")
    assert (reply.status, reply.kind) == (500, "internal_server_error")
    assert reply.headers["content-security-policy"].startswith("default-src 'none'")
    assert "ValueError" in caplog.text
    assert "test_server_guard.py" in caplog.text
    assert asked not in caplog.text + reply.body.decode()


def test_no_query_is_ever_logged(site, caplog):
    caplog.set_level("DEBUG")
    site.get("/api/search?q=unspeakable")
    site.get("/api/search?q=unspeakable&limit=0")
    site.get("/api/outline?path=unspeakable")
    assert "unspeakable" not in "\n".join(
        r.getMessage() for r in caplog.records if r.name.split(".")[0] in {"search", "uvicorn"}
    )
