"""A section in another language than the question → its counterpart on the same page in the question's language."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from schema.text.language import question_language
from search.index.snapshot import IndexSnapshot
from search.index.translations import page_name
from search.ranking.rank import Ranking

#: The best rows among which counterparts are looked for.
_CLOSE_ROWS = 30


def own_copies_first(snapshot: IndexSnapshot, text: str, ranking: Ranking) -> tuple[Ranking, dict[int, int]]:
    """Return the ranking in which a section in another language has changed places and scores, as the part "translation",
    with its counterpart in the language of the question `text`; and by the row of each counterpart, that of the other.

    Counterparts have the same place in documents whose paths differ in a language alone, and the same depth.
    """
    own = question_language(text)
    rows = ranking.order[:_CLOSE_ROWS].tolist()
    languages = snapshot.languages[rows]
    if not own or np.isin(languages, [own, ""]).all():
        return ranking, {}
    pages = [page_name(snapshot.path(row)) for row in rows]
    is_own = [tag[:2] == own if tag else language == own for (_, tag), language in zip(pages, languages, strict=True)]
    places = [
        (page, int(snapshot.position[row]), int(snapshot.depth[row])) for (page, _), row in zip(pages, rows, strict=True)
    ]
    total, moved = ranking.total.copy(), {}
    for place, row in enumerate(rows):
        if is_own[place] or not languages[place]:
            continue
        behind = next((i for i in range(place + 1, len(rows)) if is_own[i] and places[i] == places[place]), None)
        if behind is not None:
            copy = rows[behind]
            rows[place], rows[behind] = copy, row
            is_own[place], is_own[behind] = True, False
            total[[row, copy]] = total[[copy, row]]
            moved[copy] = row
    if not moved:
        return ranking, {}
    order = np.concatenate([np.asarray(rows, ranking.order.dtype), ranking.order[len(rows) :]])
    return replace(ranking, order=order, total=total, parts={**ranking.parts, "translation": total - ranking.total}), moved
