"""The HTTP server over a real index: what it answers, what it cannot answer, and what it does while the index changes."""

import json
import re
import shutil
import threading
from pathlib import Path
from urllib.parse import quote

import pytest
from jsonschema import Draft202012Validator

from schema.errors import (
    IndexAccessError,
    IndexDamagedError,
    IndexLockedError,
    IndexNotFoundError,
    IndexStoreError,
    IndexUntrustedError,
)
from schema.text.characters import to_json
from search.answers.wire import search_to_json
from search.answers.wire_schema import error_schema
from search.server import http
from tests.conftest import GUIDE
from tests.http_site import site_over

# -- answers -----------------------------------------------------------------------------------------------------------


def test_a_search_gives_the_results_of_the_engine_in_the_wire_form(orchard, site):
    reply = site.get("/api/search?q=apples+keep&limit=3")
    told = reply.json
    page = orchard.engine().page("apples keep", limit=3)
    expected = to_json(search_to_json("apples keep", "hybrid", page, took_ms=told["took_ms"]))
    assert (reply.status, reply.body.decode()) == (200, expected)
    assert told["results"][0]["heading"] == "Apples"


def test_filters_and_offset_are_those_of_the_engine(orchard, site):
    found = site.get("/api/search?q=apples&mode=lexical&depth=2&depth=3&tag=api&path=docs/guide&limit=2&offset=1").json
    filters = {"depth": [2, 3], "tags": "api", "path": "docs/guide"}
    expected = orchard.engine().search("apples", mode="lexical", limit=2, offset=1, filters=filters)
    assert [hit["id"] for hit in found["results"]] == [hit.section.id for hit in expected]


def test_a_section_is_found_by_its_id(orchard, site):
    hit = orchard.engine().search("apples keep")[0]
    told = site.get(f"/api/sections/{hit.section.id}").json
    assert (told["content"], told["document_path"]) == (hit.section.content, "docs/apples & <b>pears</b>.md")
    assert [child["heading"] for child in told["context"]["children"]] == ["Pears"]


@pytest.mark.parametrize("place", ["#pears", ":9"])
def test_a_section_is_found_by_its_place_in_a_document(orchard, site, place):
    (hit,) = (hit for hit in orchard.engine().search("pears") if hit.section.anchor == "pears")
    reference = quote(hit.section.document_path + place.replace("9", str(hit.section.start_line)), safe="")
    assert site.get(f"/api/sections?section={reference}").json["id"] == hit.section.id


def test_a_place_that_is_in_no_document_is_told(site):
    reply = site.get("/api/sections?section=docs/none.md%23pears")
    assert (reply.status, reply.json["error"]["kind"]) == (404, "not_indexed")


def test_html_is_added_where_it_is_asked_for(orchard, site):
    first = site.get("/api/search?q=apples+keep&html=true").json["results"][0]
    assert first["html"].strip() == "<p>Apples keep until spring.</p>"
    assert "html" not in site.get("/api/search?q=apples+keep").json["results"][0]
    assert site.get(f"/api/sections/{first['id']}?html=true").json["html"] == first["html"]


def test_an_outline_lists_the_sections_of_a_document(site):
    told = site.get("/api/outline?path=docs/apples%20%26%20%3Cb%3Epears%3C/b%3E.md").json
    assert [(link["heading"], link["depth"]) for link in told["sections"]] == [("Apples", 1), ("Pears", 2)]


def test_documents_come_with_their_counts(site):
    told = site.get("/api/documents").json["documents"]
    assert [(one["path"], one["section_count"], one["tags"]) for one in told] == [
        ("docs/apples & <b>pears</b>.md", 2, []), ("docs/guide.md", 6, ["guide", "API"])
    ]  # fmt: skip


def test_a_context_pack_keeps_to_its_budget(site):
    told = site.get("/api/context?q=apples&max_tokens=60").json
    assert 0 < told["token_count"] <= 60
    assert "Apples" in told["text"]


def test_a_context_pack_without_room_for_any_text_says_so(site):
    told = site.get("/api/context?q=apples&max_tokens=1").json
    assert (told["text"], told["advice"]) == ("", "So few tokens have no room for any text: ask for more.")
    assert "advice" not in site.get("/api/context?q=apples").json


def test_the_status_names_the_project_and_no_folder_of_the_machine(orchard, site):
    reply = site.get("/api/status")
    assert (reply.json["name"], reply.json["documents"], reply.json["sections"]) == (orchard.home.name, 2, 8)
    assert str(orchard.home) not in reply.body.decode()


