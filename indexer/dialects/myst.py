"""The rules of MyST, the Markdown of Sphinx and Jupyter Book: directives in fences or colons, roles, targets, comments."""

from __future__ import annotations

import re

from indexer.dialects.scan import Rule, Scan

#: A directive: its name, and what stands behind it in its line.
_DIRECTIVE = re.compile(r"[ \t]*\{([A-Za-z][\w:+.-]{0,60})\}[ \t]*([^\r\n]*)")
#: Directives whose contents are Markdown, with HTML in it, as are those with a domain (`py:function`). Those of others are
#: code and stay.
_OF_TEXT = frozenset(
    """admonition attention caution danger error hint important note seealso tip todo warning deprecated versionadded
    versionchanged versionremoved aside attributes card card-carousel compound container details div dropdown epigraph
    exercise figure figure-md glossary grid grid-item grid-item-card group-tab hlist list-table margin only pull-quote
    raw rst-class rubric sidebar solution tab tab-item tab-set table tabs toggle topic""".split()
)
#: Directives of which a reader sees nothing that stands in the text: lists of pages, what is read from files or from code.
_SILENT = frozenset(
    """toctree include literalinclude contents index tableofcontents bibliography image video iframe meta currentmodule
    automodule autoclass autofunction automethod autosummary autodoc2-object autodoc2-summary click sphinx-design""".split()
)
#: Directives whose name is shown before their argument, a version.
_OF_VERSIONS = frozenset({"deprecated", "versionadded", "versionchanged", "versionremoved"})
#: Directives whose argument is no title: a path, a format, or for what the page is built.
_WITHOUT_TITLE = frozenset({"figure", "figure-md", "only", "raw"})
#: The options below the line of a directive: `:name: value` in each line, or YAML between two lines of dashes.
_OPTIONS = re.compile(
    r"\n[ \t>]*(?::[\w-]{1,60}:[^\n]*(?:\n[ \t>]*:[\w-]{1,60}:[^\n]*){0,50}"
    r"|---[ \t]*\n(?:[^\n]*\n){0,50}?[ \t>]*---[ \t]*(?=\n))"
)
_RUN = re.compile(r"`+")


def directive_in_fence(scan: Scan, start: int, end: int, info: str, closing: tuple[int, int] | None) -> int | None:
    """Take the fence of a directive at `start`..`end`, whose line ends with `info`; None for a block of code.

    The fence is hidden with the options, and its contents are read on as Markdown; `closing` is where its end stands.
    """
    found = _DIRECTIVE.fullmatch(info)
    if found is None:
        return None
    last = len(scan.text) if closing is None else closing[1]
    name, argument = found.group(1).lower(), found.group(2)
    if _is_silent(name, argument):
        return scan.hide(start, last, is_opaque=True)
    if name not in _OF_TEXT and ":" not in name:
        _hide_options(scan, end, last)
        return None
    if closing is not None:
        scan.closings.add(closing[0])
        scan.hide(*closing, is_opaque=True)
    return _opening(scan, start, end, name, argument, last)


def _is_silent(name: str, argument: str) -> bool:
    """Whether a reader of the page sees nothing of a directive: so it is with raw text for another format than HTML."""
    return name in _SILENT or (name == "raw" and "html" not in argument.lower().split())


def _colons(scan: Scan, start: int, end: int) -> int | None:
    """Take a line of colons that begins or ends a directive."""
    line_end = scan.line(end)[1]
    found = _DIRECTIVE.fullmatch(scan.text, end, line_end)
    if found is None:
        return scan.hide(start, line_end) if not scan.text[end:line_end].strip() else None
    name = found.group(1).lower()
    if _is_silent(name, found.group(2)):
        mark = scan.text[start:end].strip()
        closing = re.compile(rf"^[ \t]*{mark}[ \t]*$", re.MULTILINE)
        closed = closing.match(scan.text, scan.next(closing, line_end))
        return scan.hide(start, len(scan.text) if closed is None else closed.end(), is_opaque=True)
    return _opening(scan, start, line_end, name, found.group(2), len(scan.text))


def _opening(scan: Scan, start: int, end: int, name: str, argument: str, last: int) -> int:
    """Hide the line of a directive but for its title, and its options, which end before `last`."""
    shown = "" if name in _WITHOUT_TITLE else argument.rstrip()
    title = end - len(argument)
    if name in _OF_VERSIONS:
        begin = scan.text.index("{", start)
        scan.hide(start, begin + 1, is_opaque=True)
        start = scan.text.index("}", begin)
        scan.hide(start, start + 1, is_opaque=True)
    else:
        scan.hide(start, title, is_opaque=True)
    scan.hide(title + len(shown), end)
    return max(end, _hide_options(scan, end, last))


def _hide_options(scan: Scan, end: int, last: int) -> int:
    """Hide the options behind the line of a directive and return where they end."""
    found = _OPTIONS.match(scan.text, end, last)
    return end if found is None else scan.hide(end, found.end(), is_opaque=True)


def _role(scan: Scan, start: int, end: int) -> int:
    """Take the name of a role before code; if a target stands in this, all but the text of the link."""
    scan.hide(start, end)
    opened = _RUN.match(scan.text, end)
    ticks = opened.group() if opened is not None else ""
    stop = scan.paragraph_end(end)
    for closed in _RUN.finditer(scan.text, end + len(ticks), min(stop, end + 2_000)):
        if closed.group() == ticks:
            inside = scan.text[end + len(ticks) : closed.start()]
            text, has_target, _ = inside.rpartition("<") if inside.endswith(">") else ("", "", "")
            if has_target and text[-1:].isspace():  # text <target>
                scan.hide(end, end + len(ticks))
                scan.hide(end + len(ticks) + len(text.rstrip()), closed.end())
            return closed.end()
    return end if scan.afford(min(stop - end, 2_000)) else stop


def _all(scan: Scan, start: int, end: int) -> int:
    return scan.hide(start, end)


#: A target that nothing else looks like, which is read also where no file tells the dialect.
LIKELY_TARGET = Rule(r"^\([A-Za-z][\w/:.-]{2,200}\)=[ \t]*$", _all, "(")
RULES: tuple[Rule, ...] = (
    Rule(r"^[ \t]*:{3,}(?=[ \t]*(?:\{|$))", _colons),
    Rule(r"\{[A-Za-z][\w:+.-]{0,60}\}(?=`)", _role, "{"),
    Rule(r"^\([^()\s][^()\r\n]{0,200}\)=[ \t]*$", _all),
    Rule(r"^%(?!%)[^\r\n]*$", _all),
    Rule(r"^\+\+\+[^\r\n]*$", _all),
    Rule(r"\{\{[^{}\r\n]{1,200}\}\}", _all, "{"),
)
