"""Units of a section → the rows of tables among them that belong together: the one that names the columns, and others."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from schema.text.analyzer import terms
from search.context.units import Unit

#: What stands between two rows of a table, and the longest first row that is shown above others (characters).
_BETWEEN_ROWS = re.compile(r"[ \t]*(?:\r\n|\r|\n)(?:[ \t>]*\|?[ \t]*:?-[-:| \t]*(?:\r\n|\r|\n))?[ \t>]*")
_MAX_HEADER = 160
#: An empty line, which ends a table; one in a quotation has its mark.
_ENDS_TABLE = re.compile(r"(?:\r\n|\r|\n)[ \t>]*(?:\r|\n)")


def names_columns(content: str, found: Sequence[Unit], at: int) -> bool:
    """Return whether a unit is the row of a table that names its columns."""
    if not (found[at].kind == "row" and at + 1 < len(found) and found[at + 1].kind == "row"):
        return False
    between = content[found[at].end : found[at + 1].start]
    return "-" in between and _BETWEEN_ROWS.fullmatch(between) is not None


def header_row(content: str, found: Sequence[Unit], first: int) -> int | None:
    """Return the row that names the columns of the table in which a passage begins with a later row; None elsewhere, for a
    long one, and where it is not among the units."""
    head = first
    while head and found[head].kind == found[head - 1].kind == "row":
        head -= 1
        if _ENDS_TABLE.search(content, found[head].end, found[head + 1].start):
            return None
        if names_columns(content, found, head):
            return head if found[head].end - found[head].start <= _MAX_HEADER else None
    return None


def row_below(content: str, found: Sequence[Unit], head: int, shares: Mapping[str, float]) -> int:
    """Return the row of a table, below the one `head` that names its columns, which holds most of the query: the first one
    of several. `shares` are those of the query's terms."""
    best, most = head + 1, -1.0
    for at in range(head + 1, len(found)):
        if found[at].kind != "row" or not _BETWEEN_ROWS.fullmatch(content, found[at - 1].end, found[at].start):
            break
        held = sum(shares.get(term, 0.0) for term in set(terms(content[found[at].start : found[at].end])))
        best, most = (at, held) if held > most else (best, most)
    return best
