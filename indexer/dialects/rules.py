"""The rules of each dialect, as tables: where its markup begins, and what of it is hidden."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from indexer.dialects.code import ESCAPE, FORMULA, INDENTED, INLINE, MATH, fence_rule
from indexer.dialects.myst import LIKELY_TARGET, directive_in_fence
from indexer.dialects.myst import RULES as MYST
from indexer.dialects.scan import Rule, Rules, Scan, given_span
from indexer.dialects.tags import EXPRESSION, FRAGMENT, MODULE, TAG
from schema.settings import DIALECTS

_QUOTED = re.compile(r"\"([^\"\r\n]*)\"|“([^“”\r\n]*)”|'([^'\r\n]*)'")
_WHOLE = re.compile(rf"[ \t]*(?:{_QUOTED.pattern})[ \t]*")
_TITLE = re.compile(rf"\btitle=(?:{_QUOTED.pattern})")
_ATTRIBUTES_AT_END = re.compile(r"\{[^{}]*\}[ \t]*$")
_SHOWN_PARAMETERS = re.compile(r"\b(?:title|caption|alt|text|label|summary|header|name)=$", re.IGNORECASE)
_SHORTCODE = re.compile(r"\{\{([<%])-?[ \t]*(/?)[ \t]*([\w./-]+)")
#: A statement of Liquid, which has no blank line and no other one in it; a text that it is given for readers; and statements
#: that are given none.
_STATEMENT = re.compile(r"\{%-?[ \t\n]*(?P<name>\w+)(?:[^%\n{]|%(?!\})|\{(?![%{])|\n(?![ \t]*\n)){0,2000}%\}")
_GIVEN_TEXT = re.compile(
    r"\b(?:title|caption|alt|text|content|description|label|summary)[ \t]*=[ \t]*"
    r"(?P<quote>[\"'])(?P<text>[^\"'\n]*)(?P=quote)",
    re.IGNORECASE,
)
_CONTROLS = frozenset("assign capture if elsif else unless case when for cycle increment decrement".split())
#: Shortcodes whose contents are code, in which `#` begins no heading, and those whose contents are a comment.
_OF_CODE = frozenset({"highlight", "code", "code-toggle", "output", "command", "mermaid", "katex", "math", "gist"})
_OF_COMMENT = frozenset({"comment"})
#: Shortcodes that show the first text, or with `kbd` all, of what they are given without a name; and those that show none.
_SHOWING = frozenset(
    {"kbd", "tooltip", "note", "tip", "info", "warning", "caution", "danger", "details", "tab", "summary", "badge"}
)
_SILENT = frozenset({"tabs", "tabpane", "figure-group"})
_INCLUDE = r"\{\{[ \t]*#(?:include|rustdoc_include|playground|playpen|title|template)\b[^{}\r\n]*\}\}"
_SNIPPET = r"^[ \t]*-{1,20}8<-{1,20}[ \t]+[\"'][^\r\n]{1,1000}[\"'][ \t]*$"
#: A line that takes in a file, by plugins of MkDocs: {!a.py!} and {* a.py hl[1] *}.
_FILE = r"[ \t]*[^\s{}]{1,300}(?:[ \t][^{}\r\n]{0,100})?"
_INCLUDED = rf"^[ \t]*\{{(?:!{_FILE}!|\*{_FILE}\*)\}}[ \t]*$"
#: An icon of Material for MkDocs.
_ICON = r"(?<![\w/:]):(?:material|fontawesome|octicons|simple)(?:-[a-z\d]{1,40}){1,12}:(?![\w:])"
_ICONS_FIRST = re.compile(rf"(?:{_ICON}[ \t]*)+")
_MEDIA = re.compile(r"\.(?:png|jpe?g|gif|svg|webp|avif|bmp|mp[34]|wav|webm|pdf)$", re.IGNORECASE)
_INDENTED_LINES = re.compile(r"(?:\n(?:[ \t]*(?=\n)|(?: {4}|\t)[^\n]*))*")
#: What stands before an id, which takes the blanks between them with it.
_BEFORE_ID = re.compile(r"[\w)`\]]")
#: A mark that may begin a highlight; and the next one that may end it, or the end of its paragraph.
_HIGHLIGHT = re.compile(r"(?<![A-Za-z\d_=])==(?=[^\s=])")
_HIGHLIGHT_END = re.compile(r"(?<=[^\s=])==(?![A-Za-z\d_=])|\n[ \t]*\n")
#: A line behind which a paragraph begins: a blank one, a heading, an underline or rule.
_ENDS_PARAGRAPH = re.compile(r"[ \t]*(?:\n|\Z)| {0,3}#{1,6}[ \t]| {0,3}[-=*_][-=*_ \t]*\n")
_TAG_NAME = re.compile(r"#((?:[^\W\d_]|[\d_/-])*[^\W\d](?:[\w/-])*)")


def _between(opening: str, closing: str, *, is_opaque: bool = True) -> Rule:
    """Return the rule of what stands between two marks and is hidden with them."""

    def take(scan: Scan, start: int, end: int) -> int | None:
        closed = scan.find(closing, end)
        return None if closed < 0 else scan.hide(start, closed + len(closing), is_opaque=is_opaque)

    return Rule(re.escape(opening), take, opening[0])


def _value(scan: Scan, start: int, end: int) -> int | None:
    """Take an expression of Vue, which stays where it is text: in elements and containers with `v-pre`."""
    if start < scan.raw_end or scan.elements.is_raw(start):
        return end
    closed = scan.find("}}", end)
    return None if closed < 0 else scan.hide(start, closed + 2)


def _raw_container(scan: Scan, start: int, end: int) -> int:
    """Take the line of a container of VitePress in which braces are text."""
    closed = scan.search(r"\n[ \t]*:{3,}[ \t]*(?:\n|\Z)", end)
    scan.raw_end = len(scan.text) if closed is None else closed.start()
    return scan.hide(start, end)


def _hides(pattern: str, first: str = "") -> Rule:
    """Return the rule of what the pattern matches, all of which is hidden."""
    return Rule(pattern, lambda scan, start, end: scan.hide(start, end), first)


def _titled(pattern: str) -> Rule:
    """Return the rule of a line whose mark is hidden; the title behind it is shown, without the quotes around it."""
    return Rule(pattern, _take_title)


def _take_title(scan: Scan, start: int, end: int) -> int:
    """Take a mark and what is behind it in its line, except for a title."""
    last = scan.line(end)[1]
    rest = scan.text[end:last]
    title = _TITLE.search(rest) if rest.startswith("{") else _WHOLE.fullmatch(rest)
    if title is not None:
        first, stop = given_span(title)
        icons = _ICONS_FIRST.match(rest, first)
        scan.hide(start, end + (first if icons is None else icons.end()))
        return scan.hide(end + stop, last)
    attributes = _ATTRIBUTES_AT_END.search(rest)
    shown = last if attributes is None else end + len(rest[: attributes.start()].rstrip(" \t"))
    bracketed = re.match(r"[ \t]*\[([^\]\r\n]*)\]", rest)
    if bracketed is not None:
        scan.hide(start, end + bracketed.start(1))
        return scan.hide(end + bracketed.end(1), last)
    scan.hide(start, end)
    return scan.hide(shown, last)


def _shortcode(scan: Scan, start: int, _: int) -> int | None:
    """Take a shortcode of Hugo; texts that it shows stay, and so does what stands between it and its end."""
    named = _SHORTCODE.match(scan.text, start)
    if named is None:
        return None
    closing = "}}" if named.group(1) == "%" else ">}}"
    close = scan.find(closing, named.end())
    if close < 0 or close - start > 20_000:
        return None
    last, name = close + len(closing), named.group(3).lower()
    if not named.group(2) and name in _OF_CODE | _OF_COMMENT:
        ended = scan.search(rf"\{{\{{[<%]-?[ \t]*/[ \t]*{re.escape(name)}\b", last)
        if ended is not None and name in _OF_COMMENT:
            stop = scan.text.find("}}", ended.end())
            return scan.hide(start, len(scan.text) if stop < 0 else stop + 2, is_opaque=True)
        if ended is not None:
            scan.hide(start, last)
            scan.opaque.append((start, ended.start()))
            return ended.start()
    done = start
    for first, stop in () if named.group(2) or name in _SILENT else _shown_parameters(scan.text, named.end(), close, name):
        scan.hide(done, first)
        done = stop
    return scan.hide(done, last)


def _shown_parameters(text: str, start: int, end: int, name: str) -> list[tuple[int, int]]:
    """Return where the parameters are that a shortcode shows: those with the name of a text, else one without a name."""
    given, named = [], []
    for value in _QUOTED.finditer(text, start, end):
        span = given_span(value)
        if _SHOWN_PARAMETERS.search(text, max(start, value.start() - 12), value.start()):
            named.append(span)
        elif text[value.start() - 1] in " \t" or text.startswith("term_id=", value.start() - 8):
            given.append(span)
    if named or name not in {*_SHOWING, "glossary_tooltip"}:
        return named
    if not given and name == "kbd":
        rest = text[start:end]
        return [(start + len(rest) - len(rest.lstrip()), start + len(rest.rstrip(" \t/")))]
    return given[: None if name == "kbd" else 1]


def _generated(scan: Scan, start: int, end: int) -> int | None:
    """Take a block that a plugin fills from code, with its indented options."""
    options = _INDENTED_LINES.match(scan.text, end)
    return scan.hide(start, options.end() if options is not None else end)


def _statement(scan: Scan, start: int, end: int) -> int | None:
    """Take a statement of Liquid: the texts that it is given for readers stay, and so does what stands before its end. Of
    `comment` all is hidden, and what is in `highlight` is code."""
    named = _STATEMENT.match(scan.text, start)
    if named is None:
        return None
    name = named["name"]
    if name in ("comment", "highlight"):
        ended = scan.search(rf"\{{%-?[ \t]*end{name}[ \t]*-?%\}}", end)
        if ended is not None and name == "comment":
            return scan.hide(start, ended.end(), is_opaque=True)
        if ended is not None:
            scan.hide(start, named.end())
            scan.opaque.append((start, ended.start()))
            return ended.start()
    done = start
    for value in () if name in _CONTROLS else _GIVEN_TEXT.finditer(scan.text, start, named.end()):
        scan.hide(done, value.start("text"))
        done = value.end("text")
    return scan.hide(done, named.end())


def _liquid_link(scan: Scan, start: int, end: int) -> int:
    """Take a link with a statement or value as its target: its text is shown."""
    scan.hide(start, scan.text.index("[", start) + 1)
    return scan.hide(scan.text.index("](", start), end)


def _raw(scan: Scan, start: int, end: int) -> int | None:
    """Take the marks around a text in which braces are braces."""
    scan.hide(start, end)
    closed = scan.search(r"\{%-?[ \t]*endraw[ \t]*-?%\}", end)
    return end if closed is None else scan.hide(*closed.span())


def _wikilink(scan: Scan, start: int, end: int) -> int | None:
    """Take a wikilink: its text is shown, or else its target."""
    opened = scan.text.index("[[", start)
    closed = scan.text.find("]]", opened, min(end + 500, scan.line(end)[1]))
    inside = scan.text[opened + 2 : closed]
    if closed < 0 or "[[" in inside:
        return None
    bar = inside.rfind("|")
    if scan.text[start] == "!" and _MEDIA.search(re.split(r"[|#]", inside, maxsplit=1)[0].rstrip()):
        return scan.hide(start, closed + 2)
    scan.hide(start, opened + 2 + bar + 1)
    return scan.hide(closed, closed + 2)


def _highlight(scan: Scan, start: int, end: int) -> int:
    """Take a mark of a highlight: one that begins it has another one behind it in its paragraph, which ends it."""
    if start != scan.highlight_end:
        closing = scan.next(_HIGHLIGHT_END, end)
        is_opening = closing < len(scan.text) and scan.text[closing] == "=" and _HIGHLIGHT.match(scan.text, start)
        if start < scan.highlight_end or not is_opening:
            return end
        scan.highlight_end = closing
    return scan.hide(start, end)


def _inline_tag(scan: Scan, start: int, end: int) -> int | None:
    """Note a tag in the text, such as #project/infra; a number alone is none."""
    found = _TAG_NAME.match(scan.text, start)
    if found is None:
        return end
    scan.tags.append(found.group(1).rstrip("/-"))
    return found.end()


