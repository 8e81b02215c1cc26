"""`Collection`: one version of the sections table held in memory, as searching needs it; immutable.

Rows are in the order of documents and positions. Memory: with the default model 2 KB for each window of 128 tokens,
3.6 KB for one in English, and about three times the text. What it was read from may be removed afterwards.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from schema.arrow import (
    DOCUMENT_COLUMNS,
    LINK_COLUMNS,
    SECTION_COLUMNS,
    second_dimension,
    to_document,
    to_link,
    to_section,
    to_windows,
    vector_matrix,
    window_matrix,
)
from schema.language import language
from schema.protocols import Vectors
from schema.results import DocumentInfo, SectionLink, SimilarSection, Translation, Window
from schema.sections import Section
from search.fusion import trust
from search.lexicon import Lexicon, Places
from search.translations import Translations
from search.vectors import QueryVectors, Space, as_rows

#: The columns a collection is read from.
COLUMNS = tuple(dict.fromkeys((
    *SECTION_COLUMNS, *LINK_COLUMNS, *DOCUMENT_COLUMNS, "terms", "prose_words", "model_coverage", "windows",
    "window_vectors", "heading_vector",
)))  # fmt: skip

#: Sections from which the language of a document is told.
_TELLING_SECTIONS = 3


class Collection:
    """The sections of one version of a table with at least `COLUMNS`, and "second_vectors" where it has them; vectors have
    `dimension` floats."""

    def __init__(self, table: pa.Table, *, dimension: int) -> None:
        order = pc.sort_indices(table, sort_keys=[("document_path", "ascending"), ("position", "ascending")])
        vector_columns = [
            name for name in ("window_vectors", "heading_vector", "second_vectors") if name in table.schema.names
        ]
        vectors = table.select(vector_columns)
        table = table.drop_columns(vector_columns).take(order).combine_chunks()
        self.rows = table.num_rows
        self.lexicon = Lexicon(table["terms"])
        self._sections = table.select(SECTION_COLUMNS)
        self._links = table.select(LINK_COLUMNS)
        self._windows = table["windows"]
        self._documents = table.select(DOCUMENT_COLUMNS)
        self._ids = {identity: row for row, identity in enumerate(table["id"].to_pylist())}
        paths = table["document_path"].to_pylist()
        self._paths = np.array(paths, object)
        self._first = {path: row for row, path in reversed(list(enumerate(paths)))}
        self._counts = Counter(paths)
        #: The number of each section's document.
        self.document = np.cumsum([0, *(path != before for before, path in pairwise(paths))])[: self.rows]
        self._outlines: dict[str, list[SectionLink]] = {}
        self.depth = table["depth"].to_numpy()
        self.is_dirty = table["is_dirty"].to_numpy(zero_copy_only=False)
        self.token_count = table["token_count"].to_numpy()
        #: Prose (words) of each section, and of each with all sections below it.
        self.prose = table["prose_words"].to_numpy() * (1.0 - self.lexicon.repeated)
        self.prose_below = _below(self.prose, table["depth"].to_numpy(), paths)
        coverage = table["model_coverage"].to_numpy(zero_copy_only=False)
        self.worth = trust(np.nan_to_num(coverage, nan=0.0))
        rows = order.to_numpy()
        #: What the first model made of every section, and what the second made of those that it has read, if there is one.
        self.vectors = Space(*window_matrix(vectors["window_vectors"], dimension), order=rows)
        headings, present = vector_matrix(vectors["heading_vector"], dimension)
        self.headings: Space | None = None
        if present.any():
            self.headings = Space(headings[present], present.astype(np.int64), order=rows)
        self.second: Space | None = None
        if "second_vectors" in vectors.schema.names:
            size = second_dimension(vectors.schema)
            self.second = Space(*window_matrix(vectors["second_vectors"], size), order=rows)
        #: Whether the second model has read every section whose language the first one knows.
        self.second_has_all = self.second is not None and bool(np.all(self.second.present[self.worth > 0]))

    # -- sections ------------------------------------------------------------------------------------------------------

    def row(self, section_id: str) -> int | None:
        """The row of a section, or None."""
        return self._ids.get(section_id)

    def sections(self, rows: Sequence[int]) -> list[Section]:
        """The sections in these rows, in the order given."""
        return [to_section(row) for row in self._sections.take(pa.array(rows, pa.int64())).to_pylist()]

    def similar(self, others: Mapping[int, Sequence[int]]) -> dict[int, tuple[SimilarSection, ...]]:
        """The sections that are folded into each of some rows, by these rows."""
        sections = iter(self.sections([row for rows in others.values() for row in rows]))
        return {
            first: tuple(
                SimilarSection(
                    id=section.id, document_path=section.document_path, heading=section.name, start_line=section.start_line
                )
                for _, section in zip(rows, sections, strict=False)
            )
            for first, rows in others.items()
        }

    def contents(self, rows: Sequence[int]) -> list[str]:
        """Only the texts of the sections in these rows."""
        contents: list[str] = self._sections["content"].take(pa.array(rows, pa.int64())).to_pylist()
        return contents

    @cached_property
    def content_lengths(self) -> Places:
        """Characters of each section's text."""
        lengths: Places = pc.utf8_length(self._sections["content"]).to_numpy().astype(np.int64)
        return lengths

    def outline(self, path: str) -> list[SectionLink]:
        """The sections of a document in reading order; empty for an unknown document."""
        if path not in self._outlines and path in self._first:
            first, count = self._first[path], self._counts[path]
            self._outlines[path] = [to_link(row) for row in self._links.slice(first, count).to_pylist()]
        return list(self._outlines.get(path, ()))

    @cached_property
    def documents(self) -> tuple[DocumentInfo, ...]:
        """Every document that has a section, by path."""
        bounds = [*sorted(self._first.values()), self.rows]
        found = []
        for first, last in pairwise(bounds):
            row = self._documents.slice(first, 1).to_pylist()[0]
            tokens = int(self.token_count[first:last].sum())
            found.append(to_document(row, section_count=last - first, token_count=tokens))
        return tuple(found)

    @cached_property
    def _by_path(self) -> dict[str, DocumentInfo]:
        return {document.path: document for document in self.documents}

    def translations(self, path: str) -> list[Translation]:
        """The same page in other languages, by language; empty for an unknown document."""
        if path not in self._first:
            return []
        found = self._translations.of(path)
        return [Translation(path=other, title=self._by_path[other].title, language=code) for other, code in found.items()]

    @cached_property
    def _translations(self) -> Translations:
        anchors: dict[str, list[str]] = {path: [] for path in self._first}
        for path, anchor in zip(self._paths, self._links["anchor"].to_pylist(), strict=True):
            if anchor:
                anchors[path].append(anchor)
        # a function of parts, since one of `self` would keep all of this collection in memory
        return Translations(anchors, _language_of(self._sections["content"], self._first, self._counts, self._named))

    @cached_property
    def _named(self) -> dict[str, str]:
        """The language that the front matter of each document names."""
        return {path: _named_language(document.front_matter) for path, document in self._by_path.items()}

    def paths(self, rows: Places) -> list[str]:
        """The documents of these rows, in the order given."""
        found: list[str] = self._paths[rows].tolist()
        return found

    def of_documents(self, paths: Iterable[str]) -> npt.NDArray[np.bool_]:
        """Which rows belong to the documents `paths`."""
        wanted = set(paths)
        return np.fromiter((path in wanted for path in self._paths), np.bool_, self.rows)

    @cached_property
    def languages(self) -> npt.NDArray[np.str_]:
        """The language of each section: what the front matter says, else what the text shows; "" where neither does."""
        contents = self._sections["content"].to_pylist()
        found = [self._named[path] or language(content) for path, content in zip(self._paths, contents, strict=True)]
        return np.array(found, np.str_)

    # -- vectors -------------------------------------------------------------------------------------------------------

    def best_window(self, row: int, vector: QueryVectors) -> Window | None:
        """The window of a section that is nearest to a query, as offsets into its body; None without a vector."""
        place = None
        if self.second is not None and vector.second is not None:
            place = self.second.best_window(row, vector.second)
        if place is None and vector.first is not None:
            place = self.vectors.best_window(row, vector.first)
        return None if place is None else to_windows([self._windows[row][place].as_py()])[0]

    def fresh_leads(self) -> tuple[Places, Vectors]:
        """The rows that have a vector as new as their text, and the vectors of their beginnings, shape (rows, dimension)."""
        rows = as_rows(self.vectors.present & ~self.is_dirty)
        return rows, self.vectors.of_beginnings(rows)


