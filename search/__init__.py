"""Everything that reads: a question becomes the sections that answer it, with their context.

Names are loaded when first asked for, so that importing this package costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import schema

if TYPE_CHECKING:
    from schema.errors import ArgumentError as ArgumentError
    from schema.errors import ClosedError as ClosedError
    from schema.errors import EmbeddingServerError as EmbeddingServerError
    from schema.errors import IndexAccessError as IndexAccessError
    from schema.errors import IndexDamagedError as IndexDamagedError
    from schema.errors import IndexIncompatibleError as IndexIncompatibleError
    from schema.errors import IndexNotFoundError as IndexNotFoundError
    from schema.errors import IndexStoreError as IndexStoreError
    from schema.errors import IndexUntrustedError as IndexUntrustedError
    from schema.errors import LibraryMissingError as LibraryMissingError
    from schema.errors import ModelError as ModelError
    from schema.errors import NotIndexedError as NotIndexedError
    from schema.errors import QueryError as QueryError
    from schema.errors import SectionaryError as SectionaryError
    from schema.errors import SettingsError as SettingsError
    from schema.filters import Filters as Filters
    from schema.index_files.roots import IndexRoots as IndexRoots
    from schema.links import Link as Link
    from schema.links import SectionLinks as SectionLinks
    from schema.outlines import Context as Context
    from schema.outlines import DocumentInfo as DocumentInfo
    from schema.outlines import SectionLink as SectionLink
    from schema.outlines import Translation as Translation
    from schema.protocols import Embedder as Embedder
    from schema.protocols import QueryPreparer as QueryPreparer
    from schema.protocols import Reranker as Reranker
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
    from schema.sections import Section as Section
    from schema.settings import Settings as Settings
    from schema.settings import load_settings as load_settings
    from search.async_engine import AsyncSearchEngine as AsyncSearchEngine
    from search.engine import SearchEngine as SearchEngine

if getattr(schema, "DISTRIBUTION", None) != "sectionary":
    raise ImportError(
        f"The package 'schema' that Python found at {getattr(schema, '__file__', None)} is not Sectionary's; "
        "install Sectionary in an environment of its own, and keep files called schema out of the import path."
    )

#: Where the names of this package are.
_HOMES = {
    "AsyncSearchEngine": "search.async_engine",
    "SearchEngine": "search.engine",
}
#: Records, settings, protocols and errors that `schema` has, for users who import from one package.
_SHARED = (
    "ArgumentError",
    "ClosedError",
    "Context",
    "ContextPack",
    "ContextPiece",
    "DocumentInfo",
    "Embedder",
    "EmbeddingServerError",
    "Filters",
    "IndexAccessError",
    "IndexDamagedError",
    "IndexIncompatibleError",
    "IndexNotFoundError",
    "IndexRoots",
    "IndexStoreError",
    "IndexUntrustedError",
    "LibraryMissingError",
    "Link",
    "Mode",
    "ModelError",
    "NotIndexedError",
    "QueryError",
    "QueryPreparer",
    "Reranker",
    "ResultPage",
    "Results",
    "SearchRequest",
    "SearchResult",
    "Section",
    "SectionLink",
    "SectionLinks",
    "SectionaryError",
    "Settings",
    "SettingsError",
    "SimilarSection",
    "Snippet",
    "Translation",
    "Window",
    "load_settings",
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
