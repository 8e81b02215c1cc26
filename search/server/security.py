"""`SecurityMiddleware`: refuses requests before anything else reads them, and adds protecting headers to responses.

Refuses hosts and origins that are not allowed (DNS rebinding, forged requests), requests from other sites, methods that
change something, requests without the token if there is one, and long addresses and bodies. Pages of the origins in
`Access.origins` may ask what `search.server.origins` says.
"""

from __future__ import annotations

import hmac
import ipaddress
import logging
import re
import traceback
from dataclasses import dataclass, field
from http import HTTPStatus
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from schema.text.characters import to_json
from search.server.origins import BOX, SEARCH, allowed_origin, is_preflight, preflight_headers, share

_log = logging.getLogger(__name__)

#: Host names by which this machine reaches itself.
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
#: Path of agents' calls. They may have a body and the method POST, but only read like all others.
CALLS = "/mcp"
#: Longest address with its query (bytes): 10,000 characters of ASCII take at most 30 KB, and so do 3,500 of Japanese.
MAX_ADDRESS_BYTES = 32_000
#: Longest body of a call (bytes).
MAX_BODY_BYTES = 256_000

_NO_HOST = re.compile(r"[^\w.:\[\]-]", re.ASCII)
#: Headers that a proxy adds to what it passes on.
_PASSED_ON = ("forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip")
#: What is answered without a token.
OPEN_PATHS = frozenset({"/", "/healthz", "/readyz", BOX})
_ASSETS = "/assets/"
#: What the page may do: load its own files and ask its own server; no inline code, and HTML only through one named policy.
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types sectionary"
)
_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
_HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


#: In the place of a refusal: a browser asked in advance, and is answered at once.
_PREFLIGHT = (HTTPStatus.NO_CONTENT, "", "")


@dataclass(frozen=True, slots=True)
class Access:
    """Which requests are answered: `hosts` are the allowed Host names (lower case, without ports), `token` is empty if there
    is none, `origins` are those of other sites that may embed the search box.
    """

    hosts: frozenset[str] = LOOPBACK
    token: str = field(default="", repr=False)
    origins: frozenset[str] = frozenset()


class SecurityMiddleware:
    """ASGI middleware around the whole application."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access
        self._token = access.token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            headers = Headers(scope=scope)
            refusal = self._refusal(scope, headers)
            other = allowed_origin(headers, scope["path"], self._access.origins)
            answer = _Answer(send, scope["path"], other if self._access.origins else None)
            if refusal is _PREFLIGHT:
                await send({"type": "http.response.start", "status": 204, "headers": preflight_headers(other)})
                await send({"type": "http.response.body"})
                return
            if refusal is not None:
                await refuse(answer, *refusal)
                return
            # HEAD is answered like GET; uvicorn drops the body
            request = {**scope, "method": "GET"} if scope["method"] == "HEAD" else scope
            try:
                body = await read_body(receive) if _is_call(scope["path"]) else b""
                if body is None:
                    return  # the client has left
                if len(body) > MAX_BODY_BYTES:
                    await refuse(answer, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "body_too_large", _too_long(MAX_BODY_BYTES))
                    return
                await self._app(request, given_again(body, receive), answer)
            except Exception as error:  # noqa: BLE001 — not logged in full: its message may contain the question
                where = "".join(traceback.format_tb(error.__traceback__))
                _log.error("an answer failed: %s\n%s", type(error).__name__, where)
                if answer.is_begun:
                    raise ConnectionError("the answer was cut off") from None
                await refuse(
                    answer,
                    HTTPStatus.INTERNAL_SERVER_ERROR,
                    "fault",
                    "The server met a fault of its own; its log says more.",
                )

    def _refusal(self, scope: Scope, headers: Headers) -> tuple[HTTPStatus, str, str] | None:
        """Return status, code and sentence of a refusal, or None; the most useful reason is tested first."""
        path, method = scope["path"], scope["method"]
        hosts = headers.getlist("host")
        if len(hosts) != 1 or host_name(hosts[0]) not in self._access.hosts:
            return HTTPStatus.FORBIDDEN, "host_refused", "The server does not answer under this host name; see --allow-host."
        origin = headers.get("origin")
        other = allowed_origin(headers, path, self._access.origins)
        if origin is not None and not _is_own(origin, hosts[0]) and not other:
            return HTTPStatus.FORBIDDEN, "origin_refused", "The server does not answer to pages of this origin."
        is_open = _is_visit(path, headers) or (path == BOX and self._access.origins)
        if headers.get("sec-fetch-site") in ("cross-site", "same-site") and not is_open and origin is None:
            return HTTPStatus.FORBIDDEN, "site_refused", "The server does not answer to pages of other sites."
        if is_preflight(method, path, headers, other):
            return _PREFLIGHT
        length = headers.get("content-length", "0")
        if len(scope["raw_path"]) + len(scope["query_string"]) > MAX_ADDRESS_BYTES:
            return (
                HTTPStatus.REQUEST_URI_TOO_LONG,
                "address_too_long",
                f"The address is longer than {MAX_ADDRESS_BYTES:,} bytes; shorten it.",
            )
        is_call = _is_call(path)
        if not is_call and method not in ("GET", "HEAD"):
            return (
                HTTPStatus.METHOD_NOT_ALLOWED,
                "method_not_allowed",
                "Only GET and HEAD are answered; nothing can be changed here.",
            )
        most = MAX_BODY_BYTES if is_call else 0
        is_number = length.isascii() and length.isdigit() and len(length) <= 15
        if not is_number or int(length) > most or (not is_call and "transfer-encoding" in headers):
            return HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "body_too_large", _too_long(most)
        needs_token = self._token and path not in OPEN_PATHS and not path.startswith(_ASSETS)
        if needs_token and not hmac.compare_digest(_bearer(headers), self._token):
            return (
                HTTPStatus.UNAUTHORIZED,
                "token_wanted",
                "The server wants its token, as the header Authorization: Bearer TOKEN.",
            )
        return None


def host_name(host: str) -> str:
    """Return the name in a Host header, without port and brackets, in lower case; "" if it is not valid.

    >>> host_name("[::1]:8731")
    '::1'
    """
    try:
        parts = urlsplit(f"//{host}")
        _ = parts.port
    except ValueError:
        return ""
    if parts.netloc != host or _NO_HOST.search(host) or parts.path or parts.query or parts.fragment:
        return ""
    return (parts.hostname or "").lower().removesuffix(".")


def is_loopback(host: str) -> bool:
    """Return whether a server bound to `host` is reached by this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_from_here(scope: Scope) -> bool:
    """Return whether a request was made on this machine, by one of its own names, and was not passed on by a proxy."""
    headers, client = Headers(scope=scope), scope.get("client")
    is_passed_on = any(name in headers for name in _PASSED_ON)
    return (
        client is not None and is_loopback(client[0]) and host_name(headers.get("host", "")) in LOOPBACK and not is_passed_on
    )


