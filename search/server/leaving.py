"""ASGI middleware: a question whose client has left is given up, so that it is not answered in its turn.

The page asks again at each key, and drops the question before: without this, its last question waits for all of them.
"""

from __future__ import annotations

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: Beginning of the paths of questions; agents' calls have connections of their own kind.
_QUESTIONS = "/api/"


class GivenUpWhenLeft:
    """Cancels the answer to a question as soon as its client has left; no answer is sent then."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and what is received for it."""
        if scope["type"] != "http" or not scope["path"].startswith(_QUESTIONS):
            await self._app(scope, receive, send)
            return
        messages: asyncio.Queue[Message] = asyncio.Queue()

        async def pass_on() -> None:
            message: Message = {"type": ""}
            while message["type"] != "http.disconnect":
                message = await receive()
                messages.put_nowait(message)

        answer = asyncio.ensure_future(self._app(scope, messages.get, send))
        left = asyncio.ensure_future(pass_on())
        try:
            await asyncio.wait((answer, left), return_when=asyncio.FIRST_COMPLETED)
            if answer.done():
                answer.result()
        finally:
            for task in (answer, left):
                task.cancel()
            await asyncio.gather(answer, left, return_exceptions=True)
