"""`search similar` and `search changes`, in the terminal and over HTTP."""

import json

import pytest
from fastapi.testclient import TestClient
from jsonschema import Draft202012Validator

from schema.settings import Settings
from search.answers.changes_wire import changes_to_json, render_changes
from search.answers.service import SearchService
from search.answers.wire_schema import SCHEMAS
from search.server.http import create_app
from search.server.security import Access
from tests.integration.test_commands import run  # noqa: F401 — a fixture


@pytest.fixture
def terminal(run, manual):  # noqa: F811
    run("index", "docs")
    guide = (manual.home / "docs/guide.md").read_text()
    manual.write("docs/guide.md", guide.replace("Apples are red", "Apples are yellow").replace("### Linux", "### BSD"))
    run("index", "docs")
    return lambda *arguments: run("search", *arguments)


def test_similar_sections_are_printed_as_hits(terminal):
    code, out, err = terminal("similar", "docs/guide.md#first-child", "--explain", "-n", "1")
    assert (code, err) == (0, "")
    assert out.startswith("1. The Guide > Guide > Empty parent > Second child")
    assert "lexical" in out


def test_a_section_may_be_named_by_its_line_and_the_answer_be_json(terminal):
    code, out, _ = terminal("similar", "docs/guide.md:20", "--json")
    answer = json.loads(out)
    Draft202012Validator(SCHEMAS["similar"]).validate(answer)
    assert (code, answer["heading"], answer["results"][0]["heading"]) == (0, "First child", "Second child")


def test_filters_hold_for_similar_sections_and_a_missing_one_is_told(terminal):
    _, out, err = terminal("similar", "docs/guide.md#first-child", "--path", "docs/gide")
    assert out == ""
    assert err == (
        "search: The filters leave nothing of what was found (path docs/gide); ask with fewer of them. "
        "No document's path begins with docs/gide; did you mean docs/guide.md?\n"
    )
    code, _, err = terminal("similar", "docs/guide.md#first-chld")
    assert code != 0
    assert err == "search: There is no section docs/guide.md#first-chld in the index; did you mean first-child?\n"


def test_a_blank_name_or_filter_is_refused_and_a_folder_is_told(terminal):
    for command in ("links", "similar", "section", "outline"):
        code, out, err = terminal(command, " ")
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert err.startswith("search: The name of the section or document is empty")
    for option in ("--path", "--root", "--tag"):
        code, out, err = terminal("apples", option, "")
        assert (code, out) == (2, "")
        assert err.endswith("filter takes text that is not blank, not ''.\n")
    assert terminal("links", "docs")[2] == "search: docs is a folder; name one of its documents, such as docs/guide.md.\n"


def test_changes_are_printed_by_document(terminal):
    code, out, err = terminal("changes")
    assert (code, err) == (0, "")
    first, document, *sections = out.splitlines()
    assert first.endswith("UTC: 1 added, 1 changed, 1 removed")
    assert document.startswith("docs/guide.md  20")
    assert [section.rpartition("  ")[0] for section in sections] == [
        "  + BSD  L13-16",
        "  ~ First child  L19-22",
        "  - Linux  removed",
    ]


def test_changes_since_a_day_as_json_have_the_promised_form(terminal):
    code, out, _ = terminal("changes", "--since", "1d", "--json", "--limit", "3", "--path", "docs/guide.md")
    answer = json.loads(out)
    Draft202012Validator(SCHEMAS["changes"]).validate(answer)
    assert (code, answer["omitted"], answer["counts"]["removed"]) == (0, 4, 1)
    assert terminal("changes", "--since-run", "--json")[0] == 0


def test_wrong_uses_end_with_two_and_a_sentence(terminal):
    for options in [
        ("--since", "soon"),
        ("--since", "1d", "--since-run"),
        ("--limit", "0"),
        ("--since-commit", "-x", "--since", "1d"),
    ]:
        code, out, err = terminal("changes", *options)
        assert (code, out) == (2, "")
        assert err.strip()


def test_an_index_without_notes_says_what_to_do(terminal, manual):
    (manual.index_dir / "store" / "changes.sqlite").unlink()
    told = "search: The index does not know yet when a run changed something; ask since a date or an age such as 7d.\n"
    assert terminal("changes")[2] == told
    assert terminal("changes", "--since", "1d")[0] == 0


def test_names_that_could_fake_lines_stay_on_theirs(terminal, run, manual):  # noqa: F811
    manual.write("docs/a\nb.md", "# Head\u202e\x1b[31m\n\nText.\n")
    run("index", "docs")
    lines = terminal("changes")[1].splitlines()
    assert len(lines) == 3
    assert "\x1b" not in lines[2] + lines[1]


@pytest.fixture
def client(orchard):
    answers = SearchService(orchard.index_dir, settings=Settings(), embedder=orchard.embedder)
    with TestClient(create_app(answers, access=Access()), base_url="http://127.0.0.1") as client:
        yield client


def test_http_answers_with_the_promised_forms(client):
    similar = client.get("/api/similar", params={"section": "docs/guide.md#first-child", "limit": 2, "depth": [3]})
    Draft202012Validator(SCHEMAS["similar"]).validate(similar.json())
    assert (similar.status_code, similar.json()["results"][0]["heading"]) == (200, "Second child")
    for params in ({}, {"since": "7d"}, {"path": "docs/guide.md", "limit": 1}):
        changes = client.get("/api/changes", params=params)
        assert changes.status_code == 200
        Draft202012Validator(SCHEMAS["changes"]).validate(changes.json())


@pytest.mark.parametrize(
    ("path", "params", "status"),
    [
        ("/api/similar", {}, 422),
        ("/api/similar", {"section": "docs/none.md"}, 404),
        ("/api/similar", {"section": "docs/guide.md", "limit": 101}, 422),
        ("/api/similar", {"section": "docs/guide.md", "q": "x"}, 422),
        ("/api/changes", {"since": "soon"}, 422),
        ("/api/changes", {"since_commit": "HEAD"}, 422),
        ("/api/changes", {"path": "../x"}, 422),
        ("/api/search", {"q": "apples", "prefer_recent": "soon"}, 422),
    ],
)
def test_http_refuses_what_makes_no_sense_and_runs_no_git(client, path, params, status):
    assert client.get(path, params=params).status_code == status


def test_http_prefers_recent_documents_if_asked(client):
    found = client.get("/api/search", params={"q": "apples", "prefer_recent": "30d"}).json()
    assert all("recency" in hit["parts"] or hit["parts"] for hit in found["results"])
    assert found["answered"] == client.get("/api/search", params={"q": "apples"}).json()["answered"]


def test_text_of_changes_says_what_it_leaves_out(orchard):
    answer = changes_to_json(orchard.engine().changes("7d", limit=1))
    told = render_changes(answer).splitlines()
    assert told[3].endswith("more; give a larger --limit.")
    assert told[4].startswith("Removed sections are known since 20")
