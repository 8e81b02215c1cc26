"""Everything that writes: Markdown files become sections, sections become vectors, both become rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import schema

if TYPE_CHECKING:
    from indexer.pipeline import Indexer as Indexer

if getattr(schema, "DISTRIBUTION", None) != "sectionary":
    raise ImportError(
        f"The package 'schema' that Python found at {getattr(schema, '__file__', None)} is not Sectionary's; "
        "install Sectionary in an environment of its own, and keep files called schema out of the import path."
    )

__all__ = ["Indexer"]


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name != "Indexer":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from indexer.pipeline import Indexer

        return Indexer
