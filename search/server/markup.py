"""A section's Markdown → HTML that is safe in any page: a short list of elements, no image, no address but links.

Refuses raw HTML (shown as text), what loads anything, links other than http, https, mailto and those to other documents,
ids, styles and classes of the document's author, and signs that reorder or hide text.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from functools import lru_cache
from urllib.parse import quote, unquote, urlsplit

import nh3
from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.token import Token
from markdown_it.utils import EnvType

from schema.text.characters import encodable, printable

#: Longer sections are cut (characters): the costliest text of this length takes about a second ("![" repeated), and
#: sections of documentation seldom have a tenth of it.
MAX_CHARACTERS = 40_000
#: A table without cells grows seventyfold; what becomes longer than this is shown as it is written (characters).
MAX_HTML = 500_000
#: Lists, quotes and brackets nested deeper are text; some hundred levels would exhaust the stack.
_MAX_NESTING = 20
#: The page asks for the same sections at every key that is pressed.
_KEPT = 128

#: A section's heading stands above these in the page.
_HIGHEST, _LOWEST = 4, 6
_SCHEMES = {"http", "https", "mailto"}
_DOCUMENTS = (".md", ".markdown", ".mdx", ".txt")
_ALIGNED = re.compile(r"text-align:(left|center|right)")
#: Elements without attributes that documents use for want of a Markdown sign.
_PLAIN_ELEMENT = re.compile(r"</?(?:kbd|sub|sup)>|<br ?/?>", re.IGNORECASE)
_CLASSES = {
    "code": re.compile(r"language-[\w#+.-]{1,30}"),
    "div": re.compile(r"table"),
    "p": re.compile(r"cut"),
    "pre": re.compile(r"plain"),
    "span": re.compile(r"image"),
    "td": re.compile(r"left|center|right"),
    "th": re.compile(r"left|center|right"),
}
_ELEMENTS = {
    "a", "blockquote", "br", "code", "div", "em", "h4", "h5", "h6", "hr", "kbd", "li", "ol", "p", "pre", "s", "span",
    "strong", "sub", "sup", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip


@lru_cache(_KEPT)
def section_html(content: str, *, document_path: str) -> str:
    """The Markdown of a section (without its own heading) as HTML.

    Links to other documents, resolved against `document_path`, become `?doc=PATH#ANCHOR`, links of the page; those that lead
    out of the indexed folder or to other files are left as text. An image becomes its description. Headings become h4–h6,
    none deeper than one below the one before. At most `MAX_CHARACTERS` are shown, with a note where more were there.

    >>> print(section_html("![Plan](plan.png) of [keys](../keys.md#new)", document_path="docs/guide/a.md"), end="")
    <p><span class="image">Plan</span> of <a href="?doc=docs/keys.md#new" rel="noopener noreferrer nofollow">keys</a></p>
    """
    text = encodable(content)
    shown = _beginning(text)
    html = _rendered(shown, document_path)
    if len(html) > MAX_HTML:
        html = _as_written(shown)
    if len(shown) < len(text):
        html += f'<p class="cut">The rest of this section is not shown here: {len(text) - len(shown):,} characters.</p>\n'
    return printable(_cleaner().clean(html))


def plain_html(content: str) -> str:
    """The beginning of a section's text as its author typed it, where making more of it would take too long."""
    return _as_written(printable(_beginning(encodable(content))))


