"""The HTTP server over a real index: what it answers, what it refuses, and what it does while the index changes."""

import asyncio
import json
import shutil
import threading
import time
from types import SimpleNamespace

import pytest

from schema.commands import to_json
from schema.settings import Settings
from search.answers import Answers
from search.server.guard import Access
from search.server.http import create_app
from search.server.pool import BusyError, WorkPool
from search.wire import search_to_json
from tests.conftest import GUIDE, Project, WordEmbedder
from tests.http_site import site_of

TOKEN = "a-token-of-some-length"


@pytest.fixture(scope="module")
def guide(tmp_path_factory):
    """A project that no test changes."""
    return written(Project(tmp_path_factory.mktemp("guide"), WordEmbedder()))


@pytest.fixture
def changing(project):
    return written(project)


def written(project):
    project.write("docs/guide.md", GUIDE)
    project.write(
        "docs/apples & <b>pears</b>.md", "# Apples\n\nApples keep until spring.\n\n## Pears\n\nPears do not keep.\n"
    )
    project.index()
    return project


def site_over(project, **access):
    answers = Answers(project.index_dir, settings=Settings(), embedder=project.embedder)
    return site_of(create_app(answers, access=Access(**access)))


@pytest.fixture(scope="module")
def site(guide):
    with site_over(guide) as site:
        yield site


# -- answers -----------------------------------------------------------------------------------------------------------


def test_a_search_gives_the_results_of_the_engine_in_the_wire_form(guide, site):
    reply = site.get("/api/search?q=apples+keep&limit=3")
    told = reply.json
    results = guide.engine().search("apples keep", limit=3)
    expected = to_json(search_to_json("apples keep", "hybrid", results, took_ms=told["took_ms"]))
    assert (reply.status, reply.body.decode()) == (200, expected)
    assert told["results"][0]["heading"] == "Apples"


def test_filters_and_offset_are_those_of_the_engine(guide, site):
    found = site.get("/api/search?q=apples&mode=lexical&depth=2&depth=3&tag=api&path=docs/guide&limit=2&offset=1").json
    filters = {"depth": [2, 3], "tags": "api", "path": "docs/guide"}
    expected = guide.engine().search("apples", mode="lexical", limit=2, offset=1, filters=filters)
    assert [hit["id"] for hit in found["results"]] == [hit.section.id for hit in expected]


def test_a_section_is_found_by_its_id(guide, site):
    hit = guide.engine().search("apples keep")[0]
    told = site.get(f"/api/sections/{hit.section.id}").json
    assert (told["content"], told["document_path"]) == (hit.section.content, "docs/apples & <b>pears</b>.md")
    assert [child["heading"] for child in told["context"]["children"]] == ["Pears"]


def test_html_is_added_where_it_is_asked_for(guide, site):
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


def test_the_status_names_the_project_and_no_folder_of_the_machine(guide, site):
    reply = site.get("/api/status")
    assert (reply.json["name"], reply.json["documents"], reply.json["sections"]) == (guide.home.name, 2, 8)
    assert str(guide.home) not in reply.body.decode()


def test_the_timing_of_an_answer_is_told(site):
    timing = site.get("/api/search?q=apples").headers["server-timing"]
    assert [part.split(";")[0].strip() for part in timing.split(",")] == ["queue", "work", "json"]


def test_it_says_that_it_is_alive_and_ready(site):
    assert site.get("/healthz").json == {"status": "ok"}
    assert site.get("/readyz").json == {"status": "ready"}


def test_the_openapi_document_lists_every_route(site):
    assert set(site.get("/openapi.json").json["paths"]) == {
        "/api/search", "/api/sections/{section_id}", "/api/outline", "/api/documents", "/api/context", "/api/status",
        "/api/overview", "/healthz", "/readyz",
    }  # fmt: skip


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
        ("/api/search?q=a&path=%5Bz-a%5D*", 422, "invalid_parameter"),
        ("/api/status?foo=1", 422, "invalid_parameter"),
        ("/api/sections/" + "0" * 24 + "?foo=1", 422, "invalid_parameter"),
        ("/api/search?q=a&since=2026-99-99", 422, "invalid_parameter"),
        ("/api/search?q=" + "a" * 2001, 422, "invalid_parameter"),
        ("/api/search?q=" + "a" * 40_000, 414, "request_uri_too_long"),
        ("/api/context?q=a&max_tokens=0", 422, "invalid_parameter"),
        ("/api/sections/" + "0" * 24, 404, "not_indexed"),
        ("/api/sections/" + "0" * 23, 422, "invalid_parameter"),
        ("/api/sections/..%2F..%2Fetc%2Fpasswd", 404, "not_found"),
        ("/api/outline?path=../../etc/passwd", 404, "not_indexed"),
        ("/api/outline?path=docs/guide.md%00", 404, "not_indexed"),
        ("/assets/..%2Fhttp.py", 404, "not_found"),
        ("/assets/nothing.js", 404, "not_found"),
        ("/nothing", 404, "not_found"),
    ],
)
def test_a_wrong_question_is_refused(site, path, status, kind):
    reply = site.get(path)
    assert (reply.status, reply.kind) == (status, kind)


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