def _heading_id(scan: Scan, start: int, end: int) -> int:
    """Take the id of a heading, with the blanks before it if they follow a word, code or a bracket."""
    first = start
    while first > 0 and scan.text[first - 1] in " \t":
        first -= 1
    return scan.hide(first if _BEFORE_ID.match(scan.text, first - 1) else start, end)


def _alert(scan: Scan, start: int, end: int) -> int:
    """Take the mark of an alert, with the blank behind the mark of its quote."""
    return _take_title(scan, start - (scan.text[start - 1] != ">"), end)


def _block_id(scan: Scan, start: int, end: int) -> int | None:
    """Take the id of a block, with the blanks before it: it stands behind a word, or alone in its line."""
    first = start
    while first > 0 and scan.text[first - 1] in " \t":
        first -= 1
    before = scan.text[first - 1 : first]
    is_apart = bool(before.strip()) if first < start else before in ("", "\n")
    return scan.hide(first, end) if is_apart else None


def _definition(scan: Scan, start: int, end: int) -> int | None:
    """Take the definition of a link, which no reader sees; within a paragraph it is text."""
    before = scan.line(start - 1)[0] if start else 0
    is_behind = bool(scan.hidden) and scan.hidden[-1][1] == start - 1
    is_behind |= bool(scan.fences) and scan.fences[-1][1] == start - 1
    if start < scan.html_end or not (is_behind or _ENDS_PARAGRAPH.match(scan.text, before, start)):
        return None
    scan.definitions.append(start)
    return scan.hide(start, end)


