"""A file's bytes → its sections, for runs and for checks: decoded or converted, read in its folder's dialect, split."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.convert.cache import VERSION as CONVERSION
from indexer.convert.documents import DocumentReader
from indexer.dialects.folders import RULES, Dialects
from indexer.found import Discovery
from schema.index_files.layout import converted_path
from schema.settings import Settings
from schema.status import noted_dialects

if TYPE_CHECKING:
    from indexer.splitter import MarkdownSplitter, SplitDocument
    from indexer.sync.jobs import SplitText


class Documents:
    """Splits the documents of one project; `splitter` is called when the first one is split."""

    def __init__(
        self, splitter: Callable[[], MarkdownSplitter], dialects: Dialects, reader: DocumentReader | None = None
    ) -> None:
        self._splitter = splitter
        self._reader = reader or DocumentReader()
        self._dialects = dialects
        self._plain: Collection[str] = ()

    @classmethod
    def of(cls, splitter: Callable[[], MarkdownSplitter], index_dir: Path, root: Path, settings: Settings) -> Documents:
        """Return what splits the documents of the project in `root`, with the cache of what is converted in `index_dir`."""
        return cls(splitter, Dialects(root, settings.dialects), DocumentReader(converted_path(index_dir)))

    def split(self, path: str, data: bytes) -> SplitDocument:
        """Return the sections of a document by its path and its bytes, with all warnings about it.

        Raises:
            ConversionError: it is of another format and cannot be converted.
        """
        return self.read(path, data).split(self._splitter())

    def read(self, path: str, data: bytes) -> SplitText:
        """Return the job that splits a document: its text, and how it is read.

        Raises:
            ConversionError: it is of another format and cannot be converted.
        """
        from indexer.sync.jobs import SplitText  # most runs find that no document has changed

        document = self._reader.read(path, data, is_plain=path in self._plain)
        dialects = () if document.is_converted else self._dialects.of(path)
        return SplitText(path, document, dialects, self._dialects.is_template(path))

    def trim_cache(self) -> None:
        """Delete what the cache of converted documents holds beyond its limit."""
        self._reader.trim()

    def find(self, found: Discovery) -> None:
        """Note where the documents are whose folders will show their dialects, and which ones are not converted."""
        self._dialects.learn({file.path: file.location for file in found.files})
        self._plain = found.plain

    def read_as(self, path: str) -> str:
        """Return how a document is read, as one text: the same bytes have the same sections while it stays the same."""
        if path not in self._plain and self._reader.converts(path):
            return f"converted {CONVERSION}"
        read = " ".join((*self._dialects.of(path), RULES))
        return f"{read} template" if self._dialects.is_template(path) else read

    def dialects_noted(self, found: Discovery, before: str | None) -> str:
        """Return what to note about the dialects of the folders whose documents were found.

        `before` is what was noted last. It keeps what it says about folders that hold none of the files.
        """
        self.find(found)
        paths = [file.path for file in found.files]
        walked = _folders_above(paths)
        kept = {folder: dialect for folder, dialect in noted_dialects(before).items() if folder not in walked}
        return json.dumps(kept | self._dialects.shown(paths), sort_keys=True)


def _folders_above(paths: Collection[str]) -> set[str]:
    """Return all folders that hold some of these documents, and "*", which stands for all documents."""
    found = {"", "*"} if paths else set()
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    return found
