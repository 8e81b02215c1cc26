"""`IndexSnapshot`: sections of one version of an index as ranking needs them; immutable.

They are all sections of a small index, or those of a large one that may answer a question. Rows are in the order of
documents and positions. Memory: with the default model 2 KB for each window of 128 tokens, 3.6 KB for one in English, and
about three times the text's terms. The files it was read from may be removed afterwards.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from schema.protocols import Vectors
from schema.sections import trail_of, without_hidden
from schema.storage.vector_columns import second_dimension, vector_matrix, window_matrix
from schema.text.language import question_language
from search.index.inverted_index import InvertedIndex, Whole
from search.index.ranges import Indices, offsets
from search.index.vectors import QueryVectors, Space, dense_confidence

#: A few facts of each section; with the two others they are the columns that a snapshot is read from.
_FACTS = (
    "document_path", "position", "depth", "is_dirty", "token_count", "language", "prose_words", "prose_below",
    "model_coverage", "has_second",
)  # fmt: skip
COLUMNS = (*_FACTS, "terms", "sentence_hashes")
#: The columns of vectors by the first model and by the second: needed if the question has a vector by that model.
FIRST_VECTORS, SECOND_VECTORS = ("window_vectors", "heading_vector"), ("second_vectors",)
#: Gives what `TEXT_COLUMNS` have of the sections with some keys.
Contents = Callable[[Sequence[int]], list[dict[str, Any]]]
#: Gives tables with columns of vectors, and the row of the given table that each row of them belongs to.
Columns = Callable[[], Iterable[tuple[pa.Table, Indices]]]


#: What `text_with_title` and `words_of` need of a section.
TEXT_COLUMNS = ("content", "hidden", "document_title", "position", "heading_path", "depth")
#: What no phrase holds: Unicode reserves this character for internal use.
_BETWEEN = "\ufdd0"


def text_with_title(row: Mapping[str, Any]) -> str:
    """Return the text of a section, without what is hidden; that of a document's first one begins with the document's
    title, as its heading.

    >>> text_with_title({"content": "<b>Text</b>.", "hidden": [0, 3, 7, 11], "document_title": "Page", "position": 0})
    '# Page\\n\\nText.'
    """
    content, title = without_hidden(str(row["content"]), row["hidden"]), row["document_title"]
    return content if row["position"] or not title else f"# {title}\n\n{content}"


def with_headings(trail: Iterable[str], text: str) -> str:
    """Return the title and headings down to a section and its text, such that no phrase goes from one to the next."""
    return f"\n\n{_BETWEEN}\n\n".join((*trail, text))


def words_of(row: Mapping[str, Any]) -> str:
    """Return the words of a section: the document's title, the headings down to it and its text, without what is hidden."""
    trail = trail_of(row["document_title"], row["heading_path"] if row["depth"] else ())
    return with_headings(trail, without_hidden(str(row["content"]), row["hidden"]))