DEFINITION = Rule(
    r"^ {0,3}\[(?!\^)(?:[^\[\]\\\n]|\\[^\n]){1,999}\]:[ \t]*(?:\n[ \t]*)?(?:<[^<>\n]*>|[^\s<]\S*)"
    r"(?:(?:[ \t]+|[ \t]*\n[ \t]*)(?:\"[^\"\n]*\"|'[^'\n]*'|\([^()\n]*\)))?[ \t]*$",
    _definition,
)


def _contents(scan: Scan, start: int, end: int) -> int | None:
    """Take a list of contents: its words are those of the headings that it leads to."""
    if start < scan.html_end:
        return None
    scan.definitions.append(start)
    return scan.hide(start, end)


#: An item of a list that is a link to a place on its own page, and nothing else.
_ITEM_OF_CONTENTS = (
    r"(?:[-*+]|\d{1,9}[.)])[ \t]{1,4}(?:\*\*|__|\*|_|)"
    r"\[(?>(?:[^\[\]\\\n]|\\[^\n]|\n[ \t]++(?=\S)|\[[^\[\]\n]{0,200}\]){1,500})\]"
    r"\(#[^\s()]{1,500}+(?:\([^\s()]{0,200}\)[^\s()]{0,200}|)\)(?:\*\*|__|\*|_|)[ \t]*+(?=\n|\Z)"
)
#: Three of them or more.
CONTENTS = Rule(rf"^ {{0,3}}{_ITEM_OF_CONTENTS}(?>(?:\n[ \t]*+(?:\n[ \t]*+)?{_ITEM_OF_CONTENTS}){{2,}})", _contents)
COMMENT = _between("<!--", "-->", is_opaque=False)
DOCTYPE = _hides(r"<(?:!DOCTYPE|\?xml)\b[^<>\r\n]*>", "<")
HEADING_ID = Rule(r"(?<=[\w)`\] \t])(?:\{[ \t]*#[^\s{}#]+[ \t]*\}|\{/\*[^*{}\r\n]*\*/\})(?=[ \t]*$)", _heading_id, "{")
CONTAINER = (_titled(r"^[ \t]*:{3,}[ \t]*[\w-]*"), Rule(r"(?<=> ):{3,}[ \t]*[\w-]*", _take_title, ":"))
_ALERT = Rule(r"(?:(?<=>)|(?<=>[ \t]))\[![\w-]+(?:\|[^\]\r\n]*)?\][-+]?", _alert, "[")

