"""What of a text's markup the page draws: its patterns, and the names of components and containers that mean
something, and what is kept in mind of what was opened."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from search.context.include_forms import FORMS
from search.server.callouts import TAB

#: Markup that is drawn, where it begins.
DRAWN = re.compile(
    FORMS
    + r"""|
      (?P<colons>:{3,}|(?:`{3,}|~{3,})(?=[ \t]*(?:\{[\w:+-]+\}|[\r\n]|\Z)))
      [ \t]*(?:\{(?P<classes>[^{}\r\n]{0,300})|(?P<container>[\w-]*))
    | \[!(?P<alert>[\w-]+)(?:\|[^\]\r\n]*)?\](?P<fold>[-+]?)
    | (?P<admonition>!!!|\?\?\?\+?)[ \t]+(?P<kind>[\w-]+)
    | (?P<tab>===[!+]?)(?=[ \t])
    | <(?P<slash>/?)(?P<name>[A-Za-z][\w.:-]*)
      (?P<attributes>(?>(?:"[^"]*+"|'[^']*+'|\{(?>(?:[^{}]|\{[^{}]*+\})*)\}|=>|[^"'{}<>])*))>
    """,
    re.VERBOSE,
)
_CALLOUT_CLASS = re.compile(r"\.callout-([\w-]+)")
FOLDED_CLASS = re.compile(r"\bcollapse=[\"']?true")
#: Components that are callouts: by their name, or by their attribute `type`.
CALLOUTS = frozenset("Note Tip Info Warning Danger Caution Important Pitfall Hint".split())
TYPED = frozenset("Aside Callout Admonition".split())
#: Directives of MyST that are callouts or tabs, and what they are drawn as.
_DIRECTIVES: Mapping[str, str] = {
    **{name: name for name in "note tip hint important warning caution attention danger error admonition todo".split()},
    **dict.fromkeys(("details", "dropdown", "toggle"), "details"),
    **dict.fromkeys(("tab", "tab-item", "group-tab"), TAB),
    "seealso": "see-also",
}
#: Components that are one of several tabs.
TABS = frozenset("TabItem Tab TabPanel Tabs.Tab".split())
#: Containers that only arrange what is in them.
PLAIN_CONTAINERS = frozenset("code-group v-pre raw row column columns tabs".split())
#: A container whose headings are titles of tabs.
TABSET_CLASS = re.compile(r"\.panel-tabset\b")


def container_name(braces: str) -> str:
    """Return what a container is drawn as whose line begins with these braces: "raw" for nothing of its own.

    >>> container_name(".callout-tip title='Me'"), container_name("seealso"), container_name("toctree")
    ('tip', 'see-also', 'raw')
    """
    callout = _CALLOUT_CLASS.search(braces)
    return _DIRECTIVES.get(braces.lower(), "raw") if callout is None else callout.group(1)


def first_line(content: str, hidden: Sequence[Sequence[int]], start: int) -> int:
    """Return where the line behind the last visible text before `start` begins; `start` if it is the same line."""
    at = start
    for begin, last in reversed([span for span in hidden if span[0] < start]):
        if content[last:at].strip():
            break
        at = begin
    if at == start:
        return start
    at = len(content[:at].rstrip())
    return (content.find("\n", at, start) + 1 or start) if at else 0


@dataclass(frozen=True, slots=True)
class Open:
    """What was opened: its number (0 if it is not drawn), its name, and what shows where it ends.

    `colons`: how many colons, or marks of a fence, a container began with; `end`: the offset at which an indented block
    ends, -1 for others; `blanks` stand before its mark; `dedent`: whether its lines lose four columns.
    """

    number: int
    name: str
    colons: int = 0
    end: int = -1
    blanks: str = ""
    dedent: bool = False