# -- who may ask -------------------------------------------------------------------------------------------------------

EVERY_ROUTE = [
    "/", "/assets/app.js", "/api/search?q=a", "/api/sections/" + "0" * 24, "/api/outline?path=a", "/api/documents",
    "/api/context?q=a", "/api/status", "/api/overview", "/healthz", "/readyz", "/openapi.json", "/nothing",
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
def guarded(guide):
    with site_over(guide, token=TOKEN) as site:
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


@pytest.mark.parametrize("path", ["/api/status", "/api/documents", "/readyz", "/openapi.json", "/nothing"])
def test_the_token_is_wanted_everywhere_but_on_the_empty_page(guarded, path):
    assert guarded.get(path).status == 401
    assert guarded.get("/").status == 200


def test_the_token_shows_in_no_text():
    assert TOKEN not in repr(Access(token=TOKEN))
    assert TOKEN not in repr(Settings(server_token=TOKEN))


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


def test_many_threads_get_the_same_answer(guide, site):
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


# -- limits ------------------------------------------------------------------------------------------------------------


class SlowAnswers:
    """Answers a status when it is let go."""

    def __init__(self):
        self.go = threading.Event()
        self.begun = 0

    def status(self):
        self.begun += 1
        self.go.wait(30)
        return {"name": "slow"}


def slow_site(**limits):
    slow = SlowAnswers()
    app = create_app(slow, access=Access(), pool=WorkPool(**limits))
    return slow, site_of(app)


def test_a_full_queue_says_when_to_ask_again():
    slow, serving = slow_site(workers=1, waiting=1)
    with serving as site:
        replies = []
        threads = [threading.Thread(target=lambda: replies.append(site.get("/api/status"))) for _ in range(2)]
        for thread in threads:
            thread.start()
            time.sleep(0.3)
        third = site.get("/api/status")
        assert (third.status, third.kind, third.headers["retry-after"]) == (503, "busy", "1")
        assert site.get("/healthz").status == 200
        slow.go.set()
        for thread in threads:
            thread.join()
        assert [reply.status for reply in replies] == [200, 200]
        assert site.get("/api/status").status == 200


def test_what_takes_too_long_is_given_up_and_what_waited_is_never_begun():
    slow, serving = slow_site(workers=1, waiting=4, time_limit=0.5)
    with serving as site:
        replies = []
        threads = [threading.Thread(target=lambda: replies.append(site.get("/api/status"))) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert {(reply.status, reply.kind) for reply in replies} == {(504, "time_limit")}
        slow.go.set()
        time.sleep(0.2)
        assert slow.begun == 1


def test_the_pool_raises_what_the_work_raises():
    def fail():
        raise KeyError("x")

    with pytest.raises(KeyError):
        asyncio.run(WorkPool().run(fail))


def test_the_pool_counts_only_what_is_inside():
    async def run():
        pool = WorkPool(workers=1, waiting=0)
        for i in range(5):
            assert (await pool.run(lambda i=i: i)).value == i
            await asyncio.sleep(0)
        gate = threading.Event()
        first = asyncio.create_task(pool.run(gate.wait))
        await asyncio.sleep(0.05)
        with pytest.raises(BusyError):
            await pool.run(lambda: None)
        gate.set()
        return (await first).value

    assert asyncio.run(run()) is True


def test_a_fault_of_the_program_is_told_and_logged_without_what_was_asked(caplog):
    asked = "".join(["un", "speakable"])  # the line that fails is logged, what it works on is not

    def fail():
        raise ValueError(asked)

    with site_of(create_app(SimpleNamespace(status=fail), access=Access())) as site:
        reply = site.get("/api/status")
    assert (reply.status, reply.kind) == (500, "internal_server_error")
    assert reply.headers["content-security-policy"].startswith("default-src 'none'")
    assert "ValueError" in caplog.text
    assert "test_server.py" in caplog.text
    assert asked not in caplog.text + reply.body.decode()


def test_rendering_ends_when_its_time_is_over(site, monkeypatch):
    rendered = []
    monkeypatch.setattr("search.server.http._RENDERING_SECONDS", -1)
    monkeypatch.setattr("search.server.http.section_html", lambda text, **_: rendered.append(text))
    results = site.get("/api/search?q=apples&html=true").json["results"]
    assert rendered == []
    assert results[0]["html"].startswith('<pre class="plain">')


def test_no_query_is_ever_logged(site, caplog):
    caplog.set_level("DEBUG")
    site.get("/api/search?q=unspeakable")
    site.get("/api/search?q=unspeakable&limit=0")
    site.get("/api/outline?path=unspeakable")
    assert "unspeakable" not in "\n".join(
        r.getMessage() for r in caplog.records if r.name.split(".")[0] in {"search", "uvicorn"}
    )
