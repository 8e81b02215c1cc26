"""Requests to a server with OpenAI's interface: limited in time and size, and sent again if that can help.

Redirects are not followed, settings and passwords of the environment are not used, and keys and texts are never logged.
The library httpx2 (extra `llm`) is imported when the first request is sent.
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

#: The first wait before a request is sent again, and the longest one, unless the server asks for another (seconds).
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 8.0
#: The longest time to connect to a server (seconds).
_CONNECT = 5.0
#: HTTP statuses after which the server may answer the same request later.
_PASSING = frozenset({408, 409, 425, 429})
#: Most characters of a server's error message that are kept.
_MAX_SAID = 200


class NoAnswerError(Exception):
    """Raised when a server gave no answer. `is_passing`: it may give one later, after `wait` seconds if it named a time."""

    is_passing = False
    wait: float | None = None


class LibraryMissingError(NoAnswerError):
    """Raised when the HTTP library is not installed."""


class UnreachableError(NoAnswerError):
    """Raised when no connection could be made, or it was lost before the answer began."""

    is_passing = True


class LateError(NoAnswerError):
    """Raised when the answer was not complete in time."""

    is_passing = True


class BrokenOffError(NoAnswerError):
    """Raised when the connection was lost within the answer."""

    is_passing = True


class TooLargeError(NoAnswerError):
    """Raised when the answer has too many bytes."""


class StatusError(NoAnswerError):
    """Raised when the server answered with an error; `said` is its message, on one line, or empty."""

    def __init__(self, status: int, said: str, wait: float | None) -> None:
        super().__init__(f"HTTP {status}")
        self.status = status
        self.said = said
        self.is_passing = status in _PASSING or status >= 500
        self.wait = wait


class ModelServer:
    """A server at `base_url`; an answer must be complete within `timeout` seconds and have at most `max_bytes` bytes.

    If the server is busy or fails, or the connection is lost, the request is sent again up to `retries` times: after the
    time that the server names, else after growing waits. No request is sent again after `retry_seconds` seconds.
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
        """The address without user name, password and query."""
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
        """Send a JSON body to `path` below the base URL and return the answer.

        Raises:
            NoAnswerError: there is no answer; the subclasses say why.
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
        # a proxy that the environment names could read requests without encryption
        return _library().Client(follow_redirects=False, trust_env=self._base_url.startswith("https://"))

    def _once(self, path: str, data: bytes, timeout: float) -> bytes:
        httpx2 = _library()
        deadline = time.monotonic() + timeout
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json",
            "Accept-Encoding": "identity",  # not compressed, since the bytes received are limited
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
            raise StatusError(response.status_code, self._said(body), retry_after(response.headers.get("retry-after", "")))
        return body

    def _said(self, body: bytes) -> str:
        """Return the server's error message, on one line and without the key, or an empty text."""
        try:
            found: Any = json.loads(body)
        except (ValueError, RecursionError):
            return ""
        for name in ("error", "message"):
            found = found.get(name, found) if isinstance(found, Mapping) else found
        words = " ".join(found.split()) if isinstance(found, str) else ""
        return (words.replace(self._api_key, "…") if self._api_key else words)[:_MAX_SAID]


def read_body(parts: Iterable[bytes], *, deadline: float, max_bytes: int) -> bytes:
    """Return a whole body, read in parts: a server that sends a byte each second would never exceed a socket's time limit.

    Raises:
        LateError: it was not complete at `deadline`, a time of the monotonic clock.
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
    """Refuse a URL, from the setting `name`, that cannot be a server's; with `is_private`, also one that others could read.

    Raises:
        SettingsError: the URL is refused; the message says why.
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
            f"The setting {name} would send texts or your key unencrypted to {parts.hostname}; use https://, or a tunnel."
        )


def check_key(name: str, key: str) -> None:
    """Refuse a key, from the setting `name`, that cannot be sent in a header.

    Raises:
        SettingsError: the key is refused.
    """
    if not key.strip().isprintable() or not key.isascii():
        raise SettingsError(f"The setting {name} holds signs that no key can have; set it again.")


def shown_url(url: str) -> str:
    """Return a URL without user name, password and query."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _is_private(parts: SplitResult) -> bool:
    """Whether what is sent there is encrypted, or does not leave this machine."""
    host = parts.hostname or ""
    try:
        return parts.scheme == "https" or host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def retry_after(text: str) -> float | None:
    """Return the seconds of a Retry-After header, which is a number or a date; None if it is neither."""
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
