"""`Meter`: counts and logs each request of an application by its route, and answers `/metrics` where that is wanted.

A route is one that the application has, as `/api/sections/{section_id}`, or "other": neither counts nor logs hold an
address, a question or a path of a document.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence
from pathlib import Path

from fastapi import FastAPI, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from schema.logs import log_event
from schema.reports import IndexStatus
from schema.status import read_status
from search.answers.service import SearchService
from search.server.metrics import MEDIA_TYPE, Counts, index_lines, process_lines, text_of

_log = logging.getLogger(__name__)

#: Path of the counts.
METRICS = "/metrics"
#: The route of requests for what the application does not have.
OTHER = "other"
#: The state of the index looks at every file, so it is read again only after this time (seconds).
_STATUS_AGE = 15.0
#: How long an answer waits for that; then it says what was known before (seconds).
_STATUS_WAIT = 2.0
#: Status of a request whose client left before the answer began, as in logs of other servers.
_LEFT = 499


class Meter:
    """The counts of one server. `is_served`: whether `/metrics` is answered."""

    def __init__(self, *, is_served: bool = False) -> None:
        self.is_served = is_served
        self.counts = Counts()

    def add_to(self, app: FastAPI, answers: SearchService) -> None:
        """Put this around an application that is otherwise complete, and add `/metrics` to it if that is served."""
        if self.is_served:
            state = _IndexState(answers.index_dir)

            @app.get(METRICS, include_in_schema=False)
            async def metrics() -> Response:
                about_index = index_lines(await state.newest(), now=time.time())
                return Response(text_of(self.counts.lines(), about_index, process_lines()), media_type=MEDIA_TYPE)

        routes = tuple(path for route in app.routes if (path := getattr(route, "path", "")))
        app.add_middleware(Metered, meter=self, routes=routes)


class Metered:
    """ASGI middleware that counts and logs each request by its route, one of `routes` (paths, some with a {name})."""

    def __init__(self, app: ASGIApp, *, meter: Meter, routes: Sequence[str]) -> None:
        self._app = app
        self._counts = meter.counts
        self._exact = frozenset(route for route in routes if "{" not in route)
        self._open = tuple((route.partition("{")[0], route) for route in routes if "{" in route)

    def route_of(self, path: str) -> str:
        """Return the route of a request's path."""
        if path in self._exact:
            return path
        return next((route for start, route in self._open if path.startswith(start)), OTHER)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and count it when its answer has ended."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        route, status, begun = self.route_of(scope["path"]), _LEFT, time.perf_counter()
        is_noted = False

        def note() -> None:
            nonlocal is_noted
            if not is_noted:
                is_noted = True
                self._note(route, status, time.perf_counter() - begun)

        async def send_noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            elif not message.get("more_body", False):
                note()  # before the end is sent, so that whoever has read the answer finds it counted
            await send(message)

        try:
            await self._app(scope, receive, send_noted)
        finally:
            note()

    def _note(self, route: str, status: int, seconds: float) -> None:
        took = round(seconds * 1000, 1)
        self._counts.add_request(route, status)
        log_event(__name__, "request", f"{route} {status} in {took} ms", route=route, status=status, milliseconds=took)


class _IndexState:
    """The state of an index as it was a moment ago; read in a thread, by one at a time."""

    def __init__(self, index_dir: Path) -> None:
        self._index_dir = index_dir
        self._status: IndexStatus | None = None
        self._read_at = -_STATUS_AGE
        self._reading: asyncio.Task[None] | None = None

    async def newest(self) -> IndexStatus | None:
        """Return the state, read again if it is old; what was known before if reading takes long."""
        if time.monotonic() - self._read_at >= _STATUS_AGE:
            if self._reading is None or self._reading.done():
                self._reading = asyncio.create_task(self._read())
            await asyncio.wait([self._reading], timeout=_STATUS_WAIT)
        return self._status

    async def _read(self) -> None:
        try:
            self._status = await asyncio.to_thread(read_status, self._index_dir)
        except Exception as error:  # noqa: BLE001 — whatever it is, an operator must hear that there is no state
            _log.info("the state of the index cannot be read: %s", error)
            self._status = None
        finally:
            self._read_at = time.monotonic()
