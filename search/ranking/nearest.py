"""The cosine of each section with the question, by the model that has read it, and which of the first is the nearest."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from search.index.ranges import Indices
from search.index.snapshot import IndexSnapshot
from search.ranking.rank import Ranking

#: The first rows that are compared, and the cosine from which on a first section is near: it keeps its place then.
_CLOSE_ROWS, _NEAR = 10, 0.45
#: The cosine that a later section has at least to be the one to show first, and the most that the first one has of it.
_SURELY_NEAR, _FAR = 0.4, 0.6


def cosines(snapshot: IndexSnapshot, ranking: Ranking, rows: Indices) -> npt.NDArray[np.float64]:
    """The cosine of each of these rows with the question, by the second model where it has read the row; NaN for none."""
    cosine = np.full(len(rows), np.nan)
    if "dense" in ranking.raw:
        near = np.maximum(ranking.raw["dense"][rows], ranking.raw["section_vector"][rows])
        cosine = np.where(np.isfinite(near) & (snapshot.dense_confidence[rows] > 0), near, np.nan)
    read = by_second(ranking, rows)
    if read.any():
        cosine[read] = ranking.raw["second"][rows][read]
    return cosine


def heading_cosines(ranking: Ranking, rows: Indices) -> npt.NDArray[np.float64]:
    """The cosine of the heading of each of these rows with the question, by the first model; NaN for none, and for rows that
    the second model has read."""
    if "heading_vector" not in ranking.raw:
        return np.full(len(rows), np.nan)
    near = ranking.raw["heading_vector"][rows]
    return np.where(np.isfinite(near) & ~by_second(ranking, rows), near, np.nan)


def by_second(ranking: Ranking, rows: Indices) -> npt.NDArray[np.bool_]:
    """Which of these rows have a score by the second model."""
    return np.isfinite(ranking.raw["second"][rows]) if "second" in ranking.raw else np.zeros(len(rows), np.bool_)


def first_is_nearest(snapshot: IndexSnapshot, ranking: Ranking) -> bool:
    """Whether the first section of a ranking is near to the question, and nearer than the others of the first ten."""
    near = cosines(snapshot, ranking, ranking.order[:_CLOSE_ROWS])
    return len(near) > 0 and bool(near[0] >= _NEAR and near[0] >= np.nanmax(near))


def nearest_place(snapshot: IndexSnapshot, ranking: Ranking) -> int:
    """The place of the nearest of the first ten sections if it is near to the question and the first one is far; else 0.

    Words lead astray where a section has one of a question's by chance: "pets allowed?" meets "allow two days for your
    tablets", and "May I bring my dog?" is far nearer to it.
    """
    near = np.nan_to_num(cosines(snapshot, ranking, ranking.order[:_CLOSE_ROWS]))
    is_near = len(near) > 0 and near.max() >= _SURELY_NEAR and near[0] < _FAR * near.max()
    return int(near.argmax()) if is_near else 0