class IndexSnapshot:
    """Sections in reading order, with a few `facts` of each, their `inverted` and their `spaces`.

    `keys`, shape (rows,): the numbers by which `contents` finds the texts of rows. `share_of_second`: of all sections of the
    index, where these are only some of them.
    """

    def __init__(
        self,
        facts: pa.Table,
        inverted: InvertedIndex,
        spaces: Spaces,
        *,
        keys: Indices,
        contents: Contents,
        share_of_second: float | None = None,
    ) -> None:
        self._facts = facts.select(_FACTS)
        self._contents = contents
        self.rows = facts.num_rows
        self.keys = keys
        self.inverted = inverted
        self._spaces = spaces
        paths = facts["document_path"].combine_chunks()
        self._paths = np.array(paths.to_pylist(), object)
        #: The number of each section's document.
        is_next = pc.not_equal(paths[1:], paths[:-1]).to_numpy(zero_copy_only=False)
        self.document = offsets(is_next.astype(np.int64))[: self.rows]
        self.position = facts["position"].to_numpy()
        self.depth = facts["depth"].to_numpy()
        self.is_dirty = facts["is_dirty"].to_numpy(zero_copy_only=False)
        self.token_count = facts["token_count"].to_numpy()
        #: Which sections the second model has read.
        self.has_second = facts["has_second"].to_numpy(zero_copy_only=False)
        #: The language of each section, "" where it is not known.
        self.languages = np.array(facts["language"].to_pylist(), np.str_)
        #: Own prose of each section, and of each with all sections below it (words).
        self.prose = facts["prose_words"].to_numpy() * (1.0 - self.inverted.repeated)
        self.prose_below = facts["prose_below"].to_numpy().astype(np.float64)
        #: Which sections have text of their own, besides headings and links: others answer nothing by their meaning.
        self.has_text = facts["prose_words"].to_numpy() > 0
        coverage = facts["model_coverage"].to_numpy(zero_copy_only=False)
        self.dense_confidence = dense_confidence(np.nan_to_num(coverage, nan=0.0))
        #: The share of the sections with text which the first model knows that the second model has read too, 0..1.
        self.share_of_second = _share_of(self.has_second, self.has_text & (self.dense_confidence > 0))
        if share_of_second is not None:
            self.share_of_second = share_of_second
        #: Vectors of every section by the first model, and by the second, if there is one, of those it has read.
        self.vectors = spaces.windows
        self.headings = spaces.headings if spaces.headings.present.any() else None
        self.second = spaces.second

    @classmethod
    def of(
        cls,
        table: pa.Table,
        *,
        vectors: Columns,
        dimension: int,
        whole: Whole | None = None,
        share_of_second: float | None = None,
        contents: Contents,
    ) -> IndexSnapshot:
        """Read the sections of a table with at least `COLUMNS`, in reading order. Its column "_rowid" has the keys of rows;
        without it, the keys are their numbers. `vectors` gives columns of vectors, of all rows or some; those of the first
        model have `dimension` floats.

        `whole` has the statistics of all sections, and `share_of_second` is theirs, if these are only some of them.
        """
        with ThreadPoolExecutor(1, "sectionary-vectors") as other:
            spaces = other.submit(lambda: Spaces.of(vectors(), table.num_rows, dimension))
            inverted = InvertedIndex(table["terms"], _hashes(table), whole=whole)
        keys = table["_rowid"].to_numpy() if "_rowid" in table.schema.names else np.arange(table.num_rows)
        keys = keys.astype(np.int64)
        return cls(table, inverted, spaces.result(), keys=keys, contents=contents, share_of_second=share_of_second)

    def renewed(self, table: pa.Table, source: Indices, *, contents: Contents) -> IndexSnapshot:
        """Return a snapshot of some of these sections (all of an index) and of those of a table with `COLUMNS` and vectors.

        `source`, shape (rows,): where each row comes from: a row of this one or, counted on from its last, a new section.
        """
        facts = pa.concat_tables([self._facts, table.select(_FACTS)]).take(pa.array(source)).combine_chunks()
        inverted = self.inverted.renewed(table["terms"], _hashes(table), source)
        keys = np.arange(len(source))
        return IndexSnapshot(facts, inverted, self._spaces.renewed(table, source), keys=keys, contents=contents)

    def contents(self, rows: Sequence[int]) -> list[str]:
        """The texts of the sections in these rows; that of a document's first one begins with the document's title."""
        return list(map(text_with_title, self._contents(self._keys(rows))))

    def words(self, rows: Sequence[int]) -> list[str]:
        """The words of the sections in these rows, with those of the headings above and of the document's title."""
        return list(map(words_of, self._contents(self._keys(rows))))

    def _keys(self, rows: Sequence[int]) -> list[int]:
        keys: list[int] = self.keys[np.asarray(rows, np.int64)].tolist()
        return keys

    def rows_of(self, path: str) -> slice:
        """The rows of a document, which follow each other."""
        return slice(bisect_left(self._paths, path), bisect_right(self._paths, path))

    def of_documents(self, paths: Iterable[str]) -> npt.NDArray[np.bool_]:
        """Which rows belong to the documents `paths`."""
        wanted = set(paths)
        return np.fromiter((path in wanted for path in self._paths), np.bool_, self.rows)

    def in_other_languages(self, query: str) -> npt.NDArray[np.bool_]:
        """Which rows are surely in another language than the query; none if its language is unknown.

        Words in kanji alone may be Japanese or Chinese.
        """
        own = question_language(query)
        alike = ["", own, *(["ja"] if own == "zh" else [])]
        return np.isin(self.languages, alike, invert=True) if own else np.zeros(self.rows, np.bool_)

    def path(self, row: int) -> str:
        """The document of the section in a row."""
        return str(self._paths[row])

    def best_window(self, row: int, vector: QueryVectors) -> int | None:
        """The index, among a section's windows, of the one that is nearest to a query; None without a vector."""
        window = None
        if self.second is not None and vector.second is not None:
            window = self.second.best_window(row, vector.second)
        if window is None and vector.first is not None:
            window = self.vectors.best_window(row, vector.first)
        return window

    def mean_vectors(self, row: int) -> QueryVectors | None:
        """The mean vectors of a section by the models that know it, if they are as new as its text; None for none."""
        if self.is_dirty[row]:
            return None
        first = self.vectors.mean(row) if self.dense_confidence[row] > 0 else None
        second = None if self.second is None else self.second.mean(row)
        return None if first is None and second is None else QueryVectors(first, second)

    def section_vectors(self, rows: Indices) -> tuple[Indices, Vectors]:
        """Those of the rows that have vectors, and the vectors of their first windows, shape (rows, dimension)."""
        rows = rows[self.vectors.present[rows]]
        return rows, self.vectors.of_beginnings(rows)


