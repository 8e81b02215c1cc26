"""`Collection`: sections of one version of an index as ranking needs them; immutable.

They are all sections of a small index, or those of a large one that a question may be answered by. Rows are in the order of
documents and positions. Memory: with the default model 2 KB for each window of 128 tokens, 3.6 KB for one in English, and
about three times the text's terms. What it was read from may be removed afterwards.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from schema.protocols import Vectors
from schema.vector_columns import second_dimension, vector_matrix, window_matrix
from search.fusion import trust
from search.lexicon import Lexicon, Places, Whole, offsets
from search.vectors import QueryVectors, Space

#: The columns a collection is read from.
COLUMNS = (
    "document_path", "position", "depth", "is_dirty", "token_count", "language", "terms", "sentence_hashes", "prose_words",
    "prose_below", "model_coverage", "has_second",
)  # fmt: skip
#: The columns of what the first model made, and the second: needed where the question has a vector by that model.
FIRST_VECTORS, SECOND_VECTORS = ("window_vectors", "heading_vector"), ("second_vectors",)
#: Gives the texts of the sections with some keys.
Contents = Callable[[Sequence[int]], list[str]]
#: Gives tables with columns of vectors, and the row of the given table that each row of them belongs to.
Columns = Callable[[], Iterable[tuple[pa.Table, Places]]]


class Collection:
    """The sections of a table with at least `COLUMNS`. With a column "_rowid", these are the `keys` of the rows, else their
    places in the table. `vectors` gives columns of vectors, of all rows or some; those of the first model have `dimension`
    floats.

    `whole` is what is known of all sections, where these are not all; `contents` gives their texts by their keys.
    """

    def __init__(
        self,
        table: pa.Table,
        *,
        vectors: Columns,
        dimension: int,
        whole: Whole | None = None,
        contents: Contents,
    ) -> None:
        order = pc.sort_indices(table, sort_keys=[("document_path", "ascending"), ("position", "ascending")])
        rows = order.to_numpy()
        table = table.take(order).combine_chunks()
        self.rows = table.num_rows
        self.keys: Places = rows.astype(np.int64)
        if "_rowid" in table.schema.names:
            self.keys = table["_rowid"].to_numpy().astype(np.int64)
        self.lexicon = Lexicon(table["terms"], table["sentence_hashes"].combine_chunks().flatten().to_numpy(), whole=whole)
        self._contents = contents
        paths = table["document_path"].to_pylist()
        self._paths = np.array(paths, object)
        #: The number of each section's document.
        self.document = np.cumsum([0, *(path != before for before, path in pairwise(paths))])[: self.rows]
        self.depth = table["depth"].to_numpy()
        self.is_dirty = table["is_dirty"].to_numpy(zero_copy_only=False)
        self.token_count = table["token_count"].to_numpy()
        #: Which sections the second model has read.
        self.has_second = table["has_second"].to_numpy(zero_copy_only=False)
        #: The language of each section, "" where it is not known.
        self.languages = np.array(table["language"].to_pylist(), np.str_)
        #: Own prose of each section, and of each with all sections below it (words).
        self.prose = table["prose_words"].to_numpy() * (1.0 - self.lexicon.repeated)
        self.prose_below = table["prose_below"].to_numpy().astype(np.float64)
        coverage = table["model_coverage"].to_numpy(zero_copy_only=False)
        self.worth = trust(np.nan_to_num(coverage, nan=0.0))
        #: What the first model made of every section, and what the second made of those that it has read, if there is one.
        self.vectors = Space(np.zeros((0, dimension), np.float32), *np.zeros((2, self.rows), np.int64))
        self.headings: Space | None = None
        self.second: Space | None = None
        place = np.empty(self.rows, np.int64)  # where each row of the given table stands here
        place[rows] = np.arange(self.rows)
        for found, owners in vectors():
            names, of = found.schema.names, place[owners]
            if "window_vectors" in names:
                self.vectors = self._space(*window_matrix(found["window_vectors"], dimension), of)
                headings, present = vector_matrix(found["heading_vector"], dimension)
                if present.any():
                    self.headings = self._space(headings[present], present.astype(np.int64), of)
            if "second_vectors" in names:
                self.second = self._space(*window_matrix(found["second_vectors"], second_dimension(found.schema)), of)

    def _space(self, flat: Vectors, counts: Places, rows: Places) -> Space:
        """The vectors of some of the rows, which have so many each."""
        starts, every = np.zeros((2, self.rows), np.int64)
        starts[rows], every[rows] = offsets(counts)[:-1], counts
        return Space(flat, starts, every)

    def contents(self, rows: Sequence[int]) -> list[str]:
        """The texts of the sections in these rows."""
        return self._contents(self.keys[np.asarray(rows, np.int64)].tolist())

    def rows_of(self, path: str) -> slice:
        """The rows of a document, which stand one after the other."""
        return slice(bisect_left(self._paths, path), bisect_right(self._paths, path))

    def of_documents(self, paths: Iterable[str]) -> npt.NDArray[np.bool_]:
        """Which rows belong to the documents `paths`."""
        wanted = set(paths)
        return np.fromiter((path in wanted for path in self._paths), np.bool_, self.rows)

    def path(self, row: int) -> str:
        """The document of the section in a row."""
        return str(self._paths[row])

    def best_window(self, row: int, vector: QueryVectors) -> int | None:
        """The place, among its windows, of the window of a section that is nearest to a query; None without a vector."""
        place = None
        if self.second is not None and vector.second is not None:
            place = self.second.best_window(row, vector.second)
        if place is None and vector.first is not None:
            place = self.vectors.best_window(row, vector.first)
        return place

    def leads(self, rows: Places) -> tuple[Places, Vectors]:
        """Those of the rows that have vectors, and the vectors of their beginnings, shape (rows, dimension)."""
        rows = rows[self.vectors.present[rows]]
        return rows, self.vectors.of_beginnings(rows)
