"""A real browser on a real server over real indexes; a page that complained about anything fails its test."""

import os
import re
import shutil
import socket
import threading
import time
from pathlib import Path

import pytest

from tests.browser.views import TINY, query_of, small
from tests.conftest import Project, WordEmbedder

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
#: The programs looked for, in this order: without windows, tests take half the time.
CHROMIUMS = ("chromium-headless-shell", "chromium", "chromium-browser")
ROOT = Path(__file__).parents[2]
SCREENSHOTS = Path(os.environ.get("SECTIONARY_SCREENSHOTS") or ROOT / "build" / "screenshots")


@pytest.fixture(scope="session")
def browser():
    """One Chromium for all tests."""
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright for Python is not installed")
    for needed in ("fastapi", "uvicorn", "nh3", "axe_playwright_python"):
        pytest.importorskip(needed, reason=f"{needed} is not installed")
    chromium = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUMS)), None)
    if not chromium or not Path(chromium).exists():
        pytest.skip(f"There is no Chromium at {chromium or ' or '.join(CHROMIUMS)}; set CHROMIUM to one")
    with playwright.sync_playwright() as running:
        started = running.chromium.launch(executable_path=chromium, args=FLAGS)
        yield started
        started.close()


class _Embedder(WordEmbedder):
    """Takes every word for one token but a misspelt one."""

    def token_spans(self, texts):
        return [
            [(0, 2), (2, 7)] if text == "sgining" else spans
            for text, spans in zip(texts, super().token_spans(texts), strict=True)
        ]


def documents_served(documents, folder=""):
    """A fixture for one file of tests: a server of a project in this folder that has these documents."""

    @pytest.fixture(scope="module")
    def served(tmp_path_factory):
        server = Served(small(tmp_path_factory.mktemp("served") / folder, documents).index_dir)
        yield server
        server.stop()

    return served


class Served:
    """A server over one index in a thread of this process; it can stop and come back at its address."""

    def __init__(self, index_dir, token="", settings=None):
        from schema.settings import Settings
        from search.answers.service import SearchService

        self.answers = SearchService(index_dir, settings=settings or Settings(), embedder=_Embedder(max_tokens=256))
        self.token = token
        self.port = 0
        #: Seconds that the answer to a question takes longer.
        self.delays = {}
        search = self.answers.search
        self.answers.search = lambda request: (time.sleep(self.delays.get(request.query, 0)), search(request))[1]
        self.start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def start(self):
        import uvicorn

        from search.server.http import create_app
        from search.server.security import Access

        app = create_app(self.answers, access=Access(token=self.token))
        # with its protocol, without which an answer's text would wait for the acknowledgement of its headers
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", self.port))
        listener.listen()
        self.port = listener.getsockname()[1]
        config = uvicorn.Config(app, log_config=None, access_log=False, ws="none", timeout_graceful_shutdown=1)
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [listener]}, daemon=True)
        self._thread.start()
        deadline = time.monotonic() + 10
        while not self._server.started:
            assert time.monotonic() < deadline, "the server does not start"
            time.sleep(0.01)

    def stop(self):
        self._server.should_exit = True
        self._thread.join(10)


@pytest.fixture
def serve(tmp_path):
    """Start a server that ends with the test, before pytest removes the folder of its index."""
    started = []

    def start(index_dir, **options):
        started.append(Served(index_dir, **options))
        return started[-1]

    yield start
    for server in started:
        server.stop()


def served(home, write):
    project = Project(home, WordEmbedder(max_tokens=256))
    write(project)
    project.index()
    return Served(project.index_dir)


@pytest.fixture(scope="session")
def sample(tmp_path_factory):
    """A server over sample_docs."""
    server = served(
        tmp_path_factory.mktemp("sample") / "kaede", lambda p: shutil.copytree(ROOT / "sample_docs", p.home / "docs")
    )
    yield server
    server.stop()


class Visit:
    """A page and everything it complained about, asked for or was refused."""

    def __init__(self, context, url):
        self.url = url
        self.context = context
        self.complaints = []
        self.dialogs = []
        self.foreign = []
        self.asked = []
        #: A pattern for complaints that the test brings about, such as the browser's own about a server that is gone.
        self.expected = None
        context.on("request", self._note)
        context.add_init_script(
            "addEventListener('securitypolicyviolation', (e) => console.error('CSP ' + e.violatedDirective + ' ' + e.blockedURI))"
        )
        self.page = context.new_page()
        self.page.on("console", lambda message: self._complain(message.type, message.text))
        self.page.on("pageerror", lambda error: self._complain("error", str(error)))
        self.page.on("dialog", lambda dialog: (self.dialogs.append(dialog.message), dialog.dismiss()))

    def _complain(self, kind, text):
        if kind in ("error", "warning"):
            self.complaints.append(text)

    def _note(self, request):
        if not request.url.startswith((self.url + "/", "data:")):
            self.foreign.append(request.url)
        self.asked.append(request.url.removeprefix(self.url))

    def go(self, address="/"):
        """Open an address of the server and wait until it is shown."""
        self.page.goto(self.url + address)
        return self.shown()

    def shown(self):
        """Wait until the page has what it asked for."""
        self.page.locator("main:not([aria-busy])").wait_for(state="attached")
        return self.page

    def type(self, text):
        """Type into the search field and wait for the answer to all that stands there: a pause between two keys may have
        asked for less."""
        field = self.page.locator("#page-query")
        field.click()
        answered = []
        self.page.on(
            "response", lambda response: "/api/search" in response.url and answered.append(query_of(response)["q"][0])
        )
        self.page.keyboard.type(text)
        deadline = time.monotonic() + 8
        while field.input_value().strip() not in answered:
            assert time.monotonic() < deadline, f"what is typed is not answered, only {answered}"
            self.page.wait_for_timeout(10)
        return self.shown()

    def searches(self):
        """The addresses of searches so far."""
        return [address for address in self.asked if address.startswith("/api/search")]

    def assert_quiet(self):
        loud = [text for text in self.complaints if not (self.expected and re.search(self.expected, text))]
        assert (loud, self.dialogs, self.foreign) == ([], [], [])


@pytest.fixture
def open_page(browser, serve):
    """Open a context at a server; in the end no page may have complained or asked elsewhere.

    It needs `serve` because of the order in which fixtures end: the pages have to close while their servers still answer.
    """
    visits = []

    def open_at(server, *, width=1280, height=900, **options):
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        context.set_default_timeout(8000)
        visits.append(Visit(context, server.url))
        return visits[-1]

    yield open_at
    for visit in visits:
        visit.context.close()
    for visit in visits:
        visit.assert_quiet()


@pytest.fixture
def visit(open_page, sample):
    """A visit to the sample documents."""
    return open_page(sample)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """A server of a few small documents."""
    server = Served(small(tmp_path_factory.mktemp("tiny"), TINY).index_dir)
    yield server
    server.stop()
