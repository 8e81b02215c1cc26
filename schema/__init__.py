"""The nouns, errors, settings and protocols of Sectionary, the PyArrow schema and the table over LanceDB.

Names are loaded when first asked for, so that importing this package costs nothing.
"""

from __future__ import annotations

import importlib
from typing import Any

#: Tells this package from another one called `schema`; see `schema.startup`.
DISTRIBUTION = "sectionary"
#: Of the distribution; here too, since asking for the installed metadata takes longer than a warm search.
VERSION = "0.1.0"

_HOMES = {
    "Document": "sections",
    "Section": "sections",
    "ROOT_HEADING": "sections",
    "Context": "results",
    "ContextPack": "results",
    "ContextPiece": "results",
    "DocumentInfo": "results",
    "Failure": "reports",
    "Difference": "reports",
    "IndexReport": "reports",
    "IndexStatus": "reports",
    "RunRecord": "reports",
    "VerifyReport": "reports",
    "SearchResult": "results",
    "SectionLink": "results",
    "Window": "results",
    "Filters": "filters",
    "Settings": "settings",
    "load_settings": "settings",
    "SectionaryError": "errors",
    "SettingsError": "errors",
    "SourceError": "errors",
    "QueryError": "errors",
    "NotIndexedError": "errors",
    "ModelError": "errors",
    "EmbeddingServerError": "errors",
    "ChatError": "errors",
    "ChatUnavailableError": "errors",
    "SummaryError": "errors",
    "SummarizerUnavailableError": "errors",
    "AttachmentError": "errors",
    "IndexStoreError": "errors",
    "IndexNotFoundError": "errors",
    "IndexIncompatibleError": "errors",
    "IndexDamagedError": "errors",
    "IndexAccessError": "errors",
    "IndexLockedError": "errors",
    "ChatClient": "protocols",
    "ChatReply": "protocols",
    "Embedder": "protocols",
    "QueryPreparer": "protocols",
    "Reranker": "protocols",
    "Summarizer": "protocols",
    "TokenCounter": "protocols",
    "get_sections_schema": "storage.rows",
    "SCHEMA_VERSION": "storage.fingerprint",
    "SectionTable": "storage.table",
    "read_status": "status",
}

__all__ = ["DISTRIBUTION", "VERSION", *sorted(_HOMES)]  # noqa: PLE0604 — names of `_HOMES`


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"schema.{home}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
