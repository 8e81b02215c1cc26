"""Several sections whose name is the query → the ones that other sections link to first."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from search.ranking.names import is_name
from search.ranking.rank import Ranking

#: The best rows among which sections of the same name are looked for, and how many of them are compared.
_CLOSE_ROWS, _MOST = 20, 8
#: What links add to a score of 0..1, and the number of them from which on it is all of it.
_WORTH, _MANY = 0.1, 10


def linked_first(ranking: Ranking, count_links: Callable[[Sequence[int]], Sequence[int]]) -> Ranking:
    """Return the ranking in which sections with the query as their name gain by the number of links to them, as the part
    "links"; the same ranking where there is one such section, or none. `count_links` counts those to the sections in rows.
    """
    if ranking.names is None:
        return ranking
    rows = [row for row in ranking.order[:_CLOSE_ROWS].tolist() if is_name(ranking.names[row])][:_MOST]
    counts = np.asarray(count_links(rows) if len(rows) > 1 else [0])
    if not counts.any():
        return ranking
    added = np.zeros(len(ranking.total))
    added[rows] = _WORTH * np.minimum(np.log1p(counts) / np.log1p(_MANY), 1.0)
    return ranking.plus("links", added, most=_WORTH)
