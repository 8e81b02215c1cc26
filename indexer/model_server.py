"""Requests to a server that speaks OpenAI's interface: limited in time and size, sent again where that helps.

Redirects are not followed, nothing of the environment is sent along, keys and texts are never logged. The library httpx2
(extra `llm`) is imported when the first request is sent.
"""

from __future__ import annotations

import email.utils
import ipaddress
import json
import math
import time
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import cached_property
from typing import Any
from urllib.parse import SplitResult, urlsplit

from schema.errors import SettingsError

#: The first wait before a request is sent again, and the longest one that a server did not ask for (seconds).
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 8.0
#: A server that is there takes a connection in this time (seconds).
_CONNECT = 5.0
#: Statuses of a server that may answer the same request later.
_PASSING = frozenset({408, 409, 425, 429})
#: Characters of a server's own words in an error.
_MAX_SAID = 200


class NoAnswerError(Exception):
    """A server gave no answer. `is_passing`: it may give one later; `wait` is when, in seconds, if it said so."""

    is_passing = False
    wait: float | None = None


class LibraryMissingError(NoAnswerError):
    """The library of HTTP is not installed."""


class UnreachableError(NoAnswerError):
    """No connection could be made, or it was lost before the answer."""

    is_passing = True


class LateError(NoAnswerError):
    """The answer was not there in time."""

    is_passing = True


class BrokenOffError(NoAnswerError):
    """The connection was lost within the answer."""

    is_passing = True


class TooLargeError(NoAnswerError):
    """The answer has more bytes than an answer can have."""


class StatusError(NoAnswerError):
    """The server answered with an error; `said` is its own sentence, on one line, or empty."""

    def __init__(self, status: int, said: str, wait: float | None) -> None:
        super().__init__(f"HTTP {status}")
        self.status = status
        self.said = said
        self.is_passing = status in _PASSING or status >= 500
        self.wait = wait


class ModelServer:
    """A server at `base_url`; `timeout` in seconds holds for a whole answer of at most `max_bytes` bytes.

    A request that met a busy or failing server, or lost its connection, is sent again up to `retries` times, after the
    time that the server names or else after growing waits, as long as `retry_seconds` seconds are not over by then.
    """

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str = "",
        timeout: float = 60.0,
        retries: int = 3,
        retry_seconds: float = 180.0,
        max_bytes: int = 12_000_000,
    ) -> None:
        self._base_url = base_url.strip().rstrip("/")
        self._api_key = api_key
        self._timeout = timeout
        self._retries = retries
        self._retry_seconds = retry_seconds
        self._max_bytes = max_bytes

    @property
    def place(self) -> str:
        """The address without what may be secret in it."""
        return shown_url(self._base_url)

    def post(
        self,
        path: str,
        body: Mapping[str, Any],
        *,
        timeout: float | None = None,
        retries: int | None = None,
        retry_seconds: float | None = None,
    ) -> bytes:
        """The answer to a JSON body sent to `path` below the base URL.

        Raises:
            NoAnswerError: there is none; the subclasses say why.
        """
        ends = time.monotonic() + (self._retry_seconds if retry_seconds is None else retry_seconds)
        left = self._retries if retries is None else retries
        data = json.dumps(body).encode()
        pause = _FIRST_WAIT
        while True:
            try:
                return self._once(path, data, timeout or self._timeout)
            except NoAnswerError as error:
                wait = pause if error.wait is None else error.wait
                if not error.is_passing or left <= 0 or time.monotonic() + wait > ends:
                    raise
            time.sleep(wait)
            left -= 1
            pause = min(pause * 2, _LONGEST_WAIT)

    @cached_property
    def _client(self) -> Any:
        # a proxy that the environment names would read what is not encrypted
        return _library().Client(follow_redirects=False, trust_env=self._base_url.startswith("https://"))

    def _once(self, path: str, data: bytes, timeout: float) -> bytes:
        httpx2 = _library()
        deadline = time.monotonic() + timeout
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json",
            "Accept-Encoding": "identity",  # what is limited are the bytes that come
            "User-Agent": "sectionary",
            **({"Authorization": f"Bearer {self._api_key}"} if self._api_key else {}),
        }
        limits = httpx2.Timeout(timeout, connect=min(_CONNECT, timeout))
        is_begun = False
        try:
            with self._client.stream(
                "POST", f"{self._base_url}/{path}", content=data, headers=headers, timeout=limits
            ) as response:
                is_begun = True
                body = read_body(response.iter_raw(), deadline=deadline, max_bytes=self._max_bytes)
        except httpx2.TimeoutException as error:
            raise UnreachableError if isinstance(error, httpx2.ConnectTimeout) else LateError from error
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise BrokenOffError if is_begun else UnreachableError from error
        if not response.is_success:
            raise StatusError(response.status_code, self._said(body), _seconds(response.headers.get("retry-after", "")))
        return body

    def _said(self, body: bytes) -> str:
        """What a server said about an error, on one line and without the key, or nothing."""
        try:
            found: Any = json.loads(body)
        except (ValueError, RecursionError):
            return ""
        for name in ("error", "message"):
            found = found.get(name, found) if isinstance(found, Mapping) else found
        words = " ".join(found.split()) if isinstance(found, str) else ""
        return (words.replace(self._api_key, "…") if self._api_key else words)[:_MAX_SAID]


