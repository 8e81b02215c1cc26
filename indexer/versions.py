"""A document as it was at another time → its sections, split as an index run would split it now."""

from __future__ import annotations

from collections.abc import Mapping

from indexer.decoding import decode
from indexer.dialects.folders import AUTO, dialects_of
from schema.sections import Section


class _Uncounted:
    """Counts no tokens, since nobody asks for them."""

    encoding = "none"

    def count(self, text: str) -> int:  # noqa: ARG002
        return 0


def sections_of(path: str, data: bytes, noted: Mapping[str, str]) -> tuple[Section, ...]:
    """Return the sections of the document at `path` with these bytes, without token counts.

    `noted`: the dialect of each folder, as the manifest has it (`schema.status.noted_dialects`).
    """
    from indexer.splitter import MarkdownSplitter  # every search has this module, and few ask for versions

    folders = [folder for folder in noted if folder != "*" and (not folder or path.startswith(f"{folder}/"))]
    shown = noted[max(folders, key=len)] if folders else ""
    names = dialects_of(path, noted.get("*", AUTO).split(), shown)
    splitter = MarkdownSplitter(token_counter=_Uncounted())
    return splitter.parse(decode(data).text, path, dialects=names, with_properties=True).sections
