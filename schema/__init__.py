"""The nouns, errors, settings and protocols of Sectionary, the PyArrow schema and the table over LanceDB.

Names are loaded when first asked for, so that importing this package costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from schema.changes import ChangedDocument as ChangedDocument
    from schema.changes import ChangedSection as ChangedSection
    from schema.changes import Changes as Changes
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
    from schema.errors import NotIndexedError as NotIndexedError
    from schema.errors import QueryError as QueryError
    from schema.errors import SectionaryError as SectionaryError
    from schema.errors import SettingsError as SettingsError
    from schema.errors import SourceError as SourceError
    from schema.errors import SummarizerUnavailableError as SummarizerUnavailableError
    from schema.errors import SummaryError as SummaryError
    from schema.errors import WorkersError as WorkersError
    from schema.filters import Filters as Filters
    from schema.index_files.roots import FileChoice as FileChoice
    from schema.index_files.roots import IndexRoots as IndexRoots
    from schema.index_files.roots import Root as Root
    from schema.links import Link as Link
    from schema.links import SectionLinks as SectionLinks
    from schema.outlines import Context as Context
    from schema.outlines import DocumentInfo as DocumentInfo
    from schema.outlines import SectionLink as SectionLink
    from schema.outlines import Translation as Translation
    from schema.protocols import ChatClient as ChatClient
    from schema.protocols import ChatReply as ChatReply
    from schema.protocols import Embedder as Embedder
    from schema.protocols import QueryPreparer as QueryPreparer
    from schema.protocols import Reranker as Reranker
    from schema.protocols import Summarizer as Summarizer
    from schema.protocols import TokenCounter as TokenCounter
    from schema.reports import BrokenLink as BrokenLink
    from schema.reports import Difference as Difference
    from schema.reports import Failure as Failure
    from schema.reports import IndexReport as IndexReport
    from schema.reports import IndexStatus as IndexStatus
    from schema.reports import LinkReport as LinkReport
    from schema.reports import RootInfo as RootInfo
    from schema.reports import RunRecord as RunRecord
    from schema.reports import VerifyReport as VerifyReport
    from schema.requests import Mode as Mode
    from schema.requests import SearchRequest as SearchRequest
    from schema.result_list import Results as Results
    from schema.results import ContextPack as ContextPack
    from schema.results import ContextPiece as ContextPiece
    from schema.results import ResultPage as ResultPage
    from schema.results import SearchResult as SearchResult
    from schema.results import SimilarSection as SimilarSection
    from schema.results import Snippet as Snippet
    from schema.results import Window as Window
    from schema.sections import ROOT_HEADING as ROOT_HEADING
    from schema.sections import Section as Section
    from schema.settings import Settings as Settings
    from schema.settings import load_settings as load_settings
    from schema.status import read_status as read_status
    from schema.storage.fingerprint import SCHEMA_VERSION as SCHEMA_VERSION
    from schema.storage.rows import get_sections_schema as get_sections_schema
    from schema.storage.table import SectionTable as SectionTable

#: Tells this package from another one called `schema`; see `schema.startup`.
DISTRIBUTION = "sectionary"
#: The only place where the version is said: asking for the installed metadata takes longer than a warm search.
VERSION = "0.3.0.dev0"

_HOMES = {
    "ChangedDocument": "changes",
    "ChangedSection": "changes",
    "Changes": "changes",
    "ArgumentError": "errors",
    "AttachmentError": "errors",
    "ChatError": "errors",
    "ChatUnavailableError": "errors",
    "ClosedError": "errors",
    "ConversionError": "errors",
    "EmbeddingServerError": "errors",
    "IndexAccessError": "errors",
    "IndexDamagedError": "errors",
    "IndexIncompatibleError": "errors",
    "IndexLockedError": "errors",
    "IndexNotFoundError": "errors",
    "IndexStoreError": "errors",
    "IndexUntrustedError": "errors",
    "LibraryMissingError": "errors",
    "ModelError": "errors",
    "NotIndexedError": "errors",
    "QueryError": "errors",
    "SectionaryError": "errors",
    "SettingsError": "errors",
    "SourceError": "errors",
    "SummarizerUnavailableError": "errors",
    "SummaryError": "errors",
    "WorkersError": "errors",
    "Filters": "filters",
    "FileChoice": "index_files.roots",
    "IndexRoots": "index_files.roots",
    "Root": "index_files.roots",
    "Link": "links",
    "SectionLinks": "links",
    "Context": "outlines",
    "DocumentInfo": "outlines",
    "SectionLink": "outlines",
    "Translation": "outlines",
    "ChatClient": "protocols",
    "ChatReply": "protocols",
    "Embedder": "protocols",
    "QueryPreparer": "protocols",
    "Reranker": "protocols",
    "Summarizer": "protocols",
    "TokenCounter": "protocols",
    "BrokenLink": "reports",
    "Difference": "reports",
    "Failure": "reports",
    "IndexReport": "reports",
    "IndexStatus": "reports",
    "LinkReport": "reports",
    "RootInfo": "reports",
    "RunRecord": "reports",
    "VerifyReport": "reports",
    "Mode": "requests",
    "SearchRequest": "requests",
    "Results": "result_list",
    "ContextPack": "results",
    "ContextPiece": "results",
    "ResultPage": "results",
    "SearchResult": "results",
    "SimilarSection": "results",
    "Snippet": "results",
    "Window": "results",
    "ROOT_HEADING": "sections",
    "Section": "sections",
    "Settings": "settings",
    "load_settings": "settings",
    "read_status": "status",
    "SCHEMA_VERSION": "storage.fingerprint",
    "get_sections_schema": "storage.rows",
    "SectionTable": "storage.table",
}

__all__ = ["DISTRIBUTION", "VERSION", *sorted(_HOMES)]  # noqa: PLE0604 — names of `_HOMES`


if not TYPE_CHECKING:  # a type checker reads the imports above, and refuses other names

    def __getattr__(name: str) -> Any:
        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(importlib.import_module(f"schema.{home}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