def _is_own(origin: str, host: str) -> bool:
    """Return whether a page of this origin is our own: it was loaded from the host that it asks."""
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower()


def _bearer(headers: Headers) -> bytes:
    """Return the token of a request, or nothing."""
    given = headers.getlist("authorization")
    scheme, _, token = (given[0] if len(given) == 1 else "").partition(" ")
    return token.strip().encode("latin-1", "replace") if scheme.lower() == "bearer" else b""


def _is_visit(path: str, headers: Headers) -> bool:
    """Return whether a person opens the page by a link from another site; that site cannot read what the page shows."""
    return path == "/" and headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"


def _is_call(path: str) -> bool:
    return path == CALLS or path.startswith(CALLS + "/")


def _too_long(most: int) -> str:
    return f"A request may have a body of {most:,} bytes at most."


async def read_body(receive: Receive) -> bytes | None:
    """Return the body of a request, or its beginning if it is over the limit; None if the client left before its end."""
    parts, size = [], 0
    while size <= MAX_BODY_BYTES:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        part = message.get("body", b"")
        parts.append(part)
        size += len(part)
        if not message.get("more_body", False):
            break
    return b"".join(parts)


def given_again(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that gives a body that was read already, and then what comes after it."""
    rest: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return rest.pop() if rest else await receive()

    return again


class _Answer:
    """Sends an answer with protecting headers, and knows whether sending has begun."""

    def __init__(self, send: Send, path: str, origin: str | None) -> None:
        self._send = send
        self._path = path
        #: The allowed origin that asks, "" if it is none of them, None if there are none.
        self._origin = origin
        self._policy = PAGE_POLICY if path == "/" else _POLICY
        self.is_begun = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.is_begun = True
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers[name] = value
            headers["content-security-policy"] = self._policy
            headers.setdefault("cache-control", "no-store")
            if self._origin is not None and self._path in (BOX, SEARCH):
                share(headers, self._path, self._origin)
        await self._send(message)


def kind_of(status: HTTPStatus) -> str:
    """Return an HTTP status as the `kind` of an error, such as "not_found"."""
    return status.phrase.lower().replace(" ", "_").replace("-", "_")


async def refuse(send: Send, status: HTTPStatus, code: str, sentence: str) -> None:
    """Answer with an error."""
    kind = "busy" if status is HTTPStatus.SERVICE_UNAVAILABLE else kind_of(status)
    body = to_json({"error": {"kind": kind, "code": code, "message": sentence}}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status is HTTPStatus.UNAUTHORIZED:
        headers.append((b"www-authenticate", b"Bearer"))
    if status is HTTPStatus.METHOD_NOT_ALLOWED:
        headers.append((b"allow", b"GET, HEAD"))
    if status is HTTPStatus.SERVICE_UNAVAILABLE:
        headers.append((b"retry-after", b"1"))
    await send({"type": "http.response.start", "status": int(status), "headers": headers})
    await send({"type": "http.response.body", "body": body})
