"""A page of HTML → its title, its headings and the HTML of its main content, without scripts and navigation."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from html import escape
from html.parser import HTMLParser

#: Elements that are left out with all that they hold.
_DROPPED = frozenset(
    {"script", "style", "noscript", "template", "iframe", "object", "embed", "applet", "svg", "canvas", "audio", "video",
     "map", "select", "textarea", "button", "dialog", "nav", "title"}
)  # fmt: skip
#: Elements around the content, which are left out where the page does not say which part is its content.
_AROUND = frozenset({"footer", "aside", "header"})
_VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"}
)
#: Void elements that say nothing in a text, or that load something.
_SILENT = frozenset({"area", "base", "embed", "input", "link", "meta", "param", "source", "track"})
#: The attributes that are kept: others style the page or load something.
_KEPT = frozenset({"href", "class", "alt", "colspan", "rowspan", "start", "align"})
_ROLES_DROPPED = frozenset({"navigation", "search", "banner", "contentinfo", "complementary"})
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_CELLS, _PARTS = frozenset({"td", "th"}), frozenset({"td", "th", "tr", "thead", "tbody", "tfoot", "caption", "colgroup"})
#: What an element that begins ends, if it stands directly in it: the end tags of these may be missing.
_ENDED_BY = {
    "p": frozenset({"p"}), "li": frozenset({"li", "p"}), "dt": frozenset({"dt", "dd", "p"}),
    "dd": frozenset({"dt", "dd", "p"}), "td": _CELLS | {"p"}, "th": _CELLS | {"p"},
    "tr": _CELLS | {"tr", "p", "caption", "colgroup"}, "thead": _PARTS | {"p"}, "tbody": _PARTS | {"p"},
    "tfoot": _PARTS | {"p"},
    **{name: frozenset({"p"}) for name in ("div", "ul", "ol", "dl", "table", "pre", "blockquote", "section", "article",
                                           "h1", "h2", "h3", "h4", "h5", "h6", "hr", "figure")},
}  # fmt: skip
#: The text of a link from a heading to itself.
_PERMALINKS = frozenset("#¶§🔗")
#: Elements inside each other beyond which the tags are left out, and only their text is kept.
_MAX_DEPTH = 60
#: Longer attributes are left out (characters).
_MAX_ATTRIBUTE = 2000


class _Page(HTMLParser):
    """Collects three contents: that of `main`, those of each outermost `article`, and the whole body."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.title = ""
        self.headings: list[tuple[int, str]] = []  # the line of each, and its text
        self.main: list[str] = []
        self.articles: list[str] = []
        self.body: list[str] = []
        # the element that is left out, and what is open in it: if it is one of `_DROPPED`, only elements of its name
        self._dropped: list[str] = []
        self._dropped_names: Counter[str] = Counter()
        self._around: list[str] = []
        self._main_tag, self._main_depth, self._article_depth = "", 0, 0
        self._open: list[str] = []
        self._is_title = self._is_heading = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._dropped and not self._ends_dropped(tag):
            if tag not in _VOID and (tag == self._dropped[0] or self._dropped[0] not in _DROPPED):
                self._drop(tag)
            return
        while self._open and self._open[-1] in _ENDED_BY.get(tag, ()):
            self._put(f"</{self._open.pop()}>")
        given = dict(attrs)
        role = (given.get("role") or "").lower()
        if tag == "title" and not self.title:
            self._is_title = True
            self.headings.append((self.getpos()[0], ""))
        is_hidden = "hidden" in given and (given["hidden"] or "").lower() != "until-found"
        if tag not in _VOID and (tag in _DROPPED or role in _ROLES_DROPPED or is_hidden):
            self._drop(tag)
            return
        if tag == self._around[0] if self._around else tag in _AROUND:
            self._around.append(tag)
        if not self._main_tag and (tag == "main" or role == "main"):
            self._main_tag = tag
        if tag == self._main_tag:
            self._main_depth += 1
        if tag == "article":
            self._article_depth += 1
        if tag in _SILENT:
            return
        if tag in _HEADINGS:
            self._is_heading = True
            self.headings.append((self.getpos()[0], ""))
        if tag not in _VOID:
            if len(self._open) >= _MAX_DEPTH:
                self._put(" ")
                return
            self._open.append(tag)
        kept = "".join(
            f' {name}="{escape(value)}"'
            for name, value in attrs
            if name in _KEPT and value and len(value) <= _MAX_ATTRIBUTE and not value.lstrip().lower().startswith("data:")
        )
        self._put(f"<{tag}{kept}>")

    def handle_endtag(self, tag: str) -> None:
        if self._dropped:
            if self._dropped_names[tag]:
                while self._end_dropped() != tag:
                    pass
                self._is_title = False
                return
            if self._dropped[0] in _DROPPED or tag not in self._open:
                return
            while self._dropped:  # its end tag is missing: it ends with what it is in
                self._end_dropped()
        if tag in _HEADINGS:
            self._is_heading = False
        if tag in self._open:
            # what is open inside of it ends with it
            while True:
                ended = self._open.pop()
                self._put(f"</{ended}>")
                if ended == tag:
                    break
        if self._around and tag == self._around[0]:
            self._around.pop()
        if self._main_depth and tag == self._main_tag:
            self._main_depth -= 1
        if self._article_depth and tag == "article":
            self._article_depth -= 1

    def _drop(self, tag: str) -> None:
        self._dropped.append(tag)
        self._dropped_names[tag] += 1

    def _end_dropped(self) -> str:
        """End the innermost element in what is left out, and return its name."""
        tag = self._dropped.pop()
        self._dropped_names[tag] -= 1
        return tag

    def _ends_dropped(self, tag: str) -> bool:
        """Whether the element that is left out ends where this one begins; ends those inside of it that do."""
        while self._dropped and self._dropped[-1] in _ENDED_BY.get(tag, ()):
            self._end_dropped()
        return not self._dropped

    def handle_data(self, data: str) -> None:
        if self._is_title and self._dropped and self._dropped[0] == "title":
            self.title += data
        elif not self._dropped:
            if self._is_heading and self._open[-1:] == ["a"] and data.strip() in _PERMALINKS:
                return
            if self._is_heading:
                line, text = self.headings[-1]
                self.headings[-1] = (line, (text + data)[:_MAX_ATTRIBUTE])
            self._put(escape(data, quote=False))

    def _put(self, piece: str) -> None:
        if self._main_depth:
            self.main.append(piece)
        elif self._article_depth:
            self.articles.append(piece)
        if not self._around:
            self.body.append(piece)


@dataclass(frozen=True, slots=True)
class PageContent:
    """A page's title, the line and text of its title and of each heading, and the HTML of its main content."""

    title: str
    headings: list[tuple[int, str]]
    html: str


def page_content(text: str) -> PageContent:
    """Return what a page says: the content of `main`, else of its articles, else of its body without what is around."""
    page = _Page()
    page.feed(text)
    page.close()
    contents = ("".join(pieces) for pieces in (page.main, page.articles, page.body))
    title = " ".join(page.title.split())
    headings = [(line, words or title) for line, words in page.headings]
    return PageContent(title, headings, next((content for content in contents if _has_text(content)), ""))


def _has_text(content: str) -> bool:
    inside = False
    for character in content:
        if character == "<":
            inside = True
        elif character == ">":
            inside = False
        elif not inside and not character.isspace():
            return True
    return False
