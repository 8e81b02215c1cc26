"""A message of JSON-RPC as a client wrote it → the same as it can be read, and the id to answer under."""

from __future__ import annotations

import re
from typing import Any

from pydantic import ValidationError
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import Message, Send

#: An escape in a text of JSON; the group is half of a surrogate pair without the other half.
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)


def readable(written: str) -> str:
    r"""Return JSON with "?" for each lone surrogate, which programs write that cut a text inside of an emoji.

    >>> print(readable(r'["keys \ud83d", "\ud83d\udd11", "\\ud83d"]'))
    ["keys \u003f", "\ud83d\udd11", "\\ud83d"]
    """
    return _ESCAPE.sub(lambda found: r"\u003f" if found[1] else found[0], written)


def broken_line(error: Exception) -> str | None:
    """Return the line that could not be read as JSON, None if an error says something else of it."""
    first = _told(error)[:1]
    return str(first[0]["input"]) if first and first[0]["type"] == "json_invalid" else None


def id_of(error: Exception) -> int | str | None:
    """Return the id of what was found to be no message; None if it has none, or one that no message can have."""
    # each kind of message has members that others lack, and of what lacks one the whole is told
    whole = (each["input"] for each in _told(error) if each["type"] == "missing" and len(each["loc"]) == 2)
    found = next((each.get("id") for each in whole if isinstance(each, dict)), None)
    return found if isinstance(found, int | str) and not isinstance(found, bool) else None


def _told(error: Exception) -> list[Any]:
    return [*error.errors(include_url=False, include_context=False)] if isinstance(error, ValidationError) else []


class Refused:
    """Sends the answer to a request over HTTP, but for a refusal of its JSON another one, `body`."""

    def __init__(self, send: Send, body: bytes) -> None:
        self._send = send
        self._body = body
        self._is_replaced = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start" and message["status"] == 400:
            self._is_replaced = Headers(scope=message).get("content-type", "").startswith("application/json")
            if self._is_replaced:
                MutableHeaders(scope=message)["content-length"] = str(len(self._body))
        elif message["type"] == "http.response.body" and self._is_replaced:
            message = {**message, "body": self._body}
        await self._send(message)
