"""A ranking → the same with each page that has no text of its own behind a page of the same title that has.

Sites keep such pages where a page has moved, or where a text belongs to two parts of the site and is written in one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from schema.text.fields import ABOVE, HEADING
from search.index.snapshot import IndexSnapshot
from search.ranking.rank import Ranking

#: The best rows among which both pages are looked for.
_CLOSE_ROWS = 50
#: A page with fewer words of prose in all its sections is a placeholder; a definition in one sentence has more, and is an
#: answer. Of the 116 pages of Next.js that are filled from another one, 112 have fewer.
_LEAST_PROSE = 10


def behind_their_pages(snapshot: IndexSnapshot, ranking: Ranking) -> tuple[Ranking, dict[int, int]]:
    """Return the ranking in which a placeholder has changed places and scores with the best section of its page; and by the
    row of each such section, that of the placeholder.

    That is a section of another document with the placeholder's title as its heading, or right below it.
    """
    rows = ranking.order[:_CLOSE_ROWS].tolist()
    total, moved = ranking.total.copy(), {}
    for place, row in enumerate(rows):
        behind = _place_of_page(snapshot, rows, place) if _is_placeholder(snapshot, row) else None
        if behind is not None:
            page = rows[behind]
            rows[place], rows[behind] = page, row
            total[[row, page]] = total[[page, row]]
            moved[page] = row
    if not moved:
        return ranking, moved
    order = np.concatenate([np.asarray(rows, ranking.order.dtype), ranking.order[len(rows) :]])
    parts = {**ranking.parts, "placeholder": total - ranking.total}
    return replace(ranking, order=order, total=total, parts=parts), moved


def _is_placeholder(snapshot: IndexSnapshot, row: int) -> bool:
    return bool(snapshot.position[row] == 0 and snapshot.prose_below[row] < _LEAST_PROSE)


def _place_of_page(snapshot: IndexSnapshot, rows: Sequence[int], place: int) -> int | None:
    """Return the place of the best section of the page that a placeholder stands for; None if none is behind it."""
    inverted, document = snapshot.inverted, snapshot.document
    title = inverted.heading_words(rows[place])
    for other, row in enumerate(rows if title else ()):
        if document[row] == document[rows[place]] or _is_placeholder(snapshot, row):
            continue
        if title in (frozenset(inverted.codes_of(row, line, line + 1).tolist()) for line in (HEADING, ABOVE)):
            return other if other > place else None
    return None