def _beginning(text: str) -> str:
    """The text up to the limit, cut at the end of a line if there is one in the last tenth."""
    if len(text) <= MAX_CHARACTERS:
        return text
    line_end = text.rfind("\n", MAX_CHARACTERS - MAX_CHARACTERS // 10, MAX_CHARACTERS)
    return text[: line_end + 1 or MAX_CHARACTERS]


def _rendered(text: str, document_path: str) -> str:
    parser = _parser()
    env: EnvType = {}
    tokens = parser.parse(text, env)
    _set_levels(tokens)
    for token in tokens:
        _set_block(token)
        _set_links(token.children or (), document_path)
        for child in token.children or ():
            _set_inline(child)
    html: str = parser.renderer.render(tokens, parser.options, env)
    return html


def _as_written(text: str) -> str:
    return f'<pre class="plain">{escapeHtml(text)}</pre>\n'


def _set_levels(tokens: Sequence[Token]) -> None:
    """Headings go below the section's own, without a gap in their levels."""
    above = _HIGHEST - 1
    for token in tokens:
        if token.type == "heading_open":
            above = min(max(int(token.tag[1]), _HIGHEST), above + 1, _LOWEST)
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{above}"


def _set_block(token: Token) -> None:
    """HTML is shown as one reads it in the file, a wide table scrolls by itself, with classes for its styles."""
    if token.type == "html_block":
        content = _without_comments(token.content).strip("\n")
        shown = f'<pre><code class="language-html">{escapeHtml(content)}\n</code></pre>\n'
        token.content = shown if content.strip() else ""
    elif token.type in ("table_open", "table_close"):
        token.content = '<div class="table"><table>\n' if token.nesting > 0 else "</table></div>\n"
        token.type = "html_block"
    aligned = _ALIGNED.fullmatch(str(token.attrs.pop("style", "")))
    if aligned is not None:
        token.attrs["class"] = aligned.group(1)


def _set_inline(token: Token) -> None:
    """An image is its description, since nothing is loaded; HTML is text, except for a few elements without attributes."""
    if token.type == "html_inline" and not _PLAIN_ELEMENT.fullmatch(token.content):
        token.content = escapeHtml(_without_comments(token.content))
    elif token.type == "image":
        description = _description(token.children or ()).strip() or "image"
        token.type = "html_inline"
        token.content = f'<span class="image">{escapeHtml(description)}</span>'


def _description(tokens: Sequence[Token]) -> str:
    return "".join(
        token.content or (" " if token.type in ("softbreak", "hardbreak") else _description(token.children or ()))
        for token in tokens
    )


def _without_comments(html: str) -> str:
    kept, start = [], 0
    while (begin := html.find("<!--", start)) >= 0 and (end := html.find("-->", begin + 4)) >= 0:
        kept.append(html[start:begin])
        start = end + 3
    return "".join((*kept, html[start:]))


def _set_links(tokens: Sequence[Token], document_path: str) -> None:
    """Links that may be followed get their address in the page, others become text."""
    is_link = False
    for token in tokens:
        if token.type == "link_open":
            target = link_target(str(token.attrs.get("href", "")), document_path)
            is_link = target is not None
            token.attrs = {"href": target} if target is not None else {}
        if token.type in ("link_open", "link_close") and not is_link:
            token.tag = "span"


def link_target(href: str, document_path: str) -> str | None:
    """Where a link of a document leads from the page, or None if nowhere.

    >>> [link_target(href, "docs/a.md") for href in ("b.md#x", "#x", "/README.md", "../../b.md", "javascript:0", "a.png")]
    ['?doc=docs/b.md#x', '?doc=docs/a.md#x', '?doc=README.md', None, None, None]
    """
    try:
        parts = urlsplit(href)
    except ValueError:
        return None
    if parts.scheme or parts.netloc:
        names_place = bool(parts.path if parts.scheme == "mailto" else parts.netloc)
        return href if parts.scheme in _SCHEMES and names_place else None
    place = document_path
    if parts.path:
        path = unquote(parts.path)
        folder = "" if path.startswith("/") else posixpath.dirname(document_path)
        place = posixpath.normpath(posixpath.join(folder, path.lstrip("/")))
        if place.startswith("..") or not place.lower().endswith(_DOCUMENTS):
            return None
    elif not parts.fragment:
        return None
    anchor = quote(unquote(parts.fragment), safe="", errors="replace")
    return f"?doc={quote(place, safe='/', errors='replace')}" + (f"#{anchor}" if anchor else "")


# -- parser, renderer, sanitiser ---------------------------------------------------------------------------------------


@lru_cache(1)
def _parser() -> MarkdownIt:
    # html is parsed so that blocks are those the sections were cut by; _set_block and _set_inline leave none of it
    return MarkdownIt("commonmark", {"html": True, "maxNesting": _MAX_NESTING}).enable(["table", "strikethrough"])


@lru_cache(1)
def _cleaner() -> nh3.Cleaner:
    return nh3.Cleaner(
        tags=_ELEMENTS,
        attributes={"a": {"href"}, "ol": {"start"}, **{tag: {"class"} for tag in _CLASSES}},
        attribute_filter=_filter_attribute,
        url_schemes=_SCHEMES,
        link_rel="noopener noreferrer nofollow",
    )


def _filter_attribute(tag: str, name: str, value: str) -> str | None:
    """The second look at every attribute: what the renderer writes, and nothing else."""
    if name == "href":
        is_safe = value.startswith("?doc=") or urlsplit(value).scheme in _SCHEMES
    elif name == "start":
        is_safe = value.isascii() and value.isdigit()
    else:
        is_safe = name == "rel" or _CLASSES[tag].fullmatch(value) is not None
    return value if is_safe else None
