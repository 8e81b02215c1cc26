"""`Connection`: uvicorn's HTTP connection with time limits on what the client has to do, and a cap on how many are open.

uvicorn has no time limit for clients that send a request slowly or do not read their answer. Here a client has
`REQUEST_SECONDS` for the head of a request, the same time again for its body, and `ANSWER_SECONDS` to read the answer.
Bytes that arrive one by one do not extend these times. If more than `MAX_CONNECTIONS` are open, the one that has waited
longest for its client is closed.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Time for a client to send the head of a request, and again to send its body (seconds).
REQUEST_SECONDS = 10.0
#: Time for a client to read an answer (seconds).
ANSWER_SECONDS = 30.0
#: Most open connections: few answers are made at a time, and the index needs file descriptors too.
MAX_CONNECTIONS = 128
#: Most bytes of one request, also of one whose body is refused and thrown away; answered requests are all smaller.
MAX_REQUEST_BYTES = 4_000_000
#: How often a connection checks its time limit (seconds).
CHECK_EVERY = 1.0


class Connection(H11Protocol):
    """One connection of a client; uvicorn makes it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.is_dropped = False
        self.waiting_since = self.loop.time()
        self._waits_for: tuple[object, str] = (None, "send")
        self._received = 0
        self._next_check: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's own
        """Begin to wait for a request; close another connection if there are too many."""
        super().connection_made(transport)
        # set again here, since it was accepted earlier: it must not count as the connection that has waited longest
        self.waiting_since = self.loop.time()
        self._check()
        _make_room(each for each in self.connections if isinstance(each, Connection))

    def connection_lost(self, exc: Exception | None) -> None:
        """End the connection."""
        if self._next_check is not None:
            self._next_check.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read what the client sent; drop the connection if a request is too long."""
        cycle = self.cycle
        super().data_received(data)
        self._received = self._received + len(data) if cycle is self.cycle else 0
        if self._received > MAX_REQUEST_BYTES:
            self.drop()
        self._note()

    def on_response_complete(self) -> None:
        """Begin to wait for the next request."""
        super().on_response_complete()
        self._note()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is not HTTP with status 400, or close the connection if an answer to it has begun already."""
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            super().send_400_response(msg)
        else:
            self.transport.close()

    def drop(self) -> None:
        """Close at once; what was not sent yet is lost."""
        self.is_dropped = True
        self.transport.abort()

    @property
    def is_ours(self) -> bool:
        """Whether an answer is being made, so that the connection does not wait for its client."""
        return self._waits_for[1] == "answer"

    def _check(self) -> None:
        """Drop the connection if its client took too long; otherwise check again later."""
        self._note()
        limit = ANSWER_SECONDS if self._waits_for[1] == "read" else REQUEST_SECONDS
        if not self.is_ours and self.loop.time() - self.waiting_since > limit:
            self.drop()
        else:
            self._next_check = self.loop.call_later(CHECK_EVERY, self._check)

    def _note(self) -> None:
        """Note what the connection waits for, and since when.

        While it waits for the same thing, the time does not begin again when a part of it arrives.
        """
        cycle = self.cycle
        if self.transport.get_write_buffer_size():
            next_step = "read"
        elif cycle is None or cycle.response_complete or cycle.more_body:
            next_step = "send"
        else:
            next_step = "answer"
        if (cycle, next_step) != self._waits_for:
            self._waits_for = (cycle, next_step)
            self.waiting_since = self.loop.time()


def _make_room(connections: Iterable[Connection]) -> None:
    """Drop the connections that have waited longest for their clients, until there are at most `MAX_CONNECTIONS`."""
    kept = [each for each in connections if not each.is_dropped]
    idle = sorted((each for each in kept if not each.is_ours), key=lambda each: each.waiting_since)
    for each in idle[: max(0, len(kept) - MAX_CONNECTIONS)]:
        each.drop()