def read_body(parts: Iterable[bytes], *, deadline: float, max_bytes: int) -> bytes:
    """A whole body, read by parts, since a server that sends a byte a second never meets a socket's time limit.

    Raises:
        LateError: it was not there by `deadline`, a moment of the monotonic clock.
        TooLargeError: it has more than `max_bytes` bytes.
    """
    body = bytearray()
    for part in parts:
        body += part
        if time.monotonic() > deadline:
            raise LateError
        if len(body) > max_bytes:
            raise TooLargeError
    return bytes(body)


def check_server(name: str, url: str, *, is_private: bool = False) -> None:
    """Refuse a URL, from the setting `name`, at which no server can be meant; with `is_private` one that others could read.

    Raises:
        SettingsError: saying what is wrong with it.
    """
    if not url.startswith(("http://", "https://")):
        raise SettingsError(f"The setting {name} must begin with http:// or https://.")
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as error:
        raise SettingsError(f"The setting {name} is no URL of a server: {error}.") from error
    if not parts.hostname or not url.isprintable() or " " in url:
        raise SettingsError(f"The setting {name} is no URL of a server; give one such as http://127.0.0.1:8080/v1.")
    if is_private and not _is_private(parts):
        raise SettingsError(
            f"The setting {name} would send texts unencrypted to {parts.hostname}; use https://, or a tunnel."
        )


def check_key(name: str, key: str) -> None:
    """Refuse a key, from the setting `name`, that no header can carry.

    Raises:
        SettingsError: it is such a one.
    """
    if not key.strip().isprintable() or not key.isascii():
        raise SettingsError(f"The setting {name} holds signs that no key can have; set it again.")


def shown_url(url: str) -> str:
    """A URL without what may be secret in it."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _is_private(parts: SplitResult) -> bool:
    """Whether what is sent there is encrypted, or does not leave this machine."""
    host = parts.hostname or ""
    try:
        return parts.scheme == "https" or host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _seconds(text: str) -> float | None:
    """The seconds that a header Retry-After means: a number, or a date; None where it says nothing that makes sense."""
    try:
        wait = float(text)
    except ValueError:
        try:
            wait = (email.utils.parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds()
        except (ValueError, TypeError):
            return None
    return max(0.0, wait) if not math.isnan(wait) else None


def _library() -> Any:
    try:
        import httpx2
    except ImportError as error:
        raise LibraryMissingError from error
    return httpx2
