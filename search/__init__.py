"""Everything that reads: a question becomes the sections that answer it, with their context."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import schema

if TYPE_CHECKING:
    from search.engine import SearchEngine as SearchEngine

if getattr(schema, "DISTRIBUTION", None) != "sectionary":
    raise ImportError(
        f"The package 'schema' that Python found at {getattr(schema, '__file__', None)} is not Sectionary's; "
        "install Sectionary in an environment of its own, and keep files called schema out of the import path."
    )

__all__ = ["SearchEngine"]


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name != "SearchEngine":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from search.engine import SearchEngine

        return SearchEngine
