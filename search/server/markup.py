"""A section's Markdown → HTML that is safe in any page: a short list of elements, no images, no addresses except links.

Refuses everything that loads something, links other than http, https, mailto and those to other documents, the author's ids,
styles and classes, and characters that reorder or hide text. Raw HTML is shown as text. Marks of callouts and tabs, which
`search.server.shown` writes, become elements with classes of the page.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from urllib.parse import quote, unquote, urlsplit

import nh3
from markdown_it import MarkdownIt, rules_block
from markdown_it.common.utils import escapeHtml
from markdown_it.helpers import parseLinkLabel
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType

from schema.formats.endings import DOCUMENTS
from schema.formats.quotes import in_portions
from schema.text.characters import encodable, printable
from search.server.callouts import INCLUDED, add_callouts, without_marks
from search.server.colours import CLASSES, Colours
from search.server.shown import PLAIN_ELEMENT, wiki_address

#: Longer sections are cut (characters). The slowest text of this length ("![" repeated) takes about a second; sections of
#: documentation are seldom longer than a tenth of it.
MAX_CHARACTERS = 40_000
#: Longest HTML (characters); a section whose HTML is longer is shown as plain text. A table without cells grows 70 times.
MAX_HTML = 500_000
#: Lists, quotes and brackets that are nested deeper become text; some hundred levels would exhaust the stack.
_MAX_NESTING = 20
#: The part of the line above code that is read (characters).
_MAX_INFO = 500
#: How many sections are cached: while its reader types, the page asks for the same ones again and again.
CACHE_SIZE = 128

#: Levels of headings inside a section; the page shows the section's own heading as h3.
_HIGHEST, _LOWEST = 4, 6
_SCHEMES = {"http", "https", "mailto"}
_INLINE_TAG = re.compile(
    r"<(/?)(a|abbr|b|cite|code|del|em|font|i|ins|mark|q|s|samp|small|span|strike|strong|tt|u|var)(?=[\s/>])", re.IGNORECASE
)
#: The label of a link: with a letter and of two characters or more, so that it is no index.
_LABELLED = re.compile(r"(?!\^)(?=[^\[\]]{0,199}[^\W\d_])[^\[\]]{2,200}")
#: What stands before and behind brackets that are no link with a label.
_NO_LINK_BEFORE, _NO_LINK_BEHIND = re.compile(r"[A-Za-z0-9_\])\\]"), ("(", "[", ":")
_ALIGNED = re.compile(r"text-align:(left|center|right)")
_LANGUAGE = re.compile(
    r"(?:\{(?:code|sourcecode|code-block|code-cell)\}[ \t]{0,9}|[{.]{0,2})([\w#+.-]{1,30})(?=[\s,:{}=]|$)"
)
#: The title of a block of code: title="a.js", or in brackets at the end.
_CODE_TITLE = re.compile(r"\btitle=(?:\"([^\"]{1,200})\"|'([^']{1,200})')|\[([^\[\]]{1,100})\][^\[\]]*$")
_CLASSES = {
    "code": re.compile(r"language-[\w#+.-]{1,30}"),
    "details": re.compile(r"callout (?:note|tip|info|warning|danger)"),
    "div": re.compile(r"table|tab|callout (?:note|tip|info|warning|danger)"),
    "p": re.compile(r"cut|title"),
    "pre": re.compile(r"plain|included"),
    "span": re.compile("|".join(("image", *sorted(CLASSES)))),
    "td": re.compile(r"left|center|right"),
    "th": re.compile(r"left|center|right"),
}
_ELEMENTS = {
    "a", "b", "blockquote", "br", "code", "details", "div", "em", "h4", "h5", "h6", "hr", "i", "kbd", "li", "ol", "p", "pre",
    "s", "span", "strong", "sub", "summary", "sup", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip


@lru_cache(CACHE_SIZE)
def section_html(
    content: str, *, document_path: str, is_coloured: bool = False, places: tuple[tuple[str, str, str], ...] = ()
) -> str:
    """Return the Markdown of a section (without its own heading) as HTML.

    `content` is what `shown_text` returns. With `is_coloured` code of known languages has colours, within limits.

    `places` are the targets of links as written, each with the path and the anchor of the section that it leads to. Other
    links to documents, resolved against `document_path`, become links of the page too, `?doc=PATH#ANCHOR`; links out of the
    indexed folder or to other files become text, and so do those whose label the section does not define. An image
    becomes its description. Headings become h4–h6, each at most one level below the one before. At most `MAX_CHARACTERS` are
    shown, with a note if there are more.

    >>> print(section_html("![Plan](plan.png) of [keys](../keys.md#new)", document_path="docs/guide/a.md"), end="")
    <p><span class="image">Plan</span> of <a href="?doc=docs/keys.md#new" rel="noopener noreferrer nofollow">keys</a></p>
    """
    text = encodable(content)
    shown = _beginning(text)
    known = {
        _parser().normalizeLink(written): _address(path, anchor)
        for target, path, anchor in places
        for written in (target, wiki_address(target))
    }
    html = without_marks(_rendered(shown, document_path, known, Colours() if is_coloured else None))
    if len(html) > MAX_HTML:
        html = _as_written(without_marks(shown))
    if len(shown) < len(text):
        html += f'<p class="cut">The rest of this section is not shown here: {len(text) - len(shown):,} characters.</p>\n'
    return printable(_cleaner().clean(html))


def plain_html(content: str) -> str:
    """Return the beginning of a section's text as its author typed it, for when rendering would take too long."""
    return _as_written(printable(_beginning(without_marks(encodable(content)))))


