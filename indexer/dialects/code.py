"""Code, escapes and formulas in a text: rules that keep other rules from reading inside of them."""

from __future__ import annotations

import re
from collections.abc import Callable

from indexer.dialects.scan import Rule, Scan

_FENCE = re.compile(r"(`{3,}|~{3,})([^\r\n]*)")
_RUN = re.compile(r"`+")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)]|!!!|\?\?\?\+?|===|\[\^[^\]]+\]:)(?:[ \t]|$)", re.MULTILINE)
#: Code blocks in which a plugin's query stands, of which a reader sees the result alone.
_QUERIES = frozenset({"dataview", "dataviewjs", "tasks", "query", "base"})


#: Takes a fence that holds Markdown: where its line begins and ends, what is behind the marks, and where its end stands.
Directive = Callable[[Scan, int, int, str, tuple[int, int] | None], int | None]


def fence_rule(
    *, inside: re.Pattern[str] | None = None, has_queries: bool = False, directive: Directive | None = None
) -> Rule:
    """Return the rule of fenced code; what `inside` matches in it is hidden, as are queries of plugins. A fence that
    `directive` takes holds no code."""

    def take(scan: Scan, start: int, end: int) -> int | None:
        if start < scan.html_end:
            return None
        if start in scan.closings:
            return end
        opened = _FENCE.search(scan.text, start, end)
        if opened is None or (opened.group(1)[0] == "`" and "`" in opened.group(2)):
            return end
        mark = opened.group(1)
        closing = re.compile(rf"^[ \t>]*{re.escape(mark[0])}{{{len(mark)},}}[ \t]*$", re.MULTILINE)
        closed = closing.match(scan.text, scan.next(closing, end))
        if scan.is_mdx and closed is not None and opened.group(2).strip() == "mdx-code-block":
            scan.closings.add(closed.start())
            scan.hide(closed.start(), closed.end(), is_opaque=True)  # other tools see code, the site what is in it
            return scan.hide(start, end, is_opaque=True)
        if directive is not None:
            ended = None if closed is None else closed.span()
            if (done := directive(scan, start, end, opened.group(2), ended)) is not None:
                return done
        last = len(scan.text) if closed is None else closed.end()
        scan.fences.append((start, last))
        if has_queries and opened.group(2).strip().lower() in _QUERIES:
            return scan.hide(start, last)
        if inside is not None:
            for match in inside.finditer(scan.text, end, last):
                scan.hide(match.start(), match.end())
        return last

    return Rule(r"^[ \t>]{0,20}(?:(?:[-*+]|\d{1,9}[.)])[ \t]{1,4})?(?:`{3,}|~{3,})[^\r\n]*", take)


def _indented(scan: Scan, start: int, end: int) -> int | None:
    """Take a line of indented code: behind a blank line, and not below an item of a list."""
    at = scan.before_blanks(start)
    if not scan.afford(start - at):
        return None
    first = scan.line(at)[0]
    above, gap = scan.text[first:at], scan.text[at:start]
    is_apart = not at or gap.count("\n") > 1
    is_item = above.startswith((" ", "\t")) or _ITEM.match(above) is not None
    if first == scan.last_code or (is_apart and not is_item):
        scan.last_code = start
        return scan.line(end)[1]
    return end


def _inline(scan: Scan, start: int, end: int) -> int | None:
    if start < scan.html_end:
        return end
    last = scan.paragraph_end(end)
    count = end - start
    for other in _RUN.finditer(scan.text, end, last):
        if other.end() - other.start() == count:
            return other.end()
    return end if scan.afford(last - end) else last


INDENTED = Rule(r"^(?: {4}|\t)[ \t]*(?=[^\s])", _indented)
INLINE = Rule(r"`+", _inline, "`")
ESCAPE = Rule(r"\\[!-/:-@\[-`{-~]", lambda scan, start, end: None if start < scan.html_end else end, "\\")
MATH = Rule(r"\$\$", lambda scan, _, end: max(end, scan.find("$$", end) + 2), "$")
FORMULA = Rule(r"\$[^\s$`][^$`\r\n]{0,200}\$(?!\d)", lambda _, __, end: end, "$")