def test_the_timing_of_an_answer_is_told(site):
    timing = site.get("/api/search?q=apples").headers["server-timing"]
    assert [part.split(";")[0].strip() for part in timing.split(",")] == ["queue", "work", "json"]


def test_it_says_that_it_is_alive_and_ready(site):
    assert site.get("/healthz").json == {"status": "ok"}
    assert site.get("/readyz").json == {"status": "ready"}


def test_the_openapi_document_lists_every_route(site):
    assert set(site.get("/openapi.json").json["paths"]) == {
        "/api/search", "/api/sections/{section_id}", "/api/sections", "/api/outline", "/api/documents", "/api/context", "/api/status",
        "/api/links", "/api/similar", "/api/changes", "/api/editor", "/api/overview", "/healthz", "/readyz",
    }  # fmt: skip


def test_the_page_names_all_of_its_files_and_each_is_served(site):
    types = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
    page = site.get("/").body.decode()
    [folder] = set(re.findall(r'(?:href|src)="(/assets/\w+/)', page))
    names = re.findall(rf'(?:href|src)="{folder}([^"]+)"', page)
    for name in names:  # modules import others
        reply = site.get(folder + name)
        assert (reply.status, reply.headers.get("content-type")) == (200, types[Path(name).suffix])
        imported = re.findall(r'from "\./([^"]+)"', reply.body.decode())
        names += [one for one in imported if one not in names]
    folder = Path(http.__file__).parent / "page"
    assert {*names, "index.html"} == {path.name for path in folder.iterdir()} | {"characters.js"}


def test_files_of_the_page_are_kept_by_browsers_and_the_page_is_asked_for_each_time(site):
    [version] = set(re.findall(r"/assets/(\w+)/", site.get("/").body.decode()))
    kept = [site.get(path).headers["cache-control"] for path in (f"/assets/{version}/app.js", "/assets/0/app.js", "/")]
    assert kept == ["public, max-age=31536000, immutable", "no-cache", "no-cache"]


@pytest.mark.parametrize("path", ["/healthz", "/", "/api/status"])
def test_head_is_answered_without_a_body(site, path):
    reply = site.get(path, method="HEAD")
    assert (reply.status, reply.body) == (200, b"")
    assert int(reply.headers["content-length"]) > 0


def test_control_characters_never_reach_a_reader(changing):
    changing.write("docs/odd\u202e.md", "# Odd \x1b[31m heading\u2066\n\nBells \x07 and \x9b31m and \u200f marks.\n")
    changing.index()
    with site_over(changing) as site:
        for path in ("/api/search?q=bells&html=true", "/api/documents", "/api/context?q=bells", "/api/overview"):
            text = site.get(path).body.decode()
            assert not [c for c in text if c in "\x1b\x07\x9b\u202e\u2066\u200f"]


