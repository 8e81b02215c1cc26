"""Tags of HTML, JSX and Vue: hidden, except for the values of attributes that a reader sees."""

from __future__ import annotations

import re

from indexer.dialects.elements import Element
from indexer.dialects.scan import Rule, Scan, given_span
from indexer.dialects.unseen import html_end, is_unseen, reach_of
from schema.sections import INLINE_ELEMENTS

#: Attributes whose values a component shows.
_SHOWN = frozenset(
    "title label alt caption heading header subtitle description summary text tooltip placeholder aria-label".split()
)
_NAME = re.compile(r"</?([A-Za-z][\w.:-]*)?")
_ATTRIBUTE = re.compile(
    r"(?P<name>[:@#]?[A-Za-z_][\w.:@-]*)(?:[ \t\r\n]*(?P<equals>=)[ \t\r\n]*)?|(?P<quote>[\"'])|(?P<brace>\{)|(?P<end>/?>)"
    r"|[ \t]+|\r\n?|\n"
)
_CLOSERS = re.compile(r"</([A-Za-z][\w.:-]*)[ \t]*>")
#: A tag of more characters is text.
_LONGEST = 100_000
_ELEMENTS = frozenset(
    """a abbr address article aside audio b blockquote body br button canvas caption center cite code col colgroup
    dd del details dfn div dl dt em embed fieldset figcaption figure font footer form h1 h2 h3 h4 h5 h6 head header
    hr html i iframe img input ins kbd label legend li link main mark meta nav noscript object ol option p param
    picture pre q rp rt ruby s samp script section select slot small source span strike strong style sub summary
    sup svg table tbody td template textarea tfoot th thead title tr tt u ul var video wbr""".split()
)
#: Elements whose contents are no text.
_WITHOUT_TEXT = frozenset({"script", "style", "svg"})
#: Elements within a word, as in H<sub>2</sub>O, stay: two words would be made of one.
_INLINE = INLINE_ELEMENTS | {"br", "wbr"}
#: Elements without an end.
_VOID = frozenset("br col embed hr img input link meta param wbr".split())
# scripts without blanks between words, or with endings on them, may be cut at a tag
_WORD = re.compile(r"[^\W\u1100-\u11ff\u3000-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_BRACKETS = {"{": 1, "}": -1}
_IN_BRACES = re.compile(r"[{}]|\"(?:[^\"\\\r\n]|\\.)*\"|'(?:[^'\\\r\n]|\\.)*'|`(?:[^`\\]|\\.)*`|/\*")
#: A text for readers in an object that is given to a component: { description: "…" }.
_TEXT_IN_OBJECT = re.compile(
    r"(?<![\w$])[\"']?(?:title|label|description|summary|caption|text|name|header|heading)[\"']?[ \t]*:[ \t\r\n]*"
    r"(?:\"([^\"\\\r\n]*)\"|'([^'\\\r\n]*)'|`([^`\\$]{0,5000})`)"
)
#: A longer element that depends on a condition is hidden with it (characters): what is in it is read again.
_LONGEST_CONDITIONAL = 2000
#: What stands before an element of JSX that is shown on a condition.
_CONDITION = re.compile(
    r"\{(?!\s{0,99}(?:false|null|0)\b)(?:[^{}<>\"'`?=!]|!(?!=)|[!=]==?|\"[^\"\r\n]{0,99}\"|'[^'\r\n]{0,99}'){1,300}&&\s{0,99}(\(?)\s{0,99}(?=<[A-Za-z>])"
)
_TEXT_ALONE = re.compile(r"\{[ \t]*(?:\"([^\"\\{}\r\n]*)\"|'([^'\\{}\r\n]*)'|`([^`\\{}$]*)`)[ \t]*\}")


def _tag(scan: Scan, start: int, _: int) -> int | None:
    """Take a tag, opening or closing."""
    text = scan.text
    named = _NAME.match(text, start)
    name = (named.group(1) or "") if named is not None else ""
    is_closing = text.startswith("</", start)
    given: dict[str, str] = {}
    last, values, is_alone = _attributes(scan, start + len(f"</{name}" if is_closing else f"<{name}"), given)
    if last is None:
        return None
    folded = name.lower()
    if not (scan.is_mdx or is_closing or is_alone or folded in _ELEMENTS or name in _closed(scan)):
        return None
    is_component = name != folded if scan.is_mdx else len(name) > 1 and not name.islower() and not name.isupper()
    if folded in _ELEMENTS and folded not in _VOID and not is_alone and not is_component:
        _note_element(scan, folded, start, last, given)
    if folded in _INLINE and _is_shown(scan, folded, start, last, is_closing=is_closing):
        return last
    if folded in _WITHOUT_TEXT and not is_closing and not is_alone:
        closed = scan.find(f"</{name}", last)
        stop = text.find(">", closed) + 1 if closed >= 0 else 0
        return scan.hide(start, stop or last, is_opaque=bool(stop))
    done = start
    for first, stop in values:
        scan.hide(done, first)
        done = stop
    return scan.hide(done, last)


def _note_element(scan: Scan, name: str, start: int, end: int, given: dict[str, str]) -> None:
    """Open an element, or close it if nothing is `given`; those that end there and that no reader sees are hidden."""
    if scan.text.startswith("</", start):
        ended = scan.elements.close(name, start, end)
    else:
        unseen, raw = is_unseen(name, given, is_mdx=scan.is_mdx), "v-pre" in given
        reach = reach_of(scan, name, start, end) if unseen or raw or scan.elements.unseen else len(scan.text)
        if unseen:
            scan.html_end = max(scan.html_end, html_end(scan, start))
        ended = scan.elements.begin(Element(name, start, end, reach, unseen, raw), is_strict=scan.is_mdx)
    for element in ended:
        scan.hide(element.start, element.end)
    scan.unseen += ended


def _attributes(scan: Scan, at: int, given: dict[str, str]) -> tuple[int | None, list[tuple[int, int]], bool]:
    """Return the end of a tag (None if it has none), the values that are shown, and whether it closes itself.

    `at` is where its name ends. The attributes are added to `given`, with their values; one without a value has its name.
    """
    text, start = scan.text, at
    shown: list[tuple[int, int]] = []
    name, has_value = "", False
    limit = min(len(text), at + _LONGEST)
    while at < limit and (match := _ATTRIBUTE.match(text, at)) is not None:
        at = match.end()
        if match["end"]:
            return at, shown, match["end"] == "/>"
        if match["name"]:
            if has_value:  # this is the value, without quotes, of which "=" may be a part
                given[name] = match["name"]
                has_value = match["equals"] is not None
                continue
            name, has_value = match["name"].lower(), match["equals"] is not None
            given.setdefault(name, name)
        elif match["quote"]:
            closed = text.find(match["quote"], at, limit)
            if closed < 0 or not has_value:
                break
            if name in _SHOWN:
                shown.append((at, closed))
            given[name] = text[at:closed]
            at, has_value = closed + 1, False
        elif match["brace"]:
            close = braces_end(scan, match.start())
            if close is None:
                break
            alone = _TEXT_ALONE.fullmatch(text, match.start(), close)
            if alone is not None and has_value and name in _SHOWN:
                shown.append(_span_of(alone))
            elif has_value and alone is None:
                shown += [_span_of(value) for value in _TEXT_IN_OBJECT.finditer(text, match.start(), close)]
            if has_value:
                given[name] = text[match.start() : close]
            at, has_value = close, False
        elif "\n" in match.group() and _starts_blank(text, at):
            break
    scan.afford(at - start)
    return None, [], False


def _starts_blank(text: str, at: int) -> bool:
    """Whether only blanks stand between an offset and the end of its line."""
    while at < len(text) and text[at] in " \t":
        at += 1
    return at >= len(text) or text[at] in "\r\n"


def braces_end(scan: Scan, start: int) -> int | None:
    """Return where an expression in braces ends that begins at `start`; texts and comments in it may hold braces."""
    text, depth, at = scan.text, 0, start
    if not scan.afford(1):
        return None
    limit = min(len(text), start + _LONGEST)
    while (match := _IN_BRACES.search(text, at, limit)) is not None:
        at = match.end()
        if match.group() == "/*":
            closed = scan.find("*/", at)
            if closed < 0 or closed >= limit:
                break
            at = closed + 2
        else:
            depth += _BRACKETS.get(match.group(), 0)
            if depth == 0:
                return at
    scan.afford(limit - start)
    return None


def _closed(scan: Scan) -> frozenset[str]:
    if scan.closed is None:
        scan.closed = frozenset(match.group(1) for match in _CLOSERS.finditer(scan.text))
    return scan.closed


def _is_shown(scan: Scan, name: str, start: int, end: int, *, is_closing: bool) -> bool:
    """Whether a tag is shown since it stands within a word; the end of an element is as its beginning was."""
    shown = _is_in_word(scan.text, start, end)
    opened = scan.inline.setdefault(name, [])
    if is_closing and opened:
        return opened.pop()
    if not is_closing and name not in _VOID:
        opened.append(shown)
    return shown


def _is_in_word(text: str, start: int, end: int) -> bool:
    return _WORD.match(text[start - 1 : start]) is not None and _WORD.match(text[end : end + 1]) is not None


def _span_of(alone: re.Match[str]) -> tuple[int, int]:
    """Return where a text that is an expression by itself begins and ends, blanks around it left out."""
    first, stop = given_span(alone)
    text = alone.string[first:stop]
    return first + len(text) - len(text.lstrip()), max(first, stop - len(text) + len(text.rstrip()))


def _expression(scan: Scan, start: int, _: int) -> int | None:
    """Take an expression in braces; a text alone in it is shown, as is an element that depends on a condition alone.

    One in a heading is left for the heading's reader.
    """
    last = braces_end(scan, start)
    if last is None:
        return None
    alone = _TEXT_ALONE.fullmatch(scan.text, start, last)
    if alone is not None:
        first, stop = _span_of(alone)
        scan.hide(start, first)
        return scan.hide(stop, last)
    condition = _CONDITION.match(scan.text, start, last) if last - start <= _LONGEST_CONDITIONAL else None
    if condition is not None:
        shown = scan.text[condition.end() : last - 1].rstrip().removesuffix(")" if condition[1] else "").rstrip()
        if shown.endswith(">"):
            scan.opaque.append((start, last))
            scan.hide(condition.end() + len(shown), last)
            return scan.hide(start, condition.end())
    return scan.hide(start, last, is_opaque=True)


def _module(scan: Scan, start: int, _: int) -> int | None:
    """Take the imports or exports of a module, up to a blank line."""
    before = scan.text[max(0, start - 4) : start]
    is_first = not before.strip("\n \t") or before.endswith("\n\n")
    above = scan.before_blanks(start)
    is_next = bool(scan.hidden) and above <= scan.hidden[-1][1]
    if not (is_first or is_next):
        return None
    return scan.hide(start, _module_end(scan, start), is_opaque=True)


def _module_end(scan: Scan, start: int) -> int:
    """Return where a statement ends: at a blank line outside of its braces."""
    end = scan.paragraph_end(start)
    brace = scan.text.find("{", start, end)
    close = braces_end(scan, brace) if brace >= 0 else None
    return end if close is None or close <= end else scan.line(close)[1]


TAG = Rule(r"</?[A-Za-z]", _tag, "<")
FRAGMENT = Rule(r"</?>", lambda scan, start, end: scan.hide(start, end), "<")
EXPRESSION = Rule(r"\{", _expression, "{")
MODULE = Rule(r"^(?:import|export)[ \t{*]", _module)