#: Statements and values of Liquid, and attributes of kramdown, with the list of contents that one of them makes.
_VALUE, _INSIDE = r"\{\{[^{}\r\n]{0,300}\}\}", r"[^{}()\r\n]{0,300}"
_LIQUID = (
    MATH,
    FORMULA,
    Rule(r"\{%-?[ \t]*raw[ \t]*-?%\}", _raw, "{"),
    Rule(
        rf"!?\[[^\[\]\r\n]{{1,300}}\]\((?=[^()\r\n]{{0,500}}\{{[{{%])(?:[^(){{}}\s]|\{{%{_INSIDE}%\}}|\{{\{{{_INSIDE}\}}\}}){{1,300}}"
        r"(?:[ \t]{1,9}\"[^\"\r\n]{0,300}\")?\)",
        _liquid_link,
        "![",
    ),
    Rule(r"(?<![0-9])\{%", _statement, "{"),
)
_KRAMDOWN = (
    _hides(r"^ {0,3}(?:[-*+]|\d\.)[ \t]+[^\r\n]{1,100}\r?\n[ \t]*\{:[ \t]*toc\b[^{}\r\n]{0,100}\}"),
    _between("{::comment}", "{:/comment}"),
    _hides(
        r"\{:(?::/?[a-z]\w*(?:[ \t][^{}\r\n]{0,300})?/?|/\w*|[ \t]*(?:[.#][A-Za-z_-]|[\w-]+=[\"'])[^{}\r\n]{0,300})\}", "{"
    ),
)
#: Attributes of Python-Markdown, kramdown and Pandoc: {.class #id key="value"}.
_ATTRIBUTES = _hides(
    r"\{:?[ \t]*(?:[.#][\w.:-]+|[\w-]+=(?:\"[^\"\r\n]*\"|[\w-]+))(?>(?:[ \t]++[^{}\r\n]{0,300}+[ \t]*+)?)\}", "{"
)

