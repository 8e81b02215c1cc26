"""Which sentences stand in many sections, by their hashes (`schema.index_files.term_counts`)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from search.index.ranges import Indices


def stands_in_many(hashes: Indices, rows: npt.NDArray[np.int32], least: int) -> npt.NDArray[np.bool_]:
    """Which sentences stand in at least `least` sections, shape (sentences,); `rows` has the section of each."""
    order = np.lexsort((rows, hashes))
    is_new = np.ones(len(order), np.bool_)
    is_new[1:] = hashes[order[1:]] != hashes[order[:-1]]
    # the same sentence in another section than the one before
    in_new_section = is_new.copy()
    in_new_section[1:] |= rows[order[1:]] != rows[order[:-1]]
    group = np.empty(len(order), np.int64)
    group[order] = np.cumsum(is_new) - 1
    sections = np.bincount(group[order], weights=in_new_section)
    return np.asarray(sections[group] >= least, np.bool_)


def is_among(values: Indices, known: Indices) -> npt.NDArray[np.bool_]:
    """Which values are among the known ones, shape (values,); `known` is ascending."""
    if not len(known):
        return np.zeros(len(values), np.bool_)
    nearest = np.minimum(np.searchsorted(known, values), len(known) - 1)
    return np.asarray(known[nearest] == values, np.bool_)
