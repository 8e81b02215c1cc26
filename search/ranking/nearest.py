"""The cosine of each section with the question, by the model that has read it, and which of the first is the nearest."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from search.index.ranges import Indices
from search.index.snapshot import IndexSnapshot
from search.ranking.rank import Ranking

#: The first rows that are compared.
CLOSE_ROWS = 10
#: The share of the sections that are nearer than the one that a cosine is compared with to tell how far it is above others;
#: how many these are at least, and at most: half as many as a large index finds; and how far a cosine is above that one
#: mostly, which is taken where fewer sections have one.
_NEARER, _FEWEST, _MOST, _USUALLY_ABOVE = 0.05, 10, 150, 0.2
#: The cosine from which on a first section is near: it keeps its place then.
_NEAR = 0.45
#: The cosine that a later section has at least to be the one to show, and the most that the first one has of it.
_SURELY_NEAR, _FAR = 0.4, 0.6
#: How many times as likely as the first section one answers that is the one to show, and the most that the first one has of
#: its cosine.
_LIKELIER, _FARTHER = 1.5, 0.85


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


def compared_cosines(snapshot: IndexSnapshot, ranking: Ranking) -> dict[str, float]:
    """The cosine of the section behind the nearest twentieth of all, by the name of its scores; none by a model that has
    read fewer than ten.

    Some questions are near to everything: one of a few common words has a cosine of .5 with dozens of sections.
    """
    found: dict[str, float] = {}
    for name, space in (("second", snapshot.second), ("dense", snapshot.vectors)):
        scores = ranking.raw[name][np.isfinite(ranking.raw[name])] if name in ranking.raw else ()
        if space is not None and len(scores) >= _FEWEST:
            # of a large index the nearest ones alone are known, and filters leave a part of all
            known = int(np.count_nonzero(space.present & snapshot.has_text))
            sections = snapshot.inverted.all_rows * len(scores) / max(1, known)
            place = min(max(_FEWEST, int(_NEARER * sections)), _MOST, len(scores))
            found[name] = float(np.partition(scores, -place)[-place])
    return found


def above_others(
    ranking: Ranking, rows: Indices, near: npt.NDArray[np.floating], compared: Mapping[str, float]
) -> npt.NDArray[np.float64]:
    """How far the cosines of these rows, `near`, are above those that they are `compared` with, by the same model."""
    read = by_second(ranking, rows)
    above = np.full(len(rows), _USUALLY_ABOVE)
    for name, own in (("second", read), ("dense", ~read)):
        if name in compared:
            above[own] = near[own] - compared[name]
    return above


def are_near(ranking: Ranking, rows: Indices, share: float) -> npt.NDArray[np.bool_]:
    """Which rows have, by each model, a share of the cosine that the first of them has with the question; those without a
    cosine have."""
    are_near = np.ones(len(rows), np.bool_)
    for scores in (ranking.raw[name][rows] for name in ("second", "dense") if name in ranking.raw):
        are_near &= ~(scores < share * scores[0])
    return are_near


def first_is_nearest(near: npt.NDArray[np.floating]) -> bool:
    """Whether the first of some sections is near to the question, and nearer than the others; `near` has their cosines."""
    return bool(near[0] >= _NEAR and near[0] >= near.max())


def place_where_none_answers(near: npt.NDArray[np.floating], relevances: npt.NDArray[np.floating]) -> int:
    """The place of the section to show first where none likely answers: the nearest if it is near and the first one far, or
    one of the first few that is nearer than the first one and much more likely to answer; else 0.

    `near` has the cosines of the first sections, 0 for none, and `relevances` the relevance of the first few. Words lead
    astray where a section has one of a question's by chance: "pets allowed?" meets "allow two days for your tablets", and
    "May I bring my dog?" is far nearer to it.
    """
    if near.max() >= _SURELY_NEAR and near[0] < _FAR * near.max():
        return int(near.argmax())
    likeliest = int(relevances.argmax())
    is_likelier = relevances[likeliest] > _LIKELIER * relevances[0] and near[0] < _FARTHER * near[likeliest]
    return likeliest if is_likelier else 0
