"""The address that opens a section in an editor: who learns it, and which files it can name."""

import os
from urllib.parse import quote

import pytest

from schema.settings import Settings
from search.answers.document_files import editor_address
from search.answers.service import SearchService
from search.server.http import create_app
from search.server.security import Access
from tests.http_site import site_over

ASKED = "/api/editor?section=docs/guide.md"
NAMES = frozenset({"localhost", "127.0.0.1", "::1", "docs.example.com", "192.168.1.2"})


@pytest.fixture(scope="module")
def application(orchard):
    answers = SearchService(orchard.index_dir, settings=Settings(), embedder=orchard.embedder)
    return create_app(answers, access=Access(hosts=NAMES))


def told(application, *, client="127.0.0.1", host="127.0.0.1:8731", asked=ASKED, headers=None):
    """The answer to a request of this client under this name of the server."""
    from starlette.testclient import TestClient

    asking = TestClient(application, base_url=f"http://{host}", client=(client, 50000))
    reply = asking.get(asked, headers=headers or {})
    assert reply.status_code == 200
    return reply.json()["address"]


def expected(orchard, line):
    return f"vscode://file{quote(str(orchard.home / 'docs' / 'guide.md'))}:{line}"


@pytest.mark.parametrize(
    ("client", "host"), [("127.0.0.1", "127.0.0.1:8731"), ("::1", "[::1]:8731"), ("127.0.0.1", "localhost")]
)
def test_this_machine_learns_the_path_and_the_first_line(application, orchard, client, host):
    assert told(application, client=client, host=host) == expected(orchard, 5)


def test_another_line_can_be_asked_for(application, orchard):
    assert told(application, asked=f"{ASKED}&line=14") == expected(orchard, 14)


@pytest.mark.parametrize(
    ("client", "host", "headers"),
    [
        ("192.168.1.7", "127.0.0.1:8731", {}),
        ("192.168.1.7", "192.168.1.2:8731", {}),
        ("172.17.0.1", "localhost", {}),
        ("127.0.0.1", "docs.example.com", {}),
        ("127.0.0.1", "localhost", {"X-Forwarded-For": "203.0.113.5"}),
        ("127.0.0.1", "localhost", {"Forwarded": "for=203.0.113.5"}),
        ("127.0.0.1", "localhost", {"Via": "1.1 proxy"}),
        ("testclient", "localhost", {}),
    ],
)
def test_nobody_else_learns_it(application, client, host, headers):
    assert told(application, client=client, host=host, headers=headers) == ""


def test_a_server_tells_it_to_this_machine(orchard, site):
    assert site.get(ASKED).json == {"schema_version": 1, "address": expected(orchard, 5)}
    assert site.get(ASKED, headers={"X-Forwarded-For": "10.0.0.1"}).json["address"] == ""


def test_section_that_is_not_there_is_told(site):
    reply = site.get("/api/editor?section=docs/none.md")
    assert (reply.status, reply.kind) == (404, "not_indexed")


def test_an_index_of_somebody_else_names_no_file(changing):
    assert editor_address(changing.index_dir, "docs/guide.md", 1).endswith("/docs/guide.md:1")
    (changing.index_dir / "identity").unlink()
    assert editor_address(changing.index_dir, "docs/guide.md", 1) == ""
    with site_over(changing) as site:
        assert site.get(ASKED).json["address"] == ""


def test_a_link_out_of_the_root_and_a_file_that_is_gone_have_no_address(changing, notes):
    place = changing.home / "docs" / "guide.md"
    place.unlink()
    assert editor_address(changing.index_dir, "docs/guide.md", 1) == ""
    os.symlink(notes / "x.md", place)
    assert editor_address(changing.index_dir, "docs/guide.md", 1) == ""