@dataclass(frozen=True, slots=True)
class Spaces:
    """The vectors of sections: of their windows, of their headings, and of their windows by the second model."""

    windows: Space
    headings: Space
    second: Space | None

    @classmethod
    def of(cls, tables: Iterable[tuple[pa.Table, Indices]], rows: int, dimension: int) -> Spaces:
        """Read tables with columns of vectors, each with the row of the snapshot, of `rows`, that each of its rows is of."""
        nothing = np.zeros(rows, np.int64)
        windows = headings = Space.of(np.zeros((0, dimension), np.float32), nothing, nothing)
        second = None
        for table, owners in tables:
            if "window_vectors" in table.schema.names:
                windows = _space(*window_matrix(table["window_vectors"], dimension), owners, rows)
                headings = _space(*_headings(table, dimension), owners, rows)
            if "second_vectors" in table.schema.names:
                size = second_dimension(table.schema)
                second = _space(*window_matrix(table["second_vectors"], size), owners, rows)
        return cls(windows, headings, second)

    def renewed(self, table: pa.Table, source: Indices) -> Spaces:
        """Return the vectors of some of these sections and of those in a table; see `IndexSnapshot.renewed`."""
        dimension = table.schema.field("heading_vector").type.list_size
        windows = self.windows.renewed(*window_matrix(table["window_vectors"], dimension), source)
        headings = self.headings.renewed(*_headings(table, dimension), source)
        second = self.second
        if second is not None:
            second = second.renewed(*window_matrix(table["second_vectors"], second_dimension(table.schema)), source)
        return Spaces(windows, headings, second)


def reading_order(table: pa.Table) -> Indices:
    """The rows of a table in the order of documents and positions."""
    order = pc.sort_indices(table, sort_keys=[("document_path", "ascending"), ("position", "ascending")])
    rows: Indices = order.to_numpy().astype(np.int64)
    return rows


def _share_of(mask: npt.NDArray[np.bool_], among: npt.NDArray[np.bool_]) -> float:
    """The share of the rows in `among` that are in a mask, 0..1; 1 where there are none."""
    return float(np.count_nonzero(mask & among) / np.count_nonzero(among)) if among.any() else 1.0


def _hashes(table: pa.Table) -> Indices:
    hashes: Indices = table["sentence_hashes"].combine_chunks().flatten().to_numpy()
    return hashes


def _headings(table: pa.Table, dimension: int) -> tuple[Vectors, Indices]:
    """The vectors of headings, and which rows have one (1 or 0)."""
    headings, present = vector_matrix(table["heading_vector"], dimension)
    return headings[present], present.astype(np.int64)


def _space(flat: Vectors, counts: Indices, owners: Indices, rows: int) -> Space:
    """The vectors of some of `rows` rows, one row's after the other: row `owners[i]` has `counts[i]` of them."""
    starts, all_counts = np.zeros((2, rows), np.int64)
    starts[owners], all_counts[owners] = offsets(counts)[:-1], counts
    return Space.of(flat, starts, all_counts)
