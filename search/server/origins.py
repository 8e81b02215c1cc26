"""The origins of other sites that may embed the search box → which of their requests are answered, with which headers.

An origin is compared whole and exactly: no pattern, no `*`, no `null`. Such a page may load `/embed.js` and ask
`/api/search`, and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders

from schema.errors import SettingsError
from schema.text.characters import one_line

#: The script of the search box, and the address that it asks.
BOX, SEARCH = "/embed.js", "/api/search"
#: An origin as browsers send it: lower case, a name in ASCII or an address, no port that goes without saying.
_ORIGIN = re.compile(r"https?://(?:[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,20}|\[[0-9a-f:.]{2,45}\])(?::[1-9][0-9]{0,4})?")
_USUAL = {"http": ":80", "https": ":443"}
#: How long a browser may remember that it may ask (seconds).
_REMEMBERED = "600"


def read_origins(texts: Sequence[str]) -> frozenset[str]:
    """Return the origins that are allowed, as browsers send them.

    Raises:
        SettingsError: a text is no exact origin.
    """
    origins = set()
    for text in texts:
        origin = text.lower()
        scheme = origin.partition(":")[0]
        origin = origin.removesuffix(_USUAL.get(scheme, " "))
        if not _ORIGIN.fullmatch(origin) or not _is_address(origin):
            raise SettingsError(
                f"--allow-origin takes one exact origin, such as https://docs.example.org, not {one_line(text[:100])}; "
                "no path, no * and no other characters than a name has (xn--… for names that are not ASCII)."
            )
        origins.add(origin)
    return frozenset(origins)


def allowed_origin(headers: Headers, path: str, origins: frozenset[str]) -> str:
    """Return the allowed origin that a request for one of the two open paths comes from; "" if it does not."""
    given = headers.getlist("origin")
    return given[0] if path in (BOX, SEARCH) and len(given) == 1 and given[0] in origins else ""


def is_preflight(method: str, path: str, headers: Headers, origin: str) -> bool:
    """Return whether a browser asks in advance if a page of an allowed origin may GET a search, perhaps with a token."""
    wanted = headers.get("access-control-request-headers", "")
    names = {name.strip().lower() for name in wanted.split(",") if name.strip()}
    is_get = headers.getlist("access-control-request-method") == ["GET"]
    return bool(origin) and path == SEARCH and method == "OPTIONS" and is_get and names <= {"authorization"}


def preflight_headers(origin: str) -> list[tuple[bytes, bytes]]:
    """Return what a browser is told that asks in advance."""
    return [
        (b"access-control-allow-origin", origin.encode()),
        (b"access-control-allow-methods", b"GET"),
        (b"access-control-allow-headers", b"authorization"),
        (b"access-control-max-age", _REMEMBERED.encode()),
        (b"vary", b"Origin"),
    ]


def share(headers: MutableHeaders, path: str, origin: str) -> None:
    """Let a page of an allowed origin read an answer, or load the script, which every site may."""
    headers.add_vary_header("Origin")
    if path == BOX or origin:
        headers["cross-origin-resource-policy"] = "cross-origin"
    if origin:
        headers["access-control-allow-origin"] = origin


def _is_address(origin: str) -> bool:
    try:
        port = urlsplit(origin).port
    except ValueError:
        return False
    return port is None or port <= 65_535