# -- wrong questions ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "status", "kind"),
    [
        ("/api/search", 422, "invalid_parameter"),
        ("/api/search?q=", 422, "invalid_parameter"),
        ("/api/search?q=%20%09", 422, "invalid_parameter"),
        ("/api/search?q=a&limit=0", 422, "invalid_parameter"),
        ("/api/search?q=a&limit=101", 422, "invalid_parameter"),
        ("/api/search?q=a&limit=x", 422, "invalid_parameter"),
        ("/api/search?q=a&offset=-1", 422, "invalid_parameter"),
        ("/api/search?q=a&mode=magic", 422, "invalid_parameter"),
        ("/api/search?q=a&depth=4", 422, "invalid_parameter"),
        ("/api/search?q=a&tga=api", 422, "invalid_parameter"),
        ("/api/search?q=a&field=status", 422, "invalid_parameter"),
        ("/api/search?q=a&path=*%5C", 422, "invalid_parameter"),
        ("/api/status?foo=1", 422, "invalid_parameter"),
        ("/api/sections/" + "0" * 24 + "?foo=1", 422, "invalid_parameter"),
        ("/api/search?q=a&since=2026-99-99", 422, "invalid_parameter"),
        ("/api/search?q=" + "a" * 10_001, 422, "invalid_parameter"),
        ("/api/search?q=" + "a" * 40_000, 414, "request_uri_too_long"),
        ("/api/context?q=a&max_tokens=0", 422, "invalid_parameter"),
        ("/api/sections/" + "0" * 24, 404, "not_indexed"),
        ("/api/sections/" + "0" * 5, 422, "invalid_parameter"),
        ("/api/sections/..%2F..%2Fetc%2Fpasswd", 404, "not_found"),
        ("/api/outline?path=../../etc/passwd", 404, "not_indexed"),
        ("/api/outline?path=docs/guide.md%00", 404, "not_indexed"),
        ("/assets/0/..%2Fhttp.py", 404, "not_found"),
        ("/assets/0/nothing.js", 404, "not_found"),
        ("/nothing", 404, "not_found"),
    ],
)
def test_a_wrong_question_is_refused(site, path, status, kind):
    reply = site.get(path)
    assert (reply.status, reply.kind) == (status, kind)


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("search", "The parameter q is missing; it takes a text of 1 to 10,000 characters that is not blank."),
        ("search?q=%09", "The parameter q takes a text of 1 to 10,000 characters that is not blank."),
        ("search?q=a&limit=0", "The parameter limit takes a whole number from 1 to 100."),
        ("search?q=a&limit=x", "The parameter limit takes a whole number from 1 to 100."),
        ("search?q=a&min_relevance=2", "The parameter min_relevance takes a number from 0 to 1."),
        ("search?q=a&mode=magic", "The parameter mode takes hybrid, lexical or dense."),
        ("search?q=a&depth=1&depth=4", "The parameter depth takes a whole number from 0 to 3."),
        ("search?q=a&fold=maybe", "The parameter fold takes true or false."),
        ("search?q=a&field=status", "The parameter field takes name=value, as in field=status=draft."),
        ("search?q=a&language=english", "The parameter language takes a language code such as en, ja or ko."),
        ("search?q=a&prefer_recent=1y", "The parameter prefer_recent takes an age such as 90d or 12w."),
        ("search?q=a" + "&tag=x" * 21, "The parameter tag can be given 20 times, not 21 times."),
        ("search?q=a&q=b", "The parameter q can be given once, not 2 times."),
        ("changes?limit=1&limit=2&limit=2", "The parameter limit can be given once, not 3 times."),
        ("similar?section=a&lmit=3", ("There is no parameter lmit (did you mean limit?); there are section, limit, path, "
         "depth, tag, field, language, root, since, clean.")),
        ("status?foo=1", "There is no parameter foo; /api/status takes none."),
        ("outline", "The parameter path is missing; it takes a text of 1 to 2,000 characters that is not blank."),
        ("outline?path=%20", "The parameter path takes a text of 1 to 2,000 characters that is not blank."),
        ("links?section=%20", "The parameter section takes a text of 1 to 2,500 characters that is not blank."),
        ("changes?since=" + "1" * 41, ("The parameter since takes a date such as 2026-11-01, an age such as 30min, 2h, 7d or 2w, "
         "today or yesterday.")),
        ("changes?since=lately", ("The since filter takes a date such as 2026-11-01, an age such as 30min, 2h, 7d or 2w, today "
         "or yesterday, not 'lately'.")),
        ("sections/xyz", ("The parameter section_id takes the id of a section, as a search shows it, or its first 6 or "
         "more digits.")),
    ],
)  # fmt: skip
def test_a_parameter_that_cannot_be_used_is_told_in_one_sentence_with_what_it_takes(site, path, sentence):
    reply = site.get(f"/api/{path}")
    assert (reply.status, reply.message) == (422, sentence)


