"""`StoppingServer`: uvicorn's server, which can be told to stop without an answer being lost."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import uvicorn

from search.server.readiness import Readiness


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
