"""Origins of sites that may embed the search box: exact ones alone, and what a browser may ask in advance."""

import pytest
from starlette.datastructures import Headers

from schema.errors import SettingsError
from search.server.origins import allowed_origin, is_preflight, read_origins

DOCS = "https://docs.example.org"


def headers(**given):
    return Headers({name.replace("_", "-"): value for name, value in given.items()})


@pytest.mark.parametrize(
    ("given", "origin"),
    [
        (DOCS, DOCS),
        ("HTTPS://Docs.Example.org", DOCS),
        ("https://docs.example.org:443", DOCS),
        ("http://docs.internal:80", "http://docs.internal"),
        ("http://localhost:8000", "http://localhost:8000"),
        ("http://[::1]:8000", "http://[::1]:8000"),
        ("https://xn--wgv71a119e.example", "https://xn--wgv71a119e.example"),
    ],
)
def test_origin_is_kept_as_browsers_send_it(given, origin):
    assert read_origins([given]) == {origin}


@pytest.mark.parametrize(
    "given",
    [
        "*", "null", "", "https://*", "https://*.example.org", "docs.example.org", "https://docs.example.org/",
        "https://docs.example.org/docs", "https://u:p@docs.example.org", "https://docs.example.org:99999", "file://",
        "https://docs.example.org?x", "https://docs.example.org#x", "https://日本.example", "https://a b", "https://a\n",
        "https://docs.example.org https://evil.example", "https://docs.example.org,https://evil.example", "https://", "a" * 9999,
    ],
)  # fmt: skip
def test_what_is_no_exact_origin_is_refused(given):
    with pytest.raises(SettingsError, match="one exact origin"):
        read_origins([given])


@pytest.mark.parametrize(
    "origin",
    [
        "null", "*", "https://docs.example.org.evil.example", "https://evil-docs.example.org", "https://docs.example.org:8443",
        "http://docs.example.org", "https://docs.example.org/", "https://DOCS.example.org", "https://docs.example.orgevil",
        "https://sub.docs.example.org", "https://docs.example.org\t", "",
    ],
)  # fmt: skip
def test_origin_that_is_another_is_not_allowed(origin):
    assert allowed_origin(headers(origin=origin), "/api/search", frozenset({DOCS})) == ""


def test_two_origins_in_one_request_are_none():
    both = Headers(raw=[(b"origin", DOCS.encode()), (b"origin", DOCS.encode())])
    assert allowed_origin(both, "/api/search", frozenset({DOCS})) == ""


@pytest.mark.parametrize(
    "path", ["/", "/api/status", "/api/documents", "/api/sections/0", "/mcp", "/metrics", "/api/search/"]
)
def test_allowed_origin_may_ask_nothing_but_searches(path):
    assert allowed_origin(headers(origin=DOCS), path, frozenset({DOCS})) == ""
    assert allowed_origin(headers(origin=DOCS), "/api/search", frozenset({DOCS})) == DOCS


@pytest.mark.parametrize(
    ("method", "path", "asked", "names", "expected"),
    [
        ("OPTIONS", "/api/search", "GET", "", True),
        ("OPTIONS", "/api/search", "GET", "Authorization", True),
        ("OPTIONS", "/api/search", "GET", "authorization, x-other", False),
        ("OPTIONS", "/api/search", "POST", "", False),
        ("OPTIONS", "/embed.js", "GET", "", False),
        ("GET", "/api/search", "GET", "", False),
    ],
)
def test_only_a_get_of_a_search_may_be_asked_for_in_advance(method, path, asked, names, expected):
    given = headers(access_control_request_method=asked, access_control_request_headers=names)
    assert is_preflight(method, path, given, DOCS) is expected
    assert not is_preflight(method, path, given, "")
