"""The documents of one version of an index: what each is, and which are the same page in other languages; immutable."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schema.results import DocumentInfo, Translation
from schema.storage.rows import DOCUMENT_COLUMNS, to_document
from schema.text.language import named_language
from schema.text.names import composed
from search.index.translations import Translations

#: The columns that documents are read from, of every section.
COLUMNS = ("document_path", "position", "token_count", "language", "anchor")
#: The first sections of a document, of which the first one with a known language shows the document's.
_LANGUAGE_SECTIONS = 3


class Documents:
    """The documents of the sections in `table`, which has at least `COLUMNS`, in any order.

    `firsts` gives the `DOCUMENT_COLUMNS` of some rows of the table, in the order given.
    """

    def __init__(self, table: pa.Table, firsts: Callable[[Sequence[int]], pa.Table]) -> None:
        order = pc.sort_indices(table, sort_keys=[("document_path", "ascending"), ("position", "ascending")])
        table = table.select(COLUMNS).take(order)
        paths = table["document_path"].combine_chunks().dictionary_encode()
        codes = paths.indices.to_numpy(zero_copy_only=False)
        is_first = np.append(True, codes[1:] != codes[:-1])[: len(codes)]
        self._first_rows = order.to_numpy()[is_first].tolist()
        self._bounds = [*np.flatnonzero(is_first).tolist(), len(codes)]
        self._tokens = np.concatenate([[0], np.cumsum(table["token_count"].to_numpy(), dtype=np.int64)])
        self._number = {path: number for number, path in enumerate(paths.dictionary.to_pylist())}
        self._languages = table["language"].combine_chunks()
        self._anchors = table["anchor"].combine_chunks()
        self._firsts = firsts

    @cached_property
    def all(self) -> tuple[DocumentInfo, ...]:
        """Every document that has a section, by path."""
        rows = self._firsts(self._first_rows).select(DOCUMENT_COLUMNS).to_pylist()
        return tuple(
            to_document(row, section_count=end - begin, token_count=int(self._tokens[end] - self._tokens[begin]))
            for row, (begin, end) in zip(rows, pairwise(self._bounds), strict=True)
        )

    def spelt(self, path: str) -> str:
        """The path of the document with this path, in whichever form of Unicode (NFC or NFD) it is typed; the path as it is
        for an unknown document."""
        return path if path in self._number else self._by_composed.get(composed(path), path)

    @cached_property
    def _by_composed(self) -> dict[str, str]:
        return {composed(path): path for path in self._number}

    def translations(self, path: str) -> list[Translation]:
        """The same page in other languages, by language; empty for an unknown document."""
        path = self.spelt(path)
        if path not in self._number:
            return []
        found = self._translations.of(path)
        return [
            Translation(path=other, title=self.all[self._number[other]].title, language=code)
            for other, code in found.items()
        ]

    @cached_property
    def _translations(self) -> Translations:
        anchors = {
            path: [anchor for anchor in self._anchors.slice(begin, end - begin).to_pylist() if anchor]
            for path, (begin, end) in zip(self._number, pairwise(self._bounds), strict=True)
        }
        languages = dict(zip(self._number, map(self._language, range(len(self._number))), strict=True))
        return Translations(anchors, languages.__getitem__)

    def _language(self, number: int) -> str:
        """The language that the front matter of a document names, or else that its beginning shows."""
        begin, end = self._bounds[number], min(self._bounds[number + 1], self._bounds[number] + _LANGUAGE_SECTIONS)
        shown = self._languages.slice(begin, end - begin).to_pylist()
        return named_language(self.all[number].front_matter) or next(filter(None, shown), "")
