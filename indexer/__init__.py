"""Everything that writes: Markdown files become sections, sections become vectors, both become rows.

Names are loaded when first asked for, so that importing this package costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import schema

if TYPE_CHECKING:
    from indexer.decoding import Decoded as Decoded
    from indexer.decoding import decode as decode
    from indexer.pipeline import Indexer as Indexer
    from indexer.splitter import MarkdownSplitter as MarkdownSplitter
    from indexer.splitter import SplitDocument as SplitDocument
    from indexer.tokens import TokenCounter as TokenCounter
    from schema.errors import ArgumentError as ArgumentError
    from schema.errors import AttachmentError as AttachmentError
    from schema.errors import ChatError as ChatError
    from schema.errors import ChatUnavailableError as ChatUnavailableError
    from schema.errors import ClosedError as ClosedError
    from schema.errors import ConversionError as ConversionError
    from schema.errors import EmbeddingServerError as EmbeddingServerError
    from schema.errors import IndexAccessError as IndexAccessError
    from schema.errors import IndexDamagedError as IndexDamagedError
    from schema.errors import IndexIncompatibleError as IndexIncompatibleError
    from schema.errors import IndexLockedError as IndexLockedError
    from schema.errors import IndexNotFoundError as IndexNotFoundError
    from schema.errors import IndexStoreError as IndexStoreError
    from schema.errors import IndexUntrustedError as IndexUntrustedError
    from schema.errors import LibraryMissingError as LibraryMissingError
    from schema.errors import ModelError as ModelError
    from schema.errors import SectionaryError as SectionaryError
    from schema.errors import SettingsError as SettingsError
    from schema.errors import SourceError as SourceError
    from schema.errors import SummarizerUnavailableError as SummarizerUnavailableError
    from schema.errors import SummaryError as SummaryError
    from schema.errors import WorkersError as WorkersError
    from schema.index_files.roots import FileChoice as FileChoice
    from schema.index_files.roots import Root as Root
    from schema.protocols import ChatClient as ChatClient
    from schema.protocols import ChatReply as ChatReply
    from schema.protocols import Embedder as Embedder
    from schema.protocols import Summarizer as Summarizer
    from schema.reports import BrokenLink as BrokenLink
    from schema.reports import Difference as Difference
    from schema.reports import Failure as Failure
    from schema.reports import IndexReport as IndexReport
    from schema.reports import IndexStatus as IndexStatus
    from schema.reports import LinkReport as LinkReport
    from schema.reports import RootInfo as RootInfo
    from schema.reports import RunRecord as RunRecord
    from schema.reports import VerifyReport as VerifyReport
    from schema.sections import Section as Section
    from schema.settings import Settings as Settings
    from schema.settings import load_settings as load_settings
    from schema.status import read_status as read_status
    from schema.storage.rows import get_sections_schema as get_sections_schema

if getattr(schema, "DISTRIBUTION", None) != "sectionary":
    raise ImportError(
        f"The package 'schema' that Python found at {getattr(schema, '__file__', None)} is not Sectionary's; "
        "install Sectionary in an environment of its own, and keep files called schema out of the import path."
    )

#: Where the names of this package are.
_HOMES = {
    "Decoded": "indexer.decoding",
    "decode": "indexer.decoding",
    "Indexer": "indexer.pipeline",
    "MarkdownSplitter": "indexer.splitter",
    "SplitDocument": "indexer.splitter",
    "TokenCounter": "indexer.tokens",
}
#: Records, settings, protocols and errors that `schema` has, for users who import from one package.
_SHARED = (
    "ArgumentError",
    "AttachmentError",
    "BrokenLink",
    "ChatClient",
    "ChatError",
    "ChatReply",
    "ChatUnavailableError",
    "ClosedError",
    "ConversionError",
    "Difference",
    "Embedder",
    "EmbeddingServerError",
    "Failure",
    "FileChoice",
    "IndexAccessError",
    "IndexDamagedError",
    "IndexIncompatibleError",
    "IndexLockedError",
    "IndexNotFoundError",
    "IndexReport",
    "IndexStatus",
    "IndexStoreError",
    "IndexUntrustedError",
    "LibraryMissingError",
    "LinkReport",
    "ModelError",
    "Root",
    "RootInfo",
    "RunRecord",
    "Section",
    "SectionaryError",
    "Settings",
    "SettingsError",
    "SourceError",
    "Summarizer",
    "SummarizerUnavailableError",
    "SummaryError",
    "VerifyReport",
    "WorkersError",
    "get_sections_schema",
    "load_settings",
    "read_status",
)

__all__ = [*sorted((*_HOMES, *_SHARED))]  # noqa: PLE0604 — names of the tables above


if not TYPE_CHECKING:  # a type checker reads the imports above, and refuses other names

    def __getattr__(name: str) -> Any:
        if name in _HOMES:
            return getattr(importlib.import_module(_HOMES[name]), name)
        if name in _SHARED:
            return getattr(schema, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
