"""`Readiness`: whether a server can answer at once, asked as often as anybody likes at the price of one check at a time.

A server is ready when the newest version of its index can be read and the model of queries is loaded, and no longer ready as
soon as it is told to stop. Load alone never makes it unready: checks do not wait in the queue of questions, or the servers
behind a balancer would be taken out one after the other just when all of them are needed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from http import HTTPStatus

from search.server.pool import Done, WorkPool

#: Status, code and sentence for a server that is being stopped.
STOPPING = (HTTPStatus.SERVICE_UNAVAILABLE, "stopping", "The server is being stopped; ask another one.")


class StoppingError(Exception):
    """Raised when a server that was told to stop is asked whether it is ready."""


class Readiness:
    """Whether a server can answer at once; `prepare` loads what is missing and raises what keeps the server from answering.

    `is_stopping` is set once the server is told to stop.
    """

    def __init__(self, prepare: Callable[[], None]) -> None:
        self._prepare = prepare
        self._pool = WorkPool(workers=1, spare=0, waiting=1)
        self._running: asyncio.Task[Done[None]] | None = None
        self.is_stopping = False

    async def check(self) -> None:
        """Return when the server can answer; calls at the same time share one check.

        Raises:
            StoppingError: the server was told to stop.
            TimeoutError: it was not ready in time, 20 seconds.
            SectionaryError: the index or the model cannot be used.
        """
        if self.is_stopping:
            raise StoppingError
        if self._running is None or self._running.done():
            self._running = asyncio.create_task(self._pool.run(self._prepare))
            self._running.add_done_callback(_fetch_outcome)
        await asyncio.shield(self._running)  # a caller that leaves does not end the check of the others
        if self.is_stopping:
            raise StoppingError

    def close(self) -> None:
        """Begin no further check."""
        self._pool.close()


def _fetch_outcome(done: asyncio.Task[Done[None]]) -> None:
    """Fetch the outcome of a check that every caller has left, or asyncio would log its error as never retrieved."""
    if not done.cancelled():
        done.exception()
