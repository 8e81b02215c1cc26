"""Hostile paths, filters and ids over HTTP: refused or answered from the table alone, and no file is opened for them."""

import json
import os
import sys
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schema.settings import Settings
from search.answers.service import SearchService
from search.server.http import create_app
from search.server.security import Access
from tests.conftest import GUIDE, Project, WordEmbedder
from tests.http_site import site_of

MARK = "outside-the-table"
OPENED = []


def note_opened(event, arguments):
    if event == "open" and isinstance(arguments[0], str | bytes):
        path = os.fsdecode(arguments[0])
        if MARK in path or "passwd" in path:
            OPENED.append(path)


sys.addaudithook(note_opened)


@pytest.fixture(scope="module")
def guide(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("hostile"), WordEmbedder())
    project.write("docs/guide.md", GUIDE)
    project.write(f"{MARK}.md", "# Secret\n\nNobody indexed this.\n")
    project.index()
    return project


@pytest.fixture(scope="module")
def site(guide):
    answers = SearchService(guide.index_dir, settings=Settings(), embedder=guide.embedder)
    with site_of(create_app(answers, access=Access())) as site:
        yield site


PIECES = [
    "..", "../", "..\\", "/", "\\\\host\\share\\", "//host/share", "C:\\", "file:///etc/passwd", "/etc/passwd", f"../{MARK}.md",
    f"{MARK}.md", "\x00", "%00", "%2e%2e%2f", "'", '"', "''", "x' OR 1=1 --", "'; DROP TABLE sections; --", "` UNION SELECT 1",
    "%", "_", "*", "**", "?", "[", "[!a]", "{a,b}", "~", "$(id)", "${HOME}", "<script>", "\x1b[31m", "\u202e", "\ud7ff",
    "\U0010ffff", "docs/guide.md", "docs/", "\n", "\r\n\r\n", " ", "a" * 1000,
]  # fmt: skip
hostile = st.one_of(
    st.sampled_from(PIECES),
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join),
    st.text(max_size=80),
    st.binary(max_size=60).map(lambda data: data.decode("latin-1")),
)
many = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def asked(site, path):
    """The reply to a request that opened nothing and got no error of the server's own."""
    OPENED.clear()
    reply = site.get(path)
    assert reply.status < 500, (path, reply.body)
    assert OPENED == []
    assert b"Nobody indexed this" not in reply.body
    assert b"root:" not in reply.body
    return reply


@many
@given(identity=hostile)
def test_an_id_that_is_none_is_refused(site, identity):
    path = f"/api/sections/{quote(identity, safe='')}"
    assert 400 <= asked(site, path).status < 500


@many
@given(path=hostile)
def test_an_outline_of_no_document_is_refused(site, path):
    reply = asked(site, f"/api/outline?path={quote(path, safe='')}")
    assert 400 <= reply.status < 500 or reply.json["document_path"] == path == "docs/guide.md"


@many
@given(name=hostile)
def test_an_asset_that_is_none_is_refused(site, name):
    reply = asked(site, f"/assets/0/{quote(name, safe='')}")
    assert 400 <= reply.status < 500


@many
@given(rest=hostile)
def test_an_address_that_is_none_is_refused(site, rest):
    reply = asked(site, f"/x{quote(rest, safe='')}")
    assert 400 <= reply.status < 500


@pytest.mark.parametrize(
    "name", ["path", "tag", "field", "language", "since", "depth", "mode", "limit", "offset", "clean", "q"]
)
def test_a_hostile_filter_finds_nothing_but_rows_of_the_table(guide, site, name):
    known = {hit.section.id for hit in guide.engine().search("widget", limit=100, mode="lexical")} | {
        link.id for link in guide.engine().outline("docs/guide.md")
    }

    @many
    @given(value=hostile)
    def ask(value):
        rest = "" if name == "q" else "q=apples&"
        reply = asked(site, f"/api/search?{rest}{name}={quote(value, safe='')}")
        assert 400 <= reply.status < 500 or {hit["id"] for hit in reply.json["results"]} <= known

    ask()


@pytest.mark.parametrize(
    "path", ["..", "../x", "docs/../../x", "a\\..\\b", "docs/\x00", "\\\\host\\share", "docs/guide.md\n", "/../etc"]
)
def test_a_path_filter_that_leads_away_is_refused(site, path):
    reply = asked(site, f"/api/search?q=a&path={quote(path, safe='')}")
    assert (reply.status, reply.kind) == (422, "invalid_parameter")


@pytest.mark.parametrize(
    "path",
    [
        "/api/sections/{}",
        "/api/outline?path={}",
        "/api/links?section={}",
        "/api/search?q={}",
        "/api/search?q=a&tag={}",
        "/{}",
    ],
)
def test_a_megabyte_is_refused(site, path):
    text = "x" * 1_000_000
    try:
        status = site.get(path.format(text)).status
    except OSError:
        status = 400  # the server answered and hung up before it had read all
    assert 400 <= status < 500


def test_a_megabyte_of_body_is_refused(site):
    try:
        status = site.get("/api/search?q=a", method="POST", body=b"x" * 1_000_000).status
    except OSError:
        status = 413
    assert status in {405, 413}


def test_ten_thousand_parameters_are_refused(site):
    reply = asked(site, "/api/search?q=a&" + "&".join(f"tag={i}" for i in range(2000)))
    assert reply.status == 422
    assert len(json.dumps(reply.json)) < 1000


def test_the_file_beside_the_index_is_never_read(site):
    for path in (f"/api/outline?path={MARK}.md", f"/api/search?q={MARK}", f"/assets/{MARK}.md"):
        asked(site, path)
