"""A document's path, front matter and dialect → the address of its page on the published site.

The rules are those of the sites' own generators, without their plugins: what a site's configuration changes beyond the
settings `base_url` and `url_style` is not known here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

#: Values of the setting `url_style` beside "auto": a.html, a, a/.
_HTML, _CLEAN, _FOLDER = "html", "clean", "folder"
_INDEX_FILES = frozenset({"index", "readme", "_index"})
#: Numbers before names, by which files are ordered: 01-intro, 2_setup.
_ORDER = re.compile(r"\d+[-_.]\s*(?=\D)")
#: A post of a blog: 2024-01-31-name.
_DATED = re.compile(r"(\d{4})-(\d\d)-(\d\d)-(.+)")
_ENDING = re.compile(r"\.[A-Za-z]+\Z")
_NO_SLUG = re.compile(r"[^\w\s-]")
_BLANKS = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class _Site:
    """Where a dialect's site has its documents (below its folder), and how it names pages.

    `prefix` is what the addresses of these documents begin with; `names` are fields of front matter that give a page its
    own name, or with `names_whole` its whole path. `is_slug`: names have letters, digits, dashes and underscores alone.
    """

    documents: str
    style: str
    prefix: str = ""
    is_lower: bool = False
    drops_order: bool = False
    names: tuple[str, ...] = ()
    names_whole: bool = False
    is_slug: bool = False


_SITES: Mapping[str, _Site] = {
    "docusaurus": _Site("docs", _CLEAN, prefix="docs", drops_order=True, names=("slug", "id")),
    "vitepress": _Site("", _HTML),
    "hugo": _Site("content", _FOLDER, is_lower=True, names=("url", "slug")),
    "mkdocs": _Site("docs", _FOLDER),
    "mdbook": _Site("src", _HTML),
    "quarto": _Site("", _HTML),
    "myst": _Site("", _HTML),
    "starlight": _Site("src/content/docs", _FOLDER, is_lower=True, names=("slug",), names_whole=True, is_slug=True),
}
_PLAIN = _Site("", _HTML, names=("permalink", "slug"))


def page_address(
    path: str,
    *,
    base_url: str,
    style: str = "auto",
    folder: str = "",
    dialect: str = "",
    front_matter: Mapping[str, Any] | None = None,
) -> str:
    """Return the address of a document's page; "" without a `base_url`.

    `folder` is the one that shows the dialect, or else the one that was indexed; the address is that of the path below it.

    >>> page_address("docs/guide/keys.md", base_url="https://example.org", folder="docs")
    'https://example.org/guide/keys.html'
    >>> page_address("site/docs/01-guide/README.md", base_url="https://example.org/", folder="site", dialect="docusaurus")
    'https://example.org/docs/guide/'
    """
    if not base_url:
        return ""
    site = _SITES.get(dialect, _PLAIN)
    style = site.style if style == "auto" else style
    parts = (path.removeprefix(f"{folder}/") if folder else path).split("/")
    prefix = ""
    documents = site.documents.split("/")
    if len(parts) > len(documents) and parts[: len(documents)] == documents:
        del parts[: len(documents)]
        prefix = site.prefix
    name = _ENDING.sub("", parts.pop())
    given = _given(front_matter or {}, site.names)
    if site.drops_order and parts[:1] == ["blog"] and not given and (dated := _DATED.fullmatch(name)) is not None:
        parts, name = ["blog", *dated.groups()[:3]], dated[4]
    if given and site.names_whole:
        parts, given = [], given.strip("/")
        name, given = ("index", "") if given in ("", "index") else (name, given)
    if given.startswith("/"):
        whole = given.strip("/")
        return _joined(base_url, prefix, whole) + ("/" if given.endswith("/") and whole else "")
    is_index = name.lower() in _INDEX_FILES and not given
    parts = [*parts, *(() if is_index else (given.strip("/") or name,))]
    if site.drops_order:
        parts = [_ORDER.sub("", part, count=1) if _ORDER.match(part) else part for part in parts]
    if site.is_slug:
        parts = [_NO_SLUG.sub("", part) for part in "/".join(parts).split("/")]
    if site.is_lower:
        parts = [_BLANKS.sub("-", part.lower()) for part in parts]
    address = _joined(base_url, prefix, "/".join(parts))
    if is_index or style == _FOLDER:
        return address.rstrip("/") + "/"
    return address + (".html" if style == _HTML else "")


def _given(front_matter: Mapping[str, Any], names: tuple[str, ...]) -> str:
    """Return the name that a page is given in its front matter: the first of these fields that is a text without a colon."""
    values = (front_matter.get(name) for name in names)
    return next((value.strip() for value in values if isinstance(value, str) and value.strip() and ":" not in value), "")


def _joined(base: str, *below: str) -> str:
    named = [quote(part.strip("/"), safe="/~!$&'()*+,;=@", errors="replace") for part in below if part.strip("/")]
    return "/".join((base.rstrip("/"), *named)) if named else base.rstrip("/") + "/"
