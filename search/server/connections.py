"""`Connection`: uvicorn's HTTP connection with time limits on what the client has to do, and a cap on how many are open.

uvicorn waits without end for the head and the body of a request, and for a client that does not read its answer. Here a
client has `REQUEST_SECONDS` for each of head and body and `ANSWER_SECONDS` to read an answer, however the bytes trickle.
When more than `MAX_CONNECTIONS` are open, the one whose client has been waited for the longest is closed.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable

#: A client may take so long to send the head of a request, and again for its body (seconds).
REQUEST_SECONDS = 10.0
#: A client may take so long to read an answer (seconds).
ANSWER_SECONDS = 30.0
#: More connections than this are not kept: answers are few, and the index needs file descriptors too.
MAX_CONNECTIONS = 128
#: Most bytes of one request, read or thrown away (a refused body): more than any request that is answered has.
MAX_REQUEST_BYTES = 4_000_000
_LOOK_EVERY = 1.0


class Connection(H11Protocol):
    """One connection of a client; uvicorn makes it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.is_dropped = False
        self.waiting_since = self.loop.time()
        self._waits_for: tuple[object, str] = (None, "send")
        self._received = 0
        self._look_again: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's own
        """Begin to wait for a request; make room for it if there are too many connections."""
        super().connection_made(transport)
        # later than when it was accepted: what others sent meanwhile must not make it the one waited for the longest
        self.waiting_since = self.loop.time()
        self._look()
        _make_room(each for each in self.connections if isinstance(each, Connection))

    def connection_lost(self, exc: Exception | None) -> None:
        """End the connection."""
        if self._look_again is not None:
            self._look_again.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read what the client sent, unless it is too much."""
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
        """Refuse what is not HTTP; in the middle of a request there may be an answer already, and there is no other."""
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            super().send_400_response(msg)
        else:
            self.transport.close()

    def drop(self) -> None:
        """Close at once, with whatever was not sent yet."""
        self.is_dropped = True
        self.transport.abort()

    @property
    def is_ours(self) -> bool:
        """Whether an answer is being made, so that the client has to do nothing."""
        return self._waits_for[1] == "answer"

    def _look(self) -> None:
        """Drop the connection if its client took too long; else look again in a while."""
        self._note()
        limit = ANSWER_SECONDS if self._waits_for[1] == "read" else REQUEST_SECONDS
        if not self.is_ours and self.loop.time() - self.waiting_since > limit:
            self.drop()
        else:
            self._look_again = self.loop.call_later(_LOOK_EVERY, self._look)

    def _note(self) -> None:
        """Note what comes next, and since when that is waited for; a part of a request or an answer changes nothing."""
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
    """Drop the connections whose clients were waited for the longest, until there are few enough."""
    kept = [each for each in connections if not each.is_dropped]
    idle = sorted((each for each in kept if not each.is_ours), key=lambda each: each.waiting_since)
    for each in idle[: max(0, len(kept) - MAX_CONNECTIONS)]:
        each.drop()