def _beginning(text: str) -> str:
    """Return the text up to `MAX_CHARACTERS`, cut at the end of a line if there is one in the last tenth."""
    if len(text) <= MAX_CHARACTERS:
        return text
    line_end = text.rfind("\n", MAX_CHARACTERS - MAX_CHARACTERS // 10, MAX_CHARACTERS)
    return text[: line_end + 1 or MAX_CHARACTERS]


def _rendered(text: str, document_path: str, known: Mapping[str, str], colours: Colours | None) -> str:
    parser = _parser()
    env: EnvType = {}
    tokens = parser.parse(text, env)
    _set_levels(tokens)
    for token in tokens:
        _set_block(token)
        if token.type == "fence":
            _set_code(token, colours)
        _set_links(token.children or (), document_path, known)
        _drop_single_tags(token.children or ())
        for child in token.children or ():
            _set_inline(child)
    html: str = parser.renderer.render(tokens, parser.options, env)
    return html


def _as_written(text: str) -> str:
    return f'<pre class="plain">{escapeHtml(text)}</pre>\n'


def _set_levels(tokens: Sequence[Token]) -> None:
    """Set the levels of headings below the section's own, without gaps."""
    above = _HIGHEST - 1
    for token in tokens:
        if token.type == "heading_open":
            above = min(max(int(token.tag[1]), _HIGHEST), above + 1, _LOWEST)
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{above}"


def _set_block(token: Token) -> None:
    """Show HTML as code, put each table into an element that scrolls, and turn styles of its cells into classes."""
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


def _set_code(token: Token, colours: Colours | None) -> None:
    """Give code the class of its language, its title, and colours."""
    named = _LANGUAGE.match(token.info)
    language = named.group(1) if named is not None else ""
    titled = _CODE_TITLE.search(token.info[:_MAX_INFO])
    title = next((text for text in titled.groups() if text), "") if titled is not None else ""
    content = without_marks(token.content)
    parts = colours.parts(content, language) if colours is not None else [("", content)]
    code = "".join(f'<span class="{name}">{escapeHtml(text)}</span>' if name else escapeHtml(text) for name, text in parts)
    opened = f'<code class="language-{language}">' if language else "<code>"
    class_name = ' class="included"' if INCLUDED in token.content else ""
    shown = f"<pre{class_name}>{opened}{code}</code></pre>\n"
    token.type = "html_block"
    token.content = f'<div class="tab"><p class="title">{escapeHtml(title)}</p>\n{shown}</div>\n' if title else shown


def _set_inline(token: Token) -> None:
    """Replace an image by its description, and HTML by text except for a few elements without attributes."""
    if token.type == "html_inline" and not PLAIN_ELEMENT.fullmatch(token.content):
        token.content = escapeHtml(_without_comments(token.content))
    elif token.type == "image":
        description = _description(token.children or ()).strip() or "image"
        token.type = "html_inline"
        token.content = f'<span class="image">{escapeHtml(description)}</span>'


def _drop_single_tags(tokens: Sequence[Token]) -> None:
    """Leave out tags of inline elements whose other half is not there, since the index calls it markup."""
    opened: list[tuple[str, Token]] = []
    for token in tokens:
        named = _INLINE_TAG.match(token.content) if token.type == "html_inline" else None
        if named is None:
            continue
        name = named.group(2).lower()
        if not named.group(1):
            opened.append((name, token))
        elif opened and opened[-1][0] == name:
            opened.pop()
        else:
            token.content = ""
    for _, token in opened:
        token.content = ""


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


def _set_links(tokens: Sequence[Token], document_path: str, known: Mapping[str, str]) -> None:
    """Give links their address in the page; turn those that must not be followed into text."""
    is_link = False
    for token in tokens:
        if token.type == "link_open":
            href = str(token.attrs.get("href", ""))
            target = known.get(href) or link_target(href, document_path)
            is_link = target is not None
            token.attrs = {"href": target} if target is not None else {}
        if token.type in ("link_open", "link_close") and not is_link:
            token.tag = "span"


def link_target(href: str, document_path: str) -> str | None:
    """Return the address in the page for a link of a document, or None if it must not be followed.

    >>> [link_target(href, "docs/a.md") for href in ("b.md#x", "#x", "/README.md", "../../b.md", "javascript:0", "a.png")]
    ['?doc=docs/b.md#x', '?doc=docs/a.md#x', '?doc=README.md', None, None, None]
    """
    try:
        parts = urlsplit(href)
    except ValueError:
        return None
    if parts.scheme or parts.netloc:
        is_complete = bool(parts.path if parts.scheme == "mailto" else parts.netloc)
        return href if parts.scheme in _SCHEMES and is_complete else None
    target = document_path
    if parts.path:
        path = unquote(parts.path)
        folder = "" if path.startswith("/") else posixpath.dirname(document_path)
        target = posixpath.normpath(posixpath.join(folder, path.lstrip("/")))
        if target.startswith("..") or not target.lower().endswith(DOCUMENTS):
            return None
    elif not parts.fragment:
        return None
    return _address(target, unquote(parts.fragment))


def _address(document_path: str, anchor: str) -> str:
    """Return the address in the page of a document, or of the section in it with an anchor."""
    behind = f"#{quote(anchor, safe='', errors='replace')}" if anchor else ""
    return f"?doc={quote(document_path, safe='/', errors='replace')}{behind}"


# -- parser, renderer, sanitiser ---------------------------------------------------------------------------------------


@lru_cache(1)
def _parser() -> MarkdownIt:
    # HTML is parsed, since the splitter found the sections' blocks in this way; _set_block and _set_inline remove it
    parser = MarkdownIt("commonmark", {"html": True, "maxNesting": _MAX_NESTING}).enable(["table", "strikethrough"])
    add_callouts(parser)
    interrupted = ["paragraph", "reference", "blockquote", "list"]
    parser.block.ruler.at("blockquote", in_portions(rules_block.blockquote), {"alt": interrupted})
    parser.inline.ruler.after("link", "link_by_label", _link_by_label)
    return parser


def _link_by_label(state: StateInline, silent: bool) -> bool:
    """Take `[text][label]` or `[label][]`, whose label is defined elsewhere in the document, and leave its text."""
    source, start, last = state.src, state.pos, state.posMax
    # where the text of a link around it is looked for (`silent`), it is no link: links have none inside
    if silent or source[start] != "[" or _NO_LINK_BEFORE.match(source, start - 1 if start else len(source)):
        return False
    end = parseLinkLabel(state, start)
    close = source.find("]", end + 2, min(last, end + 203)) if end >= 0 and source[end + 1 : end + 2] == "[" else -1
    if close < 0 or source.startswith(_NO_LINK_BEHIND, close + 1) or source.startswith("^", start + 1):
        return False
    label = (end + 2, close) if close > end + 2 else (start + 1, end)
    if not (_LABELLED.fullmatch(source, *label) and end - start > 2):
        return False
    state.pos, state.posMax = start + 1, end
    state.md.inline.tokenize(state)
    state.pos, state.posMax = close + 1, last
    return True


@lru_cache(1)
def _cleaner() -> nh3.Cleaner:
    return nh3.Cleaner(
        tags=_ELEMENTS,
        attributes={"a": {"href"}, "ol": {"start"}, **{tag: {"class"} for tag in _CLASSES}, "details": {"class", "open"}},
        attribute_filter=_filter_attribute,
        url_schemes=_SCHEMES,
        link_rel="noopener noreferrer nofollow",
    )


def _filter_attribute(tag: str, name: str, value: str) -> str | None:
    """Return the value of an attribute if the renderer could have written it, else None: a second check of each one."""
    if name == "href":
        is_safe = value.startswith("?doc=") or urlsplit(value).scheme in _SCHEMES
    elif name == "start":
        is_safe = value.isascii() and value.isdigit()
    elif name == "open":
        is_safe = not value
    else:
        is_safe = name == "rel" or _CLASSES[tag].fullmatch(value) is not None
    return value if is_safe else None