def _below(own: npt.NDArray[np.floating], depth: npt.NDArray[np.integer], paths: Sequence[str]) -> npt.NDArray[np.float64]:
    """The sums over each section and the sections below it; the first section stands for its document."""
    total = np.asarray(own, np.float64).copy()
    first = 0
    above: list[int] = []
    for row in range(len(total)):
        if row and paths[row] != paths[row - 1]:
            first, above = row, []
        while above and depth[above[-1]] >= depth[row]:
            above.pop()
        for higher in {first, *above} if row != first else ():
            total[higher] += own[row]
        above.append(row)
    return total


def _language_of(
    contents: pa.ChunkedArray, first: Mapping[str, int], counts: Mapping[str, int], named: Mapping[str, str]
) -> Callable[[str], str]:
    """A function from a document to the language that its front matter names, or else that its beginning shows.

    `contents` are those of all sections, `first` and `counts` the first row of each document and how many it has.
    """

    @cache
    def told(path: str) -> str:
        beginning = contents.slice(first[path], min(counts[path], _TELLING_SECTIONS)).to_pylist()
        return named[path] or language("\n".join(beginning))

    return told


def _named_language(front_matter: Mapping[str, Any]) -> str:
    """ "pt" of a document that says lang: pt-BR; "" for one that says nothing."""
    value = front_matter.get("lang") or front_matter.get("language")
    return value.replace("_", "-").split("-")[0].strip().casefold() if isinstance(value, str) else ""
