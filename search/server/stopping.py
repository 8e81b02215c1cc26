"""`StoppingServer`: uvicorn's server, which can be told to stop without an answer being lost; `Named` adds what it says of
itself to each answer.
"""

from __future__ import annotations

import asyncio
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import uvicorn
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from search.server.readiness import STOPPING, Readiness
from search.server.security import refuse


class StoppingServer(uvicorn.Server):
    """A server that stops gracefully at SIGINT and SIGTERM, and at once at a SIGINT after that.

    After a first SIGTERM it goes on answering for `drain` seconds: whoever sends it requests sees that it is not ready, and
    none is refused meanwhile. uvicorn itself raises the signal again after it has stopped, which would skip everything that
    comes after it here.
    """

    def __init__(self, config: uvicorn.Config, readiness: Readiness, *, drain: float = 0.0) -> None:
        super().__init__(config)
        self.readiness = readiness
        self._drain = drain
        self._ends: float | None = None

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle both signals until the block ends."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to drain, or to stop."""
        is_first = not self.readiness.is_stopping
        self.readiness.is_stopping = True
        if sig == signal.SIGTERM and self._drain and is_first:
            self._ends = time.monotonic() + self._drain
        else:
            super().handle_exit(sig, frame)

    async def on_tick(self, counter: int) -> bool:
        """Tell whether it is time to stop; uvicorn asks ten times a second."""
        if self._ends is not None and time.monotonic() >= self._ends:
            self.should_exit = True
        return await super().on_tick(counter)


class Named:
    """ASGI middleware that adds the server's name to each answer, and ends connections when the server is being stopped.

    A request that is given up because the server ends gets status 503 if nothing of its answer was sent yet. `inside` is
    the number of requests that are being answered, `last` the time (monotonic) when the last answer ended.
    """

    def __init__(self, app: ASGIApp, name: str, readiness: Readiness | None = None) -> None:
        self._app = app
        self._name = name
        self._readiness = readiness
        self.inside = 0
        self.last = time.monotonic()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        is_begun = False

        async def send_named(message: Message) -> None:
            nonlocal is_begun
            if message["type"] == "http.response.start":
                is_begun = True
                headers = MutableHeaders(scope=message)
                headers["sectionary-instance"] = self._name
                if self._is_stopping:
                    headers["connection"] = "close"  # so that the client's next request goes to another server
            await send(message)

        self.inside += 1
        try:
            await self._app(scope, receive, send_named)
        except asyncio.CancelledError:
            if is_begun or not self._is_stopping:
                raise
            await refuse(send_named, *STOPPING)
        finally:
            self.inside -= 1
            self.last = time.monotonic()

    @property
    def _is_stopping(self) -> bool:
        return self._readiness is not None and self._readiness.is_stopping
