"""The search box on a page of another site, in a real browser: keys, an input method, hits that lead to pages, axe."""

import contextlib
import http.server
import threading

import pytest

from schema.settings import Settings
from search.answers.service import SearchService
from search.server.http import create_app
from search.server.security import Access
from tests.browser.conftest import ROOT
from tests.conftest import GUIDE, Project, WordEmbedder
from tests.http_site import site_of

pytestmark = pytest.mark.browser
EXAMPLE = (ROOT / "docs" / "examples" / "search-box.html").read_text(encoding="utf-8")


@contextlib.contextmanager
def documentation():
    """A site of its own origin, which answers every address with the example page, in Japanese below /ja/ and in Korean below
    /ko/; `page` is set before it is asked."""

    class Pages(http.server.BaseHTTPRequestHandler):
        page = ""

        def do_GET(self):
            language = self.path.split("/")[1] if self.path.startswith(("/ja/", "/ko/")) else "en"
            body = type(self).page.replace('<html lang="en">', f'<html lang="{language}">').encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://localhost:{server.server_address[1]}", Pages
        server.shutdown()


@pytest.fixture
def box(browser, tmp_path):
    """A page of another site with the box, its origin, and what the page complained about."""
    project = Project(tmp_path, WordEmbedder(max_tokens=256))
    project.write("docs/guide.md", GUIDE)
    project.write("docs/odd.md", "# Cranks `<img src=x onerror=alert(1)>`\n\nA crank <b>turns</b>.\n")
    project.index()
    with documentation() as (origin, pages):
        settings = Settings(base_url=f"{origin}/")
        answers = SearchService(project.index_dir, settings=settings, embedder=project.embedder)
        with site_of(create_app(answers, access=Access(origins=frozenset({origin})))) as site:
            pages.page = EXAMPLE.replace("http://127.0.0.1:8731/", site.url)
            context = browser.new_context()
            page = context.new_page()
            complaints = []
            page.on("console", lambda message: message.type == "error" and complaints.append(message.text))
            page.on("pageerror", lambda error: complaints.append(str(error)))
            page.on("dialog", lambda dialog: (complaints.append(dialog.message), dialog.dismiss()))
            page.goto(f"{origin}/start")
            yield page, origin, complaints
            context.close()


def hits_of_what_is_typed(page):
    """The hits in the box, once the last question is answered: a pause between two keys may have asked an earlier one."""
    page.locator('[role="listbox"][aria-busy="false"]').wait_for()
    options = page.get_by_role("option")
    options.first.wait_for()
    return options


def test_keys_lead_from_the_page_to_a_section_of_the_site(box):
    page, origin, complaints = box
    page.keyboard.press("/")
    field = page.get_by_role("combobox")
    field.wait_for()
    page.keyboard.type("penguins crank")
    options = hits_of_what_is_typed(page)
    assert field.get_attribute("aria-expanded") == "true"
    assert "Linux" in options.first.inner_text()
    page.keyboard.press("ArrowDown")
    assert options.nth(1).get_attribute("aria-selected") == "true"
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{origin}/guide.html#linux")
    assert complaints == []


def test_enter_before_the_answer_leads_to_the_first_hit_of_what_is_typed(box):
    page, origin, _ = box
    page.keyboard.press("/")
    page.keyboard.type("penguins crank")
    hits_of_what_is_typed(page)
    page.get_by_role("combobox").fill("bananas")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{origin}/guide.html#second-child")


def test_escape_closes_and_text_of_documents_stays_text(box):
    page, _, complaints = box
    page.get_by_role("button", name="Search").click()
    page.keyboard.type("cranks turns")
    hits_of_what_is_typed(page)
    assert "<img src=x onerror=alert(1)>" in page.get_by_role("listbox").inner_text()
    assert page.locator("li img, li b").count() == 0
    page.keyboard.press("Escape")
    page.get_by_role("combobox").wait_for(state="hidden")
    assert complaints == []


def test_box_has_no_fault_that_axe_knows(box):
    page, _, _ = box
    from axe_playwright_python.sync_playwright import Axe

    page.keyboard.press("/")
    page.keyboard.type("crank")
    hits_of_what_is_typed(page)
    page.evaluate(Axe().axe_script)
    assert page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"] == []


@pytest.mark.parametrize(
    ("language", "told"),
    [("en", "since:lately"), ("ja", "この書き方では検索できません。"), ("ko", "이렇게 쓴 것은 검색할 수 없습니다.")],
)
def test_question_that_is_refused_is_told_in_the_language_of_the_site(box, language, told):
    page, origin, _ = box
    page.goto(f"{origin}/{language}/start")
    field = page.get_by_role("combobox")
    page.keyboard.press("/")
    field.fill("since:lately")
    status = page.locator("[data-sectionary-box] .status")
    status.filter(has_text=told).wait_for()
    assert page.get_by_role("option").count() == 0
