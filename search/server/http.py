"""`SearchService` → an application that speaks HTTP: JSON under `/api`, the page at `/`, and agents' calls under `/mcp`.

Handlers are plain functions run by a `WorkPool`. Nothing a request says is ever opened as a path, and nothing it does
changes anything. Errors are `{"error": {"kind", "code", "message"}}`.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from functools import partial
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.routing import Route
from starlette.types import ASGIApp

import schema
from schema.errors import (
    IndexAccessError,
    IndexDamagedError,
    IndexIncompatibleError,
    IndexLockedError,
    IndexNotFoundError,
    IndexStoreError,
    IndexUntrustedError,
    ModelError,
    NotIndexedError,
    QueryError,
    SectionaryError,
)
from schema.filters import Filters
from schema.requests import FILTERS, parameters
from schema.text.characters import to_json
from search.answers.service import SearchService
from search.answers.wire import editor_to_json
from search.answers.wire_schema import SCHEMAS, error_schema
from search.context.includes import Includes
from search.server.leaving import GivenUpWhenLeft
from search.server.markup import plain_html, section_html
from search.server.meter import Meter
from search.server.origins import BOX
from search.server.page_files import Files, box_files, page_files
from search.server.pool import BusyError, WorkPool
from search.server.questions import (
    ChangesQuestion,
    ContextQuestion,
    EditorQuestion,
    LinksQuestion,
    NamedSectionQuestion,
    NoQuestion,
    OutlineQuestion,
    SearchQuestion,
    SectionId,
    SectionQuestion,
    SimilarQuestion,
    request_of,
)
from search.server.readiness import STOPPING, Readiness, StoppingError
from search.server.refusals import refusal_of, refuse_repeated
from search.server.security import CALLS, Access, SecurityMiddleware, is_from_here, kind_of
from search.server.shown import shown_text

#: Time for drawing the sections of an answer; those that are left after it stay as written (seconds).
RENDERING_SECONDS = 2.0
_REFUSALS = (400, 401, 403, 404, 405, 413, 414, 422, 500, 503, 504)
#: What an error of an index is for programs, and a status that the framework gives.
_INDEX_CODES: Mapping[type[Exception], str] = {
    IndexNotFoundError: "index_missing",
    IndexIncompatibleError: "index_incompatible",
    IndexDamagedError: "index_damaged",
    IndexAccessError: "index_denied",
    IndexUntrustedError: "index_untrusted",
    IndexLockedError: "index_locked",
}
_CODES = {HTTPStatus.NOT_FOUND: "not_found", HTTPStatus.METHOD_NOT_ALLOWED: "method_not_allowed"}
_SENTENCES = {
    HTTPStatus.NOT_FOUND: "There is nothing at this address; /openapi.json lists those that answer.",
    HTTPStatus.METHOD_NOT_ALLOWED: "This method is not answered; ask with GET.",
}
#: What the description of the API says about a status beside its name.
_MEANT = {
    422: "A parameter is unknown, missing or cannot be used; the message names it and says what it takes.",
    400: "The question or a filter in it cannot be searched for; the message says why.",
}
_Work = Callable[[], dict[str, Any]]


def create_app(
    answers: SearchService,
    *,
    access: Access,
    pool: WorkPool | None = None,
    calls: ASGIApp | None = None,
    meter: Meter | None = None,
    running: Callable[[], AbstractAsyncContextManager[Any]] = nullcontext,
    readiness: Readiness | None = None,
) -> FastAPI:
    """The application over one index; `calls` answers under `/mcp`, `running` is entered while the application runs, `meter`
    counts, `readiness` knows whether the server is being stopped."""
    work = pool or WorkPool()

    def prepare() -> None:
        answers.prepare()

    ready = readiness or Readiness(prepare)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        try:
            async with running():
                yield
        finally:  # also where a second signal ends the server at once, or it would wait for idle threads
            work.close()
            ready.close()

    app = FastAPI(
        title="Sectionary",
        description="The sections of an index of Markdown that answer a question. Nothing can be changed here.",
        version=schema.VERSION,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        openapi_url="/openapi.json",
        dependencies=[Depends(refuse_repeated)],
        responses={status: error_schema(_MEANT.get(status, HTTPStatus(status).phrase)) for status in _REFUSALS},
    )
    app.add_middleware(GivenUpWhenLeft)
    app.add_middleware(SecurityMiddleware, access=access)
    _tell_errors(app)
    _add_api(app, answers, work)
    _add_health(app, ready)
    _add_page(app, has_box=bool(access.origins))
    if calls is not None:
        app.router.routes.append(Route(CALLS, calls, include_in_schema=False))
    (meter or Meter()).add_to(app, answers)
    return app


def _ok(name: str) -> dict[int | str, dict[str, Any]]:
    """What the description of a route says about its answer."""
    return {200: {"description": "OK", "content": {"application/json": {"schema": SCHEMAS[name]}}}}


def _add_api(app: FastAPI, answers: SearchService, pool: WorkPool) -> None:
    async def told(work: _Work) -> Response:
        done = await pool.run(work)
        begun = time.perf_counter()
        body = to_json(done.value)
        wrote = (time.perf_counter() - begun) * 1000
        timing = f"queue;dur={done.waited_ms:.1f}, work;dur={done.worked_ms:.1f}, json;dur={wrote:.1f}"
        return Response(body, media_type="application/json", headers={"server-timing": timing})

    @app.get("/api/search", responses=_ok("search"), response_class=Response, summary="The sections that answer a question")
    async def search(asked: Annotated[SearchQuestion, Query()]) -> Response:
        def work() -> dict[str, Any]:
            found = answers.search(request_of(asked))
            if asked.html:
                _add_html(found["results"])
            return found

        return await told(work)

    def read(reference: str, *, html: bool) -> dict[str, Any]:
        found = answers.find_section(reference)
        answer = answers.with_included(found)
        if html:
            places = tuple((one.target, one.to_path, one.anchor) for one in found.links if one.to_id and one.anchor)
            _add_html([answer], Includes(answers.index_dir), places=places)
        return answer

    @app.get("/api/sections/{section_id}", responses=_ok("section"), response_class=Response, summary="One section")
    async def section(section_id: SectionId, asked: Annotated[SectionQuestion, Query()]) -> Response:
        return await told(lambda: read(section_id, html=asked.html))

    @app.get(
        "/api/sections", responses=_ok("section"), response_class=Response, summary="One section by its place in a document"
    )
    async def named_section(asked: Annotated[NamedSectionQuestion, Query()]) -> Response:
        return await told(lambda: read(asked.section, html=asked.html))

    @app.get("/api/outline", responses=_ok("outline"), response_class=Response, summary="The sections of a document")
    async def outline(asked: Annotated[OutlineQuestion, Query()]) -> Response:
        return await told(lambda: answers.outline(asked.path))

    @app.get(
        "/api/links",
        responses=_ok("links"),
        response_class=Response,
        summary="The links of a section or a document and to it",
    )
    async def links(asked: Annotated[LinksQuestion, Query()]) -> Response:
        return await told(lambda: answers.links(asked.section))

    @app.get("/api/similar", responses=_ok("similar"), response_class=Response, summary="The sections most like one")
    async def similar(asked: Annotated[SimilarQuestion, Query()]) -> Response:
        filters = {
            name: getattr(asked, parameter.outer_name) for name, parameter in zip(FILTERS, parameters(*FILTERS), strict=True)
        }
        return await told(lambda: answers.similar(asked.section, limit=asked.limit, filters=Filters.of(filters)))

    @app.get("/api/changes", responses=_ok("changes"), response_class=Response, summary="What changed since a moment")
    async def changes(asked: Annotated[ChangesQuestion, Query()]) -> Response:
        return await told(lambda: answers.changes(asked.since, path=asked.path, limit=asked.limit))

    @app.get(
        "/api/editor", responses=_ok("editor"), response_class=Response, summary="What opens a section in an editor here"
    )
    async def editor(asked: Annotated[EditorQuestion, Query()], request: Request) -> Response:
        is_here = is_from_here(request.scope)
        return await told(lambda: answers.editor(asked.section, asked.line) if is_here else editor_to_json())

    @app.get("/api/documents", responses=_ok("documents"), response_class=Response, summary="All documents")
    async def documents(_: NoQuestion) -> Response:
        return await told(answers.documents)

    @app.get("/api/context", responses=_ok("context"), response_class=Response, summary="Evidence within a token budget")
    async def context(asked: Annotated[ContextQuestion, Query()]) -> Response:
        return await told(lambda: answers.context(request_of(asked), max_tokens=asked.max_tokens))

    @app.get(
        "/api/status",
        responses=_ok("status"),
        response_class=Response,
        summary="What the index contains and whether it is up to date",
    )
    async def status(_: NoQuestion) -> Response:
        return await told(answers.status)

    @app.get("/api/overview", responses=_ok("overview"), response_class=Response, summary="How the sections are made")
    async def overview(_: NoQuestion) -> Response:
        return await told(answers.overview)


def _add_health(app: FastAPI, readiness: Readiness) -> None:
    """What a balancer asks. It has no token, so it is not told where the index is or what is wrong with it in words."""

    def ok(status: str) -> Response:
        return Response(to_json({"status": status}), media_type="application/json")

    responses: dict[int | str, dict[str, Any]] = _ok("health")

    @app.get("/healthz", responses=responses, response_class=Response, summary="Whether the server runs")
    async def healthz(_: NoQuestion) -> Response:
        return ok("ok")

    @app.get("/readyz", responses=responses, response_class=Response, summary="Whether it can answer at once")
    async def readyz(_: NoQuestion) -> Response:
        try:
            await readiness.check()
        except SectionaryError as error:
            status, kind, code, headers = _refusal_of(error)
            return _told(status, kind, "The server cannot answer now; a question gets the reason.", headers, code=code)
        return ok("ready")


def _add_html(
    results: list[dict[str, Any]], includes: Includes | None = None, *, places: tuple[tuple[str, str, str], ...] = ()
) -> None:
    """Add each result's text as HTML; hostile texts take a second each, so what comes after some of them stays as written.

    With `includes`, for one section that is opened, included files are read and code has colours; `places` are those that
    its links lead to, as `section_html` takes them.
    """
    end = time.monotonic() + RENDERING_SECONDS
    for result in results:
        path, body_start = result["document_path"], result["body_start"]
        included = partial(includes.text, path) if includes is not None else None
        text = shown_text(result["content"], result["hidden"], body_start, included=included)
        is_late = time.monotonic() > end
        is_coloured = includes is not None
        draw = partial(section_html, document_path=path, is_coloured=is_coloured, places=places)
        result["html"] = plain_html(text) if is_late else draw(text)


def _add_page(app: FastAPI, *, has_box: bool) -> None:
    """The page, its files and the box for other sites, read or made once: no request names a path that is opened."""
    files, version = page_files()
    box = box_files() if has_box else {}

    async def send(name: str, request: Request, files: Files = files, *, cached: str = "no-cache") -> Response:
        if name not in files:
            raise HTTPException(HTTPStatus.NOT_FOUND)
        body, media_type, tag = files[name]
        headers = {"etag": tag, "cache-control": cached}
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
        return Response(body, media_type=media_type, headers=headers)

    @app.get("/", include_in_schema=False)
    async def page(request: Request) -> Response:
        return await send("index.html", request)

    @app.get(BOX, include_in_schema=False)
    async def embed(request: Request) -> Response:
        return await send(BOX[1:], request, box)

    @app.get("/assets/{of_version}/{name}", include_in_schema=False)
    async def asset(of_version: str, name: str, request: Request) -> Response:
        is_same = of_version == version  # else a page of another version asks, which is not to keep files of this one
        return await send(name, request, cached="public, max-age=31536000, immutable" if is_same else "no-cache")


def _told(status: int, kind: str, message: str, headers: Mapping[str, str] | None = None, *, code: str = "") -> Response:
    """An error as an answer."""
    body = to_json({"error": {"kind": kind, "code": code or kind, "message": message}})
    return Response(body, status, media_type="application/json", headers=dict(headers or {}))


def _refusal_of(error: SectionaryError) -> tuple[int, str, str, dict[str, str]]:
    """Return the status, kind, code and headers of the answer that an error becomes."""
    if isinstance(error, IndexStoreError):
        return 503, "index_unavailable", _INDEX_CODES.get(type(error), "index_unavailable"), {"retry-after": "5"}
    if isinstance(error, NotIndexedError):
        return 404, "not_indexed", "not_indexed", {}
    if isinstance(error, QueryError):
        return 400, "invalid_query", error.code, {}
    code = "model_unavailable" if isinstance(error, ModelError) else "unavailable"
    return 503, "unavailable", code, {"retry-after": "60"}


def _tell_errors(app: FastAPI) -> None:
    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        return _told(422, "invalid_parameter", refusal_of(request, error.errors()[0]))

    @app.exception_handler(SectionaryError)
    async def refused(_: Request, error: SectionaryError) -> Response:
        status, kind, code, headers = _refusal_of(error)
        return _told(status, kind, str(error), headers, code=code)

    @app.exception_handler(BusyError)
    async def busy(_: Request, __: BusyError) -> Response:
        return _told(503, "busy", "Too many questions at a time; ask again in a second.", {"retry-after": "1"})

    @app.exception_handler(StoppingError)
    async def stopping(_: Request, __: StoppingError) -> Response:
        status, code, sentence = STOPPING
        return _told(status, "busy", sentence, {"retry-after": "1"}, code=code)

    @app.exception_handler(TimeoutError)
    async def late(_: Request, __: TimeoutError) -> Response:
        return _told(504, "time_limit", "The answer took too long; ask for less or again later.")

    @app.exception_handler(HTTPException)
    async def other(_: Request, error: HTTPException) -> Response:
        status = HTTPStatus(error.status_code)
        sentence = _SENTENCES.get(status, f"{status.phrase}.")
        return _told(status, kind_of(status), sentence, error.headers, code=_CODES.get(status, "refused"))