@pytest.mark.parametrize(
    ("path", "headers", "code"),
    [
        ("/api/search?q=a+since:soon", {}, "field_since"),
        ("/api/search?q=a+depth:9", {}, "field_depth"),
        ("/api/search?q=a+lang:typescript", {}, "field_lang"),
        ("/api/search?q=a+-since:7d", {}, "field_minus"),
        ("/api/search?q=a" + "+-path:x" * 99, {}, "too_many_fields"),
        ("/api/search?q=a+path:../x", {}, "path_filter"),
        ("/api/search?q=a&limit=0", {}, "invalid_parameter"),
        ("/api/sections/" + "0" * 24, {}, "not_indexed"),
        ("/nothing", {}, "not_found"),
        ("/api/search?q=" + "a" * 40_000, {}, "address_too_long"),
        ("/api/status", {"Host": "elsewhere"}, "host_refused"),
        ("/api/status", {"Origin": "http://elsewhere"}, "origin_refused"),
        ("/api/status", {"Sec-Fetch-Site": "cross-site"}, "site_refused"),
        ("/api/status", {"Content-Length": "5"}, "body_too_large"),
    ],
)
def test_a_refusal_says_why_by_a_code_of_its_own(site, path, headers, code):
    reply = site.get(path, headers=headers)
    assert (reply.code, reply.message.count(".") >= 1) == (code, True)
    Draft202012Validator(error_schema("")["content"]["application/json"]["schema"]).validate(reply.json)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (IndexNotFoundError, "index_missing"),
        (IndexDamagedError, "index_damaged"),
        (IndexAccessError, "index_denied"),
        (IndexUntrustedError, "index_untrusted"),
        (IndexLockedError, "index_locked"),
        (IndexStoreError, "index_unavailable"),
    ],
)
def test_an_index_that_cannot_be_asked_is_told_by_a_code(changing, monkeypatch, error, code):
    def refuse(*_given):
        raise error("It cannot be asked.", index_dir=changing.index_dir)

    monkeypatch.setattr("search.answers.service.SearchService.status", refuse)
    with site_over(changing) as site:
        reply = site.get("/api/status")
    assert (reply.status, reply.kind, reply.code) == (503, "index_unavailable", code)


def test_the_refusal_names_the_parameter_and_never_the_value(site):
    reply = site.get("/api/search?q=a&limit=SECRET")
    assert "limit" in reply.message
    assert "SECRET" not in reply.message


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_nothing_but_reading_is_allowed(site, method):
    reply = site.get("/api/search?q=a", method=method)
    assert (reply.status, reply.headers["allow"]) == (405, "GET, HEAD")


def test_a_body_is_refused(site):
    assert site.get("/api/search?q=a", body=b"x").status == 413


@pytest.mark.parametrize("length", ["-1", "1e9", "²", "9" * 30])
def test_a_length_that_is_no_number_is_refused(site, length):
    reply = site.get("/healthz", headers={"Content-Length": length.encode("utf-8")})
    assert reply.status in {400, 413}


# -- while the index changes -------------------------------------------------------------------------------------------


def test_an_update_of_the_index_is_seen_by_the_next_question(changing):
    with site_over(changing) as site:
        assert not [h for h in site.get("/api/search?q=quinces&mode=lexical").json["results"] if "Quinces" in h["content"]]
        changing.write("docs/new.md", "# Quinces\n\nQuinces are hard.\n")
        changing.index()
        assert site.get("/api/search?q=quinces&mode=lexical").json["results"][0]["document_path"] == "docs/new.md"


def test_without_an_index_it_says_so_and_answers_when_there_is_one(project):
    with site_over(project) as site:
        reply = site.get("/api/search?q=apples")
        assert (reply.status, reply.kind, reply.headers["retry-after"]) == (503, "index_unavailable", "5")
        assert (site.get("/readyz").status, site.get("/healthz").status) == (503, 200)
        project.write("docs/guide.md", GUIDE)
        project.index()
        assert site.get("/api/search?q=apples").json["results"][0]["heading"] == "First child"
        assert site.get("/readyz").status == 200


def test_an_index_deleted_underneath_is_told_and_its_successor_answers(changing):
    with site_over(changing) as site:
        assert site.get("/api/search?q=apples").status == 200
        shutil.rmtree(changing.index_dir)
        assert site.get("/api/search?q=apples").status == 503
        changing.index()
        assert site.get("/api/search?q=apples").json["results"]


def test_an_index_of_another_model_is_told(changing, make_embedder):
    with site_over(changing) as site:
        shutil.rmtree(changing.index_dir)
        changing.index(embedder=make_embedder("other"))
        reply = site.get("/api/search?q=apples")
        assert (reply.status, reply.kind) == (503, "index_unavailable")
        assert "other" in reply.message


def test_many_threads_get_the_same_answer(orchard, site):
    bodies = set()

    def ask():
        for _ in range(10):
            told = site.get("/api/search?q=apples+keep").json
            bodies.add(json.dumps(told["results"]))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(bodies) == 1


def test_rendering_ends_when_its_time_is_over(site, monkeypatch):
    rendered = []
    monkeypatch.setattr("search.server.http.RENDERING_SECONDS", -1)
    monkeypatch.setattr("search.server.http.section_html", lambda text, **_: rendered.append(text))
    results = site.get("/api/search?q=apples&html=true").json["results"]
    assert rendered == []
    assert results[0]["html"].startswith('<pre class="plain">')
