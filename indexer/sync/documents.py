"""A file's bytes → its sections: decoding, the dialect of its folder, splitting. One way for runs and for checks."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import replace

from indexer.decoding import decode
from indexer.dialects.folders import Dialects
from indexer.splitter import MarkdownSplitter, SplitDocument
from schema.status import noted_dialects

#: Keys of front matter by which plugins for note takers mark their drawings.
_DRAWING = frozenset({"excalidraw-plugin"})


class Documents:
    """Splits the documents of one project."""

    def __init__(self, splitter: MarkdownSplitter, dialects: Dialects) -> None:
        self._splitter = splitter
        self._dialects = dialects

    def split(self, path: str, data: bytes) -> SplitDocument:
        """Return the sections of a document by its path and its bytes, with all warnings about it."""
        decoded = decode(data)
        split = self._splitter.parse(decoded.text, path, dialects=self._dialects.of(path))
        reason = self._left_out(path, split)
        if reason:
            return replace(split, sections=(), warnings=(f"{path}: it is left out, since it is {reason}",))
        warnings = tuple(f"{path}: {warning}" for warning in decoded.warnings)
        if split.front_matter_raw and not split.sections:
            warnings = (*warnings, f"{path}: it holds front matter alone, and no text to search")
        return replace(split, warnings=(*warnings, *split.warnings))

    def _left_out(self, path: str, split: SplitDocument) -> str:
        """Return what a file is that holds no text of its author, "" for a document."""
        if _DRAWING & split.front_matter.keys() or path.lower().endswith(".excalidraw.md"):
            return "a drawing"
        return "a template for notes" if self._dialects.is_template(path) else ""

    def dialects_noted(self, paths: Collection[str], before: str | None) -> tuple[str, set[str]]:
        """Return what to note about the dialects of documents that were found, and those whose dialect is another one now.

        `before` is what was noted last. It keeps what it says about folders that hold none of `paths`.
        """
        known = noted_dialects(before)
        shown = self._dialects.shown(paths)
        walked = {folder for folder in known if any(_is_below(path, folder) for path in paths)}
        changed = {folder for folder in {*walked, *shown} if known.get(folder) != shown.get(folder)}
        noted = {folder: dialect for folder, dialect in known.items() if folder not in walked} | shown
        return json.dumps(noted, sort_keys=True), {path for path in paths if any(_is_below(path, each) for each in changed)}


def _is_below(path: str, folder: str) -> bool:
    return folder in ("", "*") or path.startswith(f"{folder}/")
