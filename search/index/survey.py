"""`Survey`: a few facts of every section of one version of an index, for overviews; immutable."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa

from schema.protocols import Vectors
from schema.sections import Section
from search.index.ranges import Indices

#: The columns that a survey is read from.
COLUMNS = ("document_path", "token_count", "is_dirty", "language")


class Survey:
    """The sections in `table`, which has at least `COLUMNS`, in the order of documents and positions.

    `sections` gives the sections in some rows. `section_vectors` gives those of some rows that have a vector, and their
    vectors, shape (rows, dimension).
    """

    def __init__(
        self,
        table: pa.Table,
        *,
        sections: Callable[[Sequence[int]], list[Section]],
        section_vectors: Callable[[Indices], tuple[Indices, Vectors]],
    ) -> None:
        self.rows = table.num_rows
        self.token_count = table["token_count"].to_numpy().astype(np.int64)
        self.is_dirty = table["is_dirty"].to_numpy(zero_copy_only=False)
        self._paths, self._languages = table["document_path"], table["language"]
        self.sections, self.section_vectors = sections, section_vectors

    def paths(self, rows: Indices) -> list[str]:
        """The documents of these rows, in the order given."""
        found: list[str] = self._paths.take(pa.array(rows, pa.int64())).to_pylist()
        return found

    def languages(self) -> list[tuple[str, int]]:
        """Each known language, and how many sections are in it."""
        counted = self._languages.value_counts().to_pylist()
        return [(each["values"], each["counts"]) for each in counted if each["values"]]