#: Notes link to each other so in many folders that say nothing of it. Not `[[ -f file ]]`, a number of a source, a list of
#: contents, or the text of a link in brackets of its own.
_LIKELY_WIKILINK = Rule(
    r"!?\[\[(?!(?:\d{1,3}|_?TOC_?|toc)\]\])(?=[^\s\[\]'\"])[^\[\]\r\n]{1,400}(?<![ \t])\]\](?![(\[])", _wikilink, "!["
)

_BRACES = _between("{/*", "*/}", is_opaque=False)
_COMMON: tuple[Rule, ...] = (COMMENT, DEFINITION, CONTENTS, LIKELY_TARGET, HEADING_ID, _BRACES, DOCTYPE, _ALERT)
_TABLES: Mapping[str, tuple[Rule, ...]] = {
    "mdx": (MODULE, *CONTAINER, MATH, FORMULA, FRAGMENT, EXPRESSION),
    "docusaurus": (),
    "vitepress": (
        Rule(r"^[ \t]*:{3,}[ \t]*v-pre[ \t]*$", _raw_container),
        *CONTAINER,
        _hides(r"^\[\[(?:toc|TOC)\]\][ \t]*$"),
        _hides(r"^ {0,3}<<<[ \t]+[^\r\n]+$"),
        Rule(r"\{\{", _value, "{"),
    ),
    "hugo": (_between("{{/*", "*/}}"), Rule(r"\{\{[<%]", _shortcode, "{")),
    "mkdocs": (
        _titled(r"^[ \t]*(?:!!!|\?\?\?\+?)[ \t]+[\w-]+(?:[ \t]+(?!\")[\w-]+)*"),
        _titled(r"^[ \t]*===[!+]?(?=[ \t]+[\"“'])"),
        _titled(r"^[ \t]*/{3,}[ \t]*(?:[\w-]+[ \t]*\|?)?"),
        _hides(_INCLUDED),
        _hides(r"^[ \t]*-{1,20}8<-{1,20}[ \t]*\n(?:[^\n]*\n){1,20}?[ \t]*-{1,20}8<-{1,20}[ \t]*$"),
        _hides(r"^[ \t]*-*8<-*[^\r\n]*$"),
        _hides(r"^\[TOC\][ \t]*$"),
        _hides(_ICON, ":"),
        _ATTRIBUTES,
        Rule(r"^[ \t]*:::[ \t]+[\w.:-]+[ \t]*$", _generated),
        Rule(r"\{%-?[ \t]*raw[ \t]*-?%\}", _raw, "{"),
        _hides(r"^\*\[[^\]\r\n]+\]:[^\r\n]*$"),
        _between("{#", "#}"),
        _between("{%", "%}", is_opaque=False),
        _between("{{", "}}", is_opaque=False),
    ),
    "mdbook": (_hides(_INCLUDE, "{"),),
    "obsidian": (
        _between("%%", "%%"),
        Rule(r"(?:(?<=[ \t])|^)\^[A-Za-z\d-]+[ \t]*$", _block_id, "^"),
        Rule(r"(?<!=)==(?!=)", _highlight, "="),
        Rule(r"!?\[\[(?=[^\[\]\r\n])", _wikilink, "!["),
        Rule(r"(?:(?<=[\s,])|(?<=[^\]]\()|^)#(?=[\w/-])", _inline_tag, "#"),
    ),
    "starlight": CONTAINER,
    "myst": MYST,
    "jekyll": (*_LIQUID, *_KRAMDOWN, _hides(_VALUE, "{")),
    "gitbook": _LIQUID,
    "quarto": (*CONTAINER, Rule(r"\{\{[<%]", _shortcode, "{"), _ATTRIBUTES),
}
#: Dialects that are another one with some rules more.
_EXTENDS = {"docusaurus": ("mdx",)}


@lru_cache(maxsize=64)
def rules_of(dialects: frozenset[str]) -> Rules:
    """Return the rules for a text of these dialects."""
    wanted = expanded(dialects)
    inside = [pattern for name, pattern in (("mdbook", _INCLUDE), ("mkdocs", f"{_SNIPPET}|{_INCLUDED}")) if name in wanted]
    code = (
        fence_rule(
            inside=re.compile("|".join(inside), re.MULTILINE) if inside else None,
            has_queries="obsidian" in wanted,
            directive=directive_in_fence if "myst" in wanted else None,
        ),
        INLINE,
        ESCAPE,
    )
    own = tuple(rule for name in DIALECTS if name in wanted for rule in _TABLES[name])
    rules = (*code, *_COMMON, *own, _LIKELY_WIKILINK, *(() if "mdx" in wanted else (INDENTED,)), TAG)
    return Rules.of(tuple(dict.fromkeys(rules)))


def expanded(dialects: frozenset[str]) -> frozenset[str]:
    """Return dialects with those that they extend."""
    return dialects | {name for dialect in dialects for name in _EXTENDS.get(dialect, ())}
