"""Showing and serving take time in proportion to what is shown, asked and sent, whatever it is made of."""

import asyncio
import contextlib
from functools import partial

import h11
import pytest

from indexer.tokens import TokenCounter
from schema.errors import QueryError
from schema.filters import Filters, moment
from schema.text.characters import printable, to_json
from search.answers.budget import Budget, fit_documents, fit_section
from search.answers.wire import spelt
from search.server.markup import section_html
from search.server.security import Access, SecurityMiddleware, host_name
from tests.growing import Family, assert_grows_linearly, fill

pytestmark = [pytest.mark.growth, pytest.mark.slow]


def of(unit):
    return partial(fill, unit)


# -- Markdown → HTML: sections are cut, and what is left takes a second at most ------------------------------------------


def render(text):
    section_html.__wrapped__(text, document_path="docs/a.md")


RENDERED = [
    Family(f"rendering {name}", of(unit), render)
    for name, unit in {
        "prose": "Plain words in a sentence, one after another.\n",
        "opening images": "![",
        "opening links": "[",
        "closed brackets": "[]",
        "links of links": "[a](b ",
        "emphasis": "*_",
        "stars and letters": "*a **b ",
        "backticks": "`a``b```",
        "quotes in quotes": "> ",
        "quotes with lines behind them": "> # h\nx\n",
        "lists in lists": "- ",
        "numbers in numbers": "1. ",
        "list after list": "- a\n  1. b\n",
        "open comments": "<!--",
        "open tags": "<a href='",
        "autolinks": "<http://a>",
        "references": "[a]: b 'c\n",
        "wide tables": "|a",
        "long tables": "|a|b|\n|-|-|\n",
        "entities": "&#x202e;&nbsp;",
        "strikes": "~~a ~b",
        "escapes": "\\[\\",
        "invisible letters": "\u200d\U000e0041",
    }.items()
]


# -- characters that are spelt out ---------------------------------------------------------------------------------------


def spell_section(text):
    spans = {"matches": [[0, len(text)]], "hidden": []}
    spelt({"content": text, "body_start": 0, **spans, "window": None, "passage": None, "snippet": None})


SPELT = [
    Family(f"{job.__name__} of {name}", of(unit), job, size=250_000)
    for job in (printable, to_json, spell_section)
    for name, unit in {
        "zero-width joiners": "\u200d",
        "joiners that are kept": "می\u200c",
        "families of emoji": "👩\u200d",
        "tags": "\U000e0041",
        "line ends": "\r\n",
    }.items()
]


# -- budgets -------------------------------------------------------------------------------------------------------------

BUDGET = Budget(6000, TokenCounter())


def documents(size):
    entry = {"title": "A", "section_count": 1, "token_count": 5, "tags": ["x"]}
    return {"schema_version": 1, "documents": [{"path": f"docs/{i}.md", **entry} for i in range(size)]}


def long_section(size):
    matches = [[i * 100, i * 100 + 3] for i in range(500)]
    place = {"window": None, "passage": None, "snippet": None, "context": {}}
    return {
        "schema_version": 1,
        "id": "0" * 24,
        "content": fill("Some words.\n", size),
        "body_start": 0,
        "matches": matches,
        "hidden": [],
        **place,
    }


BUDGETS = [
    Family("a list of documents within a budget", documents, lambda told: fit_documents(told, BUDGET), size=20_000),
    Family("a long section within a budget", long_section, lambda told: fit_section(told, BUDGET)),
]


# -- filters -------------------------------------------------------------------------------------------------------------


def over_documents(**filters):
    """Compares filters with documents of a hundred letters."""
    where = Filters.of(filters)
    front_matter = {"a": {"b": list(range(20))}, "status": "draft"}

    def job(paths):
        for path in paths:
            where.allows_document(path, ("x", "y"), front_matter)

    return job


def paths(size):
    return [f"docs/{'a' * 90}{i}.md" for i in range(size)]


def refused(job):
    """What a filter says of a text may be a refusal."""

    def tried(text):
        with contextlib.suppress(QueryError):
            job(text)

    return tried


FILTERS = [
    Family("documents against stars", paths, over_documents(path="*a" * 200 + "*b"), size=8000),
    Family("documents against folders of stars", paths, over_documents(path="**/" * 100 + "*a*b"), size=8000),
    Family("documents against many globs", paths, over_documents(path=["docs/*?" + "[a-z]*" * 20] * 20), size=4000),
    Family("documents against fields", paths, over_documents(fields={"a.b": "19", "status": "none"}), size=8000),
    # no system has longer paths
    Family("a path of stars and letters", lambda size: f"{'a/' * (size // 2)}", lambda path: Filters(path=("**/a*a*b",)).allows_document(path), size=4000, is_longest=True),
    Family("a glob of stars", of("*a"), refused(lambda glob: Filters(path=(glob,)).allows_document("a" * 200))),
    Family("a glob of brackets", of("[a"), refused(lambda glob: Filters(path=(glob,)).allows_document("a" * 200))),
    Family("a path of dots", of("../."), refused(lambda path: Filters(path=(path,)))),
    Family("a path of blanks", of(" "), refused(lambda path: Filters(path=(f"{path}x",)))),
    Family("a moment of digits", of("1"), refused(moment)),
    Family("a moment of blanks", of(" "), refused(moment)),
    Family("a field of dots", of("a."), lambda name: Filters(fields=((name, "x"),)).allows_document("a", (), {"a": {}})),
]  # fmt: skip


# -- requests ------------------------------------------------------------------------------------------------------------


async def application(scope, receive, send):
    await receive()
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b""})


def request(headers=(), parts=(b"",), path="/mcp"):
    """Have the guard judge a request with these headers and a body in these parts."""
    scope = {"type": "http", "method": "POST", "path": path, "raw_path": path.encode(), "query_string": b"", "headers": [(b"host", b"localhost"), *headers]}  # fmt: skip
    left = list(reversed(parts))

    async def receive():
        return {"type": "http.request", "body": left.pop(), "more_body": bool(left)} if left else {"type": "http.disconnect"}

    async def send(_message):
        pass

    asyncio.run(SecurityMiddleware(application, Access())(scope, receive, send))


def trickle(data):
    """Have h11 read bytes one at a time, as a slow client sends them, within the bound that the server sets."""
    connection = h11.Connection(h11.SERVER, 64_000)
    try:
        for byte in data:
            connection.receive_data(bytes([byte]))
            while connection.next_event() not in (h11.NEED_DATA, h11.PAUSED):
                pass
    except h11.RemoteProtocolError:
        pass


HEAD = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\n"
REQUESTS = [
    Family("a request of many headers", lambda size: [(b"x%d" % i, b"y") for i in range(size)], request, size=50_000),
    Family("a request of many origins", lambda size: [(b"origin", b"http://a")] * size, request, size=50_000),
    Family("a body in parts of one byte", lambda size: [b" "] * size, lambda parts: request(parts=parts)),
    Family("a host of dots", of("a."), host_name),
    Family("a host of brackets", of("[:"), host_name),
    Family("a head that trickles", lambda size: HEAD + b"X: " + b"y" * size, trickle, size=60_000),
    Family("headers that trickle", lambda size: HEAD + b"X: y\r\n" * (size // 6), trickle, size=60_000),
    Family("chunks that trickle", lambda size: HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + b"1\r\nx\r\n" * (size // 6), trickle, size=250_000),
]  # fmt: skip


@pytest.mark.parametrize("family", [*RENDERED, *SPELT, *BUDGETS, *FILTERS, *REQUESTS], ids=str)
def test_serving_grows_linearly(family):
    assert_grows_linearly(family)
