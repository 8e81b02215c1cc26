"""The scores of sections by the vectors of a query, for `rank`, and the query's vectors moved towards its first hit.

The best window of a section and its first one are measured by one range, that of the best windows: how near a beginning is,
compared with all that is near.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from schema.protocols import Vectors
from schema.requests import Mode
from search.index.ranges import Indices, best_rows
from search.index.snapshot import IndexSnapshot
from search.index.vectors import QueryVectors, Space, as_rows
from search.ranking.fusion import Retrieved

Mask = npt.NDArray[np.bool_]

#: Share of a section's first window in the score of a model of several languages, and of a model of one; the best window has
#: the rest. It is less in sections without a word of the query.
_SECTION_VECTOR_SHARE, _SECTION_VECTOR_SHARE_OF_ONE, _LESS_WITHOUT_WORDS = 0.3, 0.5, 0.05
#: Share of the heading's vector in the score of a model of several languages, in sections without a word of the query.
_HEADING_SHARE = 0.2
#: How far the query's vector moves towards the best window of the first row.
FEEDBACK = 0.3
#: Sections nearest to the query by each kind of vector that give the range when its vector moves: as many as a large index
#: compares.
_NEAR_ROWS = 300


@dataclass(frozen=True, slots=True)
class Confidence:
    """How much the first model's vectors count for each section, 0..1, and whether the heading's does (1 or 0), both of
    shape (rows,)."""

    windows: npt.NDArray[np.floating]
    heading: npt.NDArray[np.floating]

    @classmethod
    def of(cls, snapshot: IndexSnapshot, bm25: npt.NDArray[np.floating], mode: Mode, *, is_foreign: bool) -> Confidence:
        """In hybrid mode vectors count as far as the model knows the section's language; headings where BM25 is 0, and
        everywhere if the question `is_foreign`."""
        has_heading = np.zeros(snapshot.rows) if snapshot.headings is None else snapshot.headings.present
        return cls(
            windows=snapshot.dense_confidence if mode == "hybrid" else np.ones(snapshot.rows),
            heading=np.where((bm25 > 0) & (not is_foreign), 0.0, has_heading.astype(np.float64)),
        )


def vector_scores(
    snapshot: IndexSnapshot,
    vector: QueryVectors,
    share: float,
    allowed: Mask,
    first_model: Confidence,
    before: tuple[Indices, Mapping[str, Retrieved]] | None = None,
) -> dict[str, Retrieved]:
    """Return the scores of the allowed sections by vectors, with a `share` of 0..1 all together.

    Where the query has a vector by the second model, that one counts for the sections which it has read, and the first one
    for the others: for all of them by as much as the second has not read.
    `before` are rows and what the query's own vectors found: only these rows are compared and those that were near then,
    whose scores give the range. So a large index, which knows no vectors of other sections, ranks as a small one.
    """
    found: dict[str, Retrieved] = {}
    near = {} if before is None else {name: _nearest(found) for name, found in before[1].items()}
    rows = None if before is None else np.unique(np.concatenate([before[0], *near.values()]))

    def add(
        name: str,
        scores: npt.NDArray[np.floating],
        part: float,
        confidence: npt.NDArray[np.floating],
        compared: npt.NDArray[np.floating],
    ) -> None:
        gives_range = allowed if rows is None else np.isin(np.arange(snapshot.rows), near[name])
        scores, compared = np.where(allowed, scores, -np.inf), np.where(gives_range, compared, -np.inf)
        found[name] = Retrieved(scores, share * part, confidence, compared=compared)

    confidence = first_model.windows
    if vector.second is not None and snapshot.second is not None:
        is_read = snapshot.has_second * _share_of_second(snapshot, allowed)
        section_vector, best = snapshot.second.cosines(vector.second, rows)
        add("second", best, 1.0 - _SECTION_VECTOR_SHARE_OF_ONE, is_read, best)
        add("second_section_vector", section_vector, _SECTION_VECTOR_SHARE_OF_ONE, is_read, best)
        confidence = confidence * (1.0 - is_read)
    if vector.first is not None:
        section_vector, best = snapshot.vectors.cosines(vector.first, rows)
        usual = _SECTION_VECTOR_SHARE_OF_ONE if snapshot.headings is None else _SECTION_VECTOR_SHARE
        part = usual - _LESS_WITHOUT_WORDS * first_model.heading
        by_text = confidence * (1.0 - _HEADING_SHARE * first_model.heading)
        add("dense", best, 1.0, by_text * (1.0 - part), best)
        add("section_vector", section_vector, 1.0, by_text * part, best)
        if snapshot.headings is not None:
            heading_vector, _ = snapshot.headings.cosines(vector.first, rows)
            add("heading_vector", heading_vector, _HEADING_SHARE, confidence * first_model.heading, heading_vector)
    return found


def _share_of_second(snapshot: IndexSnapshot, allowed: Mask) -> float:
    """How much the second model counts, 0..1, for the sections that it has read: 1 where it has read all that are compared.

    Its scores are stretched between the best and the hundredth of them, so that the best of a few sections counts as near
    though it is not. The first model, which has read the others too, tells that.
    """
    return 1.0 if np.all(snapshot.has_second[allowed]) else snapshot.share_of_second


def _nearest(found: Retrieved) -> Indices:
    """The rows that were near by the scores that gave the range."""
    scores = found.scores if found.compared is None else found.compared
    return best_rows(as_rows(np.isfinite(scores)), scores, _NEAR_ROWS)


def moved_to(snapshot: IndexSnapshot, vector: QueryVectors, row: int) -> QueryVectors:
    """Return the query's vectors moved towards the best window of a section; the same object if it has no window."""
    first = _moved(snapshot.vectors, vector.first, row)
    second = _moved(snapshot.second, vector.second, row)
    return vector if first is vector.first and second is vector.second else QueryVectors(first, second)


def _moved(space: Space | None, vector: Vectors | None, row: int) -> Vectors | None:
    """Return a unit vector moved towards the best window of a section in this space; the same one if it has no window."""
    nearest = None if space is None or vector is None else space.best_window_vector(row, vector)
    if nearest is None or vector is None:
        return vector
    moved: Vectors = (vector + FEEDBACK * nearest).astype(np.float32)
    length = float(np.linalg.norm(moved))
    return (moved / length).astype(np.float32) if length > 0 else vector
